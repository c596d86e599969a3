/* SPDX-License-Identifier: GPL-2.0-only */
/* A picture as SVG. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "picture/picture.h"

#define WIDTH 640
#define PLOT_HEIGHT 220
#define LEFT 72
#define RIGHT 24
#define BELOW 50 /* the plot: labels of x and what it is */
#define LEGEND_LINE 18
#define LETTER 7.2 /* width of a wide one at 12 px, so that labels do not overlap */
/* Ratio of largest to smallest value from which a scale is logarithmic. */
#define DECADES_FOR_LOG 30
/* More bars than any picture shows. */
#define MAX_BARS 128

struct plot {
	FILE *file;
	const struct rxaqm_picture *picture;
	struct rxaqm_axis x, y;
	const char *x_unit, *y_unit;
	double top, bottom;
};

struct range {
	double low, high, positive; /* the least value over 0 */
};

static void widen(struct range *range, double value)
{
	if (!isfinite(value))
		return;
	range->low = fmin(range->low, value);
	range->high = fmax(range->high, value);
	if (value > 0)
		range->positive = fmin(range->positive, value);
}

static void fit(struct rxaqm_axis *axis, const struct range *range, bool want_log, bool from_zero)
{
	double low = range->low, high = range->high;

	axis->log = want_log && range->positive <= range->high;
	if (axis->log)
		low = range->positive;
	else if (from_zero && low > 0)
		low = 0;
	if (!(low <= high)) {
		low = 0;
		high = 1;
	}
	rxaqm_axis_fit(axis, low, high);
}

static void scale(struct plot *plot)
{
	const struct rxaqm_picture *picture = plot->picture;
	struct range x = { INFINITY, -INFINITY, INFINITY }, y = x;
	bool wide_x, wide_y;
	const struct rxaqm_point *point;
	unsigned int i;

	for (i = 0; i < picture->nr; i++) {
		rxaqm_list_each(point, &picture->curve[i]->points) {
			widen(&x, point->x);
			widen(&y, point->y);
		}
	}
	/* Show the limit, too: if all is well no curve comes near it. */
	widen(picture->limits_x ? &x : &y, isfinite(picture->warn) ? picture->warn : picture->fail);
	wide_x = x.high >= DECADES_FOR_LOG * x.positive && picture->kind != RXAQM_PICTURE_COURSE;
	wide_y = y.low > 0 && y.high >= DECADES_FOR_LOG * y.low && strcmp(plot->y_unit, "share");
	fit(&plot->x, &x, picture->kind == RXAQM_PICTURE_CDF || (x.low > 0 && wide_x), false);
	fit(&plot->y, &y, picture->kind != RXAQM_PICTURE_BARS && wide_y, true);
	if (picture->kind == RXAQM_PICTURE_CDF) {
		plot->y.log = false;
		plot->y.min = 0;
		plot->y.max = 1;
		plot->y.step = 0.25;
	}
	plot->x.from = LEFT;
	plot->x.to = WIDTH - RIGHT;
	plot->y.from = plot->bottom;
	plot->y.to = plot->top;
}

static void draw_label(FILE *file, double x, double y, const char *anchor, const char *text)
{
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	rxaqm_markup(file, "%s</text>\n", text);
}

static void draw_line(FILE *file, const char *class, double x1, double y1, double x2, double y2)
{
	fprintf(file, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x1, y1, x2, y2);
}

/* The unit in words, for the axis; "share of packets" and "delay" are words already. */
static const char *unit_words(const char *unit)
{
	return !strcmp(unit, "s")     ? "seconds" :
	       !strcmp(unit, "ns")    ? "time" :
	       !strcmp(unit, "pps")   ? "packets a second" :
	       !strcmp(unit, "share") ? "share" :
					unit;
}

/* A round number, without zeros that only fill it up to three digits. */
static const char *tick_label(double value, const char *unit, char buf[RXAQM_NUMBER_LEN])
{
	char digits[RXAQM_NUMBER_LEN];
	const char *text = rxaqm_format_number(value, unit, buf),
		   *blank = text + strcspn(text, " ");

	snprintf(digits, sizeof(digits), "%g%s", strtod(text, NULL), blank);
	return strcpy(buf, digits);
}

/* The unit is beside each number only if the number is scaled by it; else the axis has it. */
static const char *tick_unit(const char *unit)
{
	return !strcmp(unit, "ns") || !strcmp(unit, "share") || !strcmp(unit, "pps") ||
			       !strcmp(unit, "bytes") ?
		       unit :
		       "";
}

