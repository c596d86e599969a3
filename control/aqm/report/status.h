/* SPDX-License-Identifier: GPL-2.0-only */
/* What "status" prints, for others to print it, too. */
#ifndef RXAQM_STATUS_H
#define RXAQM_STATUS_H

#include "base/out.h"
#include "figures/figures.h"

/* One interface: an object in an array, or lines. */
void rxaqm_status_print_iface(struct rxaqm_out *out, const struct rxaqm_state *state,
			      const struct rxaqm_iface *iface);

/* What the law of a queue has come to: an object "law", or with law=codel "codel";
 * nothing in text while it does nothing.
 */
void rxaqm_status_law_out(struct rxaqm_out *out, const struct rxaqm_figures *figures);

#endif /* RXAQM_STATUS_H */
