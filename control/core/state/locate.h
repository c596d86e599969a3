/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the interface of a registry entry is now: it may be renamed, moved, or gone. */
#pragma once

#include "state/state.h"

/* As seen from the namespace entered. */
enum rxaqm_place {
	RXAQM_PLACE_HERE, /* with its program, under any name */
	RXAQM_PLACE_BARE, /* it is here, but its program was taken off */
	RXAQM_PLACE_GONE, /* it was attached here, and is gone with its program */
	RXAQM_PLACE_LOST, /* it was attached in another namespace, and its program is gone */
	RXAQM_PLACE_ELSEWHERE, /* its program exists: in another namespace, or only pinned */
};

/* Returns the place of @iface, or -errno if the kernel could not be asked. *@ret_ifindex (may be
 * NULL): its index, if it is HERE or BARE, else 0.
 */
int rxaqm_iface_place(const struct rxaqm_iface *iface, unsigned int *ret_ifindex);

/* Is the program of @iface, which is ELSEWHERE, on no interface of the namespaces that
 * rxaqm_netns_each() finds? Then the interface is gone, and somebody, such as libxdp, has pinned
 * the program; or it is in a namespace that nothing shows. False also if not all may be looked at.
 */
bool rxaqm_iface_is_hidden(const struct rxaqm_iface *iface);

/* Entry of the interface called @ifname here: by the program on it, so that it may have been
 * renamed or moved from another namespace, or else BARE. NULL with @error: there is none (its err
 * is ENOENT), or the kernel could not be asked. @state may be closed.
 */
struct rxaqm_iface *rxaqm_iface_find(const struct rxaqm_state *state, const char *ifname,
				     struct rxaqm_error *error);

/* The same, if it is ATTACHED, and has its program. */
struct rxaqm_iface *rxaqm_iface_find_attached(const struct rxaqm_state *state, const char *ifname,
					      struct rxaqm_error *error);
