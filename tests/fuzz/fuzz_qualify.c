/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that others wrote: whatever is in one, it is refused, or judged, printed and compared. */
#include <assert.h>
#include <stdint.h>

#include "qualify/judge/judge.h"
#include "qualify/print/compare.h"
#include "qualify/print/print.h"
#include "qualify/print/profile_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(FILE *null, struct qualify_record *record)
{
	struct qualify_comparison comparison;
	struct rxaqm_error error = {};

	qualify_judge(record);
	qualify_print_text(null, record, true);
	qualify_print_html(null, record);
	assert(!qualify_compare(&comparison, record, record));
	assert(!qualify_comparison_worse(&comparison));
	qualify_comparison_print(null, &comparison);
	qualify_comparison_html(null, &comparison);
	qualify_comparison_free(&comparison);
	assert(!qualify_record_write(record, "/dev/null", &error));
	qualify_write_profile(record, "/dev/null", &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	struct qualify_record record = {};
	struct rxaqm_error error = {};

	if (!null)
		null = fopen("/dev/null", "w");
	assert(null);
	if (!qualify_record_parse(&record, (const char *)data, size, "fuzz", &error))
		report(null, &record);
	qualify_record_free(&record);
	return 0;
}
