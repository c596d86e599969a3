/* SPDX-License-Identifier: GPL-2.0-only */
/* The engine for keys: what holds for every row of every table. */
#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <set>
#include <string>

extern "C" {
#include <json-c/json.h>

#include "base/out.h"
#include "config/config.h"
#include "profile/profile_keys.h"
}

namespace
{

const rxaqm_key *const tables[] = { rxaqm_settings, rxaqm_config_keys, rxaqm_fact_keys,
				    rxaqm_match_keys };

/* Fields of all widths, each with something behind it. */
struct Fields {
	__u8 one, after_one;
	__u16 two, after_two;
	__u32 four, after_four;
	__u64 eight, after_eight;
};

rxaqm_key number(size_t offset, size_t size)
{
	rxaqm_key key = {};

	key.section = "Test";
	key.name = "SomeNumber";
	key.type = RXAQM_TYPE_NUMBER;
	key.offset = offset;
	key.size = size;
	key.min = 1;
	key.max = size < 8 ? (1ULL << 8 * size) - 1 : ~0ULL;
	key.help = "a number";
	return key;
}

std::string json_of(const rxaqm_key &key, const void *object)
{
	char *text = nullptr;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	rxaqm_out out;

	rxaqm_out_open(&out, file, true);
	rxaqm_key_out(&out, &key, nullptr, object, 0);
	rxaqm_out_close(&out, true);
	fclose(file);
	std::string result(text);
	free(text);
	return result;
}

__u32 digest_of(const std::string &line)
{
	std::string text = "[Interface a]\n" + line;
	FILE *file = fmemopen(text.data(), text.size(), "r");
	rxaqm_config config = {};
	rxaqm_error error = {};

	int err = rxaqm_config_parse(file, "r.conf", &config, &error);
	fclose(file);
	INFO(line << error.text);
	REQUIRE(err == 0);
	__u32 digest = rxaqm_config_digest(&config.iface[0]);
	rxaqm_config_free(&config);
	return digest;
}

} // namespace

TEST_CASE("keys: every row of every table is whole", "[keys]")
{
	for (const rxaqm_key *table : tables) {
		std::set<std::string> names;
		unsigned int nr = 0;

		for (const rxaqm_key *key = table; key->name; key++, nr++) {
			char text[RXAQM_KEY_TEXT_LEN];

			CAPTURE(key->section, key->name);
			/* rxaqm_key_once() goes by the name. */
			CHECK(names.insert(key->name).second);
			CHECK(std::string(rxaqm_key_form(key, text)) != "");
			CHECK(std::string(rxaqm_key_explain(key, text)).size() <
			      RXAQM_KEY_TEXT_LEN - 1);
			CHECK(key->size);
			CHECK((key->type == RXAQM_TYPE_CHOICE || key->type == RXAQM_TYPE_FACT) ==
			      (key->choices != nullptr));
			CHECK(key->min <= key->max + (key->type == RXAQM_TYPE_TEXT));
			CHECK_FALSE((key->standard && key->otherwise));
			CHECK(rxaqm_key_find(table, key->section, key->name) == key);
		}
		CHECK(nr < RXAQM_KEYS_MAX);
	}
}

TEST_CASE("keys: numbers of all widths, and nothing beside them", "[keys]")
{
	const rxaqm_key keys[] = { number(offsetof(Fields, one), 1),
				   number(offsetof(Fields, two), 2),
				   number(offsetof(Fields, four), 4),
				   number(offsetof(Fields, eight), 8) };

	for (const rxaqm_key &key : keys) {
		for (__u64 value : { key.min, key.max }) {
			std::string written = std::to_string(value);
			Fields fields = {};
			char text[RXAQM_KEY_LEN];
			const char *after = (char *)&fields + key.offset + key.size;

			INFO(key.size << " bytes: " << written);
			REQUIRE(rxaqm_key_set(&key, &fields, written.c_str(), 0, nullptr) == 0);
			CHECK(std::string(rxaqm_key_format(&key, &fields, 0, text)) == written);
			CHECK(std::string(after, key.size) == std::string(key.size, '\0'));
		}
	}
	Fields fields = {};
	rxaqm_error error = {};

	fields.one = 7;
	CHECK(rxaqm_key_set(&keys[0], &fields, "256", 0, &error) == -EINVAL);
	CHECK(std::string(error.text) == "SomeNumber=256: must be a number from 1 to 255");
	CHECK(fields.one == 7);
	CHECK(json_of(keys[0], &fields) == "{\"some_number\":7}\n");
}

