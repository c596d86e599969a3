/* SPDX-License-Identifier: GPL-2.0-only */
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "config/policy_file.h"
}

using Policies = std::vector<rxaqm_policy>;

static Policies defaults(unsigned int nr)
{
	Policies policies(nr);

	for (auto &policy : policies)
		rxaqm_policy_init(&policy);
	return policies;
}

static int parse(const std::string &text, Policies &policies, rxaqm_error *error, __u64 now_ns = 1)
{
	FILE *file = fmemopen(const_cast<char *>(text.data()), text.size(), "r");
	int err = rxaqm_policy_file_parse(file, "p.conf", policies.data(),
					  (unsigned int)policies.size(), now_ns, error);

	fclose(file);
	return err;
}

static std::string write(Policies policies, __u64 now_ns = 1)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	const rxaqm_policies all = { policies.data(), (unsigned int)policies.size(), now_ns };

	rxaqm_policy_file_print(file, &all);
	fclose(file);
	std::string result(text, size);
	free(text);
	return result;
}

static bool same(const Policies &a, const Policies &b)
{
	return std::equal(a.begin(), a.end(), b.begin(), b.end(),
			  [](const rxaqm_policy &x, const rxaqm_policy &y) {
				  return rxaqm_policy_same(&x, &y);
			  });
}

TEST_CASE("policy file: sections apply in the order of the file", "[policy_file]")
{
	Policies policies = defaults(8);
	rxaqm_error error = {};

	INFO(error.text);
	REQUIRE(parse("# all\n"
		      "[interface]\n"
		      "  target = 1ms\n"
		      "; some\n"
		      "[queue 0-3,6]\r\n"
		      "mode=enforce\r\n"
		      "target=500us ; lower\n"
		      "\n"
		      "[queue 2] # but\n"
		      "mode=off\n"
		      "[queue 2]\n"
		      "mode=observe",
		      policies, &error) == 0);
	for (unsigned int i = 0; i < 8; i++) {
		bool some = i < 4 || i == 6;

		CHECK(policies[i].target_ns == (some ? 500000u : 1000000u));
		CHECK(policies[i].mode ==
		      (some && i != 2 ? RXAQM_MODE_ENFORCE : RXAQM_MODE_OBSERVE));
	}
}

TEST_CASE("policy file: errors name file and line", "[policy_file]")
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "[interface]\ntarget=5\n", "p.conf:2: target=5: a unit is required" },
		{ "[interface]\nmode=enforce\n\ntagret=5ms\n",
		  "p.conf:4: unknown setting \"tagret\"" },
		{ "[interface]\nmode=enforce\nmode=off\n", "p.conf:3: mode is set twice" },
		{ "[iface]\n", "p.conf:1: unknown section [iface]; write [interface] or [queue" },
		{ "[queue 8]\nmode=off\n",
		  "p.conf:1: [queue 8]: the queues there are go from 0 to 7" },
		{ "[queue 3-1]\nmode=off\n", "p.conf:1: [queue 3-1]: not a list of queues" },
		{ "[queue ]\nmode=off\n", "p.conf:1: [queue ]: not a list" },
		{ "mode=off\n", "p.conf:1: \"mode\" stands before the first [section]" },
		{ "[interface]\nmode enforce\n", "p.conf:2: neither [section] nor key=value" },
		{ "[interface]\nmode enforce\nmode=bad\n",
		  "p.conf:2: neither [section] nor key=value" },
		{ "[interface]\nmode=bad\nmode enforce\n", "p.conf:2: mode=bad: must be one of" },
		{ "[interface\nmode=off\n", "p.conf:1: \"[\" without \"]\"" },
		{ "[interface] mode=off\n", "p.conf:1: text after [section]" },
		{ "[interface]\n=off\n", "p.conf:2: \"=off\" is not the name of a key" },
		{ "[interface]\nmode:x=off\n", "p.conf:2: \"mode:x=off\" is not the name" },
		{ "[queue 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7]\n",
		  "p.conf:1: section name longer than 49" },
		{ "[interface]\ntarget=50ms\n",
		  "p.conf: queue 0: target=50ms exceeds interval=40ms" },
		{ "[queue 5]\ninterval=400us\n",
		  "p.conf: queue 5: target=auto:500us exceeds interval=400us" },
		{ "[queue 5]\nce_threshold=1ms\n",
		  "p.conf: queue 5: ce_threshold=1ms: law=auto marks" },
		{ "[interface]\nexempt_ports=                                                      "
		  "                                                                           "
		  "                                                                           22\n",
		  "p.conf:2: line longer than" },
	};

	for (const auto &row : rows) {
		Policies policies = defaults(8);
		rxaqm_error error = {};

		INFO(row.text);
		CHECK(parse(row.text, policies, &error) < 0);
		INFO(error.text);
		CHECK(std::string(error.text).find(row.says) == 0);
		CHECK(error.exit_code == RXAQM_EXIT_USAGE);
	}
}

