/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/print.h"

#define ID_COLUMNS 13 /* includes the verdict */
#define INDENT 6

void qualify_print_verdict(FILE *file, enum qualify_verdict verdict, const char *text, int columns)
{
	static const enum rxaqm_paint paints[] = { RXAQM_PLAIN, RXAQM_GREEN, RXAQM_YELLOW,
						   RXAQM_RED, RXAQM_PLAIN };

	rxaqm_paint(file, paints[verdict]);
	fprintf(file, "%-*s", columns, text ?: qualify_verdicts[verdict]);
	rxaqm_paint(file, RXAQM_PLAIN);
}

static void print_number(FILE *file, const char *name, double value, const char *unit)
{
	if (isfinite(value))
		fprintf(file, "%s%s", name, rxaqm_number(value, unit));
}

static void print_figure(FILE *file, const struct qualify_figure *figure)
{
	size_t at = (size_t)fprintf(file, "%*s%-22s ", INDENT, "", figure->name), len;
	char buf[QUALIFY_FIGURE_LEN], *text = NULL;
	FILE *line = open_memstream(&text, &len);

	if (!line)
		return;
	fputs(qualify_format_figure(figure, buf), line);
	if (!*figure->words) {
		print_number(line, " +-", figure->error, figure->unit);
		print_number(line, ", p99 ", figure->p99, figure->unit);
		print_number(line, ", ", figure->min, figure->unit);
		print_number(line, " to ", figure->max, figure->unit);
		print_number(line, ", varies by ", figure->cv, "share");
	}
	if (qualify_known(figure->n))
		fprintf(line, ", n=%llu", figure->n);
	if (qualify_known(figure->of) && figure->of > figure->n)
		fprintf(line, " of %llu", figure->of);
	if (*figure->method)
		fprintf(line, " (%s)", figure->method);
	if (!fclose(line))
		rxaqm_print_words(file, at, INDENT + 23, text);
	free(text);
}

void qualify_print_row(FILE *file, const struct qualify_row *row, bool figures)
{
	const struct qualify_figure *figure;
	char words[QUALIFY_WHY_LEN];

	fprintf(file, "%-4s ", row->id);
	qualify_print_verdict(file, row->verdict, NULL, 7);
	fprintf(file, " %s\n%*s", qualify_row_kind(row->id)->title, ID_COLUMNS, "");
	rxaqm_print_words(file, ID_COLUMNS, ID_COLUMNS, qualify_row_words(row, words));
	if (!figures)
		return;
	rxaqm_list_each(figure, &row->figures)
		print_figure(file, figure);
}

const char *qualify_result(const struct qualify_record *record, char text[QUALIFY_RESULT_LEN])
{
	static const char *const results[] = { "Unknown", "Pass", "Pass, with warnings", "Fail" };
	const __u32 *count = record->count;
	char lacking[QUALIFY_LACKING_LEN], none[32] = "";

	qualify_lacking(record, lacking);
	if (count[QUALIFY_NONE])
		snprintf(none, sizeof(none), ", %u not judged", count[QUALIFY_NONE]);
	snprintf(text, QUALIFY_RESULT_LEN,
		 " for %s (class %s): %u fail, %u warn, %u pass, %u unknown%s%s%s",
		 qualify_class(record->nic_class)->words, record->nic_class, count[QUALIFY_FAIL],
		 count[QUALIFY_WARN], count[QUALIFY_PASS], count[QUALIFY_UNKNOWN], none,
		 *lacking ? "; required, and without a verdict: " : "", lacking);
	return results[record->verdict];
}

void qualify_print_text(FILE *file, const struct qualify_record *record, bool figures)
{
	struct qualify_fact facts[QUALIFY_FACTS];
	const struct qualify_setup *setup;
	const struct qualify_row *row;
	char text[QUALIFY_RESULT_LEN];
	const char *result = qualify_result(record, text);
	size_t i;

	qualify_print_verdict(file, record->verdict, result, 0);
	rxaqm_print_words(file, strlen(result), 2, text);
	qualify_facts(record, facts);
	for (i = 0; i < QUALIFY_FACTS; i++) {
		if (!*facts[i].value)
			continue;
		fprintf(file, "%-12s ", facts[i].name);
		rxaqm_print_words(file, ID_COLUMNS, ID_COLUMNS, facts[i].value);
	}
	rxaqm_list_each(setup, &record->setup) {
		if (!figures)
			break;
		fprintf(file, "  %-24s ", setup->name);
		rxaqm_print_words(file, 27, 27, setup->value);
	}
	rxaqm_list_each(row, &record->rows)
		qualify_print_row(file, row, figures);
}
