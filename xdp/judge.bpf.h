/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a sojourn and a packet's class to a verdict, done to the packet.
 */
#ifndef RXAQM_JUDGE_BPF_H
#define RXAQM_JUDGE_BPF_H

#include "classify.bpf.h"
#include "signal.bpf.h"

/* How long a flow may go without an ACK while its queue stands. */
static __always_inline __u64 thin_gap_ns(const struct rxaqm_queue *q)
{
	__u64 gap_ns = q->smooth_ns / 2;

	if (q->cap_credit < 1000)
		return 0; /* max_drop lets none be dropped */
	return gap_ns < RXAQM_NSEC_PER_SEC ? gap_ns : RXAQM_NSEC_PER_SEC;
}

/* Judge a packet that has waited @sojourn_ns, its error taken off, and do it: a mark is set here.
 * What is only observed passes.
 */
static __always_inline enum rxaqm_verdict judge(struct xdp_md *ctx, struct rxaqm_queue *q,
						__u32 index, __u64 sojourn_ns, __u64 now_ns)
{
	struct rxaqm_judgement j = {};
	enum rxaqm_verdict verdict;
	struct rxaqm_packet pkt;
	bool enforced;

	if (!rxaqm_decide_sojourn(q, &j, sojourn_ns, false, now_ns)) {
		if (!(q->flags & RXAQM_QUEUE_SERVED))
			rxaqm_poll_skip_alike(q, &j);
		return RXAQM_PASS;
	}

	classify(ctx, &pkt, &q->policy);
	enforced = rxaqm_decide_enforced(&q->policy, now_ns);
	verdict = rxaqm_decide_packet(q, &j, pkt.kind, pkt.ecn, enforced, now_ns);
	if ((pkt.kind == RXAQM_KIND_ACK || pkt.kind == RXAQM_KIND_SYN) && j.over &&
	    q->policy.ack == RXAQM_ACK_THIN &&
	    rxaqm_xdp_thin(ctx, &pkt, index, thin_gap_ns(q),
			   q->codel.first_above_time_ns - q->policy.interval_ns, now_ns)) {
		rxaqm_decide_may_drop(q);
		rxaqm_decide_count(q, enforced, ACK_DROP);
		verdict = RXAQM_DROP;
	}
	if (verdict == RXAQM_PASS || !enforced)
		return RXAQM_PASS;
	if (verdict == RXAQM_MARK)
		rxaqm_xdp_mark(ctx, pkt.ip_off);
	else
		q->poll_drops++;
	return verdict;
}

#endif /* RXAQM_JUDGE_BPF_H */
