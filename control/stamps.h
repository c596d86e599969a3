/* SPDX-License-Identifier: GPL-2.0-only */
/* The hardware Rx timestamp configuration that attach changes and detach puts back. */
#ifndef RXAQM_STAMPS_H
#define RXAQM_STAMPS_H

#include "iface.h"
#include "log.h"

/* @stamp, which the profile names, if this device has it, else none: a field that is never
 * filled in would be looked at in vain.
 */
enum rxaqm_stamp rxaqm_stamps_usable(enum rxaqm_stamp stamp, const char *ifname);

/* Turn stamps of all received packets on, if the profile goes by them and the device has
 * them; what was set before is noted in @iface first.
 */
int rxaqm_stamps_enable(struct rxaqm_iface *iface, const char *ifname, struct rxaqm_error *error);

/* Put back what was set before, unless someone has changed it since: then it is theirs. */
void rxaqm_stamps_restore(const struct rxaqm_iface *iface, unsigned int ifindex);

#endif /* RXAQM_STAMPS_H */
