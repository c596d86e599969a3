/* SPDX-License-Identifier: GPL-2.0-only */
/* A trial as a page: its blocks and the differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "picture/picture.h"
#include "trial/judge.h"

/* The p99 of the blocks under each policy. */
static void draw_blocks(FILE *file, const struct trial_record *record)
{
	struct rxaqm_picture picture = { .kind = RXAQM_PICTURE_COURSE,
					 .title = "p99 of the sojourn in each block, by its policy",
					 .warn = NAN,
					 .fail = NAN };
	struct rxaqm_curve curves[TRIAL_ARMS_MAX];
	const struct trial_block *block;
	unsigned int arm;

	for (arm = 0; arm < record->arms.nr; arm++) {
		curves[arm] = (struct rxaqm_curve){ .x_unit = "s", .y_unit = "ns" };
		snprintf(curves[arm].name, sizeof(curves[arm].name), "%.47s",
			 record->arms.at[arm].settings);
		rxaqm_list_each(block, &record->blocks) {
			double p99 = block->outcome[TRIAL_SOJOURN_P99];

			if (block->arm == arm && isfinite(p99))
				rxaqm_list_put(&curves[arm].points,
					       (struct rxaqm_point){ block->at_s, p99 });
		}
		if (curves[arm].points.nr)
			picture.curve[picture.nr++] = &curves[arm];
	}
	rxaqm_markup(file, "<figure>\n<figcaption>%s</figcaption>\n", picture.title);
	if (picture.nr)
		rxaqm_picture_draw(file, &picture);
	fputs("</figure>\n", file);
	for (arm = 0; arm < record->arms.nr; arm++)
		free(curves[arm].points.at);
}

/* A line for each outcome under @arm; those that are shown are bold. */
static void print_changes(FILE *file, const struct trial_record *record, unsigned int arm)
{
	char change[RXAQM_NUMBER_LEN], low[RXAQM_NUMBER_LEN], high[RXAQM_NUMBER_LEN];
	const struct trial_result *result;

	rxaqm_markup(file,
		     "<h2>Changes under %s</h2>\n<table><tr><th>Outcome</th><th>before</th>"
		     "<th>after</th><th>change, in percent</th><th>its interval</th></tr>\n",
		     record->arms.at[arm].settings);
	rxaqm_list_each(result, &record->results) {
		const struct trial_outcome *kind = trial_outcome(result->outcome);

		if (result->arm != arm)
			continue;
		rxaqm_markup(file, result->shown ? "<tr><td><b>%s</b></td>" : "<tr><td>%s</td>",
			     kind->title);
		rxaqm_markup(file, "<td>%s</td>", rxaqm_number(result->before, kind->unit));
		rxaqm_markup(file, "<td>%s</td><td>%s</td><td>%s to %s</td></tr>\n",
			     rxaqm_number(result->after, kind->unit),
			     trial_percent(result->change, change), trial_percent(result->low, low),
			     trial_percent(result->high, high));
	}
	fputs("</table>\n", file);
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
	draw_blocks(file, record);
	rxaqm_list_each(verdict, &record->verdicts)
		print_changes(file, record, verdict->arm);
	fputs("</main>\n</body>\n</html>\n", file);
}
