/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What two records differ in beyond noise: NIC against NIC, firmware against firmware.
 *
 * The median of n samples is known to +-3 standard errors, 1.25 cv median / sqrt(n), a share of n
 * to +-3 sqrt(p (1 - p) / n) (Agresti and Coull 1998), each plus the figure's own error. Two that
 * are apart by more than the root of the sum of their squares, and both errors, have changed. A p99
 * is compared if both have a distribution: by the interval that its order statistics leave it. A
 * difference beyond the errors of figures whose variation is not known is told apart: it may be
 * noise. So it is with single observations, unless their error is 0. Words that differ have
 * changed.
 *
 * Samples of one run may have more in common with each other than with another run. What two runs
 * of one NIC differ in is the noise of the set-up, which only they show.
 */
#ifndef RXAQM_QUALIFY_COMPARE_H
#define RXAQM_QUALIFY_COMPARE_H

#include <stdio.h>

#include "qualify/record/record.h"

enum qualify_change_kind {
	QUALIFY_SAME, /* within noise */
	QUALIFY_MAYBE, /* it differs, and the noise is not known, or a row was disturbed */
	QUALIFY_CHANGED,
	QUALIFY_BETTER, /* it has changed, and the figure has a limit that says which way is good */
	QUALIFY_WORSE,
	QUALIFY_ONLY_A,
	QUALIFY_ONLY_B,
	QUALIFY_NR_CHANGES,
};

struct qualify_change {
	const char *row;
	const struct qualify_figure *a, *b; /* NULL: it is not there */
	enum qualify_change_kind kind;
	bool p99; /* the p99 has changed, the median has not */
	double noise; /* that the difference was held against, in the figure's unit; NAN: not known */
};

struct qualify_comparison {
	const struct qualify_record *a, *b; /* both judged */
	RXAQM_LIST(struct qualify_change) changes; /* every figure of both */
	unsigned int count[QUALIFY_NR_CHANGES];
};

/* -ENOMEM; to be freed in any case, and before the records. */
int qualify_compare(struct qualify_comparison *comparison, const struct qualify_record *a,
		    const struct qualify_record *b);
void qualify_comparison_free(struct qualify_comparison *comparison);

/* Is there a figure that is worse, or a row that fails now? For the exit status. */
bool qualify_comparison_worse(const struct qualify_comparison *comparison);

const char *qualify_change_name(enum qualify_change_kind kind); /* "changed", "only in A" */

void qualify_comparison_print(FILE *file, const struct qualify_comparison *comparison);
void qualify_comparison_json(FILE *file, const struct qualify_comparison *comparison);

#endif /* RXAQM_QUALIFY_COMPARE_H */
