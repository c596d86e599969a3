/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a packet's bytes to its class, and to whether a pure ACK is redundant.
 */
#ifndef RXAQM_CLASSIFY_BPF_H
#define RXAQM_CLASSIFY_BPF_H

#include "shared/maps.bpf.h"

/* These are global functions so that the verifier walks their many paths once, and not for
 * every state they may be called in.
 */
__attribute__((noinline)) int rxaqm_xdp_exempt_port(const struct rxaqm_policy *policy, __u16 sport,
						    __u16 dport)
{
	return policy && rxaqm_packet_exempt_port(policy, sport, dport);
}

__attribute__((noinline)) int rxaqm_xdp_parse(struct xdp_md *ctx, struct rxaqm_packet *pkt,
					      const struct rxaqm_policy *policy)
{
	if (!pkt || !policy)
		return 0;
	rxaqm_packet_parse(pkt, (void *)(long)ctx->data, (void *)(long)ctx->data_end, policy,
			   false);
	return 0;
}

/* Classify the packet; of @pkt only what a verdict needs is filled in. A call costs as much as
 * parsing a plain packet does (return thunks), so those are parsed right here.
 */
static __always_inline void classify(struct xdp_md *ctx, struct rxaqm_packet *pkt,
				     const struct rxaqm_policy *policy)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct rxaqm_packet full = {};

	if (rxaqm_packet_plain(data, data_end) && !policy->nr_exempt_ports) {
		rxaqm_packet_parse(pkt, data, data_end, policy, true);
		return;
	}
	rxaqm_xdp_parse(ctx, &full, policy);
	pkt->kind = full.kind;
	pkt->ecn = full.ecn;
	pkt->ip_version = full.ip_version;
	pkt->ip_off = full.ip_off;
	if (policy->nr_exempt_ports && rxaqm_xdp_exempt_port(policy, full.sport, full.dport))
		pkt->kind = RXAQM_KIND_EXEMPT;
}

/* A pure ACK that is to go if others of its flow say the same (@thin), or to be noted as one that
 * passes. Returns an enum rxaqm_verdict.
 */
__attribute__((noinline)) int rxaqm_xdp_thin(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
					     __u32 thin)
{
	struct rxaqm_packet pkt = {};
	struct rxaqm_ack_flow *flow;
	void *data, *data_end;
	__u64 id, now_ns;
	__u32 key;

	if (!q)
		return RXAQM_PASS;
	now_ns = q->clock_ns;
	rxaqm_xdp_parse(ctx, &pkt, &q->policy);
	data_end = (void *)(long)ctx->data_end;
	data = (void *)(long)ctx->data;
	id = rxaqm_ack_flow_id(&pkt, index, data, data_end);
	key = (__u32)id & (RXAQM_ACK_FLOWS - 1);
	flow = bpf_map_lookup_elem(&ack_map, &key);
	if (!id || !flow)
		return RXAQM_PASS;
	rxaqm_ack_forget(flow, rxaqm_decide_unasked_ns(q));
	if (rxaqm_ack_redundant(flow, id, &pkt, data, data_end, rxaqm_decide_ack_gap_ns(q),
				now_ns) &&
	    thin) {
		rxaqm_decide_count(q, q->flags & RXAQM_QUEUE_ENFORCED, RXAQM_STAT_ACK_DROP);
		return RXAQM_DROP;
	}
	rxaqm_ack_kept(flow, now_ns);
	return RXAQM_PASS;
}

#endif /* RXAQM_CLASSIFY_BPF_H */
