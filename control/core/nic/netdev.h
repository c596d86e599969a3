/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's netlink family "netdev" (Documentation/netlink/specs/netdev.yaml), in the network
 * namespace entered.
 */
#pragma once

#include <linux/types.h>

/* Commands and attributes that rxaqm uses, by the numbers of that document: <linux/netdev.h> came
 * with 6.3, and some of these came after 6.12.
 */
enum {
	RXAQM_ND_CMD_DEV_GET = 1,
	RXAQM_ND_CMD_QUEUE_GET = 10,
	RXAQM_ND_CMD_NAPI_GET = 11,
	RXAQM_ND_CMD_QSTATS_GET = 12,

	RXAQM_ND_A_DEV_IFINDEX = 1,
	RXAQM_ND_A_DEV_XDP_FEATURES = 3,
	RXAQM_ND_A_DEV_XDP_RX_METADATA_FEATURES = 5,

	RXAQM_ND_A_NAPI_IFINDEX = 1,
	RXAQM_ND_A_NAPI_ID = 2,
	RXAQM_ND_A_NAPI_IRQ = 3,
	RXAQM_ND_A_NAPI_PID = 4,
	RXAQM_ND_A_NAPI_THREADED = 8,

	RXAQM_ND_A_QUEUE_ID = 1,
	RXAQM_ND_A_QUEUE_IFINDEX = 2,
	RXAQM_ND_A_QUEUE_TYPE = 3,
	RXAQM_ND_A_QUEUE_NAPI_ID = 4,

	RXAQM_ND_A_QSTATS_IFINDEX = 1,
	RXAQM_ND_A_QSTATS_QUEUE_TYPE = 2,
	RXAQM_ND_A_QSTATS_QUEUE_ID = 3,
	RXAQM_ND_A_QSTATS_SCOPE = 4,
	RXAQM_ND_A_QSTATS_RX_PACKETS = 8,
	RXAQM_ND_A_QSTATS_RX_BYTES = 9,
	RXAQM_ND_A_QSTATS_TX_PACKETS = 10,
	RXAQM_ND_A_QSTATS_TX_BYTES = 11,
	RXAQM_ND_A_QSTATS_RX_ALLOC_FAIL = 12,
	RXAQM_ND_A_QSTATS_RX_HW_DROPS = 13,
	RXAQM_ND_A_QSTATS_RX_HW_DROP_OVERRUNS = 14,

	RXAQM_ND_QUEUE_TYPE_RX = 0,
	RXAQM_ND_QUEUE_TYPE_TX = 1,
	RXAQM_ND_QSTATS_SCOPE_QUEUE = 1,
	RXAQM_ND_XDP_ACT_BASIC = 1,
	RXAQM_ND_XDP_ACT_XSK_ZEROCOPY = 8,
	RXAQM_ND_XDP_ACT_RX_SG = 32,
	RXAQM_ND_XDP_RX_METADATA_TIMESTAMP = 1,
};

/* Called with an answer: unsigned integers by attribute, ~0 for one that is missing. */
#define RXAQM_NETDEV_ATTRS 64
typedef void rxaqm_netdev_fn(const __u64 value[RXAQM_NETDEV_ATTRS], void *arg);

/* Send @command (RXAQM_ND_CMD_*), with the attribute @attr (0: without), and call @each with the
 * answers. Returns their number, or -errno: -EOPNOTSUPP if the kernel lacks the family (before
 * 6.3).
 */
int rxaqm_netdev_ask(__u8 command, __u16 attr, __u32 attr_value, rxaqm_netdev_fn *each, void *arg);

/* The XDP features of the driver of interface @ifindex, RXAQM_ND_XDP_ACT_*. -errno, and ~0, if the
 * kernel does not say: -EOPNOTSUPP before 6.3.
 */
int rxaqm_netdev_xdp_features(unsigned int ifindex, __u64 *ret_features);

/* Does the driver of interface @ifindex give XDP programs the receive time? 1 yes, 0 no, -errno as
 * above, but kernels say it from 6.7 on.
 */
int rxaqm_netdev_gives_rx_time(unsigned int ifindex);
