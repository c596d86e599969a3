// SPDX-License-Identifier: GPL-2.0-only
/* What metrics say of clocks. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "metrics_maps.hpp"

using Catch::Matchers::WithinRel;

TEST_CASE("metrics: the clock, also decades off", "[metrics]")
{
	Maps maps;
	unsigned slot = maps.attach("eth0", 1);
	rxaqm_clock_entry &entry = maps.clock(slot);
	rxaqm_clock &clock = entry.clock[1];

	maps.iface(slot).stamp = RXAQM_STAMP_HWTSTAMP;
	SECTION("none yet")
	{
		Exposition page = maps.page();

		CHECK(page.value("rxaqm_clock_valid") == 0);
		CHECK(page.find("rxaqm_clock_offset_seconds").empty());
		CHECK(page.value("rxaqm_phc_valid") == 0);
		CHECK(page.find("rxaqm_phc_error_seconds").empty());
	}
	SECTION("read, and ahead of what packets tell by 70 ns")
	{
		rxaqm_clock_phc &phc = maps.phc(slot);
		rxaqm_clock read = {};

		read.host_ref_ns = maps.view().now_ns;
		read.hw_ref_ns = 5000;
		read.rate_q32 = RXAQM_PPM_Q32(7);
		read.err_ns = 400;
		read.expires_ns = maps.view().now_ns + 1;
		phc.published = 1;
		phc.clock[1] = clock = read;
		phc.clock[1].host_ref_ns += 70;
		phc.resets = 3;
		CHECK(maps.page().value("rxaqm_phc_valid") == 1);
		CHECK(maps.page().value("rxaqm_phc_steps_total") == 3);
		CHECK(maps.page().find("rxaqm_phc_error_seconds").at(0).written == "0.0000004");
		CHECK_THAT(maps.page().value("rxaqm_phc_drift_ratio"), WithinRel(7e-6, 1e-4));
		CHECK(maps.page().find("rxaqm_phc_difference_seconds").empty());
		entry.published = 1;
		CHECK(maps.page().find("rxaqm_phc_difference_seconds").at(0).written ==
		      "0.00000007");
		phc.published = 0;
		CHECK(maps.page().value("rxaqm_phc_valid") == 0);
		CHECK(maps.page().find("rxaqm_phc_difference_seconds").empty());
	}
	SECTION("known")
	{
		entry.published = 1;
		clock.host_ref_ns = maps.view().now_ns - 2 * RXAQM_NSEC_PER_SEC;
		clock.hw_ref_ns = 1700000000123456789ULL;
		clock.rate_q32 = RXAQM_PPM_Q32(-50);
		clock.drift_err_q32 = RXAQM_PPM_Q32(10);
		clock.err_ns = 500;
		clock.expires_ns = maps.view().now_ns + 1;
		Exposition page = maps.page();

		CHECK(page.value("rxaqm_clock_valid") == 1);
		CHECK(page.find("rxaqm_clock_offset_seconds").at(0).written ==
		      "-1699999002.123456789");
		CHECK(page.find("rxaqm_clock_age_seconds").at(0).written == "2");
		CHECK(page.find("rxaqm_clock_error_seconds").at(0).written == "0.0000205");
		CHECK_THAT(page.value("rxaqm_clock_drift_ratio"), WithinRel(-50e-6, 1e-4));
		CHECK_THAT(page.value("rxaqm_clock_error_growth_ratio"), WithinRel(10e-6, 1e-4));
		clock.expires_ns = maps.view().now_ns;
		CHECK(maps.page().value("rxaqm_clock_valid") == 0);
	}
}
