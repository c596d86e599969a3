/* SPDX-License-Identifier: GPL-2.0-only */
/* Contents of "rxaqm top": one row per queue, with figures per second. */
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

struct rxaqm_top_row {
	char interface[RXAQM_IFNAMSIZ];
	struct rxaqm_figures now;
	struct rxaqm_look before; /* the previous one; equal, if it was not seen before */
	struct rxaqm_socket socket; /* if a socket serves the queue */
	__u64 attached_ns;
	double ack_drop; /* part of drop */
	double value[RXAQM_TOP_COLUMNS]; /* of columns that are numbers; times in ns */
};

/* Is there no value: no packet has told the CPU yet, or no flow is limited? */
bool rxaqm_top_is_unknown(const struct rxaqm_top_row *row, enum rxaqm_top_column column);
/* The word in a column of words; NULL: the column has numbers. */
const char *rxaqm_top_text(const struct rxaqm_top_row *row, enum rxaqm_top_column column);

struct rxaqm_top {
	const char *ifname; /* NULL: all */
	bool all; /* idle queues, too */
	enum rxaqm_top_column column[RXAQM_TOP_COLUMNS]; /* columns to show, */
	unsigned int nr_columns; /* and their number; 0: as many as fit */
	struct rxaqm_state *state;
	unsigned int nr_rows, nr_hidden; /* those shown, and those that are idle */
	__u64 taken_ns;
	struct rxaqm_overview overview; /* of all queues, whatever is shown */
	/* Those that stand come first, the longest on top. */
	const struct rxaqm_top_row *shown[RXAQM_MAX_QUEUES];
	struct rxaqm_top_row row[RXAQM_MAX_QUEUES]; /* by index */
};

/* Read all queues' counters; figures are differences to the previous call. */
void rxaqm_top_take(struct rxaqm_top *top);

/* Choose the columns that fit into @width characters. Returns their number. */
unsigned int rxaqm_top_fit(const struct rxaqm_top *top, unsigned int width,
			   enum rxaqm_top_column columns[RXAQM_TOP_COLUMNS]);

#define RXAQM_TOP_CELL 64
/* Title of @column, or its value in @row, padded to the column's width. */
const char *rxaqm_top_cell(const struct rxaqm_top *top, enum rxaqm_top_column column,
			   const struct rxaqm_top_row *row, char buf[RXAQM_TOP_CELL]);
/* How long packets wait for the consumer of a socket behind the queue: ", xsk 1.25 ms", or "". */
const char *rxaqm_top_socket(const struct rxaqm_top_row *row, char buf[RXAQM_TOP_CELL]);
