/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes of pictures. */
#include <math.h>

#include "picture/picture.h"

/* The most steps of a linear axis. */
#define STEPS 5
/* The most labels that fit side by side. */
#define DECADES 8

static const double nice[] = { 1, 2, 5, 10 };

/* The next number from @value downwards or upwards that is 1, 2 or 5 times a power of ten. */
static double round_nice(double value, bool up)
{
	double power = pow(10, floor(log10(value))), mantissa = value / power;
	size_t i;

	/* The value may be slightly off, as 0.001 is in binary. */
	for (i = 0; i < 3; i++) {
		if (fabs(mantissa - nice[i]) < 1e-9)
			return nice[i] * power;
		if (mantissa < nice[i + 1] * (1 - 1e-9))
			break;
	}
	i = i < 3 ? i : 2;
	return nice[up ? i + 1 : i] * power;
}

static void fit_log(struct rxaqm_axis *axis, double low, double high)
{
	axis->min = round_nice(low, false);
	axis->max = round_nice(high, true);
	if (axis->max <= axis->min)
		axis->max = round_nice(axis->min * 1.5, true);
	if (log10(axis->max / axis->min) > 2) {
		axis->min = pow(10, floor(log10(axis->min) + 1e-9));
		axis->max = pow(10, ceil(log10(axis->max) - 1e-9));
	}
}

void rxaqm_axis_fit(struct rxaqm_axis *axis, double low, double high)
{
	if (axis->log) {
		fit_log(axis, low, high);
		return;
	}
	if (high <= low)
		high = low + fmax(fabs(low), 1);
	axis->step = round_nice((high - low) / STEPS, true);
	axis->min = floor(low / axis->step + 1e-9) * axis->step;
	axis->max = ceil(high / axis->step - 1e-9) * axis->step;
}

double rxaqm_axis_at(const struct rxaqm_axis *axis, double value)
{
	double inside = fmin(fmax(value, axis->min), axis->max);
	double part = axis->log ? log(inside / axis->min) / log(axis->max / axis->min) :
				  (inside - axis->min) / (axis->max - axis->min);

	return axis->from + part * (axis->to - axis->from);
}

static size_t log_ticks(const struct rxaqm_axis *axis, double ticks[RXAQM_TICKS_MAX])
{
	double decades = log10(axis->max / axis->min), power, value;
	int every, at;
	size_t nr = 0, i;

	if (!isfinite(decades)) /* in a forged record */
		return 0;
	every = (int)ceil(decades / DECADES);
	at = (int)floor(log10(axis->min) + 1e-9);
	for (; nr < RXAQM_TICKS_MAX; at += every) {
		power = pow(10, at);
		for (i = 0; i < (decades > 2 + 1e-9 ? 1 : 3) && nr < RXAQM_TICKS_MAX; i++) {
			value = nice[i] * power;
			if (value > axis->max * (1 + 1e-9))
				return nr;
			if (value >= axis->min * (1 - 1e-9))
				ticks[nr++] = value;
		}
	}
	return nr;
}

size_t rxaqm_axis_ticks(const struct rxaqm_axis *axis, double ticks[RXAQM_TICKS_MAX])
{
	size_t nr, steps;

	if (axis->log)
		return log_ticks(axis, ticks);
	steps = (size_t)lround((axis->max - axis->min) / axis->step);
	for (nr = 0; nr <= steps && nr < RXAQM_TICKS_MAX; nr++) {
		ticks[nr] = axis->min + (double)nr * axis->step;
		if (fabs(ticks[nr]) < axis->step / 1e6)
			ticks[nr] = 0;
	}
	return nr;
}
