/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The decision: what becomes of a packet that stood for a known time.
 *
 * Two steps, since most packets of a queue that stands are still under target and
 * need not be parsed: rxaqm_decide_sojourn() moves the law on and says whether the
 * packet's class matters; rxaqm_decide_packet() gives the verdict for that class.
 * Both are pure: the BPF program, the unit tests and replay run the same code.
 */
#ifndef RXAQM_DECIDE_H
#define RXAQM_DECIDE_H

#include "queue.h"

#define RXAQM_CAP_BURST 16 /* drops that max_drop may save up */

enum rxaqm_verdict {
	RXAQM_PASS,
	RXAQM_MARK, /* set CE and pass */
	RXAQM_DROP,
};

/* IP ECN codepoints (RFC 3168, 5). */
#define RXAQM_IP_NOT_ECT 0
#define RXAQM_IP_ECT1 1
#define RXAQM_IP_ECT0 2
#define RXAQM_IP_CE 3

enum rxaqm_kind {
	RXAQM_KIND_DATA,
	RXAQM_KIND_ACK, /* pure TCP ACK */
	RXAQM_KIND_EXEMPT, /* never touched */
	RXAQM_KIND_SYN, /* TCP SYN, FIN or RST: what a connection cannot spare */
};

/* What is known after the first step. */
struct rxaqm_judgement {
	__u64 sojourn_ns; /* less its error */
	bool over; /* over target */
	bool due; /* CoDel wants a signal */
	bool step; /* over ce_threshold */
	bool l4s; /* over l4s_threshold */
};

/* Each judged packet earns its share of a drop. */
rxaqm_always_inline void rxaqm_decide_earn(struct rxaqm_queue *q)
{
	q->cap_credit += q->policy.max_drop_permille;
	if (q->cap_credit > RXAQM_CAP_BURST * 1000)
		q->cap_credit = RXAQM_CAP_BURST * 1000;
}

/* Judge a packet that stood @sojourn_ns (less its error) and is at hand at @now_ns.
 * @drained says that it leaves the queue empty, if that is known already. Returns true
 * if rxaqm_decide_packet() must be asked.
 */
rxaqm_always_inline bool rxaqm_decide_sojourn(struct rxaqm_queue *q, struct rxaqm_judgement *j,
					      __u64 sojourn_ns, bool drained, __u64 now_ns)
{
	const struct rxaqm_policy *policy = &q->policy;
	const struct rxaqm_codel_params params = {
		.target_ns = policy->target_ns,
		.interval_ns = policy->interval_ns,
	};
	__u64 ce_threshold_ns = rxaqm_policy_ce_threshold(policy);
	__s64 diff_ns = (__s64)(sojourn_ns - q->smooth_ns);

	q->stat[RXAQM_STAT_JUDGED]++;
	if (policy->not_ect == RXAQM_NOT_ECT_COUPLE)
		rxaqm_couple_note(&q->couple, policy->interval_ns,
				  ce_threshold_ns && q->smooth_ns > ce_threshold_ns, now_ns);
	/* Shifted, not divided: the average may settle 7 ns low. */
	q->smooth_ns = q->smooth_ns ? q->smooth_ns + (diff_ns >> 3) : sojourn_ns;
	rxaqm_decide_earn(q);

	j->sojourn_ns = sojourn_ns;
	j->due = rxaqm_codel_update(&q->codel, &params, sojourn_ns, drained, now_ns);
	j->over = sojourn_ns > policy->target_ns;
	j->step = ce_threshold_ns && q->smooth_ns > ce_threshold_ns && !drained;
	j->l4s = policy->l4s_threshold_ns && sojourn_ns > policy->l4s_threshold_ns &&
		 policy->ecn != RXAQM_ECN_OFF && !drained;
	if (drained)
		q->smooth_ns = 0;
	if (!j->over)
		q->stat[RXAQM_STAT_LOW]++;
	return j->over || j->due || j->step || j->l4s;
}

/* True if policy is enforced, not only observed. */
rxaqm_always_inline bool rxaqm_decide_enforced(const struct rxaqm_policy *policy, __u64 now_ns)
{
	return policy->mode == RXAQM_MODE_ENFORCE &&
	       (!policy->lease_until_ns || rxaqm_ns_after(policy->lease_until_ns, now_ns));
}

