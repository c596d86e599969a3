/* SPDX-License-Identifier: GPL-2.0-only */
/* Make figures of a record from samples. Pure functions. */
#pragma once

#include "qualify/record/record.h"

/* Values in the order they were taken. Zeroed: none. */
struct qualify_samples {
	RXAQM_LIST(double);
};

/* A value is left out if there is no memory. */
void qualify_samples_add(struct qualify_samples *samples, double value);
void qualify_samples_free(struct qualify_samples *samples);
void qualify_samples_sort(struct qualify_samples *samples);
/* Of sorted samples: the smallest value with at least @share of all at or below it; NAN of none. */
double qualify_samples_quantile(const struct qualify_samples *samples, double share);

/* Add a figure without values to @row. The pointer is valid until the next one is added; NULL: no
 * memory. The functions below accept NULL.
 */
struct qualify_figure *qualify_figure_add(struct qualify_row *row, const char *name,
					  const char *unit, const char *method_fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Set one number from @n observations, known to +-@error (NAN: not known). */
struct qualify_figure *qualify_figure_number(struct qualify_figure *figure, double value, __u64 n,
					     double error);
/* @of frames were sent, or tries made; the rest, up to @of, did not come. */
void qualify_figure_of(struct qualify_figure *figure, __u64 of);
void qualify_figure_words(struct qualify_figure *figure, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Set the word that counts and, by a format, what people may want to know of it. */
void qualify_figure_detail(struct qualify_figure *figure, const char *words, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Add a figure with its number, or its words. The rest is the format of the number's method, or of
 * the words.
 */
#define qualify_put_number(row, name, unit, value, n, error, ...) \
	qualify_figure_number(qualify_figure_add(row, name, unit, __VA_ARGS__), value, n, error)
#define qualify_put_words(row, name, method, ...) \
	qualify_figure_words(qualify_figure_add(row, name, "", "%s", method), __VA_ARGS__)
/* Add a figure with the words @said. The rest is the format of its method. */
#define qualify_put_said(row, name, said, ...) \
	qualify_figure_words(qualify_figure_add(row, name, "", __VA_ARGS__), "%s", said)
/* Sort @samples and set the figure from them. It counts them as all there were to be, unless
 * qualify_figure_of() says more.
 */
void qualify_figure_samples(struct qualify_figure *figure, struct qualify_samples *samples,
			    double error);

/* Add a curve; qualify_curve_cdf(): the distribution of sorted @samples, in at most 64 points. */
struct rxaqm_curve *qualify_curve_add(struct qualify_figure *figure, const char *name,
				      const char *x_unit, const char *y_unit);
void qualify_curve_point(struct rxaqm_curve *curve, double x, double y);
void qualify_curve_cdf(struct qualify_figure *figure, const char *name,
		       const struct qualify_samples *samples);

/* The names of the set @bits, of @nr bits, with blanks between; "none". */
#define QUALIFY_WORDS_LEN 160
const char *qualify_words_of(__u64 bits, const char *const *names, unsigned int nr,
			     char words[QUALIFY_WORDS_LEN]);

/* Say why @row is unknown. Returns 0, so that a row can end with it. */
int qualify_unknown(struct qualify_row *row, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Overlapping Allan deviation of @nr time errors @x_ns, taken every @tau0_s, over @m intervals, in
 * ppb. NAN if @nr is below 2 * @m + 1. IEEE 1139.
 */
double qualify_allan_ppb(const double *x_ns, size_t nr, double tau0_s, size_t m);

/* The resolution of @nr stamps: the greatest common divisor of their differences. 0: all equal. */
__u64 qualify_resolution(const __u64 *stamp, size_t nr);

/* Microsoft's "Toeplitz" hash of @nr bytes, with a key of at least @nr + 4 bytes: RSS hashes
 * addresses and ports with it, in network byte order ("Verifying the RSS Hash Calculation").
 */
__u32 qualify_toeplitz(const __u8 *key, const __u8 *data, size_t nr);
