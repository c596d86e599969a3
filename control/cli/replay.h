/* SPDX-License-Identifier: GPL-2.0-only */
/* The decisions of xdp/shared/decide.h over a trace, as XDP would have taken them. */
#ifndef RXAQM_REPLAY_H
#define RXAQM_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "decide.h"
#include "cli/trace.h"

/* One queue, with the sojourns it has seen. */
struct rxaqm_replay_queue {
	struct rxaqm_queue queue;
	__u64 *sojourn_ns;
	size_t nr_packets;
	size_t size; /* of sojourn_ns */
	__u64 marked;
	__u64 dropped;
};

struct rxaqm_replay {
	struct rxaqm_policy policy; /* of every queue */
	__u32 ring_entries; /* 0: unknown */
	bool unguarded; /* law=codel without its guard */
	bool keep_sojourns; /* for percentiles */
	struct rxaqm_replay_queue *queue[RXAQM_MAX_QUEUES]; /* NULL: no packet yet */
};

/* Judge @packet. RXAQM_PASS, _MARK or _DROP, or -ENOMEM. */
int rxaqm_replay_packet(struct rxaqm_replay *replay, const struct rxaqm_trace_packet *packet);

/* The least sojourn that @permille of the packets do not exceed. Sorts the sojourns. */
__u64 rxaqm_replay_percentile(struct rxaqm_replay_queue *queue, unsigned int permille);

void rxaqm_replay_free(struct rxaqm_replay *replay);

#endif /* RXAQM_REPLAY_H */
