/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data plane of an interface: attach, detach, and undoing whatever was interrupted (undo.h).
 * All of it under the lock, all or nothing.
 */
#pragma once

#include "attach/plan.h"

/* Attach. @state is locked; this opens or creates it. Returns the entry, or NULL with @error; also
 * fills in @error if something of less weight went wrong.
 */
struct rxaqm_iface *rxaqm_attach(struct rxaqm_state *state, const struct rxaqm_plan *plan,
				 struct rxaqm_error *error);

/* The policy of a queue of @iface, called @ifname here, starts to use stamps, maybe the first one:
 * trace them and turn them on. -errno with @error if that is impossible.
 */
int rxaqm_attach_stamps(struct rxaqm_state *state, struct rxaqm_iface *iface, const char *ifname,
			struct rxaqm_error *error);

/* Detach one interface; with the last one all pins are removed. Also fills in @error, and returns
 * 0, if only timestamps or clock could not be put back, or if there is a note about them.
 */
int rxaqm_detach(struct rxaqm_state *state, struct rxaqm_iface *iface, struct rxaqm_error *error);

/* Detach all, in every namespace that rxaqm_netns_each() finds, and remove the pinned
 * state whatever its condition. Returns the number of interfaces detached, or -errno with @error if
 * some could not be reached; those are switched off.
 */
int rxaqm_detach_all(struct rxaqm_state *state, struct rxaqm_error *error);
