/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How records differ beyond noise: NIC against NIC, firmware against firmware. The first record is
 * the reference. docs/qualify.md, "Comparing", says what counts as noise.
 */
#pragma once

#include "qualify/print/print.h"

enum qualify_change {
	QUALIFY_SAME, /* within noise */
	QUALIFY_MAYBE, /* differs, but the noise is not known or a row was disturbed */
	QUALIFY_CHANGED,
	QUALIFY_BETTER, /* changed, and the figure's limit says which direction is good */
	QUALIFY_WORSE,
	QUALIFY_ADDED, /* the first record has no such figure */
	QUALIFY_ABSENT, /* only the first record has it */
	QUALIFY_NR_CHANGES,
};
extern const char *const qualify_changes[QUALIFY_NR_CHANGES];

/* A figure of one record, compared with the first record's. */
struct qualify_cell {
	const struct qualify_figure *figure; /* NULL: not measured */
	enum qualify_change change;
	double noise; /* the difference that is still noise, in the figure's unit; NAN: unknown */
};

struct qualify_line {
	const char *row;
	const struct qualify_figure *figure; /* of the first record that has it */
	bool p99; /* compares p99s: an extra line if they changed and the medians did not */
	struct qualify_cell cell[QUALIFY_RECORDS_MAX];
};

struct qualify_comparison {
	const struct qualify_record *record; /* all judged */
	char *const *names; /* that the user gave them */
	unsigned int nr;
	RXAQM_LIST(struct qualify_line) lines; /* every figure of any record */
	unsigned int count[QUALIFY_RECORDS_MAX][QUALIFY_NR_CHANGES];
	bool worse; /* a figure is worse, or a row newly fails */
};

/* Free @comparison even after -ENOMEM, and before the records. */
int qualify_compare(struct qualify_comparison *comparison, const struct qualify_record *records,
		    char *const *names, unsigned int nr);

/* What differs, first the rows whose verdict does: as text, as a page, and all of it as JSON. */
void qualify_comparison_print(FILE *file, const struct qualify_comparison *comparison);
void qualify_comparison_html(FILE *file, const void *comparison);
void qualify_comparison_json(FILE *file, const struct qualify_comparison *comparison);
