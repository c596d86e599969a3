/* SPDX-License-Identifier: GPL-2.0-only */
/* Q9: what a ring holds, and how fast it is drained. */
#include <math.h>
#include <string.h>

#include "qualify/rows/traffic.h"

#define ROUNDS 3
#define DEPTH_MAX 30000

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

void qualify_not_overrun(struct qualify_row *row, double nr)
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
		qualify_not_overrun(row, most);
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
