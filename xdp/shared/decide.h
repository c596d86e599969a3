/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The decision about a packet whose sojourn is known.
 *
 * It is made in steps, since most packets of a standing queue are well under target and need no
 * parsing: rxaqm_decide_sojourn() moves the law on and says whether the packet's class matters;
 * rxaqm_decide_ask() counts its class, and says whether it is an ACK that may be redundant;
 * rxaqm_decide_flow() gives the verdict by its flow. All are pure: the BPF program, the unit tests
 * and replay run the same code.
 *
 * Two laws: law=auto is law.h. law=codel is RFC 8289 as Linux has it (codel.h), with a guard around
 * it: CoDel asks for more and more signals while what holds the queue does not respond, and only
 * the few packets that can be dropped would pay. So a class is dropped at most four times as often
 * as its share of the queue, and SYN, FIN and RST only where they are the load.
 */
#ifndef RXAQM_DECIDE_H
#define RXAQM_DECIDE_H

#include "guard.h"
#include "law.h"
#include "law_limit.h"
#include "target.h"

/* The next step towards a packet's verdict. */
enum rxaqm_ask {
	RXAQM_ASK_NOTHING, /* it passes */
	RXAQM_ASK_VERDICT, /* rxaqm_decide_flow() or, law=codel, rxaqm_decide_codel() */
	RXAQM_ASK_NOTE, /* an ACK: tell ack.h of it, then as above */
	RXAQM_ASK_THIN, /* an ACK: dropped if it is redundant, else as RXAQM_ASK_NOTE */
};

/* IP ECN codepoints (RFC 3168, 5). */
#define RXAQM_IP_NOT_ECT 0
#define RXAQM_IP_ECT1 1
#define RXAQM_IP_ECT0 2
#define RXAQM_IP_CE 3

/* The kind of a packet, ECN aside: the class of a Not-ECT packet. */
enum rxaqm_kind {
	RXAQM_KIND_TCP = RXAQM_CLASS_TCP, /* data */
	RXAQM_KIND_DATA = RXAQM_CLASS_OTHER, /* of anything but TCP */
	RXAQM_KIND_ACK = RXAQM_CLASS_ACK,
	RXAQM_KIND_SYN = RXAQM_CLASS_SYN,
	RXAQM_KIND_EXEMPT,
};

/* The result of the first step: bits; none of them means pass. */
#define RXAQM_JUDGE_CLASS (1U << 0) /* law=auto: over half the goal */
#define RXAQM_JUDGE_OVER (1U << 1) /* over target */
#define RXAQM_JUDGE_DUE (1U << 2) /* law=codel: a signal is due */
#define RXAQM_JUDGE_CE (1U << 3) /* law=codel: over ce_threshold */

/* Begin the law anew: its state under another policy is no place to begin. */
static inline void rxaqm_decide_reset(struct rxaqm_queue *q)
{
	__u64 unasked_ns = q->law.unasked_ns;
	__u32 random = q->law.random;

	rxaqm_zero(&q->codel, sizeof(q->codel));
	rxaqm_zero(&q->law, sizeof(q->law));
	q->law.goal_ns = q->target_ns;
	q->law.unasked_ns = unasked_ns;
	q->law.random = random;
}

/* max_drop as a share of RXAQM_LAW_ONE. */
rxaqm_always_inline __u32 rxaqm_decide_max_drop(const struct rxaqm_policy *policy)
{
	if (policy->max_drop_permille >= 1000)
		return RXAQM_LAW_ONE;
	return policy->max_drop_permille * (RXAQM_LAW_ONE / 1000);
}

/* True if the policy is enforced, not only observed. */
rxaqm_always_inline bool rxaqm_decide_enforced(const struct rxaqm_policy *policy, __u64 now_ns)
{
	return policy->mode == RXAQM_MODE_ENFORCE &&
	       (!policy->lease_until_ns || rxaqm_ns_after(policy->lease_until_ns, now_ns));
}

/* A window of the queue is over at @now_ns, and with it perhaps a lease. Global for the verifier's
 * sake. Returns 0.
 */
