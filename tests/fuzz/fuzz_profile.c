/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles: none crashes, and one that is accepted has a driver and a sound policy. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "out.h"
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rxaqm_error error = { 0 };
	struct rxaqm_profile profile;
	struct rxaqm_policy policy;
	FILE *file;
	int err;

	if (!size)
		return 0;
	file = fmemopen((void *)data, size, "r");
	err = rxaqm_profile_parse(file, "x.conf", &profile, &error);
	fclose(file);
	if (err) {
		assert(!strncmp(error.text, "x.conf:", 7));
		return 0;
	}
	assert(profile.driver[0]);
	assert(memchr(profile.driver, 0, sizeof(profile.driver)));
	assert(!rxaqm_profile_policy(&profile, &policy, &error));
	assert(policy.mode == RXAQM_MODE_OBSERVE && !policy.lease_until_ns);
	assert(rxaqm_design_name(profile.design) && rxaqm_coverage_name(profile.coverage));
	assert(rxaqm_path_name(profile.path_native) && rxaqm_path_name(profile.path_generic));
	assert(rxaqm_stamp_name(profile.stamp));
	return 0;
}
