/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/types.h>
#include <string.h>
#include <sys/time.h>

#include "doctor/netlink.h"

int doctor_netlink_open(struct doctor_netlink *nl, int bus)
{
	const struct timeval patience = { .tv_sec = 2 };
	int err;

	nl->seq = 0;
	nl->socket = mnl_socket_open2(bus, SOCK_CLOEXEC);
	if (!nl->socket)
		return -errno;
	setsockopt(mnl_socket_get_fd(nl->socket), SOL_SOCKET, SO_RCVTIMEO, &patience,
		   sizeof(patience));
	if (!mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID))
		return 0;
	err = -errno;
	doctor_netlink_close(nl);
	return err;
}

void doctor_netlink_close(struct doctor_netlink *nl)
{
	if (nl->socket)
		mnl_socket_close(nl->socket);
	nl->socket = NULL;
}

int doctor_netlink_ask(struct doctor_netlink *nl, struct nlmsghdr *request, mnl_cb_t each,
		       void *arg)
{
	bool dump = request->nlmsg_flags & NLM_F_DUMP;
	ssize_t len;
	int result;

	request->nlmsg_seq = ++nl->seq;
	/* Without a dump's end, the acknowledgement ends it. */
	request->nlmsg_flags |= NLM_F_REQUEST | (dump ? 0 : NLM_F_ACK);
	if (mnl_socket_sendto(nl->socket, request, request->nlmsg_len) < 0)
		return -errno;
	do {
		len = mnl_socket_recvfrom(nl->socket, nl->buf, sizeof(nl->buf));
		if (len < 0)
			return -errno;
		result = mnl_cb_run(nl->buf, (size_t)len, nl->seq,
				    mnl_socket_get_portid(nl->socket), each, arg);
		/* A dump of what changed meanwhile is as good as any snapshot. */
	} while (result > 0 || (result < 0 && errno == EINTR));
	return result < 0 ? -errno : 0;
}

static int take_family(const struct nlmsghdr *message, void *arg)
{
	const struct nlattr *attr;
	__u16 *id = arg;

	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr))
	{
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
		    mnl_attr_validate(attr, MNL_TYPE_U16) >= 0)
			*id = mnl_attr_get_u16(attr);
	}
	return MNL_CB_OK;
}

__u16 doctor_netlink_family(struct doctor_netlink *nl, const char *name)
{
	char buf[256];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;
	__u16 id = 0;

	request->nlmsg_type = GENL_ID_CTRL;
	request->nlmsg_flags = NLM_F_REQUEST;
	genl = mnl_nlmsg_put_extra_header(request, sizeof(*genl));
	genl->cmd = CTRL_CMD_GETFAMILY;
	genl->version = 1;
	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, name);
	return doctor_netlink_ask(nl, request, take_family, &id) ? 0 : id;
}
