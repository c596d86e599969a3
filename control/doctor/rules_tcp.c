/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory and windows of TCP sockets that receive. */
#include <json-c/json.h>
#include <string.h>

#include "doctor/check.h"

#define SOCKETS "BPF iter/tcp (or sock_diag)"
#define SYSCTL_FILE "/etc/sysctl.d/60-rxaqm-doctor.conf"
#define READERS "tcp-reader-stopped tcp-reader-slow"

static bool is_flow(const struct doctor_socket *socket)
{
	return !strcmp(socket->proto, "tcp") && !strcmp(socket->state, "established");
}

/* Of the established TCP sockets that stand out, the one with the highest score above 0. */
static const struct doctor_socket *most(const struct doctor_snapshot *snap,
					double (*score)(const struct doctor_snapshot *snap,
							const struct doctor_socket *socket))
{
	const struct doctor_socket *best = NULL;
	double highest = 0;
	size_t i;

	for (i = 0; i < snap->sockets.notable.nr; i++) {
		const struct doctor_socket *socket = &snap->sockets.notable.at[i];
		double value = is_flow(socket) ? score(snap, socket) : 0;

		if (value <= highest)
			continue;
		highest = value;
		best = socket;
	}
	return best;
}

static double by_memory(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	(void)snap;
	return socket->rmem_alloc;
}

/* ${program} and ${socket} of the one that holds most receive memory. */
static void say_largest(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	const struct doctor_socket *largest = most(snap, by_memory);

	if (!largest) {
		doctor_say(finding, "holder", "no socket that stands out now");
		return;
	}
	doctor_say_owner(snap, finding, largest);
	doctor_say_socket(finding, largest);
	doctor_note(finding, "largest", largest->rmem_alloc, DOCTOR_BYTES, SOCKETS);
	doctor_say(finding, "holder", "%s of %s", largest->local,
		   doctor_owner_of(snap, largest) ? doctor_owner_of(snap, largest)->comm :
						    "a program that is not known");
}

/* A counter that may not rise. */
static enum doctor_verdict judge_rise(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding, const char *name,
				      const char *const *counters)
{
	double window = doctor_window_s(snap);
	__u64 value;

	if (!doctor_counters(snap, counters, &value))
		return doctor_blind(finding, "%s is not in /proc/net/netstat, or was reset",
				    counters[0]);
	doctor_note_rise(finding, name, (double)value, DOCTOR_COUNT, counters[0]);
	if ((double)value < window)
		return DOCTOR_CLEAR;
	say_largest(snap, finding);
	return DOCTOR_FOUND;
}

static enum doctor_verdict judge_memory(const struct doctor_snapshot *snap,
					struct doctor_finding *finding)
{
	__u64 pages, pressures = 0, aborts = 0,
		     limit = doctor_sysctl(snap, "net.ipv4.tcp_mem", 1, 0);

	if (!limit || !doctor_map_get(snap->after.counters, "sockstat.TCP.mem", &pages))
		return doctor_blind(finding,
				    "tcp_mem can be read in the first network namespace only");
	doctor_counter(snap, "TcpExt.TCPMemoryPressures", &pressures);
	doctor_counter(snap, "TcpExt.TCPAbortOnMemory", &aborts);
	doctor_note(finding, "tcp_memory", (double)pages * snap->page_size, DOCTOR_BYTES,
		    "/proc/net/sockstat");
	doctor_note(finding, "pressure_at", (double)limit * snap->page_size, DOCTOR_BYTES,
		    "net.ipv4.tcp_mem[1]");
	doctor_note(finding, "share", (double)pages * 100 / (double)limit, DOCTOR_PERCENT,
		    "/proc/net/sockstat");
	doctor_note_rise(finding, "pressures", (double)pressures, DOCTOR_COUNT,
			 "TcpExt.TCPMemoryPressures");
	doctor_note_rise(finding, "aborts", (double)aborts, DOCTOR_COUNT,
			 "TcpExt.TCPAbortOnMemory");
	say_largest(snap, finding);
	return doctor_found_if(pages * 10 >= limit * 8 ||
			       (double)(pressures + aborts) >= doctor_window_s(snap));
}

