/* SPDX-License-Identifier: GPL-2.0-only */
/* Pure: from values to places in a picture, and where its ticks are. */
#ifndef RXAQM_QUALIFY_AXIS_H
#define RXAQM_QUALIFY_AXIS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif /* RXAQM_QUALIFY_AXIS_H */
