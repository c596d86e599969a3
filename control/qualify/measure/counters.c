/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/counters.h"

#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic/ethtool.h"
#include "nic/netlink.h"

#define MAX_STATS 65536

static void add(struct qualify_counters *counters, const char *from, const char *name, __u64 value)
{
	struct qualify_counter *counter = rxaqm_list_add(&counters->list);

	if (!counter)
		return;
	snprintf(counter->name, sizeof(counter->name), "%s %.48s", from, name);
	counter->value = value;
}

static int take_link(const struct nlmsghdr *message, void *arg)
{
	static const struct {
		const char *name;
		size_t at;
	} fields[] = {
#define FIELD(name) { #name, offsetof(struct rtnl_link_stats64, name) }
		FIELD(rx_packets),	 FIELD(rx_bytes),	  FIELD(rx_errors),
		FIELD(rx_dropped),	 FIELD(rx_length_errors), FIELD(rx_over_errors),
		FIELD(rx_crc_errors),	 FIELD(rx_frame_errors),  FIELD(rx_fifo_errors),
		FIELD(rx_missed_errors), FIELD(rx_nohandler),	  FIELD(tx_packets),
		FIELD(tx_dropped),	 FIELD(tx_errors),
#undef FIELD
	};
	const struct nlattr *attr = rxaqm_netlink_attr(message, sizeof(struct ifinfomsg),
						       IFLA_STATS64, sizeof(__u64));
	size_t i, size = attr ? mnl_attr_get_payload_len(attr) : 0;
	__u64 value;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].at + sizeof(value) > size)
			continue;
		memcpy(&value, (const char *)mnl_attr_get_payload(attr) + fields[i].at,
		       sizeof(value));
		add(arg, "rtnl", fields[i].name, value);
	}
	return 0;
}

static void read_link(const char *ifname, struct qualify_counters *counters)
{
	union rxaqm_netlink_request request;
	struct ifinfomsg *info = rxaqm_netlink_begin(&request, RTM_GETLINK, 0, sizeof(*info));

	info->ifi_index = (int)if_nametoindex(ifname);
	rxaqm_netlink_ask(NETLINK_ROUTE, &request, take_link, counters);
}

static void read_ethtool(const char *ifname, struct qualify_counters *counters)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_gstrings *names = NULL;
	struct ethtool_stats *stats = NULL;
	char name[ETH_GSTRING_LEN + 1];
	__u32 i;

	if (rxaqm_ethtool(ifname, &info) || !info.n_stats || info.n_stats > MAX_STATS)
		return;
	names = calloc(1, sizeof(*names) + (size_t)info.n_stats * ETH_GSTRING_LEN);
	stats = calloc(1, sizeof(*stats) + info.n_stats * sizeof(__u64));
	if (names && stats) {
		*names = (struct ethtool_gstrings){ ETHTOOL_GSTRINGS, ETH_SS_STATS, info.n_stats };
		*stats = (struct ethtool_stats){ ETHTOOL_GSTATS, info.n_stats };
		if (!rxaqm_ethtool(ifname, names) && !rxaqm_ethtool(ifname, stats)) {
			for (i = 0; i < info.n_stats; i++) {
				snprintf(name, sizeof(name), "%.*s", ETH_GSTRING_LEN,
					 (const char *)names->data + i * ETH_GSTRING_LEN);
				add(counters, "ethtool", name + strspn(name, " "), stats->data[i]);
			}
		}
	}
	free(names);
	free(stats);
}

void qualify_counters_read(const char *ifname, struct qualify_counters *counters)
{
	*counters = (struct qualify_counters){};
	read_link(ifname, counters);
	read_ethtool(ifname, counters);
}

void qualify_counters_free(struct qualify_counters *counters)
{
	free(counters->list.at);
	*counters = (struct qualify_counters){};
}

void qualify_counters_since(struct qualify_counters *counters,
			    const struct qualify_counters *before)
{
	size_t i;

	for (i = 0; i < counters->list.nr; i++) {
		struct qualify_counter *counter = &counters->list.at[i];
		/* A driver tells them in the same order, but when their number changed. */
		__u64 then = i < before->list.nr &&
					     !strcmp(before->list.at[i].name, counter->name) ?
				     before->list.at[i].value :
				     qualify_counter(before, counter->name);

		counter->value = then == ~0ULL ? 0 : counter->value - then;
	}
}

__u64 qualify_counter(const struct qualify_counters *counters, const char *name)
{
	const struct qualify_counter *counter;

	rxaqm_list_each(counter, &counters->list) {
		if (!strcmp(counter->name, name))
			return counter->value;
	}
	return ~0ULL;
}
