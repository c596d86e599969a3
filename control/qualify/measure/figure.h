/* SPDX-License-Identifier: GPL-2.0-only */
/* From samples to figures of a record. Pure. */
#pragma once

#include "qualify/record/record.h"

/* Numbers as they were taken; zeroed: none. */
struct qualify_samples {
	RXAQM_LIST(double);
};

/* Without memory it is left out. */
void qualify_samples_add(struct qualify_samples *samples, double value);
void qualify_samples_free(struct qualify_samples *samples);
void qualify_samples_sort(struct qualify_samples *samples);
/* Of sorted ones: the smallest with at least @share of all at or below it; NAN of none. */
double qualify_samples_quantile(const struct qualify_samples *samples, double share);

/* Another figure of @row, with nothing known. Good until the next is added; NULL: no memory, which
 * the functions below take.
 */
struct qualify_figure *qualify_figure_add(struct qualify_row *row, const char *name,
					  const char *unit, const char *method_fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* One number of @n observations, known to +-@error (NAN: not known). */
struct qualify_figure *qualify_figure_number(struct qualify_figure *figure, double value, __u64 n,
					     double error);
/* @of were sent, or tried: what is missing to its n did not come. */
void qualify_figure_of(struct qualify_figure *figure, __u64 of);
void qualify_figure_words(struct qualify_figure *figure, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A figure and what it is, at once; behind it a number's method, or the words. */
#define qualify_put_number(row, name, unit, value, n, error, ...) \
	qualify_figure_number(qualify_figure_add(row, name, unit, __VA_ARGS__), value, n, error)
#define qualify_put_words(row, name, method, ...) \
	qualify_figure_words(qualify_figure_add(row, name, "", "%s", method), __VA_ARGS__)
/* The same with the word @said, and behind it the method. */
#define qualify_put_said(row, name, said, ...) \
	qualify_figure_words(qualify_figure_add(row, name, "", __VA_ARGS__), "%s", said)
/* Sorts @samples, which are all there were to be, unless qualify_figure_of() says more. */
void qualify_figure_samples(struct qualify_figure *figure, struct qualify_samples *samples,
			    double error);

/* Another curve; the distribution of @samples, sorted, in at most 64 points. */
struct rxaqm_curve *qualify_curve_add(struct qualify_figure *figure, const char *name,
				      const char *x_unit, const char *y_unit);
void qualify_curve_point(struct rxaqm_curve *curve, double x, double y);
void qualify_curve_cdf(struct qualify_figure *figure, const char *name,
		       const struct qualify_samples *samples);

/* The names of the @bits that are set, of @nr, blanks between; "none". */
#define QUALIFY_WORDS_LEN 160
const char *qualify_words_of(__u64 bits, const char *const *names, unsigned int nr,
			     char words[QUALIFY_WORDS_LEN]);

/* Row @row is unknown, for this reason. Returns 0, so that it can end a row. */
int qualify_unknown(struct qualify_row *row, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Overlapping Allan deviation of @nr time errors @x_ns, @tau0_s apart, over @m of them, in ppb. NAN
 * of fewer than 2 * @m + 1. IEEE 1139.
 */
double qualify_allan_ppb(const double *x_ns, size_t nr, double tau0_s, size_t m);

/* Greatest common divisor of the differences: the resolution of @nr stamps. 0: all the same. */
__u64 qualify_resolution(const __u64 *stamp, size_t nr);

/* Hash of @nr bytes by Microsoft's "Toeplitz" with a key of at least nr + 4 bytes: what RSS hashes
 * addresses and ports by, in network byte order ("Verifying the RSS Hash Calculation").
 */
__u32 qualify_toeplitz(const __u8 *key, const __u8 *data, size_t nr);
