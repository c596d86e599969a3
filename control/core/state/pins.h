/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libxdp pins. For each dispatcher there is a directory "dispatch-IFINDEX-ID" with a link and
 * a program for each slot. It pins before it swaps dispatchers and unpins after, so whoever dies in
 * between leaves programs that run nowhere, and their maps. So does an interface that is deleted.
 */
#pragma once

#include "state/state.h"

/* Where the dispatcher must be for its pins to be removed. */
enum rxaqm_pins_where {
	/* On no interface of the namespaces that rxaqm_netns_each() enters, or that have an id
	 * there: where it is on one, taking programs off is libxdp's to do.
	 */
	RXAQM_PINS_OF_DEAD,
	/* Nor on one that may have moved on from this namespace (known_netns.h). */
	RXAQM_PINS_OF_SURELY_DEAD,
	/* Anywhere. The program leaves a dispatcher that nobody can reach, which runs on without
	 * it.
	 */
	RXAQM_PINS_ALL,
};

/* Remove the pins of the program @prog_id of @iface, which is let go of. 0: its id was not noted,
 * so those of all programs that use our maps and that no other entry of @state, which may be
 * closed, has. Those of others stay, unless they are mere copies for a dispatcher that never came
 * to be, or is no more. Returns how many were removed, or -errno if some could not be, with @error
 * if it was for libxdp's lock.
 */
int rxaqm_pins_sweep(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		     __u32 prog_id, enum rxaqm_pins_where where, struct rxaqm_error *error);

/* Is a dispatcher of the program @prog_id near (rxaqm_xdp_in_known_netns())? -ENOENT: it has none. */
int rxaqm_pins_in_known_netns(__u32 prog_id);

/* Has libxdp pins of the dispatcher on @ifindex? Without them it can do nothing with it. */
bool rxaqm_pins_have(unsigned int ifindex, __u32 dispatcher);

/* libxdp waits for its lock for ever: wait until it is free, 5 s at most. -ETIMEDOUT with @error.
 * Who takes it right after this is waited for all the same; what runs as it should has it for an
 * instant.
 */
int rxaqm_pins_wait(struct rxaqm_error *error);
