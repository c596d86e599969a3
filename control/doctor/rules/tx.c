/* SPDX-License-Identifier: GPL-2.0-only */
/* The transmit side of a receive problem: what is sent in small frames comes back as many ACKs. */
#include <string.h>

#include "doctor/rules/check.h"

#define GROUPS "BPF iter/tcp by Rx queue"
#define SYSCTL_FILE "/etc/sysctl.d/60-rxaqm-doctor.conf"

static enum doctor_verdict judge_qdisc(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	const struct doctor_standing *worst = NULL;
	const struct doctor_iface *iface;
	double share, most = 0;
	size_t i;

	if (!snap->standing.nr)
		return doctor_blind(finding, "no qdisc was seen (RTM_GETQDISC)");
	for (i = 0; i < snap->standing.nr; i++) {
		const struct doctor_standing *standing = &snap->standing.at[i];

		share = standing->looks ? standing->backlogged * 100.0 / standing->looks : 0;
		if (share < most)
			continue;
		most = share;
		worst = standing;
	}
	doctor_note_rise(finding, "backlogged", most, DOCTOR_PERCENT, "RTM_GETQDISC each 100 ms");
	doctor_note(finding, "backlog_max", worst ? (double)worst->backlog_max : 0, DOCTOR_COUNT,
		    "RTM_GETQDISC");
	doctor_note(finding, "looks", worst ? worst->looks : 0, DOCTOR_COUNT, "RTM_GETQDISC");
	if (!worst || most < 80 || worst->looks < 5)
		return DOCTOR_CLEAR;
	iface = doctor_iface_at(snap, worst->ifindex);
	doctor_say(finding, "iface", "%s", iface ? iface->name : "?");
	doctor_note(finding, "queue", worst->queue, DOCTOR_NUMBER, "RTM_GETQDISC");
	for (i = 0; iface && i < iface->queues.nr; i++) {
		const struct doctor_queue *queue = &iface->queues.at[i];

		if (!queue->tx || queue->id != worst->queue || queue->bql_limit == ~0ULL)
			continue;
		doctor_note(finding, "bql_inflight", (double)queue->bql_inflight, DOCTOR_BYTES,
			    "byte_queue_limits");
		doctor_note(finding, "bql_limit", (double)queue->bql_limit, DOCTOR_BYTES,
			    "byte_queue_limits");
	}
	return DOCTOR_FOUND;
}

static enum doctor_verdict judge_stall(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	__u64 stalls = 0;
	bool watched = false;
	size_t i, k;

	for (i = 0; i < snap->after.ifaces.nr; i++) {
		const struct doctor_iface *iface = &snap->after.ifaces.at[i];

		for (k = 0; k < iface->queues.nr; k++) {
			const struct doctor_queue *is = &iface->queues.at[k];
			const struct doctor_queue *was = doctor_queue_before(snap, iface, is);
			__u64 rise;

			if (!was || !is->tx || is->stall_thrs_ms == ~0ULL || !is->stall_thrs_ms)
				continue;
			watched = true;
			rise = doctor_since(was->stall_cnt, is->stall_cnt);
			if (rise == ~0ULL || rise <= stalls)
				continue;
			stalls = rise;
			doctor_say(finding, "iface", "%s", iface->name);
			doctor_note(finding, "queue", is->id, DOCTOR_NUMBER, "byte_queue_limits");
			doctor_note(finding, "longest", (double)is->stall_max_ms * 1000, DOCTOR_US,
				    "byte_queue_limits/stall_max");
		}
	}
	if (!watched)
		return doctor_blind(finding,
				    "the stall detector of BQL is off (stall_thrs 0) or not there "
				    "(before 6.9)");
	doctor_note_rise(finding, "stalls", (double)stalls, DOCTOR_COUNT,
			 "byte_queue_limits/stall_cnt");
	return doctor_found_if(stalls); /* each is of many ms */
}

static bool segments_per_frame(const struct doctor_snapshot *snap, double *ret_ratio,
			       __u64 *ret_segments)
{
	static const char *const requests[] = { "Ip.OutRequests", "Ip6.OutRequests", NULL };
	__u64 frames;

	if (!doctor_counter(snap, "Tcp.OutSegs", ret_segments) ||
	    !doctor_counters(snap, requests, &frames) || !frames)
		return false;
	*ret_ratio = (double)*ret_segments / (double)frames;
	return true;
}

