/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory and windows of receiving TCP sockets; settings that are worse than the kernel's own. */
#include <stdio.h>
#include <string.h>

#include "doctor/checks/check.h"
#include "doctor/checks/sockets.h"

/* For .after: the causes of shut windows. */
#define SHUT_BY READERS " tcp-rcvbuf-fixed tcp-collapse tcp-memory tcp-queue-drop"

/* Also name the socket with most memory. */
DOCTOR_JUDGE(judge_rise)
{
	enum doctor_verdict verdict = doctor_judge_rise(snap, finding);

	if (verdict == DOCTOR_FOUND)
		doctor_say_largest(snap, finding);
	return verdict;
}

DOCTOR_JUDGE(judge_memory)
{
	__u64 pages, squeezed, limit = doctor_sysctl(snap, "net.ipv4.tcp_mem", 1, 0);
	bool near;

	if (!limit || !doctor_map_get(snap->after.counters, "sockstat.TCP.mem", &pages))
		return doctor_blind(finding,
				    "tcp_mem can be read in the first network namespace only");
	near = pages * 10 >= limit * 8;
	doctor_note(finding, "tcp_memory", (double)pages * snap->page_size, DOCTOR_BYTES,
		    "/proc/net/sockstat");
	doctor_note(finding, "pressure_at", (double)limit * snap->page_size, DOCTOR_BYTES,
		    "net.ipv4.tcp_mem[1]");
	doctor_note(finding, "share", (double)pages * 100 / (double)limit, DOCTOR_PERCENT,
		    "/proc/net/sockstat");
	squeezed = doctor_note_counter(snap, finding, "pressures", "TcpExt.TCPMemoryPressures");
	squeezed += doctor_note_counter(snap, finding, "aborts", "TcpExt.TCPAbortOnMemory");
	doctor_say_largest(snap, finding);
	doctor_say(finding, "tcp_mem", "%s", doctor_sysctl_words(snap, "net.ipv4.tcp_mem"));
	doctor_say(finding, "larger", "%llu %llu %llu",
		   (unsigned long long)doctor_sysctl(snap, "net.ipv4.tcp_mem", 0, 0),
		   (unsigned long long)(2 * limit),
		   (unsigned long long)(2 * doctor_sysctl(snap, "net.ipv4.tcp_mem", 2, limit)));
	if (near) {
		doctor_say(finding, "state", "is near the limit where the kernel shrinks buffers");
		return DOCTOR_FOUND;
	}
	doctor_say(finding, "state", "was short %llu times", (unsigned long long)squeezed);
	return doctor_judge_lost(snap, finding, "TcpExt.TCPMemoryPressures", squeezed);
}

DOCTOR_JUDGE(judge_collapse)
{
	doctor_note(finding, "tcp_rmem_max", (double)doctor_sysctl(snap, "net.ipv4.tcp_rmem", 2, 0),
		    DOCTOR_BYTES, "net.ipv4.tcp_rmem[2]");
	doctor_say_rmem(snap, finding, false);
	return judge_rise(snap, finding);
}

/* Memory in use plus the window promised, if that exceeds the buffer. */
DOCTOR_SCORE(beyond_limit)
{
	double memory = (double)socket->rmem_alloc + doctor_or_0(socket->rcv_wnd);

	/* A buffer set by the program does not grow; a half empty one still takes a burst. */
	if (socket->rcvbuf_locked || socket->rmem_alloc < socket->rcvbuf / 2)
		return 0;
	return memory > socket->rcvbuf ? memory : 0;
}

DOCTOR_JUDGE(judge_stuck)
{
	__u64 shrink = doctor_sysctl(snap, "net.ipv4.tcp_shrink_window", 0, ~0ULL);
	const struct doctor_socket *worst = doctor_top_flow(snap, beyond_limit);
	enum doctor_verdict verdict;

	doctor_note(finding, "shrink_window", shrink == 1, DOCTOR_NUMBER,
		    "net.ipv4.tcp_shrink_window");
	if (shrink == ~0ULL)
		return doctor_blind(finding,
				    "the kernel has no tcp_shrink_window: windows never shrink");
	verdict = judge_rise(snap, finding);
	if (shrink == 1)
		return DOCTOR_CLEAR;
	if (verdict != DOCTOR_FOUND)
		return verdict;
	/* A fast transfer shuts its window for moments, but its buffers do not stay full. */
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_say_holder(snap, finding, worst);
	doctor_note(finding, "memory_used", worst->rmem_alloc, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "memory_limit", worst->rcvbuf, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "window", worst->rcv_wnd, DOCTOR_BYTES, SOCKETS);
	return DOCTOR_FOUND;
}

