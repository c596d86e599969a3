/* SPDX-License-Identifier: GPL-2.0-only */
/* From what the PTP ioctls return to readings in CLOCK_MONOTONIC, and publication. */
#include <catch2/catch_test_macros.hpp>

#include <random>

#include "holds.hpp"

extern "C" {
#include "clock/phc.h"
}

static const __u64 SEC = RXAQM_NSEC_PER_SEC;
static const __u64 REAL = 1700000000000000000ULL;

TEST_CASE("phc reading: the narrowest window counts", "[phc]")
{
	const rxaqm_phc_window windows[] = {
		{ 1000, 50, 9000 },
		{ 20000, 51, 20500 },
		{ 30000, 52, 29000 }, /* the host's clock was set back */
		{ 40000, 53, 41000 },
	};
	rxaqm_phc_sample s = {};

	REQUIRE(rxaqm_phc_narrowest(windows, 4, &s) == 0);
	CHECK(s.host_ns == 20250);
	CHECK(s.phc_ns == 51);
	CHECK(s.err_ns == 251);
	CHECK(rxaqm_phc_narrowest(windows + 2, 1, &s) == -EAGAIN);
	CHECK(rxaqm_phc_narrowest(windows, 0, &s) == -EAGAIN);
}

TEST_CASE("phc reading: CLOCK_REALTIME is brought to CLOCK_MONOTONIC", "[phc]")
{
	std::mt19937_64 random(1);

	for (int i = 0; i < 20000; i++) {
		/* Each clock is read at an instant of its own, the PHC in between. */
		__u64 t = 1000 * SEC + random() % SEC, begin = t;
		auto later = [&](__u64 up_to_ns) { return t += 1 + random() % up_to_ns; };
		auto bridge = [&](__u64 offset) {
			__u64 before = later(100), real = later(100) + offset, after = later(100);

			return rxaqm_phc_bridge_make(before, real, after);
		};
		rxaqm_phc_bridge before = bridge(REAL);
		rxaqm_phc_window window = {};
		rxaqm_phc_sample s;

		window.before_ns = later(50) + REAL;
		__u64 read_at = later(2000);
		window.after_ns = later(500) + REAL;
		window.phc_ns = 77;
		rxaqm_phc_bridge after = bridge(REAL);

		HOLDS(rxaqm_phc_narrowest(&window, 1, &s) == 0);
		HOLDS(rxaqm_phc_to_monotonic(&s, &before, &after) == 0);
		__u64 off = read_at > s.host_ns ? read_at - s.host_ns : s.host_ns - read_at;
		HOLDS(off <= s.err_ns);
		HOLDS(s.err_ns < 1700);
		HOLDS(s.host_ns > begin);
		HOLDS(s.host_ns < t);
	}
}

TEST_CASE("phc reading: a step of CLOCK_REALTIME at any instant is noticed, or harmless", "[phc]")
{
	std::mt19937_64 random(2);
	int spoilt = 0, taken = 0;

	for (int i = 0; i < 50000; i++) {
		__u64 t = 1000 * SEC, real = REAL;
		const __s64 sizes[] = { 20, 150, 1000, 50000, 1000000, 1000000000, 37000000000 };
		__s64 size = sizes[random() % 7] * (random() % 2 ? 1 : -1);
		__u64 steps_at = t + random() % 3000;
		auto later = [&](__u64 up_to_ns) {
			__u64 was = t;

			t += 1 + random() % up_to_ns;
			if (was < steps_at && t >= steps_at)
				real += __u64(size);
			return t;
		};
		auto later_real = [&](__u64 up_to_ns) {
			__u64 at = later(up_to_ns);

			return at + real;
		};
		auto bridge = [&] {
			__u64 before = later(100), wall = later_real(100), after = later(100);

			return rxaqm_phc_bridge_make(before, wall, after);
		};
		rxaqm_phc_bridge before = bridge(), after;
		rxaqm_phc_window window[3] = {};
		rxaqm_phc_sample s;
		__u64 read_at[3];

		for (int k = 0; k < 3; k++) {
			window[k].before_ns = later_real(50);
			read_at[k] = later(400);
			window[k].after_ns = later_real(400);
			window[k].phc_ns = __u64(k);
		}
		after = bridge();
		int err = rxaqm_phc_narrowest(window, 3, &s);
		if (!err)
			err = rxaqm_phc_to_monotonic(&s, &before, &after);
		if (err) {
			HOLDS(err == -EAGAIN);
			spoilt++;
			continue;
		}
		__u64 at = read_at[s.phc_ns];
		__u64 off = at > s.host_ns ? at - s.host_ns : s.host_ns - at;
		if (off > s.err_ns + (size > 200 || size < -200 ? 0 : 200))
			FAIL("a step of " << size << " at " << steps_at << ": off by " << off
					  << ", error " << s.err_ns);
		taken++;
	}
	/* Most steps fall into the reading, and most are large. */
	CHECK(spoilt > 10000);
	CHECK(taken > 10000);
}

