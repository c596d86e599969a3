/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that wait to be sent: the backlogs of qdiscs by Tx queue; and drops at ingress. */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "doctor/collect/collect.h"
#include "nic/netlink.h"

struct qdisc {
	__u32 ifindex, queue;
	bool ingress; /* also clsact, whose drops at egress are in the same counter */
	struct gnet_stats_queue stats;
};

struct qdiscs {
	struct doctor_snapshot *snap;
	struct doctor_sample *sample; /* NULL: a look between the samples */
};

static void put_into_queue(struct doctor_sample *sample, const struct qdisc *qdisc)
{
	struct doctor_iface *iface = doctor_iface_of(sample, qdisc->ifindex);
	struct doctor_queue *queue;

	if (iface && qdisc->ingress)
		doctor_map_set(&iface->stats, "ingress_drops", qdisc->stats.drops);
	queue = iface && !qdisc->ingress ? doctor_queue_of(iface, true, qdisc->queue) : NULL;
	if (!queue)
		return;
	queue->backlog_bytes = qdisc->stats.backlog;
	queue->qdisc_drops = qdisc->stats.drops;
}

static struct doctor_standing *standing_of(struct doctor_snapshot *snap, const struct qdisc *qdisc)
{
	struct doctor_standing *standing;

	standing = rxaqm_list_find(standing, &snap->standing,
				   standing->ifindex == qdisc->ifindex &&
					   standing->queue == qdisc->queue);
	return standing ?:
			  rxaqm_list_put(&snap->standing,
					 (struct doctor_standing){ .ifindex = qdisc->ifindex,
								   .queue = qdisc->queue });
}

static void put_into_standing(struct doctor_snapshot *snap, const struct qdisc *qdisc)
{
	struct doctor_standing *standing;

	if (qdisc->ingress || !doctor_iface_of(&snap->before, qdisc->ifindex))
		return;
	standing = standing_of(snap, qdisc);
	if (!standing)
		return;
	standing->looks++;
	standing->backlogged += qdisc->stats.qlen > 0;
	if (qdisc->stats.qlen > standing->backlog_max)
		standing->backlog_max = qdisc->stats.qlen;
}

/* Take the qdiscs that packets wait in: a root, or below mq or mqprio the one of each Tx queue,
 * whose class number is the queue's plus one.
 */
static int take_qdisc(const struct nlmsghdr *message, void *arg)
{
	const struct tcmsg *tc = NLMSG_DATA(message);
	struct qdisc qdisc = { .ifindex = (__u32)tc->tcm_ifindex };
	const struct nlattr *attr = rxaqm_netlink_attr(message, sizeof(*tc), TCA_STATS2, 0);
	struct qdiscs *qdiscs = arg;
	bool parent;

	attr = attr ? rxaqm_netlink_nested(attr, TCA_STATS_QUEUE, sizeof(qdisc.stats)) : NULL;
	if (attr)
		memcpy(&qdisc.stats, rxaqm_attr_data(attr), sizeof(qdisc.stats));
	attr = rxaqm_netlink_attr(message, sizeof(*tc), TCA_KIND, 2);
	parent = attr && !strncmp(rxaqm_attr_data(attr), "mq", 2);
	qdisc.ingress = tc->tcm_parent == TC_H_INGRESS; /* TC_H_CLSACT is the same */
	/* mq only sums its children up, and a deeper qdisc is part of its parent. */
	if (parent || (tc->tcm_parent != TC_H_ROOT && !TC_H_MIN(tc->tcm_parent)))
		return 0;
	if (tc->tcm_parent != TC_H_ROOT)
		qdisc.queue = TC_H_MIN(tc->tcm_parent) - 1;
	if (qdiscs->sample)
		put_into_queue(qdiscs->sample, &qdisc);
	else
		put_into_standing(qdiscs->snap, &qdisc);
	return 0;
}

void doctor_collect_qdiscs(struct doctor_snapshot *snap, struct doctor_sample *sample)
{
	struct qdiscs qdiscs = { snap, sample };
	union rxaqm_netlink_request request;
	int err;

	rxaqm_netlink_begin(&request, RTM_GETQDISC, NLM_F_DUMP, sizeof(struct tcmsg));
	err = rxaqm_netlink_ask(NETLINK_ROUTE, &request, take_qdisc, &qdiscs);
	if (err && err != -EAGAIN)
		doctor_cannot_see(snap, "qdiscs", "RTM_GETQDISC: %s", strerror(-err));
}
