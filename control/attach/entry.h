/* SPDX-License-Identifier: GPL-2.0-only */
/* The registry entry of an interface that is about to be attached, or is let go of. */
#ifndef RXAQM_ENTRY_H
#define RXAQM_ENTRY_H

#include "attach/plane.h"

/* Take a free entry, say in it what @attach and @hint (which program) make of the interface, and
 * give its queues their policies. NULL with @error if there is no room.
 */
struct rxaqm_iface *rxaqm_entry_new(struct rxaqm_state *state, const struct rxaqm_attach *attach,
				    bool hint, struct rxaqm_error *error);

/* Was @iface attached with the name and the facts that @profile has now? */
bool rxaqm_entry_has_facts(const struct rxaqm_iface *iface, const struct rxaqm_profile *profile);

/* Remove what libxdp has pinned of the program of @iface, @prog_id (0 if it was not noted), where
 * its dispatcher is on no interface, see rxaqm_pins_sweep(). Returns how many pins, or -errno;
 * @error as there.
 */
int rxaqm_entry_unpin(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		      __u32 prog_id, bool sure, struct rxaqm_error *error);

#endif /* RXAQM_ENTRY_H */
