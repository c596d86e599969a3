/* SPDX-License-Identifier: GPL-2.0-only */
/* The sending side of a receive problem: small frames sent bring back many ACKs. */
#include <string.h>

#include "doctor/checks/ifaces.h"
#include "doctor/checks/sockets.h"

#define GROUPS "BPF iter/tcp by Rx queue"

static bool segments_per_frame(const struct doctor_snapshot *snap, double *ret_ratio,
			       __u64 *ret_segments)
{
	__u64 frames;

	if (!doctor_counter(snap, "Tcp.OutSegs", ret_segments) ||
	    !doctor_counters(snap, "Ip.OutRequests", &frames) || !frames)
		return false;
	*ret_ratio = (double)*ret_segments / (double)frames;
	return true;
}

/* Of groups that send, the one with most senders paced too slowly for two segments a frame. */
static const struct doctor_group *slow_group(const struct doctor_snapshot *snap)
{
	const struct doctor_group *group, *worst = NULL;

	rxaqm_list_each(group, &snap->sockets.groups) {
		if (group->active < 8 || group->slow_paced * 2 <= group->active ||
		    (double)group->acked / doctor_window_s(snap) < 1e6)
			continue;
		if (!worst || group->slow_paced > worst->slow_paced)
			worst = group;
	}
	return worst;
}

DOCTOR_JUDGE(judge_small)
{
	const struct doctor_group *group = slow_group(snap);
	__u64 segments;
	double ratio;

	if (!strcmp(snap->sockets.source, "diag"))
		return doctor_blind(finding, "sock_diag does not tell the Rx queue of a flow");
	if (!segments_per_frame(snap, &ratio, &segments))
		return doctor_blind(finding, "nothing was sent, or its counters were reset");
	doctor_note_rise(finding, "segments_a_frame", ratio, DOCTOR_RATIO,
			 "Tcp.OutSegs / Ip.OutRequests");
	doctor_note_rise(finding, "segments", (double)segments / doctor_window_s(snap),
			 DOCTOR_PER_S, "Tcp.OutSegs");
	doctor_note(finding, "min_tso_segs",
		    (double)doctor_sysctl(snap, "net.ipv4.tcp_min_tso_segs", 0, 2), DOCTOR_NUMBER,
		    "net.ipv4.tcp_min_tso_segs");
	if (!group || ratio >= 4)
		return DOCTOR_CLEAR;
	doctor_say(finding, "iface", "%s", doctor_iface_name(snap, group->ifindex));
	doctor_note(finding, "queue", group->rx_queue == ~0U ? 0 : group->rx_queue, DOCTOR_NUMBER,
		    GROUPS);
	doctor_note(finding, "slow_flows", group->slow_paced, DOCTOR_COUNT, GROUPS);
	doctor_note(finding, "flows", group->active, DOCTOR_COUNT, GROUPS);
	doctor_note(finding, "pacing", (double)group->pacing_median, DOCTOR_BYTES_PER_S, GROUPS);
	doctor_note(finding, "rtt", (double)group->srtt_median_us, DOCTOR_US, GROUPS);
	doctor_note(finding, "cwnd", (double)group->cwnd_median, DOCTOR_NUMBER, GROUPS);
	return DOCTOR_FOUND;
}

const struct doctor_check doctor_checks_tx[] = {
	{ DOCTOR_CHECK("tso-self-throttled", TX, LOOP, MEDIUM, INFERRED),
	  .reads =
		  "Tcp.OutSegs / Ip.OutRequests; pacing, RTT, cwnd of flows by Rx queue; tcp_min_tso_segs",
	  .rule = "below 4 segments a frame, and most of 8 or more flows of a queue paced below 2 segments a ms",
	  .cause = "Flows of ${iface} queue ${queue} send small frames (${segments_a_frame} segments): they throttle "
		   "themselves.",
	  .because = "${slow_flows} of ${flows} flows are paced at about ${pacing} (round trip "
		     "${rtt}, window ${cwnd}): less than two segments a ms, so each frame is "
		     "small, costs as much as a large one, and brings its own ACK.",
	  .clear = "${segments_a_frame} segments a frame sent, or no queue with slowly paced flows",
	  SYSCTL("net.ipv4.tcp_min_tso_segs", "8", "${min_tso_segs}"),
	  .expect = "frames of 8 segments instead of ${segments_a_frame}: a quarter of the packets",
	  .risk = "bursts of 12 kB a flow; no effect with BBR, which sets its own minimum, nor beyond cwnd",
	  .after = "rx-queue-standing cq-shared " CPU_FULL,
	  .shown = "Meta: 6 kB frames instead of 64 kB",
	  .reference = "net/ipv4/tcp_output.c:tcp_tso_autosize", .judge = judge_small },
	{}
};