rxaqm_global int rxaqm_decide_turn(struct rxaqm_queue *q, __u32 ring_entries, __u64 now_ns)
{
	struct rxaqm_law_params params;

	if (!q)
		return 0;
	if (rxaqm_decide_enforced(&q->policy, now_ns) != !!(q->flags & RXAQM_QUEUE_ENFORCED)) {
		/* Signals begin anew. What is known of the queue's packets and length still holds.
		 */
		q->flags ^= RXAQM_QUEUE_ENFORCED;
		rxaqm_zero(&q->codel, sizeof(q->codel));
		q->law.x = 0;
		q->law.bad = 0;
		q->law.above_ns = 0;
	}
	rxaqm_target_update(q, ring_entries);
	params.target_ns = q->target_ns;
	params.interval_ns = q->interval_ns;
	params.ring_entries = ring_entries;
	params.drops = (__u32)(q->stat[RXAQM_STAT_DROP] + q->stat[RXAQM_STAT_ACK_DROP]);
	if (q->policy.law == RXAQM_LAW_AUTO) {
		if ((q->flags & (RXAQM_QUEUE_ENFORCED | RXAQM_QUEUE_REPLAYED)) ==
			    RXAQM_QUEUE_ENFORCED &&
		    rxaqm_law_futile(&q->law, &params, now_ns))
			q->stat[RXAQM_STAT_SHED_FUTILE]++;
		rxaqm_law_turn(&q->law, &params, now_ns);
		return 0;
	}
	if (!(q->flags & RXAQM_QUEUE_UNGUARDED) && q->law.turn_ns &&
	    rxaqm_ns_since(now_ns, q->law.turn_ns) > RXAQM_LAW_MEMORY_NS)
		rxaqm_codel_drained(&q->codel);
	rxaqm_guard_turn(q, rxaqm_decide_max_drop(&q->policy), now_ns);
	return 0;
}

/* The queue was seen empty. */
rxaqm_always_inline void rxaqm_decide_drained(struct rxaqm_queue *q)
{
	rxaqm_codel_drained(&q->codel);
	rxaqm_law_drained(&q->law);
}

/* ACKs that came before this time may have passed without being noted (ack.h). */
rxaqm_always_inline __u64 rxaqm_decide_unasked_ns(const struct rxaqm_queue *q)
{
	if (rxaqm_ns_after(q->drained_ns, q->law.unasked_ns))
		return q->drained_ns;
	return q->law.unasked_ns;
}

/* How long a flow may go without an ACK: half of what its ACKs wait, at most 1 s, below any
 * sender's timer.
 */
rxaqm_always_inline __u64 rxaqm_decide_ack_gap_ns(const struct rxaqm_queue *q)
{
	__u64 gap_ns = q->law.smooth_ns / 2;

	return gap_ns < RXAQM_NSEC_PER_SEC ? gap_ns : RXAQM_NSEC_PER_SEC;
}

/* Judge a packet that stood @sojourn_ns (less its error) in a queue of at most @ring_entries (0:
 * unknown) and is at hand at @now_ns. @drained says that it leaves the queue empty, if that is
 * known already. Returns RXAQM_JUDGE_*; if that is not 0, rxaqm_decide_ask() must be asked.
 */
rxaqm_always_inline __u32 rxaqm_decide_sojourn(struct rxaqm_queue *q, __u64 sojourn_ns,
					       bool drained, __u32 ring_entries, __u64 now_ns)
{
	const struct rxaqm_policy *policy = &q->policy;
	struct rxaqm_law_vars *vars = &q->law;
	struct rxaqm_codel_params params;
	__u32 judged = 0;

	q->stat[RXAQM_STAT_JUDGED]++;
	rxaqm_law_average(vars, sojourn_ns);
	if (rxaqm_ns_since(now_ns, vars->turn_ns) >= q->interval_ns >> RXAQM_LAW_WINDOW_BITS)
		rxaqm_decide_turn(q, ring_entries, now_ns);
	if (sojourn_ns > q->target_ns)
		judged = RXAQM_JUDGE_OVER;
	else
		q->stat[RXAQM_STAT_LOW]++;
	if (policy->law == RXAQM_LAW_AUTO) {
		if (rxaqm_law_turns_bad(vars, q->interval_ns, sojourn_ns, now_ns))
			rxaqm_law_turn_bad(vars, now_ns);
		if (drained)
			rxaqm_decide_drained(q);
		if (sojourn_ns > vars->goal_ns / 2)
			return judged | RXAQM_JUDGE_CLASS;
		vars->unasked_ns = now_ns;
		return 0;
	}
	params.target_ns = q->target_ns;
	params.interval_ns = q->interval_ns;
	if (rxaqm_codel_update(&q->codel, &params, sojourn_ns, drained, now_ns))
		judged |= RXAQM_JUDGE_DUE;
	if (policy->ce_threshold_ns && sojourn_ns > policy->ce_threshold_ns)
		judged |= RXAQM_JUDGE_CE;
	return judged;
}

