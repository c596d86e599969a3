/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/netdev.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>

#include "nic/netlink.h"

struct question {
	rxaqm_netdev_fn *each;
	void *arg;
	int answers;
};

static int on_answer(const struct nlmsghdr *message, void *arg)
{
	__u64 value[RXAQM_NETDEV_ATTRS];
	struct question *question = arg;
	const struct nlattr *attr;

	memset(value, 0xff, sizeof(value));
	rxaqm_each_attr(attr, message, GENL_HDRLEN) {
		unsigned int type = rxaqm_attr_type(attr);
		size_t len = rxaqm_attr_len(attr);

		/* "uint" of the specification is of 4 or 8 bytes. */
		if (type < RXAQM_NETDEV_ATTRS && len == sizeof(__u32))
			value[type] = rxaqm_attr_u32(attr);
		else if (type < RXAQM_NETDEV_ATTRS && len == sizeof(__u64))
			memcpy(&value[type], rxaqm_attr_data(attr), len);
	}
	question->answers++;
	question->each(value, question->arg);
	return 0;
}

int rxaqm_netdev_ask(__u8 command, __u16 attr, __u32 attr_value, rxaqm_netdev_fn *each, void *arg)
{
	/* A device gives one answer, its queues give many. */
	__u16 flags = command == RXAQM_ND_CMD_DEV_GET ? 0 : NLM_F_DUMP;
	int family = rxaqm_netlink_family("netdev", NULL, NULL), err;
	struct question question = { .each = each, .arg = arg };
	union rxaqm_netlink_request request;
	struct genlmsghdr *genl;

	if (family < 0)
		return family == -ENOENT ? -EOPNOTSUPP : family;
	genl = rxaqm_netlink_begin(&request, (__u16)family, flags, sizeof(*genl));
	*genl = (struct genlmsghdr){ .cmd = command, .version = 1 };
	if (attr)
		rxaqm_netlink_put_u32(&request, attr, attr_value);
	err = rxaqm_netlink_ask(NETLINK_GENERIC, &request, on_answer, &question);
	/* A list that changed meanwhile is as good as that of any other moment. */
	return err && err != -EAGAIN ? err : question.answers;
}

struct device {
	__u16 attr; /* the attribute asked for */
	__u64 value;
};

static void on_device(const __u64 *value, void *arg)
{
	struct device *device = arg;

	device->value = value[device->attr];
}

/* The @attr of the interface @ifindex. 0 or -errno. */
static int ask_device(unsigned int ifindex, __u16 attr, __u64 *ret_value)
{
	struct device device = { .attr = attr, .value = ~0ULL };
	int err = rxaqm_netdev_ask(RXAQM_ND_CMD_DEV_GET, RXAQM_ND_A_DEV_IFINDEX, ifindex, on_device,
				   &device);

	*ret_value = device.value;
	return err < 0 ? err : device.value == ~0ULL ? -EOPNOTSUPP : 0;
}

int rxaqm_netdev_xdp_features(unsigned int ifindex, __u64 *ret_features)
{
	return ask_device(ifindex, RXAQM_ND_A_DEV_XDP_FEATURES, ret_features);
}

int rxaqm_netdev_gives_rx_time(unsigned int ifindex)
{
	__u64 features;
	int err = ask_device(ifindex, RXAQM_ND_A_DEV_XDP_RX_METADATA_FEATURES, &features);

	return err ?: !!(features & RXAQM_ND_XDP_RX_METADATA_TIMESTAMP);
}
