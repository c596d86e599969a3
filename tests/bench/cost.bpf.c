// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What a packet costs: the real XDP program beside programs that do only what cannot be
 * avoided. The cycle_ ones go through many queues by themselves, a burst of packets
 * each, as BPF_PROG_RUN knows only one; they are to be compared with cycle_empty.
 */
#include "../../xdp/rxaqm.bpf.c"

#include "cost.h"

const volatile struct bench_cycle cycle = {};

static __u32 nr_packets;

static __always_inline __u32 next_queue(void)
{
	return (nr_packets++ >> cycle.burst_bits) & cycle.mask;
}

SEC("xdp.frags")
int empty(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_PASS;
}

SEC("xdp.frags")
int lookup(struct xdp_md *ctx)
{
	__u32 index = ctx->rx_queue_index;
	struct rxaqm_queue *q = bpf_map_lookup_elem(&queue_map, &index);

	return q && RXAQM_READ_ONCE(q->flags) ? XDP_PASS : XDP_DROP;
}

SEC("xdp.frags")
int lookup_clock(struct xdp_md *ctx)
{
	__u32 index = ctx->rx_queue_index;
	struct rxaqm_queue *q = bpf_map_lookup_elem(&queue_map, &index);

	return q && RXAQM_READ_ONCE(q->flags) < bpf_ktime_get_ns() ? XDP_PASS : XDP_DROP;
}

SEC("xdp.frags")
int redirect(struct xdp_md *ctx)
{
	return (int)bpf_redirect_map(&xsk_map, ctx->rx_queue_index, XDP_PASS);
}

/* The metadata go again, as there is no room for those of the next run. */
SEC("xdp.frags")
int to_a_socket(struct xdp_md *ctx)
{
	int action = act(ctx, ctx->rx_queue_index, 0);

	if (ctx->data_meta != ctx->data)
		bpf_xdp_adjust_meta(ctx, (int)sizeof(struct rxaqm_meta));
	return action;
}

SEC("xdp.frags")
int cycle_empty(struct xdp_md *ctx)
{
	(void)ctx;
	return next_queue() < cycle.mask + 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp.frags")
int cycle_lookup_clock(struct xdp_md *ctx)
{
	__u32 index = next_queue();
	struct rxaqm_queue *q = bpf_map_lookup_elem(&queue_map, &index);

	(void)ctx;
	return q && RXAQM_READ_ONCE(q->flags) < bpf_ktime_get_ns() ? XDP_PASS : XDP_DROP;
}

SEC("xdp.frags")
int cycle_rxaqm(struct xdp_md *ctx)
{
	return act(ctx, next_queue(), 0);
}

SEC("xdp.frags")
int flood_drop(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_DROP;
}

/* Each packet is of a flow that was not there before: an odd factor hits every address once. */
static __always_inline void spoof(struct xdp_md *ctx)
{
	__u8 *ip = (__u8 *)(long)ctx->data + RXAQM_ETH_HLEN;
	__u32 source = nr_packets++ * 2654435761U;

	if ((void *)(ip + RXAQM_IP4_HLEN + RXAQM_UDP_HLEN) > (void *)(long)ctx->data_end)
		return;
	*(__u32 *)(ip + 12) = source;
	*(__u16 *)(ip + RXAQM_IP4_HLEN) = (__u16)(source >> 16);
}

SEC("xdp.frags")
int spoofed_drop(struct xdp_md *ctx)
{
	spoof(ctx);
	return XDP_DROP;
}

SEC("xdp.frags")
int spoofed_rxaqm(struct xdp_md *ctx)
{
	spoof(ctx);
	return act(ctx, ctx->rx_queue_index, 0);
}
