/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/top.h"

#include <string.h>

#include "base/clean.h"
#include "base/now.h"
#include "report/flows.h"

/* Of @queue of the interface called @name. */
static const struct rxaqm_top_row *take_row(struct rxaqm_top *top, const struct rxaqm_iface *iface,
					    const char *name, unsigned int queue)
{
	struct rxaqm_top_row *row = &top->row[iface->queue_base + queue];
	struct rxaqm_figures *now = &row->now;
	__u64 before_ns = now->now_ns;

	row->before = now->queue;
	rxaqm_figures_take(top->state, iface, queue, rxaqm_now_ns(), now);
	row->seconds = (double)(now->now_ns - before_ns) / 1e9;
	/* Nothing to compare with yet, or what was before another attachment's. */
	if (row->attached_ns != iface->attached_ns) {
		row->before = now->queue;
		row->seconds = 0;
	}
	row->attached_ns = iface->attached_ns;
	strcpy(row->interface, name);
	rxaqm_socket_look(iface, &now->queue, rxaqm_state_wait(top->state, iface, queue), NULL,
			  now->now_ns, &row->socket);
	return row;
}

void rxaqm_top_take(struct rxaqm_top *top)
{
	const struct rxaqm_iface *iface;
	char name[RXAQM_IFNAMSIZ];
	unsigned int i;

	top->nr_rows = 0;
	top->rows_left_out = false;
	rxaqm_view_each(iface, top->state, top->ifname) {
		rxaqm_iface_name(iface, name, NULL);
		for (i = 0; i < iface->nr_queues; i++) {
			if (!rxaqm_queue_shows(iface, rxaqm_state_queue(top->state, iface, i)))
				continue;
			if (top->nr_rows < RXAQM_TOP_ROWS)
				top->shown[top->nr_rows++] = take_row(top, iface, name, i);
			else
				top->rows_left_out = true;
		}
	}
	top->taken_ns = rxaqm_now_ns();
}

static double rate(const struct rxaqm_top_row *row, enum rxaqm_stat stat)
{
	__u64 more = row->now.queue.stat[stat] - row->before.stat[stat];

	return row->seconds > 0 ? (double)more / row->seconds : 0;
}

/* A counter and its shadow in observe mode; only one of the two moves at a time. */
#define rate_or_would(row, stat) (rate(row, RXAQM_STAT_##stat) + rate(row, RXAQM_STAT_WOULD_##stat))

/* From which width on a column is there no more. */
enum {
	WAYS = 1,
	CLASSES,
	MACHINE = RXAQM_TOP_NARROWEST
};

const char *rxaqm_top_header(unsigned int width)
{
	static const struct {
		const char *title; /* as wide as the column */
		unsigned int until;
	} columns[] = {
		{ "interface      ", ~0U }, { "  Q", ~0U },	     { " CPU", MACHINE },
		{ "     pps", ~0U },	    { "   drop", ~0U },	     { "   mark", ~0U },
		{ "   expt", WAYS },	    { "      lo", WAYS },    { "    NAPI", WAYS },
		{ "   busy", WAYS },	    { "   q(ms)", ~0U },     { " p99(ms)", ~0U },
		{ "     ACK", CLASSES },    { "      CE", CLASSES }, { "    nECT", CLASSES },
		{ " signal", MACHINE },	    { " tgt(ms)", ~0U },     { "  limit", ~0U },
		{ " mode", ~0U },
	};
	static char header[RXAQM_TOP_LINE];
	size_t i;

	header[0] = '\0';
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (width < columns[i].until)
			strcat(header, columns[i].title);
	return header;
}

/* @fmt of a column that is there up to @until. */
static const char *column(unsigned int width, unsigned int until, const char *fmt)
{
	return width < until ? fmt : NULL;
}

static void ms_out(struct rxaqm_out *out, const char *key, const char *fmt, __u64 ns)
{
	rxaqm_out_u64(out, key, NULL, ns);
	if (!out->json)
		fprintf(out->file, fmt, (double)ns / 1e6);
}

