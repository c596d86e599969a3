/* SPDX-License-Identifier: GPL-2.0-only */
/* An interface up and down, its addresses, and rxaqm at it. */
#ifndef RXAQM_QUALIFY_LINK_H
#define RXAQM_QUALIFY_LINK_H

#include <stdbool.h>

/* Attach rxaqm to @ifname with @words ("mode=enforce"), or detach ("no"). 0 or -errno. */
int qualify_rxaqm(const char *ifname, const char *words);

/* Has it an IP address that is more than link-local? Those, and routes, go when it is taken down,
 * and nobody puts them back.
 */
bool qualify_has_address(const char *ifname);

/* Take the interface up or down. 0 or -errno. */
int qualify_link_set(const char *ifname, bool up);

#endif /* RXAQM_QUALIFY_LINK_H */
