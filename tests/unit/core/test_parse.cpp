/* SPDX-License-Identifier: GPL-2.0-only */
#include <catch2/catch_test_macros.hpp>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "base/parse.h"
}

TEST_CASE("parse: numbers", "[parse]")
{
	static const struct {
		const char *text;
		int ret;
		__u64 value;
	} rows[] = {
		{ "0", 0, 0 },
		{ "17", 0, 17 },
		{ "007", 0, 7 },
		{ "4095", 0, 4095 },
		{ "4096", -ERANGE, 0 },
		{ "18446744073709551615", -ERANGE, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "99999999999999999999999x", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 },
	};

	for (const auto &row : rows) {
		__u64 value = 0;

		INFO("\"" << row.text << "\"");
		CHECK(rxaqm_parse_u64(row.text, 0, 4095, &value) == row.ret);
		CHECK(value == row.value);
	}
	__u64 value;
	CHECK(rxaqm_parse_u64("18446744073709551615", 0, ~0ULL, &value) == 0);
	CHECK(value == ~0ULL);
	CHECK(rxaqm_parse_u64("0", 1, 8, &value) == -ERANGE);
}

TEST_CASE("parse: durations", "[parse]")
{
	static const struct {
		const char *text;
		int ret;
		__u64 ns;
	} rows[] = {
		{ "0ns", 0, 0 },
		{ "0s", 0, 0 },
		{ "1ns", 0, 1 },
		{ "500us", 0, 500000 },
		{ "1.5ms", 0, 1500000 },
		{ "1.50ms", 0, 1500000 },
		{ "0.001us", 0, 1 },
		{ "1.001m", 0, 60060000000 },
		{ "2s", 0, 2000000000 },
		{ "3m", 0, 180000000000 },
		{ "9223372036854775807ns", 0, 9223372036854775807 },
		{ "9223372036854775808ns", -ERANGE, 0 },
		{ "9223372036.855s", -ERANGE, 0 },
		{ "9223372036.854s", 0, 9223372036854000000 },
		{ "307445734561m", -ERANGE, 0 },
		{ "99999999999999999999ms", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "5", -EINVAL, 0 },
		{ "0", -EINVAL, 0 },
		{ "ms", -EINVAL, 0 },
		{ ".5ms", -EINVAL, 0 },
		{ "5.ms", -EINVAL, 0 },
		{ "1.0005ms", -EINVAL, 0 },
		{ "1.5ns", -EINVAL, 0 },
		{ "5 ms", -EINVAL, 0 },
		{ "5ms ", -EINVAL, 0 },
		{ " 5ms", -EINVAL, 0 },
		{ "-5ms", -EINVAL, 0 },
		{ "+5ms", -EINVAL, 0 },
		{ "5MS", -EINVAL, 0 },
		{ "5sec", -EINVAL, 0 },
		{ "5h", -EINVAL, 0 },
		{ "1e3us", -EINVAL, 0 },
		{ "1,5ms", -EINVAL, 0 },
		{ "5ms5us", -EINVAL, 0 },
	};

	for (const auto &row : rows) {
		__u64 ns = 0;

		INFO("\"" << row.text << "\"");
		CHECK(rxaqm_parse_duration(row.text, &ns) == row.ret);
		CHECK(ns == row.ns);
	}
}

TEST_CASE("parse: percentages", "[parse]")
{
	static const struct {
		const char *text;
		int ret;
		__u32 permille;
	} rows[] = {
		{ "0%", 0, 0 },
		{ "50%", 0, 500 },
		{ "12.5%", 0, 125 },
		{ "100%", 0, 1000 },
		{ "100.0%", 0, 1000 },
		{ "0.1%", 0, 1 },
		{ "100.1%", -ERANGE, 0 },
		{ "101%", -ERANGE, 0 },
		{ "99999999999999999999%", -ERANGE, 0 },
		{ "50", -EINVAL, 0 },
		{ "%", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "-1%", -EINVAL, 0 },
		{ "1.25%", -EINVAL, 0 },
		{ "1.%", -EINVAL, 0 },
		{ "50 %", -EINVAL, 0 },
		{ "50%%", -EINVAL, 0 },
	};

	for (const auto &row : rows) {
		__u32 permille = 0;

		INFO("\"" << row.text << "\"");
		CHECK(rxaqm_parse_percent(row.text, &permille) == row.ret);
		CHECK(permille == row.permille);
	}
}

