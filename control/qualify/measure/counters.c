/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/counters.h"

#include <linux/ethtool.h>
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

static void add_link(int dir_fd, const char *name, void *arg)
{
	char line[32];

	if (*rxaqm_first_line(dir_fd, name, line, sizeof(line)))
		add(arg, "rtnl", name, strtoull(line, NULL, 10));
}

static void read_ethtool(const char *ifname, struct qualify_counters *counters)
{
	struct ethtool_gstrings *names = rxaqm_ethtool_names(ifname, ETH_SS_STATS);
	__u32 nr = names ? names->len : 0, i;
	struct ethtool_stats *stats = calloc(1, sizeof(*stats) + nr * sizeof(__u64));
	char name[ETH_GSTRING_LEN + 1];

	if (stats)
		*stats = (struct ethtool_stats){ ETHTOOL_GSTATS, nr };
	for (i = 0; nr && stats && (i || !rxaqm_ethtool(ifname, stats)) && i < nr; i++) {
		snprintf(name, sizeof(name), "%.*s", ETH_GSTRING_LEN,
			 (const char *)names->data + i * ETH_GSTRING_LEN);
		add(counters, "ethtool", name + strspn(name, " "), stats->data[i]);
	}
	free(names);
	free(stats);
}

void qualify_counters_read(const char *ifname, struct qualify_counters *counters)
{
	*counters = (struct qualify_counters){};
	rxaqm_nic_read_dir(ifname, "/statistics", add_link, counters);
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
