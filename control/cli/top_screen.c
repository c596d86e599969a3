/* SPDX-License-Identifier: GPL-2.0-only */
#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/top.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
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
		const struct rxaqm_top_row *row = &top->row[i];
		bool standing = row->now.flags & RXAQM_QUEUE_STANDING;

		if (standing)
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

int rxaqm_top_screen(struct rxaqm_top *top, __u64 interval_ns, unsigned int count)
{
	struct sigaction action = { .sa_handler = on_signal };
	unsigned int shown = 0;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!initscr())
		return -1;
	cbreak();
	noecho();
	curs_set(0);
	nodelay(stdscr, TRUE);
	rxaqm_top_take(top);
	draw(top);
	while (!interrupted && (!count || shown < count)) {
		int key = wait_key((int)(interval_ns / RXAQM_NSEC_PER_MSEC));

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
