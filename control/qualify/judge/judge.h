/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of figures by the use of the NIC, and the verdicts that follow for rows. */
#pragma once

#include <stdio.h>

#include "qualify/record/record.h"

enum qualify_class_bit {
	QUALIFY_AQM = 1, /* a host that must survive overload */
	QUALIFY_AF_XDP = 2, /* packets to user space, at once */
};

enum qualify_statistic {
	QUALIFY_MEDIAN,
	QUALIFY_P99, /* the maximum if there is no p99; a single number: its median */
	QUALIFY_WORDS, /* the words of the figure */
};

struct qualify_limit {
	const char *row, *figure; /* "stamped_*": every figure that begins so */
	unsigned int classes; /* enum qualify_class */
	enum qualify_statistic statistic;
	bool at_least; /* limits are lower bounds of the magnitude; else upper bounds */
	bool needed; /* the row is unknown without this figure */
	unsigned int least; /* samples needed, if the figure tells how many were to come */
	const char *unit; /* of the limits, and needed of the figure */
	const char *relative_to; /* judge the quotient by a figure of the row, or else of any */
	double warn, fail; /* beyond it; NAN: no such limit */
	const char *warn_words, *fail_words; /* "copy|generic"; NULL: none */
	const char *why, *source;
};

/* Ends with a limit without row. */
extern const struct qualify_limit qualify_limits[];

struct qualify_row_kind {
	const char *id, *title;
	const char *limit_of; /* the figure whose limit its pictures show; NULL: none */
};

/* In the order of reports. The last one has no id; qualify_row_kind() returns it for unknown ids.
 */
extern const struct qualify_row_kind qualify_row_kinds[];
const struct qualify_row_kind *qualify_row_kind(const char *id);

struct qualify_class_kind {
	const char *name, *words;
	unsigned int bit;
};

/* The last one has no name; qualify_class() returns it for unknown names. */
extern const struct qualify_class_kind qualify_classes[];
const struct qualify_class_kind *qualify_class(const char *name);

/* The first limit for @figure in @row; NULL: none. */
const struct qualify_limit *qualify_limit_of(const char *nic_class, const char *row,
					     const struct qualify_figure *figure);

/* A figure and its first limit. */
struct qualify_judged {
	const struct qualify_figure *figure; /* NULL: not measured */
	enum qualify_verdict verdict;
	double warn, fail; /* bounds in the figure's unit; NAN: none */
	char words[QUALIFY_FIGURE_LEN]; /* "floor 19 us, at most 250 us" */
};

/* False: no figure, no limit, or @row was disturbed. */
bool qualify_judge_figure(const struct qualify_record *record, const struct qualify_row *row,
			  const char *name, struct qualify_judged *judged);

/* The required rows of @record that have no verdict or are not there, as in "Q1, Q4". */
#define QUALIFY_LACKING_LEN 256 /* longer than "required" can become */
void qualify_lacking(const struct qualify_record *record, char list[QUALIFY_LACKING_LEN]);

/* The verdict on @words by a limit of words; UNKNOWN: they are no answer. */
enum qualify_verdict qualify_judge_words(const struct qualify_limit *limit, const char *words);

/* Set the verdicts of all rows of @record by the limits of its class, and that of the record.
 *
 * The worst figure decides. A number fails only if it exceeds the limit by more than its error; by
 * less is a warning. A row is unknown, and keeps its "why", if a needed figure is missing or has
 * too few samples, or if the row was disturbed. The words "unknown" are not
 * judged. A row without limits for the class has no verdict.
 *
 * The record fails if a row does; it is unknown if a required row has no verdict, or, if none is
 * required, if more rows are unknown than are judged.
 */
void qualify_judge(struct qualify_record *record);
