/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a NIC stamp to a sojourn sample that can be believed, or to the reason why not.
 *
 * A stamp is checked against what is known without any clock mapping being right: a
 * packet is not received before it is stamped, and it was not stamped before the packet
 * ahead of it. What breaks one of these, or is over 10 s old, is not a sample, and neither
 * is anything in the second after it. Four in a row mean that a clock was stepped.
 *
 * A packet did not reach the queue before that was last empty, either. But drivers do not
 * always say truly that it was, so a stamp from before is void, and says nothing against the clock.
 */
#ifndef RXAQM_SAMPLE_H
#define RXAQM_SAMPLE_H

#include "queue.h"

#define RXAQM_SOJOURN_MAX_NS (10 * RXAQM_NSEC_PER_SEC)
#define RXAQM_DISTRUST_NS RXAQM_NSEC_PER_SEC
/* Of what is known of a queue. */
#define RXAQM_AGE_MIN_NS (10 * RXAQM_NSEC_PER_MSEC)
#define RXAQM_AGE_MAX_NS RXAQM_NSEC_PER_SEC
#define RXAQM_STEP_STAMPS 4
/* Stamps are taken on the wire: DMA, moderation and reordering by several senders of a
 * software device come on top of the clock error before a stamp is called impossible.
 */
#define RXAQM_STAMP_SLACK_NS RXAQM_NSEC_PER_MSEC
#define RXAQM_NEGATIVE_SLACK_NS (50 * RXAQM_NSEC_PER_USEC)

enum rxaqm_sample {
	RXAQM_SAMPLE_GOOD,
	RXAQM_SAMPLE_NONE, /* no stamp, or no clock yet */
	RXAQM_SAMPLE_VOID, /* older than the queue */
	RXAQM_SAMPLE_BAD,
	RXAQM_SAMPLE_STEPPED, /* bad again: the clock estimate must start anew */
};

static inline enum rxaqm_sample
rxaqm_sample_distrust(struct rxaqm_queue *q, enum rxaqm_distrust reason, __u64 hw_ns, __u64 now_ns)
{
	if (reason == RXAQM_DISTRUST_NEGATIVE)
		q->stat[RXAQM_STAT_STAMP_NEGATIVE]++;
	else
		q->stat[RXAQM_STAT_STAMP_ABSURD]++;
	q->flags &= ~RXAQM_QUEUE_SAMPLED;
	q->distrust_reason = reason;
	q->distrust_until_ns = now_ns + RXAQM_DISTRUST_NS;
	if (++q->bad_stamps < RXAQM_STEP_STAMPS)
		return RXAQM_SAMPLE_BAD;
	q->bad_stamps = 0;
	q->last_hw_ns = hw_ns;
	q->window.nr = 0;
	/* No packet arrives before it is stamped, so this one knows better than the clock:
	 * the new estimate begins with it. Else queues that always wait could keep the
	 * clock late for good.
	 */
	if (reason == RXAQM_DISTRUST_NEGATIVE) {
		q->window.least.host_ns = now_ns;
		q->window.least.offset_ns = now_ns - hw_ns;
		q->window.nr = 1;
	}
	return RXAQM_SAMPLE_STEPPED;
}

/* The queue's first packet of a poll, stamped @hw_ns, met an emptied ring: let the clock
 * estimate learn from it.
 */
static inline void rxaqm_sample_learn(struct rxaqm_queue *q, __u64 hw_ns, __u64 now_ns,
				      __s64 rate_q32)
{
	struct rxaqm_clock_point p = { .host_ns = now_ns, .offset_ns = now_ns - hw_ns };
	__u64 empty_ns = rxaqm_ns_since(now_ns, q->empty_ns);

	if (!q->window.nr)
		q->window.start_ns = now_ns;
	/* A point too old to compare with is replaced, and so is one that would have this
	 * packet wait since before the queue was empty: it is from before a step.
	 */
	else if (rxaqm_ns_since(now_ns, q->window.least.host_ns) >= RXAQM_EST_WINDOW_MAX_NS ||
		 rxaqm_clock_above(&p, &q->window.least, rate_q32) >
			 (__s64)(empty_ns + RXAQM_STAMP_SLACK_NS))
		q->window.nr = 0;
	rxaqm_clock_window_add(&q->window, &p, rate_q32);
}

/* A packet of @q, stamped @hw_ns (0: not stamped), is at hand at @now_ns. @clock is the
 * mapping of its interface, NULL if there is none. Updates the queue's sample. On
 * RXAQM_SAMPLE_STEPPED, rxaqm_clock_est_restart() with the queue's window is to follow.
 */
