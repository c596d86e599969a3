/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * One stamp of one packet, brought to its queue and to the clock estimate. Used by
 * rx_stamp.bpf.c and, in generic mode, where the stamp is seen before XDP runs, by
 * the XDP program; both in the NAPI context of the queue.
 */
#ifndef RXAQM_MEASURE_BPF_H
#define RXAQM_MEASURE_BPF_H

#include "maps.bpf.h"

/* Copy the mapping in use. False if there is none. */
static inline bool rxaqm_clock_read(const struct rxaqm_clock_entry *entry,
				    struct rxaqm_clock *clock)
{
	__u32 published = RXAQM_READ_ONCE(entry->published);

	if (!published)
		return false;
	*clock = entry->clock[published & 1];
	return true;
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
	__u32 next = entry->published + 1;

	return next ? next : 2;
}

/* Hand the queue's window over, once per 33 ms. Global, like the next two, so that the verifier
 * looks at each once, and not for every state it may be called in. Returns 0.
 */
__attribute__((noinline)) int rxaqm_clock_hand_over(struct rxaqm_clock_entry *entry,
						    struct rxaqm_queue *q, __u64 now_ns)
{
	__u32 next;

	if (!entry || !q || !rxaqm_clock_trylock(entry))
		return 0;
	next = rxaqm_clock_next(entry);
	if (rxaqm_clock_est_add(&entry->est, &q->window.least, now_ns, &entry->clock[next & 1]))
		__sync_lock_test_and_set(&entry->published, next);
	rxaqm_clock_unlock(entry);
	q->window.nr = 0;
	return 0;
}

/* A clock was stepped: forget the mapping and begin anew with what the queue has seen since.
 * Returns 1, or 0 if another CPU was at the estimate.
 */
__attribute__((noinline)) int rxaqm_clock_restart(struct rxaqm_clock_entry *entry,
						  struct rxaqm_queue *q, __u64 now_ns)
{
	__u32 next;

	if (!entry || !q || !rxaqm_clock_trylock(entry))
		return 0;
	next = rxaqm_clock_next(entry);
	if (!rxaqm_clock_est_restart(&entry->est, &q->window, now_ns, &entry->clock[next & 1]))
		next = 0;
	__sync_lock_test_and_set(&entry->published, next);
	entry->resets++;
	rxaqm_clock_unlock(entry);
	q->stat[RXAQM_STAT_CLOCK_RESETS]++;
	return 1;
}

/* Copy the PHC's mapping, if there is one to use. */
static inline bool rxaqm_phc_read(const struct rxaqm_clock_phc *phc,
				  const struct rxaqm_clock_entry *entry, struct rxaqm_clock *clock,
				  __u64 now_ns)
{
	__u32 published = RXAQM_READ_ONCE(phc->published);

	if (!published || rxaqm_ns_after(entry->phc_refused_until_ns, now_ns))
		return false;
	*clock = phc->clock[published & 1];
	__asm__ volatile("" ::: "memory");
	/* The hypervisor may have held this CPU up for so long that the copy was overwritten. */
	return RXAQM_READ_ONCE(phc->published) == published &&
	       !rxaqm_ns_reached(now_ns, clock->expires_ns);
}

/* The daemon saw a step: what the packets before it taught is of no use, nor is what they said
 * against the PHC. Returns 0.
 */
__attribute__((noinline)) int rxaqm_phc_follow(struct rxaqm_clock_entry *entry,
					       struct rxaqm_queue *q, __u32 resets, __u64 now_ns)
{
	if (!entry || !q)
		return 0;
	q->window.nr = 0;
	if (!rxaqm_clock_restart(entry, q, now_ns))
		return 0;
	entry->phc_resets = resets;
	entry->phc_refused_until_ns = 0;
	return 0;
}

/* Stamps contradict the mapping in use: give that up. If it is the PHC's, the estimate is
 * next to be held against them; it may be right. Returns 0.
 */
__attribute__((noinline)) int rxaqm_clock_contradicted(struct rxaqm_clock_entry *entry,
						       struct rxaqm_queue *q, __u32 by_phc,
						       __u64 now_ns)
{
	if (!entry || !q)
		return 0;
	/* That stamps go back tells nothing about a mapping, but that there was a step. */
	if (!by_phc || q->distrust_reason == RXAQM_DISTRUST_BACKWARDS)
		return rxaqm_clock_restart(entry, q, now_ns);
	q->window.nr = 0;
	entry->phc_refused_until_ns = now_ns + RXAQM_PHC_REFUSED_NS;
	entry->phc_refusals++;
	return 0;
}

/* The packet at hand, of @q, was stamped @hw_ns by the NIC; 0: it was not. Returns 0. */
__attribute__((noinline)) int rxaqm_measure(struct rxaqm_queue *q, __u64 hw_ns, __u64 now_ns)
{
	struct rxaqm_clock_entry *entry;
	struct rxaqm_clock_phc *phc;
	enum rxaqm_sample sample;
	struct rxaqm_clock clock;
	bool by_phc, have_clock;
	__u32 iface;

	if (!q)
		return 0;
	iface = q->iface;
	entry = bpf_map_lookup_elem(&clock_est_map, &iface);
	phc = bpf_map_lookup_elem(&clock_phc_map, &iface);
	if (!entry || !phc)
		return 0;
	if (phc->resets != entry->phc_resets)
		rxaqm_phc_follow(entry, q, phc->resets, now_ns);
	by_phc = rxaqm_phc_read(phc, entry, &clock, now_ns);
	have_clock = by_phc || rxaqm_clock_read(entry, &clock);
	sample = rxaqm_sample_stamp(q, have_clock ? &clock : NULL, hw_ns, now_ns);
	if (sample == RXAQM_SAMPLE_STEPPED) {
		rxaqm_clock_contradicted(entry, q, by_phc, now_ns);
		return 0;
	}
	if (sample == RXAQM_SAMPLE_GOOD && !rxaqm_sample_distrusted(q, now_ns)) {
		__u32 bucket = rxaqm_hist_bucket(q->sample_sojourn_ns);

		q->signal = RXAQM_SIGNAL_STAMP;
		if (q->flags & RXAQM_QUEUE_STANDING)
			rxaqm_sample_count(q, bucket, q->clock_mask + 1ULL);
		else
			q->poll_bucket = bucket + 1;
	}
	if (sample == RXAQM_SAMPLE_BAD || !hw_ns)
		return 0;
	if (q->flags & RXAQM_QUEUE_DRAINED_BEFORE) {
		q->flags &= ~RXAQM_QUEUE_DRAINED_BEFORE;
		rxaqm_sample_learn(q, hw_ns, now_ns, have_clock ? clock.rate_q32 : 0);
	}
	if (q->window.nr && rxaqm_ns_since(now_ns, q->window.start_ns) >= RXAQM_EST_QUEUE_WINDOW_NS)
		rxaqm_clock_hand_over(entry, q, now_ns);
	return 0;
}

#endif /* RXAQM_MEASURE_BPF_H */
