/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * One stamp of one packet, brought to its queue and to the clock of its interface.
 *
 * Several queues share a clock, and each notices a step by itself. The first that does gives
 * up the mapping in use and raises the clock's epoch. The others see that, and forget what
 * they had against a mapping that is gone.
 */
#ifndef RXAQM_MEASURE_H
#define RXAQM_MEASURE_H

#include "clock_map.h"
#include "sample.h"

/* Copy the mapping of @clock that is in use. False if there is none, or if this CPU was held up for
 * so long that the copy was overwritten.
 */
rxaqm_always_inline bool rxaqm_clock_copy(const __u32 *published, const struct rxaqm_clock *clock,
					  struct rxaqm_clock *ret_clock)
{
	__u32 in_use = RXAQM_READ_ONCE(*published);

	if (!in_use)
		return false;
	*ret_clock = clock[in_use & 1];
	__asm__ volatile("" ::: "memory");
	return RXAQM_READ_ONCE(*published) == in_use;
}

static inline bool rxaqm_clock_read(const struct rxaqm_clock_entry *entry,
				    struct rxaqm_clock *clock)
{
	return rxaqm_clock_copy(&entry->published, entry->clock, clock);
}

/* The PHC's mapping, if there is one to use. */
static inline bool rxaqm_clock_phc_copy(const struct rxaqm_clock_phc *phc,
					const struct rxaqm_clock_entry *entry,
					struct rxaqm_clock *clock, __u64 now_ns)
{
	return !rxaqm_ns_after(entry->phc_refused_until_ns, now_ns) &&
	       rxaqm_clock_copy(&phc->published, phc->clock, clock) &&
	       !rxaqm_ns_reached(now_ns, clock->expires_ns);
}

/* Another CPU at the estimate means that its point will do: no one waits here. */
static inline bool rxaqm_clock_trylock(struct rxaqm_clock_entry *entry)
{
	return __sync_val_compare_and_swap(&entry->lock, 0, 1) == 0;
}

static inline void rxaqm_clock_unlock(struct rxaqm_clock_entry *entry)
{
	__sync_lock_test_and_set(&entry->lock, 0);
}

/* The number that published takes next; never 0, which says "none". */
static inline __u32 rxaqm_clock_next(const struct rxaqm_clock_entry *entry)
{
	__u32 next = entry->last + 1;

	return next ? next : 2;
}

static inline void rxaqm_clock_publish(struct rxaqm_clock_entry *entry, __u32 number)
{
	entry->last = number;
	__sync_lock_test_and_set(&entry->published, number);
}

/* Hand the queue's window over, once per 33 ms. Returns 0, like the others. */
rxaqm_global int rxaqm_clock_hand_over(struct rxaqm_clock_entry *entry, struct rxaqm_queue *q,
				       __u64 now_ns)
{
	__u32 next;

	if (!entry || !q || !rxaqm_clock_trylock(entry))
		return 0;
	next = rxaqm_clock_next(entry);
	if (rxaqm_clock_est_add(&entry->est, &q->window.least, now_ns, &entry->clock[next & 1]))
		rxaqm_clock_publish(entry, next);
	rxaqm_clock_unlock(entry);
	q->window.nr = 0;
	return 0;
}

/* A clock was stepped: give the estimate up and begin anew with what the queue has seen since. The
 * caller holds the lock.
 */
rxaqm_global int rxaqm_clock_restart(struct rxaqm_clock_entry *entry, struct rxaqm_queue *q,
				     __u64 now_ns)
{
	__u32 next;

	if (!entry || !q)
		return 0;
	next = rxaqm_clock_next(entry);
	if (rxaqm_clock_est_restart(&entry->est, &q->window, now_ns, &entry->clock[next & 1]))
		rxaqm_clock_publish(entry, next);
	else
		__sync_lock_test_and_set(&entry->published, 0);
	entry->resets++;
	q->clock_epoch = ++entry->epoch;
	q->stat[RXAQM_STAT_CLOCK_RESETS]++;
	return 0;
}

/* The daemon saw a step: what the packets before it taught is of no use, nor is what they said
 * against the PHC.
 */
rxaqm_global int rxaqm_phc_follow(struct rxaqm_clock_entry *entry, struct rxaqm_queue *q,
				  __u32 resets, __u64 now_ns)
{
	if (!entry || !q || !rxaqm_clock_trylock(entry))
		return 0;
	if (entry->phc_resets != resets) {
		entry->phc_resets = resets;
		entry->phc_refused_until_ns = 0;
		q->window.nr = 0;
		rxaqm_clock_restart(entry, q, now_ns);
	}
	rxaqm_clock_unlock(entry);
	return 0;
}

