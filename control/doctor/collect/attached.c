/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of rxaqm on the interfaces it is attached to. */
#include <stdlib.h>
#include <string.h>

#include "state/locate.h"
#include "base/now.h"
#include "doctor/collect/collect.h"
#include "doctor/snapshot/get.h"
#include "figures/figures.h"

struct doctor_attached_before {
	struct rxaqm_state state;
	struct rxaqm_queue *queue; /* [RXAQM_MAX_QUEUES], first sample; NULL: nothing attached */
};

struct doctor_attached_before *doctor_attached_first(void)
{
	struct doctor_attached_before *before = calloc(1, sizeof(*before));

	if (!before)
		return NULL;
	before->state = (struct rxaqm_state)RXAQM_STATE_NONE;
	/* No error if nothing is attached: the checks that need it say so. */
	if (rxaqm_state_open(&before->state, false, NULL))
		return before;
	before->queue = malloc(RXAQM_MAX_QUEUES * sizeof(*before->queue));
	if (before->queue)
		memcpy(before->queue, before->state.queue,
		       RXAQM_MAX_QUEUES * sizeof(*before->queue));
	return before;
}

static __u64 rise(const struct rxaqm_queue *is, const struct rxaqm_queue *was, enum rxaqm_stat stat)
{
	return is->stat[stat] - was->stat[stat];
}

static void fill(struct doctor_attached *to, const struct rxaqm_figures *figures,
		 const struct rxaqm_queue *was)
{
	const struct rxaqm_queue *is = &figures->queue;
	enum rxaqm_stat stat;

	to->queue = figures->number;
	snprintf(to->mode, sizeof(to->mode), "%s", rxaqm_mode_now_names[figures->mode]);

	to->busy_polls = rise(is, was, RXAQM_STAT_POLLS_LEFT);
	to->drained_polls = rise(is, was, RXAQM_STAT_POLLS_DRAINED);
	for (stat = RXAQM_STAT_OVER_EXEMPT; stat <= RXAQM_STAT_OVER_CE; stat++)
		to->over_target += rise(is, was, stat);
	to->over_target_acks = rise(is, was, RXAQM_STAT_OVER_ACK);
	to->dropped = rise(is, was, RXAQM_STAT_DROP) + rise(is, was, RXAQM_STAT_ACK_DROP);
	to->sojourn_p50_ns = rxaqm_hist_packets(is->hist, was->hist) ?
				     rxaqm_hist_quantile_ns(is->hist, was->hist, 500) :
				     0;
}

static void collect_iface(struct doctor_snapshot *snap, const struct doctor_attached_before *before,
			  const struct rxaqm_iface *iface, __u32 ifindex)
{
	struct rxaqm_figures figures;
	unsigned int i;

	for (i = 0; i < iface->nr_queues; i++) {
		struct doctor_attached *to;

		if (!rxaqm_queue_shows(iface, rxaqm_state_queue(&before->state, iface, i)))
			continue;
		to = rxaqm_list_add(&snap->attached);
		if (!to)
			return;
		to->ifindex = ifindex;
		snprintf(to->completion, sizeof(to->completion), "%s",
			 rxaqm_target_rule_names[iface->target_rule]);
		rxaqm_figures_take(&before->state, iface, i, rxaqm_now_ns(), &figures);
		fill(to, &figures, &before->queue[iface->queue_base + i]);
	}
}

void doctor_attached_second(struct doctor_snapshot *snap, struct doctor_attached_before *before)
{
	const struct rxaqm_iface *iface = NULL;

	if (!before)
		return;
	while (before->queue && (iface = rxaqm_iface_next(&before->state, iface))) {
		unsigned int ifindex;

		/* Only interfaces of this snapshot that were attached before the window began. */
		if (iface->state == RXAQM_IFACE_ATTACHED &&
		    rxaqm_iface_place(iface, &ifindex) == RXAQM_PLACE_HERE &&
		    doctor_iface_at(snap, ifindex) && iface->attached_ns < snap->before.at_ns)
			collect_iface(snap, before, iface, ifindex);
	}
	rxaqm_state_close(&before->state);
	free(before->queue);
	free(before);
}
