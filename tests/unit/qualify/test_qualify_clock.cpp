// SPDX-License-Identifier: GPL-2.0-only
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "phc_device.hpp"

extern "C" {
#include "qualify/rows/row.h"
}

using Catch::Matchers::WithinAbs;

static const struct qualify_figure *find(const struct qualify_row &row, const std::string &name)
{
	for (size_t i = 0; i < row.figures.nr; i++) {
		if (row.figures.at[i].name == name)
			return &row.figures.at[i];
	}
	return nullptr;
}

TEST_CASE("what a reading of the clock costs, by the ioctl that rxaqm uses", "[qualify]")
{
	struct qualify_run run = {};
	struct qualify_row row = {};
	PhcDevice phc;

	run.ifname = PhcDevice::IFNAME;
	phc.tick_ns = 1000;
	SECTION("the best")
	{
		phc.precise = true;
		phc.extended_monotonic = true;
		REQUIRE(qualify_row_phc_read(&run, &row) == 0);
		CHECK(std::string(find(row, "read_best")->method).find("precise") !=
		      std::string::npos);
		/* From the host's clock to the next look at it: two looks later. */
		CHECK_THAT(find(row, "read_best")->median, WithinAbs(2000, 10));
	}
	SECTION("the oldest only")
	{
		phc.extended = false;
		REQUIRE(qualify_row_phc_read(&run, &row) == 0);
		CHECK(std::string(find(row, "read_best")->method).find("offset") !=
		      std::string::npos);
	}
	CHECK(find(row, "read_best")->n == 50);
	CHECK(find(row, "read_failures")->median == 0);
	qualify_row_free(&row);
}
