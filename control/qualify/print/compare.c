/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/compare.h"

/* Standard errors: one difference in 370 that is noise passes for a change. */
#define SIGMAS 3
/* Of the median of a normal distribution, over that of its mean: sqrt(pi / 2). */
#define MEDIAN_FACTOR 1.2533

/* How far the median may be off by chance; NAN: not known. */
static double chance(const struct qualify_figure *figure)
{
	double n = (double)figure->n, share;

	if (!qualify_known(figure->n))
		return NAN;
	if (!isnan(figure->cv))
		return SIGMAS * MEDIAN_FACTOR * fabs(figure->cv * figure->median) / sqrt(n);
	if (strcmp(figure->unit, "share") || n < 2)
		return NAN;
	share = (figure->median * n + 2) / (n + 4);
	return SIGMAS * sqrt(fmax(share * (1 - share), 0) / (n + 4));
}

static double or_zero(double value)
{
	return isnan(value) ? 0 : fabs(value);
}

/* All that may be between two medians but a change, as far as it is known. */
static double noise_of(const struct qualify_figure *a, const struct qualify_figure *b)
{
	return hypot(or_zero(chance(a)), or_zero(chance(b))) + or_zero(a->error) +
	       or_zero(b->error);
}

/* Is it known how much a figure varies? The error of a single observation does not say, unless it
 * is 0: a setting, or what was counted.
 */
static bool variation_known(const struct qualify_figure *figure)
{
	return !isnan(chance(figure)) || figure->error == 0 ||
	       (!isnan(figure->error) && figure->n != 1);
}

static const struct qualify_curve *distribution_of(const struct qualify_figure *figure)
{
	const struct qualify_curve *curve;

	rxaqm_list_each(curve, &figure->curves) {
		if (curve->distribution && curve->points.nr > 1)
			return curve;
	}
	return NULL;
}

/* Where the p99 of what was sampled may be: between two order statistics. */
static bool p99_interval(const struct qualify_figure *figure, double *ret_low, double *ret_high)
{
	const struct qualify_curve *curve = distribution_of(figure);
	const struct qualify_point *point;
	double off, low, high;

	if (!curve || !qualify_known(figure->n) || isnan(figure->p99))
		return false;
	off = SIGMAS * sqrt(0.99 * 0.01 / (double)figure->n);
	low = curve->points.at[0].x;
	high = curve->points.at[curve->points.nr - 1].x;
	rxaqm_list_each(point, &curve->points) {
		if (point->y <= 0.99 - off)
			low = point->x;
	}
	while (point > curve->points.at) {
		point--;
		if (point->y >= 0.99 + off)
			high = point->x;
	}
	*ret_low = fmin(low, figure->p99) - or_zero(figure->error);
	*ret_high = fmax(high, figure->p99) + or_zero(figure->error);
	return true;
}

static bool p99_changed(const struct qualify_figure *a, const struct qualify_figure *b)
{
	double low_a, high_a, low_b, high_b;

	if (!p99_interval(a, &low_a, &high_a) || !p99_interval(b, &low_b, &high_b))
		return false;
	return low_a > high_b || low_b > high_a;
}

/* Which way is good, by the limit of the figure, if it has one. */
static enum qualify_change_kind direction(const struct qualify_comparison *comparison,
					  const struct qualify_change *change)
{
	const struct qualify_limit *limit = qualify_limit_of(comparison->b->nic_class, change->row,
							     change->b);
	double a = change->a->median, b = change->b->median;

	if (!limit || limit->statistic == QUALIFY_WORDS)
		return QUALIFY_CHANGED;
	if (change->p99) {
		a = change->a->p99;
		b = change->b->p99;
	}
	return (fabs(b) > fabs(a)) == limit->at_least ? QUALIFY_BETTER : QUALIFY_WORSE;
}

static enum qualify_change_kind words_changed(const struct qualify_comparison *comparison,
					      const struct qualify_change *change)
{
	const struct qualify_limit *limit = qualify_limit_of(comparison->b->nic_class, change->row,
							     change->b);
	enum qualify_verdict a, b;

	if (!strcmp(change->a->words, change->b->words))
		return QUALIFY_SAME;
	if (!limit || limit->statistic != QUALIFY_WORDS)
		return QUALIFY_CHANGED;
	a = qualify_judge_words(limit, change->a->words);
	b = qualify_judge_words(limit, change->b->words);
	if (!a || !b || a == b)
		return QUALIFY_CHANGED;
	return b > a ? QUALIFY_WORSE : QUALIFY_BETTER;
}

