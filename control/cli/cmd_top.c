/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm top: on a terminal a screen, else one line a queue and interval. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "base/now.h"
#include "cli/options.h"
#include "cli/top.h"

struct args {
	__u64 count;
	__u64 interval_ns;
	bool plain;
};

static const struct rxaqm_option top_options[] = {
	{ "count", 'n', "COUNT", "Stop after COUNT intervals", RXAQM_NUMBER(count, 1, 1000000000) },
	{ "interval", 'i', "DURATION", "Length of an interval, 10ms to 1m (default 1s)",
	  RXAQM_DURATION(interval_ns, 10 * RXAQM_NSEC_PER_MSEC, 60 * RXAQM_NSEC_PER_SEC) },
	{ "plain", 'p', NULL, "Lines, not a screen, on a terminal too", RXAQM_FLAG(plain) },
	{ 0 },
};

static int print(const struct rxaqm_top *top, __u64 shown)
{
	struct rxaqm_out out;
	unsigned int i;

	rxaqm_out_open(&out, stdout, rxaqm_globals.json);
	if (shown % 20 == 0)
		rxaqm_out_text(&out, "%s\n", rxaqm_top_header(0));
	rxaqm_out_u64(&out, "time_ns", NULL, top->taken_ns);
	rxaqm_out_array(&out, "queues");
	for (i = 0; i < top->nr_rows; i++) {
		rxaqm_top_out(&top->row[i], 0, &out);
		rxaqm_out_text(&out, "\n");
	}
	rxaqm_out_end(&out);
	return rxaqm_out_close(&out, true);
}

/* Lines, until COUNT is reached or nobody reads them any more. */
static void run_plain(struct rxaqm_top *top, const struct args *args)
{
	struct timespec next;
	__u64 next_ns, shown;

	rxaqm_top_take(top);
	next_ns = rxaqm_now_ns();
	for (shown = 0; !args->count || shown < args->count; shown++) {
		next_ns += args->interval_ns;
		next = rxaqm_timespec(next_ns);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		rxaqm_top_take(top);
		if (print(top, shown))
			break;
	}
}

int rxaqm_cmd_top(int argc, char **argv)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm top",
		.args = "[IFACE]",
		.help = "Show what the queues do, second by second.",
		.options = top_options,
		.max_words = 1,
	};
	struct args args = { .interval_ns = RXAQM_NSEC_PER_SEC };
	struct rxaqm_state state = RXAQM_STATE_NONE;
	static struct rxaqm_top top;
	int exit_code;

	top.ifname = *rxaqm_options_read(&command, argc, argv, &args);
	exit_code = rxaqm_view_open(&state, top.ifname);
	if (exit_code != RXAQM_EXIT_OK)
		goto out;
	top.state = &state;
	/* A screen takes keys: what is on standard input otherwise is not for it to read. */
	if (rxaqm_globals.json || args.plain || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    rxaqm_top_screen(&top, args.interval_ns, (unsigned int)args.count))
		run_plain(&top, &args);
out:
	rxaqm_state_close(&state);
	return exit_code;
}
