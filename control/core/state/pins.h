/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libxdp pins: for each dispatcher a directory "dispatch-IFINDEX-ID", with a link and a
 * program for each slot. libxdp pins before it swaps dispatchers, and unpins after. A process that
 * dies in between leaves programs that run nowhere, and their maps; so does an interface that is
 * deleted.
 */
#pragma once

#include "state/state.h"

/* Where the dispatcher must be for its pins to be removed. */
enum rxaqm_pins_where {
	/* On no interface of the namespaces that rxaqm_netns_each() enters, or that have an id
	 * there. If it is on one, libxdp has to take programs off.
	 */
	RXAQM_PINS_OF_DEAD,
	/* Nor on an interface that may have moved on from this namespace (known_netns.h). */
	RXAQM_PINS_OF_SURELY_DEAD,
	/* Anywhere. The program leaves a dispatcher that nobody can reach, and that runs on without
	 * it.
	 */
	RXAQM_PINS_ALL,
};

/* Remove the pins of the program @prog_id of @iface, which is being detached. @prog_id 0: its id
 * was never noted; then remove the pins of all programs that use our maps and are in no other entry
 * of @state (which may be closed). Pins of other programs stay, unless they are copies for a
 * dispatcher that never ran, or no longer exists. Returns the number of pins removed, or -errno;
 * with @error if libxdp's lock could not be taken.
 */
int rxaqm_pins_sweep(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		     __u32 prog_id, enum rxaqm_pins_where where, struct rxaqm_error *error);

/* rxaqm_xdp_in_known_netns() of the dispatchers that have the program @prog_id. -ENOENT: none has.
 */
int rxaqm_pins_in_known_netns(__u32 prog_id);

/* Does libxdp have pins of the dispatcher on @ifindex? Without them it can do nothing with it. */
bool rxaqm_pins_have(unsigned int ifindex, __u32 dispatcher);
