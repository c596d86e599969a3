/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * law=auto: one probability p that holds a receive queue at its target, whatever is in it.
 *
 * Once in a window of an eighth of the interval a PI controller moves p by the sojourn. Each
 * class of packets is given what it understands of p: ECT packets are marked, more often than
 * Not-ECT packets are dropped, as RFC 9332 couples the two; redundant ACKs are thinned; and
 * once p is over a half, where marks and drops have been ignored, all that may be dropped is.
 *
 * From CoDel it has target and interval, that a queue is left alone until it has stood over
 * target for an interval, and that draining forgives. But the interval is one of arrivals:
 * 4096 packets that came at once leave for 246 ms at 60 us each, and only when they came says
 * that they are a burst. Packets that arrived over a whole interval and all stood over target
 * say that the queue is bad.
 *
 * A class is dropped at most four times as often as its part in the queue, SYNs at most once.
 * What cannot be dropped may hold the queue (exempt packets, ECT that ignores marks); then p
 * saturates, and without this the few others would pay for it with all of their packets: of a
 * class that is 0.4 % of the packets some 1.6 % are lost. For the same reason TCP has a class
 * of its own: beside a flood of UDP what it sends again, which is never ECN-capable, has to pass.
 *
 * And drops have to be worth it. They are where packets keep the CPU busy: each that is dropped
 * leaves time for the next. Where a poll of 64 has to wait for the polls of others, they only cut
 * off who is in the queue: what does not make it leave faster is given up for a while.
 *
 * A worked number, with target 10 ms and interval 100 ms: a queue that stands at 15 ms adds
 * 1/32 * 5 / 100 to p each 12.5 ms; p comes to a half, where all ECT packets are marked and a
 * quarter of the others is dropped, after 4 s, or, from over two targets on, eight times as
 * fast or more. docs/law.md says where each constant comes from, and why it is stable.
 *
 * Pure functions of (state, parameters, sojourn, now). Cost: some ten additions and compares a
 * packet, one random number over half the goal; divisions once in a window.
 */
#ifndef RXAQM_LAW_H
#define RXAQM_LAW_H

#include "ns.h"

#define RXAQM_LAW_ONE (1U << 30) /* probability 1 */

#define RXAQM_LAW_WINDOW_BITS 3 /* windows of an eighth of the interval */
#define RXAQM_LAW_INTEGRAL_BITS 5 /* of the error a window, in intervals: 1/32 */
#define RXAQM_LAW_RING_BITS 2 /* four times of it where the ring is three quarters full */
#define RXAQM_LAW_PROPORTIONAL_BITS 1 /* of the change since the window before: 1/2 */
#define RXAQM_LAW_LEAK_BITS 5 /* of p, a window under half the goal: 1/32 */
#define RXAQM_LAW_SHED 16 /* packets that pass when overloaded: 2^-(16 * (p - 1/2)) */
#define RXAQM_LAW_THIN 24 /* redundant ACKs that pass: 2^-(24 * p) */
#define RXAQM_LAW_CAP 4 /* times its part in the queue that a class is dropped; SYNs: once */
#define RXAQM_LAW_RUN 16 /* packets of a flow in a row that are marked alike */
#define RXAQM_LAW_FRESH_BITS 2 /* p begins at a quarter when a queue turns bad */
#define RXAQM_LAW_MOST (RXAQM_LAW_ONE / 4 * 3) /* of p, and more: 15 of 16 packets are dropped */
#define RXAQM_LAW_REST 8 /* intervals in which shedding that was of no use is not tried again */

/* A queue that nobody looked at for so long begins anew. */
#define RXAQM_LAW_MEMORY_NS RXAQM_NSEC_PER_SEC

/* What a packet is to the law. Those that may be dropped come first. */
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

