/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/plan.h"

#include <errno.h>
#include "attach/locate.h"

int rxaqm_plan_make(struct rxaqm_plan *plan, const char *profile, struct rxaqm_error *error)
{
	struct rxaqm_attach *attach = &plan->attach;
	const char *ifname = attach->ifname;
	int err;

	attach->profile = &plan->profile;
	attach->policy = &plan->policy;
	err = rxaqm_nic_read(ifname, &attach->nic, error);
	if (!err)
		err = rxaqm_nic_check_link(ifname, &attach->nic, error);
	if (err)
		return err;
	if (attach->nic.bond && !attach->generic)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, EOPNOTSUPP,
				       "\"%s\" is a bond, whose members' queues share numbers; attach "
				       "to its members (\"ip link show master %s\")",
				       ifname, ifname);
	err = profile ? rxaqm_profile_by_name(profile, &plan->profile, error) :
			rxaqm_profile_for_interface(ifname, &plan->profile, error);
	return err ? err : rxaqm_profile_policy(&plan->profile, &plan->policy, error);
}

struct rxaqm_iface *rxaqm_plan_attached(const struct rxaqm_state *state, const char *ifname)
{
	struct rxaqm_iface *iface = state->meta ? rxaqm_iface_find(state, ifname) : NULL;

	if (!iface || iface->state != RXAQM_IFACE_ATTACHED || !rxaqm_iface_ifindex(iface))
		return NULL;
	return iface;
}
