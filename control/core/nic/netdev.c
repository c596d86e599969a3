/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/netdev.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>

#include "nic/netlink.h"

/* From linux/netdev.h, which older headers lack. */
#define NETDEV_CMD_DEV_GET 1
#define NETDEV_A_DEV_IFINDEX 1
#define NETDEV_A_DEV_XDP_FEATURES 3
#define NETDEV_XDP_ACT_RX_SG 32U
#define NETDEV_A_DEV_XDP_RX_METADATA_FEATURES 5
#define NETDEV_XDP_RX_METADATA_TIMESTAMP 1U
#define NETDEV_CMD_QUEUE_GET 10
#define NETDEV_A_QUEUE_ID 1
#define NETDEV_A_QUEUE_IFINDEX 2
#define NETDEV_A_QUEUE_TYPE 3
#define NETDEV_A_QUEUE_NAPI_ID 4
#define NETDEV_QUEUE_TYPE_RX 0
#define NETDEV_CMD_QSTATS_GET 12
#define NETDEV_A_QSTATS_IFINDEX 1
#define NETDEV_A_QSTATS_RX_HW_GRO_PACKETS 19
#define NETDEV_A_QSTATS_RX_HW_GRO_WIRE_PACKETS 21

struct features {
	unsigned int attr;
	int err; /* 0: the driver has these: */
	__u64 bits;
};

static int on_device(const struct nlmsghdr *message, void *arg)
{
	struct features *features = arg;
	const struct nlattr *attr = rxaqm_netlink_attr(message, GENL_HDRLEN, features->attr,
						       sizeof(__u64));

	if (attr)
		*features = (struct features){ .bits = mnl_attr_get_u64(attr) };
	return 0;
}

/* 0 or -errno: -EOPNOTSUPP for a kernel that is too old. */
static int ask(unsigned int ifindex, __u8 command, __u16 ifindex_attr, rxaqm_netlink_fn each,
	       void *arg)
{
	/* Of a device there is one answer, of its queues there are many. */
	__u16 flags = command == NETDEV_CMD_DEV_GET ? 0 : NLM_F_DUMP;
	int family = rxaqm_netlink_family("netdev", NULL, NULL);
	union rxaqm_netlink_request request;
	struct genlmsghdr *genl;

	if (family < 0)
		return family == -ENOENT ? -EOPNOTSUPP : family;
	genl = rxaqm_netlink_begin(&request, (__u16)family, flags, sizeof(*genl));
	*genl = (struct genlmsghdr){ .cmd = command, .version = 1 };
	mnl_attr_put_u32(&request.nl, ifindex_attr, ifindex);
	return rxaqm_netlink_ask(NETLINK_GENERIC, &request, each, arg);
}

/* The features @attr of the driver. 0 or -errno. */
static int ask_features(unsigned int ifindex, unsigned int attr, __u64 *ret_bits)
{
	struct features features = { .attr = attr, .err = -EOPNOTSUPP };
	int err = ask(ifindex, NETDEV_CMD_DEV_GET, NETDEV_A_DEV_IFINDEX, on_device, &features);

	err = err ?: features.err;
	if (!err)
		*ret_bits = features.bits;
	return err;
}

/* Has the driver the feature @bit of @attr? 1, 0 or -errno. */
static int has_feature(unsigned int ifindex, unsigned int attr, __u64 bit)
{
	__u64 bits = 0;

	return ask_features(ifindex, attr, &bits) ?: !!(bits & bit);
}

int rxaqm_netdev_xdp_features(unsigned int ifindex, __u64 *ret_features)
{
	return ask_features(ifindex, NETDEV_A_DEV_XDP_FEATURES, ret_features);
}

int rxaqm_netdev_gives_rx_time(unsigned int ifindex)
{
	return has_feature(ifindex, NETDEV_A_DEV_XDP_RX_METADATA_FEATURES,
			   NETDEV_XDP_RX_METADATA_TIMESTAMP);
}

int rxaqm_netdev_gives_fragments(unsigned int ifindex)
{
	return has_feature(ifindex, NETDEV_A_DEV_XDP_FEATURES, NETDEV_XDP_ACT_RX_SG);
}

struct napis {
	unsigned int nr, *id;
	int told;
};

static int on_queue(const struct nlmsghdr *message, void *arg)
{
	const struct nlattr *id, *type, *napi;
	struct napis *napis = arg;

	id = rxaqm_netlink_attr(message, GENL_HDRLEN, NETDEV_A_QUEUE_ID, sizeof(__u32));
	type = rxaqm_netlink_attr(message, GENL_HDRLEN, NETDEV_A_QUEUE_TYPE, sizeof(__u32));
	napi = rxaqm_netlink_attr(message, GENL_HDRLEN, NETDEV_A_QUEUE_NAPI_ID, sizeof(__u32));
	if (!id || !type || !napi || mnl_attr_get_u32(type) != NETDEV_QUEUE_TYPE_RX ||
	    mnl_attr_get_u32(id) >= napis->nr)
		return 0;
	napis->id[mnl_attr_get_u32(id)] = mnl_attr_get_u32(napi);
	napis->told++;
	return 0;
}

int rxaqm_netdev_rx_napis(unsigned int ifindex, unsigned int nr, unsigned int *napi_id)
{
	struct napis napis = { .nr = nr, .id = napi_id };
	int err;

	memset(napi_id, 0, nr * sizeof(*napi_id));
	err = ask(ifindex, NETDEV_CMD_QUEUE_GET, NETDEV_A_QUEUE_IFINDEX, on_queue, &napis);
	return err ? err : napis.told;
}

/* Netlink's "uint": 32 or 64 bits. */
static bool read_uint(const struct nlmsghdr *message, unsigned int type, __u64 *value)
{
	const struct nlattr *attr = rxaqm_netlink_attr(message, GENL_HDRLEN, type, sizeof(__u32));

	if (attr)
		*value = mnl_attr_get_payload_len(attr) >= sizeof(__u64) ? mnl_attr_get_u64(attr) :
									   mnl_attr_get_u32(attr);
	return attr;
}

static int on_stats(const struct nlmsghdr *message, void *arg)
{
	struct rxaqm_hw_gro *gro = arg;

	if (read_uint(message, NETDEV_A_QSTATS_RX_HW_GRO_PACKETS, &gro->frames) &&
	    read_uint(message, NETDEV_A_QSTATS_RX_HW_GRO_WIRE_PACKETS, &gro->wire_frames))
		gro->err = 0;
	return 0;
}

void rxaqm_netdev_hw_gro(unsigned int ifindex, struct rxaqm_hw_gro *gro)
{
	int err;

	*gro = (struct rxaqm_hw_gro){ .err = -EOPNOTSUPP };
	err = ask(ifindex, NETDEV_CMD_QSTATS_GET, NETDEV_A_QSTATS_IFINDEX, on_stats, gro);
	if (err)
		gro->err = err;
}