static enum doctor_verdict judge_cgroup(const struct doctor_snapshot *snap,
					struct doctor_finding *finding)
{
	static const char prefix[] = "cgroup.sock_throttled:";
	__u64 value, total = 0, most_of_all = 0;

	if (!doctor_map_get(snap->after.counters, prefix, &value))
		return doctor_blind(finding,
				    "memory.events has no sock_throttled (Linux 7.x has it)");
	json_object_object_foreach(snap->after.counters, key, entry) {
		(void)entry;
		if (strncmp(key, prefix, strlen(prefix)))
			continue;
		/* One that was not noted before had throttled nothing. */
		if (!doctor_counter(snap, key, &value) &&
		    (doctor_map_get(snap->before.counters, key, &value) ||
		     !doctor_map_get(snap->after.counters, key, &value)))
			continue;
		total += value;
		if (value <= most_of_all)
			continue;
		most_of_all = value;
		doctor_say(finding, "cgroup", "%.150s", key + strlen(prefix));
	}
	doctor_note_rise(finding, "throttled", (double)total, DOCTOR_COUNT,
			 "memory.events sock_throttled");
	return doctor_found_if_often(snap, (double)total);
}

static enum doctor_verdict judge_prune(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	static const char *const counters[] = { "TcpExt.RcvPruned", "TcpExt.OfoPruned",
						"TcpExt.TCPOFODrop", NULL };

	return judge_rise(snap, finding, "pruned", counters);
}

static enum doctor_verdict judge_queue_drop(const struct doctor_snapshot *snap,
					    struct doctor_finding *finding)
{
	static const char *const counters[] = { "TcpExt.TCPRcvQDrop", NULL };

	return judge_rise(snap, finding, "dropped", counters);
}

static enum doctor_verdict judge_collapse(const struct doctor_snapshot *snap,
					  struct doctor_finding *finding)
{
	static const char *const counters[] = { "TcpExt.TCPRcvCollapsed", NULL };

	doctor_note(finding, "tcp_rmem_max", (double)doctor_sysctl(snap, "net.ipv4.tcp_rmem", 2, 0),
		    DOCTOR_BYTES, "net.ipv4.tcp_rmem[2]");
	return judge_rise(snap, finding, "collapsed", counters);
}

static enum doctor_verdict judge_stuck(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	static const char *const counters[] = { "TcpExt.TCPWantZeroWindowAdv", NULL };
	__u64 shrink = doctor_sysctl(snap, "net.ipv4.tcp_shrink_window", 0, ~0ULL);

	doctor_note(finding, "shrink_window", shrink == 1, DOCTOR_NUMBER,
		    "net.ipv4.tcp_shrink_window");
	if (shrink == ~0ULL)
		return doctor_blind(finding,
				    "the kernel has no tcp_shrink_window: windows never shrink");
	if (shrink == 1) {
		judge_rise(snap, finding, "wanted", counters);
		return DOCTOR_CLEAR;
	}
	return judge_rise(snap, finding, "wanted", counters);
}

static enum doctor_verdict judge_zero_window(const struct doctor_snapshot *snap,
					     struct doctor_finding *finding)
{
	double window = doctor_window_s(snap);
	__u64 shut, opened = 0, dropped = 0, now = snap->sockets.zero_window;

	if (!doctor_counter(snap, "TcpExt.TCPToZeroWindowAdv", &shut))
		return doctor_blind(finding, "/proc/net/netstat has no TCPToZeroWindowAdv");
	doctor_counter(snap, "TcpExt.TCPFromZeroWindowAdv", &opened);
	doctor_counter(snap, "TcpExt.TCPZeroWindowDrop", &dropped);
	doctor_note_rise(finding, "shut", (double)shut, DOCTOR_COUNT, "TcpExt.TCPToZeroWindowAdv");
	doctor_note_rise(finding, "opened", (double)opened, DOCTOR_COUNT,
			 "TcpExt.TCPFromZeroWindowAdv");
	doctor_note_rise(finding, "dropped_outside", (double)dropped, DOCTOR_COUNT,
			 "TcpExt.TCPZeroWindowDrop");
	if (!*snap->sockets.source || now == ~0ULL)
		now = 0;
	doctor_note(finding, "shut_now", (double)now, DOCTOR_COUNT, SOCKETS);
	say_largest(snap, finding);
	return doctor_found_if(now || (double)shut / window >= 5);
}

