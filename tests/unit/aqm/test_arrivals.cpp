// SPDX-License-Identifier: GPL-2.0-only
/* When the driver must have lost the program, by two looks, and when it need not have. */
#include <catch2/catch_test_macros.hpp>

extern "C" {
#include "report/arrivals.h"
}

namespace
{

const uint64_t SEC = 1000000000;

uint64_t unseen(const rxaqm_arrivals &before, const rxaqm_arrivals &now)
{
	return rxaqm_arrivals_unseen(&before, &now);
}

} // namespace

TEST_CASE("arrivals: 100 packets received, and none seen, are lost; anything less may not be",
	  "[arrivals]")
{
	/* The last packet came at 10 s, the looks are at 20 s and 21 s. */
	const rxaqm_arrivals before = { 20 * SEC, 1 * SEC, 5000, 4000, 10 * SEC };
	const rxaqm_arrivals after = { 21 * SEC, 1 * SEC, 5100, 4000, 10 * SEC };
	rxaqm_arrivals first = before, now = after;

	REQUIRE(unseen(before, after) == 100);
	SECTION("few")
	{
		now.received--;
	}
	SECTION("one was seen, whose poll goes on")
	{
		now.seen++;
	}
	SECTION("a poll has ended, whose packets were counted before")
	{
		now.seen_ns = 21 * SEC;
	}
	SECTION("the driver's counter comes after its packets")
	{
		first.seen_ns = now.seen_ns = 18 * SEC;
	}
	SECTION("it was attached in between")
	{
		now.attached_ns = 20 * SEC + 1;
	}
	SECTION("what the driver counts is not known, or not all are to be seen: at the first look")
	{
		first.received = 0;
	}
	SECTION("at the second one")
	{
		now.received = 0;
	}
	SECTION("no look before")
	{
		first = {};
	}
	CHECK(unseen(first, now) == 0);
}
