/* SPDX-License-Identifier: GPL-2.0-only */
/* Q9: how many packets a ring holds, and how fast it is drained. */
#include <math.h>

#include "qualify/rows/backlog.h"
#include "qualify/rows/gap.h"
#include "qualify/rows/traffic.h"

#define ROUNDS 3

struct taken {
	struct qualify_samples depth, pps;
	bool all; /* in some round nothing was lost: the ring may hold more */
};

static int drain(struct qualify_run *run, bool drop, struct taken *taken)
{
	struct qualify_backlog backlog;
	int err = 0, i;

	for (i = 0; !err && i < ROUNDS; i++) {
		struct qualify_send send = QUALIFY_SEND(.count = qualify_overflowing(run));

		err = qualify_backlog(run, &send, drop, &backlog);
		if (err)
			break;
		/* Plus the frame that held the CPU. */
		qualify_samples_add(&taken->depth, (double)backlog.held + 1);
		taken->all |= backlog.held == backlog.sent;
		if (!isnan(backlog.drain_pps))
			qualify_samples_add(&taken->pps, backlog.drain_pps);
	}
	return err;
}

static void put_depth(const struct qualify_run *run, struct qualify_row *row, struct taken *taken)
{
	double most;

	qualify_samples_sort(&taken->depth);
	most = qualify_samples_quantile(&taken->depth, 1);
	qualify_put_number(row, taken->all ? "depth_at_least" : "depth", "packets", most,
			   taken->depth.nr, 1,
			   "frames that came without a gap after XDP had held the CPU, the most of %d "
			   "rounds%s",
			   ROUNDS, taken->all ? "; all that were sent came" : "");
	if (taken->all)
		qualify_not_overrun(row, most);
	qualify_put_entries(run, row);
}

int qualify_row_ring(struct qualify_run *run, struct qualify_row *row)
{
	static const struct {
		const char *name;
		bool drop;
	} ways[] = { { "drain_drop", true }, { "drain_pass", false } };
	struct taken taken[2] = {};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < 2; i++)
		err = drain(run, ways[i].drop, &taken[i]);
	if (!err)
		put_depth(run, row, &taken[0]);
	for (i = 0; !err && i < 2; i++)
		qualify_figure_samples(
			qualify_figure_add(row, ways[i].name, "pps",
					   "a full ring of frames of %u bytes, by when XDP (%s) saw "
					   "each; XDP_%s",
					   QUALIFY_FRAME_MIN,
					   run->probe.native ? "native" : "generic",
					   ways[i].drop ? "DROP" :
							  "PASS, then dropped at tc ingress"),
			&taken[i].pps, NAN);
	for (i = 0; i < 2; i++) {
		qualify_samples_free(&taken[i].depth);
		qualify_samples_free(&taken[i].pps);
	}
	return err ?: qualify_put_gaps(run, row);
}