DOCTOR_JUDGE(judge_zero_window)
{
	__u64 shut, now = snap->sockets.zero_window, wanted = 0;

	if (!doctor_counter(snap, "TcpExt.TCPToZeroWindowAdv", &shut))
		return doctor_blind(finding, "/proc/net/netstat has no TCPToZeroWindowAdv");
	doctor_note_count(finding, "shut", shut, "TcpExt.TCPToZeroWindowAdv");
	doctor_note_counter(snap, finding, "opened", "TcpExt.TCPFromZeroWindowAdv");
	doctor_note_counter(snap, finding, "dropped_outside", "TcpExt.TCPZeroWindowDrop");
	if (!*snap->sockets.source || now == ~0ULL)
		now = 0;
	doctor_note(finding, "shut_now", (double)now, DOCTOR_COUNT, SOCKETS);
	doctor_say_largest(snap, finding);
	/* Each window that could not shrink wanted to shut, often more than once. */
	doctor_counter(snap, "TcpExt.TCPWantZeroWindowAdv", &wanted);
	if (wanted * 2 < shut)
		finding->after = SHUT_BY;
	return doctor_found_if(now || (double)shut / doctor_window_s(snap) >= 5);
}

DOCTOR_JUDGE(judge_off)
{
	static const char *const switches[] = { "net.ipv4.tcp_window_scaling",
						"net.ipv4.tcp_moderate_rcvbuf", "net.ipv4.tcp_sack",
						"net.ipv4.tcp_timestamps" };
	char on[160] = "", off[160] = "";
	unsigned int nr = 0;
	size_t i;

	if (!snap->sysctl)
		return doctor_blind(finding, "/proc/sys/net cannot be read");
	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		const char *value = doctor_sysctl_words(snap, switches[i]);

		if (!value || strcmp(value, "0") != 0)
			continue;
		nr++;
		snprintf(on + strlen(on), sizeof(on) - strlen(on), " %s=1", switches[i]);
		snprintf(off + strlen(off), sizeof(off) - strlen(off), " %s=0", switches[i]);
	}
	doctor_say_ours(finding, "turn_on", "%s", on);
	doctor_say_ours(finding, "turn_off", "%s", off);
	doctor_note(finding, "off", nr, DOCTOR_COUNT, "/proc/sys/net");
	return doctor_found_if(nr);
}

