/* SPDX-License-Identifier: GPL-2.0-only */
/* The hardware Rx timestamp configuration that attach changes and detach puts back. */
#ifndef RXAQM_STAMPS_H
#define RXAQM_STAMPS_H

#include "iface.h"
#include "base/log.h"

/* @stamp, which the profile names, if this device has it, else none: a field that is never
 * filled in would be looked at in vain.
 */
enum rxaqm_stamp rxaqm_stamps_usable(enum rxaqm_stamp stamp, const char *ifname);

/* Turn stamps of all received packets on, if @iface goes by them and the device has them; what
 * was set before is noted in @iface first, and what was granted behind.
 */
int rxaqm_stamps_enable(struct rxaqm_iface *iface, const char *ifname, struct rxaqm_error *error);

/* The rx_filter that is in force as long as nobody else changes it. */
__s32 rxaqm_stamps_filter(const struct rxaqm_iface *iface);

/* Put back what was set before, unless someone has changed it since: then it is theirs. -errno with
 * @error if it cannot be.
 */
int rxaqm_stamps_restore(const struct rxaqm_iface *iface, unsigned int ifindex,
			 struct rxaqm_error *error);

#endif /* RXAQM_STAMPS_H */
