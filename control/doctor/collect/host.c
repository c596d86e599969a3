/* SPDX-License-Identifier: GPL-2.0-only */
/* What does not change within a window: the kernel and its settings. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor/collect/collect.h"

/* All that a rule may read. One that the kernel does not have is left out: that tells, too. */
static const char *const sysctls[] = {
	"net.core.busy_poll",
	"net.core.default_qdisc",
	"net.core.netdev_budget",
	"net.core.netdev_budget_usecs",
	"net.core.netdev_max_backlog",
	"net.core.rmem_default",
	"net.core.rmem_max",
	"net.core.somaxconn",
	"net.core.wmem_default",
	"net.ipv4.ip_local_port_range",
	"net.ipv4.ipfrag_time",
	"net.ipv4.tcp_adv_win_scale",
	"net.ipv4.tcp_congestion_control",
	"net.ipv4.tcp_ecn",
	"net.ipv4.tcp_ecn_option",
	"net.ipv4.tcp_fack",
	"net.ipv4.tcp_low_latency",
	"net.ipv4.tcp_max_syn_backlog",
	"net.ipv4.tcp_mem",
	"net.ipv4.tcp_min_tso_segs",
	"net.ipv4.tcp_moderate_rcvbuf",
	"net.ipv4.tcp_notsent_lowat",
	"net.ipv4.tcp_rcvbuf_low_rtt",
	"net.ipv4.tcp_rmem",
	"net.ipv4.tcp_sack",
	"net.ipv4.tcp_shrink_window",
	"net.ipv4.tcp_timestamps",
	"net.ipv4.tcp_tso_rtt_log",
	"net.ipv4.tcp_window_scaling",
	"net.ipv4.tcp_wmem",
	"net.ipv4.udp_mem",
};

static void collect_sysctl(struct doctor_snapshot *snap, const char *name)
{
	char path[128], words[512], *from, *to, *text;
	bool gap = true;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	for (from = path + strlen("/proc/sys/"); *from; from++)
		*from = *from == '.' ? '/' : *from;
	text = doctor_read(AT_FDCWD, path);
	if (!text)
		return;
	for (from = text, to = words; *from && to < words + sizeof(words) - 1; from++) {
		bool blank = *from == ' ' || *from == '\t' || *from == '\n';

		if (!blank || !gap)
			*to++ = blank ? ' ' : *from;
		gap = blank;
	}
	while (to > words && to[-1] == ' ')
		to--;
	*to = '\0';
	doctor_map_set_words(&snap->sysctl, name, words);
	free(text);
}

/* A line a socket, below one that names the columns (net/packet/af_packet.c). */
static void collect_taps(struct doctor_snapshot *snap)
{
	char *text = doctor_read_or_note(snap, "/proc/net/packet", "AF_PACKET sockets"), *at;
	__u64 lines = 0;

	if (!text)
		return;
	for (at = text; (at = strchr(at, '\n')); at++)
		lines++;
	doctor_map_set(&snap->taps, "packet_sockets", lines ? lines - 1 : 0);
	free(text);
}

/* Modules that look at each packet, and hooks of theirs: /proc/net/netfilter tells the kinds only,
 * so the evidence is which tables there are.
 */
static void collect_tables(struct doctor_snapshot *snap)
{
	static const char *const files[] = { "/proc/net/ip_tables_names",
					     "/proc/net/ip6_tables_names" };
	__u64 tables = 0;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *text = doctor_read(AT_FDCWD, files[i]), *at = text;

		for (; at && (at = strchr(at, '\n')); at++)
			tables++;
		free(text);
	}
	doctor_map_set(&snap->taps, "iptables_tables", tables);
	doctor_map_set(&snap->taps, "conntrack",
		       !access("/proc/sys/net/netfilter/nf_conntrack_count", R_OK));
}

void doctor_collect_host(struct doctor_snapshot *snap)
{
	struct utsname name;
	size_t i;

	if (!uname(&name)) {
		snprintf(snap->kernel, sizeof(snap->kernel), "%.63s", name.release);
		snprintf(snap->hostname, sizeof(snap->hostname), "%.63s", name.nodename);
	}
	snap->ticks_per_s = (__u32)sysconf(_SC_CLK_TCK);
	snap->page_size = (__u32)sysconf(_SC_PAGESIZE);
	snap->memory_bytes = (__u64)sysconf(_SC_PHYS_PAGES) * snap->page_size;
	for (i = 0; i < sizeof(sysctls) / sizeof(sysctls[0]); i++)
		collect_sysctl(snap, sysctls[i]);
	collect_taps(snap);
	collect_tables(snap);
}
