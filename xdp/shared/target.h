/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The target of a queue: the policy's, or derived from the floor that is measured (floor.h), and
 * from the flows that share it.
 */
#ifndef RXAQM_TARGET_H
#define RXAQM_TARGET_H

#include "floor.h"
#include "queue.h"

/* An interval holds so many targets at least. */
#define RXAQM_TARGETS_AN_INTERVAL 4
/* Where a TCP flow has fewer packets in the queue, its windows are too small for GRO to merge what
 * comes, and each packet costs more (docs/measurements.md).
 */
#define RXAQM_TARGET_FLOW_PACKETS 12
/* For their sake it is so many times what it would be at most. */
#define RXAQM_TARGET_FLOWS_MOST 4

/* The target @target_ns, or, law=auto, what the TCP flows that are over the fair share need, within
 * what the ring has room for (0: unknown).
 */
static inline __u64 rxaqm_target_for_flows(const struct rxaqm_queue *q, __u64 target_ns,
					   __u64 ceiling_ns)
{
	__u64 asked_ns = (__u64)RXAQM_TARGET_FLOW_PACKETS * q->law.over[RXAQM_FLOWS_TCP] *
			 q->packet_ns;

	if (q->policy.law != RXAQM_LAW_AUTO)
		return target_ns;
	if (asked_ns > RXAQM_TARGET_FLOWS_MOST * target_ns)
		asked_ns = RXAQM_TARGET_FLOWS_MOST * target_ns;
	if (ceiling_ns && asked_ns > ceiling_ns)
		asked_ns = ceiling_ns;
	return asked_ns > target_ns ? asked_ns : target_ns;
}

/* Target and interval in use: the policy's, or, for target=auto, what the measured rounds ask
 * for and the policy's at least. The interval goes along where it would be too short.
 */
static inline void rxaqm_target_update(struct rxaqm_queue *q, __u32 ring_entries)
{
	__u64 target_ns = q->policy.target_ns, interval_ns = q->policy.interval_ns;
	__u64 floor_ns, ceiling_ns, derived_ns;

	if (q->policy.target_auto) {
		floor_ns = rxaqm_floor_ns(q->moderation_ns, q->round_ns);
		ceiling_ns = rxaqm_floor_ceiling_ns(ring_entries, q->packet_ns);
		derived_ns = rxaqm_floor_target_ns(floor_ns, ceiling_ns, q->target_quarters);
		if (derived_ns > target_ns)
			target_ns = derived_ns;
		target_ns = rxaqm_target_for_flows(q, target_ns, ceiling_ns);
		if (target_ns > RXAQM_INTERVAL_MAX_NS / RXAQM_TARGETS_AN_INTERVAL)
			target_ns = RXAQM_INTERVAL_MAX_NS / RXAQM_TARGETS_AN_INTERVAL;
		if (interval_ns < RXAQM_TARGETS_AN_INTERVAL * target_ns)
			interval_ns = RXAQM_TARGETS_AN_INTERVAL * target_ns;
	}
	q->target_ns = target_ns;
	q->interval_ns = interval_ns;
}

#endif /* RXAQM_TARGET_H */
