/* SPDX-License-Identifier: GPL-2.0-only */
/* What status, top, hist and clock have in common: one optional interface, read-only. */
#ifndef RXAQM_VIEW_H
#define RXAQM_VIEW_H

#include "report/figures.h"
#include "base/out.h"
#include "cli/cmd.h"

/* Print one object an interface, of all or of that called @ifname. As a subcommand returns. */
int rxaqm_view_print(struct rxaqm_call *call, const char *ifname,
		     void (*print)(struct rxaqm_out *out, const struct rxaqm_state *state,
				   const struct rxaqm_iface *iface));

/* Open the state to read. 0, or -1 with the error if there is none, or not of @ifname. */
int rxaqm_view_open(struct rxaqm_call *call, const char *ifname);

/* Go over the interfaces that are attached, or only that called @ifname here. */
#define rxaqm_view_each(iface, state, ifname)                             \
	for ((iface) = rxaqm_view_next((state), (ifname), NULL); (iface); \
	     (iface) = rxaqm_view_next((state), (ifname), (iface)))
/* The one behind @iface (NULL: the first); NULL: there is none. */
const struct rxaqm_iface *rxaqm_view_next(const struct rxaqm_state *state, const char *ifname,
					  const struct rxaqm_iface *iface);

#endif /* RXAQM_VIEW_H */
