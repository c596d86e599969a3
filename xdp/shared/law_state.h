/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* law=auto: its state of a queue, and the arithmetic on it. law.h describes the law. */
#ifndef RXAQM_LAW_STATE_H
#define RXAQM_LAW_STATE_H

#include "flow.h"
#include "ns.h"

#define RXAQM_LAW_ONE (1U << 30) /* probability 1 */
#define RXAQM_LAW_OCTAVE (RXAQM_LAW_ONE / 16) /* of x */

#define RXAQM_LAW_WINDOW_BITS 3 /* windows of an eighth of the interval */
#define RXAQM_LAW_INTEGRAL_BITS 5 /* 1/2 octave for each window and interval of error */
#define RXAQM_LAW_FAR_BITS 2 /* four times that when far from the goal */
#define RXAQM_LAW_MARK_BITS 3 /* ECT is marked with 8 times its excess, */
#define RXAQM_LAW_DEAF_BITS 1 /* and dropped from twice the limit on */
#define RXAQM_LAW_FLOOR 4 /* known flows of a kind have a quarter in any case, */
#define RXAQM_LAW_EXEMPT 4 /* exempt packets are not judged up to a quarter, */
#define RXAQM_LAW_STRANGERS 16 /* strangers of a kind a sixteenth */
/* Of 2^17 of level one stranger is noted, for some 16 intervals; half or twice that is as good. */
#define RXAQM_LAW_CROWD_BITS 17
#define RXAQM_LAW_RUN 16 /* packets of a flow that are marked alike at most, */
#define RXAQM_LAW_RUN_LEAST 4 /* at least, */
#define RXAQM_LAW_RUN_BITS 2 /* and in between a quarter of its level, */
#define RXAQM_LAW_RUN_POLL 16 /* and so many more at most, until the poll is over */
#define RXAQM_LAW_REST 8 /* intervals until shedding that was of no use is tried again */

/* A queue that nobody looked at for this long begins anew. */
#define RXAQM_LAW_MEMORY_NS RXAQM_NSEC_PER_SEC

enum rxaqm_verdict {
	RXAQM_PASS,
	RXAQM_MARK, /* set CE and pass */
	RXAQM_DROP,
	RXAQM_CLEAR_PSH = 4, /* a bit beside the first two: clear PSH (merge.h) */
};

/* A packet's class for the law. The kinds of strangers come first, and all that may be dropped
 * before the rest.
 */
enum rxaqm_class {
	RXAQM_CLASS_TCP, /* this and the next: Not-ECT */
	RXAQM_CLASS_OTHER,
	RXAQM_CLASS_ACK, /* pure TCP ACK */
	RXAQM_CLASS_SYN, /* SYN, FIN, RST: a connection cannot spare them */
	RXAQM_CLASS_ECT, /* ECN-capable, or CE already */
	RXAQM_CLASS_EXEMPT, /* judged only where all of it is over a quarter of the CPU */
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

/* The ECN state of a packet. */
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
	__u32 drops; /* drops so far */
};

/* Per queue, hot. All zero is the initial state. Levels are flow.h's. */
struct rxaqm_law_vars {
	__u64 turn_ns; /* when the window going on began; 0: none yet */
	__u64 above_ns; /* since then all arrivals stood over the goal; 0: not so */
	__u64 smooth_ns; /* sojourn averaged over about 8 packets; 0: drained */
	__u64 goal_ns; /* the target, or less where the ring has no room for it; 0: none yet */
	__u64 near_ns; /* sojourn of the window before, at most two goals */
	__u64 unasked_ns; /* until then ACKs passed without being noted */
	__u64 shed_ns; /* since then the limit is at its floors; 0: it is not */
	__u32 shed_packets; /* packets that left since shed_ns */
	__u32 shed_drops; /* params->drops at shed_ns */
	__u32 packets; /* of the window */
	__u32 pace; /* packets a window that leave while little or nothing is shed; 0: unknown */
	__u32 seen[RXAQM_NR_CLASSES]; /* quarters of packets; a quarter is forgotten each window */
	__u32 x; /* octaves by which the limit is below twice what the CPU can do */
	__u32 most; /* level of all that passed while the queue stood: what the CPU can do */
	__u32 limit; /* level that a flow may have: L */
	__u32 floor[RXAQM_NR_FLOW_KINDS]; /* level that a flow of each kind may have in any case */
	__u32 strangers; /* level that the unknown flows of a kind may have together */
	__u32 thin; /* share of redundant ACKs that are dropped, of RXAQM_LAW_ONE */
	__u32 top; /* level of the largest flow of the window */
	__u32 crowd; /* one of so many strangers is noted; 0: all are */
	__u32 paused; /* stamps that do not count, since the queue paused */
	struct rxaqm_level passed, exempt, stranger[RXAQM_NR_STRANGERS];
	__u32 random;
	__u32 flows[RXAQM_NR_FLOW_KINDS],
		flows_now[RXAQM_NR_FLOW_KINDS]; /* that came back: last epoch, this one */
	__u32 over[RXAQM_NR_FLOW_KINDS],
		over_now[RXAQM_NR_FLOW_KINDS]; /* of these, over the limit */
	__u16 counted; /* epoch in which flows were last counted */
	__u8 stamp_bits; /* log2 of the ns in a stamp */
	__u8 bad; /* stood over target for an interval, and has stood since */
};
RXAQM_ASSERT_SIZE(struct rxaqm_law_vars, 224);

