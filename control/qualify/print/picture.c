/* SPDX-License-Identifier: GPL-2.0-only */
/* Which curves of a row make a picture. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "qualify/judge/judge.h"
#include "qualify/print/picture.h"
#include "qualify/record/record.h"

static void print_escaped(FILE *file, const char *text)
{
	static const char marks[] = "&<>\"'";
	static const char *const words[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	char *clean = strdup(text), *at;
	const char *mark;

	if (!clean)
		return;
	rxaqm_clean(clean);
	for (at = clean; *at; at++) {
		mark = strchr(marks, *at);
		if (mark)
			fputs(words[mark - marks], file);
		else
			fputc(*at, file);
	}
	free(clean);
}

void qualify_markup(FILE *file, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	for (; *form; form++) {
		if (strncmp(form, "%s", 2)) {
			fputc(*form, file);
		} else {
			print_escaped(file, va_arg(args, const char *));
			form++;
		}
	}
	va_end(args);
}

static enum qualify_picture_kind kind_of(const struct qualify_curve *curve)
{
	return curve->distribution	       ? QUALIFY_CDF :
	       !strcmp(curve->x_unit, "queue") ? QUALIFY_BARS :
						 QUALIFY_LINES;
}

static bool go_together(const struct qualify_curve *a, const struct qualify_curve *b)
{
	return kind_of(a) == kind_of(b) && !strcmp(a->x_unit, b->x_unit) &&
	       !strcmp(a->y_unit, b->y_unit);
}

size_t qualify_row_curves(const struct qualify_row *row)
{
	const struct qualify_figure *figure;
	size_t nr = 0;

	rxaqm_list_each(figure, &row->figures)
		nr += figure->curves.nr;
	return nr;
}

static const struct qualify_curve *curve_at(const struct qualify_row *row, size_t at,
					    const char **ret_figure)
{
	const struct qualify_figure *figure;

	rxaqm_list_each(figure, &row->figures) {
		if (at < figure->curves.nr) {
			*ret_figure = figure->name;
			return &figure->curves.at[at];
		}
		at -= figure->curves.nr;
	}
	return NULL;
}

/* What the figure came to whose limit is drawn, and where; of bars the limit is of the share that
 * the fullest may have over an even one.
 */
static void set_limits(struct qualify_picture *picture, const struct qualify_record *record,
		       const struct qualify_row *row)
{
	const struct qualify_row_kind *kind = qualify_row_kind(row->id);
	const struct qualify_curve *curve = picture->curve[0];
	struct qualify_judged judged;
	const char *name = kind->limit_of, *unit;
	double even = picture->kind == QUALIFY_BARS ? (double)curve->points.nr : 1;

	picture->warn = picture->fail = NAN;
	snprintf(picture->title, sizeof(picture->title), "%s: %s", qualify_row_kind(row->id)->title,
		 qualify_verdict_name(row->verdict));
	if (!name || !qualify_judge_figure(record, row, name, &judged))
		return;
	snprintf(picture->title, sizeof(picture->title), "%s: %s",
		 qualify_verdict_name(judged.verdict), judged.words);
	unit = judged.figure->unit;
	picture->limits_x = picture->kind == QUALIFY_CDF || !strcmp(unit, curve->x_unit);
	picture->warn = judged.warn / even;
	picture->fail = judged.fail / even;
	snprintf(picture->warn_words, sizeof(picture->warn_words), "limit %s",
		 qualify_number(judged.warn, unit));
	snprintf(picture->fail_words, sizeof(picture->fail_words), "fails at %s",
		 qualify_number(judged.fail, unit));
}

bool qualify_picture_of(struct qualify_picture *picture, const struct qualify_record *record,
			const struct qualify_row *row, size_t first)
{
	size_t nr = qualify_row_curves(row), like = 0, i;
	const struct qualify_curve *lead, *curve;
	const char *of;

	memset(picture, 0, sizeof(*picture));
	lead = first < nr ? curve_at(row, first, &of) : NULL;
	if (!lead || lead->points.nr == 0)
		return false;
	picture->kind = kind_of(lead);
	for (i = 0; i < nr; i++) {
		curve = curve_at(row, i, &of);
		if (curve->points.nr == 0 || !go_together(lead, curve))
			continue;
		/* Six to a picture: a picture begins with each seventh. */
		if (i < first)
			like++;
		else if (like % QUALIFY_PICTURE_CURVES)
			return false;
		else if (picture->nr < QUALIFY_PICTURE_CURVES) {
			picture->curve[picture->nr] = curve;
			picture->of[picture->nr++] = of;
		}
	}
	set_limits(picture, record, row);
	return true;
}

/* Steps of a linear axis, at most. */
#define STEPS 5
/* No more labels than fit beside each other. */
#define DECADES 8

static const double nice[] = { 1, 2, 5, 10 };

/* 1, 2 or 5 times a power of ten, the next one from @value downwards or upwards. */
static double round_nice(double value, bool up)
{
	double power = pow(10, floor(log10(value))), mantissa = value / power;
	size_t i;

	/* A little off what it should be, as 0.001 is in binary. */
	for (i = 0; i < 3; i++) {
		if (fabs(mantissa - nice[i]) < 1e-9)
			return nice[i] * power;
		if (mantissa < nice[i + 1] * (1 - 1e-9))
			break;
	}
	i = i < 3 ? i : 2;
	return nice[up ? i + 1 : i] * power;
}

static void fit_log(struct qualify_axis *axis, double low, double high)
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

void qualify_axis_fit(struct qualify_axis *axis, double low, double high)
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

double qualify_axis_at(const struct qualify_axis *axis, double value)
{
	double inside = fmin(fmax(value, axis->min), axis->max);
	double part = axis->log ? log(inside / axis->min) / log(axis->max / axis->min) :
				  (inside - axis->min) / (axis->max - axis->min);

	return axis->from + part * (axis->to - axis->from);
}

static size_t log_ticks(const struct qualify_axis *axis, double ticks[QUALIFY_TICKS_MAX])
{
	double decades = log10(axis->max / axis->min), power, value;
	int every, at;
	size_t nr = 0, i;

	if (!isfinite(decades)) /* of a record that was made up */
		return 0;
	every = (int)ceil(decades / DECADES);
	at = (int)floor(log10(axis->min) + 1e-9);
	for (; nr < QUALIFY_TICKS_MAX; at += every) {
		power = pow(10, at);
		for (i = 0; i < (decades > 2 + 1e-9 ? 1 : 3) && nr < QUALIFY_TICKS_MAX; i++) {
			value = nice[i] * power;
			if (value > axis->max * (1 + 1e-9))
				return nr;
			if (value >= axis->min * (1 - 1e-9))
				ticks[nr++] = value;
		}
	}
	return nr;
}

size_t qualify_axis_ticks(const struct qualify_axis *axis, double ticks[QUALIFY_TICKS_MAX])
{
	size_t nr, steps;

	if (axis->log)
		return log_ticks(axis, ticks);
	steps = (size_t)lround((axis->max - axis->min) / axis->step);
	for (nr = 0; nr <= steps && nr < QUALIFY_TICKS_MAX; nr++) {
		ticks[nr] = axis->min + (double)nr * axis->step;
		if (fabs(ticks[nr]) < axis->step / 1e6)
			ticks[nr] = 0;
	}
	return nr;
}
