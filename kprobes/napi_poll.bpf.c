// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * napi_poll: the end of every NAPI poll, of every device.
 *
 * If the XDP program left a note on this CPU, the poll was of one of our queues (or of
 * several, where a NAPI serves several rings): tell whether it was drained. If there is
 * no note, the poll was of another device, or it found one of our queues empty; the
 * latter matters only for a queue that stands, and those are in standing_map.
 *
 * Cost for other devices: two lookups a poll, no clock read.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kernel.h"
#include "maps.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Keep standing_map in step with the queue's state after a poll of @napi. */
static void watch(struct rxaqm_queue *q, __u32 index, __u64 napi)
{
	bool standing = q->flags & RXAQM_QUEUE_STANDING;

	if ((q->flags & RXAQM_QUEUE_WATCHED) && (!standing || q->napi != napi)) {
		__u64 old = q->napi;

		bpf_map_delete_elem(&standing_map, &old);
		q->flags &= ~RXAQM_QUEUE_WATCHED;
	}
	q->napi = napi;
	if (standing && !(q->flags & RXAQM_QUEUE_WATCHED) &&
	    !bpf_map_update_elem(&standing_map, &napi, &index, BPF_ANY))
		q->flags |= RXAQM_QUEUE_WATCHED;
}

/* What the tracepoint tells, and how many queues of ours the poll served. */
struct poll {
	__u64 napi;
	__u64 now_ns;
	__u32 work;
	__u32 budget;
	__u32 nr_queues;
};

/* @poll ended, and the queue at @index was among those it served. */
static void end_poll(__u32 index, const struct poll *poll)
{
	struct rxaqm_iface *iface;
	struct rxaqm_queue *q;
	__u32 iface_index, limit = poll->budget, served = 0;
	bool left = false;

	q = bpf_map_lookup_elem(&queue_map, &index);
	if (!q)
		return;
	iface_index = q->iface;
	iface = bpf_map_lookup_elem(&iface_map, &iface_index);
	if (!iface)
		return;
	/* Others' packets fill a CPU's backlog, too, and Tx completions a shared queue. */
	if (iface->flags & (RXAQM_IFACE_BY_CPU | RXAQM_IFACE_BY_WORK))
		left = poll->work >= poll->budget;
	if (iface->flags & RXAQM_IFACE_BY_CPU)
		served = poll->work;
	else if (iface->poll_packets)
		limit = iface->poll_packets;
	if (poll->nr_queues > 1)
		limit /= poll->nr_queues;
	rxaqm_poll_end(q, limit, left, served, poll->now_ns);
	q->cpu = bpf_get_smp_processor_id();
	watch(q, index, poll->napi);
}

/* No queue of ours was seen in this poll. If one that stands hangs on its NAPI, it is empty. */
static void end_empty_poll(struct poll *poll)
{
	__u64 napi = poll->napi;
	__u32 *index = bpf_map_lookup_elem(&standing_map, &napi);
	struct rxaqm_queue *q;
	__u32 key;

	if (!index)
		return;
	key = *index;
	q = bpf_map_lookup_elem(&queue_map, &key);
	if (!q || q->napi != napi || !(q->flags & RXAQM_QUEUE_STANDING)) {
		bpf_map_delete_elem(&standing_map, &napi);
		return;
	}
	poll->nr_queues = 1;
	poll->now_ns = bpf_ktime_get_ns();
	end_poll(key, poll);
}

SEC("tp_btf/napi_poll")
int BPF_PROG(napi_poll, struct napi_struct *napi, int work, int budget)
{
	struct poll poll = {
		.napi = (__u64)napi,
		.work = (__u32)work,
		.budget = (__u32)budget,
	};
	struct rxaqm_cpu *cpu;
	__u32 zero = 0, i;

	/* netpoll takes no packets: not the end of anything. */
	if (!budget)
		return 0;
	cpu = bpf_map_lookup_elem(&cpu_map, &zero);
	if (!cpu)
		return 0;
	poll.nr_queues = cpu->nr_queues;
	if (!poll.nr_queues) {
		end_empty_poll(&poll);
		return 0;
	}
	cpu->nr_queues = 0;
	cpu->want_ifindex = 0;
	cpu->stamp_skip = 0;
	poll.now_ns = bpf_ktime_get_ns();
	for (i = 0; i < RXAQM_CPU_QUEUES; i++) {
		if (i >= poll.nr_queues)
			break;
		end_poll(cpu->queue[i], &poll);
	}
	return 0;
}