/* A window that is all in flight: what arrives in a round trip is what the window allows. */
static double window_share(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	double rate = (double)socket->received / doctor_window_s(snap);

	if (!socket->seen_before || !socket->rcv_wnd || socket->rcv_rtt_us < 1000 ||
	    socket->recv_queue > socket->rcv_wnd / 2 || socket->rmem_alloc > socket->rcvbuf / 2)
		return 0;
	return rate * socket->rcv_rtt_us / 1e6 / socket->rcv_wnd;
}

static double fixed_share(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	return socket->rcvbuf_locked ? window_share(snap, socket) : 0;
}

static double limited_share(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	__u64 max = doctor_sysctl(snap, "net.ipv4.tcp_rmem", 2, 0);

	return !socket->rcvbuf_locked && max && socket->rcvbuf >= max ? window_share(snap, socket) :
									0;
}

/* Small segments open it by two segments each, larger ones (GRO) by twice their length. */
static double opening_share(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	if (socket->rcvbuf_locked || !socket->window_clamp || !socket->data_segs_in ||
	    socket->rcv_ssthresh > socket->window_clamp / 4 || socket->data_segs_in < 1000)
		return 0;
	return window_share(snap, socket);
}

static enum doctor_verdict
judge_share(const struct doctor_snapshot *snap, struct doctor_finding *finding,
	    double (*score)(const struct doctor_snapshot *snap, const struct doctor_socket *socket))
{
	const struct doctor_socket *worst;
	double share;

	if (!*snap->sockets.source)
		return doctor_blind(finding, "no pass over the sockets was possible");
	worst = most(snap, score);
	share = worst ? score(snap, worst) : 0;
	doctor_note(finding, "window_used", share * 100, DOCTOR_PERCENT, SOCKETS);
	doctor_note(finding, "locked", (double)snap->sockets.locked, DOCTOR_COUNT, SOCKETS);
	if (!worst || share < 0.8)
		return DOCTOR_CLEAR;
	doctor_say_owner(snap, finding, worst);
	doctor_say_socket(finding, worst);
	doctor_note(finding, "window", worst->rcv_wnd, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "rtt", worst->rcv_rtt_us, DOCTOR_US, SOCKETS);
	doctor_note_rise(finding, "rate", (double)worst->received / doctor_window_s(snap),
			 DOCTOR_BYTES_PER_S, SOCKETS);
	doctor_note(finding, "buffer", worst->rcvbuf, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "buffer_for_1_gbit",
		    125e6 * worst->rcv_rtt_us / 1e6 * 256 / (worst->scaling_ratio ?: 128),
		    DOCTOR_BYTES, "BDP * 256 / scaling_ratio");
	return DOCTOR_FOUND;
}

static enum doctor_verdict judge_fixed(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	if (!strcmp(snap->sockets.source, "diag"))
		return doctor_blind(finding, "sock_diag does not tell whether SO_RCVBUF was set");
	return judge_share(snap, finding, fixed_share);
}

static enum doctor_verdict judge_limit(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	return judge_share(snap, finding, limited_share);
}

static enum doctor_verdict judge_opening(const struct doctor_snapshot *snap,
					 struct doctor_finding *finding)
{
	return judge_share(snap, finding, opening_share);
}

static double huge_share(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	double bdp_1_gbit = 125e6 * (socket->rcv_rtt_us ?: 1000) / 1e6;

	(void)snap;
	/* Both ends of the window: a burst is what buffers are for. */
	if (socket->rcvbuf_locked || !socket->seen_before ||
	    socket->rmem_alloc < socket->rcvbuf / 2 ||
	    socket->was_rmem_alloc < socket->rcvbuf / 4 || socket->rmem_alloc < 4 << 20 ||
	    socket->rcvbuf < 2 * bdp_1_gbit)
		return 0;
	return socket->rmem_alloc;
}