/* Base of the counters RXAQM_STAT_ECN_MARK .. RXAQM_STAT_ACK_DROP, or of the RXAQM_STAT_WOULD_*
 * ones while the queue is only observed.
 */
rxaqm_always_inline __u64 *rxaqm_decide_counts(struct rxaqm_queue *q)
{
	const int would = RXAQM_STAT_WOULD_ECN_MARK - RXAQM_STAT_ECN_MARK;

	return q->stat + (q->flags & RXAQM_QUEUE_ENFORCED ? 0 : would);
}

rxaqm_always_inline void rxaqm_decide_count_class(struct rxaqm_queue *q, __u8 kind, __u8 ecn)
{
	__u32 stat = RXAQM_STAT_OVER_NECT + (ecn & 3);

	if (kind == RXAQM_KIND_EXEMPT)
		stat = RXAQM_STAT_OVER_EXEMPT;
	else if (kind == RXAQM_KIND_ACK)
		stat = RXAQM_STAT_OVER_ACK;
	q->stat[stat]++;
}

static inline void rxaqm_decide_count_drop(struct rxaqm_queue *q, enum rxaqm_class cls)
{
	__u64 *counts = rxaqm_decide_counts(q);

	if (cls == RXAQM_CLASS_ACK) {
		counts[RXAQM_STAT_ACK_DROP]++;
		return;
	}
	counts[RXAQM_STAT_DROP]++;
	if (cls == RXAQM_CLASS_SYN)
		counts[RXAQM_STAT_DROP_SYN]++;
	else if (cls == RXAQM_CLASS_ECT)
		counts[RXAQM_STAT_DROP_ECT]++;
}

rxaqm_always_inline enum rxaqm_class rxaqm_decide_class(const struct rxaqm_policy *policy,
							__u8 kind, __u8 ecn)
{
	if (kind >= RXAQM_KIND_EXEMPT)
		return RXAQM_CLASS_EXEMPT;
	if (kind <= RXAQM_KIND_DATA && ecn != RXAQM_IP_NOT_ECT && policy->ecn)
		return RXAQM_CLASS_ECT;
	return (enum rxaqm_class)kind;
}

/* Count a packet of class (@kind, @ecn), and return the next step at @now_ns. @judged: of
 * rxaqm_decide_sojourn().
 */
rxaqm_always_inline enum rxaqm_ask rxaqm_decide_ask(struct rxaqm_queue *q, __u32 judged, __u8 kind,
						    __u8 ecn, __u64 now_ns)
{
	enum rxaqm_class cls = rxaqm_decide_class(&q->policy, kind, ecn);
	bool automatic = q->policy.law == RXAQM_LAW_AUTO;
	__u32 lot;

	if (judged & RXAQM_JUDGE_OVER)
		rxaqm_decide_count_class(q, kind, ecn);
	q->law.seen[cls] += 4;
	if (cls == RXAQM_CLASS_EXEMPT) {
		if (automatic)
			rxaqm_level_count(&q->law.passed, rxaqm_law_stamp(&q->law, now_ns));
		return RXAQM_ASK_NOTHING;
	}
	if (!automatic || cls != RXAQM_CLASS_ACK)
		return RXAQM_ASK_VERDICT;
	if (!q->law.bad || q->policy.ack != RXAQM_ACK_THIN) {
		q->law.unasked_ns = now_ns;
		return RXAQM_ASK_VERDICT;
	}
	if (rxaqm_law_random(&q->law) >= q->law.thin)
		return RXAQM_ASK_NOTE;
	/* The lot that the flow's verdict is drawn with, too: so max_drop bounds both together. */
	lot = rxaqm_law_random_next(&q->law) >> 2;
	return rxaqm_law_may_drop(lot, rxaqm_decide_max_drop(&q->policy)) ? RXAQM_ASK_THIN :
									    RXAQM_ASK_NOTE;
}

