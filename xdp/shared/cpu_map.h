/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contract of cpu_map: what happens on a CPU between two ends of polls. Per CPU, one
 * entry, touched in softirq context (bottom halves off) only, so by one program at
 * a time: XDP notes the queues being polled, rx_stamp finds the queue of an skb by it,
 * napi_poll takes the note away. This is also what keeps the tracing programs cheap
 * for interfaces that are not attached: an empty note ends them at once.
 */
#ifndef RXAQM_CPU_MAP_H
#define RXAQM_CPU_MAP_H

#include "types.h"

#define RXAQM_CPU_QUEUES 8 /* rings that one NAPI may serve */

struct rxaqm_cpu {
	__u32 nr_queues;
	__u32 queue[RXAQM_CPU_QUEUES]; /* indices in queue_map; the last is polled now */
	__u32 want_ifindex; /* rx_stamp: take the stamp of the next skb of it; 0: none */
	/* Generic XDP: the stamp was seen first and waits for the XDP program. */
	__u32 generic_ifindex; /* of that skb; 0: none waits */
	__u32 stamp_skip; /* rx_stamp: skbs to let pass before the next stamp is taken */
	__u64 generic_tstamp_ns; /* its skb->tstamp */
	__u64 generic_hwtstamp_ns; /* its hardware timestamp */
};
RXAQM_ASSERT_SIZE(struct rxaqm_cpu, 64);

/* Contract of standing_map: NAPI instance -> its queues that stand, since a poll that finds such a
 * queue empty runs no XDP program, and its end must still be known as the queue's. Written and
 * read by napi_poll. A queue that does not stand, or has another napi by now, is in it by mistake.
 */
struct rxaqm_standing {
	__u32 nr;
	__u32 queue[RXAQM_CPU_QUEUES]; /* indices in queue_map */
};
RXAQM_ASSERT_SIZE(struct rxaqm_standing, 36);

#endif /* RXAQM_CPU_MAP_H */
