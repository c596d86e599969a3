/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * law=auto: a flow pays for itself.
 *
 * Each flow of a queue has the same limit L. A PI controller moves L in octaves so that the queue
 * stays at its target. A flow that sends r is dropped with probability 1 - L / r, so L of it
 * passes, whatever r is; below L nothing is ever done to it. The sum of min(r, L) is what the CPU
 * can do: max-min fairness, as with AFD (Pan et al., "Approximate fairness through differential
 * dropping", 2003). ECN-capable packets are marked with eight times that probability, and dropped
 * from 2 L on, so nobody has to know what a mark means to a sender.
 *
 * Flows that were not seen before (flow.h) are strangers. All strangers of a kind are judged
 * together, and together may have what all flows over the limit may have. The flows of a kind that
 * came back in another interval have a quarter of what the CPU can do in any case, and the
 * strangers of a kind have a sixteenth: a host that opens thousands of flows does not push out
 * others.
 *
 * As in CoDel there are target and interval, a queue is left alone until it has stood over target
 * for an interval, and draining forgives. But the interval is one of arrivals: 4096 packets that
 * came at once leave for 246 ms at 60 us each, and only their arrival times show that they are a
 * burst. A queue is bad if packets arrived over a whole interval and all of them stood over target.
 *
 * This file judges each packet; law_limit.h moves the limit. docs/law.md says where each constant
 * comes from. Pure functions of state, parameters, sojourn and time.
 */
#ifndef RXAQM_LAW_H
#define RXAQM_LAW_H

#include "law_state.h"
#include "merge.h"

/* The queue was seen empty: what is in it from now on is new. */
rxaqm_always_inline void rxaqm_law_drained(struct rxaqm_law_vars *vars)
{
	vars->above_ns = 0;
	vars->smooth_ns = 0;
}

/* Add a packet that stood @sojourn_ns to the average. */
rxaqm_always_inline void rxaqm_law_average(struct rxaqm_law_vars *vars, __u64 sojourn_ns)
{
	__s64 diff_ns = (__s64)(sojourn_ns - vars->smooth_ns);

	/* Shifted, not divided: the average may settle 7 ns low. */
	vars->smooth_ns = vars->smooth_ns ? vars->smooth_ns + (diff_ns >> 3) : sojourn_ns;
	vars->packets++;
}

/* Does that packet, at hand at @now_ns, complete an interval of arrivals over the goal? */
rxaqm_always_inline bool rxaqm_law_turns_bad(struct rxaqm_law_vars *vars, __u64 interval_ns,
					     __u64 sojourn_ns, __u64 now_ns)
{
	__u64 came_ns = now_ns - sojourn_ns;

	if (sojourn_ns < vars->goal_ns) {
		vars->above_ns = 0;
		return false;
	}
	if (!vars->above_ns)
		vars->above_ns = came_ns;
	return !vars->bad && rxaqm_ns_since(came_ns, vars->above_ns) >= interval_ns;
}

/* Count an exempt packet at @now_ns. All of them pass while they take a quarter of the CPU at most;
 * beyond that they are judged, for anyone can send them: true. Global for the verifier's sake.
 */
rxaqm_seldom int rxaqm_law_exempt_judged(struct rxaqm_law_vars *vars, __u64 now_ns)
{
	__u32 stamp;

	if (!vars)
		return 0;
	stamp = rxaqm_law_stamp(vars, now_ns);
	if (rxaqm_level_count(&vars->exempt, stamp) > vars->most / RXAQM_LAW_EXEMPT)
		return 1;
	rxaqm_level_count(&vars->passed, stamp);
	return 0;
}

/* Count a packet of a known flow. Returns its level, the lesser of the fast and the slow one: who
 * sends in bursts pays by his mean, and where a flow sends less than a packet in a half-life, only
 * the slow one knows its rate. Half a packet is added to the fast one: it is read before the packet
 * is counted. @ret_limit: the flow's limit; @deaf: the limit from which ECN-capable packets are
 * dropped, too. A flow that has come back may have the floor in any case. @deaf is not twice the
 * floor, or the floors of all kinds would be more than there is.
 */
rxaqm_always_inline __u32 rxaqm_law_known(struct rxaqm_law_vars *vars, struct rxaqm_flow *flow,
					  __u32 stamp, __u32 *ret_limit, __u64 *deaf)
{
	__u32 away, limit, share, kind, slow, level;

	away = rxaqm_flow_epochs(flow, stamp);
	share = limit = vars->limit;
	kind = flow->flags & RXAQM_FLOW_TCP ? RXAQM_FLOWS_TCP : RXAQM_FLOWS_OTHER;
	slow = rxaqm_flow_count_slow(flow, away);
	level = rxaqm_level_count(&flow->rate, stamp) + RXAQM_PACKET / 2;
	if (away > RXAQM_FLOW_AWAY)
		away = RXAQM_FLOW_AWAY;
	if (away) {
		flow->run = 0;
		flow->flags = (flow->flags & ~RXAQM_FLOW_OVER) | RXAQM_FLOW_BACK;
		vars->flows_now[kind]++;
	}
	if (flow->flags & RXAQM_FLOW_BACK)
		share = rxaqm_law_larger(limit, vars->floor[kind]);
	/* Whose mean is over the share, by more than a quarter, has no credit. Less than two
	 * packets is no burst.
	 */
	if (slow < level && slow < RXAQM_SLOW_MOST &&
	    (slow <= share + (share >> 2) || level < 2 * RXAQM_PACKET))
		level = slow;
	*deaf = (__u64)limit << RXAQM_LAW_DEAF_BITS;
	if (level > vars->top)
		vars->top = level;
	if (flow->flags & RXAQM_FLOW_BACK) {
		if (level > limit && !(flow->flags & RXAQM_FLOW_OVER)) {
			flow->flags |= RXAQM_FLOW_OVER;
			vars->over_now[kind] += away ? away : 1;
		}
		limit = share;
		if (*deaf < limit)
			*deaf = limit;
	}
	*ret_limit = limit;
	return level;
}

RXAQM_ASSERT(RXAQM_LAW_RUN - 1 + RXAQM_LAW_RUN_POLL < 1 << RXAQM_FLOW_RUN_BITS, "run");

/* Packets of a flow with @level that are marked alike: a part of its window. Runs of several
 * windows would cut a sender that heeds any mark of a round trip again and again.
 */
rxaqm_always_inline __u32 rxaqm_law_run(__u32 level)
{
	__u32 run = level / (RXAQM_PACKET << RXAQM_LAW_RUN_BITS);

	if (run < RXAQM_LAW_RUN_LEAST)
		return RXAQM_LAW_RUN_LEAST;
	return run < RXAQM_LAW_RUN ? run : RXAQM_LAW_RUN;
}

/* The packet is not dropped: is it marked? @marks: the answer for this packet alone. GRO does not
 * merge packets whose TOS differs, and a DCTCP receiver acknowledges at once where marks begin or
 * end. So packets of a @flow (NULL: unknown) are marked alike for a while, whatever its @level
 * becomes meanwhile, but not beyond the epoch, and on to the end of poll number @poll: GRO merges
 * within a poll. The share of marks stays the same.
 */
rxaqm_always_inline bool rxaqm_law_marks(struct rxaqm_flow *flow, __u32 level, bool over,
					 bool marks, __u32 poll)
{
	const __u32 most = (1U << RXAQM_FLOW_RUN_BITS) - 1;
	__u32 left, last;

	if (!flow)
		return marks;
	left = flow->run & most;
	last = flow->run & ~most;
	poll = (__u8)(poll << RXAQM_FLOW_RUN_BITS);
	if (left > (poll == last ? 0 : RXAQM_LAW_RUN_POLL)) {
		left--;
	} else {
		flow->flags &= ~RXAQM_FLOW_MARKED;
		flow->flags |= over && marks ? RXAQM_FLOW_MARKED : 0;
		left = RXAQM_LAW_RUN_POLL + (over ? rxaqm_law_run(level) - 1 : 0);
	}
	flow->run = (__u8)(left | poll);
	return flow->flags & RXAQM_FLOW_MARKED;
}

/* Note a packet, at @stamp and of class @kind, of a flow @id that is not in @set: the flow may be
 * known from now on. Global for the verifier's sake. Returns 0.
 */
rxaqm_seldom int rxaqm_law_note(struct rxaqm_law_vars *vars, struct rxaqm_flow_set *set, __u32 id,
				__u32 kind, __u32 stamp)
{
	/* A TCP flow has come back with its next packet: it was here to open the connection. In a
	 * crowd that is no proof: it may be a flood that spoofs each source twice.
	 */
	__u32 flags, slow, of;

	if (!vars || !set)
		return 0;
	of = kind == RXAQM_CLASS_OTHER ? RXAQM_FLOWS_OTHER : RXAQM_FLOWS_TCP;
	flags = of == RXAQM_FLOWS_TCP ? RXAQM_FLOW_TCP : 0;
	if (!vars->crowd && (kind == RXAQM_CLASS_TCP || kind == RXAQM_CLASS_ACK))
		flags |= RXAQM_FLOW_BACK;
	/* It begins without credit, as if it had had its share until now. */
	slow = rxaqm_law_larger(vars->limit, vars->floor[of]);
	if (slow > RXAQM_SLOW_MAX)
		slow = RXAQM_SLOW_MAX;
	rxaqm_flow_note(set, id, (__u8)flags, (__u16)slow, stamp, vars->crowd);
	return 0;
}

/* The verdict on a packet over half the goal at @stamp. @id: its flow, not 0, whose set is @set.
 * @kind: its class, below RXAQM_NR_STRANGERS. @ect: enum rxaqm_law_ect. @psh: enum rxaqm_psh. At
 * most the share @max_drop of all packets is dropped, of RXAQM_LAW_ONE. @poll: number of the poll.
 * RXAQM_CLEAR_PSH may be added to a verdict to pass or mark.
 */
rxaqm_always_inline enum rxaqm_verdict rxaqm_law_packet(struct rxaqm_law_vars *vars,
							struct rxaqm_flow_set *set, __u32 id,
							__u32 kind, __u32 ect, __u32 psh,
							__u32 max_drop, __u32 stamp, __u32 poll)
{
	struct rxaqm_level *stranger = &vars->stranger[kind & (RXAQM_NR_STRANGERS - 1)];
	struct rxaqm_flow *flow = rxaqm_flow_find(set, id);
	__u32 lot = rxaqm_law_random(vars), level = 0, limit = 0;
	enum rxaqm_verdict verdict = RXAQM_PASS;
	__u64 drawn, deaf = 0;
	bool over;

	if (flow)
		level = rxaqm_law_known(vars, flow, stamp, &limit, &deaf);
	else if (!((__u64)lot * vars->crowd >> 30))
		rxaqm_law_note(vars, set, id, kind, stamp);
	/* Being known must not be a disadvantage, neither for a new flow nor for the SYNs of two
	 * hosts, which are one flow: over their limit they are judged as strangers.
	 */
	if (!flow ||
	    (level > limit && (kind == RXAQM_CLASS_SYN || !(flow->flags & RXAQM_FLOW_BACK)))) {
		level = rxaqm_level_count(stranger, stamp);
		deaf = limit = vars->strangers;
	}
	over = level > limit;
	/* Drop with probability 1 - limit / level, without a division: lot * level > limit. */
	drawn = ((__u64)lot * level) >> 30;
	if (vars->bad && drawn > (ect ? deaf : limit) && rxaqm_law_may_drop(lot, max_drop))
		return RXAQM_DROP;
	/* The greatest lots drop, so the least ones mark. */
	if (ect == RXAQM_LAW_ECT &&
	    rxaqm_law_marks(flow, level, over,
			    over && (__u64)(level - limit) << RXAQM_LAW_MARK_BITS > level - drawn,
			    poll))
		verdict = RXAQM_MARK;
	if (vars->bad && flow && rxaqm_merge_clears(flow, psh))
		verdict = (enum rxaqm_verdict)(verdict | RXAQM_CLEAR_PSH);
	return verdict;
}

#endif /* RXAQM_LAW_H */
