/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's netlink family "netdev", in the network namespace entered. */
#ifndef RXAQM_NETDEV_H
#define RXAQM_NETDEV_H

#include <linux/types.h>
#include <stdbool.h>

/* Does the driver of interface @ifindex give XDP programs the receive time? 1 yes, 0 no, -errno
 * if the kernel does not say: -EOPNOTSUPP if it is too old to (the family came with 6.3, the
 * answer with 6.7).
 */
int rxaqm_netdev_gives_rx_time(unsigned int ifindex);

/* Does the driver of interface @ifindex give XDP programs packets of more than a page, in
 * fragments? As above, but the answer came with 6.3.
 */
int rxaqm_netdev_gives_fragments(unsigned int ifindex);

/* What the driver of interface @ifindex says that XDP can do there (NETDEV_XDP_ACT_*). -errno as
 * above: *@ret_features stays as it is.
 */
int rxaqm_netdev_xdp_features(unsigned int ifindex, __u64 *ret_features);

/* Which NAPI serves each of the first @nr Rx queues of interface @ifindex, 0: not told. Returns of
 * how many it was told (since 6.8, by some drivers), or -errno.
 */
int rxaqm_netdev_rx_napis(unsigned int ifindex, unsigned int nr, unsigned int *napi_id);

/* Frames that a device has merged so far (HW-GRO), and those of the wire that they were. */
struct rxaqm_hw_gro {
	int err; /* 0; -EOPNOTSUPP: kernel (before 6.10) or driver do not count them; -errno */
	__u64 frames, wire_frames;
};

void rxaqm_netdev_hw_gro(unsigned int ifindex, struct rxaqm_hw_gro *gro);

#endif /* RXAQM_NETDEV_H */
