/* SPDX-License-Identifier: GPL-2.0-only */
/* Values as typed: what is accepted is in range, and is written as it was meant. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "policy/settings.h"

#define NR_QUEUES 64

static void check_numbers(const char *text)
{
	__u64 value;
	__u32 permille;

	if (!rxaqm_parse_u64(text, 3, 1000, &value))
		assert(value >= 3 && value <= 1000 && text[strspn(text, "0123456789")] == '\0');
	if (!rxaqm_parse_percent(text, &permille))
		assert(permille <= 1000 && text[strlen(text) - 1] == '%');
}

static void check_duration(const char *text)
{
	char buf[RXAQM_DURATION_LEN];
	__u64 ns, again;

	if (rxaqm_parse_duration(text, &ns))
		return;
	assert(ns < 1ULL << 63);
	rxaqm_format_duration_exact(ns, buf);
	assert(!rxaqm_parse_duration(buf, &again) && again == ns);
	rxaqm_format_duration(ns, buf);
	if (!ns)
		return;
	/* A minute and more are for people: "1h32m". Else three digits: within half a percent. */
	if (ns >= 60000000000)
		return;
	assert(!rxaqm_parse_duration(buf, &again));
	assert(again <= ns + ns / 200 && again >= ns - ns / 200);
}

static void check_queues(const char *text)
{
	unsigned char set[NR_QUEUES + 1] = { 0 };
	unsigned int i, nr = 0;
	int err;

	set[NR_QUEUES] = 7;
	err = rxaqm_parse_queues(text, NR_QUEUES, set);
	for (i = 0; i < NR_QUEUES; i++)
		nr += set[i];
	assert(set[NR_QUEUES] == 7);
	assert(err ? !nr : nr);
}

/* Any bits that a policy could have are written in a form that gives them again. */
static void check_setting(const struct rxaqm_key *setting, const char *text)
{
	struct rxaqm_policy policy, before, again;
	char buf[RXAQM_KEY_LEN];
	struct rxaqm_error error;

	rxaqm_policy_init(&policy);
	before = policy;
	if (rxaqm_setting_set(&policy, RXAQM_SOURCE_OPERATOR, setting->name, text, 1, &error)) {
		assert(!memcmp(&policy, &before, sizeof(policy)));
		assert(error.text[0] && error.exit_code == RXAQM_EXIT_USAGE);
		return;
	}
	again = before;
	rxaqm_key_format(setting, &policy, 1, buf);
	assert(!rxaqm_setting_set(&again, RXAQM_SOURCE_OPERATOR, setting->name, buf, 1, &error));
	/* A lease is written in whole ms. */
	if (setting->type != RXAQM_TYPE_LEASE)
		assert(!memcmp(&policy, &again, sizeof(policy)));
	rxaqm_policy_check(&policy, &error);
}

static void check_dscp(const uint8_t *data, size_t size)
{
	const struct rxaqm_key *setting = rxaqm_setting_find("exempt_dscp");
	struct rxaqm_policy policy, again;
	char buf[RXAQM_KEY_LEN];

	rxaqm_policy_init(&policy);
	again = policy;
	memcpy(&policy.exempt_dscp, data, size < 8 ? size : 8);
	rxaqm_key_format(setting, &policy, 1, buf);
	assert(!rxaqm_setting_set(&again, RXAQM_SOURCE_OPERATOR, setting->name, buf, 1, NULL));
	assert(again.exempt_dscp == policy.exempt_dscp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rxaqm_key *setting;
	struct rxaqm_policy policy;
	char *text = malloc(size + 1);
	struct rxaqm_error error;

	memcpy(text, data, size);
	text[size] = '\0';
	check_numbers(text);
	check_duration(text);
	check_queues(text);
	check_dscp(data, size);
	for (setting = rxaqm_settings; setting->name; setting++)
		check_setting(setting, text);
	rxaqm_policy_init(&policy);
	rxaqm_setting_set(&policy, RXAQM_SOURCE_OPERATOR, "preset", text, 1, &error);
	rxaqm_setting_set(&policy, RXAQM_SOURCE_OPERATOR, text, "5ms", 1, &error);
	free(text);
	return 0;
}
