/* SPDX-License-Identifier: GPL-2.0-only */
/* What "rxaqm top" shows: one row a queue, figures by the second (cmd_top.c). */
#ifndef RXAQM_TOP_H
#define RXAQM_TOP_H

#include "attach/sockets.h"
#include "cli/cmd.h"

struct rxaqm_top_row {
	char interface[RXAQM_IFNAMSIZ];
	struct rxaqm_figures now;
	struct rxaqm_queue before; /* at the look before */
	struct rxaqm_socket socket; /* if the queue goes to one */
	double seconds; /* between the two; 0: not seen before */
	__u64 attached_ns;
};

#define RXAQM_TOP_ROWS 256

struct rxaqm_top {
	const char *ifname; /* NULL: all */
	struct rxaqm_state *state;
	unsigned int nr_rows;
	bool rows_left_out;
	__u64 taken_ns;
	const struct rxaqm_top_row *shown[RXAQM_TOP_ROWS];
	struct rxaqm_top_row row[RXAQM_MAX_QUEUES]; /* by index; of 13 MB, if all are in use */
};

/* Take all queues' counters; figures are by the difference to the last time. */
void rxaqm_top_take(struct rxaqm_top *top);

/* How narrow the table is: 0 has all columns; each width up to RXAQM_TOP_NARROWEST, which fits into
 * 80 characters, leaves some more out.
 */
#define RXAQM_TOP_NARROWEST 3

#define RXAQM_TOP_LINE 256
const char *rxaqm_top_header(unsigned int width);
const char *rxaqm_top_line(const struct rxaqm_top_row *row, unsigned int width,
			   char buf[RXAQM_TOP_LINE]);
/* The same, without a newline, or as an object in an array. Rates are by the second. The columns
 * are those of the experiment that rxaqm began with. In observe mode drop and mark are what
 * enforcing would have done. With the largest flows in lines of their own if the row is one of
 * @flows_of, which may be NULL; then there is a newline.
 */
void rxaqm_top_out(const struct rxaqm_top_row *row, unsigned int width,
		   const struct rxaqm_top *flows_of, struct rxaqm_out *out);

#endif /* RXAQM_TOP_H */
