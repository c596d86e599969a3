/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings that are worse than the kernel's own default. */
#include <stdio.h>
#include <string.h>

#include "doctor/checks/check.h"

#define SYSCTLS "/proc/sys/net"
#define RMEM "net.ipv4.tcp_rmem"

/* A sysctl that was raised when defaults were lower now lowers it. The default of tcp_rmem[2] is 32
 * MB in kernels whose rmem_max is 4 MB (both 6.18 or later); other sysctls tell which kernel it is.
 */
DOCTOR_JUDGE(judge_old)
{
	__u64 rmem = doctor_sysctl(snap, RMEM, 2, 0);
	/* Kernels with the larger default have one of these sysctls. */
	bool larger = doctor_sysctl_words(snap, "net.ipv4.tcp_ecn_option") ||
		      doctor_sysctl_words(snap, "net.ipv4.tcp_rcvbuf_low_rtt");
	__u64 kernel = larger ? 33554432 : 6291456;
	/* A container does not see tcp_mem: take 7/8 of the memory, as the kernel keeps some for
	 * itself.
	 */
	__u64 by_memory = doctor_sysctl(snap, "net.ipv4.tcp_mem", 1, 0) * 16 * snap->page_size;

	if (!rmem)
		return doctor_blind(finding, RMEM " cannot be read");
	if (!by_memory && snap->memory_bytes != ~0ULL)
		by_memory = snap->memory_bytes / 8 * 7;
	if (!by_memory)
		return doctor_blind(finding, "neither tcp_mem nor how much memory there is");
	/* tcp_init: at most 1/128 of the memory, of which tcp_mem[1] is 1/16, in pages. */
	if (by_memory / 128 < kernel)
		kernel = by_memory / 128;
	doctor_note(finding, "tcp_rmem_max", (double)rmem, DOCTOR_BYTES, RMEM "[2]");
	doctor_note(finding, "kernel_default", (double)kernel, DOCTOR_BYTES,
		    "net/ipv4/tcp.c:tcp_init");
	/* Keep the first two: somebody may have changed them on purpose. */
	doctor_say(finding, "wanted", "%llu %llu %llu",
		   (unsigned long long)doctor_sysctl(snap, RMEM, 0, 4096),
		   (unsigned long long)doctor_sysctl(snap, RMEM, 1, 131072),
		   (unsigned long long)kernel);
	doctor_say(finding, "tcp_rmem", "%s", doctor_sysctl_words(snap, RMEM));
	/* 6291456 is our own advice for tcp-collapse: set on purpose, not left over. */
	return doctor_found_if(rmem < kernel && rmem != 6291456);
}

DOCTOR_JUDGE(judge_off)
{
	static const char *const switches[] = { "net.ipv4.tcp_window_scaling",
						"net.ipv4.tcp_moderate_rcvbuf", "net.ipv4.tcp_sack",
						"net.ipv4.tcp_timestamps" };
	char settings[160] = "", on[160] = "", off[160] = "";
	unsigned int nr = 0;
	size_t i;

	if (!snap->sysctl)
		return doctor_blind(finding, SYSCTLS " cannot be read");
	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		const char *value = doctor_sysctl_words(snap, switches[i]);

		if (!value || strcmp(value, "0") != 0)
			continue;
		snprintf(settings + strlen(settings), sizeof(settings) - strlen(settings), "%s%s=0",
			 nr++ ? ", " : "", switches[i]);
		snprintf(on + strlen(on), sizeof(on) - strlen(on), " %s=1", switches[i]);
		snprintf(off + strlen(off), sizeof(off) - strlen(off), " %s=0", switches[i]);
	}
	doctor_say_ours(finding, "turn_on", "%s", on);
	doctor_say_ours(finding, "turn_off", "%s", off);
	doctor_note(finding, "off", nr, DOCTOR_COUNT, SYSCTLS);
	doctor_say(finding, "settings", "%s", settings);
	return doctor_found_if(nr);
}

const struct doctor_check doctor_checks_settings[] = {
	{ DOCTOR_CHECK("tcp-features-off", SETTINGS, SETTING, MEDIUM, CONFIGURED),
	  .reads = "tcp_window_scaling, tcp_moderate_rcvbuf, tcp_sack, tcp_timestamps",
	  .rule = "any of them is 0",
	  .cause = "Features that TCP needs to be fast are off: ${settings}.",
	  .because =
		  "Without window scaling a window is 64 kB at most; without tuning it keeps its first size; without "
		  "SACK each loss costs a round trip; without timestamps a round trip is measured once a window.",
	  .clear = "window scaling, tuning, SACK and timestamps are on",
	  .now = "sysctl -w${turn_on}", .keep = "remove it from /etc/sysctl.conf and /etc/sysctl.d",
	  .undo = "sysctl -w${turn_off}",
	  .expect = "at 20 ms, from 26 Mbit/s (64 kB windows) to what the path gives",
	  .risk = "it affects only connections made after that",
	  .reference = "ip-sysctl.rst; RFC 7323", .judge = judge_off },
	{ DOCTOR_CHECK("sysctl-older-than-kernel", SETTINGS, SETTING, LOW, CONFIGURED),
	  .reads = "tcp_rmem, tcp_mem or the memory, and which sysctls the kernel has",
	  .rule = "tcp_rmem[2] is below the kernel's own default",
	  .cause = "tcp_rmem was raised once and is now too low: ${tcp_rmem_max}, the kernel's own default is "
		   "${kernel_default}.",
	  .because = "Such lines were copied when the default was 6 MB.",
	  .clear = "tcp_rmem[2] is ${tcp_rmem_max}, the kernel's own ${kernel_default}",
	  .now = "sysctl -w net.ipv4.tcp_rmem=${wanted}",
	  .keep = "remove tcp_rmem from /etc/sysctl.conf and /etc/sysctl.d",
	  .undo = "sysctl -w net.ipv4.tcp_rmem=${tcp_rmem}",
	  .expect = "windows up to ${kernel_default} where a path needs them",
	  .risk = "memory of slow readers: see tcp-buffers-huge",
	  .reference = "net/ipv4/tcp.c:tcp_init; tuned 2bfa442, network-throughput",
	  .judge = judge_old },
	{}
};
