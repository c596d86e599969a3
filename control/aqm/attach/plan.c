/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/plan.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "base/now.h"
#include "nic/ethtool.h"
#include "nic/netns.h"
#include "nic/way_out.h"
#include "attach/stamps.h"

#define MAX_BACKLOG_DEFAULT 1000 /* net/core/hotdata.c */

int rxaqm_plan_make(struct rxaqm_plan *plan, const char *profile, struct rxaqm_error *error)
{
	const char *ifname = plan->ifname;
	int err;

	err = rxaqm_nic_read(ifname, &plan->nic, error);
	if (!err)
		err = rxaqm_nic_check_link(ifname, &plan->nic, plan->generic, error);
	if (err)
		return err;
	err = profile ? rxaqm_profile_by_name(profile, &plan->profile, error) :
			rxaqm_profile_for_interface(ifname, &plan->profile, error);
	return err ? err : rxaqm_profile_policy(&plan->profile, &plan->policy, error);
}

bool rxaqm_plan_resets_clock(const struct rxaqm_plan *plan)
{
	return plan->profile.xdp_resets_clock > 0 && !plan->generic &&
	       rxaqm_nic_phc(plan->ifname) >= 0;
}

/* Are the queues the CPUs' backlogs? */
static bool keyed_by_cpu(const struct rxaqm_plan *plan)
{
	if (plan->key != RXAQM_KEY_AUTO)
		return plan->key == RXAQM_KEY_CPU;
	/* By queue only if the profile says that each queue has one NAPI context. */
	return plan->generic && (plan->profile.path_generic == RXAQM_PATH_UNKNOWN ||
				 plan->profile.path_generic == RXAQM_PATH_BACKLOG ||
				 rxaqm_nic_has_rps(plan->ifname));
}

unsigned int rxaqm_plan_queues(const struct rxaqm_plan *plan)
{
	return keyed_by_cpu(plan) ? (unsigned int)libbpf_num_possible_cpus() :
				    plan->nic.nr_rx_queues;
}

static unsigned int queue_entries(const struct rxaqm_plan *plan, bool by_cpu)
{
	if (by_cpu)
		return rxaqm_max_backlog() ?: MAX_BACKLOG_DEFAULT;
	return plan->nic.rx_ring ?: plan->profile.ring_entries;
}

/* Copy what is needed later from @profile, which is not read again. */
static void take_facts(struct rxaqm_iface *iface, const struct rxaqm_profile *profile)
{
	iface->flags &= ~RXAQM_IFACE_BY_WORK;
	if (profile->design == RXAQM_DESIGN_SHARED)
		iface->flags |= RXAQM_IFACE_BY_WORK;
	iface->poll_packets = iface->flags & RXAQM_IFACE_BY_CPU ? 0 : profile->poll_packets;
	iface->target_rule = profile->target_rule;
	iface->target_quarters = (__u16)rxaqm_target_rule_quarters(profile->target_rule);
	iface->moderation_ns = (__u32)rxaqm_floor_bounded(profile->moderation_ns);
	snprintf(iface->profile, sizeof(iface->profile), "%s", profile->name);
}

bool rxaqm_entry_find_way_out(struct rxaqm_iface *iface, const char *ifname)
{
	char text[RXAQM_WAY_OUT_LEN];
	__u32 leaves = rxaqm_way_out(ifname, text) ? RXAQM_IFACE_LEAVES : 0;

	if ((iface->flags & RXAQM_IFACE_LEAVES) == leaves)
		return false;
	iface->flags ^= RXAQM_IFACE_LEAVES;
	return true;
}

bool rxaqm_entry_has_facts(const struct rxaqm_iface *iface, const struct rxaqm_profile *profile)
{
	struct rxaqm_iface by_profile = *iface;

	take_facts(&by_profile, profile);
	return !memcmp(&by_profile, iface, sizeof(by_profile));
}

struct rxaqm_iface *rxaqm_entry_new(struct rxaqm_state *state, const struct rxaqm_plan *plan,
				    bool hint, struct rxaqm_error *error)
{
	bool by_cpu = keyed_by_cpu(plan);
	unsigned int nr_queues = rxaqm_plan_queues(plan);
	struct rxaqm_iface *iface = rxaqm_state_alloc(state, nr_queues, error);
	struct rxaqm_policy *policies;
	unsigned int i;

	if (!iface)
		return NULL;
	iface->flags = (plan->generic ? RXAQM_IFACE_GENERIC : 0) |
		       (by_cpu ? RXAQM_IFACE_BY_CPU : 0) |
		       (plan->key == RXAQM_KEY_QUEUE ? RXAQM_IFACE_BY_QUEUE : 0) |
		       (hint ? RXAQM_IFACE_HINT : 0) |
		       (rxaqm_plan_resets_clock(plan) ? RXAQM_IFACE_CLOCK_RESETS : 0);
	iface->ring_entries = queue_entries(plan, by_cpu);
	iface->stamp = hint ? RXAQM_STAMP_HWTSTAMP :
			      rxaqm_stamps_usable(plan->profile.stamp, plan->ifname);
	take_facts(iface, &plan->profile);
	iface->ifindex = plan->nic.ifindex;
	iface->netns_ino = (__u32)rxaqm_netns_ino();
	iface->attached_ns = rxaqm_now_ns();
	snprintf(iface->name, sizeof(iface->name), "%s", plan->ifname);
	rxaqm_entry_find_way_out(iface, plan->ifname);
	policies = rxaqm_state_draft(state, iface);
	for (i = 0; i < nr_queues; i++)
		policies[i] = plan->policy;
	rxaqm_state_use_draft(iface);
	return iface;
}

const char *rxaqm_entry_outgrown(const struct rxaqm_iface *iface, const char *ifname)
{
	bool by_cpu = iface->flags & RXAQM_IFACE_BY_CPU;
	unsigned int entries;
	struct rxaqm_nic nic;

	if (by_cpu) {
		entries = rxaqm_max_backlog();
		return entries && entries != iface->ring_entries ?
			       "net.core.netdev_max_backlog has changed" :
			       NULL;
	}
	/* Several CPUs would be at one queue. */
	if ((iface->flags & RXAQM_IFACE_GENERIC) && !(iface->flags & RXAQM_IFACE_BY_QUEUE) &&
	    rxaqm_nic_has_rps(ifname))
		return "RPS spreads its packets over CPUs now";
	if (rxaqm_nic_read(ifname, &nic, NULL))
		return NULL;
	if (nic.nr_rx_queues > iface->nr_queues)
		return "it has more queues now";
	/* A length that is not known has not changed. */
	if (nic.rx_ring && nic.rx_ring != iface->ring_entries)
		return "its rings have another length";
	return NULL;
}
