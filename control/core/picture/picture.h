/* SPDX-License-Identifier: GPL-2.0-only */
/* HTML pages with pictures of curves as SVG. They work in black and white, too: each line has its
 * own dashes.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/fields.h"

/* A point of a picture: of a distribution (x: value, y: share at or below it, 0 to 1), of a time
 * series (x: seconds) or of a dependence (x: the quantity that was varied).
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
	RXAQM_PICTURE_CDF, /* share at or below a value; values are on a logarithmic scale */
	RXAQM_PICTURE_LINES, /* scales are logarithmic where the values span decades */
	RXAQM_PICTURE_COURSE, /* the same, but x is the time at which it was: linear */
	RXAQM_PICTURE_BARS, /* one per queue: x_unit is "queue" */
};

/* Curves that are drawn together: of one kind and in the same units. */
struct rxaqm_picture {
	enum rxaqm_picture_kind kind;
	unsigned int nr;
	const struct rxaqm_curve *curve[RXAQM_PICTURE_CURVES];
	const char *of[RXAQM_PICTURE_CURVES]; /* names of the figures */
	char title[352]; /* the result in words */
	bool limits_x; /* the limits are of x, not of y */
	double warn, fail; /* limits; NAN: none */
	char warn_words[64], fail_words[64];
};

/* One <svg>. */
void rxaqm_picture_draw(FILE *file, const struct rxaqm_picture *picture);

#define RXAQM_TICKS_MAX 12

struct rxaqm_axis {
	double min, max; /* of values; rounded outwards to ticks */
	double from, to; /* pixels of min and max */
	bool log;
	double step; /* linear: from one tick to the next */
};

/* Round [@low, @high], which are finite, outwards. A logarithmic axis needs @low > 0. */
void rxaqm_axis_fit(struct rxaqm_axis *axis, double low, double high);

/* The pixel of @value; a value outside is put on the edge. */
double rxaqm_axis_at(const struct rxaqm_axis *axis, double value);

/* Write the labelled values to @ticks, ascending. Returns their number. */
size_t rxaqm_axis_ticks(const struct rxaqm_axis *axis, double ticks[RXAQM_TICKS_MAX]);

/* Print @form, which is HTML, SVG or XML. Each "%s" is replaced by the next string, with markup
 * escaped. There is no other "%".
 */
void rxaqm_markup(FILE *file, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* Print a page up to <main>, with the style that all pages have. */
void rxaqm_page_begin(FILE *file, const char *title);
