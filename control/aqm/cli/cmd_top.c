/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm top: a table that is drawn anew on a terminal, else one line per queue and interval. */
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "base/now.h"
#include "base/parse.h"
#include "command/options.h"
#include "cli/top.h"
#include "report/flows.h"

struct args {
	__u64 count;
	__u64 interval_ns;
	const char *columns; /* as typed */
	bool all; /* queues */
	bool no_headings;
	bool plain;
	bool flows;
};

static const struct rxaqm_option top_options[] = {
	{ "count", 'n', "COUNT", "Stop after COUNT intervals", RXAQM_NUMBER(count, 1, 1000000000) },
	{ "interval", 'i', "DURATION", "Length of an interval, 10ms to 1m (default 1s)",
	  RXAQM_DURATION(interval_ns, 10 * RXAQM_NSEC_PER_MSEC, 60 * RXAQM_NSEC_PER_SEC) },
	{ "output", 'o', "LIST", "Show only these columns, named as in JSON: interface,queue,pps",
	  RXAQM_WORD(columns) },
	{ "all", 'a', NULL, "Idle queues, too", RXAQM_FLAG(all) },
	{ "noheadings", 0, NULL, "Print lines without headings", RXAQM_FLAG(no_headings) },
	{ "plain", 'p', NULL, "Print lines on a terminal, too, one after the other",
	  RXAQM_FLAG(plain) },
	{ "flows", 0, NULL, "Print lines, with the largest flows of each queue that stands",
	  RXAQM_FLAG(flows) },
	{ 0 },
};

static int read_columns(struct rxaqm_top *top, const char *list, struct rxaqm_error *error)
{
	char item[RXAQM_ITEM_LEN];
	unsigned int i;

	while (list) {
		list = rxaqm_parse_item(list, item);
		for (i = 0; i < RXAQM_TOP_COLUMNS && strcmp(item, rxaqm_top_keys[i]); i++)
			;
		if (i == RXAQM_TOP_COLUMNS)
			return rxaqm_key_unknown("column", item, NULL, rxaqm_top_keys,
						 "\"rxaqm top -j\" has their keys", error);
		if (top->nr_columns == RXAQM_TOP_COLUMNS)
			return rxaqm_bad(error, "--output: more columns than there are");
		top->column[top->nr_columns++] = i;
	}
	return 0;
}

static void print_json(const struct rxaqm_top *top, const struct rxaqm_top_row *row, bool flows,
		       struct rxaqm_out *out)
{
	const struct rxaqm_figures *now = &row->now;
	const struct rxaqm_queue *q = &now->queue;
	unsigned int i;

	rxaqm_out_object(out, NULL);
	for (i = 0; i < RXAQM_TOP_COLUMNS; i++) {
		const char *key = rxaqm_top_keys[i];

		if (rxaqm_top_text(row, i))
			rxaqm_out_str(out, key, NULL, rxaqm_top_text(row, i));
		else if (rxaqm_top_is_rate(i))
			rxaqm_out_double(out, key, NULL, row->value[i]);
		else if (rxaqm_top_is_unknown(row, i))
			rxaqm_out_null(out, key, NULL);
		else
			rxaqm_out_u64(out, key, NULL, (__u64)row->value[i]);
	}
	rxaqm_out_double(out, "ack_drop", NULL, row->ack_drop);
	rxaqm_out_u64(out, "sojourn_ns", NULL, now->sojourn_ns);
	if (now->sampled)
		rxaqm_out_u64(out, "sample_sojourn_ns", NULL, q->sample_sojourn_ns);
	rxaqm_out_bool(out, "standing", NULL, NULL, now->standing);
	rxaqm_out_bool(out, "socket", NULL, NULL, rxaqm_socket_serves(q));
	if (rxaqm_socket_serves(q) && row->socket.wait_state == RXAQM_WAIT_VALID)
		rxaqm_out_u64(out, "socket_wait_ns", NULL, row->socket.wait_ns);
	if (flows)
		rxaqm_flows_out(out, top->state, (unsigned int)(row - top->row), q);
	rxaqm_out_end(out);
}

/* Print a line of @width characters: titles (@row NULL) or a row. */
static void print_line(const struct rxaqm_top *top, const struct rxaqm_top_row *row,
		       unsigned int width)
{
	enum rxaqm_top_column column[RXAQM_TOP_COLUMNS];
	unsigned int nr = top->nr_columns, i;
	char cell[RXAQM_TOP_CELL];

	memcpy(column, top->column, sizeof(column));
	if (!nr)
		nr = rxaqm_top_fit(top, width, column);
	if (row && row->now.standing)
		rxaqm_paint(stdout,
			    row->now.mode == RXAQM_MODE_NOW_ENFORCE ? RXAQM_GREEN : RXAQM_RED);
	for (i = 0; i < nr; i++)
		printf("%s%s", i ? " " : "", rxaqm_top_cell(top, column[i], row, cell));
	printf("%s", row ? rxaqm_top_socket(row, cell) : "");
	if (row && row->now.standing)
		rxaqm_paint(stdout, RXAQM_PLAIN);
	putchar('\n');
}