/* law=auto: the verdict at @now_ns on a packet of class (@kind, @ecn) and flow @id, not 0, whose
 * set is @set. The caller heeds it only if the queue is RXAQM_QUEUE_ENFORCED.
 */
rxaqm_always_inline enum rxaqm_verdict rxaqm_decide_flow(struct rxaqm_queue *q,
							 struct rxaqm_flow_set *set, __u32 id,
							 __u8 kind, __u8 ecn, __u64 now_ns)
{
	enum rxaqm_class cls = rxaqm_decide_class(&q->policy, kind, ecn);
	__u32 stamp = rxaqm_law_stamp(&q->law, now_ns), ect = RXAQM_LAW_NOT_ECT;
	enum rxaqm_verdict verdict;

	if (cls == RXAQM_CLASS_ECT)
		ect = ecn == RXAQM_IP_CE ? RXAQM_LAW_CE : RXAQM_LAW_ECT;
	verdict = rxaqm_law_packet(&q->law, set, id, kind, ect, rxaqm_decide_max_drop(&q->policy),
				   stamp);
	/* What passes is what the CPU can do; in an observed or recorded queue all packets pass. */
	if (verdict != RXAQM_DROP ||
	    (q->flags & (RXAQM_QUEUE_ENFORCED | RXAQM_QUEUE_REPLAYED)) != RXAQM_QUEUE_ENFORCED)
		rxaqm_level_count(&q->law.passed, stamp);
	if (verdict == RXAQM_DROP)
		rxaqm_decide_count_drop(q, cls);
	else if (verdict == RXAQM_MARK)
		rxaqm_decide_counts(q)[RXAQM_STAT_ECN_MARK]++;
	return verdict;
}

/* law=codel: may the packet be dropped, if a signal is due? A refusal is counted. */
rxaqm_always_inline bool rxaqm_decide_codel_drops(struct rxaqm_queue *q, enum rxaqm_class cls,
						  bool due)
{
	rxaqm_guard_earn(q, cls);
	if (!due || rxaqm_guard_may_drop(q, cls))
		return due;
	q->stat[RXAQM_STAT_PASS_CAPPED]++;
	return false;
}

/* law=codel: the verdict at @now_ns on a packet of class (@kind, @ecn). @judged: of
 * rxaqm_decide_sojourn(). Global for the verifier's sake.
 */
rxaqm_global int rxaqm_decide_codel(struct rxaqm_queue *q, __u32 judged, __u32 kind, __u32 ecn,
				    __u64 now_ns)
{
	bool due = judged & RXAQM_JUDGE_DUE, ce = judged & RXAQM_JUDGE_CE, ect;
	struct rxaqm_codel_params params;
	__u32 cls;

	if (!q || kind == RXAQM_KIND_ACK)
		return RXAQM_PASS;
	cls = rxaqm_decide_class(&q->policy, (__u8)kind, (__u8)ecn);
	RXAQM_HIDE(cls); /* 6.1 learns no range from one test that bounds both ends */
	if (cls >= RXAQM_NR_DROPPABLE)
		return RXAQM_PASS;
	ect = ecn != RXAQM_IP_NOT_ECT && q->policy.ecn;
	if (!ect && !rxaqm_decide_codel_drops(q, (enum rxaqm_class)cls, due))
		return RXAQM_PASS;
	if (due) {
		params.target_ns = q->target_ns;
		params.interval_ns = q->interval_ns;
		rxaqm_codel_signal(&q->codel, &params, now_ns);
	}
	if (!ect) {
		rxaqm_decide_count_drop(q, (enum rxaqm_class)cls);
		return RXAQM_DROP;
	}
	if (q->policy.ce_selector == RXAQM_CE_SELECTOR_ECT1 && ecn != RXAQM_IP_ECT1)
		ce = false;
	if ((!due && !ce) || ecn == RXAQM_IP_CE)
		return RXAQM_PASS;
	rxaqm_decide_counts(q)[due ? RXAQM_STAT_ECN_MARK : RXAQM_STAT_CE_MARK]++;
	return RXAQM_MARK;
}

#endif /* RXAQM_DECIDE_H */
