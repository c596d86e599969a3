/* SPDX-License-Identifier: GPL-2.0-only */
/* What claims to be KTAP: names of results are unique, and all of them are one of four. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "qualify/record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct qualify_record record = {};
	const struct qualify_row *row;
	struct rxaqm_error error = {};
	size_t i;

	if (!qualify_ktap_parse(&record, (const char *)data, size, "fuzz", &error)) {
		row = qualify_find_row(&record, QUALIFY_KTAP_ROW);
		assert(row && row->figures.nr && row->figures.nr <= QUALIFY_KTAP_MAX);
		for (i = 0; i < row->figures.nr; i++) {
			const struct qualify_figure *figure = &row->figures.at[i];

			assert(qualify_find_figure(row, figure->name) == figure);
			assert(!strncmp(figure->words, "pass", 4) ||
			       !strncmp(figure->words, "fail", 4) ||
			       !strncmp(figure->words, "skip", 4) ||
			       !strncmp(figure->words, "xfail", 5));
		}
	}
	qualify_record_free(&record);
	return 0;
}
