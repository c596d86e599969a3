/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * law=auto, once in a window: move the limit of a queue's flows. A PI controller on the sojourn, in
 * octaves; docs/law.md says why it is stable. Divisions are only here.
 *
 * Drops must also be worth it. They are where packets keep the CPU busy: each packet dropped leaves
 * time for the next. Where a poll of 64 has to wait for the polls of others, drops only hurt the
 * flows in the queue: if they do not make it leave faster, they are given up for a while.
 */
#ifndef RXAQM_LAW_LIMIT_H
#define RXAQM_LAW_LIMIT_H

#include "law_state.h"

/* Derive the limits from x, at @stamp. */
static inline void rxaqm_law_derive_limits(struct rxaqm_law_vars *vars, __u32 stamp)
{
	__u32 all = rxaqm_level_at(&vars->passed, stamp), share = rxaqm_law_exp2(vars->x),
	      total = 0, i;
	__u64 limit, strangers;

	if (all > vars->most)
		vars->most = all;
	/* x is 0: no flow is limited. So it is at first, when it is not known what the CPU can do.
	 */
	limit = vars->x ? ((__u64)vars->most * share) >> 29 : ~0U;
	for (i = 0; i < RXAQM_NR_FLOW_KINDS; i++) {
		__u32 n = rxaqm_law_larger(vars->over[i], vars->over_now[i]);

		total += n;
		/* TCP adapts: a flow that wants less than the limit leaves the rest to the others.
		 */
		if (i == RXAQM_FLOWS_OTHER)
			n = rxaqm_law_larger(n,
					     rxaqm_law_larger(vars->flows[i], vars->flows_now[i]));
		vars->floor[i] = vars->most / RXAQM_LAW_FLOOR / (n ? n : 1);
	}
	strangers = limit * (total ? total : 1);
	if (strangers < vars->most / RXAQM_LAW_STRANGERS)
		strangers = vars->most / RXAQM_LAW_STRANGERS;
	vars->limit = limit < ~0U ? (__u32)limit : ~0U;
	vars->strangers = strangers < ~0U ? (__u32)strangers : ~0U;
	vars->crowd = 0;
	for (i = 0; i < RXAQM_NR_STRANGERS; i++) {
		all = rxaqm_level_at(&vars->stranger[i], stamp);
		if (all > vars->strangers && all >> RXAQM_LAW_CROWD_BITS >= vars->crowd)
			vars->crowd = (all >> RXAQM_LAW_CROWD_BITS) + 1;
	}
	vars->thin = RXAQM_LAW_ONE - share;
}

/* Least x: under a limit of over two to four times the window's largest flow, no flow is limited.
 */
static inline __u32 rxaqm_law_least(const struct rxaqm_law_vars *vars)
{
	__u32 octaves = vars->top ? (__u32)rxaqm_law_log2((__u32)(2ULL * vars->most / vars->top)) :
				    0;

	return octaves > 1 ? (octaves - 1) * RXAQM_LAW_OCTAVE : 0;
}

/* The goal in ns, for a window that took @since_ns. While a packet stands at the goal, as many
 * packets leave as the ring holds, and that may be half of its entries at most.
 */
rxaqm_always_inline __u64 rxaqm_law_goal_ns(const struct rxaqm_law_vars *vars,
					    const struct rxaqm_law_params *params, __u64 since_ns)
{
	__u64 room_ns = (params->ring_entries / 2) * since_ns;

	if (!room_ns || vars->packets * params->target_ns <= room_ns)
		return params->target_ns;
	return room_ns / vars->packets;
}

/* x, moved by a window of @since_ns in which the queue always stood. */
rxaqm_always_inline __s64 rxaqm_law_control(const struct rxaqm_law_vars *vars,
					    const struct rxaqm_law_params *params, __u64 since_ns,
					    __s64 near_ns)
{
	__s64 goal_ns = (__s64)vars->goal_ns, smooth_ns = (__s64)vars->smooth_ns, x = vars->x;
	__s64 inverse = (__s64)((1ULL << 46) / params->interval_ns), change = inverse;
	__s64 error_ns = rxaqm_law_clamp(smooth_ns, 0, 3 * goal_ns) - goal_ns;
	int bits = RXAQM_LAW_INTEGRAL_BITS;

	/* Only floods and full rings are this far over the goal. A flood that began on an idle
	 * queue ends this far under it: what is let through under half the goal keeps it there.
	 */
	if (2 * smooth_ns > 3 * goal_ns || 8 * smooth_ns < 5 * goal_ns)
		bits -= RXAQM_LAW_FAR_BITS;
	x += (error_ns * inverse >> 16) >> bits;
	/* Scale the change since the window before to a window of the usual length. */
	if (since_ns >= params->interval_ns >> (RXAQM_LAW_WINDOW_BITS - 1))
		change = (__s64)((1ULL << (46 - RXAQM_LAW_WINDOW_BITS)) / since_ns);
	return x + ((near_ns - (__s64)vars->near_ns) * change >> 16);
}

/* A window of an enforced queue is over at @now_ns. True if shedding is of no use: then it ends.
 * Call this before rxaqm_law_turn(). Global for the verifier's sake.
 */
