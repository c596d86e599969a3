/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/compare.h"

const char *const qualify_changes[] = { "same",	 "maybe", "changed", "better",
					"worse", "added", "absent" };

/* In standard errors: 1 of 370 differences by noise alone counts as a change. */
#define SIGMAS 3
/* The standard error of a median over that of a mean, of a normal distribution: sqrt(pi / 2). */
#define MEDIAN_FACTOR 1.2533

/* The most that chance shifts the median; NAN: not known. */
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

/* The most that two medians may differ without a change, as far as that is known. */
static double noise_of(const struct qualify_figure *a, const struct qualify_figure *b)
{
	return hypot(or_zero(chance(a)), or_zero(chance(b))) + or_zero(a->error) +
	       or_zero(b->error);
}

/* Is the variation of a figure known? The error of a single observation does not tell it, unless it
 * is 0: then the figure is a setting or a count.
 */
static bool variation_known(const struct qualify_figure *figure)
{
	return !isnan(chance(figure)) || figure->error == 0 ||
	       (!isnan(figure->error) && figure->n != 1);
}

static const struct rxaqm_curve *distribution_of(const struct qualify_figure *figure)
{
	const struct rxaqm_curve *curve;

	return rxaqm_list_find(curve, &figure->curves, curve->distribution && curve->points.nr > 1);
}

/* An interval for the p99 of sampled values, between two order statistics. */
static bool p99_interval(const struct qualify_figure *figure, double *ret_low, double *ret_high)
{
	const struct rxaqm_curve *curve = distribution_of(figure);
	const struct rxaqm_point *point;
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

/* A larger value is worse, by the limit of the figure; NAN: the limit has no direction. */
static double badness(const struct qualify_limit *limit, const struct qualify_figure *figure,
		      bool p99)
{
	enum qualify_verdict verdict;
	double value = fabs(p99 ? figure->p99 : figure->median);

	if (!limit || !*figure->words == (limit->statistic == QUALIFY_WORDS))
		return NAN;
	if (limit->statistic != QUALIFY_WORDS)
		return limit->at_least ? -value : value;
	verdict = qualify_judge_words(limit, figure->words);
	return verdict == QUALIFY_UNKNOWN ? NAN : verdict;
}

static bool is_known(const struct qualify_figure *figure)
{
	return figure && (*figure->words || !isnan(figure->median));
}

static enum qualify_change direction(const struct qualify_limit *limit,
				     const struct qualify_line *line)
{
	double was = badness(limit, line->was, line->p99), is = badness(limit, line->is, line->p99);

	return is > was ? QUALIFY_WORSE : is < was ? QUALIFY_BETTER : QUALIFY_CHANGED;
}

/* Compare the medians, and the p99s if the medians are the same. */
static void weigh_numbers(const struct qualify_limit *limit, struct qualify_line *line)
{
	const struct qualify_figure *was = line->was, *is = line->is;

	line->noise = noise_of(was, is);
	if (fabs(is->median - was->median) > line->noise) {
		line->change = variation_known(was) && variation_known(is) ?
				       direction(limit, line) :
				       QUALIFY_MAYBE;
	} else if (p99_changed(was, is)) {
		line->p99 = true;
		line->noise = NAN;
		line->change = direction(limit, line);
	}
}

static void weigh(const struct qualify_limit *limit, struct qualify_line *line)
{
	const struct qualify_figure *was = line->was, *is = line->is;

	line->change = QUALIFY_SAME;
	line->noise = NAN;
	if (!is_known(was) || !is_known(is))
		line->change = is_known(was) ? QUALIFY_ABSENT :
			       is_known(is)  ? QUALIFY_ADDED :
					       QUALIFY_SAME;
	else if (*was->words || *is->words)
		line->change = strcmp(was->words, is->words) ? direction(limit, line) :
							       QUALIFY_SAME;
	else if (strcmp(was->unit, is->unit))
		line->change = QUALIFY_CHANGED; /* the limit has no direction in other units */
	else
		weigh_numbers(limit, line);
}

static int add_line(struct qualify_comparison *comparison, const char *id, const char *name)
{
	const struct qualify_record *record = comparison->record;
	const struct qualify_row *was = qualify_find_row(&record[0], id);
	const struct qualify_row *is = qualify_find_row(&record[1], id);
	struct qualify_line *line = rxaqm_list_add(&comparison->lines);

	if (!line)
		return -ENOMEM;
	line->row = id;
	line->was = qualify_find_figure(was, name);
	line->is = qualify_find_figure(is, name);
	weigh(qualify_limit_of(record->nic_class, id, line->was ?: line->is), line);
	if (line->was && line->is && (*was->disturbed || *is->disturbed) &&
	    line->change != QUALIFY_SAME)
		line->change = QUALIFY_MAYBE;
	comparison->count[line->change]++;
	comparison->worse |= line->change == QUALIFY_WORSE;
	return 0;
}

int qualify_compare(struct qualify_comparison *comparison, const struct qualify_record *records,
		    char *const *names)
{
	const struct qualify_figure *figure;
	const struct qualify_row *row, *was;
	int err = 0;

	*comparison = (struct qualify_comparison){ .record = records, .names = names };
	rxaqm_list_each(row, &records[0].rows)
		rxaqm_list_each(figure, &row->figures)
			err = err ?: add_line(comparison, row->id, figure->name);
	rxaqm_list_each(row, &records[1].rows) {
		was = qualify_find_row(&records[0], row->id);
		/* Only a new failure counts: noise may cause a warning, and an unknown row says
		 * nothing.
		 */
		comparison->worse |= was && row->verdict == QUALIFY_FAIL &&
				     (was->verdict == QUALIFY_PASS || was->verdict == QUALIFY_WARN);
		rxaqm_list_each(figure, &row->figures)
			if (!qualify_find_figure(was, figure->name))
				err = err ?: add_line(comparison, row->id, figure->name);
	}
	return err;
}