/* xorshift32 (Marsaglia, "Xorshift RNGs", 2003), kept with the queue so that replay and tests
 * repeat exactly: the state after the one of @vars, never 0.
 */
rxaqm_always_inline __u32 rxaqm_law_random_next(const struct rxaqm_law_vars *vars)
{
	__u32 x = vars->random ? vars->random : 2463534242U;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* Returns 0 .. RXAQM_LAW_ONE - 1. */
rxaqm_always_inline __u32 rxaqm_law_random(struct rxaqm_law_vars *vars)
{
	vars->random = rxaqm_law_random_next(vars);
	return vars->random >> 2;
}

/* Of all packets a share of @max_drop, of RXAQM_LAW_ONE, may be dropped: may the packet whose lot
 * this is?
 */
rxaqm_always_inline bool rxaqm_law_may_drop(__u32 lot, __u32 max_drop)
{
	return lot >= RXAQM_LAW_ONE - max_drop;
}

rxaqm_always_inline __s64 rxaqm_law_clamp(__s64 value, __s64 least, __s64 most)
{
	return value < least ? least : value > most ? most : value;
}

rxaqm_always_inline __u32 rxaqm_law_larger(__u32 a, __u32 b)
{
	return a > b ? a : b;
}

/* 2^-x of RXAQM_LAW_ONE, for @x in octaves, at most 16: exact at whole ones, linear between. */
rxaqm_always_inline __u32 rxaqm_law_exp2(__u32 x)
{
	__u32 whole = x / RXAQM_LAW_OCTAVE, part = x % RXAQM_LAW_OCTAVE * 16;

	return (RXAQM_LAW_ONE >> whole) - (part >> (whole + 1));
}

/* log2 of @n, rounded down; 0 for 0. Global, so that the verifier knows nothing of the result. */
rxaqm_seldom int rxaqm_law_log2(__u32 n)
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

/* A half-life is the power of two of ns that is over a quarter of the interval and at most half of
 * it. Returns log2 of the ns in 1/65536 of one.
 */
static inline __u8 rxaqm_law_stamp_bits(__u64 interval_ns)
{
	return (__u8)rxaqm_law_log2((__u32)(interval_ns >> 17));
}

/* As before, but @bits, which are in use, are kept while the interval is at most a quarter outside
 * of the range that they are for: stamps of another scale cannot be compared, so all levels are
 * lost when the bits change.
 */
static inline __u8 rxaqm_law_stamp_bits_near(__u8 bits, __u64 interval_ns)
{
	__u64 slack_ns = interval_ns / 4;

	if (bits >= rxaqm_law_stamp_bits(interval_ns - slack_ns) &&
	    bits <= rxaqm_law_stamp_bits(interval_ns + slack_ns))
		return bits;
	return rxaqm_law_stamp_bits(interval_ns);
}

/* @now_ns as a stamp of levels. */
rxaqm_always_inline __u32 rxaqm_law_stamp(const struct rxaqm_law_vars *vars, __u64 now_ns)
{
	return (__u32)(now_ns >> vars->stamp_bits) - vars->paused;
}

/* Forget a quarter of what was seen: shares are of the last 4 windows or so. */
static inline void rxaqm_law_forget_seen(struct rxaqm_law_vars *vars)
{
	__u32 i;

	for (i = 0; i < RXAQM_NR_CLASSES; i++)
		vars->seen[i] -= vars->seen[i] >> 2;
}

#endif /* RXAQM_LAW_STATE_H */