static void draw_x_axis(const struct plot *plot)
{
	double ticks[RXAQM_TICKS_MAX], place, last = -WIDTH, half;
	size_t nr = rxaqm_axis_ticks(&plot->x, ticks), i;
	char number[RXAQM_NUMBER_LEN];
	const char *label;

	for (i = 0; i < nr && plot->picture->kind != RXAQM_PICTURE_BARS; i++) {
		place = rxaqm_axis_at(&plot->x, ticks[i]);
		label = tick_label(ticks[i], tick_unit(plot->x_unit), number);
		half = (double)strlen(label) * LETTER / 2;
		draw_line(plot->file, "grid", place, plot->top, place, plot->bottom);
		if (place - half < last)
			continue;
		draw_label(plot->file, fmin(place, WIDTH - half), plot->bottom + 20, "middle",
			   label);
		last = place + half + LETTER;
	}
	draw_label(plot->file, (LEFT + WIDTH - RIGHT) / 2.0, plot->bottom + 39, "middle",
		   unit_words(plot->x_unit));
}

static void draw_y_axis(const struct plot *plot)
{
	double ticks[RXAQM_TICKS_MAX], place;
	size_t nr = rxaqm_axis_ticks(&plot->y, ticks), i;
	const char *unit = tick_unit(plot->y_unit);
	char number[RXAQM_NUMBER_LEN];

	for (i = 0; i < nr; i++) {
		place = rxaqm_axis_at(&plot->y, ticks[i]);
		draw_line(plot->file, "grid", LEFT, place, WIDTH - RIGHT, place);
		draw_label(plot->file, LEFT - 6, place + 4, "end",
			   tick_label(ticks[i], unit, number));
	}
	fprintf(plot->file,
		"<text transform=\"translate(13 %.1f) rotate(-90)\" "
		"text-anchor=\"middle\">",
		(plot->top + plot->bottom) / 2);
	rxaqm_markup(plot->file, "%s</text>\n",
		     plot->picture->kind == RXAQM_PICTURE_CDF ? "at or below" :
		     *plot->y_unit			      ? unit_words(plot->y_unit) :
								plot->picture->curve[0]->name);
	fprintf(plot->file, "<path class=\"axis\" d=\"M%d %.1fV%.1fH%d\"/>\n", LEFT, plot->top,
		plot->bottom, WIDTH - RIGHT);
}

/* Draw the visible part of the curve: no two points on the same pixel. */
static void draw_curve(const struct plot *plot, unsigned int which)
{
	const struct rxaqm_curve *curve = plot->picture->curve[which];
	bool steps = plot->picture->kind == RXAQM_PICTURE_CDF, begun = false;
	const struct rxaqm_point *point, *last = curve->points.at + curve->points.nr - 1;
	double last_x = 0, last_y = 0;

	fprintf(plot->file, "<path class=\"line c%u\" d=\"", which);
	rxaqm_list_each(point, &curve->points) {
		double x = rxaqm_axis_at(&plot->x, point->x);
		double y = rxaqm_axis_at(&plot->y, point->y);

		if (isnan(point->x) || isnan(point->y) ||
		    (begun && point < last && fabs(x - last_x) < 1 && fabs(y - last_y) < 1))
			continue;
		if (!begun)
			fprintf(plot->file, "M%.1f %.1f", x, steps ? plot->bottom : y);
		if (steps)
			fprintf(plot->file, "H%.1fV%.1f", x, y);
		else if (begun)
			fprintf(plot->file, "L%.1f %.1f", x, y);
		begun = true;
		last_x = x;
		last_y = y;
	}
	/* All packets were at or below the last value. */
	if (steps && begun)
		fprintf(plot->file, "H%d", WIDTH - RIGHT);
	fputs("\"/>\n", plot->file);
}

static void draw_bars(const struct plot *plot, unsigned int which)
{
	const struct rxaqm_curve *curve = plot->picture->curve[which];
	size_t nr = curve->points.nr < MAX_BARS ? curve->points.nr : MAX_BARS, i;
	double slot = (WIDTH - RIGHT - LEFT) / (double)nr;
	double width = slot * 0.8 / plot->picture->nr;
	char number[RXAQM_NUMBER_LEN];
	/* As many labels as fit. */
	size_t every = (size_t)ceil(5 * LETTER / slot);

	for (i = 0; i < nr; i++) {
		double x = LEFT + slot * ((double)i + 0.1) + width * which;
		double y = rxaqm_axis_at(&plot->y, curve->points.at[i].y);

		fprintf(plot->file,
			"<rect class=\"bar c%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			"height=\"%.1f\"/>\n",
			which, x, y, width, plot->bottom - y);
		if (which == 0 && i % every == 0)
			draw_label(plot->file, LEFT + slot * ((double)i + 0.5), plot->bottom + 20,
				   "middle", tick_label(curve->points.at[i].x, "", number));
	}
}

