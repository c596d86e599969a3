/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RXAQM_BENCH_MEDIAN_H
#define RXAQM_BENCH_MEDIAN_H

#include <stdlib.h>

static inline int median_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of @nr @values, which are sorted on the way. */
static inline double median_of(size_t nr, double *values)
{
	qsort(values, nr, sizeof(values[0]), median_compare);
	return values[nr / 2];
}

#endif /* RXAQM_BENCH_MEDIAN_H */
