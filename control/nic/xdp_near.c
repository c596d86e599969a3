/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/xdp_near.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "nic/nlattr.h"

#define IDS_MAX 2048
#define HERE (-1)

struct look {
	int fd;
	__u32 prog_id;
	bool found;
	unsigned int nr_ids;
	int id[IDS_MAX];
	int own; /* id of this namespace in the one that is being looked at */
	bool beyond; /* that knows one that has no id here */
};

struct question {
	__u16 type;
	__u16 flags;
	size_t header; /* all zero */
	struct {
		__u16 type;
		__s32 value;
	} attr[2]; /* type 0: none */
	void (*answer)(struct look *look, const struct nlmsghdr *message, size_t header);
};

static const struct nlattr *attr_of(const struct nlmsghdr *message, size_t header,
				    unsigned int type, size_t least)
{
	const size_t at = NLMSG_SPACE(header);

	if (message->nlmsg_len < at)
		return NULL;
	return rxaqm_nlattr_find((const struct nlattr *)((const char *)message + at),
				 message->nlmsg_len - at, type, least);
}

static bool s32_of(const struct nlmsghdr *message, size_t header, unsigned int type, int *value)
{
	const struct nlattr *attr = attr_of(message, header, type, sizeof(*value));

	if (attr)
		memcpy(value, rxaqm_nlattr_payload(attr), sizeof(*value));
	return attr;
}

