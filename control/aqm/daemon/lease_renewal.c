/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Renew leases: without the daemon enforce lapses to observe, which the data plane applies
 * (xdp/shared/decide.h). Only leases that the daemon set are renewed: if an operator sets another
 * lease, or none, that holds.
 */
#include "daemon/lease_renewal.h"

#include "base/now.h"
#include "daemon/link.h"
#include "state/trial.h"

/* At half of the lease: the rest is for a daemon that is restarted, or a busy machine. 0: not the
 * daemon's lease.
 */
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

	if (!rxaqm_link_iface(link))
		return;
	if (rxaqm_state_trylock(state)) {
		/* A lease must not lapse because many commands run. */
		rxaqm_run_sync_by(link->run, now_ns + RXAQM_RUN_LOCKED_NS);
		return;
	}
	/* Nobody changes it under the lock: what is written back is what was read. */
	iface = rxaqm_link_iface(link);
	if (iface && rxaqm_trial_look(iface, &trial)) {
		/* The current lease is the trial's; the daemon's comes back when the trial ends. */
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
		/* Not at the next tick: a tick is as long as the shortest lease. */
		if (due_ns(link) && rxaqm_ns_after(due_ns(link), now_ns))
			rxaqm_run_sync_by(run, due_ns(link));
	}
}