TEST_CASE("policy file: all errors are told, as far as there is room", "[policy_file]")
{
	Policies policies = defaults(8);
	rxaqm_error error = {};
	std::string text = "[interface]\ntarget=5\nmode enforce\necn=on\n[queue 9]\nmode=bad\n"
			   "[queue 1]\nmode=bad\nack=thin\nack=keep\nmodes\n";

	CHECK(parse(text, policies, &error) == -EINVAL);
	INFO(error.text);
	CHECK(std::string(error.text)
		      .find("p.conf:2: target=5: a unit is required, as in "
			    "target=5ms (ns, us, ms, s or m)\n"
			    "p.conf:3: neither [section] nor key=value\n"
			    "p.conf:5: [queue 9]: the queues there are go from 0 to 7\n"
			    "p.conf:8: mode=bad: must be one of ") == 0);
	CHECK(std::string(error.text).find("\np.conf:10: ack is set twice") != std::string::npos);
	CHECK(std::string(error.text).find("\np.conf:11: neither") != std::string::npos);
	/* What was wrong before is no reason for another error. */
	CHECK(std::count(error.text, error.text + strlen(error.text), '\n') == 5);

	text = "[interface]\n";
	for (int i = 0; i < 1000; i++)
		text += "tagret=5ms\n";
	CHECK(parse(text, policies, &error) == -EINVAL);
	std::string says = error.text;
	INFO(says);
	long lines = std::count(says.begin(), says.end(), '\n');
	CHECK(lines > 5);
	CHECK(says.substr(says.rfind('\n')) == "\nand " + std::to_string(1000 - lines) + " more");
}

TEST_CASE("policy file: NUL characters are no text", "[policy_file]")
{
	Policies policies = defaults(2);
	rxaqm_error error = {};

	CHECK(parse(std::string("[interface]\nmode=off\0x\n", 23), policies, &error) == -EINVAL);
	CHECK(std::string(error.text).find("p.conf:2: NUL character") == 0);
}

TEST_CASE("policy file: only what differs is written", "[policy_file]")
{
	Policies policies = defaults(8);

	for (unsigned int i : { 1, 2, 3, 6 })
		policies[i].mode = RXAQM_MODE_ENFORCE;
	policies[5].target_auto = false;
	CHECK(write(policies) == "[interface]\n"
				 "mode=observe\n"
				 "signal=auto\n"
				 "law=auto\n"
				 "target=auto:500us\n"
				 "interval=40ms\n"
				 "ecn=on\n"
				 "ce_threshold=off\n"
				 "ce_threshold_selector=any\n"
				 "ack=thin\n"
				 "max_drop=100%\n"
				 "lease=off\n"
				 "exempt_ports=none\n"
				 "exempt_dscp=cs6,cs7\n"
				 "merge=on\n"
				 "\n"
				 "[queue 1-3,6]\n"
				 "mode=enforce\n"
				 "\n"
				 "[queue 5]\n"
				 "target=500us\n");
}

TEST_CASE("policy file: what is written reads back, whatever was before", "[policy_file]")
{
	std::mt19937 random(1);
	unsigned int sizes[] = { 1, 2, 7, 64, 513, RXAQM_MAX_QUEUES };

	for (unsigned int nr : sizes) {
		Policies policies = defaults(nr), read = defaults(nr);
		rxaqm_error error = {};

		for (auto &policy : policies) {
			unsigned int kind = random() % 4;

			policy.mode = kind % 3;
			policy.target_auto = kind % 2;
			policy.target_ns = 1000000 + 1000 * kind;
			policy.max_drop_permille = kind == 3 ? 125 : 500;
			policy.exempt_dscp = kind == 2 ? 0x5555555555555555 : 0;
			policy.exempt_port[0] = kind == 1 ? 22 : 0;
			policy.nr_exempt_ports = kind == 1;
		}
		for (auto &policy : read)
			policy.ack = RXAQM_ACK_KEEP;
		INFO(nr << " queues");
		CHECK(parse(write(policies), read, &error) == 0);
		INFO(error.text);
		CHECK(same(policies, read));
	}
}

