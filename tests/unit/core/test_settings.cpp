/* SPDX-License-Identifier: GPL-2.0-only */
#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <string>

extern "C" {
#include <json-c/json.h>

#include "base/out.h"
#include "policy/settings.h"
}

static const __u64 now_ns = 1000 * RXAQM_NSEC_PER_SEC;

static rxaqm_policy defaults()
{
	rxaqm_policy policy;

	rxaqm_policy_init(&policy);
	return policy;
}

static std::string value_of(const rxaqm_policy &policy, const char *key)
{
	char buf[RXAQM_KEY_LEN];

	return rxaqm_key_format(rxaqm_setting_find(key), &policy, now_ns, buf);
}

static int assign(rxaqm_policy &policy, const char *key, const char *value,
		  rxaqm_error *error = nullptr)
{
	return rxaqm_setting_set(&policy, RXAQM_SOURCE_DEFAULT, key, value, now_ns, error);
}

static bool same(const rxaqm_policy &a, const rxaqm_policy &b)
{
	return rxaqm_policy_same(&a, &b);
}

TEST_CASE("settings: defaults", "[settings]")
{
	static const struct {
		const char *key, *value;
	} rows[] = {
		{ "mode", "observe" },
		{ "signal", "auto" },
		{ "law", "auto" },
		{ "target", "auto:500us" },
		{ "interval", "40ms" },
		{ "ecn", "on" },
		{ "ce_threshold", "off" },
		{ "ce_threshold_selector", "any" },
		{ "ack", "thin" },
		{ "max_drop", "100%" },
		{ "lease", "off" },
		{ "exempt_ports", "none" },
		{ "exempt_dscp", "cs6,cs7" },
		{ "merge", "on" },
	};
	rxaqm_policy policy = defaults();

	static_assert(sizeof(rows) / sizeof(rows[0]) == RXAQM_NR_SETTINGS);
	for (size_t i = 0; i < RXAQM_NR_SETTINGS; i++) {
		char text[RXAQM_KEY_TEXT_LEN];

		INFO(rows[i].key);
		REQUIRE(std::string(rxaqm_settings[i].name) == rows[i].key);
		CHECK(value_of(policy, rows[i].key) == rows[i].value);
		CHECK(std::string(rxaqm_key_explain(&rxaqm_settings[i], text))
			      .find("(default " + std::string(rows[i].value) + ")") !=
		      std::string::npos);
	}
	CHECK_FALSE(rxaqm_settings[RXAQM_NR_SETTINGS].name);
	CHECK(rxaqm_policy_check(&policy, NULL) == 0);
	CHECK_FALSE(rxaqm_setting_find("preset"));
}

TEST_CASE("settings: values are written as they are set", "[settings]")
{
	static const struct {
		const char *key, *value, *written;
	} rows[] = {
		{ "mode", "off", "off" },
		{ "mode", "enforce", "enforce" },
		{ "signal", "hint", "hint" },
		{ "signal", "stamp", "stamp" },
		{ "signal", "busy", "busy" },
		{ "target", "1us", "1us" },
		{ "target", "1500us", "1.5ms" },
		{ "target", "4s", "4s" },
		{ "target", "auto", "auto:500us" },
		{ "target", "auto:5ms", "auto:5ms" },
		{ "law", "codel", "codel" },
		{ "interval", "100us", "100us" },
		{ "interval", "0.1s", "100ms" },
		{ "ecn", "off", "off" },
		{ "ecn", "on", "on" },
		{ "ce_threshold", "10ms", "10ms" },
		{ "ce_threshold_selector", "ect1", "ect1" },
		{ "ack", "keep", "keep" },
		{ "merge", "off", "off" },
		{ "max_drop", "0%", "0%" },
		{ "max_drop", "12.5%", "12.5%" },
		{ "max_drop", "100.0%", "100%" },
		{ "lease", "30s", "30s" },
		{ "lease", "1440m", "1440m" },
		{ "lease", "off", "off" },
		{ "lease", "expired", "expired" },
		{ "exempt_ports", "22,443,22", "22,443" },
		{ "exempt_ports", "65535,1,2,3,4,5,6,7", "65535,1,2,3,4,5,6,7" },
		{ "exempt_dscp", "cs6,46,8-10", "8-10,ef,cs6" },
		{ "exempt_dscp", "0-63", "0-63" },
		{ "exempt_dscp", "9,cs1,af11", "8-10" },
		{ "exempt_dscp", "af11-af13", "10-14" },
		{ "exempt_dscp", "none", "none" },
	};

	for (const auto &row : rows) {
		rxaqm_policy policy = defaults(), again = defaults();

		INFO(row.key << "=" << row.value);
		REQUIRE(assign(policy, row.key, row.value) == 0);
		CHECK(value_of(policy, row.key) == row.written);
		REQUIRE(assign(again, row.key, row.written) == 0);
		CHECK(same(policy, again));
	}
}