/* Of the groups that send: the one with most senders too slowly paced for two segments a frame. */
static const struct doctor_group *slow_group(const struct doctor_snapshot *snap)
{
	const struct doctor_group *worst = NULL;
	size_t i;

	for (i = 0; i < snap->sockets.groups.nr; i++) {
		const struct doctor_group *group = &snap->sockets.groups.at[i];

		if (group->active < 8 || group->slow_paced * 2 <= group->active ||
		    (double)group->acked / doctor_window_s(snap) < 1e6)
			continue;
		if (!worst || group->slow_paced > worst->slow_paced)
			worst = group;
	}
	return worst;
}

static enum doctor_verdict judge_small(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	const struct doctor_group *group = slow_group(snap);
	const struct doctor_iface *iface;
	__u64 segments;
	double ratio;

	if (!segments_per_frame(snap, &ratio, &segments))
		return doctor_blind(finding, "nothing was sent, or its counters were reset");
	if (!strcmp(snap->sockets.source, "diag"))
		return doctor_blind(finding, "sock_diag does not tell the Rx queue of a flow");
	doctor_note_rise(finding, "segments_a_frame", ratio, DOCTOR_RATIO,
			 "Tcp.OutSegs / Ip.OutRequests");
	doctor_note_rise(finding, "segments", (double)segments / doctor_window_s(snap),
			 DOCTOR_PER_S, "Tcp.OutSegs");
	doctor_note(finding, "min_tso_segs",
		    (double)doctor_sysctl(snap, "net.ipv4.tcp_min_tso_segs", 0, 2), DOCTOR_NUMBER,
		    "net.ipv4.tcp_min_tso_segs");
	if (!group || ratio >= 4)
		return DOCTOR_CLEAR;
	iface = doctor_iface_at(snap, group->ifindex);
	doctor_say(finding, "iface", "%s", iface ? iface->name : "an interface");
	doctor_note(finding, "queue", group->rx_queue == ~0U ? 0 : group->rx_queue, DOCTOR_NUMBER,
		    GROUPS);
	doctor_note(finding, "slow_flows", group->slow_paced, DOCTOR_COUNT, GROUPS);
	doctor_note(finding, "flows", group->active, DOCTOR_COUNT, GROUPS);
	doctor_note(finding, "pacing", (double)group->pacing_median, DOCTOR_BYTES_PER_S, GROUPS);
	doctor_note(finding, "rtt", (double)group->srtt_median_us, DOCTOR_US, GROUPS);
	doctor_note(finding, "cwnd", (double)group->cwnd_median, DOCTOR_NUMBER, GROUPS);
	return DOCTOR_FOUND;
}

static enum doctor_verdict judge_bonus(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	__u64 log = doctor_sysctl(snap, "net.ipv4.tcp_tso_rtt_log", 0, ~0ULL);
	__u32 young = 0, without = 0;
	size_t i;

	if (log == ~0ULL)
		return doctor_blind(finding, "the kernel has no tcp_tso_rtt_log (before 5.18)");
	if (!strcmp(snap->sockets.source, "diag"))
		return doctor_blind(finding, "sock_diag does not tell the Rx queue of a flow");
	for (i = 0; i < snap->sockets.groups.nr; i++) {
		const struct doctor_group *group = &snap->sockets.groups.at[i];

		if (group->young_no_bonus * 2 <= group->young || group->young < 4)
			continue;
		young += group->young;
		without += group->young_no_bonus;
		doctor_note(finding, "min_rtt", (double)group->min_rtt_median_us, DOCTOR_US,
			    GROUPS);
		doctor_note(finding, "queue", group->rx_queue == ~0U ? 0 : group->rx_queue,
			    DOCTOR_NUMBER, GROUPS);
	}
	doctor_note(finding, "without", without, DOCTOR_COUNT, GROUPS);
	doctor_note(finding, "young", young, DOCTOR_COUNT, GROUPS);
	/* A long path looks the same: only where other queues have short round trips. */
	for (i = 0; without && i < snap->sockets.groups.nr; i++) {
		const struct doctor_group *group = &snap->sockets.groups.at[i];

		if (group->active >= 4 && group->min_rtt_median_us &&
		    group->min_rtt_median_us >> 9 < 2 && group->young_no_bonus * 2 <= group->young)
			return DOCTOR_FOUND;
	}
	return DOCTOR_CLEAR;
}

static enum doctor_verdict judge_cwnd(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding)
{
	const struct doctor_group *group = slow_group(snap);

