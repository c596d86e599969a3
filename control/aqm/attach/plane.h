/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data plane of an interface: attach, detach, and the way back from anything that
 * was interrupted (undo.h). All of it under the lock, all or nothing.
 */
#pragma once

#include "attach/plan.h"

/* Attach. @state is locked; opened, or made, here. Returns the entry or NULL with @error; also
 * fills in @error if something less than that went wrong.
 */
struct rxaqm_iface *rxaqm_plane_attach(struct rxaqm_state *state, const struct rxaqm_plan *plan,
				       struct rxaqm_error *error);

/* The policy of a queue of @iface, called @ifname here, comes to want stamps, which none may have
 * before: have them seen and turned on. -errno with @error if they cannot be had.
 */
int rxaqm_plane_want_stamps(struct rxaqm_state *state, struct rxaqm_iface *iface,
			    const char *ifname, struct rxaqm_error *error);

/* Detach one; with the last one goes everything that is pinned. Also fills in @error, and returns
 * 0, if only timestamps or clock could not be put back, or there is something to say of them.
 */
int rxaqm_plane_detach(struct rxaqm_state *state, struct rxaqm_iface *iface,
		       struct rxaqm_error *error);

/* Detach all, in every namespace that can be entered (rxaqm_netns_each()), and remove the pinned
 * state whatever it looks like. Returns how many interfaces were detached, or -errno with @error if
 * some could not be reached, which are switched off then.
 */
int rxaqm_plane_detach_all(struct rxaqm_state *state, struct rxaqm_error *error);
