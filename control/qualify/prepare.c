/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/qualify.h"

#include <linux/if_link.h>
#include <linux/net_tstamp.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/now.h"
#include "nic/netlink.h"
#include "state/xdp_slot.h"
#include "state/dispatcher.h"
#include "nic/nic.h"
#include "profile/profile.h"
#include "qualify/rows/backlog.h"
#include "qualify/rows/traffic.h"

#define CARRIER_MS 8000
#define FEW_MS 20

static int link_up(struct qualify_run *run)
{
	char value[QUALIFY_SETTING_LEN];
	int err = qualify_setting_get(run->ifname, QUALIFY_LINK, "", value), i;

	if (!err && value[0] != '1')
		err = qualify_setting_change(&run->journal, QUALIFY_LINK, "", "1");
	if (err)
		return qualify_failed(run, -err, "cannot set \"%s\" up: %s", run->ifname,
				      strerror(-err));
	for (i = 0; i < CARRIER_MS / FEW_MS && !qualify_has_carrier(run) && !*run->stop; i++)
		qualify_sleep_ms(run, FEW_MS);
	if (qualify_has_carrier(run))
		return 0;
	return qualify_failed(run, ENETDOWN,
			      "\"%s\" has no carrier: is the cable in, is the other end up?",
			      run->ifname);
}

/* Switch on the most general filter that the driver grants. */
static void stamps_on(struct qualify_run *run)
{
	static const int filters[] = { HWTSTAMP_FILTER_ALL, HWTSTAMP_FILTER_PTP_V2_EVENT,
				       HWTSTAMP_FILTER_PTP_V2_L2_EVENT,
				       HWTSTAMP_FILTER_PTP_V2_L4_EVENT };
	char value[QUALIFY_SETTING_LEN];
	int flags, tx, granted;
	size_t i;

	run->rx_filter = HWTSTAMP_FILTER_NONE;
	if (qualify_setting_get(run->ifname, QUALIFY_HWTSTAMP, "", value) ||
	    sscanf(value, "%d %d %d", &flags, &tx, &granted) != 3)
		return;
	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		snprintf(value, sizeof(value), "%d %d %d", flags, tx, filters[i]);
		if (qualify_setting_change(&run->journal, QUALIFY_HWTSTAMP, "", value))
			continue;
		/* The driver may grant another filter than asked for. */
		if (!qualify_setting_get(run->ifname, QUALIFY_HWTSTAMP, "", value) &&
		    sscanf(value, "%d %d %d", &flags, &tx, &granted) == 3)
			run->rx_filter = granted;
		return;
	}
}

static int probe_on(struct qualify_run *run, struct rxaqm_error *error)
{
	int err = qualify_probe_open(&run->probe, run->ifname, error)		      ?:
			  qualify_setting_change(&run->journal, QUALIFY_TC, "", "on") ?:
			  qualify_probe_tc_on(&run->probe, error)		      ?:
			  qualify_probe_xdp_on(&run->probe, error);

	if (!err)
		qualify_part_veth(run);
	return err;
}

/* "HOST", which has an interface of the same name, "HOST/IFACE" or "NETNS/IFACE". */
static int open_peer(struct qualify_run *run, const struct qualify_request *request)
{
	const char *loopback = request->loopback, *words = loopback ?: request->host;
	const char *slash = strrchr(words, '/');
	size_t len = slash ? (size_t)(slash - words) : strlen(words);
	char place[256];

	if (loopback && !slash)
		return rxaqm_error_set(
			&run->error, RXAQM_EXIT_USAGE, EINVAL,
			"--loopback=%s: must be NETNS/IFACE, because frames must leave by the wire; "
			"move it into a network namespace (ip netns add other; ip link set %s netns "
			"other; ip -n other link set %s up), and name other/%s",
			loopback, loopback, loopback, loopback);
	if (len >= sizeof(place))
		return rxaqm_error_set(&run->error, RXAQM_EXIT_USAGE, ENAMETOOLONG,
				       "%.20s...: no host has so long a name", words);
	snprintf(place, sizeof(place), "%.*s", (int)len, words);
	return qualify_peer_open(&run->peer, place, loopback, slash ? slash + 1 : run->ifname,
				 run->stop, &run->error);
}

#define PROBES (QUALIFY_NEEDS_PROBE | QUALIFY_NEEDS_XDP_FREE)

/* ARP, neighbour discovery, LLDP and the like send less. */
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

