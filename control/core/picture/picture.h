/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of HTML, with pictures of curves as SVG; for black and white as well: each line has dashes
 * of its own.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/fields.h"

/* A point of a picture: of a distribution (x: value, y: share at or below it, 0 to 1), of a course
 * (x: seconds) or of a dependence (x: what was varied).
 */
struct rxaqm_point {
	double x, y;
};

struct rxaqm_curve {
	char name[48]; /* in a legend: "idle", "Rx saturated" */
	char x_unit[16], y_unit[16]; /* "ns", "s", "pps", "share" ... */
	bool distribution;
	RXAQM_LIST(struct rxaqm_point) points;
};

#define RXAQM_PICTURE_CURVES 6

enum rxaqm_picture_kind {
	RXAQM_PICTURE_CDF, /* share at or below a value, which is on a logarithmic scale */
	RXAQM_PICTURE_LINES, /* scales are logarithmic where the values span decades */
	RXAQM_PICTURE_BARS, /* one a queue: x_unit is "queue" */
};

/* Curves that go together: of one kind and in the same units. */
struct rxaqm_picture {
	enum rxaqm_picture_kind kind;
	unsigned int nr;
	const struct rxaqm_curve *curve[RXAQM_PICTURE_CURVES];
	const char *of[RXAQM_PICTURE_CURVES]; /* names of the figures */
	char title[352]; /* what it came to */
	bool limits_x; /* they are of x, not of y */
	double warn, fail; /* limits; NAN: none */
	char warn_words[64], fail_words[64];
};

/* One <svg>. */
void rxaqm_picture_draw(FILE *file, const struct rxaqm_picture *picture);

#define RXAQM_TICKS_MAX 12

struct rxaqm_axis {
	double min, max; /* of values; rounded outwards to ticks */
	double from, to; /* their places, in pixels */
	bool log;
	double step; /* linear: from a tick to the next */
};

/* Round [@low, @high], which are finite, outwards. A logarithmic axis needs @low > 0. */
void rxaqm_axis_fit(struct rxaqm_axis *axis, double low, double high);

/* The place of @value; what is outside is put on the edge. */
double rxaqm_axis_at(const struct rxaqm_axis *axis, double value);

/* Values with labels, ascending; their number. */
size_t rxaqm_axis_ticks(const struct rxaqm_axis *axis, double ticks[RXAQM_TICKS_MAX]);

#define RXAQM_NUMBER_LEN 48

/* "1.25 us", "98.7 %", "1.2 Mpps", "-"; three digits that count. */
const char *rxaqm_format_number(double value, const char *unit, char buf[RXAQM_NUMBER_LEN]);
/* The same as text that lives as long as the block that it is written in. */
#define rxaqm_number(value, unit) rxaqm_format_number(value, unit, (char[RXAQM_NUMBER_LEN]){ "" })

/* Print @form, of HTML, SVG or XML, with each "%s" replaced by the next string, in which what would
 * be read as markup is escaped. There is no other "%".
 */
void rxaqm_markup(FILE *file, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* Up to <main>, with the style of all pages. */
void rxaqm_page_begin(FILE *file, const char *title);