rxaqm_seldom int rxaqm_law_futile(struct rxaqm_law_vars *vars,
				  const struct rxaqm_law_params *params, __u64 now_ns)
{
	__u64 since_ns, window_ns, shed_ns;
	__u32 drops;

	if (!vars || !params)
		return 0;
	since_ns = rxaqm_ns_since(now_ns, vars->turn_ns);
	window_ns = params->interval_ns >> RXAQM_LAW_WINDOW_BITS;
	if (!vars->above_ns || since_ns < window_ns || since_ns > RXAQM_LAW_MEMORY_NS) {
		vars->shed_ns = 0;
		return 0;
	}
	/* Is the limit above a floor, so that it can still go lower? */
	if (!vars->bad || vars->limit > vars->floor[RXAQM_FLOWS_TCP] ||
	    vars->limit > vars->floor[RXAQM_FLOWS_OTHER]) {
		vars->shed_ns = 0;
		if (!vars->bad)
			vars->pace += (__u32)(vars->packets * window_ns / since_ns) / 4 -
				      vars->pace / 4;
		return 0;
	}
	if (!vars->shed_ns) {
		vars->shed_ns = vars->turn_ns;
		vars->shed_packets = 0;
		vars->shed_drops = params->drops;
	}
	vars->shed_packets += vars->packets;
	shed_ns = rxaqm_ns_since(now_ns, vars->shed_ns);
	if (shed_ns < params->interval_ns)
		return 0;
	vars->shed_ns = 0;
	/* Every second drop should have made room for a packet; too few drops cannot show it. */
	drops = params->drops - vars->shed_drops;
	if (drops < vars->shed_packets / 4 ||
	    (vars->shed_packets - drops / 2ULL) * window_ns >= vars->pace * shed_ns)
		return 0;
	vars->bad = 0;
	/* Shedding begins again only if all packets stand over the goal until an interval after
	 * that.
	 */
	vars->above_ns = now_ns + RXAQM_LAW_REST * params->interval_ns;
	return 1;
}

/* An epoch is over: @count flows anew from @now. One that is missing counts for a while. */
static inline void rxaqm_law_count_flows(__u32 *count, __u32 *now)
{
	__u32 i;

	for (i = 0; i < RXAQM_NR_FLOW_KINDS; i++) {
		if (count[i] < now[i])
			count[i] = now[i];
		else
			count[i] -= (count[i] - now[i] + 3) >> 2;
		now[i] = 0;
	}
}

/* A window is over at @now_ns. Global for the verifier's sake. Returns 0. */
rxaqm_seldom int rxaqm_law_turn(struct rxaqm_law_vars *vars, const struct rxaqm_law_params *params,
				__u64 now_ns)
{
	__u64 since_ns, window_ns;
	__u32 least = 0, stamp;
	__s64 near_ns, x;
	__u16 epoch;

	if (!vars || !params)
		return 0;
	since_ns = rxaqm_ns_since(now_ns, vars->turn_ns);
	window_ns = params->interval_ns >> RXAQM_LAW_WINDOW_BITS;
	x = vars->x;
	vars->stamp_bits = rxaqm_law_stamp_bits_near(vars->stamp_bits, params->interval_ns);
	/* The whole queue paused: flows do not earn what they did not send meanwhile. */
	if (since_ns >= 2 * window_ns && since_ns < params->interval_ns)
		vars->paused += (__u32)((since_ns - window_ns) >> vars->stamp_bits);
	/* Polls may be rarer than windows: a queue that was not drained, and whose packets all
	 * stood over the goal, stood meanwhile.
	 */
	if (vars->turn_ns &&
	    (since_ns < 2 * window_ns || (vars->above_ns && since_ns < RXAQM_LAW_MEMORY_NS))) {
		vars->goal_ns = rxaqm_law_goal_ns(vars, params, since_ns);
		near_ns = rxaqm_law_clamp((__s64)vars->smooth_ns, 0, 2 * (__s64)vars->goal_ns);
		x = rxaqm_law_control(vars, params, since_ns, near_ns);
	} else {
		if (since_ns >= params->interval_ns) {
			vars->bad = 0;
			vars->above_ns = 0;
			x = 0;
		}
		vars->goal_ns = params->target_ns;
		near_ns = rxaqm_law_clamp((__s64)vars->smooth_ns, 0, 2 * (__s64)vars->goal_ns);
	}
	if (vars->smooth_ns >= vars->goal_ns)
		least = rxaqm_law_least(vars);
	vars->x = (__u32)rxaqm_law_clamp(x, least, RXAQM_LAW_ONE - 1);
	vars->near_ns = (__u64)near_ns;
	vars->turn_ns = now_ns;
	vars->packets = 0;
	vars->top = 0;
	if (vars->above_ns)
		vars->most -= vars->most >> 6;
	stamp = rxaqm_law_stamp(vars, now_ns);
	/* In the middle of an epoch: most flows send at its beginning, and count there. */
	epoch = (__u16)((stamp + (1U << RXAQM_FLOW_EPOCH_BITS) / 2) >> RXAQM_FLOW_EPOCH_BITS);
	if (epoch != vars->counted) {
		vars->counted = epoch;
		rxaqm_law_count_flows(vars->flows, vars->flows_now);
		rxaqm_law_count_flows(vars->over, vars->over_now);
	}
	rxaqm_law_derive_limits(vars, stamp);
	rxaqm_law_forget_seen(vars);
	return 0;
}

/* The queue stood over its goal for an interval of arrivals. Drops do not begin at the x that marks
 * and a burst have led to. Global for the verifier's sake. Returns 0.
 */
rxaqm_seldom int rxaqm_law_turn_bad(struct rxaqm_law_vars *vars, __u64 now_ns)
{
	if (!vars)
		return 0;
	vars->bad = 1;
	vars->x = rxaqm_law_least(vars);
	rxaqm_law_derive_limits(vars, rxaqm_law_stamp(vars, now_ns));
	return 0;
}

#endif /* RXAQM_LAW_LIMIT_H */
