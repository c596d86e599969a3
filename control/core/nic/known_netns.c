/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/known_netns.h"

#include <errno.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <unistd.h>

#include "nic/netlink.h"

#define IDS_MAX 2048
#define HERE (-1)

struct look {
	__u32 prog_id;
	bool found;
	unsigned int nr_ids;
	int id[IDS_MAX];
	int own; /* id of this namespace in the one being looked at */
	bool beyond; /* one of them knows a namespace that has no id here */
};

/* One of the ids in an answer to RTM_GETNSID. */
static int id_of(const struct nlmsghdr *message, unsigned int type)
{
	const struct nlattr *attr = rxaqm_netlink_attr(message, sizeof(struct rtgenmsg), type,
						       sizeof(__u32));

	return attr ? (int)rxaqm_attr_u32(attr) : NETNSA_NSID_NOT_ASSIGNED;
}

static int on_link(const struct nlmsghdr *message, void *arg)
{
	static const __u16 slots[] = { IFLA_XDP_PROG_ID, IFLA_XDP_DRV_PROG_ID, IFLA_XDP_SKB_PROG_ID,
				       IFLA_XDP_HW_PROG_ID };
	const struct nlattr *xdp, *slot;
	struct look *look = arg;
	size_t i;

	xdp = rxaqm_netlink_attr(message, sizeof(struct ifinfomsg), IFLA_XDP, 0);
	for (i = 0; xdp && i < sizeof(slots) / sizeof(slots[0]); i++) {
		slot = rxaqm_netlink_nested(xdp, slots[i], sizeof(__u32));
		look->found |= slot && rxaqm_attr_u32(slot) == look->prog_id;
	}
	return 0;
}

static void add_id(struct look *look, int id)
{
	unsigned int i;

	if (id == NETNSA_NSID_NOT_ASSIGNED)
		return;
	for (i = 0; i < look->nr_ids; i++)
		if (look->id[i] == id)
			return;
	if (look->nr_ids < IDS_MAX)
		look->id[look->nr_ids++] = id;
	else
		look->beyond = true;
}

static int on_id(const struct nlmsghdr *message, void *arg)
{
	add_id(arg, id_of(message, NETNSA_NSID));
	return 0;
}

static int on_own_id(const struct nlmsghdr *message, void *arg)
{
	struct look *look = arg;

	look->own = id_of(message, NETNSA_NSID);
	return 0;
}

static int on_id_there(const struct nlmsghdr *message, void *arg)
{
	int id_here = id_of(message, NETNSA_CURRENT_NSID);
	struct look *look = arg;

	/* The namespace may have got its id here just now, for the peer of a veth there. */
	add_id(look, id_here);
	if (id_here == NETNSA_NSID_NOT_ASSIGNED)
		look->beyond |= id_of(message, NETNSA_NSID) != look->own;
	return 0;
}

/* Look at the interfaces of the namespace with id @there, or HERE. */
static int look_at_links(struct look *look, int there)
{
	union rxaqm_netlink_request request;

	rxaqm_netlink_begin(&request, RTM_GETLINK, NLM_F_DUMP, sizeof(struct ifinfomsg));
	rxaqm_netlink_put_u32(&request, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	if (there != HERE)
		rxaqm_netlink_put_u32(&request, IFLA_TARGET_NETNSID, (__u32)there);
	return rxaqm_netlink_ask(NETLINK_ROUTE, &request, on_link, look);
}

/* Ask for the namespaces that this one knows, or that with id @there. @pid: only for the one of
 * that process.
 */
static int look_at_ids(struct look *look, int there, pid_t pid, rxaqm_netlink_fn each)
{
	union rxaqm_netlink_request request;

	rxaqm_netlink_begin(&request, RTM_GETNSID, pid ? 0 : NLM_F_DUMP, sizeof(struct rtgenmsg));
	if (pid)
		rxaqm_netlink_put_u32(&request, NETNSA_PID, (__u32)pid);
	if (there != HERE)
		rxaqm_netlink_put_u32(&request, NETNSA_TARGET_NSID, (__u32)there);
	return rxaqm_netlink_ask(NETLINK_ROUTE, &request, each, look);
}

static int look_beyond(struct look *look, int there)
{
	int err;

	look->own = NETNSA_NSID_NOT_ASSIGNED;
	err = look_at_ids(look, there, getpid(), on_own_id);
	return err ? err : look_at_ids(look, there, 0, on_id_there);
}

int rxaqm_xdp_in_known_netns(__u32 prog_id)
{
	static struct look look;
	int err, first;
	unsigned int i;

	look = (struct look){ .prog_id = prog_id };
	first = look_at_links(&look, HERE);
	if (!first && !look.found)
		first = look_at_ids(&look, HERE, 0, on_id);
	/* A namespace that cannot be asked does not end the search: the program may be found
	 * elsewhere.
	 */
	for (i = 0; i < look.nr_ids && !look.found; i++) {
		err = look_at_links(&look, look.id[i]);
		if (!err && !look.found)
			err = look_beyond(&look, look.id[i]);
		if (!first)
			first = err;
	}
	if (look.found)
		return 1;
	return first ? first : look.beyond ? -EXDEV : 0;
}
