/* SPDX-License-Identifier: GPL-2.0-only */
/* Tx queues: packets that wait to be sent, and late completions. */
#include <string.h>

#include "doctor/checks/ifaces.h"

#define QDISC "RTM_GETQDISC"
#define BQL "byte_queue_limits"
/* A shaper, an AQM or a full link makes packets wait less than this. */
#define LONG_US 50000

/* fq holds packets back to pace their flow: a backlog there proves nothing. */
static bool paces(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	const char *usual = doctor_sysctl_words(snap, "net.core.default_qdisc");

	return iface && (!strcmp(iface->qdisc, "fq") ||
			 (!strcmp(iface->qdisc, "mq") && usual && !strcmp(usual, "fq")));
}

/* How long @queue's backlog takes to be sent at the window's rate. False: not known. */
static bool delay_of(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		     const struct doctor_queue *queue, double *ret_us)
{
	__u64 sent = doctor_queue_rise(snap, iface, queue, bytes);

	/* Under mq a queue sends only a part of the interface's bytes. */
	if (sent == ~0ULL &&
	    (!strncmp(iface->qdisc, "mq", 2) || !doctor_iface_stat(snap, iface, "tx_bytes", &sent)))
		return false;
	if (queue->backlog_bytes == ~0ULL || !sent)
		return false;
	*ret_us = (double)queue->backlog_bytes * doctor_window_s(snap) * 1e6 / (double)sent;
	return true;
}

static double qdisc_drops(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	const struct doctor_queue *queue;
	__u64 sum = 0, rise;

	rxaqm_list_each(queue, &iface->queues) {
		rise = doctor_queue_rise(snap, iface, queue, qdisc_drops);
		sum += queue->tx ? doctor_or_0(rise) : 0;
	}
	return (double)sum;
}

/* UDP senders are refused, or the qdisc drops more than TCP needs to find its rate. */
static bool loses(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u64 refused, sent = doctor_iface_rose(snap, iface, "tx_packets");

	return (doctor_counters(snap, "Udp.SndbufErrors", &refused) &&
		(double)refused >= doctor_window_s(snap)) ||
	       qdisc_drops(snap, iface) * 100 > (double)sent;
}

DOCTOR_JUDGE(judge_qdisc)
{
	const struct doctor_standing *standing, *worst = NULL;
	const struct doctor_queue *queue;
	const struct doctor_iface *iface;
	double share, delay_us, most = 0;

	if (!snap->standing.nr)
		return doctor_blind(finding, "no qdisc was seen (" QDISC ")");
	rxaqm_list_each(standing, &snap->standing) {
		share = standing->looks ? standing->backlogged * 100.0 / standing->looks : 0;
		if (share < most || paces(snap, doctor_iface_at(snap, standing->ifindex)))
			continue;
		most = share;
		worst = standing;
	}
	doctor_note_share(finding, "backlogged", most, QDISC " each 100 to 500 ms");
	doctor_note(finding, "backlog_max", worst ? (double)worst->backlog_max : 0, DOCTOR_COUNT,
		    QDISC);
	doctor_note(finding, "looks", worst ? worst->looks : 0, DOCTOR_COUNT, QDISC);
	if (worst && most >= 80 && worst->looks < 5)
		return doctor_blind(finding, "the window is too short for it: --time 5s");
	if (!worst || most < 80)
		return DOCTOR_CLEAR;
	iface = doctor_iface_at(snap, worst->ifindex);
	if (!iface)
		return DOCTOR_CLEAR;
	doctor_say_iface(finding, iface);
	doctor_note(finding, "queue", worst->queue, DOCTOR_NUMBER, QDISC);
	rxaqm_list_each(queue, &iface->queues) {
		if (!queue->tx || queue->id != worst->queue)
			continue;
		if (delay_of(snap, iface, queue, &delay_us)) {
			doctor_note(finding, "delay", delay_us, DOCTOR_US, QDISC ", tx_bytes");
			doctor_say(finding, "takes", ", and what waits takes %.1f ms to be sent",
				   delay_us / 1000);
			if (delay_us < LONG_US && !loses(snap, iface))
				finding->severity = DOCTOR_LOW;
		}
		if (queue->bql_inflight == ~0ULL)
			continue;
		doctor_note(finding, "bql_inflight", (double)queue->bql_inflight, DOCTOR_BYTES,
			    BQL);
		doctor_note(finding, "bql_limit", (double)queue->bql_limit, DOCTOR_BYTES, BQL);
	}
	return DOCTOR_FOUND;
}

