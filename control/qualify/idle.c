/* SPDX-License-Identifier: GPL-2.0-only */
/* May the interface be disturbed? */
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "base/now.h"
#include "nic/netlink.h"
#include "nic/nic.h"
#include "qualify/qualify.h"

/* What ARP, neighbour discovery, LLDP and the like send. */
#define IDLE_PPS 100

struct routes {
	unsigned int ifindex;
	bool found;
};

static bool next_hop_is(const struct nlattr *multipath, unsigned int ifindex)
{
	const struct rtnexthop *hop = rxaqm_attr_data(multipath);
	int left = (int)rxaqm_attr_len(multipath);

	for (; RTNH_OK(hop, left); left -= RTNH_ALIGN(hop->rtnh_len), hop = RTNH_NEXT(hop)) {
		if ((unsigned int)hop->rtnh_ifindex == ifindex)
			return true;
	}
	return false;
}

static int take_route(const struct nlmsghdr *message, void *arg)
{
	const struct rtmsg *route = NLMSG_DATA(message);
	const struct nlattr *attr;
	struct routes *routes = arg;

	if (route->rtm_dst_len || route->rtm_type != RTN_UNICAST)
		return 0;
	attr = rxaqm_netlink_attr(message, sizeof(*route), RTA_OIF, sizeof(__u32));
	routes->found |= attr && rxaqm_attr_u32(attr) == routes->ifindex;
	attr = rxaqm_netlink_attr(message, sizeof(*route), RTA_MULTIPATH, sizeof(struct rtnexthop));
	routes->found |= attr && next_hop_is(attr, routes->ifindex);
	return 0;
}

static bool has_default_route(unsigned int ifindex)
{
	static const unsigned char families[] = { AF_INET, AF_INET6 };
	struct routes routes = { .ifindex = ifindex };
	union rxaqm_netlink_request request;
	struct rtmsg *route;
	size_t i;

	for (i = 0; i < sizeof(families); i++) {
		route = rxaqm_netlink_begin(&request, RTM_GETROUTE, NLM_F_DUMP, sizeof(*route));
		route->rtm_family = families[i];
		rxaqm_netlink_ask(NETLINK_ROUTE, &request, take_route, &routes);
	}
	return routes.found;
}

/* Packets a second, both ways, over one. */
static double traffic_now(const char *ifname)
{
	struct rtnl_link_stats64 before = {}, after = {};

	rxaqm_link_stats(ifname, &before);
	rxaqm_sleep_until(rxaqm_now_ns() + RXAQM_NSEC_PER_SEC);
	rxaqm_link_stats(ifname, &after);
	return (double)(after.rx_packets - before.rx_packets + after.tx_packets -
			before.tx_packets);
}

int qualify_check_idle(const char *ifname, struct rxaqm_error *error)
{
	static const char remedy[] = "use an interface that nobody needs, or add \"--yes-disturb\"";
	double pps;

	if (has_default_route(if_nametoindex(ifname)))
		return rxaqm_failed(
			error, EBUSY,
			"\"%s\" carries the default route, and its traffic would be disturbed: %s",
			ifname, remedy);
	pps = traffic_now(ifname);
	if (pps > IDLE_PPS)
		return rxaqm_failed(
			error, EBUSY,
			"\"%s\" carries %.0f packets a second, which would be disturbed, and would "
			"disturb: %s",
			ifname, pps, remedy);
	return 0;
}
