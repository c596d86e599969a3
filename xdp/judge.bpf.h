/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a sojourn and a packet's class to the verdict, which shared/decide.h draws, and the mark on
 * the packet. look_judge() in rxaqm.bpf.c returns XDP_DROP.
 */
#ifndef RXAQM_JUDGE_BPF_H
#define RXAQM_JUDGE_BPF_H

#include "flow_name.bpf.h"
#include "signal.bpf.h"

/* law=auto: the verdict on a packet of flow @id and class (@kind, @ecn), at q->clock_ns. @psh: enum
 * rxaqm_psh.
 */
rxaqm_global int rxaqm_xdp_flow(struct rxaqm_queue *q, __u32 id, __u32 kind, __u32 ecn, __u32 psh)
{
	__u32 key = rxaqm_flow_set_of(id);
	struct rxaqm_flow_set *set = bpf_map_lookup_elem(&flow_map, &key);

	if (!q || !set)
		return RXAQM_PASS;
	return rxaqm_decide_flow(q, set, id, rxaqm_decide_kind(kind), (__u8)ecn, psh, q->clock_ns);
}

/* The verdict on a packet. @judged: of rxaqm_decide_sojourn(). @found: of rxaqm_xdp_classify(),
 * with the flow in the upper half.
 */
static __always_inline enum rxaqm_verdict decide(struct xdp_md *ctx, struct rxaqm_queue *q,
						 __u32 judged, __u64 found)
{
	__u32 kind = FOUND_KIND(found), ecn = FOUND_ECN(found), psh = 0;
	enum rxaqm_ask ask = rxaqm_decide_ask(q, judged, kind, ecn, q->clock_ns);
	__u64 gap_ns = ask == RXAQM_ASK_THIN ? rxaqm_decide_ack_gap_ns(q) : 0;
	enum rxaqm_verdict verdict;

	if (ask == RXAQM_ASK_NOTHING)
		return RXAQM_PASS;
	if (q->policy.law == RXAQM_LAW_CODEL)
		return rxaqm_decide_codel(q, judged, kind, ecn, q->clock_ns);
	if (ask != RXAQM_ASK_VERDICT &&
	    rxaqm_xdp_thin_ack(ctx, found, gap_ns, rxaqm_decide_unasked_ns(q), q->clock_ns)) {
		rxaqm_decide_counts(q)[RXAQM_STAT_ACK_DROP]++;
		return RXAQM_DROP;
	}
	/* No GRO is done for a socket. */
	if ((q->flags & (RXAQM_QUEUE_MERGES | RXAQM_QUEUE_SOCKET)) == RXAQM_QUEUE_MERGES)
		psh = FOUND_PSH(found);
	verdict = rxaqm_xdp_flow(q, FOUND_FLOW(found), kind, ecn, psh);
	if (verdict == RXAQM_DROP && kind == RXAQM_KIND_ACK)
		rxaqm_xdp_forget_ack(FOUND_FLOW(found));
	return verdict;
}

/* Parse a packet and do to it what the law says at q->clock_ns. @judged: of rxaqm_decide_sojourn().
 * In a queue that is only observed it passes. Returns PASS, MARK or DROP.
 */
static __always_inline enum rxaqm_verdict give_verdict(struct xdp_md *ctx, struct rxaqm_queue *q,
						       __u32 index, __u32 judged)
{
	__u64 found = rxaqm_hide_range(rxaqm_xdp_classify(ctx, &q->policy));
	__u32 verdict, enforced = q->flags & RXAQM_QUEUE_ENFORCED;

	found = (__u32)found | (__u64)rxaqm_flow_of(FOUND_FLOW(found), index) << 32;
	verdict = decide(ctx, q, judged, found);
	if (!q->law.packets) /* this packet ended a window */
		rxaqm_xdp_name(ctx, q, index, found);
	if (verdict & RXAQM_CLEAR_PSH && rxaqm_xdp_clear_psh(ctx, found, enforced))
		rxaqm_decide_counts(q)[RXAQM_STAT_PSH_CLEARED]++;
	if (!enforced)
		return RXAQM_PASS;
	if (verdict & RXAQM_MARK)
		rxaqm_xdp_mark(ctx, found);
	if (verdict & RXAQM_DROP)
		q->poll_drops++;
	return (enum rxaqm_verdict)(verdict & ~RXAQM_CLEAR_PSH);
}

/* Judge the packet at hand at q->clock_ns. @sojourn_ns: its wait, less the error. */
static __always_inline enum rxaqm_verdict judge(struct xdp_md *ctx, struct rxaqm_queue *q,
						__u32 index, __u64 sojourn_ns)
{
	__u32 judged = rxaqm_decide_sojourn(q, sojourn_ns, false, config.ring_entries, q->clock_ns);

	return judged ? give_verdict(ctx, q, index, judged) : RXAQM_PASS;
}

#endif /* RXAQM_JUDGE_BPF_H */
