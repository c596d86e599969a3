/* SPDX-License-Identifier: GPL-2.0-only */
/* What rxaqm itself measures on the interfaces it is attached to. */
#include <string.h>

#include "doctor/checks/ifaces.h"

#define RXAQM "rxaqm, its counters"
#define POLLS "napi:napi_poll"

static const struct doctor_attached *standing_queue(const struct doctor_snapshot *snap)
{
	const struct doctor_attached *queue, *worst = NULL;

	rxaqm_list_each(queue, &snap->attached) {
		if (queue->drained_polls || !queue->busy_polls ||
		    (double)queue->busy_polls / doctor_window_s(snap) < 100)
			continue;
		if (!worst || queue->busy_polls > worst->busy_polls)
			worst = queue;
	}
	return worst;
}

static void say_iface(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		      const struct doctor_attached *queue)
{
	finding->iface = doctor_iface_at(snap, queue->ifindex);
	doctor_say(finding, "iface", "%s", doctor_iface_name(snap, queue->ifindex));
	doctor_note(finding, "queue", queue->queue, DOCTOR_NUMBER, RXAQM);
}

/* Busy polls a second, if no poll drained the NAPI's queue; else 0. */
static double busy_only(const struct doctor_snapshot *snap, const struct doctor_deep_napi *napi,
			__u64 window_ns)
{
	(void)snap;
	return napi->busy == napi->polls ? (double)napi->busy * 1e9 / (double)window_ns : 0;
}

/* Where rxaqm is not attached, the probe "polls" of --deep tells. */
DOCTOR_JUDGE(judge_probed)
{
	const struct doctor_deep_napi *napi;
	const struct doctor_iface *iface;
	double busy, drained = 0;

	rxaqm_list_each(napi, &snap->deep_napis)
		drained += (double)(napi->polls - napi->busy);
	doctor_note(finding, "drained_polls", drained, DOCTOR_COUNT, POLLS);
	doctor_note(finding, "queues", (double)snap->deep_napis.nr, DOCTOR_COUNT, POLLS);
	napi = doctor_probed_worst(snap, busy_only, &busy);
	if (!napi || busy < 100)
		return DOCTOR_CLEAR;
	doctor_probed_say(snap, finding, napi);
	iface = doctor_iface_at(snap, napi->ifindex);
	if (iface)
		doctor_say_iface(finding, iface);
	doctor_say_ours(finding, "attach", "`rxaqm attach ${iface}` ");
	doctor_say(finding, "mode", "not attached");
	doctor_say(finding, "how_long", "; rxaqm attach measures how long");
	doctor_note(finding, "busy_polls", busy, DOCTOR_PER_S, POLLS);
	return DOCTOR_FOUND;
}

DOCTOR_JUDGE(judge_standing)
{
	const struct doctor_attached *queue;
	__u64 drained = 0;

	if (!snap->attached.nr && doctor_probed(snap, "polls"))
		return judge_probed(snap, finding);
	if (!snap->attached.nr)
		return doctor_blind(finding,
				    "rxaqm is not attached: rxaqm attach IFACE only observes");
	rxaqm_list_each(queue, &snap->attached)
		drained += queue->drained_polls;
	doctor_note_count(finding, "drained_polls", drained, RXAQM);
	doctor_note(finding, "queues", (double)snap->attached.nr, DOCTOR_COUNT, RXAQM);
	queue = standing_queue(snap);
	if (!queue)
		return DOCTOR_CLEAR;
	say_iface(snap, finding, queue);
	doctor_say(finding, "where", "Receive queue %u of %s", queue->queue,
		   doctor_iface_name(snap, queue->ifindex));
	doctor_say(finding, "mode", "%s", queue->mode);
	doctor_note_rise(finding, "busy_polls", (double)queue->busy_polls / doctor_window_s(snap),
			 DOCTOR_PER_S, RXAQM);
	if (!queue->sojourn_p50_ns)
		return DOCTOR_FOUND;
	doctor_note_rise(finding, "sojourn", (double)queue->sojourn_p50_ns / 1000, DOCTOR_US,
			 RXAQM);
	doctor_say(finding, "how_long", " for %.1f ms", (double)queue->sojourn_p50_ns / 1e6);
	return DOCTOR_FOUND;
}

