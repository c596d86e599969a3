/* SPDX-License-Identifier: GPL-2.0-only */
/* Records for other programs: spreadsheets and CI. */
#include <math.h>

#include "qualify/judge/judge.h"
#include "qualify/print/print.h"
#include "qualify/record/record.h"

static void put_text(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++)
		fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
	fputs("\",", file);
}

static void put_figure(FILE *file, const struct qualify_record *record,
		       const struct qualify_row *row, const struct qualify_figure *figure)
{
	const char *const texts[] = {
		record->host, record->interface, record->driver, record->firmware,
		record->time, record->nic_class, row->id,	 qualify_verdict_name(row->verdict),
		figure->name, figure->unit,	 figure->words
	};
	const double numbers[] = { qualify_known(figure->n) ? (double)figure->n : NAN,
				   qualify_known(figure->of) ? (double)figure->of : NAN,
				   figure->median,
				   figure->p99,
				   figure->min,
				   figure->max,
				   figure->cv,
				   figure->error };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		put_text(file, texts[i]);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		fputs(i ? "," : "", file);
		if (isfinite(numbers[i]))
			fprintf(file, "%.12g", numbers[i]);
	}
	putc('\n', file);
}

void qualify_print_csv(FILE *file, const void *what)
{
	const struct qualify_records *records = what;
	const struct qualify_figure *figure;
	const struct qualify_row *row;
	unsigned int i;

	fputs("host,interface,driver,firmware,time,class,row,verdict,figure,unit,words,n,of,"
	      "median,p99,min,max,cv,error\n",
	      file);
	for (i = 0; i < records->nr; i++) {
		rxaqm_list_each(row, &records->at[i].rows) {
			rxaqm_list_each(figure, &row->figures)
				put_figure(file, &records->at[i], row, figure);
		}
	}
}

static void put_case(FILE *file, const struct qualify_record *record, const struct qualify_row *row)
{
	static const char *const elements[] = { "skipped", "system-out", "system-out", "failure" };
	char seconds[32];

	snprintf(seconds, sizeof(seconds), "%.3f", (double)row->took_ms / 1e3);
	rxaqm_markup(file, "<testcase classname=\"qualify.%s\" name=\"%s %s\" time=\"%s\">",
		     record->interface, row->id, qualify_row_kind(row->id)->title, seconds);
	if (row->verdict == QUALIFY_UNKNOWN || row->verdict == QUALIFY_FAIL)
		rxaqm_markup(file, "<%s message=\"%s\"/></testcase>\n", elements[row->verdict],
			     row->why);
	else
		rxaqm_markup(file, "<%s>%s: %s</%s></testcase>\n", elements[row->verdict],
			     qualify_verdict_name(row->verdict), row->why, elements[row->verdict]);
}

void qualify_print_junit(FILE *file, const void *what)
{
	const struct qualify_records *records = what;
	unsigned int i, count[QUALIFY_NR_VERDICTS];
	const struct qualify_row *row;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file);
	for (i = 0; i < records->nr; i++) {
		const struct qualify_record *record = &records->at[i];

		qualify_count(record, count);
		rxaqm_markup(file,
			     "<testsuite name=\"rxaqm qualify %s (%s %s)\" timestamp=\"%s\" "
			     "hostname=\"%s\"",
			     record->interface, record->driver, record->firmware, record->time,
			     record->host);
		fprintf(file, " tests=\"%zu\" failures=\"%u\" skipped=\"%u\" errors=\"0\">\n",
			record->rows.nr, count[QUALIFY_FAIL], count[QUALIFY_UNKNOWN]);
		rxaqm_list_each(row, &record->rows)
			put_case(file, record, row);
		fputs("</testsuite>\n", file);
	}
	fputs("</testsuites>\n", file);
}
