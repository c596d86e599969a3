/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of the kernel's own NIC selftests as row "ks". */
#ifndef RXAQM_QUALIFY_KTAP_H
#define RXAQM_QUALIFY_KTAP_H

#include "qualify/record/record.h"

#define QUALIFY_KTAP_ROW "ks"
#define QUALIFY_KTAP_MAX 4096 /* results */

/* Add the results in @text, of @len bytes, called @path, to row "ks" of @record: a figure a test,
 * "pass", "fail: WHY", "skip: WHY" or "xfail: WHY". Reads TAP 13 and 14, and KTAP as kselftest's runner nests it;
 * of a test with subtests these only, unless it failed for another reason. Fewer results than were
 * planned are a failure. -EINVAL with @error: no results, or too many.
 * Documentation/dev-tools/ktap.rst
 */
int qualify_ktap_parse(struct qualify_record *record, const char *text, size_t len,
		       const char *path, struct rxaqm_error *error);
/* The same of a file; "-": standard input. */
int qualify_import_ktap(struct qualify_record *record, const char *path, struct rxaqm_error *error);

#endif /* RXAQM_QUALIFY_KTAP_H */
