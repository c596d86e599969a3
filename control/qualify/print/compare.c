/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
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

static struct qualify_cell weigh(const struct qualify_limit *limit, const struct qualify_figure *a,
				 const struct qualify_figure *b, bool p99)
{
	struct qualify_cell cell = { .figure = b, .noise = NAN };
	bool words = a && b && (*a->words || *b->words);
	double from, to;

	cell.change = is_known(a) ? QUALIFY_ABSENT : is_known(b) ? QUALIFY_ADDED : QUALIFY_SAME;
	if (!is_known(a) || !is_known(b))
		return cell;
	cell.change = QUALIFY_CHANGED;
	if (words && !strcmp(a->words, b->words))
		cell.change = QUALIFY_SAME;
	if (words || strcmp(a->unit, b->unit)) {
		a = words ? a : NULL; /* the limit has no direction in other units */
	} else if (p99) {
		cell.change = p99_changed(a, b) ? QUALIFY_CHANGED : QUALIFY_SAME;
	} else {
		cell.noise = noise_of(a, b);
		if (fabs(b->median - a->median) <= cell.noise)
			cell.change = QUALIFY_SAME;
		else if (!variation_known(a) || !variation_known(b))
			cell.change = QUALIFY_MAYBE;
	}
	if (!a || cell.change != QUALIFY_CHANGED)
		return cell;
	from = badness(limit, a, p99);
	to = badness(limit, b, p99);
	if (to != from && !isnan(to) && !isnan(from))
		cell.change = to > from ? QUALIFY_WORSE : QUALIFY_BETTER;
	return cell;
}

/* Compare the p99s if the medians are the same. */
static struct qualify_cell weigh_tail(const struct qualify_limit *limit,
				      const struct qualify_figure *a,
				      const struct qualify_figure *b)
{
	struct qualify_cell cell = weigh(limit, a, b, false);

	if (cell.change == QUALIFY_SAME)
		return weigh(limit, a, b, true);
	cell.change = QUALIFY_SAME;
	return cell;
}

/* Is there a record whose p99 of @figure differs from the first, though its median does not? */
static bool tail_differs(const struct qualify_comparison *comparison, const char *id,
			 const struct qualify_figure *figure)
{
	const struct qualify_record *record = comparison->record;
	const struct qualify_figure *first = qualify_find_figure(qualify_find_row(record, id),
								 figure->name);
	const struct qualify_figure *other;
	unsigned int i;

	for (i = 1; i < comparison->nr; i++) {
		other = qualify_find_figure(qualify_find_row(&record[i], id), figure->name);
		if (weigh_tail(NULL, first, other).change != QUALIFY_SAME)
			return true;
	}
	return false;
}

/* Add a line with the medians, or the p99s, of @figure of row @id in all records. */
static int add_line(struct qualify_comparison *comparison, const char *id,
		    const struct qualify_figure *figure, bool p99)
{
	const struct qualify_record *record = comparison->record;
	const struct qualify_limit *limit = qualify_limit_of(record->nic_class, id, figure);
	struct qualify_line *line = rxaqm_list_add(&comparison->lines);
	const struct qualify_figure *first = NULL, *other;
	const struct qualify_row *row;
	bool first_disturbed = false, disturbed;
	struct qualify_cell *cell;
	unsigned int i;

	if (!line)
		return -ENOMEM;
	line->row = id;
	line->figure = figure;
	line->p99 = p99;
	for (i = 0; i < comparison->nr; i++) {
		cell = &line->cell[i];
		row = qualify_find_row(&record[i], id);
		other = qualify_find_figure(row, figure->name);
		disturbed = row && *row->disturbed;
		first = i ? first : other;
		first_disturbed = i ? first_disturbed : disturbed;
		*cell = p99 ? weigh_tail(limit, first, other) : weigh(limit, first, other, false);
		if ((disturbed || first_disturbed) && first && other &&
		    cell->change != QUALIFY_SAME)
			cell->change = QUALIFY_MAYBE;
		/* A figure is counted once: a changed p99 replaces its median. */
		comparison->count[i][QUALIFY_SAME] -= p99 && cell->change != QUALIFY_SAME;
		comparison->count[i][cell->change] += !p99 || cell->change != QUALIFY_SAME;
		comparison->worse |= cell->change == QUALIFY_WORSE;
	}
	return 0;
}

/* Add the figures of @row of record @nr that no earlier record has. */
static int add_row(struct qualify_comparison *comparison, unsigned int nr,
		   const struct qualify_row *row)
{
	const struct qualify_row *was = qualify_find_row(&comparison->record[0], row->id);
	const struct qualify_figure *figure;
	unsigned int i;
	int err = 0;

	/* Only a new failure counts: noise may cause a warning, and an unknown row says nothing. */
	comparison->worse |= was && row->verdict == QUALIFY_FAIL &&
			     (was->verdict == QUALIFY_PASS || was->verdict == QUALIFY_WARN);
	rxaqm_list_each(figure, &row->figures) {
		for (i = 0; i < nr; i++) {
			if (qualify_find_figure(qualify_find_row(&comparison->record[i], row->id),
						figure->name))
				break;
		}
		if (i < nr)
			continue;
		err = err ?: add_line(comparison, row->id, figure, false);
		if (tail_differs(comparison, row->id, figure))
			err = err ?: add_line(comparison, row->id, figure, true);
	}
	return err;
}

int qualify_compare(struct qualify_comparison *comparison, const struct qualify_record *records,
		    char *const *names, unsigned int nr)
{
	const struct qualify_row *row;
	unsigned int i;
	int err = 0;

	*comparison = (struct qualify_comparison){ .record = records, .names = names, .nr = nr };
	for (i = 0; i < nr; i++) {
		rxaqm_list_each(row, &records[i].rows)
			err = err ?: add_row(comparison, i, row);
	}
	return err;
}