TEST_CASE("settings: bad ones are refused, with the remedy", "[settings]")
{
	static const struct {
		const char *key, *value, *says;
	} rows[] = {
		{ "target", "5", "a unit is required, as in target=5ms" },
		{ "target", "0", "out of range; 1us to 4s is possible" },
		{ "target", "0.5", "a unit is required" },
		{ "lease", "30", "a unit is required, as in lease=30s" },
		{ "target", "", "500us, 1.5ms or 2s" },
		{ "target", "fast", "500us, 1.5ms or 2s" },
		{ "target", "-5ms", "500us, 1.5ms or 2s" },
		{ "target", "off", "500us, 1.5ms or 2s" },
		{ "target", "auto:", "500us, 1.5ms or 2s" },
		{ "target", "auto:5", "a unit is required" },
		{ "target", "auto:5s", "1us to 4s" },
		{ "target", "automatic", "500us, 1.5ms or 2s" },
		{ "target", "0ms", "1us to 4s" },
		{ "target", "999ns", "1us to 4s" },
		{ "target", "4001ms", "1us to 4s" },
		{ "target", "99999999999999999999s", "1us to 4s" },
		{ "interval", "99us", "100us to 4s" },
		{ "ce_threshold", "0s", "1us to 4s" },
		{ "lease", "1441m", "1ms to 1440m" },
		{ "mode", "enforced", "did you mean \"enforce\"?" },
		{ "mode", "", "off|observe|enforce" },
		{ "mode", "1", "off|observe|enforce" },
		{ "law", "CODEL", "did you mean \"codel\"?" },
		{ "law", "step", "auto|codel" },
		{ "max_drop", "50", "50% or 12.5%" },
		{ "max_drop", "101%", "0% to 100%" },
		{ "exempt_ports", "0", "1 to 65535" },
		{ "exempt_ports", "65536", "1 to 65535" },
		{ "exempt_ports", "22,", "1 to 65535" },
		{ "exempt_ports", "", "1 to 65535" },
		{ "exempt_ports", "22,none", "or none" },
		{ "exempt_ports", "1,2,3,4,5,6,7,8,9", "more than 8 ports" },
		{ "exempt_dscp", "64", "DSCPs" },
		{ "exempt_dscp", "cs8", "DSCPs" },
		{ "exempt_dscp", "10-8", "DSCPs" },
		{ "exempt_dscp", "8-", "DSCPs" },
		{ "exempt_dscp", "a very long word in a list", "DSCPs" },
		{ "preset", "lan", "dc|wan|meta2022" },
		{ "tagret", "5ms", "did you mean \"target\"?" },
		{ "Mode", "off", "did you mean \"mode\"?" },
		{ "something", "else", "there are mode signal law target" },
		{ "", "", "unknown setting" },
	};

	for (const auto &row : rows) {
		rxaqm_policy policy = defaults();
		rxaqm_error error = {};

		INFO(row.key << "=" << row.value);
		CHECK(assign(policy, row.key, row.value, &error) == -EINVAL);
		INFO(error.text);
		CHECK(std::string(error.text).find(row.says) != std::string::npos);
		CHECK(std::string(error.text).find(row.key) != std::string::npos);
		CHECK(error.exit_code == RXAQM_EXIT_USAGE);
		CHECK(same(policy, defaults()));
	}
}

TEST_CASE("settings: presets, and the same by hand", "[settings]")
{
	static const struct {
		const char *name, *law, *target, *interval, *ce_threshold;
	} rows[] = {
		{ "dc", "auto", "auto:500us", "10ms", "off" },
		{ "wan", "auto", "auto:5ms", "100ms", "off" },
		{ "meta2022", "codel", "10ms", "100ms", "10ms" },
	};
	const rxaqm_preset *preset = rxaqm_presets;

	for (const auto &row : rows) {
		rxaqm_policy policy = defaults(), by_hand = defaults();

		/* A preset leaves nothing of one before it. */
		CHECK(assign(policy, "preset", "meta2022") == 0);
		CHECK(assign(policy, "preset", row.name) == 0);
		assign(by_hand, "law", row.law);
		assign(by_hand, "target", row.target);
		assign(by_hand, "interval", row.interval);
		assign(by_hand, "ce_threshold", row.ce_threshold);
		INFO(row.name);
		CHECK(same(policy, by_hand));
		CHECK(rxaqm_policy_check(&policy, NULL) == 0);
		CHECK(std::string(preset++->name) == row.name);
	}
	CHECK_FALSE(preset->name);
}

TEST_CASE("settings: the order of target and interval is free", "[settings]")
{
	rxaqm_policy policy = defaults();
	rxaqm_error error = {};

	/* Over the interval of 40 ms for a moment. */
	CHECK(assign(policy, "target", "50ms") == 0);
	CHECK(rxaqm_policy_check(&policy, &error) == -EINVAL);
	CHECK(std::string(error.text).find("target=50ms exceeds interval=40ms") == 0);
	CHECK(assign(policy, "interval", "1s") == 0);
	CHECK(rxaqm_policy_check(&policy, NULL) == 0);
	CHECK(assign(policy, "interval", "50ms") == 0);
	CHECK(rxaqm_policy_check(&policy, NULL) == 0);
	policy.ack = 2;
	CHECK(rxaqm_policy_check(&policy, &error) == -EINVAL);
}

