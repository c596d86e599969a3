/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that wait to be sent: what qdiscs hold, per Tx queue. */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "doctor/collect/ifaces.h"
#include "nic/netlink.h"

struct qdisc {
	__u32 ifindex, queue;
	struct gnet_stats_queue stats;
};

struct qdiscs {
	struct doctor_snapshot *snap;
	struct doctor_sample *sample;
	void (*each)(struct qdiscs *qdiscs, const struct qdisc *qdisc);
};

static void find_stats(const struct nlattr *nest, struct gnet_stats_queue *stats)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest)
	{
		if (mnl_attr_get_type(attr) == TCA_STATS_QUEUE &&
		    mnl_attr_get_payload_len(attr) >= sizeof(*stats))
			memcpy(stats, mnl_attr_get_payload(attr), sizeof(*stats));
	}
}

/* The qdiscs that packets wait in: a root, or below mq or mqprio one for each Tx queue, whose
 * class is that queue's number plus one.
 */
static int take_qdisc(const struct nlmsghdr *message, void *arg)
{
	const struct tcmsg *tc = mnl_nlmsg_get_payload(message);
	struct qdisc qdisc = { .ifindex = (__u32)tc->tcm_ifindex };
	struct qdiscs *qdiscs = arg;
	const struct nlattr *attr;
	bool parent = false;

	mnl_attr_for_each(attr, message, sizeof(*tc))
	{
		if (mnl_attr_get_type(attr) == TCA_STATS2)
			find_stats(attr, &qdisc.stats);
		if (mnl_attr_get_type(attr) == TCA_KIND &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			parent = !strncmp(mnl_attr_get_str(attr), "mq", 2);
	}
	/* mq's figures are sums; what hangs deeper is in its parent's. */
	if (parent || tc->tcm_parent == TC_H_INGRESS || tc->tcm_parent == TC_H_CLSACT ||
	    (tc->tcm_parent != TC_H_ROOT && !TC_H_MIN(tc->tcm_parent)))
		return 0;
	if (tc->tcm_parent != TC_H_ROOT)
		qdisc.queue = TC_H_MIN(tc->tcm_parent) - 1;
	qdiscs->each(qdiscs, &qdisc);
	return 0;
}

static void ask(struct qdiscs *qdiscs)
{
	union rxaqm_netlink_request request;
	int err;

	rxaqm_netlink_begin(&request, RTM_GETQDISC, NLM_F_DUMP, sizeof(struct tcmsg));
	err = rxaqm_netlink_ask(NETLINK_ROUTE, &request, take_qdisc, qdiscs);
	if (err && err != -EAGAIN)
		doctor_cannot_see(qdiscs->snap, "qdiscs", "RTM_GETQDISC: %s", strerror(-err));
}

static void put_into_queue(struct qdiscs *qdiscs, const struct qdisc *qdisc)
{
	struct doctor_iface *iface = doctor_iface_of(qdiscs->sample, qdisc->ifindex);
	struct doctor_queue *queue = iface ? doctor_queue_of(iface, true, qdisc->queue) : NULL;

	if (!queue)
		return;
	queue->backlog = qdisc->stats.qlen;
	queue->backlog_bytes = qdisc->stats.backlog;
	queue->qdisc_drops = qdisc->stats.drops;
	queue->requeues = qdisc->stats.requeues;
}

void doctor_collect_qdiscs(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	struct qdiscs qdiscs = { snap, sample, put_into_queue };

	ask(&qdiscs);
}

static void put_into_standing(struct qdiscs *qdiscs, const struct qdisc *qdisc)
{
	struct doctor_snapshot *snap = qdiscs->snap;
	struct doctor_standing *standing = NULL;
	size_t i;

	if (!doctor_iface_of(qdiscs->sample, qdisc->ifindex))
		return;
	for (i = 0; i < snap->standing.nr && !standing; i++) {
		if (snap->standing.at[i].ifindex == qdisc->ifindex &&
		    snap->standing.at[i].queue == qdisc->queue)
			standing = &snap->standing.at[i];
	}
	if (!standing)
		standing = rxaqm_list_add(&snap->standing);
	if (!standing)
		return;
	standing->ifindex = qdisc->ifindex;
	standing->queue = qdisc->queue;
	standing->looks++;
	standing->backlogged += qdisc->stats.qlen > 0;
	if (qdisc->stats.qlen > standing->backlog_max)
		standing->backlog_max = qdisc->stats.qlen;
}

void doctor_look_at_qdiscs(struct doctor_snapshot *snap)
{
	struct qdiscs qdiscs = { snap, &snap->before, put_into_standing };

	ask(&qdiscs);
}