static enum doctor_verdict judge_huge(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding)
{
	const struct doctor_socket *worst;

	if (!*snap->sockets.source)
		return doctor_blind(finding, "no pass over the sockets was possible");
	doctor_note(finding, "over_limit", (double)snap->sockets.rmem_over, DOCTOR_COUNT, SOCKETS);
	doctor_note(finding, "at_maximum", (double)snap->sockets.rb_at_max, DOCTOR_COUNT, SOCKETS);
	worst = most(snap, huge_share);
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_say_owner(snap, finding, worst);
	doctor_say_socket(finding, worst);
	doctor_note(finding, "memory_used", worst->rmem_alloc, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "memory_limit", worst->rcvbuf, DOCTOR_BYTES, SOCKETS);
	doctor_note(finding, "rtt", worst->rcv_rtt_us, DOCTOR_US, SOCKETS);
	return DOCTOR_FOUND;
}

static double low_ratio(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	(void)snap;
	if (!socket->scaling_ratio || socket->received < 1000000)
		return 0;
	return socket->scaling_ratio < 64 ? 256 - (double)socket->scaling_ratio : 0;
}

static enum doctor_verdict judge_truesize(const struct doctor_snapshot *snap,
					  struct doctor_finding *finding)
{
	const struct doctor_socket *worst = most(snap, low_ratio);
	__u32 lowest = 256;
	bool seen = false;
	size_t i;

	for (i = 0; i < snap->sockets.notable.nr; i++) {
		const struct doctor_socket *socket = &snap->sockets.notable.at[i];

		if (!is_flow(socket) || !socket->scaling_ratio)
			continue;
		seen = true;
		if (socket->received >= 1000000 && socket->scaling_ratio < lowest)
			lowest = socket->scaling_ratio;
	}
	if (!seen && snap->sockets.nr_tcp)
		return doctor_blind(finding,
				    "no scaling_ratio: the kernel (before 6.6) or sock_diag "
				    "does not tell it");
	doctor_note(finding, "payload_share", lowest * 100.0 / 256, DOCTOR_PERCENT, SOCKETS);
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_say_owner(snap, finding, worst);
	doctor_say_socket(finding, worst);
	doctor_note_rise(finding, "bytes_a_segment",
			 worst->data_segs_in ?
				 (double)worst->received / (double)worst->data_segs_in :
				 0,
			 DOCTOR_BYTES, SOCKETS);
	return DOCTOR_FOUND;
}

static double by_send_wait(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	return socket->acked && socket->seen_before ?
		       (double)socket->not_sent * doctor_window_s(snap) * 1e6 /
			       (double)socket->acked :
		       0;
}

static enum doctor_verdict judge_not_sent(const struct doctor_snapshot *snap,
					  struct doctor_finding *finding)
{
	const struct doctor_socket *worst = most(snap, by_send_wait);
	double wait = worst ? by_send_wait(snap, worst) : 0;

	if (!*snap->sockets.source)
		return doctor_blind(finding, "no pass over the sockets was possible");
	doctor_note(finding, "waits_to_be_sent", wait, DOCTOR_US, SOCKETS);
	if (!worst || wait < 1e6 || worst->not_sent < 1 << 20)
		return DOCTOR_CLEAR;
	doctor_say_owner(snap, finding, worst);
	doctor_say_socket(finding, worst);
	doctor_note(finding, "not_sent", worst->not_sent, DOCTOR_BYTES, SOCKETS);
	return DOCTOR_FOUND;
}

static double low_rtt(const struct doctor_snapshot *snap, const struct doctor_socket *socket)
{
	(void)snap;
	return !socket->rcvbuf_locked && socket->rcv_rtt_us && socket->rcv_rtt_us < 1000 &&
			       socket->rmem_alloc >= 16 << 20 ?
		       socket->rmem_alloc :
		       0;
}

static enum doctor_verdict judge_low_rtt(const struct doctor_snapshot *snap,
					 struct doctor_finding *finding)
{
	const struct doctor_socket *worst = most(snap, low_rtt);
	const struct doctor_socket *largest = most(snap, by_memory);