/* Draw a line at @value, if it is inside the plot, and its @words: for x on line @line, for y at
 * the left or right.
 */
static void draw_limit(const struct plot *plot, double value, const char *class, const char *words,
		       int line, bool left)
{
	bool of_x = plot->picture->limits_x, beyond_middle;
	const struct rxaqm_axis *axis = of_x ? &plot->x : &plot->y;
	double place;

	if (!isfinite(value) || value < axis->min || value > axis->max)
		return;
	place = rxaqm_axis_at(axis, value);
	beyond_middle = place > (LEFT + WIDTH) / 2.0;
	if (of_x) {
		draw_line(plot->file, class, place, plot->top, place, plot->bottom);
		draw_label(plot->file, beyond_middle ? place - 5 : place + 5,
			   plot->bottom - 14 * line + 4, beyond_middle ? "end" : "start", words);
	} else {
		draw_line(plot->file, class, LEFT, place, WIDTH - RIGHT, place);
		draw_label(plot->file, left ? LEFT + 5 : WIDTH - RIGHT - 4,
			   place > plot->top + 14 ? place - 4 : place + 13, left ? "start" : "end",
			   words);
	}
}

#define NAME_LEN (sizeof(((struct rxaqm_curve *)0)->name) * 2 + 2)

/* The curve's own name; if that is not unique, with its figure's name. */
static void name_curve(const struct rxaqm_picture *picture, unsigned int which, char name[NAME_LEN])
{
	const char *own = picture->curve[which]->name;
	bool twice = false;
	unsigned int i;

	for (i = 0; i < picture->nr; i++)
		twice |= i != which && !strcmp(picture->curve[i]->name, own);
	if (*own && !twice)
		snprintf(name, NAME_LEN, "%s", own);
	else
		snprintf(name, NAME_LEN, "%s%s%s", picture->of[which], *own ? ", " : "", own);
	for (i = 0; name[i]; i++)
		name[i] = name[i] == '_' ? ' ' : name[i];
}

/* Draw (@draw) or only measure the names of curves above the plot, as many in a line as fit.
 * Returns the height they take.
 */
static double legend(FILE *file, const struct rxaqm_picture *picture, bool draw)
{
	double x = LEFT, y = LEGEND_LINE, width;
	char name[NAME_LEN];
	unsigned int i;

	for (i = 0; i < picture->nr; i++) {
		name_curve(picture, i, name);
		width = 46 + (double)strlen(name) * LETTER;
		if (x > LEFT && x + width > WIDTH) {
			x = LEFT;
			y += LEGEND_LINE;
		}
		if (draw && picture->kind == RXAQM_PICTURE_BARS)
			fprintf(file,
				"<rect class=\"bar c%u\" x=\"%.1f\" y=\"%.1f\" width=\"28\" "
				"height=\"9\"/>\n",
				i, x, y - 9);
		else if (draw)
			fprintf(file, "<path class=\"line c%u\" d=\"M%.1f %.1fh28\"/>\n", i, x,
				y - 4);
		if (draw)
			draw_label(file, x + 34, y, "start", name);
		x += width;
	}
	return y;
}

void rxaqm_picture_draw(FILE *file, const struct rxaqm_picture *picture)
{
	struct plot plot = {
		.file = file,
		.picture = picture,
		.x_unit = picture->curve[0]->x_unit,
		.y_unit = picture->curve[0]->y_unit,
	};
	unsigned int i;

	plot.top = legend(file, picture, false) + 14;
	plot.bottom = plot.top + PLOT_HEIGHT;
	scale(&plot);
	fprintf(file, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\">\n", WIDTH, plot.bottom + BELOW);
	rxaqm_markup(file, "<title>%s</title>\n", picture->title);
	draw_x_axis(&plot);
	draw_y_axis(&plot);
	for (i = 0; i < picture->nr; i++) {
		if (picture->kind == RXAQM_PICTURE_BARS)
			draw_bars(&plot, i);
		else
			draw_curve(&plot, i);
	}
	draw_limit(&plot, picture->warn, "limit", picture->warn_words, 1, false);
	draw_limit(&plot, picture->fail, "limit fails", picture->fail_words, 2, true);
	legend(file, picture, true);
	fputs("</svg>\n", file);
}
