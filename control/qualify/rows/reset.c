/* SPDX-License-Identifier: GPL-2.0-only */
/* Q18: the state of an interface after a failure. */
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>

#include "qualify/measure/nic_settings.h"
#include "nic/nic.h"
#include "qualify/rows/traffic.h"

#define LOAD_MS 3000

struct recovery {
	double longest_ns, error_ns; /* pause */
	bool went_back; /* a counter of the link */
};

static int flap(struct qualify_run *run, void *arg)
{
	int err;

	(void)arg;
	err = qualify_setting_change(&run->journal, QUALIFY_LINK, "", "0");
	qualify_sleep_ms(run, 50);
	return err ?: qualify_setting_change(&run->journal, QUALIFY_LINK, "", "1");
}

static int reset(struct qualify_run *run, void *arg)
{
	/* ETH_RESET_DEDICATED would reset more, also for other interfaces. */
	struct ethtool_value value = { .cmd = ETHTOOL_RESET,
				       .data = ETH_RESET_MAC | ETH_RESET_DMA | ETH_RESET_FILTER |
					       ETH_RESET_OFFLOAD };

	(void)arg;
	return rxaqm_ethtool(run->ifname, &value);
}

static bool went_back(const struct rtnl_link_stats64 *before, const struct rtnl_link_stats64 *after)
{
	return after->rx_packets < before->rx_packets || after->rx_bytes < before->rx_bytes ||
	       after->tx_packets < before->tx_packets;
}

/* Send frames while @change is called. */
static int disturb(struct qualify_run *run, int (*change)(struct qualify_run *run, void *arg),
		   void *arg, struct qualify_gap *gap, struct recovery *recovery)
{
	struct rtnl_link_stats64 before, after;
	bool known = !rxaqm_link_stats(run->ifname, &before);
	int err = qualify_gap(run, LOAD_MS, change, arg, gap);

	known = !rxaqm_link_stats(run->ifname, &after) && known;
	recovery->went_back |= known && went_back(&before, &after);
	return err;
}

/* Put the pause as figure @name, and keep the longest one in @recovery. */
static void put_pause(struct qualify_row *row, const char *name, const struct qualify_gap *gap,
		      struct recovery *recovery)
{
	qualify_put_number(row, name, "ns", gap->gap_ns, 1, gap->error_ns,
			   "longest pause of these frames");
	if (gap->gap_ns > recovery->longest_ns) {
		recovery->longest_ns = gap->gap_ns;
		recovery->error_ns = gap->error_ns;
	}
}

#define FAIL_MS 300

/* Fail half of the host's non-waiting allocations, 2000 in all, without messages. The last value
 * starts it, and is restored first.
 */
static const char *const faults[][2] = {
	{ "times", "2000" }, { "min-order", "0" }, { "verbose", "0" }, { "probability", "50" }
};
#define NR_FAULTS (sizeof(faults) / sizeof(faults[0]))

static int inject(struct qualify_run *run, void *arg)
{
	bool *injected = arg;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < NR_FAULTS; i++)
		err = qualify_setting_change(&run->journal, QUALIFY_PAGE_FAULTS, faults[i][0],
					     faults[i][1]);
	*injected = !err;
	qualify_sleep_ms(run, FAIL_MS);
	if (!err)
		qualify_setting_change(&run->journal, QUALIFY_PAGE_FAULTS, faults[NR_FAULTS - 1][0],
				       "0");
	return 0;
}

/* after_alloc_failure, alloc_failures, gap_alloc: if allocations fail, or can be made to fail. */
static int alloc_failure(struct qualify_run *run, struct qualify_row *row,
			 struct recovery *recovery)
{
	struct qualify_counters before, moved;
	struct qualify_figure *figure;
	struct qualify_gap gap;
	bool injected = false;
	__u64 failed;
	int err;

	qualify_counters_read(run->ifname, &before);
	err = disturb(run, inject, &injected, &gap, recovery);
	qualify_counters_read(run->ifname, &moved);
	qualify_counters_since(&moved, &before);
	failed = qualify_alloc_failures(&moved);
	qualify_counters_free(&before);
	qualify_counters_free(&moved);
	if (err)
		return err;
	figure = qualify_figure_add(
		row, "after_alloc_failure", "",
		"allocations failed while 2000 frames a second came (%s); %llu frames lost",
		injected ? "fail_page_alloc" : "by themselves", gap.lost);
	if (!failed && !injected)
		qualify_figure_detail(figure, "unknown",
				      "none failed; needs a kernel with "
				      "CONFIG_FAIL_PAGE_ALLOC (debugfs: fail_page_alloc)");
	else if (!failed && gap.again)
		qualify_figure_detail(figure, "unknown",
				      "no counter of the driver shows a failure");
	else
		qualify_figure_words(figure, "%s", gap.again ? "yes" : "no");
	if (!failed)
		return 0;
	qualify_put_number(row, "alloc_failures", "count", (double)failed, 1, 0,
			   "by the driver's counters");
	if (gap.again)
		put_pause(row, "gap_alloc", &gap, recovery);
	return 0;
}

int qualify_row_reset(struct qualify_run *run, struct qualify_row *row)
{
	static const struct {
		const char *name, *pause, *how;
		int (*change)(struct qualify_run *run, void *arg);
	} events[] = { { "after_flap", "gap_flap", "link down for 50 ms, and up", flap },
		       { "after_reset", "gap_reset",
			 "ETHTOOL_RESET of MAC, DMA, filters and offloads", reset } };
	struct qualify_gap gap;
	struct recovery recovery = {};
	size_t i;
	int err;

	if (qualify_has_address(run->ifname))
		return qualify_unknown(row,
				       "\"%s\" has IP addresses, which are lost when it is taken "
				       "down: take them off",
				       run->ifname);
	err = alloc_failure(run, row, &recovery);
	if (err)
		return err;
	for (i = 0; i < 2; i++) {
		run->error.err = 0;
		err = disturb(run, events[i].change, NULL, &gap, &recovery);
		if (err && run->error.err)
			return err;
		if (err == -EOPNOTSUPP)
			continue; /* the driver offers no reset */
		qualify_figure_detail(qualify_figure_add(row, events[i].name, "",
							 "%s while 2000 frames a second came; %llu "
							 "lost",
							 events[i].how, gap.lost),
				      !err && gap.again ? "yes" : "no", "%s",
				      err ? strerror(-err) : "");
		if (!err && gap.again)
			put_pause(row, events[i].pause, &gap, &recovery);
	}
	qualify_put_number(row, "recovery", "ns", recovery.longest_ns, 1, recovery.error_ns,
			   "longest pause of the above");
	qualify_put_words(row, "stats_kept", "rx_packets, rx_bytes and tx_packets of the link",
			  "%s", recovery.went_back ? "no" : "yes");
	return 0;
}