	if (!strcmp(snap->sockets.source, "diag"))
		return doctor_blind(finding, "sock_diag does not tell the Rx queue of a flow");
	doctor_note(finding, "limited", group ? group->cwnd_limited : 0, DOCTOR_COUNT, GROUPS);
	doctor_note(finding, "flows", group ? group->active : 0, DOCTOR_COUNT, GROUPS);
	if (!group || group->cwnd_limited * 2 <= group->active)
		return DOCTOR_CLEAR;
	doctor_note(finding, "cwnd", (double)group->cwnd_median, DOCTOR_NUMBER, GROUPS);
	return DOCTOR_FOUND;
}

static enum doctor_verdict judge_mix(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	__u32 ect = 0, other = 0;
	size_t i;

	for (i = 0; i < snap->sockets.groups.nr; i++) {
		ect += snap->sockets.groups.at[i].ect;
		other += snap->sockets.groups.at[i].not_ect;
	}
	doctor_note(finding, "ect", ect, DOCTOR_COUNT, "socket table, ecn_flags");
	doctor_note(finding, "not_ect", other, DOCTOR_COUNT, "socket table, ecn_flags");
	/* Only where rxaqm marks does the difference matter. */
	for (i = 0; i < snap->attached.nr; i++) {
		if (snap->attached.at[i].marked && snap->attached.at[i].dropped)
			return doctor_found_if(ect >= 4 && other >= 4);
	}
	return DOCTOR_CLEAR;
}

