/* SPDX-License-Identifier: GPL-2.0-only */
/* Contents of "rxaqm top": one row per queue, with figures per second. Shown as lines and JSON
 * (cmd_top.c), and on a screen (top_screen.c).
 */
#pragma once

#include "attach/sockets.h"
#include "cli/cmd.h"
#include "report/looks.h"
#include "report/overview.h"

/* The columns; those of rxaqm's first experiment are among them. */
enum rxaqm_top_column {
	RXAQM_TOP_IFACE,
	RXAQM_TOP_QUEUE,
	RXAQM_TOP_CPU,
	RXAQM_TOP_PPS,
	RXAQM_TOP_DROP,
	RXAQM_TOP_MARK,
	RXAQM_TOP_WOULD, /* what enforcing would have dropped or marked */
	RXAQM_TOP_EXEMPT,
	RXAQM_TOP_LOW,
	RXAQM_TOP_DRAINED,
	RXAQM_TOP_LEFT,
	RXAQM_TOP_P50,
	RXAQM_TOP_P99,
	RXAQM_TOP_ACK,
	RXAQM_TOP_CE,
	RXAQM_TOP_NOT_ECT,
	RXAQM_TOP_SIGNAL,
	RXAQM_TOP_TARGET,
	RXAQM_TOP_LIMIT,
	RXAQM_TOP_MODE,
	RXAQM_TOP_COLUMNS
};
/* Their keys in JSON, which are also their names; a NULL ends them. */
extern const char *const rxaqm_top_keys[RXAQM_TOP_COLUMNS + 1];

/* Is @column a rate per second? */
bool rxaqm_top_is_rate(enum rxaqm_top_column column);

/* How long queues stood at the newest looks: this many. */
#define RXAQM_TOP_PAST 300
struct rxaqm_top_past {
	__u64 look; /* number of that look; 0: none */
	__u64 p50_ns, p99_ns;
};

struct rxaqm_top_row {
	char interface[RXAQM_IFNAMSIZ];
	struct rxaqm_figures now;
	struct rxaqm_look before; /* the previous one; equal, if it was not seen before */
	struct rxaqm_socket socket; /* if a socket serves the queue */
	__u64 attached_ns;
	double ack_drop; /* part of drop */
	double value[RXAQM_TOP_COLUMNS]; /* of columns that are numbers; times in ns */
	struct rxaqm_top_past past[RXAQM_TOP_PAST]; /* by look, modulo this size */
};

/* Is there no value: no packet has told the CPU yet, or no flow is limited? */
bool rxaqm_top_is_unknown(const struct rxaqm_top_row *row, enum rxaqm_top_column column);
/* The word in a column of words; NULL: the column has numbers. */
const char *rxaqm_top_text(const struct rxaqm_top_row *row, enum rxaqm_top_column column);

struct rxaqm_top {
	const char *ifname; /* NULL: all */
	char filter[RXAQM_IFNAMSIZ]; /* show only interfaces whose names contain this */
	enum rxaqm_top_column sort; /* RXAQM_TOP_COLUMNS: longest standing queues first */
	bool reverse;
	enum rxaqm_top_column column[RXAQM_TOP_COLUMNS]; /* columns to show, */
	unsigned int nr_columns; /* and their number; 0: as many as fit */
	struct rxaqm_state *state;
	unsigned int nr_taken, nr_rows; /* all queues, and those shown */
	__u64 taken_ns;
	__u64 look; /* number of looks so far */
	struct rxaqm_overview overview; /* of all queues, whatever is shown */
	const struct rxaqm_top_row *taken[RXAQM_MAX_QUEUES], *shown[RXAQM_MAX_QUEUES];
	struct rxaqm_top_row row[RXAQM_MAX_QUEUES]; /* by index; 50 MB if all are in use */
};

/* Read all queues' counters; figures are differences to the previous call. */
void rxaqm_top_take(struct rxaqm_top *top);
/* Choose and sort the rows to show. */
void rxaqm_top_arrange(struct rxaqm_top *top);

/* Choose the columns that fit into @width characters. Returns their number. */
unsigned int rxaqm_top_fit(const struct rxaqm_top *top, unsigned int width,
			   enum rxaqm_top_column columns[RXAQM_TOP_COLUMNS]);

#define RXAQM_TOP_CELL 64
/* Title of @column, or its value in @row, padded to the column's width. */
const char *rxaqm_top_cell(const struct rxaqm_top *top, enum rxaqm_top_column column,
			   const struct rxaqm_top_row *row, char buf[RXAQM_TOP_CELL]);
/* The sum over all rows shown, if that makes sense. */
const char *rxaqm_top_sum(const struct rxaqm_top *top, enum rxaqm_top_column column,
			  char buf[RXAQM_TOP_CELL]);
/* How long packets wait for the consumer of a socket behind the queue: ", xsk 1.25 ms", or "". */
const char *rxaqm_top_socket(const struct rxaqm_top_row *row, char buf[RXAQM_TOP_CELL]);

/* Show it on a terminal until q is pressed or after @count looks (0: without limit). False: this
 * type of terminal is unknown.
 */
bool rxaqm_top_screen(struct rxaqm_top *top, __u64 interval_ns, __u64 count);
