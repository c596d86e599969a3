// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * napi_poll: the end of every NAPI poll, of every device.
 *
 * If the XDP program left a note on this CPU, the poll was of one of our queues (or of several,
 * where a NAPI serves several rings): note whether it was drained. A queue without a note may have
 * been found empty. That matters only if it stands, and such queues are in standing_map.
 *
 * Cost for other devices: two lookups a poll, no clock read.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kernel.h"
#include "maps.bpf.h"
#include "poll.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The tracepoint's arguments, and the time. */
struct poll {
	__u64 napi;
	__u64 now_ns;
	__u32 work;
	__u32 budget;
};

/* @napi does not serve the queue at @index any more; it may serve others. */
static void unwatch(__u32 index, __u64 napi)
{
	struct rxaqm_standing *standing = bpf_map_lookup_elem(&standing_map, &napi);
	__u32 i, kept = 0;

	if (!standing)
		return;
	for (i = 0; i < RXAQM_CPU_QUEUES && i < standing->nr; i++)
		if (standing->queue[i] != index)
			standing->queue[kept++ & (RXAQM_CPU_QUEUES - 1)] = standing->queue[i];
	standing->nr = kept;
	if (!kept)
		bpf_map_delete_elem(&standing_map, &napi);
}

/*
 * @poll ended, and it served the queue at @index. Not static, so that the verifier walks it once,
 * and not for each path of the loops that call it: that took most of the time of an attach.
 */
rxaqm_global int end_poll(__u32 index, const struct poll *poll)
{
	struct rxaqm_poll ended = {};
	struct rxaqm_iface *iface;
	struct rxaqm_queue *q;
	__u32 iface_index;
	__u64 old_napi;

	if (!poll) /* the verifier wants this for any pointer */
		return 0;
	q = bpf_map_lookup_elem(&queue_map, &index);
	if (!q)
		return 0;
	iface_index = q->iface;
	iface = bpf_map_lookup_elem(&iface_map, &iface_index);
	if (!iface)
		return 0;
	ended.now_ns = poll->now_ns;
	ended.work = poll->work;
	ended.budget = ended.limit = poll->budget;
	/* A CPU's backlog also has packets of other interfaces, and the work of a shared queue Tx
	 * completions.
	 */
	ended.counts_all = iface->flags & RXAQM_IFACE_BY_CPU;
	ended.shared = iface->flags & (RXAQM_IFACE_BY_CPU | RXAQM_IFACE_BY_WORK);
	if (iface->poll_packets)
		ended.limit = iface->poll_packets;
	old_napi = q->napi;
	if ((q->flags & RXAQM_QUEUE_STANDING) && old_napi != poll->napi)
		unwatch(index, old_napi);
	rxaqm_poll_end(q, &ended);
	q->cpu = bpf_get_smp_processor_id();
	q->napi = poll->napi;
	return 0;
}

/* Note that the queue at @index stands on the NAPI of @poll. */
static void watch(__u32 index, const struct poll *poll)
{
	struct rxaqm_standing first = { .nr = 1, .queue = { index } }, *standing;
	__u64 napi = poll->napi;
	__u32 i;

	standing = bpf_map_lookup_elem(&standing_map, &napi);
	if (!standing) {
		bpf_map_update_elem(&standing_map, &napi, &first, BPF_ANY);
		return;
	}
	for (i = 0; i < RXAQM_CPU_QUEUES; i++) {
		if (i >= standing->nr) {
			standing->queue[i] = index;
			standing->nr = i + 1;
			return;
		}
		if (standing->queue[i] == index)
			return;
	}
}

/* End the poll for those queues that stand on its NAPI and that it found empty. If none stands any
 * more, the NAPI is not watched any more.
 */
static void end_of_watched(struct poll *poll)
{
	struct rxaqm_standing *standing;
	__u64 napi = poll->napi;
	__u32 i, kept = 0;

	standing = bpf_map_lookup_elem(&standing_map, &napi);
	if (!standing)
		return;
	if (!poll->now_ns)
		poll->now_ns = bpf_ktime_get_ns();
	for (i = 0; i < RXAQM_CPU_QUEUES; i++) {
		__u32 index = standing->queue[i];
		struct rxaqm_queue *q;

		if (i >= standing->nr)
			break;
		q = bpf_map_lookup_elem(&queue_map, &index);
		if (!q || q->napi != napi || !(q->flags & RXAQM_QUEUE_STANDING))
			continue;
		if (q->poll_end_ns != poll->now_ns)
			end_poll(index, poll);
		if (q->flags & RXAQM_QUEUE_STANDING)
			standing->queue[kept++ & (RXAQM_CPU_QUEUES - 1)] = index;
	}
	standing->nr = kept;
	if (!kept)
		bpf_map_delete_elem(&standing_map, &napi);
}

/* End the poll for the queues that XDP noted. */
static void end_of_noted(struct rxaqm_cpu *cpu, struct poll *poll)
{
	__u32 i, nr_queues = cpu->nr_queues;

	cpu->nr_queues = 0;
	cpu->want_ifindex = 0;
	cpu->stamp_skip = 0;
	poll->now_ns = bpf_ktime_get_ns();
	for (i = 0; i < RXAQM_CPU_QUEUES; i++) {
		__u32 index = cpu->queue[i];
		struct rxaqm_queue *q;

		if (i >= nr_queues)
			break;
		end_poll(index, poll);
		q = bpf_map_lookup_elem(&queue_map, &index);
		if (q && (q->flags & RXAQM_QUEUE_STANDING))
			watch(index, poll);
	}
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
	__u32 zero = 0;

	/* netpoll takes no packets: it ends no poll. */
	if (!budget)
		return 0;
	cpu = bpf_map_lookup_elem(&cpu_map, &zero);
	if (!cpu)
		return 0;
	if (cpu->nr_queues)
		end_of_noted(cpu, &poll);
	end_of_watched(&poll);
	return 0;
}
