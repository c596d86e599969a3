/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures of curves as SVG, for black and white as well: each line has dashes of its own. */
#pragma once

#include "qualify/print/print.h"

#define QUALIFY_PICTURE_CURVES 6

enum qualify_picture_kind {
	QUALIFY_CDF, /* share at or below a value, which is on a logarithmic scale */
	QUALIFY_LINES, /* scales are logarithmic where the values span decades */
	QUALIFY_BARS, /* one a queue: x_unit is "queue" */
};

/* Curves of one row that go together: of one kind and in the same units. */
struct qualify_picture {
	enum qualify_picture_kind kind;
	unsigned int nr;
	const struct qualify_curve *curve[QUALIFY_PICTURE_CURVES];
	const char *of[QUALIFY_PICTURE_CURVES]; /* names of the figures */
	char title[352]; /* what it came to */
	bool limits_x; /* they are of x, not of y */
	double warn, fail; /* limits; NAN: none */
	char warn_words[64], fail_words[64];
};

/* The picture that begins with the curve number @first of @row and has all like it, whose curves
 * were in none before; false: there is none. @first counts up from 0 until qualify_row_curves().
 */
bool qualify_picture_of(struct qualify_picture *picture, const struct qualify_record *record,
			const struct qualify_row *row, size_t first);
size_t qualify_row_curves(const struct qualify_row *row);

/* One <svg>. */
void qualify_picture_draw(FILE *file, const struct qualify_picture *picture);

#define QUALIFY_TICKS_MAX 12

struct qualify_axis {
	double min, max; /* of values; rounded outwards to ticks */
	double from, to; /* their places, in pixels */
	bool log;
	double step; /* linear: from a tick to the next */
};

/* Round [@low, @high], which are finite, outwards. A logarithmic axis needs @low > 0. */
void qualify_axis_fit(struct qualify_axis *axis, double low, double high);

/* The place of @value; what is outside is put on the edge. */
double qualify_axis_at(const struct qualify_axis *axis, double value);

/* Values with labels, ascending; their number. */
size_t qualify_axis_ticks(const struct qualify_axis *axis, double ticks[QUALIFY_TICKS_MAX]);