const struct doctor_check doctor_checks_tx[] = {
	{
		.id = "tx-stalls",
		.place = DOCTOR_TX,
		.kind = DOCTOR_LOOP,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "byte_queue_limits stall_cnt, stall_max, stall_thrs (6.9)",
		.rule = "stall_cnt rises",
		.cause = "Tx completions of ${iface} stall: ${stalls} times, for up to ${longest}.",
		.because =
			"What the NIC has sent (queue ${queue}) is not reported back in time: its NAPI is not polled, or the "
			"completions stand behind received packets.",
		.clear = "${stalls} stalls of Tx completions",
		.remedy = { .now = "rxaqm attach ${iface} mode=enforce; ethtool -L ${iface} rx N tx N where the driver can "
				   "separate them",
			    .keep = "rxaqm.conf(5), or the interface's configuration",
			    .undo = "rxaqm detach ${iface}",
			    .expect = "stalls from ${stalls} to 0",
			    .risk = "separate queues need more interrupts" },
		.after =
			"rx-queue-standing cq-shared rx-starved cpu-steal cpu-pauses rx-cpu-busy rx-cpus-busy",
		.reference = "lib/dynamic_queue_limits.c; kernel commit 6025b9135f7a",
		.judge = judge_stall,
	},
	{
		.id = "tso-self-throttled",
		.place = DOCTOR_TX,
		.kind = DOCTOR_LOOP,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_INFERRED,
		.reads =
			"Tcp.OutSegs / Ip.OutRequests; pacing, RTT, cwnd of flows by Rx queue; tcp_min_tso_segs",
		.rule = "below 4 segments a frame, and most of 8 or more flows of a queue paced below 2 segments a ms",
		.cause = "Flows of ${iface} queue ${queue} send small frames (${segments_a_frame} segments): they throttle "
			 "themselves.",
		.because =
			"${slow_flows} of ${flows} flows are paced at about ${pacing} (round trip ${rtt}, window ${cwnd}): "
			"less than two segments a ms, so each frame is small, costs as much as a large one, and brings "
			"its own ACK.",
		.clear =
			"${segments_a_frame} segments a frame sent, or no queue with slowly paced flows",
		.remedy = { .now = "sysctl -w net.ipv4.tcp_min_tso_segs=8",
			    .keep = "echo net.ipv4.tcp_min_tso_segs=8 >>" SYSCTL_FILE,
			    .undo = "sysctl -w net.ipv4.tcp_min_tso_segs=${min_tso_segs}, and remove the line",
			    .expect =
				    "frames of 8 segments instead of ${segments_a_frame}: a quarter of the packets",
			    .risk = "bursts of 12 kB a flow; no effect with BBR, which chooses itself, nor beyond cwnd" },
		.after = "rx-queue-standing cq-shared rx-cpu-busy rx-cpus-busy",
		.reference =
			"net/ipv4/tcp_output.c:tcp_tso_autosize; Meta: 6 kB frames instead of 64 kB",
		.judge = judge_small,
	},
	{
		.id = "tso-bonus-decayed",
		.place = DOCTOR_TX,
		.kind = DOCTOR_LOOP,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_INFERRED,
		.reads = "min_rtt of flows that are new in the window, by Rx queue; tcp_tso_rtt_log",
		.rule = "most new flows of a queue have a min_rtt of 3 ms or more, and those of another below 1 ms",
		.cause = "${without} of ${young} new flows were born inside a standing queue: larger frames by short round "
			 "trips (5.18) do not reach them.",
		.because =
			"Their smallest round trip is ${min_rtt}, the delay of the queue itself, and is kept for "
			"tcp_min_rtt_wlen.",
		.clear =
			"${without} of ${young} new flows without larger frames for a standing queue",
		.remedy = { .now = "sysctl -w net.ipv4.tcp_min_tso_segs=8; rxaqm attach IFACE mode=enforce",
			    .keep = "echo net.ipv4.tcp_min_tso_segs=8 >>" SYSCTL_FILE,
			    .undo = "sysctl -w net.ipv4.tcp_min_tso_segs=2, and remove the line",
			    .expect = "min_rtt from ${min_rtt} to that of the path",
			    .risk = "bursts of 12 kB a flow" },
		.after = "rx-queue-standing rx-cpu-busy rx-cpus-busy tso-self-throttled",
		.reference = "tcp_tso_rtt_log in ip-sysctl.rst; tcp_tso_autosize",
		.judge = judge_bonus,
	},
	{
		.id = "cwnd-limited",
		.place = DOCTOR_TX,
		.kind = DOCTOR_ELSEWHERE,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_MEASURED,
		.reads = "is_cwnd_limited, snd_cwnd of flows by Rx queue",
		.rule = "most flows of a slowly paced queue are limited by cwnd",
		.cause =
			"${limited} of ${flows} slow flows are held by their congestion window (${cwnd} segments).",
		.because =
			"tcp_min_tso_segs does not override it: what helps is a shorter round trip or less loss.",
		.clear = "${limited} of ${flows} slowly paced flows held by their congestion window",
		.remedy = { .now = "rxaqm attach IFACE mode=enforce",
			    .keep = "rxaqm.conf(5)",
			    .undo = "rxaqm detach IFACE",
			    .expect = "a shorter round trip, so more with the same window",
			    .risk = "see rxaqm(8)" },
		.after = "rx-queue-standing tso-self-throttled rx-cpu-busy rx-cpus-busy",
		.reference = "net/ipv4/tcp_output.c:tcp_is_cwnd_limited",
		.judge = judge_cwnd,
	},
	{
		.id = "tx-qdisc-standing",
		.place = DOCTOR_TX,
		.kind = DOCTOR_ARRIVAL,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_MEASURED,
		.reads = "RTM_GETQDISC each 100 ms; byte_queue_limits",
		.rule = "packets wait in 80 % or more of the looks at a Tx queue",
		.cause =
			"Packets always wait to be sent on ${iface}, Tx queue ${queue}: ${backlog_max} at most.",
		.because =
			"In ${backlogged} of ${looks} looks. Either the link is full, or completions come late.",
		.clear = "packets waited to be sent in ${backlogged} of ${looks} looks",
		.remedy = { .now = "if the link is full: nothing; if not, see tx-stalls and rx-cpu-busy",
			    .keep = "-",
			    .undo = "nothing was changed",
			    .expect = "waits in fewer than 80 % of looks",
			    .risk = "none" },
		.after =
			"tx-stalls rx-queue-standing cq-shared rx-starved rx-cpu-busy rx-cpus-busy tso-self-throttled",
		.reference = "tc(8) -s qdisc; Meta: 2 to 4 thousand TSO frames, 100 ms",
		.judge = judge_qdisc,
	},
	{
		.id = "cc-mix",
		.place = DOCTOR_TX,
		.kind = DOCTOR_SETTING,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_INFERRED,
		.reads = "ECN of flows; marks and drops of rxaqm",
		.rule = "rxaqm marks and drops, and four or more flows each can and cannot be marked",
		.cause =
			"Flows with ECN (${ect}) and without (${not_ect}) share queues: those without are dropped.",
		.because =
			"Marked flows keep the queue at their threshold, and the others lose packets there.",
		.clear =
			"${ect} flows with ECN, ${not_ect} without; nothing is marked and dropped side by side",
		.remedy = { .now = "rxaqm policy set IFACE law=auto",
			    .keep = "rxaqm.conf(5)",
			    .undo = "rxaqm policy set IFACE law=codel",
			    .expect = "both kinds get about equal shares: it couples drops to marks",
			    .risk = "none known" },
		.reference = "rxaqm(8), law; RFC 9332",
		.judge = judge_mix,
	},
	{}
};
