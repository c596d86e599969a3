/* SPDX-License-Identifier: GPL-2.0-only */
/* Q18: what an interface is like after something went wrong. */
#include <linux/ethtool.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "qualify/measure/counters.h"
#include "qualify/measure/link.h"
#include "qualify/rows/parts.h"

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
	/* ETH_RESET_DEDICATED would do more, to more than this interface. */
	struct ethtool_value value = { .cmd = ETHTOOL_RESET,
				       .data = ETH_RESET_MAC | ETH_RESET_DMA | ETH_RESET_FILTER |
					       ETH_RESET_OFFLOAD };

	(void)arg;
	return rxaqm_ethtool(run->ifname, &value);
}

static bool went_back(const struct qualify_counters *before, const struct qualify_counters *after)
{
	static const char *const names[] = { "rtnl rx_packets", "rtnl rx_bytes",
					     "rtnl tx_packets" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (qualify_counter(after, names[i]) < qualify_counter(before, names[i]))
			return true;
	}
	return false;
}

/* Figure @name; noted in @recovery. */
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
/* Half of the host's allocations that may not wait, until 2000 have failed; no message each. */
#define FAULTS "2000 0 0 50"
#define NO_FAULTS "0 1 0 0"

static int inject(struct qualify_run *run, void *arg)
{
	bool *injected = arg;

	*injected = !qualify_setting_change(&run->journal, QUALIFY_PAGE_FAULTS, "", FAULTS);
	qualify_sleep_ms(run, FAIL_MS);
	if (*injected)
		qualify_setting_change(&run->journal, QUALIFY_PAGE_FAULTS, "", NO_FAULTS);
	return 0;
}

/* What the driver counts of it, all queues; those of single ones are in it, so the most of one. */
static __u64 failures(const struct qualify_counters *moved)
{
	const struct qualify_counter *counter;
	__u64 most = 0;

	rxaqm_list_each(counter, &moved->list) {
		if (strcasestr(counter->name, "alloc") && !strcasestr(counter->name, "tx") &&
		    counter->value > most)
			most = counter->value;
	}
	return most;
}

static void put_result(struct qualify_row *row, const struct qualify_gap *gap, __u64 failed,
		       bool injected)
{
	struct qualify_figure *figure = qualify_figure_add(
		row, "after_alloc_failure", "",
		"allocations failed while 2000 frames a second came (%s); %llu frames lost",
		injected ? "fail_page_alloc" : "by themselves", (unsigned long long)gap->lost);

	if (!failed && !injected)
		qualify_figure_words(figure, "unknown: none failed; needs a kernel with "
					     "CONFIG_FAIL_PAGE_ALLOC (debugfs: fail_page_alloc)");
	else if (!failed && gap->again)
		qualify_figure_words(figure, "unknown: no counter of the driver tells of any");
	else
		qualify_figure_words(figure, "%s", gap->again ? "yes" : "no");
	if (failed)
		qualify_put_number(row, "alloc_failures", "count", (double)failed, 1, 0,
				   "by the driver's counters");
}

/* after_alloc_failure, alloc_failures, gap_alloc: where allocations fail, or can be made to. */
static int alloc_failure(struct qualify_run *run, struct qualify_row *row,
			 struct recovery *recovery)
{
	struct qualify_counters before, moved;
	struct qualify_gap gap;
	bool injected = false;
	__u64 failed;
	int err;

	qualify_counters_read(run->ifname, &before);
	err = qualify_gap(run, LOAD_MS, inject, &injected, &gap);
	qualify_counters_read(run->ifname, &moved);
	recovery->went_back |= went_back(&before, &moved);
	qualify_counters_since(&moved, &before);
	failed = failures(&moved);
	qualify_counters_free(&before);
	qualify_counters_free(&moved);
	if (err)
		return err;
	put_result(row, &gap, failed, injected);
	if (failed && gap.again)
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
	struct qualify_counters before, after;
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
		qualify_counters_read(run->ifname, &before);
		run->error.err = 0;
		err = qualify_gap(run, LOAD_MS, events[i].change, NULL, &gap);
		qualify_counters_read(run->ifname, &after);
		recovery.went_back |= went_back(&before, &after);
		qualify_counters_free(&before);
		qualify_counters_free(&after);
		if (err && run->error.err)
			return err;
		if (err == -EOPNOTSUPP)
			continue; /* the driver has no reset to ask for */
		qualify_figure_words(qualify_figure_add(row, events[i].name, "",
							"%s while 2000 frames a second came; %llu "
							"lost",
							events[i].how,
							(unsigned long long)gap.lost),
				     "%s%s",
				     err       ? "no: " :
				     gap.again ? "yes" :
						 "no",
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
