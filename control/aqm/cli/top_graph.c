/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/top_graph.h"

#include <curses.h>
#include <sys/param.h>

#include "base/parse.h"

#define AXIS 9 /* characters left of it */

/* Columns and their looks: the first column has the looks [first, first + each), and so on. */
struct span {
	__u64 first;
	unsigned int each, nr;
};

static struct span span_of(const struct rxaqm_top *top, const struct rxaqm_top_row *row)
{
	unsigned int width = (unsigned int)MAX(COLS - AXIS - 1, 1), looks = 0, i;
	struct span span;

	for (i = 0; i < RXAQM_TOP_PAST; i++)
		looks += row->past[i].look != 0;
	span.each = (looks + width - 1) / width;
	span.each = MAX(span.each, 1);
	/* A look stays in its column while the column moves to the left. */
	span.first = (top->look - looks + 1) / span.each * span.each;
	span.nr = (unsigned int)((top->look - span.first) / span.each) + 1;
	if (span.nr > width) {
		span.first += span.each;
		span.nr = width;
	}
	return span;
}

/* The worst of the looks in @column. */
static struct rxaqm_top_past worst(const struct rxaqm_top_row *row, const struct span *span,
				   unsigned int column)
{
	struct rxaqm_top_past worst = {};
	unsigned int i;

	for (i = 0; i < span->each; i++) {
		__u64 look = span->first + column * span->each + i;
		const struct rxaqm_top_past *past = &row->past[look % RXAQM_TOP_PAST];

		if (past->look != look)
			continue;
		worst.p50_ns = MAX(worst.p50_ns, past->p50_ns);
		worst.p99_ns = MAX(worst.p99_ns, past->p99_ns);
	}
	return worst;
}

/* The smallest number of at least @ns that is 1, 2 or 5 times a power of ten. */
static __u64 round_up(__u64 ns)
{
	__u64 power = 1;

	while (power * 10 < ns)
		power *= 10;
	return ns <= power     ? power :
	       ns <= 2 * power ? 2 * power :
	       ns <= 5 * power ? 5 * power :
				 10 * power;
}

static void draw_head(const struct rxaqm_top_row *row)
{
	char text[256];

	snprintf(text, sizeof(text), "%s queue %u: median %s, p99 %s, target %s, %s%s",
		 row->interface, row->now.number, rxaqm_duration((__u64)row->value[RXAQM_TOP_P50]),
		 rxaqm_duration((__u64)row->value[RXAQM_TOP_P99]),
		 rxaqm_duration(row->now.target_ns), rxaqm_mode_now_names[row->now.mode],
		 row->now.standing ? ", standing" : "");
	attron(A_BOLD);
	mvaddnstr(0, 0, text, COLS);
	attroff(A_BOLD);
}

static char cell(const struct rxaqm_top_past *past, __u64 target_ns, __u64 low_ns, __u64 high_ns)
{
	if (past->p50_ns > low_ns)
		return '#';
	if (past->p99_ns > low_ns)
		return ':';
	return target_ns > low_ns && target_ns <= high_ns ? '-' : ' ';
}

void rxaqm_top_graph(const struct rxaqm_top *top, const struct rxaqm_top_row *row,
		     __u64 interval_ns)
{
	int height = MAX(LINES - 4, 1), y;
	struct span span = span_of(top, row);
	__u64 target_ns = row->now.target_ns, most_ns = 0;
	unsigned int width = (unsigned int)MAX(COLS - AXIS - 1, 1), i;

	draw_head(row);
	for (i = 0; i < span.nr; i++)
		most_ns = MAX(most_ns, worst(row, &span, i).p99_ns);
	/* Show the target, unless it is far above the values. */
	if (target_ns < 4 * most_ns)
		most_ns = MAX(most_ns, target_ns + target_ns / 4);
	most_ns = round_up(most_ns ?: target_ns);
	for (y = 0; y < height; y++) {
		__u64 low_ns = most_ns * (__u64)(height - 1 - y) / (__u64)height;
		__u64 high_ns = most_ns * (__u64)(height - y) / (__u64)height;

		/* At the quarters; the largest value in the first line. */
		if (!y || y * 4 / height != (y - 1) * 4 / height)
			mvprintw(1 + y, 0, "%8s",
				 rxaqm_duration(most_ns * (__u64)(4 - y * 4 / height) / 4));
		mvaddch(1 + y, AXIS - 1, '|');
		for (i = 0; i < width; i++) {
			struct rxaqm_top_past past = {};

			/* The newest is on the right. */
			if (i >= width - span.nr)
				past = worst(row, &span, i - (width - span.nr));
			mvaddch(1 + y, AXIS + (int)i,
				(chtype)cell(&past, target_ns, low_ns, high_ns));
		}
	}
	mvhline(1 + height, AXIS - 1, '-', MAX(COLS - AXIS, 0));
	mvprintw(2 + height, AXIS, "%s ago ... now, a column is %s",
		 rxaqm_duration(interval_ns * span.each * span.nr),
		 rxaqm_format_duration(interval_ns * span.each, (char[RXAQM_DURATION_LEN]){ "" }));
	mvaddnstr(3 + height, 0,
		  "# median  : 99th percentile  - target    up, down: another queue"
		  "  Esc: back",
		  COLS);
}
