/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * law=auto: a flow pays for itself.
 *
 * There is one limit L for each flow of a queue, and a PI controller moves it in octaves so that
 * the queue stays at its target. A flow that sends r is dropped with probability 1 - L / r, so L of
 * it passes, whatever r is; below L nothing is ever done to it. The sum of min(r, L) is what the
 * CPU can do: max-min fairness, as with AFD (Pan et al., "Approximate fairness through differential
 * dropping", 2003). ECN-capable packets are marked with eight times that probability, and dropped
 * from 2 L on, so nobody has to know what a mark means to a sender.
 *
 * Flows that were not seen before (flow.h) are judged with all strangers of their kind together. A
 * quarter of what the CPU can do is between the known flows of a kind in any case, a sixteenth for
 * strangers of a kind: who opens thousands of flows does not push out those of another kind.
 *
 * From CoDel it has target and interval, that a queue is left alone until it has stood over
 * target for an interval, and that draining forgives. But the interval is one of arrivals:
 * 4096 packets that came at once leave for 246 ms at 60 us each, and only when they came says
 * that they are a burst. Packets that arrived over a whole interval and all stood over target
 * say that the queue is bad.
 *
 * And drops have to be worth it. They are where packets keep the CPU busy: each that is dropped
 * leaves time for the next. Where a poll of 64 has to wait for the polls of others, they only cut
 * off who is in the queue: what does not make it leave faster is given up for a while.
 *
 * docs/law.md says where each constant comes from, and why it is stable. Pure functions of state,
 * parameters, sojourn and time. No division but once in a window.
 */
#ifndef RXAQM_LAW_H
#define RXAQM_LAW_H

#include "flow.h"
#include "ns.h"

#define RXAQM_LAW_ONE (1U << 30) /* probability 1 */
#define RXAQM_LAW_OCTAVE (RXAQM_LAW_ONE / 16) /* of x */

#define RXAQM_LAW_WINDOW_BITS 3 /* windows of an eighth of the interval */
#define RXAQM_LAW_INTEGRAL_BITS 5 /* 1/2 octave a window and interval of error */
#define RXAQM_LAW_FAR_BITS 2 /* four times of it far from the goal */
#define RXAQM_LAW_MARK_BITS 3 /* ECT is marked with 8 times its excess, */
#define RXAQM_LAW_DEAF_BITS 1 /* and dropped from twice the limit on */
#define RXAQM_LAW_FLOOR 4 /* known flows of a kind have a quarter in any case, */
#define RXAQM_LAW_STRANGERS 16 /* strangers of a kind a sixteenth */
#define RXAQM_LAW_RUN 32 /* packets of a flow that are marked alike */
#define RXAQM_LAW_REST 8 /* intervals in which shedding that was of no use is not tried again */

/* A queue that nobody looked at for so long begins anew. */
#define RXAQM_LAW_MEMORY_NS RXAQM_NSEC_PER_SEC

enum rxaqm_verdict {
	RXAQM_PASS,
	RXAQM_MARK, /* set CE and pass */
	RXAQM_DROP,
};

/* What a packet is to the law. Those that may be dropped come first, strangers' kinds before. */
enum rxaqm_class {
	RXAQM_CLASS_TCP, /* Not-ECT up to the next */
	RXAQM_CLASS_OTHER,
	RXAQM_CLASS_ACK, /* pure TCP ACK */
	RXAQM_CLASS_SYN, /* SYN, FIN, RST: what a connection cannot spare */
	RXAQM_CLASS_ECT, /* ECN-capable, or CE already */
	RXAQM_CLASS_EXEMPT, /* never touched */
	RXAQM_NR_CLASSES,
};
#define RXAQM_NR_DROPPABLE RXAQM_CLASS_EXEMPT
#define RXAQM_NR_STRANGERS RXAQM_CLASS_ECT /* kinds whose unknown flows are judged together */

/* A flow has one kind, whatever its packets are. */
enum rxaqm_flow_kind {
	RXAQM_FLOWS_TCP,
	RXAQM_FLOWS_OTHER,
	RXAQM_NR_FLOW_KINDS,
};

/* What of ECN there is to a packet. */
enum rxaqm_law_ect {
	RXAQM_LAW_NOT_ECT,
	RXAQM_LAW_ECT,
	RXAQM_LAW_CE, /* ECN-capable, and marked already */
};

/* Set rarely. */
struct rxaqm_law_params {
	__u64 target_ns;
	__u64 interval_ns; /* RXAQM_INTERVAL_MIN_NS .. _MAX_NS */
	__u32 ring_entries; /* 0: unknown */
	__u32 max_drop; /* of all packets, of RXAQM_LAW_ONE */
	__u32 drops; /* that were done so far */
};

/* Per queue, hot. All zero is the initial state. Levels are flow.h's. */
struct rxaqm_law_vars {
	__u64 turn_ns; /* when the window going on began; 0: none yet */
	__u64 above_ns; /* since then all that arrived stood over the goal; 0: not so */
	__u64 smooth_ns; /* sojourn averaged over about 8 packets; 0: drained */
	__u64 goal_ns; /* the target, or less where the ring has no room for it; 0: none yet */
	__u64 near_ns; /* sojourn of the window before, at most two goals */
	__u64 unasked_ns; /* until then ACKs passed that nobody looked at */
	__u64 count_ns; /* when flows were last counted */
	__u64 shed_ns; /* since then the limit is at its floors; 0: it is not */
	__u32 shed_packets; /* that left since */
	__u32 shed_drops; /* params' drops then */
	__u32 packets; /* of the window */
	__u32 pace; /* packets a window that leave while little or nothing is shed; 0: unknown */
	__u32 seen[RXAQM_NR_CLASSES]; /* quarters of packets; a quarter is forgotten each window */
	__u32 x; /* octaves that the limit is below twice of what the CPU can do */
	__u32 most; /* level of all that passed while the queue stood: what the CPU can do */
	__u32 limit; /* level that a flow may have: L */
	__u32 floor[RXAQM_NR_FLOW_KINDS]; /* that a flow of each kind may have in any case */
	__u32 strangers; /* that the unknown flows of a kind may have */
	__u32 thin; /* share of redundant ACKs that are dropped, of RXAQM_LAW_ONE */
	__u32 top; /* level of the largest flow of the window */
	__u32 spared; /* lots that drop nothing: 1 - max_drop, of RXAQM_LAW_ONE */
	__u32 paused; /* stamps that do not count: the queue paused meanwhile */
	struct rxaqm_level passed, stranger[RXAQM_NR_STRANGERS];
	__u32 random;
	__u16 flows[RXAQM_NR_FLOW_KINDS],
		flows_now[RXAQM_NR_FLOW_KINDS]; /* of an interval, of this */
	__u16 over[RXAQM_NR_FLOW_KINDS],
		over_now[RXAQM_NR_FLOW_KINDS]; /* of these over the limit */
	__u16 interval; /* number of the one going on */
	__u8 stamp_bits; /* ns in a stamp */
	__u8 bad; /* stood over target for an interval, and has stood since */
};
RXAQM_ASSERT_SIZE(struct rxaqm_law_vars, 208);

/* xorshift32 (Marsaglia, "Xorshift RNGs", 2003), kept with the queue so that replay and tests
 * repeat exactly. Returns 0 .. RXAQM_LAW_ONE - 1.
 */
rxaqm_always_inline __u32 rxaqm_law_random(struct rxaqm_law_vars *vars)
{
	__u32 x = vars->random ? vars->random : 2463534242U;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	vars->random = x;
	return x >> 2;
}

rxaqm_always_inline __s64 rxaqm_law_clamp(__s64 value, __s64 least, __s64 most)
{
	return value < least ? least : value > most ? most : value;
}

/* 2^-x of RXAQM_LAW_ONE, for @x in octaves, at most 16: exact at whole ones, linear between. */
rxaqm_always_inline __u32 rxaqm_law_exp2(__u32 x)
{
	__u32 whole = x / RXAQM_LAW_OCTAVE, part = x % RXAQM_LAW_OCTAVE * 16;

	return (RXAQM_LAW_ONE >> whole) - (part >> (whole + 1));
}

/* log2 of @n, rounded down; 0 of 0. Global for the verifier's sake, which then knows nothing of it.
 */
rxaqm_global int rxaqm_law_log2(__u32 n)
{
	int bits = 0, i;

	RXAQM_ROLLED
	for (i = 16; i; i >>= 1) {
		if (n >> i) {
			n >>= i;
			bits += i;
		}
	}
	return bits;
}

/* Half-lives are the power of two of ns that is over a quarter of the interval and at most half of
 * it. Returns the bits of ns in 1/65536 of one.
 */
static inline __u8 rxaqm_law_stamp_bits(__u64 interval_ns)
{
	return (__u8)rxaqm_law_log2((__u32)(interval_ns >> 17));
}

/* @now_ns as levels have it. */
rxaqm_always_inline __u32 rxaqm_law_stamp(const struct rxaqm_law_vars *vars, __u64 now_ns)
{
	return (__u32)(now_ns >> vars->stamp_bits) - vars->paused;
}

/* What follows from x, at @stamp. */
static inline void rxaqm_law_map(struct rxaqm_law_vars *vars, __u32 stamp)
{
	__u32 all = rxaqm_level_at(&vars->passed, stamp), share = rxaqm_law_exp2(vars->x),
	      total = 0, i;
	__u64 limit, strangers;

	if (all > vars->most)
		vars->most = all;
	/* Nobody is held; nor when it begins, and nothing is known yet of what the CPU can do. */
	limit = vars->x ? ((__u64)vars->most * share) >> 29 : ~0U;
	for (i = 0; i < RXAQM_NR_FLOW_KINDS; i++) {
		__u32 n = vars->flows[i] > vars->flows_now[i] ? vars->flows[i] : vars->flows_now[i];

		total += n;
		vars->floor[i] = vars->most / RXAQM_LAW_FLOOR / (n ? n : 1);
	}
	strangers = limit * (total ? total : 1);
	if (strangers < vars->most / RXAQM_LAW_STRANGERS)
		strangers = vars->most / RXAQM_LAW_STRANGERS;
	vars->limit = limit < ~0U ? (__u32)limit : ~0U;
	vars->strangers = strangers < ~0U ? (__u32)strangers : ~0U;
	vars->thin = RXAQM_LAW_ONE - share;
}

/* x at least: a limit of over two to four times the largest flow of the window would hold nobody.
 */
static inline __u32 rxaqm_law_least(const struct rxaqm_law_vars *vars)
{
	__u32 octaves = vars->top ? (__u32)rxaqm_law_log2((__u32)(2ULL * vars->most / vars->top)) :
				    0;

	return octaves > 1 ? (octaves - 1) * RXAQM_LAW_OCTAVE : 0;
}

/* A quarter of what was seen is forgotten: shares are of the last 4 windows or so. */
static inline void rxaqm_law_forget_seen(struct rxaqm_law_vars *vars)
{
	__u32 i;

	for (i = 0; i < RXAQM_NR_CLASSES; i++)
		vars->seen[i] -= vars->seen[i] >> 2;
}

/* What a window that took @since_ns has the queue held at: what leaves while a packet stands at
 * the goal is what the ring holds, and that is to be half of it at most.
 */
rxaqm_always_inline __u64 rxaqm_law_goal_ns(const struct rxaqm_law_vars *vars,
					    const struct rxaqm_law_params *params, __u64 since_ns)
{
	__u64 room_ns = (params->ring_entries / 2) * since_ns;

	if (!room_ns || vars->packets * params->target_ns <= room_ns)
		return params->target_ns;
	return room_ns / vars->packets;
}

/* Move x by a window of @since_ns of a queue that stood all through it. */
rxaqm_always_inline __s64 rxaqm_law_control(const struct rxaqm_law_vars *vars,
					    const struct rxaqm_law_params *params, __u64 since_ns,
					    __s64 near_ns)
{
	__s64 goal_ns = (__s64)vars->goal_ns, smooth_ns = (__s64)vars->smooth_ns, x = vars->x;
	__s64 inverse = (__s64)((1ULL << 46) / params->interval_ns), change = inverse;
	__s64 error_ns = rxaqm_law_clamp(smooth_ns, 0, 3 * goal_ns) - goal_ns;
	int bits = RXAQM_LAW_INTEGRAL_BITS;

	/* Only floods and full rings are as far over the goal. Under it that is where a flood ends
	 * that began on an idle queue: what is let through under half the goal keeps it there.
	 */
	if (2 * smooth_ns > 3 * goal_ns || 8 * smooth_ns < 5 * goal_ns)
		bits -= RXAQM_LAW_FAR_BITS;
	x += (error_ns * inverse >> 16) >> bits;
	/* The change since the window before is what a window of the usual length would see. */
	if (since_ns >= params->interval_ns >> (RXAQM_LAW_WINDOW_BITS - 1))
		change = (__s64)((1ULL << (46 - RXAQM_LAW_WINDOW_BITS)) / since_ns);
	return x + ((near_ns - (__s64)vars->near_ns) * change >> 16);
}

/* Is nobody's limit lower than it is? */
rxaqm_always_inline bool rxaqm_law_floored(const struct rxaqm_law_vars *vars)
{
	return vars->limit <= vars->floor[RXAQM_FLOWS_TCP] &&
	       vars->limit <= vars->floor[RXAQM_FLOWS_OTHER];
}

/* A window is over at @now_ns, of a queue that is enforced. True if shedding is of no use: then it
 * ends. To be called before rxaqm_law_turn(); global for the verifier's sake.
 */
rxaqm_global int rxaqm_law_futile(struct rxaqm_law_vars *vars,
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
	if (!vars->bad || !rxaqm_law_floored(vars)) {
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
	/* Each second drop should have made room for a packet; of few drops that cannot be told. */
	drops = params->drops - vars->shed_drops;
	if (drops < vars->shed_packets / 4 ||
	    (vars->shed_packets - drops / 2ULL) * window_ns >= vars->pace * shed_ns)
		return 0;
	vars->bad = 0;
	/* All packets have to stand over the goal until an interval after that. */
	vars->above_ns = now_ns + RXAQM_LAW_REST * params->interval_ns;
	return 1;
}

/* An interval is over at @now_ns: flows are counted anew. */
static inline void rxaqm_law_count_flows(struct rxaqm_law_vars *vars, __u64 now_ns)
{
	__u32 i;

	for (i = 0; i < RXAQM_NR_FLOW_KINDS; i++) {
		vars->flows[i] = vars->flows_now[i];
		vars->over[i] = vars->over_now[i];
		vars->flows_now[i] = 0;
		vars->over_now[i] = 0;
	}
	vars->count_ns = now_ns;
	vars->interval++;
}

/* A window is over at @now_ns. Global for the verifier's sake. Returns 0. */
rxaqm_global int rxaqm_law_turn(struct rxaqm_law_vars *vars, const struct rxaqm_law_params *params,
				__u64 now_ns)
{
	__u64 since_ns, window_ns;
	__u32 least = 0;
	__s64 near_ns, x;

	if (!vars || !params)
		return 0;
	since_ns = rxaqm_ns_since(now_ns, vars->turn_ns);
	window_ns = params->interval_ns >> RXAQM_LAW_WINDOW_BITS;
	x = vars->x;
	vars->stamp_bits = rxaqm_law_stamp_bits(params->interval_ns);
	vars->spared = RXAQM_LAW_ONE - params->max_drop;
	/* Who paused, and with him the queue, has not earned what he did not send. */
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
	if (rxaqm_ns_since(now_ns, vars->count_ns) >= params->interval_ns)
		rxaqm_law_count_flows(vars, now_ns);
	rxaqm_law_map(vars, rxaqm_law_stamp(vars, now_ns));
	rxaqm_law_forget_seen(vars);
	return 0;
}

/* The queue was seen empty: what is in it from now on is new. */
rxaqm_always_inline void rxaqm_law_drained(struct rxaqm_law_vars *vars)
{
	vars->above_ns = 0;
	vars->smooth_ns = 0;
}

/* A packet stood @sojourn_ns: the average takes it in. */
rxaqm_always_inline void rxaqm_law_average(struct rxaqm_law_vars *vars, __u64 sojourn_ns)
{
	__s64 diff_ns = (__s64)(sojourn_ns - vars->smooth_ns);

	/* Shifted, not divided: the average may settle 7 ns low. */
	vars->smooth_ns = vars->smooth_ns ? vars->smooth_ns + (diff_ns >> 3) : sojourn_ns;
	vars->packets++;
}

/* That packet is at hand at @now_ns: does it complete an interval of arrivals over the goal? */
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

/* It does. What marks and a burst did to x until now is no place for drops to begin. */
static inline void rxaqm_law_turn_bad(struct rxaqm_law_vars *vars, __u64 now_ns)
{
	vars->bad = 1;
	vars->x = rxaqm_law_least(vars);
	rxaqm_law_map(vars, rxaqm_law_stamp(vars, now_ns));
}

/* A packet of a known flow: count it. Returns the level before, and its limit in @ret_limit. A
 * floor is one for flows that ignore marks, too, or the floors of all kinds would be more than
 * there is.
 */
rxaqm_always_inline __u32 rxaqm_law_known(struct rxaqm_law_vars *vars, struct rxaqm_flow *flow,
					  __u32 stamp, __u32 *ret_limit, __u64 *deaf)
{
	__u32 level = rxaqm_level_count(&flow->rate, stamp), limit = vars->limit;
	__u32 kind = flow->flags & RXAQM_FLOW_TCP ? RXAQM_FLOWS_TCP : RXAQM_FLOWS_OTHER;

	*deaf = (__u64)limit << RXAQM_LAW_DEAF_BITS;
	if (limit < vars->floor[kind])
		limit = vars->floor[kind];
	if (*deaf < limit)
		*deaf = limit;
	if (level > vars->top)
		vars->top = level;
	if (flow->interval != vars->interval) {
		flow->interval = vars->interval;
		flow->flags &= ~RXAQM_FLOW_OVER;
		vars->flows_now[kind]++;
	}
	if (level > limit && !(flow->flags & RXAQM_FLOW_OVER)) {
		flow->flags |= RXAQM_FLOW_OVER;
		vars->over_now[kind]++;
	}
	*ret_limit = limit;
	return level;
}

/* The packet is not to be dropped: is it to be marked, as @marks says? GRO does not merge what
 * differs in its TOS, and a DCTCP receiver acknowledges at once where marks begin or end: so
 * packets of a @flow (NULL: unknown) are marked alike for a while, whatever becomes of its level
 * meanwhile. The share of marks stays the same.
 */
rxaqm_always_inline bool rxaqm_law_run(struct rxaqm_flow *flow, bool over, bool marks)
{
	if (!flow)
		return marks;
	if (flow->run_left) {
		flow->run_left--;
	} else if (!over) {
		return false;
	} else {
		flow->run_left = RXAQM_LAW_RUN - 1;
		flow->flags &= ~RXAQM_FLOW_MARKED;
		flow->flags |= marks ? RXAQM_FLOW_MARKED : 0;
	}
	return flow->flags & RXAQM_FLOW_MARKED;
}

/* The verdict on a packet over half the goal at @stamp: of flow @id, not 0, that belongs into @set,
 * of class @kind, below RXAQM_NR_STRANGERS, with @ect.
 */
rxaqm_always_inline enum rxaqm_verdict rxaqm_law_packet(struct rxaqm_law_vars *vars,
							struct rxaqm_flow_set *set, __u32 id,
							__u32 kind, __u32 ect, __u32 stamp)
{
	struct rxaqm_flow *flow = rxaqm_flow_find(set, id);
	__u32 lot = rxaqm_law_random(vars), level, limit;
	__u64 drawn, deaf;
	bool over;

	if (flow) {
		level = rxaqm_law_known(vars, flow, stamp, &limit, &deaf);
	} else {
		rxaqm_flow_note(set, id, kind == RXAQM_CLASS_OTHER ? 0 : RXAQM_FLOW_TCP,
				vars->interval, stamp);
		level = rxaqm_level_count(&vars->stranger[kind & (RXAQM_NR_STRANGERS - 1)], stamp);
		deaf = limit = vars->strangers;
	}
	over = level > limit;
	/* Dropped with 1 - limit / level, without a division: lot * level > limit. */
	drawn = ((__u64)lot * level) >> 30;
	if (vars->bad && drawn > (ect ? deaf : limit) && lot >= vars->spared)
		return RXAQM_DROP;
	/* The least lots mark, since the greatest drop. */
	if (ect == RXAQM_LAW_ECT &&
	    rxaqm_law_run(flow, over,
			  over && (__u64)(level - limit) << RXAQM_LAW_MARK_BITS > level - drawn))
		return RXAQM_MARK;
	return RXAQM_PASS;
}

#endif /* RXAQM_LAW_H */
