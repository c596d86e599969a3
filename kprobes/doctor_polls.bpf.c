// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * doctor_polls: how long NAPI polls take, and how long a NAPI that left packets behind waits for
 * its next poll. This tells a queue whose packets are expensive from a queue whose CPU is taken by
 * others.
 *
 * Only the end of a poll has a tracepoint. A poll begins at the last of these: the end of the poll
 * before it on its CPU, the entry of the softirq, the switch to the NAPI's thread. Neither softirqs
 * nor those threads can be preempted within a poll.
 *
 * Runs for seconds, on demand ("rxaqm doctor --deep").
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "doctor_rec.h"
#include "netns.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define NET_RX_SOFTIRQ 3 /* include/linux/interrupt.h */
#define BUSY_POLL_BUDGET 8 /* net/core/dev.c: a program polls, in its own time */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RXAQM_DOCTOR_ENTRIES);
	__type(key, __u64);
	__type(value, struct rxaqm_doctor_napi);
} napi_map SEC(".maps");

/* When the next poll on this CPU begins; 0: not known. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} begin_map SEC(".maps");

static void begins_at(__u64 now_ns)
{
	__u32 zero = 0;
	__u64 *begin_ns = bpf_map_lookup_elem(&begin_map, &zero);

	if (begin_ns)
		*begin_ns = now_ns;
}

static struct rxaqm_doctor_napi *entry_of(struct napi_struct *napi)
{
	struct rxaqm_doctor_napi empty = {}, *entry;
	__u64 key = (__u64)napi;
	struct net_device *dev;

	entry = bpf_map_lookup_elem(&napi_map, &key);
	if (entry)
		return entry;
	dev = napi->dev;
	if (dev)
		empty.ifindex = in_netns(dev) ? (__u32)dev->ifindex : ~0U;
	empty.id = napi->napi_id;
	bpf_map_update_elem(&napi_map, &key, &empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(&napi_map, &key);
}

/* A NAPI is polled by one CPU at a time: no other CPU writes to its entry. */
static void end_poll(struct rxaqm_doctor_napi *entry, __u64 begin_ns, __u64 now_ns)
{
	__u64 wait_ns;

	entry->poll_ns += now_ns - begin_ns;
	if (now_ns - begin_ns > entry->longest_poll_ns)
		entry->longest_poll_ns = now_ns - begin_ns;
	if (!entry->busy_end_ns || begin_ns < entry->busy_end_ns)
		return;
	wait_ns = begin_ns - entry->busy_end_ns;
	entry->wait_ns += wait_ns;
	if (wait_ns > entry->longest_wait_ns)
		entry->longest_wait_ns = wait_ns;
}

SEC("tp_btf/napi_poll")
int BPF_PROG(doctor_napi_poll, struct napi_struct *napi, int work, int budget)
{
	struct rxaqm_doctor_napi *entry;
	__u64 now_ns, *begin_ns;
	__u32 zero = 0;

	/* netpoll takes no packets. */
	if (!budget || budget == BUSY_POLL_BUDGET)
		return 0;
	now_ns = bpf_ktime_get_ns();
	begin_ns = bpf_map_lookup_elem(&begin_map, &zero);
	entry = entry_of(napi);
	if (!begin_ns || !entry)
		return 0;
	if (*begin_ns) {
		end_poll(entry, *begin_ns, now_ns);
		entry->polls++;
		entry->busy += work >= budget;
		entry->packets += (__u64)work;
	}
	entry->busy_end_ns = work >= budget ? now_ns : 0;
	entry->cpu = bpf_get_smp_processor_id();
	*begin_ns = now_ns;
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(doctor_softirq_entry, unsigned int vec)
{
	if (vec == NET_RX_SOFTIRQ)
		begins_at(bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(doctor_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	if (next->comm[0] == 'n' && next->comm[1] == 'a' && next->comm[2] == 'p' &&
	    next->comm[3] == 'i' && next->comm[4] == '/')
		begins_at(bpf_ktime_get_ns());
	return 0;
}
