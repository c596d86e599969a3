/* SPDX-License-Identifier: GPL-2.0-only */
/* What "rxaqm qualify" does with records, measured now or before: judge, print, write, compare. */
#ifndef RXAQM_QUALIFY_REPORT_H
#define RXAQM_QUALIFY_REPORT_H

#include <stdbool.h>

#include "qualify/record/record.h"

#define QUALIFY_KTAP_FILES 8

struct qualify_report {
	const char *nic_class; /* NULL: the record's */
	/* Files to write; NULL: none, "-": standard output. */
	const char *out, *html, *profile, *csv, *junit;
	const char *ktap[QUALIFY_KTAP_FILES]; /* up to the first NULL */
	bool all; /* figures, too */
};

/* Could the files be written now? -errno with @error. */
int qualify_report_try(const struct qualify_report *report, struct rxaqm_error *error);

/* Add what is to be imported to @record, judge it, write the files, print it. An exit code, after
 * an error was logged: RXAQM_EXIT_FINDINGS if a row fails.
 */
int qualify_report_make(const struct qualify_report *report, struct qualify_record *record);

/* Compare the records at @paths, up to a NULL. RXAQM_EXIT_FINDINGS if one is worse than the first;
 * -errno with @error.
 */
int qualify_report_compare(const struct qualify_report *report, char *const *paths,
			   struct rxaqm_error *error);

#endif /* RXAQM_QUALIFY_REPORT_H */
