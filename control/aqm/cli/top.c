/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/clean.h"
#include "base/now.h"
#include "base/number.h"
#include "base/parse.h"

/* Kinds of values. */
enum kind {
	TEXT,
	NUMBER, /* printed as it is */
	COUNT, /* with separators */
	RATE, /* the same, per second */
	TIME, /* ns, shown in ms */
};

/* In the order of columns. In a narrow table the columns with the highest @spare are left out
 * first.
 */
static const struct {
	const char *title;
	int width;
	enum kind kind;
	unsigned int spare;
} columns[RXAQM_TOP_COLUMNS] = {
	{ "interface", -9, TEXT, 0 }, { "Q", 2, NUMBER, 0 },	{ "CPU", 3, NUMBER, 1 },
	{ "pps", 9, RATE, 0 },	      { "drop", 7, RATE, 0 },	{ "mark", 7, RATE, 0 },
	{ "would", 7, RATE, 0 },      { "exempt", 7, RATE, 3 }, { "low", 9, RATE, 3 },
	{ "drained", 7, RATE, 3 },    { "left", 7, RATE, 3 },	{ "q(ms)", 6, TIME, 0 },
	{ "p99(ms)", 7, TIME, 0 },    { "ACK", 7, RATE, 2 },	{ "CE", 7, RATE, 2 },
	{ "not-ECT", 7, RATE, 2 },    { "signal", 6, TEXT, 1 }, { "tgt(ms)", 7, TIME, 0 },
	{ "limit", 7, COUNT, 1 },     { "mode", -7, TEXT, 0 },
};
#define SPAREST 3

const char *const rxaqm_top_keys[RXAQM_TOP_COLUMNS + 1] = {
	"interface",	  "queue",  "cpu", "pps",	    "drop",	  "mark",
	"would",	  "exempt", "low", "polls_drained", "polls_left", "sojourn_p50_ns",
	"sojourn_p99_ns", "ack",    "ce",  "not_ect",	    "signal",	  "target_ns",
	"limit_pps",	  "mode",
};

bool rxaqm_top_is_rate(enum rxaqm_top_column column)
{
	return columns[column].kind == RATE;
}

static double rate(const struct rxaqm_top_row *row, enum rxaqm_stat stat)
{
	return rxaqm_look_rate(&row->before, &row->now, stat);
}

static void fill(struct rxaqm_top_row *row)
{
	const struct rxaqm_figures *now = &row->now;
	const __u64 *hist = now->queue.hist, *since = row->before.queue.hist;
	double *value = row->value;
	double low;

	row->ack_drop = rate(row, RXAQM_STAT_ACK_DROP);
	value[RXAQM_TOP_QUEUE] = now->number;
	value[RXAQM_TOP_CPU] = now->queue.cpu;
	value[RXAQM_TOP_PPS] = rate(row, RXAQM_STAT_PACKETS);
	value[RXAQM_TOP_DROP] = rate(row, RXAQM_STAT_DROP) + row->ack_drop;
	value[RXAQM_TOP_MARK] = rate(row, RXAQM_STAT_ECN_MARK) + rate(row, RXAQM_STAT_CE_MARK);
	value[RXAQM_TOP_WOULD] = rate(row, RXAQM_STAT_WOULD_DROP) +
				 rate(row, RXAQM_STAT_WOULD_ACK_DROP) +
				 rate(row, RXAQM_STAT_WOULD_ECN_MARK) +
				 rate(row, RXAQM_STAT_WOULD_CE_MARK);
	value[RXAQM_TOP_EXEMPT] = rate(row, RXAQM_STAT_OVER_EXEMPT);
	value[RXAQM_TOP_DRAINED] = rate(row, RXAQM_STAT_POLLS_DRAINED);
	value[RXAQM_TOP_LEFT] = rate(row, RXAQM_STAT_POLLS_LEFT);
	value[RXAQM_TOP_P50] = (double)rxaqm_hist_quantile_ns(hist, since, 500);
	value[RXAQM_TOP_P99] = (double)rxaqm_hist_quantile_ns(hist, since, 990);
	value[RXAQM_TOP_ACK] = rate(row, RXAQM_STAT_OVER_ACK);
	value[RXAQM_TOP_CE] = rate(row, RXAQM_STAT_OVER_CE) + rate(row, RXAQM_STAT_OVER_ECT0) +
			      rate(row, RXAQM_STAT_OVER_ECT1); /* ECN-capable packets */
	value[RXAQM_TOP_NOT_ECT] = rate(row, RXAQM_STAT_OVER_NOT_ECT);
	value[RXAQM_TOP_TARGET] = (double)now->target_ns;
	value[RXAQM_TOP_LIMIT] = (double)now->law.limit_pps;
	/* Packets are counted at the end of their poll, so this count may lag by one poll. */
	low = value[RXAQM_TOP_PPS] - value[RXAQM_TOP_EXEMPT] - value[RXAQM_TOP_ACK] -
	      value[RXAQM_TOP_CE] - value[RXAQM_TOP_NOT_ECT];
	value[RXAQM_TOP_LOW] = MAX(low, 0);
}

