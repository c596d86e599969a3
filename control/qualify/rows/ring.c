/* SPDX-License-Identifier: GPL-2.0-only */
/* Q9, Q16: what a ring holds, how fast it is drained, and what tells of the rest. */
#include <math.h>
#include <string.h>

#include "qualify/measure/counters.h"
#include "qualify/rows/parts.h"

#define ROUNDS 3
#define DEPTH_MAX 30000
#define REFRESH_MS 1100 /* drivers refresh their counters each second */
/* A counter tells of losses that counts one in so many, or so many for one. */
#define TELLS_FROM 100.0

__u32 qualify_overflowing(const struct qualify_run *run)
{
	__u32 ring = run->ring ? run->ring : 4096;

	return 2 * ring + 1024 > DEPTH_MAX ? DEPTH_MAX : 2 * ring + 1024;
}

struct taken {
	struct qualify_samples depth, pps;
	bool all; /* of a round: nothing was lost, so there was room for more */
};

static int drain(struct qualify_run *run, __u32 size, bool drop, struct taken *taken)
{
	struct qualify_backlog backlog;
	int err = 0, i;

	for (i = 0; !err && i < ROUNDS; i++) {
		struct qualify_send send = QUALIFY_SEND(.count = qualify_overflowing(run),
							.size = size);

		err = qualify_backlog(run, &send, drop, &backlog);
		if (err)
			break;
		/* With the frame that held the CPU. */
		qualify_samples_add(&taken->depth, (double)backlog.held + 1);
		taken->all |= backlog.held == backlog.sent;
		if (!isnan(backlog.drain_pps))
			qualify_samples_add(&taken->pps, backlog.drain_pps);
	}
	return err;
}

/* What to do about it; @nr were sent. */
static void not_overrun(struct qualify_row *row, double nr)
{
	qualify_unknown(row,
			"none of %.0f frames sent while the receiving CPU was held was lost: needs a "
			"peer that can send more then (ethtool -G tx; its interrupts on another CPU), "
			"and no flow control (ethtool -A)",
			nr);
}

void qualify_put_entries(const struct qualify_run *run, struct qualify_row *row)
{
	if (run->ring)
		qualify_put_number(row, "ring_entries", "packets", run->ring, 1, 0, "%s",
				   run->facts.ring ? "ethtool -g" : "the NIC's profile");
}

static void put_depth(const struct qualify_run *run, struct qualify_row *row, struct taken *taken)
{
	double most;

	qualify_samples_sort(&taken->depth);
	most = qualify_samples_quantile(&taken->depth, 1);
	qualify_put_number(row, taken->all ? "depth_at_least" : "depth", "packets", most,
			   taken->depth.nr, 1,
			   "frames in a row that came after XDP had held the CPU, most of %d%s",
			   ROUNDS, taken->all ? "; all that were sent did" : "");
	if (taken->all)
		not_overrun(row, most);
	qualify_put_entries(run, row);
}

int qualify_row_ring(struct qualify_run *run, struct qualify_row *row)
{
	static const struct {
		const char *name;
		bool mtu, drop;
	} ways[] = { { "drain_drop", false, true },
		     { "drain_pass", false, false },
		     { "drain_drop_mtu", true, true } };
	__u32 mtu_size = run->record->mtu + ETH_HLEN;
	struct taken taken[3] = {};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < 3; i++)
		err = drain(run, ways[i].mtu ? mtu_size : 0, ways[i].drop, &taken[i]);
	if (!err)
		put_depth(run, row, &taken[0]);
	for (i = 0; !err && i < 3; i++)
		qualify_figure_samples(
			qualify_figure_add(row, ways[i].name, "pps",
					   "a full ring of frames of %u bytes, by when XDP (%s) saw "
					   "each; XDP_%s",
					   ways[i].mtu ? mtu_size : QUALIFY_FRAME_MIN,
					   run->probe.native ? "native" : "generic",
					   ways[i].drop ? "DROP" :
							  "PASS, then dropped at tc ingress"),
			&taken[i].pps, NAN);
	for (i = 0; i < 3; i++) {
		qualify_samples_free(&taken[i].depth);
		qualify_samples_free(&taken[i].pps);
	}
	if (!err)
		err = qualify_put_drain_xsk(run, row, qualify_overflowing(run));
	return err ?: qualify_put_gaps(run, row);
}

static bool has_one_of(const char *name, const char *const *words)
{
	for (; *words; words++) {
		if (strcasestr(name, *words))
			return true;
	}
	return false;
}

/* How far from what was lost a counter of that name may be, as the logarithm of their ratio: those
 * that are called after losses may tell of some of them only, others must agree, and some are of
 * other things.
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

/* A ring that was held was overrun, or not quite filled: who counted what? */
struct counted {
	struct qualify_counters moved;
	__u64 came, lost;
};

/* What of @overrun is nearest to what was lost, by ratio, and did not move while nothing was; that
 * of the whole device before that of a queue.
 */
static const struct qualify_counter *teller(const struct counted *overrun,
					    const struct counted *quiet)
{
	double lost = (double)overrun->lost, off, best_off = INFINITY;
	const struct qualify_counter *best = NULL;
	size_t i;

	for (i = 0; i < overrun->moved.list.nr; i++) {
		const struct qualify_counter *counter = &overrun->moved.list.at[i];
		__u64 idle = qualify_counter(&quiet->moved, counter->name);

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
	const struct qualify_counter *best = lost ? teller(overrun, quiet) : NULL;
	double received = (double)qualify_counter(&overrun->moved, "rtnl rx_packets");
	char method[] = "a ring that was held was overrun; counters before and after";

	qualify_put_number(row, "lost", "packets", (double)lost, lost + came, 0, "%s", method);
	qualify_put_words(row, "counter",
			  "nearest to what was lost, and still while the ring was held and not "
			  "overrun",
			  "%s%s", best ? best->name : "none", lost ? "" : ": nothing was lost");
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
	qualify_put_words(row, "xdp_drops_counted", "rx_packets of the link", "%s",
			  received >= 0.9 * (double)came ? "yes" : "no");
}

/* @send to a ring that is held, and nothing else in between the counters. */
static int count_while(struct qualify_run *run, struct qualify_send *send, struct counted *counted,
		       struct qualify_backlog *backlog)
{
	struct qualify_counters before;
	int err = -ETIMEDOUT, i;

	for (i = 0; err == -ETIMEDOUT && i < QUALIFY_BACKLOG_TRIES && !*run->stop; i++) {
		qualify_counters_free(&counted->moved);
		qualify_sleep_ms(run, REFRESH_MS);
		qualify_counters_read(run->ifname, &before);
		err = qualify_backlog_once(run, send, true, backlog);
		qualify_sleep_ms(run, REFRESH_MS);
		qualify_counters_read(run->ifname, &counted->moved);
		qualify_counters_since(&counted->moved, &before);
		qualify_counters_free(&before);
	}
	/* With the frame that held it. */
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
		not_overrun(row, (double)overrun.came);
	qualify_counters_free(&overrun.moved);
	qualify_counters_free(&quiet.moved);
	return err;
}