static inline enum rxaqm_sample rxaqm_sample_stamp(struct rxaqm_queue *q,
						   const struct rxaqm_clock *clock, __u64 hw_ns,
						   __u64 now_ns)
{
	__u64 err_ns;
	__s64 sojourn_ns;

	if (!q->begin_ns)
		q->begin_ns = now_ns;
	if (!hw_ns) {
		q->stat[RXAQM_STAT_STAMP_MISSING]++;
		return RXAQM_SAMPLE_NONE;
	}
	if (!clock || rxaqm_ns_reached(now_ns, clock->expires_ns)) {
		q->last_hw_ns = hw_ns;
		q->flags |= RXAQM_QUEUE_NO_CLOCK;
		q->flags &= ~RXAQM_QUEUE_SAMPLED;
		return RXAQM_SAMPLE_NONE;
	}
	q->flags &= ~RXAQM_QUEUE_NO_CLOCK;
	/* last_hw_ns is of the last stamp believed: a step back is bad more than once. */
	if (!(q->flags & RXAQM_QUEUE_MIXED) && q->last_hw_ns &&
	    rxaqm_ns_after(q->last_hw_ns, hw_ns + RXAQM_STAMP_SLACK_NS))
		return rxaqm_sample_distrust(q, RXAQM_DISTRUST_BACKWARDS, hw_ns, now_ns);

	sojourn_ns = (__s64)(now_ns - rxaqm_clock_to_host(clock, hw_ns));
	err_ns = rxaqm_clock_err(clock, now_ns);
	if (sojourn_ns < -(__s64)(err_ns + RXAQM_NEGATIVE_SLACK_NS))
		return rxaqm_sample_distrust(q, RXAQM_DISTRUST_NEGATIVE, hw_ns, now_ns);
	if (sojourn_ns < 0)
		sojourn_ns = 0;
	if (sojourn_ns > (__s64)RXAQM_SOJOURN_MAX_NS)
		return rxaqm_sample_distrust(q, RXAQM_DISTRUST_ABSURD, hw_ns, now_ns);
	q->bad_stamps = 0;
	if ((q->flags & (RXAQM_QUEUE_DRAIN_KNOWN | RXAQM_QUEUE_UPSTREAM)) ==
		    RXAQM_QUEUE_DRAIN_KNOWN &&
	    (__u64)sojourn_ns >
		    rxaqm_ns_since(now_ns, q->empty_ns) + err_ns + RXAQM_STAMP_SLACK_NS) {
		q->stat[RXAQM_STAT_STAMP_ABSURD]++;
		return RXAQM_SAMPLE_VOID;
	}

	q->last_hw_ns = hw_ns;
	q->flags |= RXAQM_QUEUE_SAMPLED;
	q->sample_ns = now_ns;
	q->sample_sojourn_ns = (__u64)sojourn_ns;
	q->sample_err_ns = err_ns;
	return RXAQM_SAMPLE_GOOD;
}

/* True while no stamp counts, because one before it could not be true. */
rxaqm_always_inline bool rxaqm_sample_distrusted(const struct rxaqm_queue *q, __u64 now_ns)
{
	return q->distrust_reason && rxaqm_ns_after(q->distrust_until_ns, now_ns);
}

/* Age beyond which a sample says nothing about the queue, whose polls are @round_ns apart (0: not
 * known). Polls that are far apart, as on a CPU that others want, too, make samples no worse:
 * nothing leaves the queue in between.
 */
rxaqm_always_inline __u64 rxaqm_sample_max_age_ns(__u64 interval_ns, __u32 round_ns)
{
	__u64 age_ns = interval_ns / 2, rounds_ns = 4ULL * round_ns;

	if (rounds_ns > RXAQM_AGE_MAX_NS)
		rounds_ns = RXAQM_AGE_MAX_NS;
	if (age_ns < rounds_ns)
		age_ns = rounds_ns;
	return age_ns > RXAQM_AGE_MIN_NS ? age_ns : RXAQM_AGE_MIN_NS;
}

/* Follow policy and polls. */
rxaqm_always_inline void rxaqm_sample_update_age(struct rxaqm_queue *q)
{
	q->sample_age_max_ns = rxaqm_sample_max_age_ns(q->policy.interval_ns, q->round_ns);
}

/* Is the clock too inexact for the queue's sample to be acted on? Where polls can speak instead,
 * they do: the sojourn counts less its error, so a large one would raise the target.
 */
rxaqm_always_inline bool rxaqm_sample_inexact(const struct rxaqm_queue *q)
{
	return q->sample_err_ns > q->target_ns / 2 && rxaqm_policy_by_polls(&q->policy);
}

/* May the newest sample be acted on at @now_ns? */
rxaqm_always_inline bool rxaqm_sample_usable(const struct rxaqm_queue *q, __u64 now_ns)
{
	return (q->flags & RXAQM_QUEUE_SAMPLED) && q->policy.signal != RXAQM_SIGNAL_BUSY &&
	       rxaqm_ns_since(now_ns, q->sample_ns) <= q->sample_age_max_ns &&
	       !rxaqm_sample_distrusted(q, now_ns) && !rxaqm_sample_inexact(q);
}

/* Count @packets that stood @sojourn_ns. */
static inline void rxaqm_sample_count(struct rxaqm_queue *q, __u64 bucket, __u64 packets)
{
	RXAQM_HIDE(bucket);
	if (bucket < RXAQM_HIST_BUCKETS)
		q->hist[bucket] += packets;
}

#endif /* RXAQM_SAMPLE_H */
