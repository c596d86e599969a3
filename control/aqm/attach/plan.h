/* SPDX-License-Identifier: GPL-2.0-only */
/* How an interface is to be attached: what was asked for, what that means for this interface, and
 * its entry in the registry.
 */
#pragma once

#include "state/state.h"
#include "nic/nic.h"
#include "profile/profile.h"

struct rxaqm_plan {
	const char *ifname;
	bool generic;
	enum rxaqm_queue_key key;
	enum rxaqm_hook hook;
	struct rxaqm_nic nic;
	struct rxaqm_profile profile;
	struct rxaqm_policy policy; /* of all queues; its signal decides which program */
};

/* Fill in the rest of @plan, whose name, mode, key and hook are given: the NIC, the profile called
 * @profile (NULL: by the NIC), and its policy, which the caller's settings change later.
 * RXAQM_EXIT_UNSUPPORTED if it cannot be attached like this.
 */
int rxaqm_plan_make(struct rxaqm_plan *plan, const char *profile, struct rxaqm_error *error);

/* Is its driver known to reset the NIC's clock when the program comes and goes? */
bool rxaqm_plan_resets_clock(const struct rxaqm_plan *plan);

/* How many queues it takes. */
unsigned int rxaqm_plan_queues(const struct rxaqm_plan *plan);

/* Take a free entry, fill it in by @plan and @hint (which program), and give its queues their
 * policies. NULL with @error if there is no room.
 */
struct rxaqm_iface *rxaqm_entry_new(struct rxaqm_state *state, const struct rxaqm_plan *plan,
				    bool hint, struct rxaqm_error *error);

/* Note in @iface whether packets of @ifname end on this host (nic/way_out.h). Returns true if that
 * was news: a policy of another generation tells the data plane.
 */
bool rxaqm_entry_find_way_out(struct rxaqm_iface *iface, const char *ifname);

/* Does @iface have the name and the facts that @profile has now? */
bool rxaqm_entry_has_facts(const struct rxaqm_iface *iface, const struct rxaqm_profile *profile);

/* How the interface, called @ifname, has changed since @iface was attached, so that attaching it
 * again would give another result; NULL: it has not.
 */
const char *rxaqm_entry_outgrown(const struct rxaqm_iface *iface, const char *ifname);