TEST_CASE("policy file: who has set what", "[policy_file]")
{
	rxaqm_policy policy;

	rxaqm_policy_init(&policy);
	CHECK(rxaqm_setting_source(&policy, "mode") == RXAQM_SOURCE_DEFAULT);
	REQUIRE(rxaqm_setting_set(&policy, RXAQM_SOURCE_CONFIG, "preset", "dc", 0, nullptr) == 0);
	REQUIRE(rxaqm_setting_set(&policy, RXAQM_SOURCE_OPERATOR, "mode", "off", 0, nullptr) == 0);
	REQUIRE(rxaqm_setting_set(&policy, RXAQM_SOURCE_OPERATOR, "law", "none", 0, nullptr) != 0);
	CHECK(rxaqm_setting_source(&policy, "mode") == RXAQM_SOURCE_OPERATOR);
	CHECK(rxaqm_setting_source(&policy, "target") == RXAQM_SOURCE_CONFIG);
	CHECK(rxaqm_setting_source(&policy, "interval") == RXAQM_SOURCE_CONFIG);
	CHECK(rxaqm_setting_source(&policy, "exempt_dscp") == RXAQM_SOURCE_DEFAULT);
	CHECK(rxaqm_setting_source(&policy, rxaqm_settings[RXAQM_NR_SETTINGS - 1].name) ==
	      RXAQM_SOURCE_DEFAULT);
}

TEST_CASE("policy file: a lease is written as it was set, and loading what is in force changes no "
	  "source",
	  "[policy_file]")
{
	const __u64 sec = RXAQM_NSEC_PER_SEC;
	Policies policies = defaults(3);
	rxaqm_error error = {};

	for (auto &policy : policies) {
		rxaqm_setting_set(&policy, RXAQM_SOURCE_CONFIG, "mode", "enforce", sec, nullptr);
		rxaqm_setting_set(&policy, RXAQM_SOURCE_CONFIG, "lease", "5m", sec, nullptr);
	}
	/* The lease of another began later. */
	rxaqm_setting_set(&policies[2], RXAQM_SOURCE_CONFIG, "lease", "5m", 50 * sec, nullptr);
	std::string text = write(policies, 100 * sec);
	INFO(text);
	CHECK(text.find("lease=5m\n") != std::string::npos);
	CHECK(text.find("[queue") == std::string::npos);
	REQUIRE(parse(text, policies, &error, 200 * sec) == 0);
	for (auto &policy : policies) {
		CHECK(policy.lease_until_ns == 500 * sec);
		for (const rxaqm_key *setting = rxaqm_settings; setting->name; setting++) {
			std::string name = setting->name;

			CAPTURE(name);
			CHECK(rxaqm_setting_source(&policy, setting->name) ==
			      (name == "mode" || name == "lease" ? RXAQM_SOURCE_CONFIG :
								   RXAQM_SOURCE_DEFAULT));
		}
	}
	REQUIRE(parse("[queue 1]\nlease=4m\n", policies, &error, 200 * sec) == 0);
	CHECK(rxaqm_setting_source(&policies[1], "lease") == RXAQM_SOURCE_OPERATOR);
	/* One that is over stays over, whoever loads it. */
	CHECK(write(policies, 500 * sec).find("lease=expired\n") != std::string::npos);
	REQUIRE(parse("[queue 0]\nlease=expired\n", policies, &error, 500 * sec) == 0);
	CHECK(rxaqm_setting_source(&policies[0], "lease") == RXAQM_SOURCE_CONFIG);
	REQUIRE(parse("[queue 2]\nlease=expired\n", policies, &error, 400 * sec) == 0);
	CHECK(rxaqm_setting_source(&policies[2], "lease") == RXAQM_SOURCE_OPERATOR);
}
