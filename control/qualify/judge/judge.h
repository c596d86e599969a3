/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of figures by what the NIC is to be used for, and verdicts of rows by them. */
#pragma once

#include <stdio.h>

#include "qualify/record/record.h"

enum qualify_class_bit {
	QUALIFY_AQM = 1, /* a host that must survive overload */
	QUALIFY_PTP = 2, /* time over the network */
	QUALIFY_AF_XDP = 4, /* packets to user space, at once */
};

enum qualify_statistic {
	QUALIFY_MEDIAN,
	QUALIFY_P99, /* else the maximum, else the median: a single number has no p99 */
	QUALIFY_WORDS, /* the first word of the figure */
};

struct qualify_limit {
	const char *row, *figure; /* "stamped_*": every figure that begins like that */
	unsigned int classes; /* enum qualify_class */
	enum qualify_statistic statistic;
	bool at_least; /* else at most; of a number's magnitude */
	bool needed; /* without the figure the row is unknown */
	unsigned int least; /* samples: fewer say nothing, if there were to be more */
	const char *unit; /* of the limits: what the figure must be in */
	const char *relative_to; /* a figure of the row, or else of any: limits are of the quotient */
	double warn, fail; /* beyond it; NAN: never */
	const char *warn_words, *fail_words; /* "copy|generic"; NULL: none */
	const char *why, *source;
};

/* Up to one without row. */
extern const struct qualify_limit qualify_limits[];

struct qualify_row_kind {
	const char *id, *title;
	const char *picture; /* how to read its picture; or NULL */
	bool of_distribution; /* which picture that is, if there are two */
	const char *limit_of; /* the figure whose limit is a line in its pictures; NULL: none */
};

/* In the order of reports; up to one without id, which qualify_row_kind() returns for others. */
extern const struct qualify_row_kind qualify_row_kinds[];
const struct qualify_row_kind *qualify_row_kind(const char *id);

struct qualify_class_kind {
	const char *name, *words;
	unsigned int bit;
};

/* Up to one without name, which qualify_class() returns for what is none. */
extern const struct qualify_class_kind qualify_classes[];
const struct qualify_class_kind *qualify_class(const char *name);

/* The first limit of @figure in @row; NULL: it has none. */
const struct qualify_limit *qualify_limit_of(const char *nic_class, const char *row,
					     const struct qualify_figure *figure);

/* A figure against its first limit. */
struct qualify_judged {
	const struct qualify_figure *figure; /* NULL: it is not there */
	const struct qualify_limit *limit; /* NULL: it has none */
	enum qualify_verdict verdict;
	const char *statistic; /* " p99", "" */
	double value; /* of that, and the bounds, in the figure's unit; NAN: none */
	double warn, fail;
	char words[320]; /* "floor 19 us, at most 250 us" */
};

/* False: there is nothing to hold against a limit, or @row was disturbed. @judged is filled in as
 * far as it is known.
 */
bool qualify_judge_figure(const struct qualify_record *record, const struct qualify_row *row,
			  const char *name, struct qualify_judged *judged);

/* What its verdict means for a host, in row->why; NULL: it does not say. */
const char *qualify_row_meaning(const struct qualify_row *row);

/* Of a limit of words: what @words are by it; UNKNOWN: they say nothing. */
enum qualify_verdict qualify_judge_words(const struct qualify_limit *limit, const char *words);

/* Set verdict and "why" of all rows of @record by the limits of its class.
 *
 * The worst figure decides. A number fails only if it is beyond the limit by more than its error;
 * beyond it by less is a warning. A row whose needed figures are not there, or of too few samples,
 * is unknown, and keeps the "why" that it has; so is one that was disturbed. Words that begin
 * with "skip", "xfail" or "unknown" say nothing.
 */
void qualify_judge(struct qualify_record *record);
