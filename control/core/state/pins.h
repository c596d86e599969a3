/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libxdp pins: for each dispatcher a directory "dispatch-IFINDEX-ID", with a link and a
 * program for each slot. libxdp pins before it swaps dispatchers, and unpins after. A process that
 * dies in between leaves programs that run nowhere, and their maps; so does an interface that is
 * deleted.
 */
#pragma once

#include "state/state.h"

/* Remove the pins of the program @prog_id, under libxdp's lock. This also takes it out of a
 * dispatcher that is in use, even where nobody can go. @prog_id 0: those of all programs that use
 * our maps, and that no entry of @state (which may be closed) has. What other programs have pinned
 * stays. Returns the number of pins removed, or -errno; with @error if the lock could not be taken.
 */
int rxaqm_pins_remove(const struct rxaqm_state *state, __u32 prog_id, struct rxaqm_error *error);

/* Does libxdp have pins of the dispatcher on @ifindex? Without them it can do nothing with it.
 * False only if they are surely gone.
 */
bool rxaqm_pins_have(unsigned int ifindex, __u32 dispatcher);
