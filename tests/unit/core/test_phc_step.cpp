/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks that are stepped, steered or suspended, and what is made of their readings. */
#include <catch2/catch_test_macros.hpp>

#include "phc_sim.hpp"

static const __u64 US = RXAQM_NSEC_PER_USEC, MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;
static const __u64 BOOT = 100 * SEC;
static const __u64 TAI = 1700000037000000000ULL;

/* A thousand times a second; a check within a reading does not count twice. */
static void require_sound(const PhcSim &sim)
{
	CAPTURE(sim.checks, sim.violations, sim.worst_excess_ns, sim.worst_err_ns);
	CHECK(sim.violations == 0);
}

TEST_CASE("phc: a step is followed within a second and a fifth", "[phc]")
{
	const __s64 steps_ns[] = { 1000,
				   10000,
				   1000000,
				   1000000000,
				   37000000000,
				   3600000000000LL,
				   1700000000000000000LL };

	for (__s64 size_ns : steps_ns) {
		for (int sign : { -1, 1 }) {
			for (double ppm : { -100, 0, 200 }) {
				PhcSim sim(BOOT, TAI, 12);
				__u32 resets = 0;

				CAPTURE(size_ns, sign, ppm);
				sim.drift_ppb = ppm * 1000;
				sim.run(10 * SEC);
				for (int i = 0; i < 10; i++) {
					sim.run(SEC + sim.random() % SEC);
					sim.step(sign * size_ns);
					/* Nobody knows before the next reading. */
					__u64 stepped_ns = sim.now_ns;

					sim.run_to_reading();
					CHECK(sim.now_ns - stepped_ns <=
					      RXAQM_PHC_GAP_MAX_NS + 5 * MS);
					sim.forget();
					sim.run(3 * RXAQM_PHC_GAP_MIN_NS);
					CHECK(sim.published());
					sim.run(10 * SEC);
					require_sound(sim);
					CHECK(sim.published());
					CHECK(sim.unpublished < 250);
					CHECK(sim.worst_bound_ns < 6000);
					if (size_ns >= __s64(10 * US))
						CHECK(sim.fit.resets == ++resets);
				}
				CHECK(sim.fit.outliers == 0);
			}
		}
	}
}

TEST_CASE("phc: a step just large enough to be told from the error is told for good", "[phc]")
{
	PhcSim sim(BOOT, TAI, 23);

	sim.window_ns = 100;
	sim.jitter_ns = 20;
	sim.run(10 * SEC);
	for (int i = 0; i < 100; i++) {
		sim.step(i % 2 ? 1500 : -1500);
		sim.run_to_reading();
		sim.forget();
		sim.run(5 * SEC + sim.random() % SEC);
		require_sound(sim);
		CHECK(sim.unpublished < 200);
	}
	CHECK(sim.fit.resets >= 95);
	CHECK(sim.fit.outliers == 0);
}

TEST_CASE("phc: steps at every phase of the reading, in quick succession", "[phc]")
{
	PhcSim sim(BOOT, TAI, 13);

	sim.drift_ppb = 50000;
	sim.run(5 * SEC);
	for (int i = 0; i < 300; i++) {
		sim.step(__s64(sim.random() % 20001) * (i % 2 ? 1000 : -1000));
		sim.run(sim.random() % (2 * SEC));
	}
	sim.run(3 * SEC);
	sim.forget();
	sim.run(60 * SEC);
	require_sound(sim);
	CHECK(sim.unpublished == 0);
}

TEST_CASE("phc: a rate that changes is followed", "[phc]")
{
	for (double width_ns : { 100, 1000, 5000 }) {
		for (double ppm : { 0.3, 3., 30., 100., 400. }) {
			PhcSim sim(BOOT, TAI, 14);

			CAPTURE(width_ns, ppm);
			sim.window_ns = width_ns;
			sim.jitter_ns = width_ns / 5;
			sim.run(10 * SEC);
			for (int i = 0; i < 20; i++) {
				__u64 changed_ns = sim.now_ns;

				sim.set_drift(sim.drift_ppb + (i % 2 ? ppm : -ppm) * 1000);
				sim.forget();
				sim.run_to_reading();
				sim.run_to_reading();
				/* No more than the change itself can have made of it. */
				CHECK(sim.worst_excess_ns <
				      ppm * 1e-6 * double(sim.now_ns - changed_ns) + 100);
				sim.run(4 * SEC - (sim.now_ns - changed_ns));
				sim.forget();
				sim.run(6 * SEC + sim.random() % SEC);
				require_sound(sim);
				CHECK(sim.unpublished == 0);
			}
		}
	}
}

