/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What records differ in beyond noise: NIC against NIC, firmware against firmware. Each is held
 * against the first.
 * What counts as noise: docs/qualify.md, "Comparing".
 */
#pragma once

#include "qualify/print/print.h"

enum qualify_change {
	QUALIFY_SAME, /* within noise */
	QUALIFY_MAYBE, /* it differs, and the noise is not known, or a row was disturbed */
	QUALIFY_CHANGED,
	QUALIFY_BETTER, /* it has changed, and the figure has a limit that says which way is good */
	QUALIFY_WORSE,
	QUALIFY_ADDED, /* the first has no such figure */
	QUALIFY_ABSENT, /* the first alone has it */
	QUALIFY_NR_CHANGES,
};
extern const char *const qualify_changes[QUALIFY_NR_CHANGES];

/* A figure of one record, against that of the first. */
struct qualify_cell {
	const struct qualify_figure *figure; /* NULL: it is not there */
	enum qualify_change change;
	bool best, worst; /* of all, beyond noise */
	double noise; /* that the difference was held against, in the figure's unit; NAN: not known */
};

struct qualify_line {
	const char *row;
	const struct qualify_figure *figure; /* of the first record that has it */
	bool p99; /* is compared: a line of its own where it has changed, and the median has not */
	struct qualify_cell cell[QUALIFY_RECORDS_MAX];
};

struct qualify_comparison {
	const struct qualify_record *record; /* all judged */
	unsigned int nr;
	RXAQM_LIST(struct qualify_line) lines; /* every figure of all */
	unsigned int count[QUALIFY_RECORDS_MAX][QUALIFY_NR_CHANGES];
	bool worse; /* a figure is, or a row fails that did not in the first */
};

/* -ENOMEM; to be freed in any case, and before the records. */
int qualify_compare(struct qualify_comparison *comparison, const struct qualify_record *records,
		    unsigned int nr);

/* @names: of the records, as the user gave them. */
void qualify_comparison_print(FILE *file, const struct qualify_comparison *comparison,
			      char *const *names);
void qualify_comparison_json(FILE *file, const struct qualify_comparison *comparison,
			     char *const *names);
