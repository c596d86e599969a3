/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The guard around law=codel. CoDel asks for more and more signals while what holds the queue does
 * not respond, and all of the few packets that can be dropped would pay for it. So each class earns
 * drops by the packets that it has in the queue: four times its part. SYNs earn their part once,
 * and are dropped only where they are a quarter of the queue or more. A drop that a class has not
 * earned waits for another packet. "build/replay --unguarded" does without.
 */
#ifndef RXAQM_GUARD_H
#define RXAQM_GUARD_H

#include "queue.h"

#define RXAQM_GUARD_CAP 4 /* times its part in the queue that a class is dropped; SYNs: once */
/* A class that is guarded may save up so many drops. */
#define RXAQM_GUARD_BURST 4
/* Credits are kept in sixteenths of RXAQM_LAW_ONE, so that some fit. */
#define RXAQM_GUARD_SHIFT 4
#define RXAQM_GUARD_DROP (RXAQM_LAW_ONE >> RXAQM_GUARD_SHIFT)

/* Most of @cls that may be dropped: four times its part in the queue; of SYNs, its part. */
static inline __u32 rxaqm_guard_cap(const struct rxaqm_law_vars *vars, __u32 cls)
{
	__u64 most = (__u64)vars->seen[cls] * (cls == RXAQM_CLASS_SYN ? 1 : RXAQM_GUARD_CAP);
	__u64 all = 0;
	__u32 i;

	for (i = 0; i < RXAQM_NR_CLASSES; i++)
		all += vars->seen[i];
	return all <= most ? RXAQM_LAW_ONE : (__u32)((most << 30) / all);
}

/* A window is over: what each class may bear follows from what was seen of it. */
static inline void rxaqm_guard_turn(struct rxaqm_queue *q, __u32 max_drop, __u64 now_ns)
{
	struct rxaqm_law_vars *vars = &q->law;
	__u32 i;

	for (i = 0; i < RXAQM_NR_DROPPABLE; i++) {
		__u32 cap = RXAQM_LAW_ONE;

		if (!(q->flags & RXAQM_QUEUE_UNGUARDED))
			cap = rxaqm_guard_cap(vars, i);
		q->share[i] = cap < max_drop ? cap : max_drop;
	}
	rxaqm_law_forget_seen(vars);
	vars->goal_ns = q->target_ns;
	vars->turn_ns = now_ns;
}

/* Is a packet of @cls, for which a drop is due, one that may go? */
rxaqm_always_inline bool rxaqm_guard_may_drop(struct rxaqm_queue *q, enum rxaqm_class cls)
{
	if (cls == RXAQM_CLASS_SYN && !(q->flags & RXAQM_QUEUE_UNGUARDED) &&
	    rxaqm_guard_cap(&q->law, cls) < RXAQM_LAW_ONE / RXAQM_GUARD_CAP)
		return false;
	if (q->credit[cls] < RXAQM_GUARD_DROP)
		return false;
	q->credit[cls] -= RXAQM_GUARD_DROP;
	return true;
}

/* Each packet of a class earns the share of a drop that the class may bear. */
rxaqm_always_inline void rxaqm_guard_earn(struct rxaqm_queue *q, enum rxaqm_class cls)
{
	__u32 credit = q->credit[cls] + (q->share[cls] >> RXAQM_GUARD_SHIFT);
	__u32 most = RXAQM_GUARD_BURST * RXAQM_GUARD_DROP;

	q->credit[cls] = credit < most ? credit : most;
}

#endif /* RXAQM_GUARD_H */
