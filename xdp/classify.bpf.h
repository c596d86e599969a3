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

/* Classify the packet. Returns, from the lowest byte on: kind and codepoint, four bits each, the
 * offset of IP, two bytes of that of what follows it, and the ports; 0: it has none.
 */
__attribute__((noinline)) __u64 rxaqm_xdp_classify(struct xdp_md *ctx,
						   const struct rxaqm_policy *policy)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct rxaqm_frame frame = { .ctx = ctx };
	struct rxaqm_packet pkt = {};
	__u32 plain = rxaqm_packet_plain(data, data_end);
	__u64 found;

	if (!policy)
		return RXAQM_KIND_EXEMPT;
	RXAQM_HIDE(plain);
	if (!plain)
		frame.size = (__u32)bpf_xdp_get_buff_len(ctx);
	if (!rxaqm_frame_headers(&pkt, &frame, data, plain) || rxaqm_packet_exempt(policy, &pkt))
		return RXAQM_KIND_EXEMPT;
	found = pkt.kind | pkt.ecn << 4 | pkt.ip_off << 8 | (__u32)pkt.l4_off << 16;
	return found | (__u64)((__u32)pkt.sport << 16 | pkt.dport) << 32;
}

/* Set CE in the IP header of the packet, @found by rxaqm_xdp_classify(). Returns 0. */
__attribute__((noinline)) int rxaqm_xdp_mark(struct xdp_md *ctx, __u64 found)
{
	__u32 ip_off = (found >> 8) & 31; /* for the verifier: no tags are that many */
	void *data_end = (void *)(long)ctx->data_end;
	__u8 *ip, copy[RXAQM_ECN_BYTES + 4];
	bool copied;

	ip = (__u8 *)(long)ctx->data + ip_off;
	copied = (void *)(ip + RXAQM_ECN_BYTES) > data_end;
	if (copied) {
		if (bpf_xdp_load_bytes(ctx, ip_off, copy, RXAQM_ECN_BYTES))
			return 0;
		ip = copy;
	}
	if (rxaqm_ecn_mark(ip) && copied)
		bpf_xdp_store_bytes(ctx, ip_off, copy, RXAQM_ECN_BYTES);
	return 0;
}

/* Read into @ack what rxaqm_xdp_ask() is asked about. Returns 1 if there is something. */
__attribute__((noinline)) int rxaqm_xdp_read_ack(struct xdp_md *ctx, struct rxaqm_ack_news *ack,
						 __u64 where)
{
	const struct rxaqm_frame frame = { .ctx = ctx };

	if (!ack)
		return 0;
	return rxaqm_ack_read(ack, &frame, where & 0xff, (where >> 8) & 0xffff, where >> 32);
}

/* A packet of class ACK or SYN, of a policy that thins ACKs. 1: a pure ACK that others make
 * redundant, to be dropped. Else it passes, which is noted: with a @gap_ns of 0 always.
 * @where, from its lowest byte: offset of IP, two bytes for that of TCP, one of nothing, the queue.
 * @since_ns: when a packet of the queue last passed without being asked about.
 */
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

#endif /* RXAQM_CLASSIFY_BPF_H */