const struct doctor_check doctor_checks_tcp[] = {
	{ DOCTOR_CHECK("tcp-memory", TCP, MEMORY, HIGH, MEASURED),
	  .reads = "sockstat TCP mem, tcp_mem, TCPMemoryPressures, TCPAbortOnMemory",
	  .rule = "80 % or more of tcp_mem[1], or the counters rise by 1/s or more",
	  .cause = "The memory of all TCP sockets together ${state}.",
	  .because =
		  "${tcp_memory} are in use now (${share}). From ${pressure_at} on every socket gets a smaller buffer, "
		  "because of a few large ones. The largest: ${holder|no socket that stands out now}.",
	  .clear = "TCP memory ${tcp_memory}, ${share} of the limit",
	  .now = "find the holders, and fix them, or raise tcp_mem. `ss -tmp` shows them. `sysctl -w net.ipv4.tcp_mem=${larger}` gives twice as much",
	  SYSCTL_KEPT("net.ipv4.tcp_mem", "${larger}", "${tcp_mem}"),
	  .expect = "share below 80 %, pressures 0", .risk = "programs have that much less memory",
	  .after = READERS, .shown = "n12_tcp_mem_one_app",
	  .reference = "tcp_mem in Documentation/networking/ip-sysctl.rst", .times = true,
	  .judge = judge_memory },
	{ DOCTOR_CHECK("tcp-collapse", TCP, MEMORY, HIGH, MEASURED),
	  .reads = "TcpExt.TCPRcvCollapsed, tcp_rmem",
	  .cause =
		  "Receive buffers have grown beyond what is read: the kernel spends its time repacking them.",
	  .because =
		  "${events} buffers were repacked in softirq. With a full buffer of ${tcp_rmem_max} one such "
		  "pass can hold the CPU for tens of ms, and everything behind it waits. Largest: ${holder|no socket that stands out now}.",
	  .clear = "${events} receive buffers repacked", OTHER_RMEM,
	  .expect =
		  "shorter passes: published figures are some ${other_ms} for ${other_size}, and 32 to 64 ms for 64 MB",
	  .risk = "flows with a long path get a smaller window: ${other_size} carry ${other_rate} at 100 ms",
	  .after = READERS " tcp-rcvbuf-fixed", .shown = "bug-collapse",
	  .reference =
		  "net/ipv4/tcp_input.c:tcp_collapse; Cloudflare 2022, optimizing TCP for high WAN throughput",
	  .times = true, .judge = judge_collapse },
	{ DOCTOR_CHECK("tcp-pruned", TCP, MEMORY, HIGH, MEASURED),
	  .reads = "TcpExt.RcvPruned, OfoPruned, TCPOFODrop",
	  .cause =
		  "The kernel dropped received data ${events} times, because receive memory was short.",
	  .because =
		  "The peer must send that data again: this host makes the loss. Largest holder: ${holder|no socket that stands out now}.",
	  .clear = "received data was dropped ${events} times",
	  .now = "raise the limit that binds: tcp_rmem[2] for one socket, tcp_mem for all; "
		 "or take SO_RCVBUF out of the program",
	  .keep = "the same in " SYSCTL_FILE, .undo = "remove the line and set the old value",
	  .expect = "events from ${events} to 0", .risk = "memory",
	  .after = "tcp-memory " READERS " tcp-rcvbuf-fixed tcp-collapse",
	  .shown = "n12_tcp_mem_one_app",
	  .reference = "snmp_counter.rst, TcpExtRcvPruned, TcpExtOfoPruned", .times = true,
	  .judge = judge_rise },
	{ DOCTOR_CHECK("tcp-queue-drop", TCP, MEMORY, HIGH, MEASURED),
	  .reads = "TcpExt.TCPRcvQDrop",
	  .cause = "${events} segments were dropped although the window had allowed them.",
	  .because =
		  "A segment costs more memory than its payload: the window promised what the "
		  "buffer could not hold. Largest holder: ${holder|no socket that stands out now}.",
	  .clear = "${events} segments dropped inside the window",
	  .now = "a larger receive buffer: tcp_rmem[1], or no SO_RCVBUF in the program",
	  .keep = "the same in " SYSCTL_FILE, .undo = "remove the line and set the old value",
	  .expect = "events from ${events} to 0", .risk = "memory",
	  .after = "tcp-memory " READERS " tcp-rcvbuf-fixed tcp-truesize "
		   "tcp-collapse",
	  .shown = "k1_tcp_memory",
	  .reference =
		  "net/ipv4/tcp_input.c:tcp_data_queue; Cloudflare, windows that cannot shrink (13 of 65 packets)",
	  .times = true, .judge = judge_rise },
	{ SOCKET_CHECK("tcp-window-stuck", TCP, MEMORY, MEDIUM, MEASURED),
	  .reads =
		  "TcpExt.TCPWantZeroWindowAdv, tcp_shrink_window; socket table: receive memory, buffer, window",
	  .rule = "TCPWantZeroWindowAdv rises by 1/s or more, tcp_shrink_window is 0, and a buffer is half full with a "
		  "window beyond the rest",
	  .cause =
		  "Windows wanted to shut ${events} times and may not shrink: buffers grow past their limit.",
	  .because = "With tcp_shrink_window=0 a window once advertised must be honoured, so the "
		     "kernel raises the buffer to what is used (tcp_clamp_window). ${holder} has "
		     "${memory_used} of ${memory_limit} in use, and a window of ${window}.",
	  .clear = "${events} times a window wanted to shut (tcp_shrink_window=${shrink_window})",
	  SYSCTL("net.ipv4.tcp_shrink_window", "1", "0"),
	  .expect = "no more than tcp_rmem[2] a socket",
	  .risk = "RFC 7323 discourages it; Cloudflare has it on everywhere since 2023",
	  .after = READERS " tcp-rcvbuf-fixed tcp-collapse",
	  .shown = "Cloudflare: windows that cannot shrink",
	  .reference =
		  "tcp_shrink_window in ip-sysctl.rst; Cloudflare 2023, unbounded memory usage by TCP",
	  .times = true, .judge = judge_stuck },
	{ DOCTOR_CHECK("tcp-zero-window", TCP, READER, LOW, MEASURED),
	  .reads =
		  "TCPToZeroWindowAdv, TCPFromZeroWindowAdv, TCPZeroWindowDrop; windows of the socket table",
	  .rule = "a window is shut now, or 5 or more shut a second",
	  .cause =
		  "Receive windows shut ${shut} times (${shut_now} are shut now): senders wait for readers.",
	  .because =
		  "Largest holder of unread data: ${holder|no socket that stands out now}. Packets dropped outside a shut window are harmless.",
	  .clear = "${shut} windows shut, ${shut_now} are shut now",
	  .now = "find the reader: `ss -tmp state established` and its Recv-Q",
	  .keep = "a faster reader", .expect = "shut_now 0", .after = SHUT_BY " tcp-window-stuck",
	  .shown = "live_cfs_tcp", .reference = "snmp_counter.rst, TcpExtTCPToZeroWindowAdv",
	  .judge = judge_zero_window },
	{ DOCTOR_CHECK("tcp-features-off", SETTINGS, SETTING, MEDIUM, CONFIGURED),
	  .reads = "tcp_window_scaling, tcp_moderate_rcvbuf, tcp_sack, tcp_timestamps",
	  .rule = "any of them is 0",
	  .cause = "Features that TCP needs to be fast are off:${turn_off}.",
	  .because =
		  "Without window scaling a window is 64 kB at most; without tuning it keeps its first size; without "
		  "SACK each loss costs a round trip; without timestamps a round trip is measured once a window.",
	  .clear = "window scaling, tuning, SACK and timestamps are on",
	  .now = "`sysctl -w${turn_on}`",
	  .keep = "remove it from /etc/sysctl.conf and /etc/sysctl.d",
	  .undo = "`sysctl -w${turn_off}`",
	  .expect = "at 20 ms, from 26 Mbit/s (64 kB windows) to what the path gives",
	  .risk = "it affects only connections made after that", .shown = "n11_sack_off",
	  .reference = "ip-sysctl.rst; RFC 7323", .judge = judge_off },
	{}
};