static void weigh(const struct qualify_comparison *comparison, struct qualify_change *change)
{
	const struct qualify_figure *a = change->a, *b = change->b;

	change->noise = NAN;
	if (*a->words || *b->words) {
		change->kind = words_changed(comparison, change);
		return;
	}
	if (isnan(a->median) || isnan(b->median)) {
		change->kind = isnan(a->median) == isnan(b->median) ? QUALIFY_SAME :
			       isnan(a->median)			    ? QUALIFY_ONLY_B :
								      QUALIFY_ONLY_A;
		return;
	}
	if (strcmp(a->unit, b->unit)) {
		change->kind = QUALIFY_CHANGED;
		return;
	}
	change->noise = noise_of(a, b);
	change->kind = QUALIFY_SAME;
	if (fabs(b->median - a->median) > change->noise)
		change->kind = variation_known(a) && variation_known(b) ?
				       direction(comparison, change) :
				       QUALIFY_MAYBE;
	else if (p99_changed(a, b)) {
		change->p99 = true;
		change->kind = direction(comparison, change);
	}
}

static int add(struct qualify_comparison *comparison, const char *row, bool disturbed,
	       const struct qualify_figure *a, const struct qualify_figure *b)
{
	struct qualify_change *change = rxaqm_list_add(&comparison->changes);

	if (!change)
		return -ENOMEM;
	change->row = row;
	change->a = a;
	change->b = b;
	change->noise = NAN;
	change->kind = a ? QUALIFY_ONLY_A : QUALIFY_ONLY_B;
	if (a && b)
		weigh(comparison, change);
	if (a && b && disturbed && change->kind != QUALIFY_SAME)
		change->kind = QUALIFY_MAYBE;
	comparison->count[change->kind]++;
	return 0;
}

static int add_row(struct qualify_comparison *comparison, const struct qualify_row *a,
		   const struct qualify_row *b)
{
	bool disturbed = (a && *a->disturbed) || (b && *b->disturbed);
	const struct qualify_row *row = a ?: b;
	int err = 0;
	size_t i;

	for (i = 0; !err && a && i < a->figures.nr; i++)
		err = add(comparison, row->id, disturbed, &a->figures.at[i],
			  qualify_find_figure(b, a->figures.at[i].name));
	for (i = 0; !err && b && i < b->figures.nr; i++) {
		if (!qualify_find_figure(a, b->figures.at[i].name))
			err = add(comparison, row->id, disturbed, NULL, &b->figures.at[i]);
	}
	return err;
}

int qualify_compare(struct qualify_comparison *comparison, const struct qualify_record *a,
		    const struct qualify_record *b)
{
	const struct qualify_row *row;
	int err = 0;

	memset(comparison, 0, sizeof(*comparison));
	comparison->a = a;
	comparison->b = b;
	rxaqm_list_each(row, &a->rows)
		err = err ?: add_row(comparison, row, qualify_find_row(b, row->id));
	rxaqm_list_each(row, &b->rows) {
		if (!qualify_find_row(a, row->id))
			err = err ?: add_row(comparison, NULL, row);
	}
	return err;
}

void qualify_comparison_free(struct qualify_comparison *comparison)
{
	free(comparison->changes.at);
	memset(comparison, 0, sizeof(*comparison));
}

bool qualify_comparison_worse(const struct qualify_comparison *comparison)
{
	const struct qualify_row *row, *was;

	rxaqm_list_each(row, &comparison->b->rows) {
		was = qualify_find_row(comparison->a, row->id);
		/* Noise may take a figure over the limit of a warning; unknown said nothing. */
		if (was && was->verdict != QUALIFY_UNKNOWN && was->verdict != QUALIFY_FAIL &&
		    row->verdict == QUALIFY_FAIL)
			return true;
	}
	return comparison->count[QUALIFY_WORSE] > 0;
}
