/* SPDX-License-Identifier: GPL-2.0-only */
/* What "status" prints, for others to print it, too. */
#ifndef RXAQM_STATUS_H
#define RXAQM_STATUS_H

#include "base/out.h"
#include "attach/state.h"

/* One interface: an object in an array, or lines. */
void rxaqm_status_print_iface(struct rxaqm_out *out, const struct rxaqm_state *state,
			      const struct rxaqm_iface *iface);

/* What is wrong with the attachment, if anything; NULL if nothing is. @here: the interface is in
 * this network namespace.
 */
const char *rxaqm_status_trouble(const struct rxaqm_iface *iface, bool here);

#endif /* RXAQM_STATUS_H */
