/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>

#include "qualify/judge/judge.h"
#include "qualify/print/picture.h"
#include "qualify/print/print.h"
#include "qualify/record/format.h"

static void print_fact(const char *name, const char *value, void *file)
{
	qualify_markup(file, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

static void print_verdicts(FILE *file, const struct qualify_record *record)
{
	size_t count[QUALIFY_NR_VERDICTS] = {};
	const struct qualify_row *row;

	rxaqm_list_each(row, &record->rows) {
		if (row->verdict < QUALIFY_NR_VERDICTS)
			count[row->verdict]++;
	}
	fprintf(file, "<p>%zu fail, %zu warn, %zu pass, %zu unknown.</p>\n", count[QUALIFY_FAIL],
		count[QUALIFY_WARN], count[QUALIFY_PASS], count[QUALIFY_UNKNOWN]);
	fputs("<table id=\"verdicts\">\n<thead><tr><th>Row</th><th></th><th>Verdict</th>"
	      "<th>Why</th></tr></thead>\n<tbody>\n",
	      file);
	rxaqm_list_each(row, &record->rows) {
		qualify_markup(file,
			       "<tr><td class=\"k\"><a href=\"#%s\">%s</a></td><td>%s</td><td>",
			       row->id, row->id, qualify_row_title(row->id));
		qualify_html_verdict(file, row->verdict);
		qualify_markup(file, "</td><td>%s</td></tr>\n", row->why);
	}
	fputs("</tbody>\n</table>\n", file);
}

static void print_cell(FILE *file, double value, const char *unit)
{
	char number[QUALIFY_NUMBER_LEN];

	qualify_markup(file, "<td class=\"n\">%s</td>",
		       isfinite(value) ? qualify_format(value, unit, number) : "");
}

static void print_figure(FILE *file, const struct qualify_figure *figure)
{
	const char *unit = figure->unit;

	qualify_markup(file, "<tbody><tr class=\"t\"><td>%s</td>", figure->name);
	if (*figure->words) {
		qualify_markup(file, "<td colspan=\"4\">%s</td>", figure->words);
	} else {
		print_cell(file, figure->median, unit);
		print_cell(file, figure->p99, unit);
		print_cell(file, figure->min, unit);
		print_cell(file, figure->max, unit);
	}
	fputs("<td class=\"n\">", file);
	if (qualify_known(figure->n))
		fprintf(file, "%llu", (unsigned long long)figure->n);
	if (qualify_known(figure->of) && figure->of > figure->n)
		fprintf(file, " of %llu", (unsigned long long)figure->of);
	fputs("</td>", file);
	print_cell(file, figure->cv, "share");
	print_cell(file, figure->error, unit);
	qualify_markup(file, "</tr>\n<tr class=\"m\"><td colspan=\"8\">%s</td></tr></tbody>\n",
		       figure->method);
}

static void print_pictures(FILE *file, const struct qualify_row *row)
{
	const struct qualify_row_kind *kind = qualify_row_kind(row->id);
	size_t nr = qualify_row_curves(row), i;
	struct qualify_picture picture;
	const char *caption;

	for (i = 0; i < nr; i++) {
		if (!qualify_picture_of(&picture, row, i))
			continue;
		fputs("<figure>\n", file);
		qualify_picture_draw(file, &picture, qualify_row_title(row->id));
		caption = picture.kind == QUALIFY_CDF ?
				  "Share of samples at or below a value, on a logarithmic scale: "
				  "left is better, upright is steadier. " :
				  "";
		fprintf(file, "<figcaption>%s%s</figcaption>\n</figure>\n", caption,
			kind && kind->picture &&
					kind->of_distribution == (picture.kind == QUALIFY_CDF) ?
				kind->picture :
				"");
	}
}

static void print_row(FILE *file, const struct qualify_row *row)
{
	const struct qualify_figure *figure;

	qualify_markup(file, "<section id=\"%s\">\n<h2>%s %s ", row->id, row->id,
		       qualify_row_title(row->id));
	qualify_html_verdict(file, row->verdict);
	qualify_markup(file, "</h2>\n<p class=\"why\">%s</p>\n", row->why);
	if (row->figures.nr) {
		fputs("<table class=\"f\">\n<thead><tr><th>Figure</th><th class=\"n\">Median</th>"
		      "<th class=\"n\">p99</th><th class=\"n\">Min</th><th class=\"n\">Max</th>"
		      "<th class=\"n\">n</th><th class=\"n\">Variation</th>"
		      "<th class=\"n\">Error &plusmn;</th></tr></thead>\n",
		      file);
		rxaqm_list_each(figure, &row->figures)
			print_figure(file, figure);
		fputs("</table>\n", file);
	}
	print_pictures(file, row);
	fputs("</section>\n", file);
}

void qualify_print_html(FILE *file, const struct qualify_record *record)
{
	const struct qualify_setup *setup;
	const struct qualify_row *row;
	char title[96];

	snprintf(title, sizeof(title), "NIC qualification of %s (%s)", record->interface,
		 *record->driver ? record->driver : "?");
	qualify_html_begin(file, title);
	fputs("<dl>\n", file);
	qualify_facts_each(record, print_fact, file);
	fputs("</dl>\n", file);
	if (record->setup.nr)
		fputs("<details><summary>The set-up</summary>\n<dl>\n", file);
	rxaqm_list_each(setup, &record->setup)
		print_fact(setup->name, setup->value, file);
	if (record->setup.nr)
		fputs("</dl></details>\n", file);
	print_verdicts(file, record);
	rxaqm_list_each(row, &record->rows)
		print_row(file, row);
	qualify_html_end(file);
}
