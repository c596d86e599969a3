/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_file.h"
#include "command/options.h"
#include "qualify/qualify.h"
#include "qualify/judge/judge.h"
#include "qualify/print/compare.h"
#include "qualify/print/print.h"
#include "qualify/record/record.h"

static void judge_for_class(const struct qualify_report *report, struct qualify_record *record)
{
	if (report->nic_class)
		snprintf(record->nic_class, sizeof(record->nic_class), "%s", report->nic_class);
	if (report->required)
		snprintf(record->required, sizeof(record->required), "%s", report->required);
	qualify_judge(record);
}

#define NR_PATHS 4
#define PATHS(report) { (report)->out, (report)->json, (report)->html, (report)->junit }

int qualify_report_try(const struct qualify_report *report, struct rxaqm_error *error)
{
	const char *const paths[NR_PATHS] = PATHS(report);

	return rxaqm_files_try(paths, NR_PATHS, error);
}

static bool has_stdout(const struct qualify_report *report)
{
	const char *const paths[NR_PATHS] = PATHS(report);
	size_t i = 0;

	while (i < NR_PATHS && !rxaqm_is_stdout(paths[i]))
		i++;
	return i < NR_PATHS;
}

/* Write one more file even if an earlier one failed (@err), because measuring takes long. @error
 * keeps the first failure.
 */
static int write_more(int err, const char *path, void (*print)(FILE *file, const void *what),
		      const void *what, struct rxaqm_error *error)
{
	if (path)
		err |= rxaqm_file_print(path, print, what, 0644, err ? NULL : error);
	return err;
}

static int write_files(const struct qualify_report *report, struct qualify_record *record,
		       struct rxaqm_error *error)
{
	int err = report->out ? qualify_record_write(record, report->out, error) : 0;

	if (report->json)
		err |= qualify_record_write(record, report->json, err ? NULL : error);
	err = write_more(err, report->html, qualify_print_html, record, error);
	err = write_more(err, report->junit, qualify_print_junit, record, error);
	/* Print the figures even if a file could not be written. */
	if (!has_stdout(report))
		qualify_print_text(stdout, record, report->all);
	return err;
}

int qualify_report_make(const struct qualify_report *report, struct qualify_record *record)
{
	struct rxaqm_error error = {};

	judge_for_class(report, record);
	if (write_files(report, record, &error))
		return rxaqm_log_failure(&error);
	return record->verdict == QUALIFY_FAIL	  ? RXAQM_EXIT_FINDINGS :
	       record->verdict == QUALIFY_UNKNOWN ? RXAQM_EXIT_UNKNOWN :
						    RXAQM_EXIT_OK;
}

int qualify_report_compare(const struct qualify_report *report, char *const *paths,
			   struct rxaqm_error *error)
{
	struct qualify_comparison comparison = {};
	struct qualify_record record[2] = {};
	int err = qualify_report_try(report, error), i;

	for (i = 0; !err && i < 2; i++) {
		err = qualify_record_read(&record[i], paths[i], error);
		if (!err)
			judge_for_class(report, &record[i]);
	}
	if (!err && qualify_compare(&comparison, record, paths))
		err = rxaqm_no_memory(error);
	if (!err) {
		err = write_more(0, report->html, qualify_comparison_html, &comparison, error);
		if (report->json)
			qualify_comparison_json(stdout, &comparison);
		else if (!has_stdout(report))
			qualify_comparison_print(stdout, &comparison);
	}
	free(comparison.lines.at);
	for (i = 0; i < 2; i++)
		qualify_record_free(&record[i]);
	return err ?: comparison.worse ? RXAQM_EXIT_FINDINGS : RXAQM_EXIT_OK;
}
