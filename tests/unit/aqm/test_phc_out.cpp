/* SPDX-License-Identifier: GPL-2.0-only */
/* What `rxaqm status` says of the two sources. */
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

#include "json.hpp"
#include "text.hpp"

extern "C" {
#include "report/clock_out.h"
}

namespace
{

const __u64 NOW = 1000 * RXAQM_NSEC_PER_SEC;

struct Sources {
	rxaqm_clock_entry entry = {};
	rxaqm_clock_phc phc = {};

	static rxaqm_clock mapping(__u64 offset_ns, __u64 err_ns)
	{
		rxaqm_clock clock = {};

		clock.host_ref_ns = NOW - RXAQM_NSEC_PER_SEC;
		clock.hw_ref_ns = clock.host_ref_ns - offset_ns;
		clock.err_ns = err_ns;
		clock.drift_err_q32 = RXAQM_PPM_Q32(1);
		clock.expires_ns = NOW + RXAQM_NSEC_PER_SEC;
		return clock;
	}

	void by_kernel(__u64 offset_ns, __s64 rate_q32 = 0)
	{
		entry.clock[1] = mapping(offset_ns, 1000);
		entry.clock[1].rate_q32 = rate_q32;
		entry.published = 1;
		entry.est.nr_points = 6;
		entry.est.window_ns = RXAQM_EST_WINDOW_MAX_NS;
	}

	void by_phc(__u64 offset_ns)
	{
		phc.clock[0] = mapping(offset_ns, 500);
		phc.published = phc.last = 2;
		phc.points = 8;
		phc.method = RXAQM_PHC_EXTENDED;
		phc.index = 3;
		phc.resets = 2;
	}

	std::string print(bool json) const
	{
		char *text = nullptr;
		size_t size = 0;
		FILE *file = open_memstream(&text, &size);
		rxaqm_out out;

		rxaqm_out_open(&out, file, json);
		rxaqm_clock_out(&out, &entry, &phc, NOW);
		REQUIRE(rxaqm_out_close(&out, false) == 0);
		fclose(file);
		std::string printed(text, size);
		free(text);
		return printed;
	}
};

} /* namespace */

TEST_CASE("clock out: neither source", "[phc]")
{
	Sources s;
	Json json(s.print(true));

	CHECK(json.is_null("/clock/source"));
	CHECK_FALSE(json.flag("/clock/valid"));
	CHECK(json.is_null("/clock/phc"));
	CHECK(json.is_null("/clock/kernel"));
	CHECK(json.is_null("/clock/phc_kernel_differ_ns"));
	CHECK(s.print(false) == "  clock: none yet: no stamped packet has met an empty queue\n");
}

TEST_CASE("clock out: the kernel's alone", "[phc]")
{
	Sources s;

	s.by_kernel(5000, RXAQM_PPM_Q32(-100));
	Json json(s.print(true));
	CHECK(json.text("/clock/source") == "kernel");
	CHECK(json.flag("/clock/valid"));
	CHECK(json.number("/clock/offset_ns") == 5000);
	CHECK(json.number("/clock/kernel/offset_ns") == 5000);
	CHECK(json.is_null("/clock/phc"));
	CHECK(json.is_null("/clock/phc_kernel_excess_ns"));
	CHECK(s.print(false) == "  clock: kernel, error at most 2us, 1s old, drift -100.001 ppm\n");
}

TEST_CASE("clock out: both, and how they differ", "[phc]")
{
	Sources s;

	s.by_kernel(9000);
	s.by_phc(5000);
	Json json(s.print(true));
	CHECK(json.text("/clock/source") == "phc");
	CHECK(json.text("/clock/method") == "extended");
	CHECK(json.number("/clock/phc_index") == 3);
	CHECK(json.number("/clock/offset_ns") == 5000);
	CHECK(json.number("/clock/err_ns") == 1500);
	CHECK(json.number("/clock/resets") == 2);
	CHECK(json.number("/clock/kernel/offset_ns") == 9000);
	CHECK(json.number("/clock/phc/offset_ns") == 5000);
	CHECK(json.number("/clock/phc_kernel_differ_ns") == -4000);
	/* Errors of 1.5 and 2 us. */
	CHECK(json.number("/clock/phc_kernel_excess_ns") == 500);
	std::string text = s.print(false);
	CAPTURE(text);
	CHECK(text == "  clock: phc, error at most 1.5us, 1s old, drift 0.000 ppm, read by method "
		      "\"extended\" of /dev/ptp3, restarted 2 times; phc - kernel -4000ns, 500ns "
		      "more than their errors explain\n");
	s.by_kernel(5100);
	CHECK_FALSE(has(s.print(false), "phc - kernel"));
}

TEST_CASE("clock out: a phc that is not used says why", "[phc]")
{
	Sources s;

	s.by_kernel(9000);
	s.by_phc(5000);
	s.entry.phc_refused_until_ns = NOW + 1;
	s.entry.phc_refusals = 7;
	CHECK(Json(s.print(true)).text("/clock/source") == "kernel");
	CHECK(Json(s.print(true)).number("/clock/phc/refusals") == 7);
	CHECK(has(s.print(false), "; phc is not used: packets' stamps contradict it; phc - "));
	s.entry.phc_refused_until_ns = NOW;
	CHECK(Json(s.print(true)).text("/clock/source") == "phc");
	s.phc.clock[0].expires_ns = NOW;
	CHECK(Json(s.print(true)).text("/clock/source") == "kernel");
	CHECK(Json(s.print(true)).is_null("/clock/phc_kernel_differ_ns"));
	CHECK(has(s.print(false), "; phc is not used: expired, is the daemon running?\n"));
}
