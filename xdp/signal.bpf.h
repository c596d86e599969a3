/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a queue's signals to the sojourn to act on, or to the reason why there is none. Include it
 * after config (rxaqm.bpf.c).
 */
#ifndef RXAQM_SIGNAL_BPF_H
#define RXAQM_SIGNAL_BPF_H

#include "shared/maps.bpf.h"

/* A packet of a standing queue cannot be judged: count why. */
static void count_unknown(struct rxaqm_queue *q, __u64 now_ns)
{
	q->law.unasked_ns = now_ns;
	if (rxaqm_sample_distrusted(q, now_ns))
		q->stat[RXAQM_STAT_PASS_IMPLAUSIBLE]++;
	else if (q->flags & RXAQM_QUEUE_NO_CLOCK)
		q->stat[RXAQM_STAT_PASS_NO_CLOCK]++;
	else if (q->flags & RXAQM_QUEUE_SAMPLED)
		q->stat[RXAQM_STAT_PASS_STALE]++;
	else
		q->stat[RXAQM_STAT_PASS_NO_SIGNAL]++;
}

/* Assumed entries of a ring whose driver does not say: without a bound on the sojourn, the time at
 * which packets came would stand still for the law.
 */
#define RING_UNKNOWN 512

/* The source of a packet's sojourn. */
enum signal_by {
	BY_NOTHING,
	BY_STAMP,
	BY_POLLS,
};

/* Set @ret_sojourn_ns to the sojourn to act on, less its error, by the best signal that is valid
 * now. Polls say nothing about a queue that is not @standing.
 */
rxaqm_always_inline enum signal_by pick_sojourn(struct rxaqm_queue *q, bool standing, __u64 now_ns,
						__u64 *ret_sojourn_ns)
{
	__u64 sojourn_ns, bound_ns;

	if (rxaqm_sample_usable(q, now_ns)) {
		if (q->sample_sojourn_ns > q->sample_err_ns)
			*ret_sojourn_ns = q->sample_sojourn_ns - q->sample_err_ns;
		return BY_STAMP;
	}
	if (!standing || !rxaqm_policy_by_polls(&q->policy) || !(q->flags & RXAQM_QUEUE_POLLED))
		return BY_NOTHING;
	/* No stamp can be trusted: the queue has stood since a poll last drained it, or for
	 * as long as a full ring takes to be served, if that is less.
	 */
	sojourn_ns = rxaqm_ns_since(now_ns, q->drained_ns);
	bound_ns = (__u64)(config.ring_entries ?: RING_UNKNOWN) * q->packet_ns;
	if (bound_ns && sojourn_ns > bound_ns)
		sojourn_ns = bound_ns;
	q->signal = RXAQM_SIGNAL_BUSY;
	rxaqm_sample_count(q, rxaqm_hist_bucket(sojourn_ns), 1);
	*ret_sojourn_ns = sojourn_ns;
	return BY_POLLS;
}

#endif /* RXAQM_SIGNAL_BPF_H */