TEST_CASE("keys: what is not said is null in JSON, and its word in text", "[keys]")
{
	rxaqm_key key = number(offsetof(Fields, four), 4);
	Fields fields = {};
	char text[RXAQM_KEY_LEN];

	CHECK(json_of(key, &fields) == "{\"some_number\":0}\n");
	key.none = "off";
	CHECK(json_of(key, &fields) == "{\"some_number\":null}\n");
	CHECK(std::string(rxaqm_key_format(&key, &fields, 0, text)) == "off");
	fields.four = 3;
	REQUIRE(rxaqm_key_set(&key, &fields, "off", 0, nullptr) == 0);
	CHECK(fields.four == 0);
	key.none = "";
	CHECK(std::string(rxaqm_key_format(&key, &fields, 0, text)) == "");
	CHECK(rxaqm_key_set(&key, &fields, "", 0, nullptr) == -EINVAL);
}

TEST_CASE("keys: help, range and default are one line", "[keys]")
{
	char form[RXAQM_KEY_TEXT_LEN], text[RXAQM_KEY_TEXT_LEN];
	auto says = [&](const rxaqm_key *table, const char *section, const char *name) {
		const rxaqm_key *key = rxaqm_key_find(table, section, name);

		REQUIRE(key);
		return std::string(rxaqm_key_form(key, form)) + ": " + rxaqm_key_explain(key, text);
	};

	CHECK(says(rxaqm_settings, "Policy", "ce_threshold") ==
	      "DURATION|off: law=codel: mark every ECT packet over this, 1us to 4s (default off)");
	CHECK(says(rxaqm_config_keys, "Daemon", "status_mode") ==
	      "OCTAL: permissions of the status files, 0400 to 0664 (default 0640)");
	CHECK(says(rxaqm_config_keys, "Interface", "profile") ==
	      "PROFILE: NIC profile by name, or a file (default by driver)");
	CHECK(says(rxaqm_fact_keys, "Nic", "Napi") ==
	      "joint|apart: Rx and Tx of a queue are polled by one NAPI, or by one each (default "
	      "unknown)");
	CHECK_FALSE(rxaqm_key_find(rxaqm_config_keys, "Daemon", "profile"));
}

TEST_CASE("keys: a key that is set twice is told with its first line", "[keys]")
{
	rxaqm_keys_seen seen = {};
	rxaqm_error error = {};

	CHECK(rxaqm_key_once(&seen, rxaqm_settings, "mode", "queue 0", 3, &error) == 0);
	CHECK(rxaqm_key_once(&seen, rxaqm_settings, "preset", "queue 0", 4, &error) == 0);
	CHECK(rxaqm_key_once(&seen, rxaqm_settings, "law", "queue 0", 5, &error) == 0);
	CHECK(rxaqm_key_once(&seen, rxaqm_settings, "mode", "queue 0", 6, &error) == -EINVAL);
	CHECK(std::string(error.text) ==
	      "mode is set twice in [queue 0], first on line 3; delete one");
	CHECK(rxaqm_key_once(&seen, rxaqm_settings, "preset", nullptr, 7, &error) == -EINVAL);
	CHECK(std::string(error.text) == "preset is set twice, first on line 4; delete one");
}

TEST_CASE("keys: the digest of a section covers every key", "[keys]")
{
	const __u32 plain = digest_of("mode=observe\n");
	std::set<std::string> keys;

	for (const char *line : { "enable=no\n", "xdp_mode=generic\n", "xdp_mode=native\n",
				  "hook=tp\n", "key=queue\n", "profile=igb\n", "lease=1m\n" }) {
		INFO(line);
		CHECK(digest_of(std::string("mode=observe\n") + line) != plain);
		keys.insert(std::string(line, strcspn(line, "=")));
	}
	for (const rxaqm_key *key = rxaqm_config_keys; key->name; key++)
		CHECK((strcmp(key->section, "Interface") || keys.count(key->name)));
	/* Machines have noted these: another number undoes there what an operator has set. */
	CHECK(digest_of("") == 2166136261);
	CHECK(digest_of("mode=enforce\nlease=5m\nxdp_mode=generic\n") == 431740099);
	CHECK(digest_of("mode=enforce\n") == 3128235564);
	CHECK(digest_of("mode=enforce\nlease=off\n") == 3128235564);
	/* So a key that a later version adds counts where it is set, only. */
	CHECK(digest_of("enable=yes\nhook=auto\nlease=off\nmode=observe\n") == plain);
	CHECK(digest_of("mode=off\n") != plain);
	CHECK(digest_of("mode=observe\n") == plain);
}
