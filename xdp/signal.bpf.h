/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a queue's signals to the sojourn to act on, or to the reason why there is none. To be
 * included behind config (rxaqm.bpf.c).
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

/* The newest sample, less its error. False if there is none that is valid now. */
rxaqm_always_inline bool pick_sample(const struct rxaqm_queue *q, __u64 now_ns,
				     __u64 *ret_sojourn_ns)
{
	if (!rxaqm_sample_usable(q, now_ns))
		return false;
	*ret_sojourn_ns = q->sample_sojourn_ns > q->sample_err_ns ?
				  q->sample_sojourn_ns - q->sample_err_ns :
				  0;
	return true;
}

/* The sojourn to act on while the queue stands, less its error, by the best signal that is valid
 * now. False if there is none.
 */
rxaqm_always_inline bool pick_sojourn(struct rxaqm_queue *q, __u64 now_ns, __u64 *ret_sojourn_ns)
{
	__u64 sojourn_ns, bound_ns;

	q->poll_bucket = 0;
	if (pick_sample(q, now_ns, ret_sojourn_ns))
		return true;
	if (!rxaqm_policy_by_polls(&q->policy) || !(q->flags & RXAQM_QUEUE_POLLED))
		return false;
	/* No stamp can be trusted: the queue has stood since a poll last drained it, or for
	 * as long as a full ring takes to be served, if that is less.
	 */
	sojourn_ns = rxaqm_ns_since(now_ns, q->drained_ns);
	bound_ns = (__u64)config.ring_entries * q->packet_ns;
	if (bound_ns && sojourn_ns > bound_ns)
		sojourn_ns = bound_ns;
	q->signal = RXAQM_SIGNAL_BUSY;
	q->poll_bucket = rxaqm_hist_bucket(sojourn_ns) + 1;
	rxaqm_sample_count(q, q->poll_bucket - 1, 1);
	*ret_sojourn_ns = sojourn_ns;
	return true;
}

#endif /* RXAQM_SIGNAL_BPF_H */