DOCTOR_JUDGE(judge_drops)
{
	double drops, share;
	const struct doctor_iface *iface = doctor_worst_iface(snap, qdisc_drops, &drops);
	__u64 sent = iface ? doctor_iface_rose(snap, iface, "tx_packets") : 0;

	share = drops > 0 ? drops * 100 / (drops + (double)sent) : 0;
	doctor_note_rise(finding, "drops", drops, DOCTOR_COUNT, QDISC);
	doctor_note_share(finding, "share", share, QDISC ", tx_packets");
	if (!iface)
		return DOCTOR_CLEAR;
	doctor_say_iface(finding, iface);
	if (*iface->qdisc)
		doctor_say(finding, "qdisc", "%s", iface->qdisc);
	doctor_say_ours(finding, "why", "%s",
			share >= 99 ?
				"It lets nothing pass: a class is missing, or a rate is 0" :
				"Programs send more than the link, a shaper or a policer lets pass, "
				"and the queue is full");
	/* An AQM signals senders by few drops. */
	if (share < 1)
		finding->severity = DOCTOR_LOW;
	return doctor_judge_share(snap, finding, drops, (double)sent);
}

/* For .after: the CPU that receives has no time for Tx completions. */
#define LATE_COMPLETIONS                                                                         \
	"rx-queue-standing cq-shared rx-starved rx-cpu-busy rx-cpus-busy rx-skew rx-queues-few " \
	"bpf-dear packet-dear napi-starved"

const struct doctor_check doctor_checks_txqueue[] = {
	{ DOCTOR_CHECK("tx-qdisc-drops", TX, ARRIVAL, MEDIUM, MEASURED),
	  .reads = "RTM_GETQDISC drops by Tx queue; tx_packets",
	  .rule = "1/s or more; low below 1 % of what is sent",
	  .cause = "The qdisc of ${iface} drops ${drops} packets that this host sends: ${share}.",
	  .because = "${why} (its qdisc: ${qdisc|not known}).",
	  .clear = "${drops} packets dropped by qdiscs",
	  .now = "`tc -s qdisc show dev ${iface}` shows which one drops, and its limit; if the link is not full, check the rate",
	  .keep = "the qdisc's configuration",
	  .expect = "drops from ${drops} to what TCP needs to find its rate",
	  .risk = "a longer limit is a longer delay",
	  .after =
		  "tx-qdisc-standing link-full link-slow nic-pauses-received tx-hangs " LATE_COMPLETIONS,
	  .shown = "n20_htb_all", .reference = "tc(8) -s qdisc", .judge = judge_drops },
	{ DOCTOR_CHECK("tx-qdisc-standing", TX, ARRIVAL, MEDIUM, MEASURED),
	  .reads =
		  "RTM_GETQDISC each 100 ms, or 500 where there are more than 32 interfaces; byte_queue_limits",
	  .rule = "packets wait in 80 % or more of the looks at a Tx queue that is not fq's; low if they take less "
		  "than 50 ms to be sent, and none are refused",
	  .cause =
		  "Packets always wait to be sent on ${iface}, Tx queue ${queue}: up to ${backlog_max}.",
	  .because =
		  "They waited in ${backlogged} of ${looks} looks${takes|}. Either the link is full, a shaper holds "
		  "them, or completions come late.",
	  .clear = "packets waited to be sent in ${backlogged} of ${looks} looks",
	  .now = "if the link is full: nothing; if not, see rx-cpu-busy", .keep = "-",
	  .expect = "waits in fewer than 80 % of looks",
	  .after = "link-full link-slow tx-hangs tso-self-throttled " LATE_COMPLETIONS,
	  .shown = "Meta: 2 to 4 thousand TSO frames, 100 ms", .reference = "tc(8) -s qdisc",
	  .judge = judge_qdisc },
	{}
};
