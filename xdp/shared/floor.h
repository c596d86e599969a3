/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The target that a queue can be held at, from what is measured of it (target=auto).
 *
 * A packet that comes just behind a poll waits until the next one, and then for its place in
 * that, with no queue standing at all. So below the floor
 *
 *	F = T_mod + 2 * T_cyc
 *
 * batches are punished, not queues: T_cyc is the time from one poll of the queue to the next,
 * T_mod the moderation of the interrupt. E.g. 64 packets of 20 us a poll: 2.6 ms. The error of
 * the clock is no part of it: that is taken off each sojourn, and a clock whose error is over
 * half the target does not count at all (sample.h); as a part of the target it would excuse
 * itself. Beyond the ceiling, a quarter of the time that a full ring takes to drain, the NIC drops
 * before anything can be done. Between the two the completion design decides: where Tx
 * completions stand behind Rx the floor itself, else a multiple of it.
 *
 * Pure functions. Used by XDP (target.h), and by status, which says why.
 */
#ifndef RXAQM_FLOOR_H
#define RXAQM_FLOOR_H

#include "types.h"

#define RXAQM_FLOOR_QUARTERS_UNKNOWN 8 /* quarters of the floor: the rule of an unknown NIC */
#define RXAQM_FLOOR_MAX_NS (4 * RXAQM_NSEC_PER_SEC)

rxaqm_always_inline __u64 rxaqm_floor_bounded(__u64 ns)
{
	return ns < RXAQM_FLOOR_MAX_NS ? ns : RXAQM_FLOOR_MAX_NS;
}

/* The floor, at most 4 s. @round_ns: T_cyc; 0, not measured, gives 0. */
rxaqm_always_inline __u64 rxaqm_floor_ns(__u64 moderation_ns, __u32 round_ns)
{
	if (!round_ns)
		return 0;
	return rxaqm_floor_bounded(rxaqm_floor_bounded(moderation_ns) + 2ULL * round_ns);
}

/* The ceiling, at most 4 s; 0: unknown. */
rxaqm_always_inline __u64 rxaqm_floor_ceiling_ns(__u32 entries, __u32 packet_ns)
{
	return rxaqm_floor_bounded((__u64)entries * packet_ns / 4);
}

/* The target between @floor_ns and @ceiling_ns (0: none) by a rule of @quarters of the floor. */
rxaqm_always_inline __u64 rxaqm_floor_target_ns(__u64 floor_ns, __u64 ceiling_ns, __u32 quarters)
{
	__u64 asked_ns = rxaqm_floor_bounded(floor_ns * quarters / 4);

	if (!ceiling_ns || asked_ns <= ceiling_ns)
		return asked_ns;
	return floor_ns > ceiling_ns ? floor_ns : ceiling_ns;
}

#endif /* RXAQM_FLOOR_H */
