/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/way_out.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>

#include "nic/netlink.h"

struct link {
	unsigned int ifindex, flags, master;
	const char *name;
	const char *kind; /* "": none, as a NIC has it */
	const char *port_of; /* kind of its master; "": none */
	bool forwards;
};

struct look {
	unsigned int ifindex; /* of the interface that it is about */
	unsigned int bond; /* of which it is a port; 0: of none */
	bool found, is_virtual, forwards, bridged, tap;
	char out[IF_NAMESIZE]; /* the first interface that leads out */
};

static bool is_one_of(const char *kind, const char *const *kinds)
{
	for (; *kinds; kinds++)
		if (!strcmp(kind, *kinds))
			return true;
	return false;
}

/* Does a number of an array of @attr say so? @at: its index. */
static bool is_set(const struct nlattr *attr, unsigned int at)
{
	__u32 value = 0;

	if (attr && rxaqm_attr_len(attr) >= (at + 1) * sizeof(value))
		memcpy(&value, (const char *)rxaqm_attr_data(attr) + at * sizeof(value),
		       sizeof(value));
	return value;
}

static bool forwards(const struct nlmsghdr *message)
{
	const struct nlattr *spec, *ip4, *ip6;

	spec = rxaqm_netlink_attr(message, sizeof(struct ifinfomsg), IFLA_AF_SPEC, 0);
	ip4 = spec ? rxaqm_netlink_nested(spec, AF_INET, 0) : NULL;
	ip6 = spec ? rxaqm_netlink_nested(spec, AF_INET6, 0) : NULL;
	/* IPv4 begins to count at 1 (inet_fill_link_af()). */
	return (ip4 && is_set(rxaqm_netlink_nested(ip4, IFLA_INET_CONF, 0),
			      IPV4_DEVCONF_FORWARDING - 1)) ||
	       (ip6 && is_set(rxaqm_netlink_nested(ip6, IFLA_INET6_CONF, 0), DEVCONF_FORWARDING));
}

static const char *text_of(const struct nlattr *attr)
{
	const char *text = attr ? rxaqm_attr_text(attr) : NULL;

	return text ? text : "";
}

static void read_link(const struct nlmsghdr *message, struct link *link)
{
	const struct ifinfomsg *info = NLMSG_DATA(message);
	const struct nlattr *attr;

	*link = (struct link){ .ifindex = (unsigned int)info->ifi_index, .flags = info->ifi_flags };
	link->name = text_of(rxaqm_netlink_attr(message, sizeof(*info), IFLA_IFNAME, 1));
	attr = rxaqm_netlink_attr(message, sizeof(*info), IFLA_MASTER, sizeof(__u32));
	link->master = attr ? rxaqm_attr_u32(attr) : 0;
	attr = rxaqm_netlink_attr(message, sizeof(*info), IFLA_LINKINFO, 0);
	link->kind = text_of(attr ? rxaqm_netlink_nested(attr, IFLA_INFO_KIND, 1) : NULL);
	link->port_of = text_of(attr ? rxaqm_netlink_nested(attr, IFLA_INFO_SLAVE_KIND, 1) : NULL);
	link->forwards = forwards(message);
}

static const char *const bonds[] = { "bond", "team", NULL };

/* The interface that it is about. */
static void look_at_own(struct look *look, const struct link *link)
{
	look->found = true;
	/* Not only a NIC: a bond may have a program, too. */
	look->is_virtual = link->kind[0] && !is_one_of(link->kind, bonds);
	if (is_one_of(link->port_of, bonds))
		look->bond = link->master;
}

static int on_own(const struct nlmsghdr *message, void *arg)
{
	struct link link;

	read_link(message, &link);
	look_at_own(arg, &link);
	return 0;
}

static int on_link(const struct nlmsghdr *message, void *arg)
{
	/* What leads to this host, or is a way for others that are listed themselves. */
	static const char *const here[] = { "veth",   "netkit",	     "bridge", "bond",	"team",
					    "vrf",    "dummy",	     "ifb",    "nlmon", "macvlan",
					    "ipvlan", "openvswitch", NULL };
	static const char *const bridges[] = { "bridge", "openvswitch", NULL };
	static const char *const taps[] = { "macvtap", "ipvtap", NULL };
	struct look *look = arg;
	struct link link;

	read_link(message, &link);
	look->forwards |= link.forwards;
	if (is_one_of(link.kind, here) || link.flags & IFF_LOOPBACK)
		return 0;
	look->bridged |= is_one_of(link.port_of, bridges);
	if (link.ifindex == look->ifindex || !(link.flags & IFF_UP))
		return 0;
	/* Ports of a bond are one wire. */
	if (link.master && (link.master == look->bond || link.master == look->ifindex))
		return 0;
	look->tap |= is_one_of(link.kind, taps);
	if (!look->out[0] || is_one_of(link.kind, taps))
		snprintf(look->out, sizeof(look->out), "%.15s", link.name);
	return 0;
}

const char *rxaqm_way_out(const char *ifname, char text[RXAQM_WAY_OUT_LEN])
{
	struct look look = { .ifindex = if_nametoindex(ifname) };
	union rxaqm_netlink_request request;
	struct ifinfomsg *info = rxaqm_netlink_begin(&request, RTM_GETLINK, 0, sizeof(*info));
	int err;

	info->ifi_index = (int)look.ifindex;
	err = !look.ifindex ? -ENODEV : rxaqm_netlink_ask(NETLINK_ROUTE, &request, on_own, &look);
	if (!err) {
		rxaqm_netlink_begin(&request, RTM_GETLINK, NLM_F_DUMP, sizeof(*info));
		rxaqm_netlink_put_u32(&request, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
		err = rxaqm_netlink_ask(NETLINK_ROUTE, &request, on_link, &look);
	}
	if (err || !look.found)
		snprintf(text, RXAQM_WAY_OUT_LEN,
			 "the kernel does not say which interfaces there are");
	else if (look.is_virtual)
		snprintf(text, RXAQM_WAY_OUT_LEN,
			 "it is a virtual interface, whose packets may come without a checksum");
	else if (look.out[0] && (look.tap || look.bridged || look.forwards))
		snprintf(text, RXAQM_WAY_OUT_LEN, "this host %s, so packets may leave it by \"%s\"",
			 look.tap     ? "has a macvtap" :
			 look.bridged ? "bridges" :
					"forwards",
			 look.out);
	else
		return NULL;
	return text;
}
