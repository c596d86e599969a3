/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The target of a queue: the policy's, or derived from the floor that is measured (floor.h). */
#ifndef RXAQM_TARGET_H
#define RXAQM_TARGET_H

#include "floor.h"
#include "queue.h"

/* An interval holds so many targets at least. */
#define RXAQM_TARGETS_AN_INTERVAL 4

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
		if (target_ns > RXAQM_INTERVAL_MAX_NS / RXAQM_TARGETS_AN_INTERVAL)
			target_ns = RXAQM_INTERVAL_MAX_NS / RXAQM_TARGETS_AN_INTERVAL;
		if (interval_ns < RXAQM_TARGETS_AN_INTERVAL * target_ns)
			interval_ns = RXAQM_TARGETS_AN_INTERVAL * target_ns;
	}
	q->target_ns = target_ns;
	q->interval_ns = interval_ns;
}

#endif /* RXAQM_TARGET_H */
