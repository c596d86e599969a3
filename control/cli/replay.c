/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/replay.h"

#include <errno.h>
#include <stdlib.h>

static int keep_sojourn(struct rxaqm_replay_queue *queue, __u64 sojourn_ns)
{
	__u64 *grown;
	size_t size;

	if (queue->nr_packets == queue->size) {
		size = queue->size ? 2 * queue->size : 1024;
		grown = reallocarray(queue->sojourn_ns, size, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		queue->sojourn_ns = grown;
		queue->size = size;
	}
	queue->sojourn_ns[queue->nr_packets] = sojourn_ns;
	return 0;
}

int rxaqm_replay_packet(struct rxaqm_replay *replay, const struct rxaqm_trace_packet *packet)
{
	struct rxaqm_replay_queue *queue = replay->queue[packet->queue];
	enum rxaqm_verdict verdict = RXAQM_PASS;
	bool enforced;
	__u32 judged;

	if (!queue) {
		queue = calloc(1, sizeof(*queue));
		if (!queue)
			return -ENOMEM;
		queue->queue.policy = replay->policy;
		queue->queue.flags = RXAQM_QUEUE_REPLAYED |
				     (replay->unguarded ? RXAQM_QUEUE_UNGUARDED : 0) |
				     (replay->policy.ect0 == RXAQM_ECT0_DCTCP ?
					      0 :
					      RXAQM_QUEUE_ECT0_CLASSIC);
		if (rxaqm_decide_enforced(&replay->policy, packet->now_ns))
			queue->queue.flags |= RXAQM_QUEUE_ENFORCED;
		rxaqm_target_update(&queue->queue, replay->ring_entries);
		rxaqm_decide_reset(&queue->queue);
		replay->queue[packet->queue] = queue;
	}
	if (replay->keep_sojourns && keep_sojourn(queue, packet->sojourn_ns))
		return -ENOMEM;
	queue->nr_packets++;

	enforced = rxaqm_decide_enforced(&queue->queue.policy, packet->now_ns);
	judged = rxaqm_decide_sojourn(&queue->queue, packet->sojourn_ns, packet->drained,
				      replay->ring_entries, packet->now_ns);
	if (judged)
		verdict = rxaqm_decide_packet(&queue->queue, judged, packet->kind, packet->ecn, 0,
					      enforced, packet->now_ns);
	/* A trace knows no flows, so none of its ACKs is known to be redundant. */
	if (!enforced || verdict >= RXAQM_NOTE)
		verdict = RXAQM_PASS;
	queue->marked += verdict == RXAQM_MARK;
	queue->dropped += verdict == RXAQM_DROP;
	return verdict;
}

static int by_value(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

__u64 rxaqm_replay_percentile(struct rxaqm_replay_queue *queue, unsigned int permille)
{
	size_t rank = (queue->nr_packets * permille + 999) / 1000;

	if (!queue->nr_packets)
		return 0;
	qsort(queue->sojourn_ns, queue->nr_packets, sizeof(*queue->sojourn_ns), by_value);
	return queue->sojourn_ns[rank ? rank - 1 : 0];
}

void rxaqm_replay_free(struct rxaqm_replay *replay)
{
	size_t i;

	for (i = 0; i < RXAQM_MAX_QUEUES; i++) {
		if (replay->queue[i])
			free(replay->queue[i]->sojourn_ns);
		free(replay->queue[i]);
		replay->queue[i] = NULL;
	}
}
