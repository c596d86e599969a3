/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/compare.h"
#include "qualify/print/picture.h"
#include "qualify/print/print.h"
#include "qualify/record/format.h"

static const char rule[] =
	"Changed: medians further apart than 3 standard errors of both and their own errors, or p99s "
	"whose intervals do not meet. Maybe: they differ, and how much they vary is not known. Better "
	"and worse: by the limits of B's class. Two runs of one NIC show what the set-up itself "
	"varies by.";

const char *qualify_change_name(enum qualify_change_kind kind)
{
	static const char *const names[] = { "same",  "maybe",	   "changed",  "better",
					     "worse", "only in A", "only in B" };

	return names[kind];
}

/* "+12.5 %", "x 63", or "" where that says nothing. */
static const char *percent_of(const struct qualify_change *change, char buf[32])
{
	double a, b;

	if (!change->a || !change->b || *change->a->words || *change->b->words ||
	    strcmp(change->a->unit, change->b->unit))
		return "";
	a = change->p99 ? change->a->p99 : change->a->median;
	b = change->p99 ? change->b->p99 : change->b->median;
	if (isnan(a) || isnan(b) || a == 0)
		return "";
	if (b / a >= 10)
		snprintf(buf, 32, "x %.3g", b / a);
	else
		snprintf(buf, 32, "%+.3g %%", (b - a) / fabs(a) * 100);
	return buf;
}

static const char *side(const struct qualify_change *change, const struct qualify_figure *figure,
			char buf[QUALIFY_NUMBER_LEN * 2])
{
	if (!figure)
		return "-";
	if (change->p99)
		return qualify_format(figure->p99, figure->unit, buf);
	return qualify_format_figure(figure, buf);
}

static void print_record(FILE *file, const char *name, const struct qualify_record *record)
{
	fprintf(file, "%s  %s (%s), firmware %s, %s, class %s, %s\n", name, record->interface,
		record->driver, *record->firmware ? record->firmware : "-", record->kernel,
		record->nic_class, record->at);
}

static const char *title_of(const char *id)
{
	const struct qualify_row_kind *kind = qualify_row_kind(id);

	return kind ? kind->title : "";
}

static void print_row(FILE *file, const struct qualify_comparison *comparison, const char *id)
{
	const struct qualify_row *a = qualify_find_row(comparison->a, id);
	const struct qualify_row *b = qualify_find_row(comparison->b, id);

	fprintf(file, "%-4s %-37s %s -> %s\n", id, title_of(id),
		a ? qualify_verdict_name(a->verdict) : "-",
		b ? qualify_verdict_name(b->verdict) : "-");
}

void qualify_comparison_print(FILE *file, const struct qualify_comparison *comparison)
{
	char of_a[QUALIFY_NUMBER_LEN * 2], of_b[QUALIFY_NUMBER_LEN * 2], percent[32];
	const struct qualify_change *change;
	const char *row = "";
	unsigned int kind;

	print_record(file, "A", comparison->a);
	print_record(file, "B", comparison->b);
	rxaqm_list_each(change, &comparison->changes) {
		if (change->kind == QUALIFY_SAME)
			continue;
		if (strcmp(row, change->row))
			print_row(file, comparison, change->row);
		row = change->row;
		fprintf(file, "  %-9s %s%s: %s -> %s  %s\n", qualify_change_name(change->kind),
			(change->a ?: change->b)->name, change->p99 ? " p99" : "",
			side(change, change->a, of_a), side(change, change->b, of_b),
			percent_of(change, percent));
	}
	for (kind = 0; kind < QUALIFY_NR_CHANGES; kind++)
		fprintf(file, "%s%u %s", kind ? ", " : "", comparison->count[kind],
			qualify_change_name(kind));
	fprintf(file, "\n%s\n", rule);
}

static void html_heads(FILE *file, const struct qualify_comparison *comparison)
{
	const struct qualify_record *a = comparison->a, *b = comparison->b;
	const char *const rows[][3] = {
		{ "Interface", a->interface, b->interface },
		{ "Driver", a->driver, b->driver },
		{ "Firmware", a->firmware, b->firmware },
		{ "Bus", a->bus, b->bus },
		{ "PCIe", a->pcie, b->pcie },
		{ "CPU", a->cpu, b->cpu },
		{ "Kernel", a->kernel, b->kernel },
		{ "Class", a->nic_class, b->nic_class },
		{ "Date", a->at, b->at },
	};
	size_t i;

	fputs("<table>\n<thead><tr><th></th><th>A</th><th>B</th></tr></thead>\n<tbody>\n", file);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		qualify_markup(file, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", rows[i][0],
			       rows[i][1], rows[i][2]);
	fputs("</tbody>\n</table>\n", file);
}

