/* SPDX-License-Identifier: GPL-2.0-only */
/* From a section of the configuration to a plan for its interface, and the check against an
 * attachment.
 */
#include "daemon/section_plan.h"

#include <bpf/libbpf.h>
#include <linux/ethtool.h>

#include "attach/hint.h"
#include "base/now.h"
#include "nic/ethtool.h"

/* Reserve the queues that "ethtool -L" could give the interface, so that they need no new
 * attachment, which would reset the rings: up to one per CPU, since more are rarely made.
 */
static void add_headroom(struct rxaqm_plan *plan)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	unsigned int cpus = (unsigned int)libbpf_num_possible_cpus(), most;

	if (rxaqm_nic_is_bond(&plan->nic) || rxaqm_ethtool(plan->ifname, &channels))
		return;
	most = channels.max_rx + channels.max_combined;
	if (most > cpus)
		most = cpus;
	if (most > plan->nic.nr_rx_queues)
		plan->nic.nr_rx_queues = most;
}

int rxaqm_run_plan(const struct rxaqm_config_iface *section, const char *ifname,
		   struct rxaqm_plan *plan, struct rxaqm_error *error)
{
	int err;

	*plan = (struct rxaqm_plan){
		.ifname = ifname,
		.generic = section->xdp_mode == RXAQM_XDP_GENERIC,
		.hook = (enum rxaqm_hook)section->hook,
		.key = (enum rxaqm_queue_key)section->key,
	};
	err = rxaqm_plan_make(plan, section->profile[0] ? section->profile : NULL, error);
	if (!err)
		err = rxaqm_config_policy(section, rxaqm_now_ns(), &plan->policy, error);
	add_headroom(plan);
	return err;
}

int rxaqm_run_check(const struct rxaqm_config_iface *section, const char *ifname,
		    struct rxaqm_error *error)
{
	struct rxaqm_error reason = {};
	struct rxaqm_plan plan = {};
	int err = 0;

	if (!section || !section->enable)
		return 0;
	if (section->profile[0])
		err = rxaqm_profile_by_name(section->profile, &plan.profile, &reason);
	if (!err) {
		err = rxaqm_run_plan(section, ifname, &plan, &reason);
		/* A failure that depends on the machine only may pass. */
		if (!err || reason.exit_code != RXAQM_EXIT_USAGE)
			return 0;
	}
	return rxaqm_error_set(error, reason.exit_code, -err, "%s: [Interface %s]: %.400s", ifname,
			       section->match, reason.text);
}

const char *rxaqm_run_differs(const struct rxaqm_config_iface *section,
			      const struct rxaqm_iface *iface, const struct rxaqm_plan *plan)
{
	bool generic = iface->flags & RXAQM_IFACE_GENERIC;
	bool by_cpu = iface->flags & RXAQM_IFACE_BY_CPU;

	if (section->xdp_mode_set && generic != plan->generic)
		return generic ? "it is in generic mode" : "it is in native mode";
	if (section->key != RXAQM_KEY_AUTO && by_cpu != (section->key == RXAQM_KEY_CPU))
		return by_cpu ? "its queues are the CPUs' backlogs" : "its queues are the NIC's";
	if (section->profile[0] && !rxaqm_entry_has_facts(iface, &plan->profile))
		return "it has another profile";
	if (rxaqm_hint_check_policy(iface, plan->ifname, &plan->policy, NULL))
		return "its program cannot use the signal asked for";
	return NULL;
}