/* Stamps contradict the mapping in use: give that up. If it is the PHC's, the estimate is
 * next to be held against them; it may be right.
 */
rxaqm_global int rxaqm_clock_contradicted(struct rxaqm_clock_entry *entry, struct rxaqm_queue *q,
					  __u32 by_phc, __u64 now_ns)
{
	if (!entry || !q || !rxaqm_clock_trylock(entry))
		return 0;
	if (entry->epoch == q->clock_epoch) { /* else another queue was first */
		if (by_phc) {
			entry->phc_refused_until_ns = now_ns + RXAQM_PHC_REFUSED_NS;
			entry->phc_refusals++;
		}
		/* Stamps that go back tell of a step, which no mapping has outlived. */
		if (!by_phc || q->distrust_reason == RXAQM_DISTRUST_BACKWARDS)
			rxaqm_clock_restart(entry, q, now_ns);
		else
			entry->epoch++;
	}
	rxaqm_clock_unlock(entry);
	return 0;
}

/* Forget what the queue knew by a mapping that another has given up. */
static inline void rxaqm_clock_follow(const struct rxaqm_clock_entry *entry, struct rxaqm_queue *q)
{
	__u32 epoch = RXAQM_READ_ONCE(entry->epoch);

	if (q->clock_epoch == epoch)
		return;
	q->clock_epoch = epoch;
	q->window.nr = 0;
	q->last_hw_ns = 0;
	q->bad_stamps = 0;
}

/* The queue has a sample of the packet at hand: count it, or let it speak for the poll. */
static inline void rxaqm_sample_note(struct rxaqm_queue *q, __u64 now_ns)
{
	__u32 bucket = rxaqm_hist_bucket(q->sample_sojourn_ns);

	if (rxaqm_sample_distrusted(q, now_ns))
		return;
	if (!(q->flags & RXAQM_QUEUE_STANDING)) {
		q->poll_bucket = bucket + 1;
	} else if (rxaqm_sample_inexact(q)) {
		return;
	} else {
		rxaqm_sample_count(q, bucket, q->clock_mask + 1ULL);
	}
	q->signal = RXAQM_SIGNAL_STAMP;
}

/* The packet at hand, of @q, was stamped @hw_ns by the NIC; 0: it was not. */
static inline void rxaqm_measure_stamp(struct rxaqm_clock_entry *entry,
				       const struct rxaqm_clock_phc *phc, struct rxaqm_queue *q,
				       __u64 hw_ns, __u64 now_ns)
{
	enum rxaqm_sample sample;
	struct rxaqm_clock clock;
	bool by_phc, have_clock;

	if (phc->resets != entry->phc_resets)
		rxaqm_phc_follow(entry, q, phc->resets, now_ns);
	rxaqm_clock_follow(entry, q);
	by_phc = rxaqm_clock_phc_copy(phc, entry, &clock, now_ns);
	have_clock = by_phc || rxaqm_clock_read(entry, &clock);
	sample = rxaqm_sample_stamp(q, have_clock ? &clock : NULL, hw_ns, now_ns);
	if (sample == RXAQM_SAMPLE_STEPPED)
		rxaqm_clock_contradicted(entry, q, by_phc, now_ns);
	if (sample == RXAQM_SAMPLE_STEPPED || sample == RXAQM_SAMPLE_BAD || !hw_ns)
		return;
	if (sample == RXAQM_SAMPLE_GOOD)
		rxaqm_sample_note(q, now_ns);
	if ((q->flags & (RXAQM_QUEUE_DRAINED_BEFORE | RXAQM_QUEUE_UPSTREAM)) ==
	    RXAQM_QUEUE_DRAINED_BEFORE) {
		q->flags &= ~RXAQM_QUEUE_DRAINED_BEFORE;
		rxaqm_sample_learn(q, hw_ns, now_ns, have_clock ? clock.rate_q32 : 0);
	}
	if (q->window.nr && rxaqm_ns_since(now_ns, q->window.start_ns) >= RXAQM_EST_QUEUE_WINDOW_NS)
		rxaqm_clock_hand_over(entry, q, now_ns);
}

#endif /* RXAQM_MEASURE_H */
