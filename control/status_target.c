/* SPDX-License-Identifier: GPL-2.0-only */
#include "status_target.h"

#include <stdlib.h>

#include "profile.h"

void rxaqm_status_target_facts(const struct rxaqm_iface *iface, struct rxaqm_target_facts *facts)
{
	struct rxaqm_profile *profile = calloc(1, sizeof(*profile));

	*facts = (struct rxaqm_target_facts){
		.entries = iface->ring_entries,
		.poll_packets = iface->poll_packets,
		.backlog = iface->flags & RXAQM_IFACE_BY_CPU,
	};
	/* A profile that is no longer there: the rule for an unknown NIC. */
	if (profile && !rxaqm_profile_by_name(iface->profile, profile, NULL)) {
		facts->rule = profile->target_rule;
		facts->moderation_ns = profile->moderation_ns;
	}
	free(profile);
}

void rxaqm_status_target_derive(const struct rxaqm_target_facts *facts, const struct rxaqm_queue *q,
				struct rxaqm_target *target)
{
	struct rxaqm_target_facts measured = *facts;

	rxaqm_target_measure(&measured, q);
	rxaqm_target_derive(&measured, target);
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
	if (policy->target_ns < target.floor_ns)
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
