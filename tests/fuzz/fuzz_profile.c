/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles: none crashes, and one that is accepted has a driver and a sound policy. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "profile/match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* An interface of which everything is known. */
	static struct rxaqm_nic_facts facts = {
		.driver = "igb",
		.channels_known = true,
		.nr_combined = 1,
		.nr_flags = 1,
		.flag = { { .name = "legacy-rx", .on = true } },
		.napi_asked = true,
		.nr_polls = RXAQM_NIC_POLLS_MAX,
		.napi_poll = { "igb_poll", "a", "b", "c" },
		.napi = RXAQM_NAPI_JOINT,
	};
	struct rxaqm_error error = { 0 };
	struct rxaqm_profile profile;
	struct rxaqm_fit fit;
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
	assert(profile.nr_matches && profile.nr_matches <= RXAQM_PROFILE_MATCHES_MAX);
	assert(profile.nr_notes <= RXAQM_PROFILE_NOTES_MAX);
	fit = rxaqm_match_fit(&profile, &facts);
	assert(!fit.fits || fit.named != !strcmp(profile.driver, "*"));
	assert(!fit.fits || fit.conditions == profile.nr_matches);
	assert(rxaqm_match_same(&profile, &profile));
	assert(!rxaqm_profile_policy(&profile, &policy, &error));
	assert(policy.mode == RXAQM_MODE_OBSERVE && !policy.lease_until_ns);
	assert(rxaqm_design_names[profile.design]);
	assert(rxaqm_path_names[profile.path_generic]);
	assert(rxaqm_stamp_names[profile.stamp] && rxaqm_napi_names[profile.napi]);
	assert(rxaqm_target_rule_names[profile.target_rule]);
	return 0;
}
