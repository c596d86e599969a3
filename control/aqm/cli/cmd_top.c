/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm top: on a terminal a screen, else one line a queue and interval. */
#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "command/options.h"
#include "cli/top.h"
#include "report/flows.h"

struct args {
	__u64 count;
	__u64 interval_ns;
	bool plain;
	bool flows;
};

static const struct rxaqm_option top_options[] = {
	{ "count", 'n', "COUNT", "Stop after COUNT intervals", RXAQM_NUMBER(count, 1, 1000000000) },
	{ "interval", 'i', "DURATION", "Length of an interval, 10ms to 1m (default 1s)",
	  RXAQM_DURATION(interval_ns, 10 * RXAQM_NSEC_PER_MSEC, 60 * RXAQM_NSEC_PER_SEC) },
	{ "plain", 'p', NULL, "Lines, not a screen, on a terminal too", RXAQM_FLAG(plain) },
	{ "flows", 0, NULL, "With the largest flows of each queue that stands; lines",
	  RXAQM_FLAG(flows) },
	{ 0 },
};

static int print(const struct rxaqm_top *top, __u64 shown, bool flows)
{
	struct rxaqm_out out;
	unsigned int i;

	rxaqm_out_open(&out, stdout, rxaqm_json);
	if (shown % 20 == 0)
		rxaqm_out_text(&out, "%s\n", rxaqm_top_header(0));
	rxaqm_out_u64(&out, "time_ns", NULL, top->taken_ns);
	rxaqm_out_array(&out, "queues");
	for (i = 0; i < top->nr_rows; i++) {
		rxaqm_top_out(top->shown[i], 0, flows ? top : NULL, &out);
		if (!flows)
			rxaqm_out_text(&out, "\n");
	}
	rxaqm_out_end(&out);
	return rxaqm_out_close(&out, true);
}

/* Lines, until COUNT is reached or nobody reads them any more. */
static void run_plain(struct rxaqm_top *top, const struct args *args)
{
	__u64 next_ns, shown;

	rxaqm_top_take(top);
	next_ns = rxaqm_now_ns();
	for (shown = 0; !args->count || shown < args->count; shown++) {
		next_ns += args->interval_ns;
		if (args->flows)
			rxaqm_flows_ask(top->state, 2 * args->interval_ns + RXAQM_NSEC_PER_SEC);
		rxaqm_sleep_until(next_ns);
		rxaqm_top_take(top);
		if (print(top, shown, args->flows))
			break;
	}
}

static void draw(const struct rxaqm_top *top)
{
	/* A mode is longer than the title of its column. */
	const int mode = sizeof("enforce") - sizeof("mode");
	char line[RXAQM_TOP_LINE];
	unsigned int width = 0, i;
	int y = 0;

	while (width < RXAQM_TOP_NARROWEST && (int)strlen(rxaqm_top_header(width)) + mode > COLS)
		width++;
	erase();
	mvprintw(y++, 0, "rxaqm top: by the second; q quits%s",
		 width ? "; a wider terminal shows more columns" : "");
	attron(A_REVERSE);
	mvaddnstr(y++, 0, rxaqm_top_header(width), COLS);
	attroff(A_REVERSE);
	for (i = 0; i < top->nr_rows && y < LINES; i++) {
		const struct rxaqm_top_row *row = top->shown[i];

		if (row->now.standing)
			attron(A_BOLD);
		mvaddnstr(y++, 0, rxaqm_top_line(row, width, line), COLS);
		attroff(A_BOLD);
	}
	if (top->rows_left_out && y < LINES)
		mvprintw(y, 0, "(only the first %d queues are shown)", RXAQM_TOP_ROWS);
	refresh();
}

/* The key pressed within @ms, or ERR. A terminal that is gone is readable and has nothing to read:
 * to getch() the time would be up at once, over and over.
 */
static int wait_key(int ms)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int ready = poll(&in, 1, ms);
	int key = getch();

	return ready > 0 && key == ERR ? 'q' : key;
}

/* Until q is pressed, or COUNT is reached. -1 if there is no such terminal. */
static int run_screen(struct rxaqm_top *top, const struct args *args)
{
	__u64 shown = 0;

	rxaqm_stop_at(SIGINT);
	rxaqm_stop_at(SIGTERM);
	/* It writes to the terminal itself, what stdout would not let through. */
	if (!newterm(NULL, fdopen(STDOUT_FILENO, "w"), stdin))
		return -1;
	cbreak();
	noecho();
	curs_set(0);
	nodelay(stdscr, TRUE);
	rxaqm_top_take(top);
	draw(top);
	while (!rxaqm_stop && (!args->count || shown < args->count)) {
		int key = wait_key((int)(args->interval_ns / RXAQM_NSEC_PER_MSEC));

		if (key == 'q')
			break;
		if (key != ERR && key != KEY_RESIZE)
			continue;
		rxaqm_top_take(top);
		draw(top);
		shown++;
	}
	endwin();
	return 0;
}

int rxaqm_cmd_top(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm top",
		.args = "[IFACE]",
		.help = "Show what the queues do, second by second.",
		.options = top_options,
		.max_words = 1,
	};
	struct args args = { .interval_ns = RXAQM_NSEC_PER_SEC };
	static struct rxaqm_top top;

	top.ifname = *rxaqm_options_read(&command, argc, argv, &args);
	if (rxaqm_view_open(call, top.ifname))
		return -1;
	/* Who asks for flows writes. */
	if (args.flows && rxaqm_state_open(&call->state, true, &call->error))
		return -1;
	top.state = &call->state;
	/* A screen takes keys: what is on standard input otherwise is not for it to read. */
	if (rxaqm_json || args.plain || args.flows || !isatty(STDIN_FILENO) ||
	    !isatty(STDOUT_FILENO) || run_screen(&top, &args))
		run_plain(&top, &args);
	return RXAQM_EXIT_OK;
}
