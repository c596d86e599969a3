/* SPDX-License-Identifier: GPL-2.0-only */
/* Which curves of a row are drawn into one picture. */
#include <math.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/print.h"
#include "qualify/record/record.h"

static enum rxaqm_picture_kind kind_of(const struct rxaqm_curve *curve)
{
	return curve->distribution	       ? RXAQM_PICTURE_CDF :
	       !strcmp(curve->x_unit, "queue") ? RXAQM_PICTURE_BARS :
						 RXAQM_PICTURE_LINES;
}

static bool go_together(const struct rxaqm_curve *a, const struct rxaqm_curve *b)
{
	return kind_of(a) == kind_of(b) && !strcmp(a->x_unit, b->x_unit) &&
	       !strcmp(a->y_unit, b->y_unit);
}

static void add_curve(struct rxaqm_picture *picture, const char *figure,
		      const struct rxaqm_curve *curve)
{
	if (!curve->points.nr || picture->nr == RXAQM_PICTURE_CURVES ||
	    (picture->nr && !go_together(picture->curve[0], curve)))
		return;
	picture->kind = kind_of(curve);
	picture->curve[picture->nr] = curve;
	picture->of[picture->nr++] = figure;
}

/* Set the figure's verdict and the limit lines. In bars, the limit is the largest share over an
 * even one.
 */
static void set_limits(struct rxaqm_picture *picture, const struct qualify_record *record,
		       const struct qualify_row *row)
{
	const struct qualify_row_kind *kind = qualify_row_kind(row->id);
	const struct rxaqm_curve *curve = picture->curve[0];
	struct qualify_judged judged;
	const char *name = kind->limit_of, *unit;
	double even = picture->kind == RXAQM_PICTURE_BARS ? (double)curve->points.nr : 1;

	picture->warn = picture->fail = NAN;
	snprintf(picture->title, sizeof(picture->title), "%s: %s", qualify_row_kind(row->id)->title,
		 qualify_verdicts[row->verdict]);
	if (!name || !qualify_judge_figure(record, row, name, &judged))
		return;
	snprintf(picture->title, sizeof(picture->title), "%s: %s", qualify_verdicts[judged.verdict],
		 judged.words);
	unit = judged.figure->unit;
	picture->limits_x = picture->kind == RXAQM_PICTURE_CDF || !strcmp(unit, curve->x_unit);
	picture->warn = judged.warn / even;
	picture->fail = judged.fail / even;
	snprintf(picture->warn_words, sizeof(picture->warn_words), "limit %s",
		 rxaqm_number(judged.warn, unit));
	snprintf(picture->fail_words, sizeof(picture->fail_words), "fails at %s",
		 rxaqm_number(judged.fail, unit));
}

bool qualify_picture_of(struct rxaqm_picture *picture, const struct qualify_record *record,
			const struct qualify_row *row)
{
	const struct qualify_figure *figure;
	const struct rxaqm_curve *curve;

	memset(picture, 0, sizeof(*picture));
	rxaqm_list_each(figure, &row->figures)
		rxaqm_list_each(curve, &figure->curves)
			add_curve(picture, figure->name, curve);
	if (picture->nr)
		set_limits(picture, record, row);
	return picture->nr;
}
