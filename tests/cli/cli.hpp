/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of {arguments, exit code, what stdout has, what stderr has}. */
#ifndef RXAQM_TESTS_CLI_HPP
#define RXAQM_TESTS_CLI_HPP

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "host.hpp"

struct Row {
	Args args; /* "@IF" stands for the interface at hand */
	int exit_code;
	const char *out; /* "": nothing on stdout */
	const char *err; /* "": nothing on stderr; else one line that has this */
	const char *remedy = ""; /* and this */
};

inline Args with_interface(Args args, const std::string &ifname)
{
	for (std::string &arg : args) {
		size_t at = arg.find("@IF");

		if (at != std::string::npos)
			arg.replace(at, 3, ifname);
	}
	return args;
}

inline void check_row(const Row &row, const Result &result)
{
	CAPTURE(result.text());
	CHECK(result.exit_code == row.exit_code);
	if (*row.out)
		CHECK(result.out.find(row.out) != std::string::npos);
	else
		CHECK(result.out == "");
	if (!*row.err) {
		CHECK(result.err == "");
		return;
	}
	CHECK(result.err.find(row.err) != std::string::npos);
	CHECK(result.err.find(row.remedy) != std::string::npos);
	CHECK(result.err.compare(0, 5, "rxaqm") == 0);
	CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
	CHECK(result.err.back() == '\n');
}

#endif /* RXAQM_TESTS_CLI_HPP */
