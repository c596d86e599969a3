/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A queue that goes to an AF_XDP socket goes on behind XDP: in the socket's ring, where packets
 * wait for an application. What that says of their wait (xsk.h) counts like the time in the NIC,
 * and the sum of the two is what the law sees. So a queue can be too long although polls drain it.
 *
 * What the application says is believed as far as it harms nobody else: it can have packets of
 * its own queue dropped, up to max_drop, as it could itself.
 */
#ifndef RXAQM_WAIT_H
#define RXAQM_WAIT_H

#include "poll.h"
#include "xsk.h"

/* While neither NIC nor consumer is behind, one of so many packets of a poll is looked at, and what
 * was learnt then, the time included, holds for those behind it. A power of two.
 */
#define RXAQM_WAIT_SAMPLE 16

/* The consumer may be ahead by this: CPUs order reads of clock and memory as they like. */
#define RXAQM_WAIT_SLACK_NS RXAQM_NSEC_PER_MSEC

enum rxaqm_wait_state {
	RXAQM_WAIT_NONE, /* nothing was ever said */
	RXAQM_WAIT_VALID,
	RXAQM_WAIT_STALE,
	RXAQM_WAIT_BAD,
};

/* What to make of @wait_ns, published at @updated_ns, at @now_ns. */
rxaqm_always_inline enum rxaqm_wait_state rxaqm_wait_check(__u64 wait_ns, __u64 updated_ns,
							   __u64 interval_ns, __u64 now_ns)
{
	if (!updated_ns)
		return RXAQM_WAIT_NONE;
	if (wait_ns > RXAQM_SOJOURN_MAX_NS ||
	    rxaqm_ns_after(updated_ns, now_ns + RXAQM_WAIT_SLACK_NS))
		return RXAQM_WAIT_BAD;
	if (rxaqm_ns_since(now_ns, updated_ns) > rxaqm_sample_max_age_ns(interval_ns, 0))
		return RXAQM_WAIT_STALE;
	return RXAQM_WAIT_VALID;
}

/* The same, counted: the consumer's wait as far as it counts. False if it does not. */
rxaqm_always_inline bool rxaqm_wait_read(struct rxaqm_queue *q, __u64 wait_ns, __u64 updated_ns,
					 __u64 now_ns, __u64 *ret_wait_ns)
{
	enum rxaqm_wait_state state = rxaqm_wait_check(wait_ns, updated_ns, q->policy.interval_ns,
						       now_ns);

	*ret_wait_ns = state == RXAQM_WAIT_VALID ? wait_ns : 0;
	if (state == RXAQM_WAIT_STALE)
		q->stat[RXAQM_STAT_WAIT_STALE]++;
	else if (state == RXAQM_WAIT_BAD)
		q->stat[RXAQM_STAT_WAIT_BAD]++;
	return state == RXAQM_WAIT_VALID;
}

/* A packet of a queue that a socket serves, whose consumer has it wait @wait_ns (0: not known),
 * and @total_ns with the time in the NIC. True if it is to be judged by the latter. Where neither
 * NIC nor consumer is behind any more, the law forgets at once.
 */
rxaqm_always_inline bool rxaqm_wait_follow(struct rxaqm_queue *q, __u64 wait_ns, __u64 total_ns)
{
	bool standing = q->flags & RXAQM_QUEUE_STANDING;

	if (wait_ns && total_ns >= q->target_ns) {
		q->flags |= RXAQM_QUEUE_WAITING;
		return true;
	}
	if (q->flags & RXAQM_QUEUE_WAITING) {
		q->flags &= ~RXAQM_QUEUE_WAITING;
		if (!standing)
			rxaqm_poll_forget(q);
	}
	return standing;
}

/* May the next packet go to the socket unlooked at? The first of a poll never may. */
rxaqm_always_inline bool rxaqm_wait_idle(const struct rxaqm_queue *q)
{
	return (q->flags & RXAQM_QUEUE_IDLE) && (q->taken & (RXAQM_WAIT_SAMPLE - 1));
}

/* What a look at a packet has come to: @idle if nothing was found that is to be judged, told or
 * counted packet by packet.
 */
rxaqm_always_inline void rxaqm_wait_sampled(struct rxaqm_queue *q, bool idle)
{
	if (idle)
		q->flags |= RXAQM_QUEUE_IDLE;
	else
		q->flags &= ~RXAQM_QUEUE_IDLE;
}

/* At the first packet of a poll: is there a socket? One that has left takes its wait along. */
rxaqm_always_inline void rxaqm_wait_bound(struct rxaqm_queue *q, bool bound)
{
	rxaqm_wait_sampled(q, false);
	if (bound) {
		q->flags |= RXAQM_QUEUE_SOCKET;
		return;
	}
	q->flags &= ~RXAQM_QUEUE_SOCKET;
	rxaqm_wait_follow(q, 0, 0);
}

#endif /* RXAQM_WAIT_H */
