/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * From a queue's signals and a packet's bytes to a verdict, done to the packet. To be included
 * behind config (rxaqm.bpf.c).
 */
#ifndef RXAQM_JUDGE_BPF_H
#define RXAQM_JUDGE_BPF_H

#include "ecn.h"
#include "shared/maps.bpf.h"

/* Count why a packet of a standing queue cannot be judged. */
static void count_unknown(struct rxaqm_queue *q, __u64 now_ns)
{
	if (rxaqm_sample_distrusted(q, now_ns))
		q->stat[RXAQM_STAT_PASS_IMPLAUSIBLE]++;
	else if (q->flags & RXAQM_QUEUE_NO_CLOCK)
		q->stat[RXAQM_STAT_PASS_NO_CLOCK]++;
	else if (q->flags & RXAQM_QUEUE_SAMPLED)
		q->stat[RXAQM_STAT_PASS_STALE]++;
	else
		q->stat[RXAQM_STAT_PASS_NO_SIGNAL]++;
}

/* The newest sample, less its error. False if there is none that is valid now. */
rxaqm_always_inline bool pick_sample(const struct rxaqm_queue *q, __u64 now_ns,
				     __u64 *ret_sojourn_ns)
{
	if (q->policy.signal == RXAQM_SIGNAL_BUSY || !(q->flags & RXAQM_QUEUE_SAMPLED) ||
	    rxaqm_ns_since(now_ns, q->sample_ns) > rxaqm_sample_max_age_ns(q->policy.interval_ns) ||
	    rxaqm_sample_distrusted(q, now_ns))
		return false;
	*ret_sojourn_ns = q->sample_sojourn_ns > q->sample_err_ns ?
				  q->sample_sojourn_ns - q->sample_err_ns :
				  0;
	return true;
}

/* The sojourn to act on while the queue stands, less its error, by the best signal that is valid
 * now. False if there is none.
 */
rxaqm_always_inline bool pick_sojourn(struct rxaqm_queue *q, __u64 now_ns, __u64 *ret_sojourn_ns)
{
	__u64 sojourn_ns, bound_ns;

	q->poll_bucket = 0;
	if (pick_sample(q, now_ns, ret_sojourn_ns))
		return true;
	if (!rxaqm_policy_by_polls(&q->policy) || !(q->flags & RXAQM_QUEUE_POLLED))
		return false;
	/* No stamp can be trusted: the queue has stood since a poll last drained it, or for
	 * as long as a full ring takes to be served, if that is less.
	 */
	sojourn_ns = rxaqm_ns_since(now_ns, q->drained_ns);
	bound_ns = (__u64)config.ring_entries * q->packet_ns;
	if (bound_ns && sojourn_ns > bound_ns)
		sojourn_ns = bound_ns;
	q->signal = RXAQM_SIGNAL_BUSY;
	q->poll_bucket = rxaqm_hist_bucket(sojourn_ns) + 1;
	rxaqm_sample_count(q, q->poll_bucket - 1, 1);
	*ret_sojourn_ns = sojourn_ns;
	return true;
}

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

/* A pure ACK over target, under a policy that thins them: 1 if others say the same and it
 * may go.
 */
__attribute__((noinline)) int rxaqm_xdp_thin(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
					     __u64 now_ns)
{
	struct rxaqm_packet pkt = {};
	struct rxaqm_ack_flow *flow;
	void *data, *data_end;
	__u64 id;
	__u32 key;

	if (!q)
		return 0;
	rxaqm_xdp_parse(ctx, &pkt, &q->policy);
	data_end = (void *)(long)ctx->data_end;
	data = (void *)(long)ctx->data;
	id = rxaqm_ack_flow_id(&pkt, index, data, data_end);
	key = (__u32)id & (RXAQM_ACK_FLOWS - 1);
	flow = bpf_map_lookup_elem(&ack_map, &key);
	if (!id || !flow)
		return 0;
	/* ACKs of a queue under target pass without being noted. */
	rxaqm_ack_forget(flow, q->codel.first_above_time_ns - q->policy.interval_ns);
	if (rxaqm_ack_redundant(flow, id, &pkt, data, data_end, rxaqm_ack_gap_ns(q->smooth_ns),
				now_ns) &&
	    rxaqm_decide_may_drop(q))
		return 1;
	rxaqm_ack_kept(flow, now_ns);
	return 0;
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
	if (pkt.kind == RXAQM_KIND_ACK && j.over && q->policy.ack == RXAQM_ACK_THIN &&
	    rxaqm_xdp_thin(ctx, q, index, now_ns)) {
		rxaqm_decide_count(q, enforced, ACK_DROP);
		verdict = RXAQM_DROP;
	}
	if (verdict == RXAQM_PASS || !enforced)
		return RXAQM_PASS;
	if (verdict == RXAQM_MARK)
		rxaqm_ecn_mark(&pkt, (void *)(long)ctx->data, (void *)(long)ctx->data_end);
	else
		q->poll_drops++;
	return verdict;
}

#endif /* RXAQM_JUDGE_BPF_H */