/* Take the figures of @queue of the interface called @name. */
static void take_row(struct rxaqm_top *top, const struct rxaqm_iface *iface, const char *name,
		     unsigned int queue)
{
	struct rxaqm_top_row *row = &top->row[iface->queue_base + queue];
	struct rxaqm_figures *now = &row->now;

	rxaqm_look_keep(&row->before, row->attached_ns, now);
	rxaqm_figures_take(top->state, iface, queue, rxaqm_now_ns(), now);
	/* There is nothing to compare with yet, or only values of another attachment. */
	if (row->attached_ns != iface->attached_ns)
		rxaqm_look_keep(&row->before, iface->attached_ns, now);
	row->attached_ns = iface->attached_ns;
	strcpy(row->interface, name);
	rxaqm_socket_look(iface, &now->queue, rxaqm_state_wait(top->state, iface, queue), NULL,
			  now->now_ns, &row->socket);
	fill(row);
	if (now->standing)
		rxaqm_overview_standing(&top->overview, name, queue, now->sojourn_ns,
					now->mode == RXAQM_MODE_NOW_ENFORCE);
	if (!top->all && rxaqm_figures_idle(now))
		top->nr_hidden++;
	/* An interface that was attached again meanwhile may come twice. */
	else if (top->nr_rows < RXAQM_MAX_QUEUES)
		top->shown[top->nr_rows++] = row;
}

const char *rxaqm_top_text(const struct rxaqm_top_row *row, enum rxaqm_top_column column)
{
	return column == RXAQM_TOP_IFACE  ? row->interface :
	       column == RXAQM_TOP_SIGNAL ? rxaqm_signal_now_names[row->now.signal] :
	       column == RXAQM_TOP_MODE	  ? rxaqm_mode_now_names[row->now.mode] :
					    NULL;
}

bool rxaqm_top_is_unknown(const struct rxaqm_top_row *row, enum rxaqm_top_column column)
{
	return (column == RXAQM_TOP_LIMIT && !row->now.law.holds) ||
	       (column == RXAQM_TOP_CPU && !row->now.polled);
}

/* 0: it does not stand; else its sojourn in ns, plus 1. */
static __u64 stood(const struct rxaqm_top_row *row)
{
	return row->now.standing ? 1 + row->now.sojourn_ns : 0;
}

/* Equal rows stay in the order of interface and queue. */
static int compare(const void *a, const void *b)
{
	const struct rxaqm_top_row *x = *(const struct rxaqm_top_row *const *)a;
	const struct rxaqm_top_row *y = *(const struct rxaqm_top_row *const *)b;

	if (stood(x) == stood(y))
		return (x > y) - (x < y);
	return stood(x) < stood(y) ? 1 : -1;
}

void rxaqm_top_take(struct rxaqm_top *top)
{
	const struct rxaqm_iface *iface;
	char name[RXAQM_IFNAMSIZ];
	unsigned int i;
	bool here;

	top->nr_rows = top->nr_hidden = 0;
	top->overview = (struct rxaqm_overview){};
	rxaqm_view_each(iface, top->state, top->ifname) {
		rxaqm_iface_name(iface, name, &here);
		rxaqm_overview_iface(&top->overview, iface->nr_queues,
				     rxaqm_status_unguarded(iface, here) ? name : NULL);
		for (i = 0; i < iface->nr_queues; i++)
			if (rxaqm_queue_shows(iface, rxaqm_state_queue(top->state, iface, i)))
				take_row(top, iface, name, i);
	}
	top->taken_ns = rxaqm_now_ns();
	qsort(top->shown, top->nr_rows, sizeof(top->shown[0]), compare);
}

static int width_of(const struct rxaqm_top *top, enum rxaqm_top_column column)
{
	int width = columns[column].width;
	unsigned int i;

	for (i = 0; column == RXAQM_TOP_IFACE && i < top->nr_rows; i++)
		width = MIN(width, -(int)strlen(top->shown[i]->interface));
	return width;
}

unsigned int rxaqm_top_fit(const struct rxaqm_top *top, unsigned int width,
			   enum rxaqm_top_column fitting[RXAQM_TOP_COLUMNS])
{
	unsigned int spare = SPAREST + 1, nr, used, i;

	do {
		spare--;
		for (i = nr = used = 0; i < RXAQM_TOP_COLUMNS; i++) {
			if (columns[i].spare > spare)
				continue;
			used += (unsigned int)abs(width_of(top, i)) + !!nr;
			fitting[nr++] = i;
		}
	} while (spare && used > width);
	return nr;
}

const char *rxaqm_top_cell(const struct rxaqm_top *top, enum rxaqm_top_column column,
			   const struct rxaqm_top_row *row, char buf[RXAQM_TOP_CELL])
{
	int width = width_of(top, column);
	char number[RXAQM_COUNTED_LEN];

	if (!row)
		snprintf(buf, RXAQM_TOP_CELL, "%*s", width, columns[column].title);
	else if (columns[column].kind == TEXT)
		snprintf(buf, RXAQM_TOP_CELL, "%*s", width, rxaqm_top_text(row, column));
	else if (rxaqm_top_is_unknown(row, column))
		snprintf(buf, RXAQM_TOP_CELL, "%*s", width, "-");
	else if (columns[column].kind == TIME)
		snprintf(buf, RXAQM_TOP_CELL, "%*.2f", width, row->value[column] / 1e6);
	else if (columns[column].kind == NUMBER)
		snprintf(buf, RXAQM_TOP_CELL, "%*.0f", width, row->value[column]);
	else
		snprintf(buf, RXAQM_TOP_CELL, "%*s", width,
			 rxaqm_counted(round(row->value[column]), number));
	rxaqm_clean(buf);
	return buf;
}

const char *rxaqm_top_socket(const struct rxaqm_top_row *row, char buf[RXAQM_TOP_CELL])
{
	char wait[RXAQM_DURATION_LEN] = "-";

	buf[0] = '\0';
	if (!rxaqm_socket_serves(&row->now.queue))
		return buf;
	if (row->socket.wait_state == RXAQM_WAIT_VALID)
		rxaqm_format_duration(row->socket.wait_ns, wait);
	snprintf(buf, RXAQM_TOP_CELL, ", xsk %s", wait);
	return buf;
}