TEST_CASE("phc: a rate that wanders as with temperature, or is steered by ptp4l", "[phc]")
{
	SECTION("temperature")
	{
		for (double ppb_s : { -100, -20, 5, 50, 100 }) {
			PhcSim sim(BOOT, TAI, 15);

			CAPTURE(ppb_s);
			sim.ramp_ppb_s = ppb_s;
			sim.run(2 * SEC);
			sim.forget();
			sim.run(120 * SEC);
			require_sound(sim);
			CHECK(sim.unpublished == 0);
			CHECK(sim.fit.resets == 0);
		}
	}
	SECTION("steered by up to 0.5 ppm, several times a second")
	{
		PhcSim sim(BOOT, TAI, 16);

		sim.drift_ppb = 20000;
		sim.run(2 * SEC);
		sim.forget();
		for (int i = 0; i < 1000; i++) {
			sim.set_drift(20000 + (sim.uniform() * 2 - 1) * 500);
			sim.run(125 * MS);
		}
		require_sound(sim);
		CHECK(sim.unpublished == 0);
		CHECK(sim.fit.resets == 0);
	}
	SECTION("steered by up to 5 ppm: no bound of 2 us can hold, but it learns to be careful")
	{
		PhcSim sim(BOOT, TAI, 24);

		sim.window_ns = 100;
		sim.jitter_ns = 20;
		sim.run(10 * SEC);
		sim.forget();
		for (int i = 0; i < 200; i++) {
			sim.set_drift((sim.uniform() * 2 - 1) * 5000);
			sim.run(SEC / 2 + sim.random() % (2 * SEC));
		}
		CAPTURE(sim.violations, sim.unpublished, sim.checks);
		CHECK(sim.violations < 0.08 * sim.checks);
		CHECK(sim.unpublished < 0.03 * sim.checks);
		CHECK(sim.worst_excess_ns < 10000);
		/* And to forget that. */
		sim.run(20 * SEC);
		sim.forget();
		sim.run(20 * SEC);
		require_sound(sim);
		CHECK(sim.worst_bound_ns < 2000);
	}
	SECTION("slewed by 500 ppm for some seconds, as adjtime does")
	{
		PhcSim sim(BOOT, TAI, 17);

		for (int i = 0; i < 10; i++) {
			sim.set_drift(500000);
			sim.run(10 * SEC);
			sim.set_drift(0);
			sim.run(4 * SEC);
			sim.forget();
			sim.run(10 * SEC);
			require_sound(sim);
			CHECK(sim.unpublished == 0);
		}
	}
}

TEST_CASE("phc: suspend looks like a step, and pauses of the daemon like nothing", "[phc]")
{
	for (__u64 asleep_ns : { 30 * SEC, 3600 * SEC, 48 * 3600 * SEC }) {
		PhcSim sim(BOOT, TAI, 18);

		CAPTURE(asleep_ns);
		sim.run(10 * SEC);
		sim.suspend(asleep_ns);
		sim.run_to_reading();
		CHECK(!sim.published());
		sim.forget();
		sim.run(10 * SEC);
		require_sound(sim);
		CHECK(sim.published());
		CHECK(sim.fit.resets == 1);
	}
	for (__u64 pause_ns : { 3 * SEC, 9 * SEC, 12 * SEC, 300 * SEC, 900 * SEC, 7200 * SEC }) {
		PhcSim sim(BOOT, TAI, 19);

		CAPTURE(pause_ns);
		sim.drift_ppb = -100000;
		sim.run(20 * SEC);
		sim.forget();
		sim.run(pause_ns, false);
		/* It expires rather than to be wrong. */
		require_sound(sim);
		CHECK(sim.published() == (pause_ns < RXAQM_PHC_EXPIRY_NS));
		CHECK(sim.worst_bound_ns < 60000);
		sim.forget();
		sim.run(20 * SEC);
		require_sound(sim);
		CHECK(sim.published());
		CHECK(sim.unpublished < 250);
		CHECK(sim.fit.resets == (pause_ns > RXAQM_CLOCK_SPAN_NS));
		CHECK(sim.worst_bound_ns < 70000);
	}
}

TEST_CASE("phc: a step during a pause is a step", "[phc]")
{
	PhcSim sim(BOOT, TAI, 20);

	sim.run(20 * SEC);
	sim.run(100 * SEC, false);
	sim.step(-__s64(MS));
	sim.forget();
	sim.run(20 * SEC);
	require_sound(sim);
	CHECK(sim.published());
	CHECK(sim.fit.resets == 1);
}
