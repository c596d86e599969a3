/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's netlink family "netdev", in the network namespace entered. */
#ifndef RXAQM_NETDEV_H
#define RXAQM_NETDEV_H

#include <stdbool.h>

/* Does the driver of interface @ifindex give XDP programs the receive time? 1 yes, 0 no, -errno
 * if the kernel does not say: -EOPNOTSUPP if it is too old to (the family came with 6.3, the
 * answer with 6.7).
 */
int rxaqm_netdev_gives_rx_time(unsigned int ifindex);

#endif /* RXAQM_NETDEV_H */
