/* SPDX-License-Identifier: GPL-2.0-only */
/* A trial as a page: its blocks, the differences, and the sojourn under each policy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/picture.h"
#include "trial/judge.h"

#define WIDTH 640
#define LEFT 250
#define RIGHT 24
#define LINE 20
/* Larger changes are drawn at the edge. */
#define CHANGE_MAX 1.0

/* Draw a curve for each arm; @add adds its points. */
static void draw(FILE *file, const struct trial_record *record, const struct rxaqm_curve *axes,
		 enum rxaqm_picture_kind kind, const char *title,
		 void (*add)(struct rxaqm_curve *, const struct trial_record *, unsigned int arm))
{
	struct rxaqm_picture picture = { .kind = kind, .warn = NAN, .fail = NAN };
	struct rxaqm_curve curves[TRIAL_ARMS_MAX];
	unsigned int arm;

	for (arm = 0; arm < record->arms.nr; arm++) {
		curves[arm] = *axes;
		snprintf(curves[arm].name, sizeof(curves[arm].name), "%.47s",
			 record->arms.at[arm].settings);
		add(&curves[arm], record, arm);
		if (curves[arm].points.nr)
			picture.curve[picture.nr++] = &curves[arm];
	}
	snprintf(picture.title, sizeof(picture.title), "%s", title);
	rxaqm_markup(file, "<figure>\n<figcaption>%s</figcaption>\n", title);
	if (picture.nr)
		rxaqm_picture_draw(file, &picture);
	fputs("</figure>\n", file);
	for (arm = 0; arm < record->arms.nr; arm++)
		free(curves[arm].points.at);
}

static void add_blocks(struct rxaqm_curve *curve, const struct trial_record *record,
		       unsigned int arm)
{
	const struct trial_block *block;

	rxaqm_list_each(block, &record->blocks) {
		double p99 = block->outcome[TRIAL_SOJOURN_P99];

		if (block->arm == arm && isfinite(p99))
			rxaqm_list_put(&curve->points, (struct rxaqm_point){ block->at_s, p99 });
	}
}

static void add_cdf(struct rxaqm_curve *curve, const struct trial_record *record, unsigned int arm)
{
	const struct trial_point *point;

	rxaqm_list_each(point, &record->arms.at[arm].cdf)
		rxaqm_list_put(&curve->points, (struct rxaqm_point){ point->ns, point->share });
}

/* An outcome that never happened has no change to draw. */
static bool is_drawn(const struct trial_result *result, unsigned int arm)
{
	return result->arm == arm && isfinite(result->change) && result->before > 0;
}

/* A line for each outcome of @arm: the change and its interval. */
static void draw_changes(FILE *file, const struct trial_record *record, unsigned int arm)
{
	struct rxaqm_axis axis = { .from = LEFT, .to = WIDTH - RIGHT };
	double ticks[RXAQM_TICKS_MAX], y = LINE;
	const struct trial_result *result;
	size_t i, nr = 0;

	rxaqm_axis_fit(&axis, -CHANGE_MAX, CHANGE_MAX);
	rxaqm_markup(file,
		     "<figure>\n<figcaption>Changes under \"%s\", with the %s interval; larger ones "
		     "are drawn at the edge</figcaption>\n",
		     record->arms.at[arm].settings, "95 %");
	rxaqm_list_each(result, &record->results)
		nr += is_drawn(result, arm);
	fprintf(file, "<svg viewBox=\"0 0 %d %zu\" role=\"img\">\n", WIDTH, (nr + 2) * LINE);
	rxaqm_markup(file, "<title>Changes under %s</title>\n", record->arms.at[arm].settings);
	for (i = 0; i < rxaqm_axis_ticks(&axis, ticks); i++)
		fprintf(file,
			"<path class=\"grid\" d=\"M%.1f %dV%zu\"/>\n<text x=\"%.1f\" y=\"%zu\" "
			"text-anchor=\"middle\">%+.0f %%</text>\n",
			rxaqm_axis_at(&axis, ticks[i]), LINE / 2, (nr + 1) * LINE,
			rxaqm_axis_at(&axis, ticks[i]), (nr + 1) * LINE + 14, ticks[i] * 100);
	rxaqm_list_each(result, &record->results) {
		if (!is_drawn(result, arm))
			continue;
		fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, y + 4);
		rxaqm_markup(file, "%s</text>\n", trial_outcome(result->outcome)->title);
		fprintf(file, "<path class=\"line c%d\" d=\"M%.1f %.1fH%.1f\"/>\n", result->shown,
			rxaqm_axis_at(&axis, isfinite(result->low) ? result->low : -CHANGE_MAX), y,
			rxaqm_axis_at(&axis, isfinite(result->high) ? result->high : CHANGE_MAX));
		fprintf(file,
			"<rect class=\"bar c%d\" x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"8\"/>\n",
			result->shown, rxaqm_axis_at(&axis, result->change) - 3, y - 4);
		y += LINE;
	}
	fputs("</svg>\n</figure>\n", file);
}

void trial_print_html(FILE *file, const void *what)
{
	const struct trial_record *record = what;
	const struct trial_verdict *verdict;
	char title[96];

	snprintf(title, sizeof(title), "Trial on %.31s of %.40s", record->interface, record->host);
	rxaqm_page_begin(file, title);
	rxaqm_markup(file, "<h1>%s</h1>\n", title);
	rxaqm_list_each(verdict, &record->verdicts) {
		const struct trial_verdict_words *words = &trial_verdict_words[verdict->verdict];

		fprintf(file, "<p class=\"result b%u\"><strong>", words->grade);
		rxaqm_markup(file, "%s</strong> \"%s\" against \"%s\": %s</p>\n", words->words,
			     record->arms.at[verdict->arm].settings, record->arms.at[0].settings,
			     verdict->why);
	}
	rxaqm_markup(file,
		     "<dl><dt>Date</dt><dd>%s</dd><dt>Kernel</dt><dd>%s</dd><dt>rxaqm</dt>"
		     "<dd>%s</dd><dt>Ended</dt><dd>%s</dd></dl>\n",
		     record->time, record->kernel, record->rxaqm,
		     *record->ended ? record->ended : "as planned");
	draw(file, record, &(struct rxaqm_curve){ .x_unit = "s", .y_unit = "ns" },
	     RXAQM_PICTURE_COURSE, "p99 of the sojourn in each block, by its policy", add_blocks);
	rxaqm_list_each(verdict, &record->verdicts)
		draw_changes(file, record, verdict->arm);
	draw(file, record, &(struct rxaqm_curve){ .x_unit = "ns", .y_unit = "share" },
	     RXAQM_PICTURE_CDF, "Share of packets at or below a sojourn, by policy: left is better",
	     add_cdf);
	fputs("</main>\n</body>\n</html>\n", file);
}