TEST_CASE("settings: a threshold means nothing to law=auto", "[settings]")
{
	rxaqm_policy policy = defaults();
	rxaqm_error error = {};

	REQUIRE(assign(policy, "ce_threshold", "1ms") == 0);
	CHECK(rxaqm_policy_check(&policy, &error) == -EINVAL);
	CHECK(std::string(error.text).find("ce_threshold=1ms: law=auto ") == 0);
	CHECK(std::string(error.text).find("set law=codel, too, or ce_threshold=off") !=
	      std::string::npos);
	CHECK(error.exit_code == RXAQM_EXIT_USAGE);
	REQUIRE(assign(policy, "law", "codel") == 0);
	CHECK(rxaqm_policy_check(&policy, NULL) == 0);
	REQUIRE(assign(policy, "law", "auto") == 0);
	REQUIRE(assign(policy, "ce_threshold", "off") == 0);
	CHECK(rxaqm_policy_check(&policy, NULL) == 0);
}

TEST_CASE("settings: target=auto is forgotten with a number, and its least with auto", "[settings]")
{
	rxaqm_policy policy = defaults();

	CHECK(policy.target_auto);
	CHECK(policy.target_ns == 500 * RXAQM_NSEC_PER_USEC);
	REQUIRE(assign(policy, "target", "3ms") == 0);
	CHECK_FALSE(policy.target_auto);
	CHECK(policy.target_ns == 3000000);
	REQUIRE(assign(policy, "target", "auto:4ms") == 0);
	CHECK(policy.target_auto);
	CHECK(policy.target_ns == 4000000);
	REQUIRE(assign(policy, "target", "auto") == 0);
	CHECK(same(policy, defaults()));
}

TEST_CASE("settings: a lease is what is left of it", "[settings]")
{
	rxaqm_policy policy = defaults();
	char buf[RXAQM_KEY_LEN];
	const rxaqm_key *lease = rxaqm_setting_find("lease");

	REQUIRE(assign(policy, "lease", "10s") == 0);
	CHECK(policy.lease_until_ns == now_ns + 10 * RXAQM_NSEC_PER_SEC);
	CHECK(std::string(rxaqm_key_format(lease, &policy, now_ns + 4 * RXAQM_NSEC_PER_SEC, buf)) ==
	      "6s");
	CHECK(std::string(rxaqm_key_format(lease, &policy, now_ns + 1, buf)) == "10s");
	CHECK(std::string(rxaqm_key_format(lease, &policy, now_ns + 10 * RXAQM_NSEC_PER_SEC - 1,
					   buf)) == "1ms");
	CHECK(std::string(rxaqm_key_format(lease, &policy, now_ns + 10 * RXAQM_NSEC_PER_SEC,
					   buf)) == "expired");
	REQUIRE(assign(policy, "lease", "expired") == 0);
	CHECK(policy.lease_until_ns == now_ns);
}

TEST_CASE("settings: any set of DSCPs fits", "[settings]")
{
	/* Names, pairs and runs in the mixtures that are longest. */
	static const __u64 sets[] = { ~0ULL,
				      0x5555555555555555,
				      0xaaaaaaaaaaaaaaaa,
				      0x6db6db6db6db6db6,
				      0xdb6db6db6db6db6d,
				      0xb6db6db6db6db6db,
				      0xb5b5b5b5b5b5b5b5,
				      0x5555555555555d57 };

	for (__u64 set : sets) {
		rxaqm_policy policy = defaults(), again = defaults();

		policy.exempt_dscp = set;
		std::string written = value_of(policy, "exempt_dscp");
		INFO(written);
		CHECK(written.size() < RXAQM_KEY_LEN - 1);
		CHECK(assign(again, "exempt_dscp", written.c_str()) == 0);
		CHECK(again.exempt_dscp == set);
	}
}

TEST_CASE("settings: JSON has units in its keys", "[settings]")
{
	rxaqm_policy policy = defaults();
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	rxaqm_out out;

	assign(policy, "lease", "10s");
	assign(policy, "exempt_ports", "22,443");
	assign(policy, "exempt_dscp", "cs6");
	rxaqm_out_open(&out, file, true);
	for (const rxaqm_key *setting = rxaqm_settings; setting->name; setting++)
		rxaqm_key_out(&out, setting, NULL, &policy, now_ns);
	CHECK(rxaqm_out_close(&out, true) == 0);
	fclose(file);
	CHECK(std::string(text) ==
	      "{\"mode\":\"observe\",\"signal\":\"auto\",\"law\":\"auto\","
	      "\"target_ns\":500000,\"target_auto\":true,"
	      "\"interval_ns\":40000000,\"ecn\":\"on\",\"ce_threshold_ns\":null,"
	      "\"ce_threshold_selector\":\"any\",\"ack\":\"thin\","
	      "\"max_drop_permille\":1000,\"lease_ns\":10000000000,"
	      "\"exempt_ports\":[22,443],\"exempt_dscp\":[48],\"merge\":\"on\"}\n");
	free(text);
}
