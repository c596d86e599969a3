/* SPDX-License-Identifier: GPL-2.0-only */
/* What "rxaqm qualify" does with a record, measured now or before: judge, print, write, compare. */
#ifndef RXAQM_QUALIFY_REPORT_H
#define RXAQM_QUALIFY_REPORT_H

#include <stdbool.h>

#include "qualify/record/record.h"

#define QUALIFY_KTAP_FILES 8

struct qualify_report {
	const char *nic_class; /* NULL: the record's */
	const char *out, *html, *profile; /* files to write; NULL: none, "-": standard output */
	const char *ktap[QUALIFY_KTAP_FILES]; /* up to the first NULL */
	bool all; /* figures, too */
};

/* Could the files be written now? -errno with @error. */
int qualify_report_try(const struct qualify_report *report, struct rxaqm_error *error);

/* Add what is to be imported to @record, judge it, write the files, print it. An exit code, after
 * an error was logged: RXAQM_EXIT_FINDINGS if a row fails.
 */
int qualify_report_make(const struct qualify_report *report, struct qualify_record *record);

/* Compare two records. RXAQM_EXIT_FINDINGS if @path_b is worse; -errno with @error. */
int qualify_report_compare(const struct qualify_report *report, const char *path_a,
			   const char *path_b, struct rxaqm_error *error);

#endif /* RXAQM_QUALIFY_REPORT_H */
