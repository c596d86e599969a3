/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contract of queue_map: everything that happens to one receive queue.
 *
 * Array of RXAQM_MAX_QUEUES; an interface has the run that rxaqm_iface names. The
 * writer is the NAPI context of the queue: the XDP program and the tracing programs
 * that run between two polls of it, on one CPU at a time, so nothing here is
 * atomic. Control clears an entry before the interface can use it, and only reads
 * from then on. All zero: never seen a packet.
 *
 * The first cache line is all that a packet of a queue that does not stand touches.
 */
#ifndef RXAQM_QUEUE_H
#define RXAQM_QUEUE_H

#include "clock_est.h"
#include "codel.h"
#include "hist.h"
#include "law_state.h"
#include "policy.h"
#include "stats.h"

#define RXAQM_QUEUE_POLICY_VALID (1U << 0) /* policy is a copy of generation policy_gen */
#define RXAQM_QUEUE_STANDING (1U << 1) /* the last poll left packets behind */
#define RXAQM_QUEUE_DRAINED_BEFORE (1U << 2) /* the poll before this one drained the queue */
#define RXAQM_QUEUE_SAMPLED (1U << 3) /* sample_* hold a valid sample */
#define RXAQM_QUEUE_DRAIN_KNOWN (1U << 4) /* empty_ns is valid */
#define RXAQM_QUEUE_POLLED (1U << 5) /* poll_end_ns is valid */
#define RXAQM_QUEUE_UPSTREAM (1U << 6) /* stamps are from before packets came to this queue */
#define RXAQM_QUEUE_NO_CLOCK (1U << 7) /* the last stamp met no valid clock */
#define RXAQM_QUEUE_MIXED (1U << 8) /* fed by several rings: stamps may go back */
#define RXAQM_QUEUE_SOCKET (1U << 9) /* in this poll: xsk_map has a socket */
#define RXAQM_QUEUE_WAITING (1U << 10) /* its consumer's wait puts it over target */
#define RXAQM_QUEUE_IDLE (1U << 11) /* in this poll: packets may go there without a look (wait.h) */
#define RXAQM_QUEUE_MERGES (1U << 12) /* PSH may be cleared: by the policy, and where packets end */
#define RXAQM_QUEUE_ENFORCED (1U << 13) /* the law's state is of an enforced queue */
#define RXAQM_QUEUE_UNGUARDED (1U << 14) /* law=codel without its guard: replay only */
#define RXAQM_QUEUE_REPLAYED \
	(1U << 15) /* dropped packets stood in the recorded queue all the same */

/* A poll without an end is closed after this many packets (tun outside NAPI); no NAPI
 * takes more in one poll (mana: 512 completions of up to 8 packets).
 */
#define RXAQM_POLL_PACKETS_MAX 4096

/* Why stamps are not believed, in distrust_reason. */
enum rxaqm_distrust {
	RXAQM_DISTRUST_NONE,
	RXAQM_DISTRUST_NEGATIVE, /* stamped later than received */
	RXAQM_DISTRUST_ABSURD, /* over 10 s */
	RXAQM_DISTRUST_BACKWARDS, /* stamped before the packet ahead of it */
};

struct rxaqm_queue {
	/* The poll going on. */
	__u32 skip; /* packets that may still pass without a look */
	__u32 taken; /* packets of the poll without those skipped */
	__u32 skipped_from; /* value that skip started from */
	__u32 flags; /* RXAQM_QUEUE_* */
	__u32 policy_gen; /* generation of the copy below */
	__u32 iface; /* index in iface_map */
	__u32 cpu; /* that polled last */
	__u32 poll_drops; /* dropped in this poll */
	__u16 poll_bucket; /* histogram bucket of packets that skip lets pass, plus 1; 0: none */
	__u16 signal; /* enum rxaqm_signal used last; AUTO: none yet */
	__u32 stood_lead_ns; /* how much longer it stood than flowed, lately (stand.h) */
	__u64 napi; /* NAPI instance that polled last; an identity, never followed */
	__u64 poll_end_ns;
	__u64 drained_ns; /* end of the last poll that drained the queue */

	/* Measured. All times CLOCK_MONOTONIC. */
	__u64 sample_ns; /* when it was taken */
	__u64 sample_sojourn_ns;
	__u64 sample_err_ns; /* error bound of it */
	__u64 stood_since_ns; /* it stands since then (stand.h); 0: it does not */
	__u64 last_hw_ns; /* NIC stamp of it */
	__u64 distrust_until_ns; /* stamps are not believed before */
	__u16 distrust_reason; /* enum rxaqm_distrust, kept for status */
	__u16 bad_stamps; /* in a row */
	__u32 sample_age_max_ns; /* a sample older than that says nothing (sample.h) */
	__u32 round_ns; /* typical time between two busy polls; 0: unknown */
	__u32 packet_ns; /* the same per packet */
	__u32 long_packet_ns; /* the same while it last stood at over two targets; 0: not yet */
	__u32 stood_sojourn_ns; /* averaged over the last second in which it stood; at most 4 s */
	__u64 empty_ns; /* the queue was empty then: nothing in it is older */
	__u64 begin_ns; /* when a stamp was first looked at in the poll going on; 0: none yet */
	__u32 clock_epoch; /* epoch of the clock that window, last_hw_ns and bad_stamps belong to */
	__u32 clock_mask; /* the clock is read for packets whose number has none of these bits */
	__u64 clock_ns; /* the last reading */
	struct rxaqm_clock_window window;

	/* Decided. */
	__u64 target_ns, interval_ns; /* in use: the policy's, or derived (target=auto) */
	struct rxaqm_law_vars law;
	struct rxaqm_codel_vars codel; /* law=codel */
	__u32 credit[RXAQM_NR_DROPPABLE]; /* law=codel: drops that each class may still bear, */
	__u32 share[RXAQM_NR_DROPPABLE]; /* and the share of its packets that it earns */
	__u32 target_quarters; /* of the floor: the NIC's rule (floor.h) */
	__u32 moderation_ns; /* of the NIC's interrupt */
	struct rxaqm_policy policy;

	__u64 stat[RXAQM_STATS_ROOM];
	__u64 hist[RXAQM_HIST_BUCKETS]; /* packets by sojourn */
};
/* Whole cache lines: neighbours are polled by other CPUs. */
RXAQM_ASSERT_SIZE(struct rxaqm_queue, 1728);

#endif /* RXAQM_QUEUE_H */
