/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Does the queue stand, and since when? Commands and the daemon say what this says.
 *
 * The last poll alone is no answer: under steady overload one poll in many drains the queue, when a
 * sender pauses, and through a queue that flows bursts go. So time is weighed. From the end of one
 * poll to the end of the next the queue stood if it was not drained, and its packets waited for as
 * long as the law minds; else it flowed. The queue stands once it has stood for longer than it
 * flowed, by an interval, but by half a second at least and a second at most; and until that lead,
 * of at most a second, is used up.
 */
#ifndef RXAQM_STAND_H
#define RXAQM_STAND_H

#include "sample.h"

#define RXAQM_STAND_LEAD_NS RXAQM_NSEC_PER_SEC

/* The lead with which it begins to stand. */
rxaqm_always_inline __u64 rxaqm_stand_enough_ns(__u64 interval_ns)
{
	if (interval_ns < RXAQM_STAND_LEAD_NS / 2)
		return RXAQM_STAND_LEAD_NS / 2;
	return interval_ns < RXAQM_STAND_LEAD_NS ? interval_ns : RXAQM_STAND_LEAD_NS;
}

/* Do packets wait long? Over the goal, or, where the law holds them at it, over half of it. If none
 * is judged, for want of a signal or by mode=off, polls alone must say.
 */
static inline bool rxaqm_stand_over(const struct rxaqm_queue *q, __u64 now_ns)
{
	__u64 goal_ns = q->law.goal_ns ? q->law.goal_ns : q->target_ns;

	if (q->flags & RXAQM_QUEUE_ENFORCED)
		goal_ns /= 2;
	return q->law.smooth_ns >= goal_ns || q->policy.mode == RXAQM_MODE_OFF ||
	       !(rxaqm_policy_by_polls(&q->policy) || rxaqm_sample_usable(q, now_ns));
}

/* Move the average of the time that the queue stood towards that of the last @round_ns, which is a
 * part of the lead: by that part or down to half of it, as the power of two above the lead divides.
 */
static inline void rxaqm_stand_average(struct rxaqm_queue *q, __u64 round_ns)
{
	int bits = rxaqm_law_log2(q->stood_lead_ns) + 1;
	__u64 now = q->law.smooth_ns, average = q->stood_sojourn_ns;

	if (now > ~0U)
		now = ~0U;
	if (round_ns == q->stood_lead_ns)
		average = now;
	else if (now > average)
		average += (now - average) * round_ns >> (bits & 63);
	else
		average -= (average - now) * round_ns >> (bits & 63);
	q->stood_sojourn_ns = (__u32)average;
}

/* A poll ends at @now_ns. @stood: since the one before the queue was not drained. */
static inline void rxaqm_stand_weigh(struct rxaqm_queue *q, bool stood, __u64 now_ns)
{
	__u64 round_ns = rxaqm_ns_since(now_ns, q->poll_end_ns), lead_ns = q->stood_lead_ns;

	if (!(q->flags & RXAQM_QUEUE_POLLED) || !round_ns)
		return;
	if (round_ns > RXAQM_STAND_LEAD_NS)
		round_ns = RXAQM_STAND_LEAD_NS;
	if (!stood || !rxaqm_stand_over(q, now_ns)) {
		q->stood_lead_ns = (__u32)(lead_ns > round_ns ? lead_ns - round_ns : 0);
		if (!q->stood_lead_ns)
			q->stood_since_ns = 0;
		return;
	}
	lead_ns += round_ns;
	if (lead_ns > RXAQM_STAND_LEAD_NS)
		lead_ns = RXAQM_STAND_LEAD_NS;
	q->stood_lead_ns = (__u32)lead_ns;
	rxaqm_stand_average(q, round_ns);
	if (!q->stood_since_ns && lead_ns >= rxaqm_stand_enough_ns(q->interval_ns))
		q->stood_since_ns = now_ns - lead_ns;
}

#endif /* RXAQM_STAND_H */
