/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/counters.h"

#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic/ethtool.h"
#include "nic/nic.h"

static void add(struct qualify_counters *counters, const char *from, const char *name, __u64 value)
{
	struct qualify_counter *counter = rxaqm_list_add(&counters->list);

	if (!counter)
		return;
	snprintf(counter->name, sizeof(counter->name), "%s %.48s", from, name);
	counter->value = value;
}

static void read_link(const char *ifname, struct qualify_counters *counters)
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
	struct rtnl_link_stats64 stats;
	size_t i;

	if (rxaqm_link_stats(ifname, &stats))
		return;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		add(counters, "rtnl", fields[i].name,
		    *(const __u64 *)((const char *)&stats + fields[i].at));
}

static void take_ethtool(const char *name, __u64 value, void *counters)
{
	add(counters, "ethtool", name, value);
}

void qualify_counters_read(const char *ifname, struct qualify_counters *counters)
{
	*counters = (struct qualify_counters){};
	read_link(ifname, counters);
	rxaqm_ethtool_stats(ifname, take_ethtool, counters);
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
