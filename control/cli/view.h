/* SPDX-License-Identifier: GPL-2.0-only */
/* What status, top, hist and clock have in common: one optional interface, read-only. */
#ifndef RXAQM_VIEW_H
#define RXAQM_VIEW_H

#include "report/figures.h"
#include "base/out.h"

typedef int (*rxaqm_view_fn)(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			     void *arg);

/* Print one object an interface, of all or of that called @ifname: @print gets the struct
 * rxaqm_out. Returns an exit code.
 */
int rxaqm_view_print(const char *ifname, rxaqm_view_fn print);

/* Open the state to read. Returns an exit code; but for 0, the reason is logged. */
int rxaqm_view_open(struct rxaqm_state *state, const char *ifname);

/* Call @each for every interface that is attached (or only for that called @ifname here).
 * Stops at the first that returns non-zero, and returns that.
 */
int rxaqm_view_each(const struct rxaqm_state *state, const char *ifname, rxaqm_view_fn each,
		    void *arg);

#endif /* RXAQM_VIEW_H */