/* Packets a second in both directions, measured over one second. */
static double traffic_now(const char *ifname)
{
	struct rtnl_link_stats64 before = {}, after = {};

	rxaqm_link_stats(ifname, &before);
	rxaqm_sleep_until(rxaqm_now_ns() + RXAQM_NSEC_PER_SEC);
	rxaqm_link_stats(ifname, &after);
	return (double)(after.rx_packets - before.rx_packets + after.tx_packets -
			before.tx_packets);
}

/* -errno with @error if @ifname carries the default route, or more than idle traffic. Takes a
 * second.
 */
static int check_idle(const char *ifname, struct rxaqm_error *error)
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
			"\"%s\" carries %.0f packets a second, which would disturb the measurement and "
			"be disturbed: %s",
			ifname, pps, remedy);
	return 0;
}

static int check_interface(const struct qualify_request *request, struct rxaqm_error *error)
{
	char command[RXAQM_TAKE_OFF_COMMAND];
	struct rxaqm_xdp_progs progs;
	unsigned int ifindex;
	int err;

	err = rxaqm_nic_index(request->ifname, &ifindex, error);
	if (err)
		return err;
	err = rxaqm_xdp_read(ifindex, &progs);
	if (err)
		return rxaqm_failed(error, -err,
				    "cannot ask the kernel for the XDP program of \"%s\": %s",
				    request->ifname, strerror(-err));
	if (progs.nr)
		return rxaqm_failed(error, EBUSY,
				    "\"%s\" has an XDP program; take it off first, with \"%s\"",
				    request->ifname,
				    rxaqm_xdp_take_off_command(request->ifname, ifindex, command));
	return request->disturb ? 0 : check_idle(request->ifname, error);
}

int qualify_prepare(struct qualify_run *run, const struct qualify_request *request)
{
	static struct rxaqm_profile profile;
	struct rxaqm_error probe_error = {};
	int err = check_interface(request, &run->error);

	if (!err && qualify_facts_read(run->ifname, run->record, run->mac))
		err = qualify_failed(run, errno, "cannot ask \"%s\": %s", run->ifname,
				     strerror(errno));
	if (err)
		return err;
	rxaqm_nic_facts_read(run->ifname, &run->facts);
	run->ring = run->facts.ring;
	if (!run->ring && !rxaqm_profile_for_nic(&run->facts, &profile, NULL))
		run->ring = profile.ring_entries;
	snprintf(run->record->nic_class, sizeof(run->record->nic_class), "%s", request->nic_class);
	strcpy(run->record->peer, "none");
	if (request->host || request->loopback) {
		err = open_peer(run, request) ?: link_up(run);
		if (err)
			return err;
		snprintf(run->record->peer, sizeof(run->record->peer), "%s", run->peer.words);
		qualify_setup_add(run->record, "peer's kernel", "%s", run->peer.kernel);
		qualify_setup_add(run->record, "peer's NIC", "%s", run->peer.nic);
	}
	stamps_on(run);
	if (run->peer.pid && probe_on(run, &probe_error)) {
		qualify_probe_close(&run->probe);
		snprintf(run->no_probe, sizeof(run->no_probe), "%.190s", probe_error.text);
	}
	return 0;
}

const char *qualify_row_ready(struct qualify_run *run, const struct qualify_row_def *row)
{
	int err = 0;

	if (row->needs & QUALIFY_NEEDS_PEER && !run->peer.pid)
		return "needs another end: --peer HOST/IFACE, or --loopback NETNS/IFACE";
	if (row->needs & PROBES && !run->probe.skel)
		return run->no_probe;
	if (row->needs & QUALIFY_NEEDS_PHC && rxaqm_nic_phc(run->ifname) < 0)
		return "needs a PTP hardware clock: the driver tells of none (ethtool -T)";
	if (row->needs & QUALIFY_NEEDS_STAMPS && run->rx_filter == HWTSTAMP_FILTER_NONE)
		return "needs hardware timestamps of received packets: the driver grants no filter";
	if (row->needs & QUALIFY_NEEDS_ALL_STAMPS && run->rx_filter != HWTSTAMP_FILTER_ALL)
		return "needs stamps of all packets: the driver does not grant HWTSTAMP_FILTER_ALL";
	if (row->needs & PROBES)
		err = qualify_xdp_on(run);
	if (!err && row->needs & PROBES)
		err = qualify_calibrate(run);
	if (!err && row->needs & QUALIFY_NEEDS_XDP_FREE)
		qualify_probe_xdp_off(&run->probe);
	return err ? run->error.text : NULL;
}

void qualify_unprepare(struct qualify_run *run)
{
	if (run->probe.skel)
		qualify_probe_close(&run->probe);
	qualify_peer_close(&run->peer);
}
