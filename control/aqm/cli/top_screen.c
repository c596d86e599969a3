/* SPDX-License-Identifier: GPL-2.0-only */
/* The screen of "rxaqm top": a table, the graph of one queue, and help. */
#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "base/now.h"
#include "cli/top.h"
#include "cli/top_graph.h"

struct screen {
	struct rxaqm_top *top;
	__u64 interval_ns;
	const struct rxaqm_top_row *selected; /* NULL: the first */
	int first; /* row shown on top */
	enum {
		TABLE,
		GRAPH,
		HELP
	} view;
	bool typing; /* the filter is being typed */
	bool quit;
};

#define ESCAPE 27
#define HEAD 2 /* lines above the rows */
#define FOOT 2

static int page(void)
{
	return MAX(LINES - HEAD - FOOT, 1);
}

/* Row number of the selected queue; if it is gone, the first. */
static int selected(const struct screen *screen)
{
	unsigned int i;

	for (i = 0; i < screen->top->nr_rows; i++)
		if (screen->top->shown[i] == screen->selected)
			return (int)i;
	return 0;
}

static void move_to(struct screen *screen, int to)
{
	int nr = (int)screen->top->nr_rows;

	to = MAX(MIN(to, nr - 1), 0);
	screen->selected = nr ? screen->top->shown[to] : NULL;
}

/* Translate colours of terminal.h to curses. */
static attr_t look(enum rxaqm_paint paint)
{
	if (paint == RXAQM_PLAIN)
		return A_NORMAL;
	return A_BOLD | (paint > RXAQM_BOLD && has_colors() ? COLOR_PAIR(paint) : 0);
}

static attr_t look_of(const struct rxaqm_top_row *row)
{
	if (!row->now.standing)
		return A_NORMAL;
	return look(row->now.mode == RXAQM_MODE_NOW_ENFORCE ? RXAQM_GREEN : RXAQM_RED);
}

/* Draw one line of cells: titles (@row NULL), a row, or (@sum) the sums. */
static void draw_line(const struct screen *screen, int y, const struct rxaqm_top_row *row, bool sum)
{
	enum rxaqm_top_column column[RXAQM_TOP_COLUMNS];
	const struct rxaqm_top *top = screen->top;
	unsigned int nr = top->nr_columns, i;
	char cell[RXAQM_TOP_CELL];

	memcpy(column, top->column, sizeof(column));
	if (!nr)
		nr = rxaqm_top_fit(top, (unsigned int)COLS, column);
	mvhline(y, 0, ' ', COLS);
	move(y, 0);
	for (i = 0; i < nr; i++) {
		if (i)
			addch(' ');
		if (!row && !sum && column[i] == top->sort)
			attroff(A_REVERSE);
		addnstr(sum ? rxaqm_top_sum(top, column[i], cell) :
			      rxaqm_top_cell(top, column[i], row, cell),
			MAX(COLS - getcurx(stdscr), 0));
		if (!row && !sum)
			attron(A_REVERSE);
		/* The line is full. */
		if (getcury(stdscr) != y)
			return;
	}
	if (row)
		addnstr(rxaqm_top_socket(row, cell), MAX(COLS - getcurx(stdscr), 0));
}

static void draw_foot(const struct screen *screen, int above, int below)
{
	const struct rxaqm_top *top = screen->top;
	char more[64] = "";

	move(LINES - 1, 0);
	clrtoeol();
	if (screen->typing) {
		printw("interfaces whose name contains: %s_", top->filter);
		return;
	}
	if (above && below)
		snprintf(more, sizeof(more), "%d more above, %d more below  ", above, below);
	else if (above || below)
		snprintf(more, sizeof(more), "%d more %s  ", above + below,
			 above ? "above" : "below");
	attron(A_BOLD);
	addnstr(more, COLS - 1);
	if (top->filter[0])
		printw("only \"%s\" (Esc: all)  ", top->filter);
	attroff(A_BOLD);
	addnstr("? help  < > sort  / filter  Enter graph  q quit",
		MAX(COLS - 1 - getcurx(stdscr), 0));
}

static void draw_table(struct screen *screen)
{
	const struct rxaqm_top *top = screen->top;
	int at = selected(screen), nr = (int)top->nr_rows, i;
	char text[RXAQM_OVERVIEW_LEN];

	screen->first = MIN(screen->first, MAX(nr - page(), 0));
	screen->first = MAX(MIN(screen->first, at), at - page() + 1);
	attron(look(rxaqm_overview_paint(&top->overview)));
	mvaddnstr(0, 0, rxaqm_overview_text(&top->overview, text), COLS);
	attrset(A_REVERSE);
	draw_line(screen, 1, NULL, false);
	for (i = 0; i < page() && screen->first + i < nr; i++) {
		const struct rxaqm_top_row *row = top->shown[screen->first + i];

		attrset(look_of(row));
		if (screen->first + i == at && screen->selected)
			attron(A_REVERSE);
		draw_line(screen, HEAD + i, row, false);
	}
	attrset(A_UNDERLINE);
	draw_line(screen, LINES - FOOT, NULL, true);
	attrset(A_NORMAL);
	draw_foot(screen, screen->first, MAX(nr - screen->first - page(), 0));
}