/* Count @stat, or what it would have been: @enforced picks the one of the pair. */
#define rxaqm_decide_count(q, enforced, stat_) \
	((q)->stat[(enforced) ? RXAQM_STAT_##stat_ : RXAQM_STAT_WOULD_##stat_]++)

/* Drop a packet, if max_drop lets it: shares of a drop are earned, up to a few in store. So of any
 * n packets at most n * max_drop + RXAQM_CAP_BURST are dropped, and no calm hours pay for a bad
 * second.
 */
rxaqm_always_inline bool rxaqm_decide_may_drop(struct rxaqm_queue *q)
{
	if (q->cap_credit < 1000) {
		q->stat[RXAQM_STAT_PASS_MAX_DROP]++;
		return false;
	}
	q->cap_credit -= 1000;
	return true;
}

rxaqm_always_inline void rxaqm_decide_count_class(struct rxaqm_queue *q, __u8 kind, __u8 ecn)
{
	if (kind == RXAQM_KIND_EXEMPT)
		q->stat[RXAQM_STAT_OVER_EXEMPT]++;
	else if (kind == RXAQM_KIND_ACK)
		q->stat[RXAQM_STAT_OVER_ACK]++;
	else if (ecn == RXAQM_IP_CE)
		q->stat[RXAQM_STAT_OVER_CE]++;
	else if (ecn == RXAQM_IP_ECT0)
		q->stat[RXAQM_STAT_OVER_ECT0]++;
	else if (ecn == RXAQM_IP_ECT1)
		q->stat[RXAQM_STAT_OVER_ECT1]++;
	else
		q->stat[RXAQM_STAT_OVER_NECT]++;
}

rxaqm_always_inline void rxaqm_decide_signal(struct rxaqm_queue *q, __u64 now_ns)
{
	const struct rxaqm_codel_params params = {
		.target_ns = q->policy.target_ns,
		.interval_ns = q->policy.interval_ns,
	};

	rxaqm_codel_signal(&q->codel, &params, now_ns);
}

/* An ECT or CE packet: marks come first, and one that CoDel asked for is its signal. */
rxaqm_always_inline enum rxaqm_verdict rxaqm_decide_ect(struct rxaqm_queue *q,
							const struct rxaqm_judgement *j, __u8 ecn,
							bool enforced, __u64 now_ns)
{
	bool l4s_only = ecn == RXAQM_IP_ECT1 && q->policy.l4s_threshold_ns;
	bool due = j->due && !l4s_only && q->policy.ecn == RXAQM_ECN_CODEL;
	bool step = l4s_only ? j->l4s : j->step;

	if (!due && !step)
		return RXAQM_PASS;
	if (due)
		rxaqm_decide_signal(q, now_ns);
	/* A CE mark that is there already says what ours would. */
	if (ecn == RXAQM_IP_CE)
		return RXAQM_PASS;
	if (due)
		rxaqm_decide_count(q, enforced, ECN_MARK);
	else
		rxaqm_decide_count(q, enforced, CE_MARK);
	return RXAQM_MARK;
}

/* True if a packet that can't be marked is to be dropped. CoDel goes on beside the coupling, for
 * senders that take more than a quarter of their packets lost for nothing.
 */
rxaqm_always_inline bool rxaqm_decide_not_ect(struct rxaqm_queue *q,
					      const struct rxaqm_judgement *j)
{
	if (q->policy.not_ect == RXAQM_NOT_ECT_PASS)
		return false;
	if (q->policy.not_ect == RXAQM_NOT_ECT_COUPLE && j->step &&
	    rxaqm_couple_drop(&q->couple, q->policy.interval_ns))
		return true;
	return j->due;
}

/* The verdict on a packet of class (@kind, @ecn) for which rxaqm_decide_sojourn()
 * returned true. It is for the caller to heed it only if rxaqm_decide_enforced().
 */
rxaqm_always_inline enum rxaqm_verdict rxaqm_decide_packet(struct rxaqm_queue *q,
							   const struct rxaqm_judgement *j,
							   __u8 kind, __u8 ecn, bool enforced,
							   __u64 now_ns)
{
	if (j->over)
		rxaqm_decide_count_class(q, kind, ecn);
	if (kind == RXAQM_KIND_ACK || kind == RXAQM_KIND_EXEMPT)
		return RXAQM_PASS;
	if (ecn != RXAQM_IP_NOT_ECT && q->policy.ecn != RXAQM_ECN_OFF)
		return rxaqm_decide_ect(q, j, ecn, enforced, now_ns);
	if (!rxaqm_decide_not_ect(q, j) || !rxaqm_decide_may_drop(q))
		return RXAQM_PASS;
	if (j->due)
		rxaqm_decide_signal(q, now_ns);
	rxaqm_decide_count(q, enforced, DROP);
	return RXAQM_DROP;
}

#endif /* RXAQM_DECIDE_H */