DOCTOR_JUDGE(judge_acks)
{
	const struct doctor_attached *queue = standing_queue(snap);
	double share;

	if (!queue || !doctor_known(queue->over_target)) {
		doctor_note(finding, "acks", 0, DOCTOR_PERCENT, RXAQM);
		return DOCTOR_CLEAR;
	}
	share = (double)queue->over_target_acks * 100 / (double)queue->over_target;
	doctor_note_share(finding, "acks", share, RXAQM);
	say_iface(snap, finding, queue);
	return doctor_found_if(share >= 70);
}

DOCTOR_JUDGE(judge_shared)
{
	const struct doctor_attached *queue = standing_queue(snap);

	doctor_say(finding, "completion", "%s", (queue ?: snap->attached.at)->completion);
	if (!queue || strcmp(queue->completion, "shared"))
		return DOCTOR_CLEAR;
	say_iface(snap, finding, queue);
	return DOCTOR_FOUND;
}

#define ENFORCE                                                      \
	.now = "`rxaqm policy set ${iface} mode=enforce lease=10m`", \
	.keep = "mode=enforce in rxaqm.conf(5)",                     \
	.undo = "`rxaqm policy set ${iface} mode=observe`"

const struct doctor_check doctor_checks_attached[] = {
	{ DOCTOR_CHECK("cq-shared", NIC, LOOP, HIGH, MEASURED), .by_rxaqm = true,
	  .reads = "rxaqm: polls by queue; the profile's completion design",
	  .rule = "a queue stands, and its NIC reports Tx completions on the same ring",
	  .cause = "On ${iface} queue ${queue}, Tx completions wait behind received packets: a standing receive queue "
		   "holds up sending, too.",
	  .because = "The NIC has one completion ring for both. Late completions leave senders "
		     "without room, with small frames, and with more ACKs to receive.",
	  .clear = "completions: ${completion}", ENFORCE,
	  .expect = "completions as late as the target instead of the full ring",
	  .risk = ENFORCE_RISK,
	  .shown = "Meta: separate completion queues halve the number of queues",
	  .reference =
		  "Meta, TCP self-throttling: separate completion queues halve the number of queues",
	  .judge = judge_shared },
	{ DOCTOR_CHECK("rx-queue-standing", NIC, ARRIVAL, HIGH, MEASURED),
	  .reads =
		  "rxaqm: busy and drained polls by queue, sojourn; without it --deep: napi:napi_poll",
	  .rule = "no poll drained the queue in the window, and 100/s or more were busy",
	  .cause =
		  "${where} never ran empty: packets wait in it${how_long|; without stamps it is not known how long}.",
	  .because = "${busy_polls} polls took a full budget and left more. Mode: ${mode}.",
	  .clear = "${drained_polls} polls emptied their queue, of ${queues} queues",
	  .now = "${attach|}`rxaqm policy set ${iface} mode=enforce lease=10m`",
	  .keep = "mode=enforce in rxaqm.conf(5)",
	  .undo = "`rxaqm policy set ${iface} mode=observe`",
	  .expect = "packets wait the target, not the length of the ring", .risk = ENFORCE_RISK,
	  .after = "rx-starved cpu-steal cq-shared bpf-dear packet-dear napi-starved",
	  .shown = "Meta: 0 drained polls, 809 to 996 busy ones a second",
	  .reference = "Meta: 0 drained polls, 809 to 996 busy ones a second",
	  .judge = judge_standing },
	{ DOCTOR_CHECK("acks-dominate", NIC, LOOP, MEDIUM, MEASURED), .by_rxaqm = true,
	  .reads = "rxaqm: packets over target by class",
	  .rule = "70 % or more of the packets over target are pure ACKs",
	  .cause =
		  "${acks} of the packets that stand on ${iface} queue ${queue} are pure ACKs for what this host sends.",
	  .because =
		  "Marks and drops do not slow ACKs down; larger frames sent, or fewer ACKs, shorten the queue.",
	  .clear = "${acks} of packets over target are pure ACKs",
	  .now = "`rxaqm policy set ${iface} ack=thin` " SET("net.ipv4.tcp_min_tso_segs=8"),
	  .keep = KEEP("net.ipv4.tcp_min_tso_segs=8") " ack=thin in rxaqm.conf(5)",
	  .undo = "`rxaqm policy set ${iface} ack=keep` " UNSET("net.ipv4.tcp_min_tso_segs=2"),
	  .expect = "half of the ACKs and more",
	  .risk = "senders grow their windows by fewer, larger steps",
	  .after = "cq-shared rx-queue-standing", .shown = "Meta: 84 to 86 % ACKs",
	  .reference = "Meta: 84 to 86 % ACKs", .judge = judge_acks },
	{}
};