TEST_CASE("parse: queues", "[parse]")
{
	static const struct {
		const char *text;
		int ret;
		const char *set; /* of 8 queues */
	} rows[] = {
		{ "3", 0, "00010000" },		  { "0-7", 0, "11111111" },
		{ "0-3,6", 0, "11110010" },	  { "6,0-3", 0, "11110010" },
		{ "1,1,1-1", 0, "01000000" },	  { "all", 0, "11111111" },
		{ "8", -ERANGE, "00000000" },	  { "0-8", -ERANGE, "00000000" },
		{ "0,8", -ERANGE, "00000000" },	  { "99999999999999999999", -ERANGE, "00000000" },
		{ "3-1", -EINVAL, "00000000" },	  { "", -EINVAL, "00000000" },
		{ ",", -EINVAL, "00000000" },	  { "1,", -EINVAL, "00000000" },
		{ ",1", -EINVAL, "00000000" },	  { "1-", -EINVAL, "00000000" },
		{ "-1", -EINVAL, "00000000" },	  { "1--2", -EINVAL, "00000000" },
		{ "1 ", -EINVAL, "00000000" },	  { "all,1", -EINVAL, "00000000" },
		{ "0,1,x", -EINVAL, "00000000" },
	};

	for (const auto &row : rows) {
		unsigned char set[8] = {};
		std::string got;

		INFO("\"" << row.text << "\"");
		CHECK(rxaqm_parse_queues(row.text, 8, set) == row.ret);
		for (unsigned char one : set)
			got += one ? '1' : '0';
		CHECK(got == row.set);
	}
}

TEST_CASE("parse: durations are written as they are read", "[parse]")
{
	static const struct {
		__u64 ns;
		const char *exact, *brief;
	} rows[] = {
		{ 0, "0ns", "0" },
		{ 1, "1ns", "1ns" },
		{ 999, "999ns", "999ns" },
		{ 1000, "1us", "1us" },
		{ 1234, "1.234us", "1.23us" },
		{ 9999, "9.999us", "10us" },
		{ 84123, "84.123us", "84.1us" },
		{ 100000, "100us", "100us" },
		{ 999499, "999.499us", "999us" },
		{ 999500, "999.5us", "1ms" },
		{ 1250000, "1.25ms", "1.25ms" },
		{ 1500000, "1.5ms", "1.5ms" },
		{ 1234567, "1234.567us", "1.23ms" },
		{ 1000000001, "1000000.001us", "1s" },
		{ 60000000000, "1m", "1m" },
		{ 120000000000, "2m", "2m" },
		{ 90000000000, "90s", "1m30s" },
		{ 729000000000, "729s", "12m" },
		{ 3600000000000, "60m", "1h" },
		{ 12000000000000, "200m", "3h20m" },
		{ 864000000000000, "14400m", "10d" },
		{ 5000000000000, "5000s", "1h23m" },
		{ 9223372036854775807, "9223372036854775.807us", "106751d" },
	};

	for (const auto &row : rows) {
		char buf[RXAQM_DURATION_LEN];
		__u64 ns;

		CHECK(std::string(rxaqm_format_duration(row.ns, buf)) == row.brief);
		CHECK(std::string(rxaqm_format_duration_exact(row.ns, buf)) == row.exact);
		CHECK(rxaqm_parse_duration(buf, &ns) == 0);
		CHECK(ns == row.ns);
	}
}

TEST_CASE("parse: mistyped words find the one meant", "[parse]")
{
	static const char *const words[] = { "target", "interval", "ecn", "mode", NULL };
	static const struct {
		const char *word, *nearest;
	} rows[] = {
		{ "tagret", "target" },
		{ "Target", "target" },
		{ "intervall", "interval" },
		{ "ecm", "ecn" },
		{ "mod", "mode" },
		{ "x", NULL },
		{ "ebb", NULL },
		{ "something", NULL },
		{ "", NULL },
		{ "a word that is longer than anything known", NULL },
	};

	for (const auto &row : rows) {
		const char *nearest = rxaqm_nearest(row.word, words);

		INFO(row.word);
		CHECK(std::string(nearest ? nearest : "-") == (row.nearest ? row.nearest : "-"));
	}
}
