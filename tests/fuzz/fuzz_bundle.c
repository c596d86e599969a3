/* SPDX-License-Identifier: GPL-2.0-only */
/* Bundles that others wrote: whatever is in one, it is refused or diagnosed, and printed. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#include "doctor/snapshot/snapshot.h"
#include "doctor/diagnose.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	struct doctor_diagnosis diagnosis;
	struct doctor_snapshot snap = {};
	struct rxaqm_error error = {};

	if (!null)
		null = fopen("/dev/null", "w");
	assert(null);
	if (!rxaqm_record_parse(&doctor_bundle_kind, &snap, (const char *)data, size, "fuzz",
				&error)) {
		assert(!doctor_diagnose(&snap, &diagnosis));
		doctor_print(null, &snap, &diagnosis, true);
		doctor_print(null, &snap, &diagnosis, false);
		doctor_print_json(null, &snap, &diagnosis, NULL);
		doctor_diagnosis_free(&diagnosis);
	}
	doctor_snapshot_free(&snap);
	return 0;
}
