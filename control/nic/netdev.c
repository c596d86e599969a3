/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/netdev.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "nic/nlattr.h"

/* From linux/netdev.h, which older headers lack. */
#define NETDEV_CMD_DEV_GET 1
#define NETDEV_A_DEV_IFINDEX 1
#define NETDEV_A_DEV_XDP_RX_METADATA_FEATURES 5
#define NETDEV_XDP_RX_METADATA_TIMESTAMP 1U

#define REPLY_MAX 8192

struct request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	struct nlattr attr;
	char value[16];
};

union reply {
	struct nlmsghdr nl;
	char bytes[REPLY_MAX];
};

/* Ask @family by command @cmd about what attribute @type is @value. 0 if a message came back. */
static int ask(int fd, __u16 family, __u8 cmd, __u16 type, const void *value, size_t len,
	       union reply *reply)
{
	struct request request = {
		.nl = { .nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN) + NLA_HDRLEN + NLA_ALIGN(len),
			.nlmsg_type = family,
			.nlmsg_flags = NLM_F_REQUEST },
		.genl = { .cmd = cmd, .version = 1 },
		.attr = { .nla_len = (__u16)(NLA_HDRLEN + len), .nla_type = type },
	};
	ssize_t got;

	if (len > sizeof(request.value))
		return -EINVAL;
	memcpy(request.value, value, len);
	if (send(fd, &request, request.nl.nlmsg_len, 0) < 0)
		return -errno;
	got = recv(fd, reply, sizeof(*reply), 0);
	if (got < 0)
		return -errno;
	if (!NLMSG_OK(&reply->nl, (size_t)got))
		return -EBADMSG;
	if (reply->nl.nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *error = NLMSG_DATA(&reply->nl);

		if (reply->nl.nlmsg_len < NLMSG_LENGTH(sizeof(*error)) || !error->error)
			return -EBADMSG;
		return error->error;
	}
	return reply->nl.nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN) ? -EBADMSG : 0;
}

/* Copy attribute @type, of @len bytes, out of @reply. False if it is not there. */
static bool find(const union reply *reply, __u16 type, void *value, size_t len)
{
	const size_t at = NLMSG_LENGTH(GENL_HDRLEN);
	const struct nlattr *attr = rxaqm_nlattr_find((const struct nlattr *)(reply->bytes + at),
						      reply->nl.nlmsg_len - at, type, len);

	if (attr)
		memcpy(value, rxaqm_nlattr_payload(attr), len);
	return attr;
}

static int query(int fd, unsigned int ifindex)
{
	static const char family[] = "netdev";
	union reply reply;
	__u64 features;
	__u16 id;
	int err;

	err = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, family,
		  sizeof(family), &reply);
	if (err)
		return err == -ENOENT ? -EOPNOTSUPP : err;
	if (!find(&reply, CTRL_ATTR_FAMILY_ID, &id, sizeof(id)))
		return -EBADMSG;
	err = ask(fd, id, NETDEV_CMD_DEV_GET, NETDEV_A_DEV_IFINDEX, &ifindex, sizeof(ifindex),
		  &reply);
	if (err)
		return err;
	if (!find(&reply, NETDEV_A_DEV_XDP_RX_METADATA_FEATURES, &features, sizeof(features)))
		return -EOPNOTSUPP;
	return !!(features & NETDEV_XDP_RX_METADATA_TIMESTAMP);
}

int rxaqm_netdev_gives_rx_time(unsigned int ifindex)
{
	const struct timeval patience = { .tv_sec = 1 };
	int fd, result;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	result = query(fd, ifindex);
	close(fd);
	return result;
}
