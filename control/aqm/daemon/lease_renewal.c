/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Renews leases: without the daemon enforce lapses to observe, which the data plane heeds
 * (xdp/shared/decide.h). Only what was set here is renewed: an operator who sets another lease, or
 * none, is obeyed.
 */
#include "daemon/lease_renewal.h"

#include "base/now.h"
#include "daemon/link.h"
#include "state/trial.h"

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
	__u64 until_ns = now_ns + link->section->lease_ns;
	struct rxaqm_state *state = &link->run->state;
	struct rxaqm_trial_note trial;
	struct rxaqm_policy *policies;
	struct rxaqm_iface *iface;
	unsigned int i;

	if (!rxaqm_run_entry(link))
		return;
	if (rxaqm_state_trylock(state)) {
		/* A machine on which many commands run must not lose its lease for that. */
		rxaqm_run_sync_by(link->run, now_ns + RXAQM_RUN_LOCKED_NS);
		return;
	}
	/* Under the lock nobody changes it: what is read here is what is written back. */
	iface = rxaqm_run_entry(link);
	if (iface && rxaqm_trial_look(iface, &trial)) {
		/* The lease at hand is the trial's, and goes when ours comes back. */
		link->lease_until_ns = until_ns;
	} else if (iface) {
		link->lease_until_ns = 0;
		policies = rxaqm_state_draft(state, iface);
		for (i = 0; i < iface->nr_queues; i++)
			if (rxaqm_setting_source(&policies[i], "lease") == RXAQM_SOURCE_CONFIG)
				policies[i].lease_until_ns = link->lease_until_ns = until_ns;
		if (link->lease_until_ns)
			rxaqm_state_use_draft(iface);
	}
	rxaqm_state_unlock(state);
}

void rxaqm_run_renew_leases(struct rxaqm_run *run)
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
