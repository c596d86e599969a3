/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a packet's bytes to its class, and to whether a pure ACK is redundant.
 */
#ifndef RXAQM_CLASSIFY_BPF_H
#define RXAQM_CLASSIFY_BPF_H

#include "ecn.h"
#include "flow_id.h"
#include "psh.h"
#include "shared/maps.bpf.h"

/* What is known of a packet, in one word: global functions return no more. The offsets are of the
 * IP header and of the header after it; the flow is a hash, or rxaqm_flow_of() it.
 */
#define FOUND_KIND(found) ((__u32)(found) & 0xf)
#define FOUND_ECN(found) ((__u32)(found) >> 4 & 3)
#define FOUND_PSH(found) ((__u32)(found) >> 6 & 3) /* enum rxaqm_psh */
#define FOUND_IP_OFF(found) ((__u32)(found) >> 8 & 0xff)
#define FOUND_L4_OFF(found) ((__u32)(found) >> 16)
#define FOUND_FLOW(found) ((__u32)((found) >> 32))

/* A hash that tells flows in a tunnel apart; 0: nothing does. @protocol: of the tunnel, whose
 * header begins at @off.
 */
rxaqm_seldom __u32 rxaqm_xdp_inner(struct xdp_md *ctx, __u32 protocol, __u32 off)
{
	const struct rxaqm_frame frame = { .ctx = ctx };

	return rxaqm_flow_inner(&frame, (__u8)protocol, off, config.flow_key);
}

/* Classify the packet: FOUND_*. What cannot be parsed is exempt, and all of it one flow. */
rxaqm_global __u64 rxaqm_xdp_classify(struct xdp_md *ctx, const struct rxaqm_policy *policy)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct rxaqm_frame frame = { .ctx = ctx };
	struct rxaqm_packet pkt = {};
	__u32 plain = rxaqm_packet_plain(data, data_end), id;
	__u64 found;

	if (!policy)
		return RXAQM_KIND_EXEMPT;
	RXAQM_HIDE(plain);
	if (!plain)
		frame.size = (__u32)rxaqm_packet_size(ctx);
	if (!rxaqm_frame_headers(&pkt, &frame, data, plain))
		return RXAQM_KIND_EXEMPT;
	found = rxaqm_packet_kind(policy, &pkt) | pkt.ecn << 4 | rxaqm_packet_psh(&pkt) << 6 |
		pkt.ip_off << 8 | (__u32)pkt.l4_off << 16;
	id = rxaqm_flow_id(&pkt, &frame, data, plain, config.flow_key);
	if (!pkt.fragment && rxaqm_flow_tunnel(pkt.protocol))
		id ^= rxaqm_xdp_inner(ctx, pkt.protocol, pkt.l4_off);
	return found | (__u64)id << 32;
}

/* Set CE in the packet's IP header. @found: of rxaqm_xdp_classify(). Returns 0. */
rxaqm_global int rxaqm_xdp_mark(struct xdp_md *ctx, __u64 found)
{
	__u32 ip_off = FOUND_IP_OFF(found) &
		       31; /* for the verifier: two VLAN tags keep it below 32 */
	void *data_end = (void *)(long)ctx->data_end;
	__u8 *ip, copy[RXAQM_ECN_BYTES + 4];
	bool copied;

	ip = (__u8 *)(long)ctx->data + ip_off;
	copied = (void *)(ip + RXAQM_ECN_BYTES) > data_end;
	RXAQM_HIDE(copied); /* else the verifier of kernels that cannot copy knows it */
	if (copied) {
		if (!rxaqm_has_fragments() ||
		    bpf_xdp_load_bytes(ctx, ip_off, copy, RXAQM_ECN_BYTES))
			return 0;
		ip = copy;
	}
	if (rxaqm_ecn_mark(ip) && copied)
		bpf_xdp_store_bytes(ctx, ip_off, copy, RXAQM_ECN_BYTES);
	return 0;
}

/* Clear PSH in the packet's TCP header, unless an option may sign it, or a driver has left the
 * header in a fragment. @found: of rxaqm_xdp_classify(). Without @store only say so. Returns
 * whether it is cleared.
 */
rxaqm_global int rxaqm_xdp_clear_psh(struct xdp_md *ctx, __u64 found, __u32 store)
{
	__u32 l4_off = FOUND_L4_OFF(found) &
		       127; /* for the verifier: two tags and IPv6 end at 62 */
	__u8 *tcp = (__u8 *)(long)ctx->data + l4_off;

	if ((void *)(tcp + RXAQM_PSH_BYTES) > (void *)(long)ctx->data_end)
		return 0;
	return rxaqm_psh_clear(tcp, store);
}

/* Read the ACK of flow @id at @l4_off into @ack. Returns 1, or 0 if it is cut short. */
rxaqm_seldom int rxaqm_xdp_read_ack(struct xdp_md *ctx, struct rxaqm_ack_news *ack, __u32 id,
				    __u32 l4_off)
{
	const struct rxaqm_frame frame = { .ctx = ctx };

	if (!ack)
		return 0;
	return rxaqm_ack_read(ack, &frame, id, l4_off);
}

/* Is the packet, of class ACK and of a policy that thins ACKs, a redundant pure ACK? Returns 1 if
 * so, and it is to be dropped; else it passes, which is noted. @found: of rxaqm_xdp_classify(),
 * with the flow in the upper half. @gap_ns: with 0 each passes. @since_ns: when a packet of the
 * queue last passed without being noted.
 */
rxaqm_seldom int rxaqm_xdp_thin_ack(struct xdp_md *ctx, __u64 found, __u64 gap_ns, __u64 since_ns,
				    __u64 now_ns)
{
	__u32 id = FOUND_FLOW(found), key = id & (RXAQM_ACK_FLOWS - 1);
	struct rxaqm_ack_news ack = {};
	struct rxaqm_ack_flow *flow;

	if (!rxaqm_xdp_read_ack(ctx, &ack, id, FOUND_L4_OFF(found)))
		return 0;
	flow = bpf_map_lookup_elem(&ack_map, &key);
	return flow && rxaqm_ack_thin(flow, &ack, gap_ns, since_ns, now_ns);
}

/* An ACK of flow @id that was noted as passed is dropped after all. Returns 0. */
rxaqm_seldom int rxaqm_xdp_forget_ack(__u32 id)
{
	__u32 key = id & (RXAQM_ACK_FLOWS - 1);
	struct rxaqm_ack_flow *flow = bpf_map_lookup_elem(&ack_map, &key);

	if (flow)
		flow->id = 0;
	return 0;
}

#endif /* RXAQM_CLASSIFY_BPF_H */
