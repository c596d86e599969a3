/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CDF_POINTS 64

void qualify_samples_add(struct qualify_samples *samples, double value)
{
	rxaqm_list_put(samples, value);
}

void qualify_samples_free(struct qualify_samples *samples)
{
	free(samples->at);
	*samples = (struct qualify_samples){};
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void qualify_samples_sort(struct qualify_samples *samples)
{
	if (samples->nr)
		qsort(samples->at, samples->nr, sizeof(*samples->at), by_value);
}

double qualify_samples_quantile(const struct qualify_samples *samples, double share)
{
	size_t rank;

	if (!samples->nr)
		return NAN;
	rank = (size_t)ceil(share * (double)samples->nr);
	return samples->at[rank ? (rank > samples->nr ? samples->nr : rank) - 1 : 0];
}

struct qualify_figure *qualify_figure_add(struct qualify_row *row, const char *name,
					  const char *unit, const char *method_fmt, ...)
{
	struct qualify_figure *figure = rxaqm_list_add(&row->figures);
	va_list args;

	if (!figure)
		return NULL;
	snprintf(figure->name, sizeof(figure->name), "%s", name);
	snprintf(figure->unit, sizeof(figure->unit), "%s", unit);
	va_start(args, method_fmt);
	vsnprintf(figure->method, sizeof(figure->method), method_fmt, args);
	va_end(args);
	figure->median = figure->p99 = figure->min = figure->max = NAN;
	figure->cv = figure->error = NAN;
	return figure;
}

struct qualify_figure *qualify_figure_number(struct qualify_figure *figure, double value, __u64 n,
					     double error)
{
	if (!figure)
		return NULL;
	figure->median = value;
	figure->n = n;
	figure->error = error;
	return figure;
}

void qualify_figure_of(struct qualify_figure *figure, __u64 of)
{
	if (figure)
		figure->of = of;
}

void qualify_figure_words(struct qualify_figure *figure, const char *fmt, ...)
{
	va_list args;

	if (!figure)
		return;
	va_start(args, fmt);
	vsnprintf(figure->words, sizeof(figure->words), fmt, args);
	va_end(args);
}

void qualify_figure_detail(struct qualify_figure *figure, const char *words, const char *fmt, ...)
{
	va_list args;

	if (!figure)
		return;
	snprintf(figure->words, sizeof(figure->words), "%s", words);
	va_start(args, fmt);
	vsnprintf(figure->detail, sizeof(figure->detail), fmt, args);
	va_end(args);
}

static double variation(const struct qualify_samples *samples)
{
	double sum = 0, squares = 0, mean;
	size_t i;

	for (i = 0; i < samples->nr; i++)
		sum += samples->at[i];
	mean = sum / (double)samples->nr;
	for (i = 0; i < samples->nr; i++)
		squares += (samples->at[i] - mean) * (samples->at[i] - mean);
	return mean == 0 ? NAN : sqrt(squares / (double)samples->nr) / fabs(mean);
}

void qualify_figure_samples(struct qualify_figure *figure, struct qualify_samples *samples,
			    double error)
{
	qualify_samples_sort(samples);
	if (!figure || !samples->nr)
		return;
	qualify_figure_number(figure, qualify_samples_quantile(samples, 0.5), samples->nr, error);
	figure->of = samples->nr;
	figure->p99 = qualify_samples_quantile(samples, 0.99);
	figure->min = samples->at[0];
	figure->max = samples->at[samples->nr - 1];
	figure->cv = variation(samples);
}

struct rxaqm_curve *qualify_curve_add(struct qualify_figure *figure, const char *name,
				      const char *x_unit, const char *y_unit)
{
	struct rxaqm_curve *curve = figure ? rxaqm_list_add(&figure->curves) : NULL;

	if (!curve)
		return NULL;
	snprintf(curve->name, sizeof(curve->name), "%s", name);
	snprintf(curve->x_unit, sizeof(curve->x_unit), "%s", x_unit);
	snprintf(curve->y_unit, sizeof(curve->y_unit), "%s", y_unit);
	return curve;
}

void qualify_curve_point(struct rxaqm_curve *curve, double x, double y)
{
	if (curve)
		rxaqm_list_put(&curve->points, (struct rxaqm_point){ x, y });
}

void qualify_curve_cdf(struct qualify_figure *figure, const char *name,
		       const struct qualify_samples *samples)
{
	struct rxaqm_curve *curve = samples->nr ?
					    qualify_curve_add(figure, name,
							      figure ? figure->unit : "", "share") :
					    NULL;
	size_t points = samples->nr < CDF_POINTS ? samples->nr : CDF_POINTS, i;

	if (!curve)
		return;
	curve->distribution = true;
	for (i = 1; i <= points; i++) {
		double share = (double)i / (double)points;

		qualify_curve_point(curve, qualify_samples_quantile(samples, share), share);
	}
}

const char *qualify_words_of(__u64 bits, const char *const *names, unsigned int nr,
			     char words[QUALIFY_WORDS_LEN])
{
	unsigned int i, len = 0;

	for (i = 0; i < nr; i++) {
		if (bits & 1ULL << i && len + strlen(names[i]) + 1 < QUALIFY_WORDS_LEN)
			len += (unsigned int)sprintf(words + len, "%s%s", len ? " " : "", names[i]);
	}
	return len ? words : strcpy(words, "none");
}

int qualify_unknown(struct qualify_row *row, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(row->reason, sizeof(row->reason), fmt, args);
	va_end(args);
	return 0;
}

double qualify_allan_ppb(const double *x_ns, size_t nr, double tau0_s, size_t m)
{
	double tau_ns = tau0_s * 1e9 * (double)m, sum = 0;
	size_t i;

	if (!m || nr < 2 * m + 1)
		return NAN;
	for (i = 0; i + 2 * m < nr; i++) {
		double second = x_ns[i + 2 * m] - 2 * x_ns[i + m] + x_ns[i];

		sum += second * second;
	}
	return sqrt(sum / (2 * (double)(nr - 2 * m))) / tau_ns * 1e9;
}

__u64 qualify_resolution(const __u64 *stamp, size_t nr)
{
	__u64 gcd = 0;
	size_t i;

	for (i = 1; i < nr; i++) {
		__u64 a = stamp[i] > stamp[i - 1] ? stamp[i] - stamp[i - 1] :
						    stamp[i - 1] - stamp[i];

		while (a) {
			__u64 rest = gcd % a;

			gcd = a;
			a = rest;
		}
	}
	return gcd;
}

__u32 qualify_toeplitz(const __u8 *key, const __u8 *data, size_t nr)
{
	__u32 window = (__u32)key[0] << 24 | (__u32)key[1] << 16 | (__u32)key[2] << 8 | key[3];
	__u32 hash = 0;
	size_t i;
	int bit;

	for (i = 0; i < nr; i++) {
		for (bit = 7; bit >= 0; bit--) {
			if (data[i] >> bit & 1)
				hash ^= window;
			window = window << 1 | (key[i + 4] >> bit & 1);
		}
	}
	return hash;
}