static void draw_help(void)
{
	static const char *const lines[] = {
		"Queues that stand come first, in bold: their last poll left packets behind.",
		"",
		"  up, down, PgUp, PgDn, Home, End   choose a queue",
		"  Enter        how long packets stood in it, over the last minutes",
		"  < >          sort by the column further left or right; r reverses it",
		"  /            only interfaces whose name contains the text; Esc: all",
		"  ?            this help; any key leaves it",
		"  q            quit",
		"",
		"Counts are by the second. would: what enforce would have dropped or marked, in",
		"observe; exempt; low: under target; drained: polls that drained a",
		"queue; left: polls that left packets; ACK, CE, not-ECT: kinds of packets over",
		"target; q, p99: median, 99th percentile of the time in the queue; tgt: target;",
		"limit: packets a second that a flow may send. A wider terminal has more columns.",
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		mvaddnstr((int)i, 0, lines[i], COLS);
}

static void draw(struct screen *screen)
{
	erase();
	if (screen->view == HELP)
		draw_help();
	else if (screen->view == GRAPH && screen->top->nr_rows)
		rxaqm_top_graph(screen->top, screen->top->shown[selected(screen)],
				screen->interval_ns);
	else
		draw_table(screen);
	refresh();
}

/* Sort by the column that is @step further than the current one; "no column" is one of them. */
static void sort_by(struct rxaqm_top *top, int step)
{
	top->sort = (top->sort + RXAQM_TOP_COLUMNS + 1 + (unsigned int)step) %
		    (RXAQM_TOP_COLUMNS + 1);
	top->reverse = false;
}

static void type(struct screen *screen, int key)
{
	char *filter = screen->top->filter;
	size_t len = strlen(filter);

	if (key == '\n' || key == KEY_ENTER || key == ESCAPE)
		screen->typing = false;
	if (key == ESCAPE)
		filter[0] = '\0';
	else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && len)
		filter[len - 1] = '\0';
	else if (key > ' ' && key < 127 && len + 1 < RXAQM_IFNAMSIZ)
		filter[len] = (char)key;
	else
		return;
	if (len + 1 < RXAQM_IFNAMSIZ)
		filter[len + 1] = '\0';
}

static void press(struct screen *screen, int key)
{
	struct rxaqm_top *top = screen->top;
	int at = selected(screen);

	switch (key) {
	case 'q':
		screen->quit = screen->view == TABLE;
		screen->view = TABLE;
		break;
	case ESCAPE:
		if (screen->view == TABLE)
			top->filter[0] = '\0';
		screen->view = TABLE;
		break;
	case '\n':
	case KEY_ENTER:
		move_to(screen, at);
		screen->view = screen->view == TABLE ? GRAPH : TABLE;
		break;
	case '?':
	case 'h':
		screen->view = HELP;
		break;
	case '/':
		screen->typing = true;
		break;
	case '<':
	case '>':
		sort_by(top, key == '<' ? -1 : 1);
		break;
	case 'r':
		top->reverse = !top->reverse;
		break;
	case KEY_UP:
	case KEY_DOWN:
		move_to(screen, screen->selected ? at + (key == KEY_UP ? -1 : 1) : 0);
		break;
	case KEY_PPAGE:
	case KEY_NPAGE:
		move_to(screen, at + (key == KEY_PPAGE ? -page() : page()));
		break;
	case KEY_HOME:
	case KEY_END:
		move_to(screen, key == KEY_HOME ? 0 : (int)top->nr_rows - 1);
		break;
	}
}

/* Wait for a key until @due_ns at the latest. ERR: there was none. A terminal that is gone is
 * readable but has nothing to read: getch() would report a timeout at once, again and again.
 */
static int wait_key(__u64 due_ns)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	__u64 now_ns = rxaqm_now_ns(),
	      left_ns = rxaqm_ns_after(due_ns, now_ns) ? due_ns - now_ns : 0;
	int ready = poll(&in, 1, (int)((left_ns + RXAQM_NSEC_PER_MSEC - 1) / RXAQM_NSEC_PER_MSEC));
	int key = getch();

	return ready > 0 && key == ERR ? EOF - 1 : key;
}

static void take_key(struct screen *screen, int key)
{
	if (key == EOF - 1)
		screen->quit = true;
	else if (screen->typing)
		type(screen, key);
	else if (screen->view == HELP && key != ERR && key != KEY_RESIZE)
		screen->view = TABLE;
	else
		press(screen, key);
	rxaqm_top_arrange(screen->top);
}

/* False: this terminal cannot show a screen. */
static bool begin(void)
{
	/* curses writes to the terminal directly: stdout would not pass its escape sequences. */
	if (!newterm(NULL, fdopen(STDOUT_FILENO, "w"), stdin))
		return false;
	/* Its cursor cannot be moved, as with "dumb". */
	if (!tigetstr("cup")) {
		endwin();
		return false;
	}
	rxaqm_stop_at(SIGINT);
	rxaqm_stop_at(SIGTERM);
	cbreak();
	noecho();
	curs_set(0);
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(25);
	if (rxaqm_paints() && has_colors() && start_color() == OK) {
		use_default_colors();
		init_pair(RXAQM_RED, COLOR_RED, -1);
		init_pair(RXAQM_YELLOW, COLOR_YELLOW, -1);
		init_pair(RXAQM_GREEN, COLOR_GREEN, -1);
	}
	return true;
}

bool rxaqm_top_screen(struct rxaqm_top *top, __u64 interval_ns, __u64 count)
{
	struct screen screen = { .top = top, .interval_ns = interval_ns };
	__u64 due_ns, shown = 0;

	if (!begin())
		return false;
	rxaqm_top_take(top);
	due_ns = rxaqm_now_ns() + interval_ns;
	draw(&screen);
	while (!rxaqm_stop && !screen.quit && (!count || shown < count)) {
		int key = wait_key(due_ns);

		if (rxaqm_ns_reached(rxaqm_now_ns(), due_ns)) {
			rxaqm_top_take(top);
			shown++;
			due_ns = rxaqm_now_ns() + interval_ns;
		}
		if (key != ERR)
			take_key(&screen, key);
		draw(&screen);
	}
	endwin();
	return true;
}
