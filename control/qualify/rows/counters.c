/* SPDX-License-Identifier: GPL-2.0-only */
/* Q16: which counter, of the kernel or of the driver, shows lost packets. */
#include <linux/if_link.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nic/ethtool.h"
#include "nic/nic.h"
#include "qualify/rows/backlog.h"
#include "qualify/rows/traffic.h"

#define REFRESH_MS 1100 /* drivers refresh their counters each second */
/* A counter shows losses if it is within this factor of them, up or down. */
#define TELLS_FROM 100.0

struct counter {
	char name[64]; /* "rtnl rx_packets", "ethtool rx_missed" */
	__u64 value;
};

/* All that the kernel and the driver have of an interface; to be freed. */
struct counters {
	RXAQM_LIST(struct counter) list;
};

static void add_counter(struct counters *counters, const char *from, const char *name, __u64 value)
{
	struct counter *counter = rxaqm_list_add(&counters->list);

	if (!counter)
		return;
	snprintf(counter->name, sizeof(counter->name), "%s %.48s", from, name);
	counter->value = value;
}

static void read_link(const char *ifname, struct counters *counters)
{
	struct rtnl_link_stats64 stats;
	const __u64 *value = (const __u64 *)&stats;
	size_t i;

	if (rxaqm_link_stats(ifname, &stats))
		return;
	for (i = 0; i < RXAQM_LINK_STATS; i++)
		add_counter(counters, "rtnl", rxaqm_link_stat_names[i], value[i]);
}

static void take_ethtool(const char *name, __u64 value, void *counters)
{
	add_counter(counters, "ethtool", name, value);
}

static void read_counters(const char *ifname, struct counters *counters)
{
	*counters = (struct counters){};
	read_link(ifname, counters);
	rxaqm_ethtool_stats(ifname, take_ethtool, counters);
}

static void free_counters(struct counters *counters)
{
	free(counters->list.at);
	*counters = (struct counters){};
}

/* ~0: no counter of this name. */
static __u64 value_of(const struct counters *counters, const char *name)
{
	const struct counter *counter;

	counter = rxaqm_list_find(counter, &counters->list, !strcmp(counter->name, name));
	return counter ? counter->value : ~0ULL;
}

/* Replace each counter that is in both by its rise since @before. */
static void counters_since(struct counters *counters, const struct counters *before)
{
	size_t i;

	for (i = 0; i < counters->list.nr; i++) {
		struct counter *counter = &counters->list.at[i];
		/* In the same order, unless their number changed; names may be there twice. */
		__u64 then = i < before->list.nr &&
					     !strcmp(before->list.at[i].name, counter->name) ?
				     before->list.at[i].value :
				     value_of(before, counter->name);

		counter->value = then == ~0ULL ? 0 : counter->value - then;
	}
}

static bool has_one_of(const char *name, const char *const *words)
{
	for (; *words; words++) {
		if (strcasestr(name, *words))
			return true;
	}
	return false;
}

/* How far a counter of that name may be from the real loss, as the logarithm of their ratio. One
 * named after losses may count only some of them; others must agree; some count other things.
 */
static double may_differ(const char *name)
{
	static const char *const other[] = { "bytes", "tx", "_ns", "poll", "xdp", NULL };
	static const char *const loss[] = { "drop",   "miss",	"err",	"over", "discard",
					    "fifo",   "no_buf", "lost", "no_d", "oob",
					    "nodesc", "out_of", "ovf",	NULL };
	static const char *const traffic[] = { "packets", "pkts", "frames", NULL };

	if (has_one_of(name, other))
		return 0;
	return has_one_of(name, loss) ? log(TELLS_FROM) : has_one_of(name, traffic) ? 0 : 0.1;
}

/* What happened while the ring was held: it was overrun, or not quite filled. */
struct counted {
	struct counters moved;
	__u64 came, lost;
};

/* The counter in @overrun that is nearest to the loss, by ratio, and was still while nothing was
 * lost. A device's counter goes before a queue's.
 */
static const struct counter *teller(const struct counted *overrun, const struct counted *quiet)
{
	double lost = (double)overrun->lost, off, best_off = INFINITY;
	const struct counter *best = NULL, *counter;

	rxaqm_list_each(counter, &overrun->moved.list) {
		__u64 idle = value_of(&quiet->moved, counter->name);

		if (!counter->value || (idle != ~0ULL && idle > 2 * quiet->lost + quiet->came / 10))
			continue;
		off = fabs(log((double)counter->value / lost));
		if (off < best_off && off < may_differ(counter->name)) {
			best_off = off;
			best = counter;
		}
	}
	return best;
}

static void put_counters(struct qualify_row *row, const struct counted *overrun,
			 const struct counted *quiet)
{
	__u64 lost = overrun->lost, came = overrun->came;
	const struct counter *best = lost ? teller(overrun, quiet) : NULL;
	double received = (double)value_of(&overrun->moved, "rtnl rx_packets");
	char method[] = "counters before and after a ring that was held was overrun";

	qualify_put_number(row, "lost", "packets", (double)lost, lost + came, 0, "%s", method);
	qualify_figure_detail(
		qualify_figure_add(
			row, "counter", "",
			"nearest to the loss; it did not rise while the ring was held and not overrun"),
		best ? best->name : "none", "%s", lost ? "" : "nothing was lost");
	if (lost)
		qualify_put_number(row, "lost_counted", "share",
				   best ? fmin((double)best->value / (double)lost, 1) : 0, lost,
				   1 / (double)lost, "%s", method);
	if (best)
		qualify_put_number(row, "overcounted", "share",
				   fmax((double)best->value / (double)lost - 1, 0), lost,
				   10 / (double)lost, "%s", method);
	qualify_put_number(row, "received_counted", "share", fmin(received / (double)came, 1), came,
			   10 / (double)came, "rx_packets of the link over what XDP dropped");
}

/* @send to a held ring; nothing else happens between the counters. */
static int count_while(struct qualify_run *run, struct qualify_send *send, struct counted *counted,
		       struct qualify_backlog *backlog)
{
	struct counters before;
	int err = -ETIMEDOUT, i;

	for (i = 0; err == -ETIMEDOUT && i < QUALIFY_BACKLOG_TRIES && !*run->stop; i++) {
		free_counters(&counted->moved);
		qualify_sleep_ms(run, REFRESH_MS);
		read_counters(run->ifname, &before);
		err = qualify_backlog_once(run, send, true, backlog);
		qualify_sleep_ms(run, REFRESH_MS);
		read_counters(run->ifname, &counted->moved);
		counters_since(&counted->moved, &before);
		free_counters(&before);
	}
	/* Plus the frame that held it. */
	counted->came = backlog->came + 1;
	counted->lost = backlog->sent - backlog->came;
	return err;
}

int qualify_row_counters(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_send send = QUALIFY_SEND(.count = qualify_overflowing(run));
	struct counted overrun = {}, quiet = {};
	struct qualify_backlog backlog = {};
	int err = count_while(run, &send, &overrun, &backlog);

	if (!err) {
		send = QUALIFY_SEND(.count = (__u32)backlog.held / 2 + 1);
		err = count_while(run, &send, &quiet, &backlog);
	}
	if (!err)
		put_counters(row, &overrun, &quiet);
	if (!err && !overrun.lost)
		qualify_not_overrun(row, (double)overrun.came);
	free_counters(&overrun.moved);
	free_counters(&quiet.moved);
	return err;
}
