/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>
#include <sys/time.h>

void *rxaqm_netlink_begin(union rxaqm_netlink_request *request, __u16 type, __u16 flags,
			  size_t header)
{
	/* Attributes are padded, with what is there. */
	memset(request, 0, sizeof(*request));
	/* An answer that is no dump is ended by an acknowledgement. */
	mnl_nlmsg_put_header(request);
	request->nl.nlmsg_type = type;
	request->nl.nlmsg_flags = NLM_F_REQUEST | (flags ? flags : NLM_F_ACK);
	return mnl_nlmsg_put_extra_header(&request->nl, header);
}

int rxaqm_netlink_parse(const void *data, size_t bytes, rxaqm_netlink_fn each, void *arg,
			bool *torn)
{
	const struct nlmsghdr *message = data;
	int left = (int)bytes, err;

	/* mnl_nlmsg_ok() takes a length of over 2 GiB for a negative one. */
	for (; mnl_nlmsg_ok(message, left) && message->nlmsg_len <= bytes;
	     message = mnl_nlmsg_next(message, &left)) {
		*torn |= message->nlmsg_flags & NLM_F_DUMP_INTR;
		if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR) {
			if (mnl_nlmsg_get_payload_len(message) < sizeof(err))
				return -EBADMSG;
			/* Both begin with it. */
			memcpy(&err, mnl_nlmsg_get_payload(message), sizeof(err));
			return err > 0 ? -EBADMSG : err ? err : 1;
		}
		err = message->nlmsg_type < NLMSG_MIN_TYPE ? 0 : each(message, arg);
		if (err)
			return err;
	}
	return left > 0 ? -EBADMSG : 0;
}

int rxaqm_netlink_ask(int protocol, union rxaqm_netlink_request *request, rxaqm_netlink_fn each,
		      void *arg)
{
	static char buffer[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct mnl_socket *socket = mnl_socket_open2(protocol, SOCK_CLOEXEC);
	struct timeval patience = { .tv_sec = 1 };
	bool torn = false;
	int on = 1, result = 0;

	if (!socket)
		return -errno;
	setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	/* Without it rtnetlink does not look at the attributes of a request for a dump. */
	if (mnl_socket_setsockopt(socket, NETLINK_GET_STRICT_CHK, &on, sizeof(on)) ||
	    mnl_socket_sendto(socket, &request->nl, request->nl.nlmsg_len) < 0)
		result = -errno;
	while (!result) {
		ssize_t bytes = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));

		result = bytes < 0 ? -errno :
				     rxaqm_netlink_parse(buffer, (size_t)bytes, each, arg, &torn);
	}
	mnl_socket_close(socket);
	return result < 0 ? result : torn ? -EAGAIN : 0;
}

static const struct nlattr *find(const struct nlattr *attr, const void *end, unsigned int type,
				 size_t least)
{
	for (; mnl_attr_ok(attr, (int)((const char *)end - (const char *)attr));
	     attr = mnl_attr_next(attr))
		if (mnl_attr_get_type(attr) == type && mnl_attr_get_payload_len(attr) >= least)
			return attr;
	return NULL;
}

const struct nlattr *rxaqm_netlink_attr(const struct nlmsghdr *message, size_t header,
					unsigned int type, size_t least)
{
	return find(mnl_nlmsg_get_payload_offset(message, header),
		    mnl_nlmsg_get_payload_tail(message), type, least);
}

const struct nlattr *rxaqm_netlink_nested(const struct nlattr *nest, unsigned int type,
					  size_t least)
{
	const char *from = mnl_attr_get_payload(nest);

	return find((const struct nlattr *)from, from + mnl_attr_get_payload_len(nest), type,
		    least);
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
		family->id = mnl_attr_get_u16(id);
	groups = rxaqm_netlink_attr(message, GENL_HDRLEN, CTRL_ATTR_MCAST_GROUPS, 0);
	if (!groups || !family->group)
		return 0;
	mnl_attr_for_each_nested(group, groups)
	{
		name = rxaqm_netlink_nested(group, CTRL_ATTR_MCAST_GRP_NAME, 1);
		id = rxaqm_netlink_nested(group, CTRL_ATTR_MCAST_GRP_ID, sizeof(__u32));
		if (name && id &&
		    !strncmp(mnl_attr_get_str(name), family->group, mnl_attr_get_payload_len(name)))
			family->group_id = mnl_attr_get_u32(id);
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
	mnl_attr_put_strz(&request.nl, CTRL_ATTR_FAMILY_NAME, name);
	err = rxaqm_netlink_ask(NETLINK_GENERIC, &request, on_family, &family);
	if (err)
		return err;
	if (group)
		*ret_group = family.group_id;
	return family.id && (!group || family.group_id) ? family.id : -ENOENT;
}
