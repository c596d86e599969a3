/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/netdev.h"

#include <errno.h>
#include <linux/genetlink.h>

#include "nic/netlink.h"

/* From linux/netdev.h, which older headers lack. */
#define NETDEV_CMD_DEV_GET 1
#define NETDEV_A_DEV_IFINDEX 1
#define NETDEV_A_DEV_XDP_RX_METADATA_FEATURES 5
#define NETDEV_XDP_RX_METADATA_TIMESTAMP 1U

static int on_device(const struct nlmsghdr *message, void *arg)
{
	const struct nlattr *features = rxaqm_netlink_attr(message, GENL_HDRLEN,
							   NETDEV_A_DEV_XDP_RX_METADATA_FEATURES,
							   sizeof(__u64));
	int *gives = arg;

	if (features)
		*gives = !!(mnl_attr_get_u64(features) & NETDEV_XDP_RX_METADATA_TIMESTAMP);
	return 0;
}

int rxaqm_netdev_gives_rx_time(unsigned int ifindex)
{
	int gives = -EOPNOTSUPP, family = rxaqm_netlink_family("netdev", NULL, NULL), err;
	union rxaqm_netlink_request request;
	struct genlmsghdr *genl;

	if (family < 0)
		return family == -ENOENT ? -EOPNOTSUPP : family;
	genl = rxaqm_netlink_begin(&request, (__u16)family, 0, sizeof(*genl));
	*genl = (struct genlmsghdr){ .cmd = NETDEV_CMD_DEV_GET, .version = 1 };
	mnl_attr_put_u32(&request.nl, NETDEV_A_DEV_IFINDEX, ifindex);
	err = rxaqm_netlink_ask(NETLINK_GENERIC, &request, on_device, &gives);
	return err ? err : gives;
}
