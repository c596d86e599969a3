/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's netlink family "netdev" (Documentation/netlink/specs/netdev.yaml), in the network
 * namespace entered.
 */
#pragma once

#include <linux/netdev.h>
#include <linux/types.h>

/* Gets an answer: its unsigned integers by attribute, ~0 where there is none. */
#define RXAQM_NETDEV_ATTRS 64
typedef void rxaqm_netdev_fn(const __u64 value[RXAQM_NETDEV_ATTRS], void *arg);

/* Ask by @command (NETDEV_CMD_*), with the attribute @attr (0: without), and call @each with the
 * answers. Returns how many there were, or -errno: -EOPNOTSUPP if the kernel has no such family
 * (6.3 has).
 */
int rxaqm_netdev_ask(__u8 command, __u16 attr, __u32 attr_value, rxaqm_netdev_fn *each, void *arg);

/* What the driver of interface @ifindex can do by XDP, NETDEV_XDP_ACT_*. -errno, and ~0, if the
 * kernel does not say: -EOPNOTSUPP if it is older than 6.3.
 */
int rxaqm_netdev_xdp_features(unsigned int ifindex, __u64 *ret_features);

/* Does the driver of interface @ifindex give XDP programs the receive time? 1 yes, 0 no, -errno
 * as above, but the answer came with 6.7.
 */
int rxaqm_netdev_gives_rx_time(unsigned int ifindex);

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