static int send_question(const struct look *look, const struct question *question)
{
	struct {
		struct nlmsghdr nl;
		char body[64];
	} request = {};
	size_t i;

	request.nl.nlmsg_len = NLMSG_SPACE(question->header);
	request.nl.nlmsg_type = question->type;
	request.nl.nlmsg_flags = NLM_F_REQUEST | question->flags;
	for (i = 0; i < sizeof(question->attr) / sizeof(question->attr[0]); i++) {
		const struct nlattr attr = { NLA_HDRLEN + sizeof(__s32), question->attr[i].type };
		char *at = (char *)&request + request.nl.nlmsg_len;

		if (!attr.nla_type)
			continue;
		memcpy(at, &attr, sizeof(attr));
		memcpy(at + NLA_HDRLEN, &question->attr[i].value, sizeof(__s32));
		request.nl.nlmsg_len += attr.nla_len;
	}
	return send(look->fd, &request, request.nl.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* Call what @question says with each message of the answer. */
static int ask(struct look *look, const struct question *question)
{
	static char buffer[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
	int err = send_question(look, question);
	bool torn = false;

	while (!err) {
		ssize_t len = recv(look->fd, buffer, sizeof(buffer), MSG_TRUNC);
		const struct nlmsghdr *message = (const struct nlmsghdr *)buffer;

		if (len < 0 || (size_t)len > sizeof(buffer))
			return len < 0 ? -errno : -EMSGSIZE;
		for (; NLMSG_OK(message, len); message = NLMSG_NEXT(message, len)) {
			torn |= message->nlmsg_flags & NLM_F_DUMP_INTR;
			if (message->nlmsg_type == NLMSG_DONE ||
			    message->nlmsg_type == NLMSG_ERROR) {
				/* Both begin with it. */
				memcpy(&err, NLMSG_DATA(message), sizeof(err));
				return err ? err : torn ? -EAGAIN : 0;
			}
			question->answer(look, message, question->header);
			if (!(question->flags & NLM_F_DUMP))
				return 0;
		}
	}
	return err;
}

static void on_link(struct look *look, const struct nlmsghdr *message, size_t header)
{
	static const __u16 slots[] = { IFLA_XDP_PROG_ID, IFLA_XDP_DRV_PROG_ID, IFLA_XDP_SKB_PROG_ID,
				       IFLA_XDP_HW_PROG_ID };
	const struct nlattr *xdp = attr_of(message, header, IFLA_XDP, 0), *slot;
	__u32 id;
	size_t i;

	for (i = 0; xdp && i < sizeof(slots) / sizeof(slots[0]); i++) {
		slot = rxaqm_nlattr_nested(xdp, slots[i], sizeof(id));
		if (!slot)
			continue;
		memcpy(&id, rxaqm_nlattr_payload(slot), sizeof(id));
		look->found |= id == look->prog_id;
	}
}

static void add_id(struct look *look, int id)
{
	unsigned int i;

	for (i = 0; i < look->nr_ids; i++)
		if (look->id[i] == id)
			return;
	if (look->nr_ids < IDS_MAX)
		look->id[look->nr_ids++] = id;
	else
		look->beyond = true;
}

static void on_id(struct look *look, const struct nlmsghdr *message, size_t header)
{
	int id;

	if (s32_of(message, header, NETNSA_NSID, &id))
		add_id(look, id);
}

static void on_own_id(struct look *look, const struct nlmsghdr *message, size_t header)
{
	s32_of(message, header, NETNSA_NSID, &look->own);
}

static void on_id_there(struct look *look, const struct nlmsghdr *message, size_t header)
{
	int id = NETNSA_NSID_NOT_ASSIGNED, id_here = NETNSA_NSID_NOT_ASSIGNED;

	s32_of(message, header, NETNSA_NSID, &id);
	s32_of(message, header, NETNSA_CURRENT_NSID, &id_here);
	/* One that has an id here may have it since a moment ago only, for a peer of a veth there. */
	if (id_here != NETNSA_NSID_NOT_ASSIGNED)
		add_id(look, id_here);
	else
		look->beyond |= id != look->own;
}

/* Look at the interfaces of the namespace with the id @there, or HERE. */
static int look_at_links(struct look *look, int there)
{
	struct question question = { .type = RTM_GETLINK,
				     .flags = NLM_F_DUMP,
				     .header = sizeof(struct ifinfomsg),
				     .answer = on_link };

	question.attr[0].type = IFLA_EXT_MASK;
	question.attr[0].value = RTEXT_FILTER_SKIP_STATS;
	if (there != HERE) {
		question.attr[1].type = IFLA_TARGET_NETNSID;
		question.attr[1].value = there;
	}
	return ask(look, &question);
}

/* Which namespaces does it know? */
static int look_beyond(struct look *look, int there)
{
	const struct question own = {
		.type = RTM_GETNSID,
		.header = sizeof(struct rtgenmsg),
		.attr = { { NETNSA_PID, getpid() }, { NETNSA_TARGET_NSID, there } },
		.answer = on_own_id,
	};
	const struct question all = {
		.type = RTM_GETNSID,
		.flags = NLM_F_DUMP,
		.header = sizeof(struct rtgenmsg),
		.attr = { { NETNSA_TARGET_NSID, there } },
		.answer = on_id_there,
	};
	int err;

	look->own = NETNSA_NSID_NOT_ASSIGNED;
	err = ask(look, &own);
	return err ? err : ask(look, &all);
}

static int look_around(struct look *look)
{
	const struct question ids = { .type = RTM_GETNSID,
				      .flags = NLM_F_DUMP,
				      .header = sizeof(struct rtgenmsg),
				      .answer = on_id };
	int err, first;
	unsigned int i;

	first = look_at_links(look, HERE);
	if (!first && !look->found)
		first = ask(look, &ids);
	/* What cannot be asked does not end the search: the program may be found elsewhere. */
	for (i = 0; i < look->nr_ids && !look->found; i++) {
		err = look_at_links(look, look->id[i]);
		if (!err && !look->found)
			err = look_beyond(look, look->id[i]);
		if (!first)
			first = err;
	}
	if (look->found)
		return 1;
	return first ? first : look->beyond ? -EXDEV : 0;
}

int rxaqm_xdp_near(__u32 prog_id)
{
	const struct timeval patience = { .tv_sec = 1 };
	static struct look look;
	const int on = 1;
	int result;

	look = (struct look){ .prog_id = prog_id };
	look.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (look.fd < 0)
		return -errno;
	setsockopt(look.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	/* Without it the kernel does not look at the attributes of these requests. */
	if (setsockopt(look.fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on)))
		result = -errno;
	else
		result = look_around(&look);
	close(look.fd);
	return result;
}