TEST_CASE("phc reading: no PHC, no interface", "[phc]")
{
	rxaqm_phc phc;
	rxaqm_error error = {};

	CHECK(rxaqm_phc_open(&phc, "lo", &error) == -ENOENT);
	CHECK(error.exit_code == RXAQM_EXIT_UNSUPPORTED);
	CHECK(std::string(error.text).find("\"lo\" has no PTP hardware clock") == 0);
	CHECK(rxaqm_phc_open(&phc, "no-such-if", &error) == -ENODEV);
	CHECK(error.exit_code == RXAQM_EXIT_FAILED);
	CHECK(std::string(error.text).find("\"no-such-if\"") != std::string::npos);
	rxaqm_phc_close(&phc);
}

TEST_CASE("phc publish: into the other buffer, withdrawn, and never number 0", "[phc]")
{
	rxaqm_clock_phc entry = {};
	rxaqm_phc_fit fit = {};

	rxaqm_phc_publish(&fit, &entry);
	CHECK(entry.published == 0);
	fit.valid = true;
	fit.nr_points = 3;
	for (__u64 i = 1; i <= 5; i++) {
		__u32 before = entry.published;
		rxaqm_clock kept = entry.clock[before & 1];

		fit.clock.host_ref_ns = i * SEC;
		rxaqm_phc_publish(&fit, &entry);
		CHECK(entry.published == before + 1);
		CHECK(entry.clock[entry.published & 1].host_ref_ns == i * SEC);
		CHECK(entry.clock[before & 1].host_ref_ns == kept.host_ref_ns);
		CHECK(entry.points == 3);
		/* The same again is nothing new. */
		rxaqm_phc_publish(&fit, &entry);
		CHECK(entry.published == before + 1);
	}
	__u32 last = entry.published;

	fit.valid = false;
	rxaqm_phc_publish(&fit, &entry);
	CHECK(entry.published == 0);
	/* What was in use is not the next to be overwritten, nor is an old number used again. */
	fit.valid = true;
	rxaqm_phc_publish(&fit, &entry);
	CHECK(entry.published == last + 1);
	entry.last = entry.published = ~0U;
	fit.clock.host_ref_ns++;
	rxaqm_phc_publish(&fit, &entry);
	CHECK(entry.published == 2);
}

TEST_CASE("phc publish: how far two mappings differ, and how much of it is not error", "[phc]")
{
	rxaqm_clock a = {}, b = {};
	__u64 excess_ns;

	a.host_ref_ns = 1000 * SEC;
	a.hw_ref_ns = REAL;
	a.err_ns = 700;
	a.drift_err_q32 = RXAQM_PPM_Q32(1);
	b = a;
	b.host_ref_ns += 5000;
	b.err_ns = 1300;
	b.drift_err_q32 = RXAQM_PPM_Q32(2);
	CHECK(rxaqm_clock_differ(&a, &b, a.host_ref_ns, &excess_ns) == -5000);
	CHECK(excess_ns == 3000);
	CHECK(rxaqm_clock_differ(&b, &a, a.host_ref_ns, &excess_ns) == 5000);
	CHECK(excess_ns == 3000);
	/* A second on the errors have grown by 1 and 2 us. */
	CHECK(rxaqm_clock_differ(&a, &b, a.host_ref_ns + SEC, &excess_ns) == -5000);
	CHECK(excess_ns < 10);
}
