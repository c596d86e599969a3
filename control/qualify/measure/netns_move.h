/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving an interface to another network namespace and back; running rxaqm at one. */
#ifndef RXAQM_QUALIFY_NETNS_MOVE_H
#define RXAQM_QUALIFY_NETNS_MOVE_H

#include <stdbool.h>

/* Attach rxaqm to @ifname with @words ("mode=enforce"), or detach ("no"). 0 or -errno. */
int qualify_rxaqm(const char *ifname, const char *words);

/* Has it an IP address that is more than link-local? Those, and routes, go when it is taken down or
 * moved, and nobody puts them back.
 */
bool qualify_has_address(const char *ifname);

/* Take the interface up or down. 0 or -errno. */
int qualify_link_set(const char *ifname, bool up);

/* Move interface @ifname into the network namespace @netns of /run/netns, which is made, and get
 * it back, whereupon that is removed: the name is "rxaqm-qualify-IFNAME". 0 or -errno; -EEXIST:
 * such a namespace is there.
 */
#define QUALIFY_NETNS_PREFIX "rxaqm-qualify-"
int qualify_move_to_netns(const char *ifname, const char *netns);
int qualify_move_back(const char *ifname);

#endif /* RXAQM_QUALIFY_NETNS_MOVE_H */
