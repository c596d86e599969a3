/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a sojourn and a packet's class to a verdict, done to the packet.
 */
#ifndef RXAQM_JUDGE_BPF_H
#define RXAQM_JUDGE_BPF_H

#include "classify.bpf.h"
#include "signal.bpf.h"

/* A pure ACK that is to go if others of its flow say the same (@thin); else, as a SYN, it passes
 * and is noted.
 */
static __always_inline enum rxaqm_verdict thin_ack(struct xdp_md *ctx, struct rxaqm_queue *q,
						   const struct rxaqm_packet *pkt, __u32 index,
						   bool thin)
{
	__u64 gap_ns = thin ? rxaqm_decide_ack_gap_ns(q) : 0;

	if (!rxaqm_xdp_thin(ctx, pkt, index, gap_ns, rxaqm_decide_unasked_ns(q), q->clock_ns))
		return RXAQM_PASS;
	rxaqm_decide_count(q, q->flags & RXAQM_QUEUE_ENFORCED, RXAQM_STAT_ACK_DROP);
	return RXAQM_DROP;
}

/* A packet of which rxaqm_decide_sojourn() said @judged, at q->clock_ns: parse it, and do to it
 * what the law says. What is only observed passes. Global, so that it is there once. Returns an
 * enum rxaqm_verdict: PASS, MARK or DROP.
 */
__attribute__((noinline)) int rxaqm_xdp_verdict(struct xdp_md *ctx, struct rxaqm_queue *q,
						__u32 index, __u32 judged)
{
	enum rxaqm_verdict verdict;
	struct rxaqm_packet pkt;
	bool enforced;

	if (!q)
		return RXAQM_PASS;
	classify(ctx, &pkt, &q->policy);
	enforced = rxaqm_decide_enforced(&q->policy, q->clock_ns);
	verdict = rxaqm_decide_packet(q, judged, pkt.kind, pkt.ecn,
				      (__u32)pkt.sport << 16 | pkt.dport, enforced, q->clock_ns);
	if (verdict >= RXAQM_NOTE)
		verdict = thin_ack(ctx, q, &pkt, index, verdict == RXAQM_THIN);
	if (verdict == RXAQM_PASS || !enforced)
		return RXAQM_PASS;
	if (verdict == RXAQM_MARK)
		rxaqm_xdp_mark(ctx, pkt.ip_off);
	else
		q->poll_drops++;
	return verdict;
}

/* Judge a packet that has waited @sojourn_ns, its error taken off, and is at hand at q->clock_ns.
 */
static __always_inline int judge(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
				 __u64 sojourn_ns)
{
	__u32 judged = rxaqm_decide_sojourn(q, sojourn_ns, false, config.ring_entries, q->clock_ns);

	return judged ? rxaqm_xdp_verdict(ctx, q, index, judged) : RXAQM_PASS;
}

#endif /* RXAQM_JUDGE_BPF_H */