	if (!*snap->sockets.source)
		return doctor_blind(finding, "no pass over the sockets was possible");
	doctor_note(finding, "largest", largest ? largest->rmem_alloc : 0, DOCTOR_BYTES, SOCKETS);
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_say_owner(snap, finding, worst);
	doctor_say_socket(finding, worst);
	doctor_note(finding, "rtt", worst->rcv_rtt_us, DOCTOR_US, SOCKETS);
	return DOCTOR_FOUND;
}

#define SMALLER_RMEM                                                             \
	.now = "sysctl -w net.ipv4.tcp_rmem='4096 131072 6291456'",              \
	.keep = "echo 'net.ipv4.tcp_rmem = 4096 131072 6291456' >>" SYSCTL_FILE, \
	.undo = "remove the line, and set the old value: sysctl -w net.ipv4.tcp_rmem=..."

const struct doctor_check doctor_checks_tcp[] = {
	{
		.id = "tcp-memory",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "sockstat TCP mem, tcp_mem, TCPMemoryPressures, TCPAbortOnMemory",
		.rule = "80 % or more of tcp_mem[1], or the counters rise by 1/s or more",
		.cause =
			"The memory of all TCP sockets together is at ${share} of where the kernel squeezes.",
		.because =
			"${tcp_memory} are in use, from ${pressure_at} on every socket gets a smaller buffer, because "
			"of a few. The largest: ${holder}.",
		.clear = "TCP memory ${tcp_memory}, ${share} of the limit",
		.remedy = { .now = "find the holders: ss -tmp; then raise tcp_mem[1] and [2], or mend the holder",
			    .keep = "echo 'net.ipv4.tcp_mem = MIN PRESSURE MAX' >>" SYSCTL_FILE,
			    .undo = "remove the line and set the old values",
			    .expect = "share below 80 %, pressures 0",
			    .risk = "memory that TCP takes is not there for programs" },
		.after = READERS,
		.reference = "tcp_mem in Documentation/networking/ip-sysctl.rst",
		.judge = judge_memory,
	},
	{
		.id = "cgroup-memory",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "memory.events sock_throttled of all cgroups",
		.rule = "sock_throttled rises by 1/s or more",
		.cause = "The memory limit of the container ${cgroup} throttles its sockets.",
		.because =
			"${throttled} times the kernel held sockets of that cgroup small: memory, not the network.",
		.clear = "${throttled} times a container's sockets were throttled",
		.remedy = { .now = "raise memory.high or memory.max of ${cgroup}",
			    .keep = "in the container's definition",
			    .undo = "set the old limit",
			    .expect = "sock_throttled stands still",
			    .risk = "the host's memory" },
		.reference = "memory.events in Documentation/admin-guide/cgroup-v2.rst (7.x)",
		.judge = judge_cgroup,
	},
	{
		.id = "tcp-rcvbuf-fixed",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_SETTING,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "socket table: SO_RCVBUF lock, window, RTT, bytes received",
		.rule = "SO_RCVBUF was set, and 80 % or more of the window is in flight all the time",
		.cause = "${program} fixed its receive buffer (SO_RCVBUF): the window is the limit.",
		.because =
			"On ${socket}, a window of ${window} at a round trip of ${rtt} allows ${rate}; a buffer that "
			"a program sets is not tuned by the kernel, and is silently cut to net.core.rmem_max.",
		.clear =
			"${window_used} of a window in flight where SO_RCVBUF is set (${locked} sockets)",
		.remedy = { .now = "take setsockopt(SO_RCVBUF) out of the program, often a setting of it",
			    .keep = "the same",
			    .undo = "put it back",
			    .expect =
				    "from ${rate} to what the path gives; 1 Gbit/s at ${rtt} needs ${buffer_for_1_gbit}",
			    .risk = "the kernel may use up to tcp_rmem[2] for such a socket" },
		.after = READERS,
		.reference = "socket(7) SO_RCVBUF; Google, TCP bulk flows: buffers set by programs",
		.judge = judge_fixed,
	},
	{
		.id = "tcp-window-limit",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_SETTING,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_MEASURED,
		.reads = "socket table: buffer, window, RTT, bytes received; tcp_rmem[2]",
		.rule = "the buffer is at tcp_rmem[2], and 80 % or more of the window is in flight",
		.cause =
			"The largest receive window that tcp_rmem allows is too small for the path.",
		.because =
			"On ${socket}, a window of ${window} at a round trip of ${rtt} allows ${rate}.",
		.clear = "${window_used} of a window at tcp_rmem[2] in flight",
		.remedy = { .now = "sysctl -w net.ipv4.tcp_rmem='4096 131072 67108864'",
			    .keep = "echo 'net.ipv4.tcp_rmem = 4096 131072 67108864' >>" SYSCTL_FILE,
			    .undo = "remove the line and set the old value",
			    .expect = "1 Gbit/s at ${rtt} needs a buffer of ${buffer_for_1_gbit}",
			    .risk = "a slow reader may hold that much memory: watch tcp-buffers-huge" },
		.after = READERS,
		.reference =
			"tcp_rmem in ip-sysctl.rst; Google, TCP bulk flows: 276 to 6600 Mbit/s at 121 ms",
		.judge = judge_limit,
	},
	{
		.id = "tcp-window-opens-slowly",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_SETTING,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_INFERRED,
		.reads = "socket table: rcv_ssthresh, window_clamp, window in flight, segments",
		.rule = "rcv_ssthresh is below a quarter of the clamp after 1000 segments, with the window full",
		.cause =
			"The receive window opens slowly: segments are small for the memory they take.",
		.because =
			"On ${socket}: each segment opens it by its own length twice, so without GRO by two "
			"segments (tcp_grow_window).",
		.clear = "${window_used} of a window that still opens in flight",
		.remedy = { .now = "ethtool -K IFACE gro on",
			    .keep = "the same in the interface's configuration",
			    .undo = "ethtool -K IFACE gro off",
			    .expect = "the window doubles each round trip",
			    .risk = "none for hosts; routers of other people's packets may want GRO off" },
		.after = READERS " gro-off tcp-truesize",
		.reference =
			"net/ipv4/tcp_input.c:tcp_grow_window; Cloudflare, initial receive window",
		.judge = judge_opening,
	},
	{
		.id = "tcp-collapse",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "TcpExt.TCPRcvCollapsed, tcp_rmem",
		.rule = "TCPRcvCollapsed rises by 1/s or more",
		.cause =
			"Receive buffers have grown beyond what is read: the kernel spends its time repacking them.",
		.because =
			"${collapsed} buffers were repacked in softirq. With a full buffer of ${tcp_rmem_max} one such "
			"pass can hold the CPU for tens of ms, and everything behind it waits. Largest: ${holder}.",
		.clear = "${collapsed} receive buffers repacked",
		.remedy = { SMALLER_RMEM,
			    .expect = "passes of at most 2 ms, where 64 MB buffers had 32 to 64 ms",
			    .risk = "flows with a long path get a smaller window: 6 MB carry 400 Mbit/s at 100 ms" },
		.after = "tcp-reader-stopped tcp-reader-slow tcp-rcvbuf-fixed",
		.reference =
			"net/ipv4/tcp_input.c:tcp_collapse; Cloudflare 2022, optimizing TCP for high WAN throughput",
		.judge = judge_collapse,
	},
	{
		.id = "tcp-pruned",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "TcpExt.RcvPruned, OfoPruned, TCPOFODrop",
		.rule = "any of them rises",
		.cause =
			"The kernel threw away ${pruned} segments that had arrived, for want of receive memory.",
		.because =
			"They must be sent again: loss made by this host. Largest holder: ${holder}.",
		.clear = "${pruned} received segments thrown away",
		.remedy = { .now = "raise the limit that binds: tcp_rmem[2] for one socket, tcp_mem for all; "
				   "or take SO_RCVBUF out of the program",
			    .keep = "in " SYSCTL_FILE,
			    .undo = "remove the line and set the old value",
			    .expect = "pruned from ${pruned} to 0",
			    .risk = "memory" },
		.after =
			"tcp-memory cgroup-memory tcp-reader-stopped tcp-reader-slow tcp-rcvbuf-fixed tcp-collapse",
		.reference = "snmp_counter.rst, TcpExtRcvPruned, TcpExtOfoPruned",
		.judge = judge_prune,
	},
	{
		.id = "tcp-queue-drop",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "TcpExt.TCPRcvQDrop",
		.rule = "it rises by 1/s or more",
		.cause = "${dropped} segments were dropped although the window had allowed them.",
		.because =
			"A segment costs more memory than its payload: the window promised what the buffer could not "
			"hold. Largest holder: ${holder}.",
		.clear = "${dropped} segments dropped inside the window",
		.remedy = { .now = "a larger receive buffer: tcp_rmem[1], or no SO_RCVBUF in the program",
			    .keep = "in " SYSCTL_FILE,
			    .undo = "remove the line and set the old value",
			    .expect = "dropped from ${dropped} to 0",
			    .risk = "memory" },
		.after = "tcp-memory cgroup-memory tcp-reader-stopped tcp-reader-slow tcp-rcvbuf-fixed tcp-truesize "
			 "tcp-collapse",
		.reference =
			"net/ipv4/tcp_input.c:tcp_data_queue; Cloudflare, windows that cannot shrink (13 of 65 packets)",
		.judge = judge_queue_drop,
	},
	{
		.id = "tcp-window-stuck",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_MEASURED,
		.reads = "TcpExt.TCPWantZeroWindowAdv, tcp_shrink_window",
		.rule = "it rises by 1/s or more, and tcp_shrink_window is 0",
		.cause =
			"Windows wanted to shut ${wanted} times and may not shrink: buffers grow past their limit.",
		.because =
			"With tcp_shrink_window=0 a window once advertised must be honoured, so the kernel raises the "
			"buffer to what is used (tcp_clamp_window). Largest: ${holder}.",
		.clear =
			"${wanted} times a window wanted to shut (tcp_shrink_window=${shrink_window})",
		.remedy = { .now = "sysctl -w net.ipv4.tcp_shrink_window=1",
			    .keep = "echo net.ipv4.tcp_shrink_window=1 >>" SYSCTL_FILE,
			    .undo = "sysctl -w net.ipv4.tcp_shrink_window=0, and remove the line",
			    .expect = "no more than tcp_rmem[2] a socket",
			    .risk = "RFC 7323 discourages it; Cloudflare has it on everywhere since 2023" },
		.after = "tcp-reader-stopped tcp-reader-slow tcp-rcvbuf-fixed tcp-collapse",
		.reference =
			"tcp_shrink_window in ip-sysctl.rst; Cloudflare 2023, unbounded memory usage by TCP",
		.judge = judge_stuck,
	},
	{
		.id = "tcp-buffers-huge",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_MEASURED,
		.reads = "socket table: receive memory, buffer, RTT",
		.rule = "half of the buffer, 4 MB or more, in use all the time, and the buffer beyond 2 BDP of 1 Gbit/s",
		.cause =
			"A receive buffer was tuned far beyond what its path needs: ${memory_used} stand in it.",
		.because = "${program}, ${socket}, round trip ${rtt}, limit ${memory_limit}.",
		.clear = "${over_limit} sockets above their limit, ${at_maximum} at tcp_rmem[2]",
		.remedy = { SMALLER_RMEM,
			    .expect = "at most 6 MB a socket instead of ${memory_used}",
			    .risk = "flows with a long path get a smaller window" },
		.after = "tcp-reader-stopped tcp-reader-slow tcp-window-stuck tcp-collapse",
		.reference = "Cloudflare 2023: 558 sockets above 5 MB at 20 ms",
		.judge = judge_huge,
	},
	{
		.id = "tcp-zero-window",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_READER,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_MEASURED,
		.reads =
			"TCPToZeroWindowAdv, TCPFromZeroWindowAdv, TCPZeroWindowDrop; windows of the socket table",
		.rule = "a window is shut now, or 5 or more shut a second",
		.cause =
			"Receive windows shut ${shut} times (${shut_now} are shut now): senders wait for readers.",
		.because =
			"Largest holder of unread data: ${holder}. What is dropped outside a shut window is harmless.",
		.clear = "${shut} windows shut, ${shut_now} are shut now",
		.remedy = { .now = "find the reader: ss -tmp 'state established' and its Recv-Q",
			    .keep = "a faster reader",
			    .undo = "nothing was changed",
			    .expect = "shut_now 0",
			    .risk = "none" },
		.after = "tcp-reader-stopped tcp-reader-slow tcp-rcvbuf-fixed tcp-collapse tcp-memory cgroup-memory "
			 "tcp-queue-drop tcp-window-stuck",
		.reference = "snmp_counter.rst, TcpExtTCPToZeroWindowAdv",
		.judge = judge_zero_window,
	},
	{
		.id = "tcp-truesize",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_SERVICE,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_MEASURED,
		.reads = "socket table: scaling_ratio (6.6 or later), bytes a segment",
		.rule = "a socket that received 1 MB or more has a scaling_ratio below 64 of 256",
		.cause =
			"Only ${payload_share} of receive memory is payload: each packet costs too much of it.",
		.because =
			"On ${socket}, ${bytes_a_segment} a segment. Small messages, or a driver that gives each packet "
			"a page or more.",
		.clear = "${payload_share} of receive memory is payload at worst",
		.remedy = { .now = "if segments are small: larger writes at the sender; else look at the driver's "
				   "rx-copybreak and header split (ethtool --show-tunable, -g)",
			    .keep = "the same",
			    .undo = "nothing was changed",
			    .expect = "a window up to 4 times as large in the same memory",
			    .risk = "copybreak costs a copy" },
		.reference =
			"net/ipv4/tcp_input.c:tcp_measure_rcv_mss; Cloudflare: 3 times the data",
		.judge = judge_truesize,
	},
	{
		.id = "tcp-not-sent",
		.place = DOCTOR_TX,
		.kind = DOCTOR_ARRIVAL,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_MEASURED,
		.reads = "socket table: bytes written and not sent, bytes acknowledged",
		.rule = "1 MB or more waits in a socket to be sent, for 1 s or more",
		.cause =
			"What ${program} writes waits ${waits_to_be_sent} in its socket before it is sent.",
		.because =
			"On ${socket}, ${not_sent} are written and not sent: the send buffer is larger than the path.",
		.clear = "written data waits ${waits_to_be_sent} at most to be sent",
		.remedy = { .now = "sysctl -w net.ipv4.tcp_notsent_lowat=131072",
			    .keep = "echo net.ipv4.tcp_notsent_lowat=131072 >>" SYSCTL_FILE,
			    .undo = "sysctl -w net.ipv4.tcp_notsent_lowat=4294967295, and remove the line",
			    .expect = "128 kB wait instead of ${not_sent}",
			    .risk = "programs that only write when told to wake more often" },
		.after = READERS,
		.reference = "tcp_notsent_lowat in ip-sysctl.rst",
		.judge = judge_not_sent,
	},
	{
		.id = "tcp-low-rtt-buffers",
		.place = DOCTOR_TCP,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_INFERRED,
		.reads = "socket table: receive memory, RTT; tcp_rcvbuf_low_rtt",
		.rule = "16 MB or more in use at a round trip below 1 ms",
		.cause = "A flow in the same building fills a receive buffer larger than any cache.",
		.because =
			"On ${socket}, ${largest} at ${rtt}: what is read is no longer in the cache.",
		.clear = "largest receive memory ${largest}",
		.remedy = { SMALLER_RMEM,
			    .expect =
				    "at most 6 MB; where the kernel has tcp_rcvbuf_low_rtt, that is better",
			    .risk = "flows with a long path get a smaller window" },
		.after =
			"tcp-reader-stopped tcp-reader-slow tcp-buffers-huge tcp-collapse tcp-window-stuck",
		.reference = "tcp_rcvbuf_low_rtt in ip-sysctl.rst (7.x)",
		.judge = judge_low_rtt,
	},
	{}
};
