/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of policies in words, and when each setting was set. */
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

extern "C" {
#include "policy/changes.h"
}

static const __u64 SEC = RXAQM_NSEC_PER_SEC;

static std::vector<std::string> changes(const std::vector<rxaqm_policy> &before,
					const std::vector<rxaqm_policy> &after)
{
	std::vector<std::string> lines;

	rxaqm_changes_each(
		before.data(), after.data(), (unsigned)before.size(),
		[](void *arg, const char *text) {
			static_cast<std::vector<std::string> *>(arg)->push_back(text);
		},
		&lines);
	return lines;
}

static void set(rxaqm_policy &policy, const char *key, const char *value, __u64 now_ns = SEC,
		rxaqm_source source = RXAQM_SOURCE_OPERATOR)
{
	REQUIRE(rxaqm_setting_set(&policy, source, key, value, now_ns, nullptr) == 0);
}

TEST_CASE("changes: old and new, for each run of queues", "[changes]")
{
	rxaqm_policy standard;

	rxaqm_policy_init(&standard);
	std::vector<rxaqm_policy> before(4, standard), after = before;
	CHECK(changes(before, after).empty());
	for (auto &policy : after)
		set(policy, "target", "2ms");
	CHECK(changes(before, after) ==
	      std::vector<std::string>{ "all queues: target auto:500us -> 2ms" });
	set(after[3], "mode", "enforce");
	set(after[3], "lease", "10m");
	CHECK(changes(before, after) ==
	      std::vector<std::string>{
		      "queues 0-2: target auto:500us -> 2ms",
		      "queue 3: mode observe -> enforce, target auto:500us -> 2ms, "
		      "lease off -> 10m" });
	/* A lease that begins anew is the same one. */
	before = after;
	set(after[3], "lease", "10m", 30 * SEC);
	CHECK(changes(before, after).empty());
	set(after[3], "lease", "off");
	CHECK(changes(before, after) == std::vector<std::string>{ "queue 3: lease 10m -> off" });
}

TEST_CASE("changes: however many queues differ, the lines are bounded", "[changes]")
{
	rxaqm_policy standard;

	rxaqm_policy_init(&standard);
	std::vector<rxaqm_policy> before(4096, standard), after = before;
	for (unsigned i = 0; i < after.size(); i++)
		after[i].target_ns += i + 1;
	auto lines = changes(before, after);
	REQUIRE(lines.size() == RXAQM_CHANGES_MAX);
	CHECK(lines.back() == "and the queues from 63 on");
}

TEST_CASE("settings: when each was set is kept until it changes", "[settings]")
{
	rxaqm_policy policy, again;

	rxaqm_policy_init(&policy);
	rxaqm_policy_init(&again);
	CHECK(policy.set_s[0] == 0);
	set(policy, "mode", "enforce", 100 * SEC);
	set(policy, "mode", "enforce", 200 * SEC);
	set(policy, "preset", "dc", 300 * SEC);
	CHECK(policy.set_s[rxaqm_setting_find("mode") - rxaqm_settings] == 100);
	CHECK(policy.set_s[rxaqm_setting_find("interval") - rxaqm_settings] == 300);
	CHECK(rxaqm_settings_by_operator(&policy) == 2);
	/* A configuration that is read again: only what differs is new. */
	set(policy, "lease", "1m", 300 * SEC, RXAQM_SOURCE_CONFIG);
	set(again, "mode", "enforce", 400 * SEC);
	set(again, "interval", "11ms", 400 * SEC);
	set(again, "lease", "1m", 400 * SEC, RXAQM_SOURCE_CONFIG);
	rxaqm_settings_keep_times(&again, &policy);
	CHECK(again.set_s[rxaqm_setting_find("mode") - rxaqm_settings] == 100);
	CHECK(again.set_s[rxaqm_setting_find("interval") - rxaqm_settings] == 400);
	CHECK(again.set_s[rxaqm_setting_find("lease") - rxaqm_settings] == 300);
}
