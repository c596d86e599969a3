/* SPDX-License-Identifier: GPL-2.0-only */
/* A record for CI. */
#include "qualify/judge/judge.h"
#include "qualify/print/print.h"
#include "qualify/record/record.h"

/* The row's verdict, as CI tools know it. */
static void put_case(FILE *file, const struct qualify_record *record, const struct qualify_row *row)
{
	static const char *const elements[] = { "skipped", "system-out", "system-out", "failure",
						"skipped" };
	char seconds[32], words[QUALIFY_WHY_LEN];

	qualify_row_words(row, words);
	snprintf(seconds, sizeof(seconds), "%.3f", (double)row->took_ms / 1e3);
	rxaqm_markup(file, "<testcase classname=\"qualify.%s\" name=\"%s %s\" time=\"%s\">",
		     record->interface, row->id, qualify_row_kind(row->id)->title, seconds);
	if (row->verdict != QUALIFY_PASS && row->verdict != QUALIFY_WARN)
		rxaqm_markup(file, "<%s message=\"%s\"/></testcase>\n", elements[row->verdict],
			     words);
	else
		rxaqm_markup(file, "<%s>%s: %s</%s></testcase>\n", elements[row->verdict],
			     qualify_verdicts[row->verdict], words, elements[row->verdict]);
}

/* A test case for the verdict on all of it: what CI would skip fails there. */
static void put_verdict(FILE *file, const struct qualify_record *record)
{
	static const char *const elements[] = { "error", "system-out", "system-out", "failure" };
	const char *element = elements[record->verdict];
	char text[QUALIFY_RESULT_LEN];

	rxaqm_markup(file, "<testcase classname=\"qualify.%s\" name=\"verdict\"><%s>%s",
		     record->interface, element, qualify_result(record, text));
	rxaqm_markup(file, "%s</%s></testcase>\n", text, element);
}

void qualify_print_junit(FILE *file, const void *what)
{
	const struct qualify_record *record = what;
	const struct qualify_row *row;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file);
	rxaqm_markup(file,
		     "<testsuite name=\"rxaqm qualify %s (%s %s)\" timestamp=\"%s\" hostname=\"%s\"",
		     record->interface, record->driver, record->firmware, record->time,
		     record->host);
	fprintf(file, " tests=\"%zu\" failures=\"%u\" skipped=\"%u\" errors=\"%d\">\n",
		record->rows.nr + 1,
		record->count[QUALIFY_FAIL] + (record->verdict == QUALIFY_FAIL),
		record->count[QUALIFY_UNKNOWN] + record->count[QUALIFY_NONE],
		record->verdict == QUALIFY_UNKNOWN);
	put_verdict(file, record);
	rxaqm_list_each(row, &record->rows)
		put_case(file, record, row);
	fputs("</testsuite>\n</testsuites>\n", file);
}
