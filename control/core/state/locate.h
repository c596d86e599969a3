/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the interface of a registry entry is now: it may be renamed, moved, or gone. */
#pragma once

#include "state/state.h"

/* Entry of the interface called @ifname here: by the program on it, so that it may have been
 * renamed or moved from another namespace. NULL if there is none; @state may be closed.
 */
struct rxaqm_iface *rxaqm_iface_find(const struct rxaqm_state *state, const char *ifname);

/* Write to @error that rxaqm_iface_find() has found none. Returns -ENOENT. */
int rxaqm_iface_missing(const struct rxaqm_state *state, const char *ifname,
			struct rxaqm_error *error);

/* Index of the interface of @iface in this namespace, under any name; 0 if it is elsewhere
 * or gone, or its program was taken off.
 */
unsigned int rxaqm_iface_ifindex(const struct rxaqm_iface *iface);

/* @iface is ATTACHED, but not here. Was its program taken off, or is the interface gone? If not, it
 * is in another network namespace, or hidden.
 */
bool rxaqm_iface_taken_off(const struct rxaqm_iface *iface);

/* Does the program of @iface exist, but on no interface of the namespaces that rxaqm_netns_each()
 * finds? Then the interface is gone, and somebody, such as libxdp, has pinned the program; or it is
 * in a namespace that nothing shows. False also if processes may not be looked at.
 */
bool rxaqm_iface_is_hidden(const struct rxaqm_iface *iface);

/* Is the interface of @iface, which is not here, gone with its program? Only the namespace that it
 * was attached in can tell.
 */
bool rxaqm_iface_is_gone(const struct rxaqm_iface *iface);

/* Is the interface of @iface still here, but without its program? */
bool rxaqm_iface_is_bare(const struct rxaqm_iface *iface);
