// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * rx_stamp: the Rx timestamp of packets on their way to the stack.
 *
 * A driver hands a packet over by napi_gro_receive(), napi_gro_frags(), netif_receive_skb() or
 * netif_receive_skb_list(). Each has a tracepoint at its entry, and a kprobe works on each, too;
 * control loads one kind. Both run rx_stamp().
 *
 * The queue is known from the XDP program, which ran on this CPU a moment ago and left
 * a note (cpu_map.h). No note: not our interface, nothing to do. While the queue does
 * not stand, one packet a poll is looked at; while it stands, all, or one in eight of a queue
 * that is fast for its target (poll.h).
 *
 * Generic XDP runs after the stack has the packet, so there the order is the other way
 * round: generic() leaves the stamp for the XDP program.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "kernel.h"
#include "measure.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Where the verifier knows that @skb is an skb (@typed), its fields are loaded directly; a helper
 * call for each costs several times as much.
 */
static __always_inline __u32 skb_ifindex(struct sk_buff *skb, bool typed)
{
	return (__u32)(typed ? skb->dev->ifindex : BPF_CORE_READ(skb, dev, ifindex));
}

static __always_inline __u64 skb_tstamp_ns(struct sk_buff *skb, bool typed)
{
	return (__u64)(typed ? skb->tstamp : BPF_CORE_READ(skb, tstamp));
}

/* Hardware timestamp of @skb in ns; 0: none, or it is not a time. */
static __always_inline __u64 skb_hwtstamp_ns(struct sk_buff *skb, bool typed)
{
	struct skb_shared_info *info;

	info = (struct skb_shared_info *)(typed ? skb->head + skb->end :
						  BPF_CORE_READ(skb, head) +
							  BPF_CORE_READ(skb, end));
	if (BPF_CORE_READ(info, tx_flags) & RXAQM_SKBTX_HW_TSTAMP_NETDEV)
		return 0;
	return (__u64)BPF_CORE_READ(info, hwtstamps.hwtstamp);
}

static __always_inline int rx_stamp(struct sk_buff *skb, bool typed)
{
	__u32 zero = 0, index, iface_index;
	struct rxaqm_iface *iface;
	struct rxaqm_queue *q;
	struct rxaqm_cpu *cpu;
	__u64 hw_ns = 0;

	cpu = bpf_map_lookup_elem(&cpu_map, &zero);
	if (!cpu || !cpu->want_ifindex || !cpu->nr_queues)
		return 0;
	if (cpu->stamp_skip) {
		cpu->stamp_skip--;
		return 0;
	}
	if (skb_ifindex(skb, typed) != cpu->want_ifindex)
		return 0;
	index = cpu->queue[(cpu->nr_queues - 1) & (RXAQM_CPU_QUEUES - 1)];
	q = bpf_map_lookup_elem(&queue_map, &index);
	if (!q)
		return 0;
	if (q->flags & RXAQM_QUEUE_STANDING)
		cpu->stamp_skip = q->clock_mask;
	else
		cpu->want_ifindex = 0;
	iface_index = q->iface;
	iface = bpf_map_lookup_elem(&iface_map, &iface_index);
	if (!iface)
		return 0;
	if (iface->stamp == RXAQM_STAMP_HWTSTAMP)
		hw_ns = skb_hwtstamp_ns(skb, typed);
	else if (iface->stamp == RXAQM_STAMP_TSTAMP)
		hw_ns = skb_tstamp_ns(skb, typed);
	rxaqm_measure(q, hw_ns, bpf_ktime_get_ns());
	return 0;
}

/* The first packet of a list stands for all of it: they came by one poll. */
static int rx_stamp_list(struct list_head *head)
{
	struct list_head *first = BPF_CORE_READ(head, next);

	/* An skb begins with its list node. */
	return first && first != head ? rx_stamp((struct sk_buff *)first, false) : 0;
}

SEC("tp_btf/napi_gro_receive_entry")
int BPF_PROG(tp_gro, struct sk_buff *skb)
{
	return rx_stamp(skb, true);
}

SEC("tp_btf/napi_gro_frags_entry")
int BPF_PROG(tp_frags, struct sk_buff *skb)
{
	return rx_stamp(skb, true);
}

SEC("tp_btf/netif_receive_skb_list_entry")
int BPF_PROG(tp_list, struct sk_buff *skb)
{
	return rx_stamp(skb, true);
}

SEC("tp_btf/netif_receive_skb_entry")
int BPF_PROG(tp_skb, struct sk_buff *skb)
{
	return rx_stamp(skb, true);
}

/* Control attaches to gro_receive_skb where the kernel has it (6.15, "net: gro: decouple GRO from
 * the NAPI layer"); the second argument is the skb in both.
 */
SEC("kprobe/napi_gro_receive")
int BPF_KPROBE(kprobe_gro, void *gro, struct sk_buff *skb)
{
	return rx_stamp(skb, false);
}

SEC("kprobe/napi_gro_frags")
int BPF_KPROBE(kprobe_frags, struct napi_struct *napi)
{
	return rx_stamp(BPF_CORE_READ(napi, skb), false);
}

SEC("kprobe/netif_receive_skb_list")
int BPF_KPROBE(kprobe_list, struct list_head *head)
{
	return rx_stamp_list(head);
}

SEC("kprobe/netif_receive_skb")
int BPF_KPROBE(kprobe_skb, struct sk_buff *skb)
{
	return rx_stamp(skb, false);
}

static __always_inline int note_generic(struct sk_buff *skb, bool typed)
{
	struct rxaqm_cpu *cpu;
	__u32 zero = 0;

	cpu = bpf_map_lookup_elem(&cpu_map, &zero);
	if (!cpu)
		return 0;
	cpu->generic_tstamp_ns = skb_tstamp_ns(skb, typed);
	cpu->generic_hwtstamp_ns = skb_hwtstamp_ns(skb, typed);
	cpu->generic_ifindex = skb_ifindex(skb, typed);
	return 0;
}

/* Runs for every packet that enters the stack, just before generic XDP would run on it. Attached
 * only while an interface in generic mode is.
 */
SEC("tp_btf/netif_receive_skb")
int BPF_PROG(generic, struct sk_buff *skb)
{
	return note_generic(skb, true);
}
