/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/status_target.h"

void rxaqm_status_target_facts(const struct rxaqm_iface *iface, struct rxaqm_target_facts *facts)
{
	*facts = (struct rxaqm_target_facts){
		.rule = iface->target_rule,
		.quarters = iface->target_quarters,
		.moderation_ns = iface->moderation_ns,
		.entries = iface->ring_entries,
		.poll_packets = iface->poll_packets,
		.backlog = iface->flags & RXAQM_IFACE_BY_CPU,
	};
}

/* A policy that no packet has come under yet: what is in use is another's. */
static bool is_new(const struct rxaqm_queue *q, const struct rxaqm_policy *policy)
{
	return !q->target_ns || q->policy.target_auto != policy->target_auto ||
	       q->policy.target_ns != policy->target_ns ||
	       q->policy.interval_ns != policy->interval_ns;
}

__u64 rxaqm_status_target_ns(const struct rxaqm_queue *q, const struct rxaqm_policy *policy)
{
	return is_new(q, policy) ? policy->target_ns : q->target_ns;
}

__u64 rxaqm_status_interval_ns(const struct rxaqm_queue *q, const struct rxaqm_policy *policy)
{
	return is_new(q, policy) ? policy->interval_ns : q->interval_ns;
}

void rxaqm_status_target_derive(const struct rxaqm_target_facts *facts, const struct rxaqm_queue *q,
				struct rxaqm_target *target)
{
	struct rxaqm_target_facts measured = *facts;

	rxaqm_target_measure(&measured, q);
	rxaqm_target_explain(&measured, target);
}

void rxaqm_status_target_out(struct rxaqm_out *out, const struct rxaqm_target_facts *facts,
			     const struct rxaqm_queue *q, const struct rxaqm_policy *policy)
{
	struct rxaqm_target target;

	rxaqm_status_target_derive(facts, q, &target);
	if (!target.floor_ns)
		return;
	rxaqm_out_ns(out, "round_ns", "    poll round %s", q->round_ns);
	rxaqm_out_ns(out, "floor_ns", ", floor %s", target.floor_ns);
	if (rxaqm_status_target_ns(q, policy) < target.floor_ns)
		rxaqm_out_text(out, " (the target is below it)");
	if (target.ceiling_ns)
		rxaqm_out_ns(out, "ceiling_ns", ", ceiling %s", target.ceiling_ns);
	else
		rxaqm_out_null(out, "ceiling_ns", NULL);
	rxaqm_out_ns(out, "derived_target_ns", "; derived target %s", target.target_ns);
	rxaqm_out_str(out, "derived_why", ": %s", target.text);
	rxaqm_out_text(out, "\n");
}

void rxaqm_status_advice_out(struct rxaqm_out *out, const struct rxaqm_target_facts *facts,
			     const struct rxaqm_queue *q)
{
	struct rxaqm_target target;

	rxaqm_status_target_derive(facts, q, &target);
	if (target.advice[0])
		rxaqm_out_str(out, "ring_advice", "  %s\n", target.advice);
}