static int print(const struct rxaqm_top *top, const struct args *args, __u64 shown)
{
	/* A pipe gets all columns. */
	unsigned int width = isatty(STDOUT_FILENO) ? rxaqm_width() : ~0U, i;
	struct rxaqm_out out;

	rxaqm_out_open(&out, stdout, rxaqm_json);
	if (rxaqm_json) {
		rxaqm_out_head(&out, "top");
		rxaqm_out_u64(&out, "time_ns", NULL, top->taken_ns);
		rxaqm_out_array(&out, "queues");
	} else if (shown % 20 == 0 && !args->no_headings) {
		print_line(top, NULL, width);
		rxaqm_hidden_print(&out, top->nr_hidden);
	}
	for (i = 0; i < top->nr_rows; i++) {
		const struct rxaqm_top_row *row = top->shown[i];

		if (rxaqm_json)
			print_json(top, row, args->flows, &out);
		else
			print_line(top, row, width);
		if (args->flows && !rxaqm_json)
			rxaqm_flows_out(&out, top->state, (unsigned int)(row - top->row),
					&row->now.queue);
	}
	rxaqm_out_end(&out);
	return rxaqm_out_close(&out, true);
}

/* Draw the verdict of status and as many rows as there is room for, on a screen that is cleared. */
static int draw(const struct rxaqm_top *top)
{
	unsigned int room = rxaqm_clear(), nr, i;
	char text[RXAQM_OVERVIEW_LEN];
	struct rxaqm_out out;

	rxaqm_out_open(&out, stdout, false);
	rxaqm_paint(stdout, rxaqm_overview_paint(&top->overview));
	printf("%.*s\n", (int)rxaqm_width(), rxaqm_overview_text(&top->overview, text));
	rxaqm_paint(stdout, RXAQM_PLAIN);
	print_line(top, NULL, rxaqm_width());
	/* Besides both lines above and those below, the last of which is empty. */
	room = room > 6 ? room - 5 : 1;
	nr = MIN(top->nr_rows, room);
	for (i = 0; i < nr; i++)
		print_line(top, top->shown[i], rxaqm_width());
	if (nr < top->nr_rows)
		printf("  %u more queues; \"rxaqm top -p\" prints all\n", top->nr_rows - nr);
	rxaqm_hidden_print(&out, top->nr_hidden);
	return rxaqm_out_close(&out, false);
}

/* Look until COUNT is reached or nobody reads it any more. */
static void run(struct rxaqm_top *top, const struct args *args)
{
	bool screen = rxaqm_clears() && !rxaqm_json && !args->plain && !args->flows;
	__u64 next_ns, shown;

	rxaqm_top_take(top);
	next_ns = rxaqm_now_ns();
	for (shown = 0; !args->count || shown < args->count; shown++) {
		next_ns += args->interval_ns;
		if (args->flows)
			rxaqm_flows_ask(top->state, 2 * args->interval_ns + RXAQM_NSEC_PER_SEC);
		rxaqm_sleep_until(next_ns);
		rxaqm_top_take(top);
		if (screen ? draw(top) : print(top, args, shown))
			break;
	}
}

int rxaqm_cmd_top(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm top",
		.args = "[IFACE]",
		.help = "Show what the queues do, second by second; standing queues come first.",
		.options = top_options,
		.max_words = 1,
	};
	struct args args = { .interval_ns = RXAQM_NSEC_PER_SEC };
	static struct rxaqm_top top; /* large: all zero until used */

	top.ifname = *rxaqm_options_read(&command, argc, argv, &args);
	top.all = args.all || rxaqm_json;
	if (read_columns(&top, args.columns, &call->error))
		return -1;
	if (rxaqm_view_open(call, top.ifname)) {
		if (rxaqm_json && call->error.exit_code == RXAQM_EXIT_NOT_ATTACHED)
			print(&top, &args, 0);
		return -1;
	}
	/* To ask for flows is to write to the maps. */
	if (args.flows && rxaqm_state_open(&call->state, true, &call->error))
		return -1;
	top.state = &call->state;
	run(&top, &args);
	return RXAQM_EXIT_OK;
}
