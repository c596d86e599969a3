/* SPDX-License-Identifier: GPL-2.0-only */
/* Q18: pages for the ring cannot be had for a while; and what is told of any trouble. */
#include <string.h>

#include "qualify/measure/counters.h"
#include "qualify/rows/reset.h"

#define LOAD_MS 3000
#define FAIL_MS 300
/* Half of the host's allocations that may not wait, until 2000 have failed; no message each. */
#define FAULTS "2000 0 0 50"
#define NO_FAULTS "0 1 0 0"

bool qualify_went_back(const struct qualify_counters *before, const struct qualify_counters *after)
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

void qualify_put_pause(struct qualify_row *row, const char *name, const struct qualify_gap *gap,
		       struct qualify_recovery *recovery)
{
	qualify_put_number(row, name, "ns", gap->gap_ns, 1, gap->error_ns,
			   "longest pause of these frames");
	if (gap->gap_ns > recovery->longest_ns) {
		recovery->longest_ns = gap->gap_ns;
		recovery->error_ns = gap->error_ns;
	}
}

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

int qualify_alloc_failure(struct qualify_run *run, struct qualify_row *row,
			  struct qualify_recovery *recovery, struct rxaqm_error *error)
{
	struct qualify_counters before, moved;
	struct qualify_gap gap;
	bool injected = false;
	__u64 failed;
	int err;

	qualify_counters_read(run->ifname, &before);
	err = qualify_gap(run, LOAD_MS, inject, &injected, &gap, error);
	qualify_counters_read(run->ifname, &moved);
	recovery->went_back |= qualify_went_back(&before, &moved);
	qualify_counters_since(&moved, &before);
	failed = failures(&moved);
	qualify_counters_free(&before);
	qualify_counters_free(&moved);
	if (err)
		return err;
	put_result(row, &gap, failed, injected);
	if (failed && gap.again)
		qualify_put_pause(row, "gap_alloc", &gap, recovery);
	return 0;
}
