/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a sojourn and a packet's class to a verdict, done to the packet.
 */
#ifndef RXAQM_JUDGE_BPF_H
#define RXAQM_JUDGE_BPF_H

#include "classify.bpf.h"
#include "signal.bpf.h"

/* Of an ACK or SYN of a policy that thins ACKs, @found by rxaqm_xdp_classify(): a pure ACK goes if
 * others of its flow say the same (@thin); else it passes and is noted.
 */
static __always_inline enum rxaqm_verdict thin_ack(struct xdp_md *ctx, struct rxaqm_queue *q,
						   __u64 found, __u32 index, bool thin)
{
	__u64 gap_ns = thin ? rxaqm_decide_ack_gap_ns(q) : 0;
	__u64 where = ((found >> 8) & 0xffffff) | (__u64)index << 32;

	if (!rxaqm_xdp_ask(ctx, where, gap_ns, rxaqm_decide_unasked_ns(q), q->clock_ns))
		return RXAQM_PASS;
	rxaqm_decide_counts(q)[RXAQM_STAT_ACK_DROP]++;
	return RXAQM_DROP;
}

/* A packet of which rxaqm_decide_sojourn() said @judged, at q->clock_ns: parse it, and do to it
 * what the law says. What is only observed passes. Returns PASS, MARK or DROP.
 */
static __always_inline enum rxaqm_verdict give_verdict(struct xdp_md *ctx, struct rxaqm_queue *q,
						       __u32 index, __u32 judged)
{
	__u64 found = rxaqm_xdp_classify(ctx, &q->policy);
	enum rxaqm_verdict verdict;

	verdict = rxaqm_decide_packet(q, judged, found & 0xf, (found >> 4) & 3, found >> 32,
				      q->clock_ns);
	if (verdict >= RXAQM_NOTE)
		verdict = thin_ack(ctx, q, found, index, verdict == RXAQM_THIN);
	if (verdict == RXAQM_PASS || !(q->flags & RXAQM_QUEUE_ENFORCED))
		return RXAQM_PASS;
	if (verdict == RXAQM_MARK)
		rxaqm_xdp_mark(ctx, found);
	else
		q->poll_drops++;
	return verdict;
}

/* Judge a packet that has waited @sojourn_ns, its error taken off, and is at hand at q->clock_ns.
 */
static __always_inline enum rxaqm_verdict judge(struct xdp_md *ctx, struct rxaqm_queue *q,
						__u32 index, __u64 sojourn_ns)
{
	__u32 judged = rxaqm_decide_sojourn(q, sojourn_ns, false, config.ring_entries, q->clock_ns);

	return judged ? give_verdict(ctx, q, index, judged) : RXAQM_PASS;
}

#endif /* RXAQM_JUDGE_BPF_H */