/* Set rarely. */
struct rxaqm_law_params {
	__u64 target_ns;
	__u64 interval_ns; /* RXAQM_INTERVAL_MIN_NS .. _MAX_NS */
	__u32 ring_entries; /* 0: unknown */
	__u32 max_drop; /* most of any class that may be dropped, of RXAQM_LAW_ONE */
};

/* Per queue, hot. All zero is the initial state. */
struct rxaqm_law_vars {
	__u64 turn_ns; /* when the window going on began; 0: none yet */
	__u64 above_ns; /* since then all that arrived stood over the goal; 0: not so */
	__u64 smooth_ns; /* sojourn averaged over about 8 packets; 0: drained */
	__u64 goal_ns; /* the target, or less where the ring has no room for it; 0: none yet */
	__u64 near_ns; /* sojourn of the window before, at most two goals */
	__u64 unasked_ns; /* until then ACKs passed that nobody looked at */
	__u32 packets; /* of the window */
	__u32 p; /* of RXAQM_LAW_ONE, as all shares below */
	__u32 mark; /* share of ECT packets that are marked */
	__u32 thin; /* share of redundant ACKs that are dropped */
	__u32 drop[RXAQM_NR_DROPPABLE]; /* share of each class that is dropped while bad */
	__u32 seen[RXAQM_NR_CLASSES]; /* quarters of packets; a quarter is forgotten each window */
	__u32 random;
	__u32 run_flow; /* ports of the flow whose packets are marked alike; 0: none */
	__u16 run_left; /* packets of it to come */
	__u8 run_mark; /* they are marked */
	__u8 bad; /* stood over target for an interval, and was not brought down since */
	__u32 pace; /* packets a window that leave while little or nothing is shed; 0: unknown */
	__u64 shed_ns; /* since then p was over RXAQM_LAW_MOST; 0: it is not */
	__u64 shed_packets; /* that left since */
};
RXAQM_ASSERT_SIZE(struct rxaqm_law_vars, 144);

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
	return x & (RXAQM_LAW_ONE - 1);
}

rxaqm_always_inline __s64 rxaqm_law_clamp(__s64 value, __s64 least, __s64 most)
{
	return value < least ? least : value > most ? most : value;
}

/* 1 - 2^-x, for @x in units of RXAQM_LAW_ONE: exact at whole numbers, linear between. */
rxaqm_always_inline __u32 rxaqm_law_one_less_exp2(__u64 x)
{
	__u32 whole = (__u32)(x >> 30), part = (__u32)x & (RXAQM_LAW_ONE - 1);

	if (whole >= 30)
		return RXAQM_LAW_ONE;
	return RXAQM_LAW_ONE - ((RXAQM_LAW_ONE >> whole) - (part >> (whole + 1)));
}

/* p^2: the share of Not-ECT packets that is dropped, and, where ECT(0) is not DCTCP's, marked. */
rxaqm_always_inline __u32 rxaqm_law_square(__u32 p)
{
	return (__u32)(((__u64)p * p) >> 30);
}

/* Most of @cls that may be dropped: four times its part in the queue; of SYNs, its part. */
static inline __u32 rxaqm_law_cap(const struct rxaqm_law_vars *vars, __u32 cls)
{
	__u64 most = (__u64)vars->seen[cls] * (cls == RXAQM_CLASS_SYN ? 1 : RXAQM_LAW_CAP), all = 0;
	__u32 i;

	for (i = 0; i < RXAQM_NR_CLASSES; i++)
		all += vars->seen[i];
	return all <= most ? RXAQM_LAW_ONE : (__u32)((most << 30) / all);
}

