/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/print.h"
#include "qualify/record/record.h"

/* With a mark that is readable without colours. */
static void print_verdict(FILE *file, unsigned int verdict)
{
	static const char *const signs[] = { "?", "\342\234\223", "!", "\342\234\227", "-" };

	fprintf(file, "<span class=\"v v%u\">%s %s</span>", verdict, signs[verdict],
		qualify_verdicts[verdict]);
}

/* The overall result, and why: the rows that failed, or warn if none failed. */
static void print_result(FILE *file, const struct qualify_record *record)
{
	const struct qualify_row *row;
	__u32 verdict = record->verdict;
	char text[QUALIFY_RESULT_LEN];

	fprintf(file, "<p class=\"result b%u\"><strong>%s</strong>", verdict,
		qualify_result(record, text));
	rxaqm_markup(file, "%s</p>\n", text);
	if (verdict >= QUALIFY_WARN)
		fputs("<ul class=\"bad\">\n", file);
	rxaqm_list_each(row, &record->rows) {
		if (row->verdict != verdict || verdict < QUALIFY_WARN)
			continue;
		rxaqm_markup(file, "<li><a href=\"#%s\">%s %s</a>: <b>%s</b> %s</li>\n", row->id,
			     row->id, qualify_row_kind(row->id)->title, row->meaning, row->why);
	}
	if (verdict >= QUALIFY_WARN)
		fputs("</ul>\n", file);
}

static void print_verdicts(FILE *file, const struct qualify_record *record)
{
	const struct qualify_row *row;
	char words[QUALIFY_WHY_LEN];

	fputs("<h2>All rows</h2>\n<table id=\"verdicts\">\n<thead><tr><th>Row</th><th>What</th>"
	      "<th>Verdict</th><th>Why</th></tr></thead>\n<tbody>\n",
	      file);
	rxaqm_list_each(row, &record->rows) {
		rxaqm_markup(file, "<tr><td class=\"k\"><a href=\"#%s\">%s</a></td><td>%s</td><td>",
			     row->id, row->id, qualify_row_kind(row->id)->title);
		print_verdict(file, row->verdict);
		rxaqm_markup(file, "</td><td>%s</td></tr>\n", qualify_row_words(row, words));
	}
	fputs("</tbody>\n</table>\n", file);
}

static void print_cell(FILE *file, double value, const char *unit)
{
	rxaqm_markup(file, "<td class=\"n\">%s</td>",
		     isfinite(value) ? rxaqm_number(value, unit) : "");
}

static void print_figure(FILE *file, const struct qualify_figure *figure)
{
	const char *unit = figure->unit;
	char words[QUALIFY_FIGURE_LEN];

	rxaqm_markup(file, "<tbody><tr class=\"t\"><td>%s</td>", figure->name);
	if (*figure->words) {
		rxaqm_markup(file, "<td colspan=\"4\">%s</td>",
			     qualify_format_figure(figure, words));
	} else {
		print_cell(file, figure->median, unit);
		print_cell(file, figure->p99, unit);
		print_cell(file, figure->min, unit);
		print_cell(file, figure->max, unit);
	}
	fputs("<td class=\"n\">", file);
	if (qualify_known(figure->n))
		fprintf(file, "%llu", figure->n);
	if (qualify_known(figure->of) && figure->of > figure->n)
		fprintf(file, " of %llu", figure->of);
	fputs("</td>", file);
	print_cell(file, figure->cv, "share");
	print_cell(file, figure->error, unit);
	rxaqm_markup(file, "</tr>\n<tr class=\"m\"><td colspan=\"8\">%s</td></tr></tbody>\n",
		     figure->method);
}

static void print_picture(FILE *file, const struct qualify_record *record,
			  const struct qualify_row *row)
{
	struct rxaqm_picture picture;

	if (!qualify_row_kind(row->id)->limit_of || !qualify_picture_of(&picture, record, row))
		return;
	rxaqm_markup(file, "<figure>\n<figcaption><b>%s</b></figcaption>\n", picture.title);
	rxaqm_picture_draw(file, &picture);
	fputs("</figure>\n", file);
}

static void print_row(FILE *file, const struct qualify_record *record,
		      const struct qualify_row *row)
{
	const struct qualify_figure *figure;
	char words[QUALIFY_WHY_LEN];

	rxaqm_markup(file, "<section id=\"%s\">\n<h2>%s %s ", row->id, row->id,
		     qualify_row_kind(row->id)->title);
	print_verdict(file, row->verdict);
	rxaqm_markup(file, "</h2>\n<p class=\"why\">%s</p>\n", qualify_row_words(row, words));
	if (row->figures.nr) {
		/* tabindex: keys can scroll a table that is wider than a phone. */
		fputs("<table class=\"f\" tabindex=\"0\">\n<thead><tr><th>Figure</th><th class=\"n\">Median</th>"
		      "<th class=\"n\">p99</th><th class=\"n\">Min</th><th class=\"n\">Max</th>"
		      "<th class=\"n\">n</th><th class=\"n\">Variation</th>"
		      "<th class=\"n\">Error &plusmn;</th></tr></thead>\n",
		      file);
		rxaqm_list_each(figure, &row->figures)
			print_figure(file, figure);
		fputs("</table>\n", file);
	}
	print_picture(file, record, row);
	fputs("</section>\n", file);
}

void qualify_print_html(FILE *file, const void *what)
{
	struct qualify_fact facts[QUALIFY_FACTS];
	const struct qualify_record *record = what;
	const struct qualify_setup *setup;
	const struct qualify_row *row;
	char title[96];
	size_t i;

	qualify_facts(record, facts);
	snprintf(title, sizeof(title), "NIC qualification of %s (%s)", record->interface,
		 *record->driver ? record->driver : "?");
	rxaqm_page_begin(file, title);
	rxaqm_markup(file, "<h1>%s</h1>\n", title);
	print_result(file, record);
	fputs("<dl>\n", file);
	for (i = 0; i < QUALIFY_FACTS; i++) {
		if (*facts[i].value)
			rxaqm_markup(file, "<dt>%s</dt><dd>%s</dd>\n", facts[i].name,
				     facts[i].value);
	}
	fputs("</dl>\n", file);
	if (record->setup.nr)
		fputs("<details><summary>The set-up</summary>\n<dl>\n", file);
	rxaqm_list_each(setup, &record->setup)
		rxaqm_markup(file, "<dt>%s</dt><dd>%s</dd>\n", setup->name, setup->value);
	if (record->setup.nr)
		fputs("</dl></details>\n", file);
	print_verdicts(file, record);
	rxaqm_list_each(row, &record->rows)
		print_row(file, record, row);
	fputs("</main>\n</body>\n</html>\n", file);
}
