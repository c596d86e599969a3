/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/law_figures.h"

#include <string.h>

#include "decide.h"

const struct rxaqm_law_share_name rxaqm_law_share_names[RXAQM_NR_SHARES] = {
	[RXAQM_SHARE_MARK_ECT0] = { "mark", "ect0" },
	[RXAQM_SHARE_MARK_ECT1] = { "mark", "ect1" },
	[RXAQM_SHARE_DROP_ACK] = { "drop", "ack" },
	[RXAQM_SHARE_DROP_SYN] = { "drop", "syn" },
	[RXAQM_SHARE_DROP_ECT] = { "drop", "ect" },
	[RXAQM_SHARE_DROP_TCP] = { "drop", "tcp" },
	[RXAQM_SHARE_DROP_OTHER] = { "drop", "other" },
	[RXAQM_SHARE_THIN_ACK] = { "thin", "ack" },
};

/* The windows that have passed since the last packet. */
static void catch_up(const struct rxaqm_queue *q, __u32 ring_entries, __u64 now_ns,
		     struct rxaqm_law_vars *vars)
{
	const struct rxaqm_law_params params = {
		.target_ns = q->target_ns,
		.interval_ns = q->interval_ns,
		.ring_entries = ring_entries,
		.max_drop = rxaqm_decide_max_drop(&q->policy),
	};

	/* A copy may be torn, and an interval that is too short divides by nothing. */
	if (params.interval_ns >= RXAQM_INTERVAL_MIN_NS && vars->turn_ns &&
	    rxaqm_ns_since(now_ns, vars->turn_ns) >=
		    2 * (params.interval_ns >> RXAQM_LAW_WINDOW_BITS))
		rxaqm_law_turn(vars, &params, now_ns);
}

void rxaqm_law_figures(const struct rxaqm_queue *q, __u32 ring_entries, __u64 now_ns,
		       struct rxaqm_law_figures *figures)
{
	bool classic = q->flags & RXAQM_QUEUE_ECT0_CLASSIC;
	struct rxaqm_law_vars vars = q->law;
	__u32 *share = figures->share;

	memset(figures, 0, sizeof(*figures));
	if (q->policy.law != RXAQM_LAW_AUTO)
		return;
	catch_up(q, ring_entries, now_ns, &vars);
	figures->p = vars.p;
	figures->bad = vars.bad;
	figures->goal_ns = vars.goal_ns;
	figures->smooth_ns = vars.smooth_ns;
	if (q->policy.ecn == RXAQM_ECN_ON) {
		share[RXAQM_SHARE_MARK_ECT0] = classic ? rxaqm_law_square(vars.p) : vars.mark;
		share[RXAQM_SHARE_MARK_ECT1] = vars.mark;
	}
	/* Marks do not wait until the queue is bad. */
	if (!vars.bad)
		return;
	share[RXAQM_SHARE_DROP_ACK] = vars.drop[RXAQM_CLASS_ACK];
	share[RXAQM_SHARE_DROP_SYN] = vars.drop[RXAQM_CLASS_SYN];
	share[RXAQM_SHARE_DROP_ECT] = vars.drop[RXAQM_CLASS_ECT];
	share[RXAQM_SHARE_DROP_TCP] = vars.drop[RXAQM_CLASS_TCP];
	share[RXAQM_SHARE_DROP_OTHER] = vars.drop[RXAQM_CLASS_OTHER];
	if (q->policy.ack == RXAQM_ACK_THIN)
		share[RXAQM_SHARE_THIN_ACK] = vars.thin;
}
