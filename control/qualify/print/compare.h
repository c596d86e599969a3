/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How two records differ beyond noise: NIC against NIC, firmware against firmware. The first record
 * is the reference. docs/qualify.md, "Comparing", says what counts as noise.
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

/* A figure in both records. */
struct qualify_line {
	const char *row;
	const struct qualify_figure *was, *is; /* NULL: not measured */
	bool p99; /* compares the p99s: they changed, and the medians did not */
	enum qualify_change change;
	double noise; /* the difference that is still noise, in the figure's unit; NAN: unknown */
};

struct qualify_comparison {
	const struct qualify_record *record; /* both, judged */
	char *const *names; /* that the user gave them */
	RXAQM_LIST(struct qualify_line) lines; /* every figure of either record */
	unsigned int count[QUALIFY_NR_CHANGES];
	bool worse; /* a figure is worse, or a row newly fails */
};

/* Compare the second of two @records with the first. Free @comparison even after -ENOMEM, and
 * before the records.
 */
int qualify_compare(struct qualify_comparison *comparison, const struct qualify_record *records,
		    char *const *names);

/* What differs, first the rows whose verdict does: as text, as a page, and all of it as JSON. */
void qualify_comparison_print(FILE *file, const struct qualify_comparison *comparison);
void qualify_comparison_html(FILE *file, const void *comparison);
void qualify_comparison_json(FILE *file, const struct qualify_comparison *comparison);
