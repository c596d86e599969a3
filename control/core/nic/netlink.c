/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

void *rxaqm_netlink_begin(union rxaqm_netlink_request *request, __u16 type, __u16 flags,
			  size_t header)
{
	/* Zero, since attributes are padded. */
	memset(request, 0, sizeof(*request));
	/* The kernel ends an answer that is not a dump by an acknowledgement. */
	request->nl = (struct nlmsghdr){
		.nlmsg_len = NLMSG_LENGTH(NLMSG_ALIGN(header)),
		.nlmsg_type = type,
		.nlmsg_flags = NLM_F_REQUEST | (flags ? flags : NLM_F_ACK),
	};
	return NLMSG_DATA(request);
}

void rxaqm_netlink_put(union rxaqm_netlink_request *request, __u16 type, const void *value,
		       size_t bytes)
{
	struct nlattr *attr = (struct nlattr *)(request->room + request->nl.nlmsg_len);

	*attr = (struct nlattr){ .nla_len = (__u16)(NLA_HDRLEN + bytes), .nla_type = type };
	memcpy(attr + 1, value, bytes);
	request->nl.nlmsg_len += NLA_ALIGN(attr->nla_len);
}

void rxaqm_netlink_put_u32(union rxaqm_netlink_request *request, __u16 type, __u32 value)
{
	rxaqm_netlink_put(request, type, &value, sizeof(value));
}

int rxaqm_netlink_parse(const void *data, size_t bytes, rxaqm_netlink_fn each, void *arg,
			bool *torn)
{
	const struct nlmsghdr *message = data;
	const void *end = (const char *)data + bytes;
	int err;

	for (; rxaqm_message_ok(message, end); message = rxaqm_message_next(message)) {
		*torn |= message->nlmsg_flags & NLM_F_DUMP_INTR;
		if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR) {
			if (NLMSG_PAYLOAD(message, 0) < sizeof(err))
				return -EBADMSG;
			/* NLMSG_DONE and NLMSG_ERROR both begin with an errno. */
			memcpy(&err, NLMSG_DATA(message), sizeof(err));
			return err > 0 ? -EBADMSG : err ? err : 1;
		}
		err = message->nlmsg_type < NLMSG_MIN_TYPE ? 0 : each(message, arg);
		if (err)
			return err;
	}
	return (const void *)message < end ? -EBADMSG : 0;
}

int rxaqm_netlink_ask(int protocol, union rxaqm_netlink_request *request, rxaqm_netlink_fn each,
		      void *arg)
{
	static char buffer[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct timeval patience = { .tv_sec = 1 };
	bool torn = false;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol), on = 1, result = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	/* Without this rtnetlink ignores the attributes of a dump request. */
	if (setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on)) ||
	    send(fd, request, request->nl.nlmsg_len, 0) < 0)
		result = -errno;
	while (!result) {
		ssize_t bytes = recv(fd, buffer, sizeof(buffer), MSG_TRUNC);

		if (bytes < 0)
			result = -errno;
		else if ((size_t)bytes > sizeof(buffer))
			result = -EBADMSG;
		else
			result = rxaqm_netlink_parse(buffer, (size_t)bytes, each, arg, &torn);
	}
	close(fd);
	return result < 0 ? result : torn ? -EAGAIN : 0;
}

static const struct nlattr *find(const struct nlattr *attr, const void *end, unsigned int type,
				 size_t least)
{
	for (; rxaqm_attr_ok(attr, end); attr = rxaqm_attr_next(attr))
		if (rxaqm_attr_type(attr) == type && rxaqm_attr_len(attr) >= least)
			return attr;
	return NULL;
}

const struct nlattr *rxaqm_netlink_attr(const struct nlmsghdr *message, size_t header,
					unsigned int type, size_t least)
{
	const char *from = NLMSG_DATA(message);

	return find((const struct nlattr *)(from + NLMSG_ALIGN(header)), rxaqm_message_end(message),
		    type, least);
}

const struct nlattr *rxaqm_netlink_nested(const struct nlattr *nest, unsigned int type,
					  size_t least)
{
	return find(rxaqm_attr_data(nest), rxaqm_attr_end(nest), type, least);
}

struct family {
	const char *group;
	__u16 id;
	__u32 group_id;
};

static int on_family(const struct nlmsghdr *message, void *arg)
{
	const struct nlattr *id, *groups, *group, *name;
	struct family *family = arg;

	id = rxaqm_netlink_attr(message, GENL_HDRLEN, CTRL_ATTR_FAMILY_ID, sizeof(__u16));
	if (id)
		memcpy(&family->id, rxaqm_attr_data(id), sizeof(family->id));
	groups = rxaqm_netlink_attr(message, GENL_HDRLEN, CTRL_ATTR_MCAST_GROUPS, 0);
	if (!groups || !family->group)
		return 0;
	for (group = rxaqm_attr_data(groups); rxaqm_attr_ok(group, rxaqm_attr_end(groups));
	     group = rxaqm_attr_next(group)) {
		name = rxaqm_netlink_nested(group, CTRL_ATTR_MCAST_GRP_NAME, 1);
		id = rxaqm_netlink_nested(group, CTRL_ATTR_MCAST_GRP_ID, sizeof(__u32));
		if (name && id &&
		    !strncmp(rxaqm_attr_data(name), family->group, rxaqm_attr_len(name)))
			family->group_id = rxaqm_attr_u32(id);
	}
	return 0;
}

int rxaqm_netlink_family(const char *name, const char *group, __u32 *ret_group)
{
	struct family family = { .group = group };
	union rxaqm_netlink_request request;
	struct genlmsghdr *genl;
	int err;

	genl = rxaqm_netlink_begin(&request, GENL_ID_CTRL, 0, sizeof(*genl));
	*genl = (struct genlmsghdr){ .cmd = CTRL_CMD_GETFAMILY, .version = 1 };
	rxaqm_netlink_put(&request, CTRL_ATTR_FAMILY_NAME, name, strlen(name) + 1);
	err = rxaqm_netlink_ask(NETLINK_GENERIC, &request, on_family, &family);
	if (err)
		return err;
	if (group)
		*ret_group = family.group_id;
	return family.id && (!group || family.group_id) ? family.id : -ENOENT;
}
