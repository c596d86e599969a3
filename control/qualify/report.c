/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <string.h>

#include "base/json_file.h"
#include "command/options.h"
#include "qualify/report.h"
#include "qualify/judge/judge.h"
#include "qualify/print/compare.h"
#include "qualify/print/print.h"
#include "qualify/record/ktap.h"

static void print_record(FILE *file, const void *record)
{
	qualify_print_html(file, record);
}

static bool to_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static void judge(const struct qualify_report *report, struct qualify_record *record)
{
	if (report->nic_class)
		snprintf(record->nic_class, sizeof(record->nic_class), "%s", report->nic_class);
	qualify_judge(record);
}

int qualify_report_try(const struct qualify_report *report, struct rxaqm_error *error)
{
	const char *const paths[] = { report->out, report->html, report->profile };
	int err = 0;
	size_t i;

	for (i = 0; !err && i < sizeof(paths) / sizeof(paths[0]); i++)
		err = paths[i] ? rxaqm_file_try(paths[i], error) : 0;
	return err;
}

static int write_files(const struct qualify_report *report, const struct qualify_record *record,
		       struct rxaqm_error *error)
{
	const char *out = report->out ?: rxaqm_json ? "-" : NULL;
	int err = 0;

	if (out)
		err = qualify_record_write(record, out, error);
	if (!err && report->html)
		err = rxaqm_file_print(report->html, print_record, record, 0644, error);
	if (!err && report->profile)
		err = qualify_write_profile(record, report->profile, error);
	/* Two documents on one stream are none. What was measured is shown though a file failed. */
	if (!to_stdout(out) && !to_stdout(report->html) && !to_stdout(report->profile))
		qualify_print_text(stdout, record, report->all);
	return err;
}

int qualify_report_make(const struct qualify_report *report, struct qualify_record *record)
{
	struct rxaqm_error error = {};
	const struct qualify_row *row;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < QUALIFY_KTAP_FILES && report->ktap[i]; i++)
		err = qualify_import_ktap(record, report->ktap[i], &error);
	if (!err) {
		judge(report, record);
		err = write_files(report, record, &error);
	}
	if (err)
		return rxaqm_log_failure(&error);
	rxaqm_list_each(row, &record->rows) {
		if (row->verdict == QUALIFY_FAIL)
			return RXAQM_EXIT_FINDINGS;
	}
	return RXAQM_EXIT_OK;
}

static int read_judged(const struct qualify_report *report, struct qualify_record *record,
		       const char *path, struct rxaqm_error *error)
{
	int err = qualify_record_read(record, path, error);

	if (!err)
		judge(report, record);
	return err;
}

int qualify_report_compare(const struct qualify_report *report, const char *path_a,
			   const char *path_b, struct rxaqm_error *error)
{
	struct qualify_comparison comparison = {};
	struct qualify_record a = {}, b = {};
	int err;

	err = read_judged(report, &a, path_a, error);
	if (!err)
		err = read_judged(report, &b, path_b, error);
	if (!err && qualify_compare(&comparison, &a, &b))
		err = rxaqm_no_memory(error);
	if (!err)
		(rxaqm_json ? qualify_comparison_json : qualify_comparison_print)(stdout,
										  &comparison);
	if (!err && qualify_comparison_worse(&comparison))
		err = RXAQM_EXIT_FINDINGS;
	qualify_comparison_free(&comparison);
	qualify_record_free(&a);
	qualify_record_free(&b);
	return err;
}
