/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>

#include "qualify/judge/judge.h"
#include "qualify/print/print.h"
#include "qualify/record/format.h"

static void print_fact(const char *name, const char *value, void *file)
{
	fprintf(file, "%-12s %s\n", name, value);
}

static void print_number(FILE *file, const char *name, double value, const char *unit)
{
	char number[QUALIFY_NUMBER_LEN];

	if (isfinite(value))
		fprintf(file, "%s%s", name, qualify_format(value, unit, number));
}

static void print_figure(FILE *file, const struct qualify_figure *figure)
{
	char buf[QUALIFY_NUMBER_LEN * 2];

	fprintf(file, "      %-22s %s", figure->name, qualify_format_figure(figure, buf));
	if (!*figure->words) {
		print_number(file, " +-", figure->error, figure->unit);
		print_number(file, ", p99 ", figure->p99, figure->unit);
		print_number(file, ", ", figure->min, figure->unit);
		print_number(file, " to ", figure->max, figure->unit);
		print_number(file, ", varies by ", figure->cv, "share");
	}
	if (qualify_known(figure->n))
		fprintf(file, ", n=%llu", (unsigned long long)figure->n);
	if (qualify_known(figure->of) && figure->of > figure->n)
		fprintf(file, " of %llu", (unsigned long long)figure->of);
	fputc('\n', file);
	if (*figure->method)
		fprintf(file, "      %-22s   (%s)\n", "", figure->method);
}

void qualify_print_text(FILE *file, const struct qualify_record *record, bool figures)
{
	const struct qualify_figure *figure;
	const struct qualify_setup *setup;
	const struct qualify_row *row;

	qualify_facts_each(record, print_fact, file);
	if (figures) {
		rxaqm_list_each(setup, &record->setup)
			fprintf(file, "  %-24s %s\n", setup->name, setup->value);
	}
	rxaqm_list_each(row, &record->rows) {
		fprintf(file, "%-4s %-7s %-37s %s\n", row->id, qualify_verdict_name(row->verdict),
			qualify_row_title(row->id), row->why);
		if (!figures)
			continue;
		rxaqm_list_each(figure, &row->figures)
			print_figure(file, figure);
	}
}
