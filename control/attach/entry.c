/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/entry.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "attach/ect0.h"
#include "nic/netns.h"
#include "attach/pins.h"
#include "attach/stamps.h"
#include "attach/xdp.h"

/* Are the queues the CPUs' backlogs? */
static bool keyed_by_cpu(const struct rxaqm_attach *attach)
{
	if (attach->key != RXAQM_KEY_AUTO)
		return attach->key == RXAQM_KEY_CPU;
	/* By queue only where the profile vouches for it: one NAPI context a queue. */
	return attach->generic &&
	       (attach->nic.rps || attach->profile->path_generic == RXAQM_PATH_UNKNOWN ||
		attach->profile->path_generic == RXAQM_PATH_BACKLOG);
}

static unsigned int queue_entries(const struct rxaqm_attach *attach, bool by_cpu)
{
	if (by_cpu)
		return rxaqm_max_backlog();
	return attach->nic.rx_ring ? attach->nic.rx_ring : attach->profile->ring_entries;
}

/* What is needed later of @profile, which is not read again. */
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

bool rxaqm_entry_has_facts(const struct rxaqm_iface *iface, const struct rxaqm_profile *profile)
{
	struct rxaqm_iface by_profile = *iface;

	take_facts(&by_profile, profile);
	return !memcmp(&by_profile, iface, sizeof(by_profile));
}

struct rxaqm_iface *rxaqm_entry_new(struct rxaqm_state *state, const struct rxaqm_attach *attach,
				    bool hint, struct rxaqm_error *error)
{
	bool by_cpu = keyed_by_cpu(attach);
	unsigned int nr_queues = by_cpu ? (unsigned int)libbpf_num_possible_cpus() :
					  attach->nic.nr_rx_queues;
	struct rxaqm_policy *policies;
	struct rxaqm_iface *iface;
	unsigned int i;
	int slot;

	slot = rxaqm_state_alloc(state, nr_queues, error);
	if (slot < 0)
		return NULL;
	policies = calloc(nr_queues, sizeof(*policies));
	if (!policies) {
		rxaqm_error_set(error, RXAQM_EXIT_FAILED, ENOMEM, "out of memory");
		return NULL;
	}
	for (i = 0; i < nr_queues; i++)
		policies[i] = *attach->policy;

	iface = &state->iface[slot];
	iface->flags = (attach->generic ? RXAQM_IFACE_GENERIC : 0) |
		       (by_cpu ? RXAQM_IFACE_BY_CPU : 0) | (hint ? RXAQM_IFACE_HINT : 0);
	iface->ring_entries = queue_entries(attach, by_cpu);
	iface->stamp = hint ? RXAQM_STAMP_HWTSTAMP :
			      rxaqm_stamps_usable(attach->profile->stamp, attach->ifname);
	take_facts(iface, attach->profile);
	rxaqm_ect0_look(iface);
	iface->ifindex = attach->nic.ifindex;
	iface->netns_ino = (__u32)rxaqm_netns_ino();
	iface->attached_ns = rxaqm_now_ns();
	snprintf(iface->name, sizeof(iface->name), "%s", attach->ifname);
	rxaqm_state_set_policies(state, iface, policies);
	free(policies);
	return iface;
}

/* The program of an entry that is being let go of. */
struct leaving {
	const struct rxaqm_state *state;
	const struct rxaqm_iface *iface;
	__u32 prog_id; /* 0: not noted */
	__u32 map_id;
};

/* Is @prog_id that program? Where its id was not noted: one of ours that no other entry has. */
static bool is_leaving(__u32 prog_id, void *arg)
{
	const struct leaving *leaving = arg;
	int i;

	if (leaving->prog_id)
		return prog_id == leaving->prog_id;
	if (!rxaqm_xdp_uses_map(prog_id, leaving->map_id))
		return false;
	for (i = 0; i < RXAQM_MAX_IFACES; i++) {
		const struct rxaqm_iface *other = &leaving->state->iface[i];

		/* One that has noted none either, in a namespace that is not at hand. */
		if (other->state != RXAQM_IFACE_FREE && other != leaving->iface &&
		    (!other->prog_id || other->prog_id == prog_id))
			return false;
	}
	return true;
}

int rxaqm_entry_unpin(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		      __u32 prog_id, bool sure, struct rxaqm_error *error)
{
	struct leaving leaving = {
		.state = state,
		.iface = iface,
		.prog_id = prog_id,
		.map_id = rxaqm_xdp_queue_map_id(),
	};

	return rxaqm_pins_sweep(is_leaving, &leaving, sure, error);
}