void rxaqm_top_out(const struct rxaqm_top_row *row, unsigned int width,
		   const struct rxaqm_top *flows_of, struct rxaqm_out *out)
{
	const struct rxaqm_figures *now = &row->now;
	const struct rxaqm_queue *q = &now->queue;
	double pps = rate(row, RXAQM_STAT_PACKETS);
	double exempt = rate(row, RXAQM_STAT_OVER_EXEMPT);
	double ack = rate(row, RXAQM_STAT_OVER_ACK);
	double ack_drop = rate_or_would(row, ACK_DROP);
	double nect = rate(row, RXAQM_STAT_OVER_NECT);
	double ce = rate(row, RXAQM_STAT_OVER_CE) + rate(row, RXAQM_STAT_OVER_ECT0) +
		    rate(row, RXAQM_STAT_OVER_ECT1); /* ECN-capable packets */
	/* Packets are counted at the end of their poll, so they may lag behind by one. */
	double low = pps - exempt - ack - ce - nect;
	bool served = rxaqm_socket_serves(q);

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "interface", "%-15s", row->interface);
	rxaqm_out_u64(out, "queue", " %2llu", now->number);
	rxaqm_out_u64(out, "cpu", column(width, MACHINE, " %3llu"), q->cpu);
	rxaqm_out_double(out, "pps", " %7.0f", pps);
	rxaqm_out_double(out, "drop", " %6.0f", rate_or_would(row, DROP) + ack_drop);
	rxaqm_out_double(out, "ack_drop", NULL, ack_drop);
	rxaqm_out_double(out, "mark", " %6.0f",
			 rate_or_would(row, ECN_MARK) + rate_or_would(row, CE_MARK));
	rxaqm_out_double(out, "exempt", column(width, WAYS, " %6.0f"), exempt);
	rxaqm_out_double(out, "low", column(width, WAYS, " %7.0f"), low > 0 ? low : 0);
	rxaqm_out_double(out, "polls_drained", column(width, WAYS, " %7.0f"),
			 rate(row, RXAQM_STAT_POLLS_DRAINED));
	rxaqm_out_double(out, "polls_busy", column(width, WAYS, " %6.0f"),
			 rate(row, RXAQM_STAT_POLLS_BUSY));
	rxaqm_out_u64(out, "sojourn_ns", NULL, now->sojourn_ns);
	if (now->sampled)
		rxaqm_out_u64(out, "sample_sojourn_ns", NULL, q->sample_sojourn_ns);
	ms_out(out, "sojourn_p50_ns", " %7.2f",
	       rxaqm_hist_quantile_ns(q->hist, row->before.hist, 500));
	ms_out(out, "sojourn_p99_ns", " %7.2f",
	       rxaqm_hist_quantile_ns(q->hist, row->before.hist, 990));
	rxaqm_out_double(out, "ack", column(width, CLASSES, " %7.0f"), ack);
	rxaqm_out_double(out, "ce", column(width, CLASSES, " %7.0f"), ce);
	rxaqm_out_double(out, "nect", column(width, CLASSES, " %7.0f"), nect);
	rxaqm_out_str(out, "signal", column(width, MACHINE, " %-6s"),
		      rxaqm_signal_now_names[now->signal]);
	ms_out(out, "target_ns", " %7.2f", now->target_ns);
	rxaqm_out_u64(out, "limit_pps", NULL, now->law.limit_pps);
	if (now->law.holds)
		rxaqm_out_text(out, " %6llu", now->law.limit_pps);
	else
		rxaqm_out_text(out, " %6s", "-");
	rxaqm_out_str(out, "mode", " %s", rxaqm_mode_now_names[now->mode]);
	rxaqm_out_bool(out, "standing", NULL, NULL, now->standing);
	/* Behind the mode: how long packets wait for the consumer of the socket. */
	rxaqm_out_bool(out, "socket", ", xsk", NULL, served);
	if (served && row->socket.wait_state == RXAQM_WAIT_VALID)
		ms_out(out, "socket_wait_ns", " %.2f ms", row->socket.wait_ns);
	else if (served)
		rxaqm_out_text(out, " -");
	if (flows_of) {
		rxaqm_out_text(out, "\n");
		rxaqm_flows_out(out, flows_of->state, (unsigned int)(row - flows_of->row), q, true);
	}
	rxaqm_out_end(out);
}

const char *rxaqm_top_line(const struct rxaqm_top_row *row, unsigned int width,
			   char buf[RXAQM_TOP_LINE])
{
	FILE *file = fmemopen(buf, RXAQM_TOP_LINE, "w");
	struct rxaqm_out out;

	buf[0] = '\0';
	if (!file)
		return buf;
	rxaqm_out_open(&out, file, false);
	rxaqm_top_out(row, width, NULL, &out);
	fclose(file);
	rxaqm_clean(buf);
	return buf;
}
