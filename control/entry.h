/* SPDX-License-Identifier: GPL-2.0-only */
/* The registry entry of an interface that is about to be attached. */
#ifndef RXAQM_ENTRY_H
#define RXAQM_ENTRY_H

#include "plane.h"

/* Take a free entry, say in it what @attach and @hint (which program) make of the interface, and
 * give its queues their policies. NULL with @error if there is no room.
 */
struct rxaqm_iface *rxaqm_entry_new(struct rxaqm_state *state, const struct rxaqm_attach *attach,
				    bool hint, struct rxaqm_error *error);

#endif /* RXAQM_ENTRY_H */
