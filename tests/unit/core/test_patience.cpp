/* SPDX-License-Identifier: GPL-2.0-only */
/* The limits of time of tests: a busy machine does not reach them, a hang does. */
#include <catch2/catch_test_macros.hpp>

#include "process.hpp"

using namespace std::chrono_literals;

TEST_CASE("patience: time counts by the share that a task gets", "[patience]")
{
	CHECK(Patience::share(1, 2) == 1);
	CHECK(Patience::share(2, 2) == 1);
	CHECK(Patience::share(20, 2) == 0.1);
	CHECK(Patience::share(0, 2) == 1); /* not known */
	CHECK(Patience::share(20, 0) == 1);
}

TEST_CASE("patience: what never comes is waited for no longer than that", "[patience]")
{
	unsigned asked = 0;

	CHECK_FALSE(eventually([&] { return asked++, false; }, 50ms));
	CHECK(asked > 1);
	RunOptions options;

	options.timeout = 50ms;
	CHECK(run({ "sleep", "3600" }, options).timed_out);
	CHECK_FALSE(run({ "true" }).timed_out);
}