static void html_row_head(FILE *file, const struct qualify_comparison *comparison, const char *id)
{
	const struct qualify_row *a = qualify_find_row(comparison->a, id);
	const struct qualify_row *b = qualify_find_row(comparison->b, id);

	qualify_markup(file, "<tr><th colspan=\"4\">%s %s ", id, title_of(id));
	if (a)
		qualify_html_verdict(file, a->verdict);
	fputs(" &rarr; ", file);
	if (b)
		qualify_html_verdict(file, b->verdict);
	fputs("</th></tr>\n", file);
}

static void html_changes(FILE *file, const struct qualify_comparison *comparison)
{
	char of_a[QUALIFY_NUMBER_LEN * 2], of_b[QUALIFY_NUMBER_LEN * 2], percent[32];
	const struct qualify_change *change;
	const char *row = "";

	fputs("<table id=\"changes\">\n<thead><tr><th>Figure</th><th>A</th><th>B</th>"
	      "<th>Change</th></tr></thead>\n<tbody>\n",
	      file);
	rxaqm_list_each(change, &comparison->changes) {
		if (change->kind == QUALIFY_SAME)
			continue;
		if (strcmp(row, change->row))
			html_row_head(file, comparison, change->row);
		row = change->row;
		qualify_markup(file, "<tr><td>%s%s</td><td>%s</td><td>%s</td><td>%s %s</td></tr>\n",
			       (change->a ?: change->b)->name, change->p99 ? " p99" : "",
			       side(change, change->a, of_a), side(change, change->b, of_b),
			       qualify_change_name(change->kind), percent_of(change, percent));
	}
	fputs("</tbody>\n</table>\n", file);
}

/* The same distribution of both in one picture. */
static void html_picture(FILE *file, const struct qualify_change *change)
{
	struct qualify_picture picture = { .kind = QUALIFY_CDF, .nr = 2 };
	struct qualify_curve curve[2];
	unsigned int i;
	char title[128];

	for (i = 0; i < 2; i++) {
		const struct qualify_figure *figure = i ? change->b : change->a;

		if (!figure || !figure->curves.nr || !figure->curves.at[0].distribution ||
		    !figure->curves.at[0].points.nr)
			return;
		curve[i] = figure->curves.at[0];
		strcpy(curve[i].name, i ? "B" : "A");
		picture.curve[i] = &curve[i];
		picture.of[i] = figure->name;
	}
	if (strcmp(curve[0].x_unit, curve[1].x_unit))
		return;
	snprintf(title, sizeof(title), "%s, %s", change->row, change->a->name);
	fputs("<figure>\n", file);
	qualify_picture_draw(file, &picture, title);
	qualify_markup(file,
		       "<figcaption>%s: share of samples at or below a value</figcaption>\n"
		       "</figure>\n",
		       title);
}

void qualify_comparison_html(FILE *file, const struct qualify_comparison *comparison)
{
	const struct qualify_change *change;
	char title[160];

	snprintf(title, sizeof(title), "NIC qualification: %s (%s) against %s (%s)",
		 comparison->a->interface, comparison->a->driver, comparison->b->interface,
		 comparison->b->driver);
	qualify_html_begin(file, title);
	html_heads(file, comparison);
	fprintf(file, "<p>%u worse, %u better, %u changed, %u maybe, %u the same.</p>\n",
		comparison->count[QUALIFY_WORSE], comparison->count[QUALIFY_BETTER],
		comparison->count[QUALIFY_CHANGED], comparison->count[QUALIFY_MAYBE],
		comparison->count[QUALIFY_SAME]);
	html_changes(file, comparison);
	fprintf(file, "<p class=\"note\">%s</p>\n", rule);
	rxaqm_list_each(change, &comparison->changes) {
		if (change->kind != QUALIFY_SAME)
			html_picture(file, change);
	}
	qualify_html_end(file);
}
