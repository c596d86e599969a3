/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leases: enforce lapses to observe if the daemon is not there to renew them. Only what was set
 * here is renewed: an operator who sets another lease, or none, is obeyed.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/run.h"
#include "base/now.h"

/* Half is left for a daemon that is restarted, or a machine that is busy. 0: not ours to renew. */
static __u64 due_ns(const struct rxaqm_link *link)
{
	if (link->state != RXAQM_LINK_ATTACHED || !link->section || !link->section->lease_ns ||
	    !link->lease_until_ns)
		return 0;
	return link->lease_until_ns - link->section->lease_ns / 2;
}

static void renew(struct rxaqm_link *link, __u64 now_ns)
{
	struct rxaqm_iface *iface = rxaqm_run_entry(link);
	__u64 until_ns = now_ns + link->section->lease_ns;
	struct rxaqm_policy *policies;
	unsigned int i, renewed = 0;

	if (!iface)
		return;
	if (rxaqm_run_state_lock(link->run)) {
		/* A machine on which many commands run must not lose its lease for that. */
		rxaqm_run_sync_by(link->run, now_ns + RXAQM_RUN_LOCKED_NS);
		return;
	}
	/* Under the lock nobody changes it: what is read here is what is written back. */
	iface = rxaqm_run_entry(link);
	policies = iface ? malloc(iface->nr_queues * sizeof(*policies)) : NULL;
	if (policies) {
		memcpy(policies, rxaqm_state_policy(&link->run->state, iface, 0),
		       iface->nr_queues * sizeof(*policies));
		for (i = 0; i < iface->nr_queues; i++) {
			if (rxaqm_setting_source(&policies[i], "lease") != RXAQM_SOURCE_CONFIG)
				continue;
			policies[i].lease_until_ns = until_ns;
			renewed++;
		}
		if (renewed)
			rxaqm_state_set_policies(&link->run->state, iface, policies);
		link->lease_until_ns = renewed ? until_ns : 0;
		free(policies);
	}
	rxaqm_run_state_unlock(link->run);
}

void rxaqm_run_leases(struct rxaqm_run *run)
{
	__u64 now_ns = rxaqm_now_ns();
	struct rxaqm_link *link;

	for (link = run->links; link; link = link->next) {
		if (due_ns(link) && !rxaqm_ns_after(due_ns(link), now_ns))
			renew(link, now_ns);
		/* Not by the tick, which is as long as the shortest lease. */
		if (due_ns(link) && rxaqm_ns_after(due_ns(link), now_ns))
			rxaqm_run_sync_by(run, due_ns(link));
	}
}
