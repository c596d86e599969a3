/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a sojourn and a packet's class to a verdict, done to the packet.
 */
#ifndef RXAQM_JUDGE_BPF_H
#define RXAQM_JUDGE_BPF_H

#include "classify.bpf.h"
#include "ecn.h"
#include "signal.bpf.h"

/* A packet of which rxaqm_decide_sojourn() said @judged, at q->clock_ns: parse it, and do to it what
 * the law says. What is only observed passes. Global, so that it is there once. Returns an enum
 * rxaqm_verdict: PASS, MARK or DROP.
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
	verdict = rxaqm_decide_packet(q, judged, pkt.kind, pkt.ecn, enforced, q->clock_ns);
	if (verdict >= RXAQM_NOTE)
		verdict = rxaqm_xdp_thin(ctx, q, index, verdict == RXAQM_THIN);
	if (verdict == RXAQM_PASS || !enforced)
		return RXAQM_PASS;
	if (verdict == RXAQM_MARK)
		rxaqm_ecn_mark(&pkt, (void *)(long)ctx->data, (void *)(long)ctx->data_end);
	else
		q->poll_drops++;
	return verdict;
}

/* Judge a packet that has waited @sojourn_ns, its error taken off, and is at hand at q->clock_ns. */
static __always_inline int judge(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
				 __u64 sojourn_ns)
{
	__u32 judged = rxaqm_decide_sojourn(q, sojourn_ns, false, config.ring_entries, q->clock_ns);

	return judged ? rxaqm_xdp_verdict(ctx, q, index, judged) : RXAQM_PASS;
}

#endif /* RXAQM_JUDGE_BPF_H */
