/* SPDX-License-Identifier: GPL-2.0-only */
/* Records, for people and for other programs. All are judged before: qualify_judge(). */
#pragma once

#include <stdio.h>

#include "qualify/record/record.h"

#define QUALIFY_RECORDS_MAX 64

struct qualify_records {
	struct qualify_record *at;
	unsigned int nr;
};

#define QUALIFY_RESULT_LEN 160
/* What the NIC comes to, "Fail", and as @text what for and by how many rows. */
const char *qualify_result(const struct qualify_record *record, enum qualify_verdict *verdict,
			   char text[QUALIFY_RESULT_LEN]);

/* The result, then each row and why, on two lines where one is too short; with @figures what was
 * measured below.
 */
void qualify_print_text(FILE *file, const struct qualify_record *record, bool figures);
void qualify_print_row(FILE *file, const struct qualify_row *row, bool figures);

/* The name of @verdict, or @text instead of it, in the colour of @verdict, on @columns. */
void qualify_print_verdict(FILE *file, enum qualify_verdict verdict, const char *text, int columns);

/* The table of limits, in sentences or as @json. */
void qualify_print_limits(FILE *file, bool json);

/* Of a struct qualify_record: one HTML file that needs nothing else; pictures are inline SVG. */
void qualify_print_html(FILE *file, const void *record);

/* Of struct qualify_records: a line a figure (RFC 4180); a test case a row (JUnit's XML). */
void qualify_print_csv(FILE *file, const void *records);
void qualify_print_junit(FILE *file, const void *records);

/* Write the facts that @record has as a profile (nic-profiles/README.md) to @path, "-": standard
 * output. It is parsed before it is written, so "rxaqm profile check" takes it. -ENODATA with
 * @error: no driver, or not one fact; -EINVAL: a fact that no profile can hold.
 */
int qualify_write_profile(const struct qualify_record *record, const char *path,
			  struct rxaqm_error *error);
