/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm hist: distribution of the sojourn times, drawn in text. */

#include <string.h>

#include "base/now.h"
#include "command/options.h"
#include "cli/cmd.h"

/* First and last bucket with packets, since the others need not be shown, and the most in one. */
struct shape {
	unsigned int first, last;
	__u64 most;
};

static struct shape shape_of(const struct rxaqm_queue *q)
{
	struct shape shape = { .first = RXAQM_HIST_BUCKETS };
	unsigned int i;

	for (i = 0; i < RXAQM_HIST_BUCKETS; i++) {
		if (!q->hist[i])
			continue;
		if (!shape.most)
			shape.first = i;
		shape.last = i;
		if (q->hist[i] > shape.most)
			shape.most = q->hist[i];
	}
	return shape;
}

static void print_bucket(struct rxaqm_out *out, const struct rxaqm_queue *q, unsigned int bucket,
			 __u64 most)
{
	unsigned int before = (unsigned int)strlen("    1234.5ms 1,234,567,890 |"), i;
	unsigned int bar = rxaqm_width() > before ? rxaqm_width() - before : 1;
	unsigned int width = (unsigned int)((double)q->hist[bucket] * bar / (double)most + 0.5);

	rxaqm_out_object(out, NULL);
	rxaqm_out_ns(out, "floor_ns", "    %8s ", rxaqm_hist_floor_ns(bucket));
	rxaqm_out_count(out, "packets", "%13s ", q->hist[bucket]);
	rxaqm_out_text(out, "|");
	for (i = 0; i < width && !out->json; i++)
		rxaqm_out_text(out, "#");
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}

static void print_queue(struct rxaqm_out *out, const struct rxaqm_figures *figures)
{
	const struct rxaqm_queue *q = &figures->queue;
	struct shape shape = shape_of(q);
	unsigned int i;

	rxaqm_out_object(out, NULL);
	rxaqm_figures_name_out(out, figures);
	rxaqm_out_count(out, "packets", ": %s packets", rxaqm_hist_packets(q->hist, NULL));
	rxaqm_out_ns(out, "sojourn_p50_ns", ", p50 %s", rxaqm_hist_quantile_ns(q->hist, NULL, 500));
	rxaqm_out_ns(out, "sojourn_p90_ns", ", p90 %s", rxaqm_hist_quantile_ns(q->hist, NULL, 900));
	rxaqm_out_ns(out, "sojourn_p99_ns", ", p99 %s", rxaqm_hist_quantile_ns(q->hist, NULL, 990));
	rxaqm_out_ns(out, "sojourn_p999_ns", ", p99.9 %s\n",
		     rxaqm_hist_quantile_ns(q->hist, NULL, 999));
	rxaqm_out_array(out, "buckets");
	for (i = shape.first; i <= shape.last; i++) {
		/* JSON has empty buckets, too; text has one line for several in a row. */
		if (out->json || q->hist[i])
			print_bucket(out, q, i, shape.most);
		else if (q->hist[i - 1])
			rxaqm_out_text(out, "         ...\n");
	}
	rxaqm_out_end(out);
	rxaqm_out_end(out);
}

struct args {
	bool all; /* queues */
};
static struct args args;

static void print_iface(struct rxaqm_out *out, const struct rxaqm_state *state,
			const struct rxaqm_iface *iface)
{
	struct rxaqm_figures figures;
	char name[RXAQM_IFNAMSIZ];
	unsigned int hidden = 0, i;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "interface", "%s: packets by the time they stood (from, packets)\n",
		      rxaqm_iface_name(iface, name, NULL));
	rxaqm_out_array(out, "queues");
	for (i = 0; i < iface->nr_queues; i++) {
		if (!rxaqm_queue_shows(iface, rxaqm_state_queue(state, iface, i)))
			continue;
		rxaqm_figures_take(state, iface, i, rxaqm_now_ns(), &figures);
		if (out->json || args.all || !rxaqm_figures_idle(&figures))
			print_queue(out, &figures);
		else
			hidden++;
	}
	rxaqm_hidden_print(out, hidden);
	rxaqm_out_end(out);
	rxaqm_out_end(out);
}

static const struct rxaqm_option hist_options[] = {
	{ "all", 'a', NULL, "Idle queues, too", RXAQM_FLAG(all) },
	{ 0 },
};

int rxaqm_cmd_hist(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm hist",
		.args = "[IFACE]",
		.help = "Show the distribution of sojourn times since attach.",
		.options = hist_options,
		.max_words = 1,
	};

	return rxaqm_view_print(call, "hist", *rxaqm_options_read(&command, argc, argv, &args),
				print_iface);
}
