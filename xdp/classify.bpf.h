/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a packet's bytes to its class, and to whether a pure ACK is redundant.
 */
#ifndef RXAQM_CLASSIFY_BPF_H
#define RXAQM_CLASSIFY_BPF_H

#include "ecn.h"
#include "shared/maps.bpf.h"

/* These are global functions so that the verifier walks their many paths once, and not for
 * every state they may be called in.
 */
__attribute__((noinline)) int rxaqm_xdp_exempt_port(const struct rxaqm_policy *policy, __u16 sport,
						    __u16 dport)
{
	return policy && rxaqm_packet_exempt_port(policy, sport, dport);
}

/* Classify a packet that is not plain. Returns its kind, and above it what else is asked for. */
__attribute__((noinline)) int rxaqm_xdp_classify(struct xdp_md *ctx,
						 const struct rxaqm_policy *policy)
{
	struct rxaqm_frame frame = { .ctx = ctx };
	struct rxaqm_packet pkt = {};

	if (!policy)
		return RXAQM_KIND_EXEMPT;
	frame.size = (__u32)bpf_xdp_get_buff_len(ctx);
	rxaqm_frame_parse(&pkt, &frame);
	if (rxaqm_packet_exempt_dscp(policy, pkt.dscp) ||
	    (policy->nr_exempt_ports && rxaqm_xdp_exempt_port(policy, pkt.sport, pkt.dport)))
		pkt.kind = RXAQM_KIND_EXEMPT;
	return (int)(pkt.kind | pkt.ecn << 4 | pkt.ip_off << 8 | (__u32)pkt.l4_off << 16);
}

/* Classify the packet; of @pkt only kind, ecn and offsets are filled in. A call costs as much as
 * parsing a plain packet does (return thunks), so those are parsed right here.
 */
static __always_inline void classify(struct xdp_md *ctx, struct rxaqm_packet *pkt,
				     const struct rxaqm_policy *policy)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	__u32 found;

	if (rxaqm_packet_plain(data, data_end)) {
		rxaqm_packet_parse_plain(pkt, data);
		if (rxaqm_packet_exempt_dscp(policy, pkt->dscp) ||
		    (policy->nr_exempt_ports &&
		     rxaqm_xdp_exempt_port(policy, pkt->sport, pkt->dport)))
			pkt->kind = RXAQM_KIND_EXEMPT;
		return;
	}
	found = (__u32)rxaqm_xdp_classify(ctx, policy);
	pkt->kind = found & 0xf;
	pkt->ecn = (found >> 4) & 0xf;
	pkt->ip_off = (found >> 8) & 0xff;
	pkt->l4_off = (__u16)(found >> 16);
}

/* Set CE in the IP header @ip_off into the packet. Returns 0. */
__attribute__((noinline)) int rxaqm_xdp_mark(struct xdp_md *ctx, __u32 ip_off)
{
	void *data_end = (void *)(long)ctx->data_end;
	__u8 *ip, copy[RXAQM_ECN_BYTES + 4];

	ip_off &= 31; /* for the verifier: no tags are that many */
	ip = (__u8 *)(long)ctx->data + ip_off;
	if ((void *)(ip + RXAQM_ECN_BYTES) <= data_end) {
		rxaqm_ecn_mark(ip);
		return 0;
	}
	if (!bpf_xdp_load_bytes(ctx, ip_off, copy, RXAQM_ECN_BYTES) && rxaqm_ecn_mark(copy))
		bpf_xdp_store_bytes(ctx, ip_off, copy, RXAQM_ECN_BYTES);
	return 0;
}

/* Read into @ack what rxaqm_xdp_ask() is asked about. Returns 1 if there is something. */
__attribute__((noinline)) int rxaqm_xdp_read_ack(struct xdp_md *ctx, struct rxaqm_ack_news *ack,
						 __u64 where)
{
	struct rxaqm_frame frame = { .ctx = ctx };

	if (!ack)
		return 0;
	frame.size = (__u32)bpf_xdp_get_buff_len(ctx);
	return rxaqm_ack_read(ack, &frame, (where >> 16) & 0xff, where & 0xffff, where >> 32);
}

/* @where: queue, offset of IP, offset of TCP. */
__attribute__((noinline)) int rxaqm_xdp_ask(struct xdp_md *ctx, __u64 where, __u64 gap_ns,
					    __u64 since_ns, __u64 now_ns)
{
	struct rxaqm_ack_news ack = {};
	struct rxaqm_ack_flow *flow;
	__u32 key;

	if (!rxaqm_xdp_read_ack(ctx, &ack, where))
		return 0;
	key = (__u32)ack.id & (RXAQM_ACK_FLOWS - 1);
	flow = bpf_map_lookup_elem(&ack_map, &key);
	return flow && rxaqm_ack_thin(flow, &ack, gap_ns, since_ns, now_ns);
}

/* A packet of class ACK or SYN, of a policy that thins ACKs. 1: a pure ACK that others make
 * redundant, to be dropped. Else it passes, which is noted: with a @gap_ns of 0 always. @since_ns:
 * when a packet of the queue last passed without being asked about.
 */
static __always_inline int rxaqm_xdp_thin(struct xdp_md *ctx, const struct rxaqm_packet *pkt,
					  __u32 index, __u64 gap_ns, __u64 since_ns, __u64 now_ns)
{
	__u64 where = pkt->l4_off | (__u32)pkt->ip_off << 16 | (__u64)index << 32;

	return rxaqm_xdp_ask(ctx, where, gap_ns, since_ns, now_ns);
}

#endif /* RXAQM_CLASSIFY_BPF_H */