/* The shares that follow from p. A class that was not seen of late has a cap of 0. */
static inline void rxaqm_law_map(struct rxaqm_law_vars *vars, __u32 max_drop)
{
	__u32 p = vars->p, p2 = rxaqm_law_square(p), shed = 0, i;
	__u64 mark = p + 2ULL * p2;

	if (p > RXAQM_LAW_ONE / 2)
		shed = rxaqm_law_one_less_exp2((__u64)(p - RXAQM_LAW_ONE / 2) * RXAQM_LAW_SHED);
	vars->mark = mark < RXAQM_LAW_ONE ? (__u32)mark : RXAQM_LAW_ONE;
	vars->thin = rxaqm_law_one_less_exp2((__u64)p * RXAQM_LAW_THIN);
	if (vars->thin > max_drop)
		vars->thin = max_drop;
	for (i = 0; i < RXAQM_NR_DROPPABLE; i++) {
		__u32 drop = i <= RXAQM_CLASS_OTHER && p2 > shed ? p2 : shed;
		__u32 cap = rxaqm_law_cap(vars, i);

		if (cap > max_drop)
			cap = max_drop;
		vars->drop[i] = drop < cap ? drop : cap;
	}
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

/* Move p by a window of @since_ns of a queue that stood all through it. */
rxaqm_always_inline __s64 rxaqm_law_control(const struct rxaqm_law_vars *vars,
					    const struct rxaqm_law_params *params, __u64 since_ns,
					    __s64 near_ns)
{
	__s64 goal_ns = (__s64)vars->goal_ns, smooth_ns = (__s64)vars->smooth_ns;
	__s64 inverse = (__s64)((1ULL << 46) / params->interval_ns), change = inverse;
	__s64 error_ns = rxaqm_law_clamp(smooth_ns, 0, goal_ns + (__s64)params->interval_ns) -
			 goal_ns;
	__s64 p = vars->p;
	int bits = RXAQM_LAW_INTEGRAL_BITS;

	/* Only floods and full rings are as far from the goal as that. */
	if (smooth_ns > 2 * goal_ns)
		bits--;
	/* A ring that is short against the interval shows little error when it is full. */
	if (params->target_ns > vars->goal_ns && smooth_ns > goal_ns + (goal_ns >> 1))
		bits -= RXAQM_LAW_RING_BITS;
	p += (error_ns * inverse >> 16) >> bits;
	/* The change since the window before is what a window of the usual length would see. */
	if (since_ns >= params->interval_ns >> (RXAQM_LAW_WINDOW_BITS - 1))
		change = (__s64)((1ULL << (46 - RXAQM_LAW_WINDOW_BITS)) / since_ns);
	p += ((near_ns - (__s64)vars->near_ns) * change >> 16) >> RXAQM_LAW_PROPORTIONAL_BITS;
	if (smooth_ns < goal_ns >> 1)
		p -= p >> RXAQM_LAW_LEAK_BITS;
	return p;
}

/* A window is over at @now_ns, of a queue that is enforced. True if shedding is of no use: then it
 * ends. To be called before rxaqm_law_turn(); global for the verifier's sake.
 */
rxaqm_global int rxaqm_law_futile(struct rxaqm_law_vars *vars,
				  const struct rxaqm_law_params *params, __u64 now_ns)
{
	__u64 since_ns, window_ns, shed_ns;

	if (!vars || !params)
		return 0;
	since_ns = rxaqm_ns_since(now_ns, vars->turn_ns);
	window_ns = params->interval_ns >> RXAQM_LAW_WINDOW_BITS;
	if (!vars->above_ns || since_ns < window_ns || since_ns > RXAQM_LAW_MEMORY_NS) {
		vars->shed_ns = 0;
		return 0;
	}
	if (!vars->bad || vars->p < RXAQM_LAW_MOST) {
		vars->shed_ns = 0;
		if (!vars->bad || vars->p <= RXAQM_LAW_ONE / 2)
			vars->pace += (__u32)(vars->packets * window_ns / since_ns) / 4 -
				      vars->pace / 4;
		return 0;
	}
	if (!vars->shed_ns) {
		vars->shed_ns = vars->turn_ns;
		vars->shed_packets = 0;
	}
	vars->shed_packets += vars->packets;
	shed_ns = rxaqm_ns_since(now_ns, vars->shed_ns);
	if (shed_ns < params->interval_ns)
		return 0;
	vars->shed_ns = 0;
	/* 15 of 16 packets were dropped for an interval: half as many again should have left. */
	if (2 * vars->shed_packets * window_ns >= 3ULL * vars->pace * shed_ns)
		return 0;
	vars->bad = 0;
	/* All packets have to stand over the goal until an interval after that. */
	vars->above_ns = now_ns + RXAQM_LAW_REST * params->interval_ns;
	return 1;
}

/* A window is over at @now_ns. Global for the verifier's sake. Returns 0. */
rxaqm_global int rxaqm_law_turn(struct rxaqm_law_vars *vars, const struct rxaqm_law_params *params,
				__u64 now_ns)
{
	__u64 since_ns, window_ns, quiet;
	__s64 near_ns, p;

	if (!vars || !params)
		return 0;
	since_ns = rxaqm_ns_since(now_ns, vars->turn_ns);
	window_ns = params->interval_ns >> RXAQM_LAW_WINDOW_BITS;
	/* Polls may be rarer than windows: a queue that was not drained, and whose packets all
	 * stood over the goal, stood meanwhile.
	 */
	if (vars->turn_ns &&
	    (since_ns < 2 * window_ns || (vars->above_ns && since_ns < RXAQM_LAW_MEMORY_NS))) {
		vars->goal_ns = rxaqm_law_goal_ns(vars, params, since_ns);
		near_ns = rxaqm_law_clamp((__s64)vars->smooth_ns, 0, 2 * (__s64)vars->goal_ns);
		p = rxaqm_law_control(vars, params, since_ns, near_ns);
	} else {
		/* It did not stand meanwhile: p halves in each half interval. */
		quiet = since_ns / (4 * window_ns);
		p = vars->turn_ns && quiet < 30 ? (__s64)(vars->p >> quiet) : 0;
		if (since_ns >= params->interval_ns) {
			vars->bad = 0;
			vars->above_ns = 0;
		}
		vars->goal_ns = params->target_ns;
		near_ns = rxaqm_law_clamp((__s64)vars->smooth_ns, 0, 2 * (__s64)vars->goal_ns);
	}
	vars->p = (__u32)rxaqm_law_clamp(p, 0, RXAQM_LAW_ONE);
	if (!vars->p)
		vars->bad = 0;
	vars->near_ns = (__u64)near_ns;
	vars->turn_ns = now_ns;
	vars->packets = 0;
	rxaqm_law_map(vars, params->max_drop);
	rxaqm_law_forget_seen(vars);
	return 0;
}

/* Is a packet of @flow (0: unknown) that drew @drawn to be marked, of which a share of @mark is?
 * Packets of one flow in a row are marked alike: GRO does not merge what differs in its TOS, and a
 * DCTCP receiver acknowledges at once where marks begin or end. The share stays the same.
 */
rxaqm_always_inline bool rxaqm_law_marks(struct rxaqm_law_vars *vars, __u32 flow, __u32 mark,
					 __u32 drawn)
{
	if (flow && flow == vars->run_flow && vars->run_left) {
		vars->run_left--;
		return vars->run_mark && mark;
	}
	vars->run_flow = flow;
	vars->run_left = RXAQM_LAW_RUN - 1;
	/* The least numbers drop (decide.h), so the greatest mark. */
	vars->run_mark = RXAQM_LAW_ONE - 1 - drawn < mark;
	return vars->run_mark;
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

/* It does. What a burst did to p until now is no place to begin. */
static inline void rxaqm_law_turn_bad(struct rxaqm_law_vars *vars, __u32 max_drop)
{
	vars->bad = 1;
	vars->p >>= RXAQM_LAW_FRESH_BITS;
	rxaqm_law_map(vars, max_drop);
}

#endif /* RXAQM_LAW_H */
