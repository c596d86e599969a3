/* SPDX-License-Identifier: GPL-2.0-only */
/* What "rxaqm top" shows: one row a queue, figures by the second. Lines and JSON (cmd_top.c), and
 * a screen (top_screen.c).
 */
#pragma once

#include "attach/sockets.h"
#include "cli/cmd.h"
#include "report/overview.h"

/* The columns; those of the experiment that rxaqm began with are among them. */
enum rxaqm_top_column {
	RXAQM_TOP_IFACE,
	RXAQM_TOP_QUEUE,
	RXAQM_TOP_CPU,
	RXAQM_TOP_PPS,
	RXAQM_TOP_DROP, /* in observe mode what enforcing would have done, as of mark */
	RXAQM_TOP_MARK,
	RXAQM_TOP_EXEMPT,
	RXAQM_TOP_LOW,
	RXAQM_TOP_DRAINED,
	RXAQM_TOP_BUSY,
	RXAQM_TOP_P50,
	RXAQM_TOP_P99,
	RXAQM_TOP_ACK,
	RXAQM_TOP_CE,
	RXAQM_TOP_NECT,
	RXAQM_TOP_SIGNAL,
	RXAQM_TOP_TARGET,
	RXAQM_TOP_LIMIT,
	RXAQM_TOP_MODE,
	RXAQM_TOP_COLUMNS
};
/* Their keys in JSON, by which they are named; a NULL behind them. */
extern const char *const rxaqm_top_keys[RXAQM_TOP_COLUMNS + 1];

/* Has @column what is counted by the second? */
bool rxaqm_top_is_rate(enum rxaqm_top_column column);

/* How long queues stood at the looks before: the newest that many. */
#define RXAQM_TOP_PAST 300
struct rxaqm_top_past {
	__u64 look; /* which one it was; 0: none */
	__u64 p50_ns, p99_ns;
};

struct rxaqm_top_row {
	char interface[RXAQM_IFNAMSIZ];
	struct rxaqm_figures now;
	struct rxaqm_queue before; /* at the look before */
	struct rxaqm_socket socket; /* if the queue goes to one */
	double seconds; /* between the two; 0: not seen before */
	__u64 attached_ns;
	double ack_drop; /* part of drop */
	double value[RXAQM_TOP_COLUMNS]; /* of columns that are numbers; times in ns */
	struct rxaqm_top_past past[RXAQM_TOP_PAST]; /* by look, modulo */
};

/* What a column of words has; NULL: it has numbers. */
const char *rxaqm_top_text(const struct rxaqm_top_row *row, enum rxaqm_top_column column);

struct rxaqm_top {
	const char *ifname; /* NULL: all */
	char filter[RXAQM_IFNAMSIZ]; /* only interfaces whose names have this */
	enum rxaqm_top_column sort; /* RXAQM_TOP_COLUMNS: those that stand first */
	bool reverse;
	enum rxaqm_top_column column[RXAQM_TOP_COLUMNS]; /* that are shown, */
	unsigned int nr_columns; /* if not by what fits: 0 */
	struct rxaqm_state *state;
	unsigned int nr_taken, nr_rows; /* all, and those that are shown */
	__u64 taken_ns;
	__u64 look; /* how many there were */
	struct rxaqm_overview overview; /* of all, whatever is shown */
	const struct rxaqm_top_row *taken[RXAQM_MAX_QUEUES], *shown[RXAQM_MAX_QUEUES];
	struct rxaqm_top_row row[RXAQM_MAX_QUEUES]; /* by index; of 50 MB, if all are in use */
};

/* Take all queues' counters; figures are by the difference to the last time. */
void rxaqm_top_take(struct rxaqm_top *top);
/* Choose and sort what is shown of what was taken. */
void rxaqm_top_arrange(struct rxaqm_top *top);

/* Which columns fit into @width characters. Returns how many. */
unsigned int rxaqm_top_fit(const struct rxaqm_top *top, unsigned int width,
			   enum rxaqm_top_column columns[RXAQM_TOP_COLUMNS]);

#define RXAQM_TOP_CELL 64
/* Title of @column, or (@row) what it has, as wide as it is to be. */
const char *rxaqm_top_cell(const struct rxaqm_top *top, enum rxaqm_top_column column,
			   const struct rxaqm_top_row *row, char buf[RXAQM_TOP_CELL]);
/* The sum over all that is shown, where that says something. */
const char *rxaqm_top_sum(const struct rxaqm_top *top, enum rxaqm_top_column column,
			  char buf[RXAQM_TOP_CELL]);
/* How long packets wait for the consumer of a socket behind the queue: ", xsk 1.25 ms", or "". */
const char *rxaqm_top_socket(const struct rxaqm_top_row *row, char buf[RXAQM_TOP_CELL]);

/* On a terminal, until q is pressed or @count (0: never) looks are over. False: this type of
 * terminal is not known.
 */
bool rxaqm_top_screen(struct rxaqm_top *top, __u64 interval_ns, __u64 count);
