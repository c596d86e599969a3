/* SPDX-License-Identifier: GPL-2.0-only */
/* From readings of a PHC to a mapping: its bound must hold, whatever the clocks do. */
#include <catch2/catch_test_macros.hpp>

#include "phc_sim.hpp"

static const __u64 MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;
static const __u64 BOOT = 100 * SEC;
static const __u64 TAI = 1700000037000000000ULL;

/* What the PHC may show when the host has run for BOOT: TAI, UTC, since its driver came, and
 * just before it wraps.
 */
static const __u64 shown[] = { TAI, TAI - 37 * SEC, 5 * SEC, 0ULL - 20 * SEC };

/* A thousand times a second; a check within a reading does not count twice. */
static void require_sound(const PhcSim &sim)
{
	CAPTURE(sim.checks, sim.violations, sim.worst_excess_ns, sim.worst_err_ns);
	CHECK(sim.violations == 0);
}

TEST_CASE("phc: converges within a second, at any drift and offset", "[phc]")
{
	for (__u64 phc_ns : shown) {
		for (double ppm : { -200, -100, 0, 100, 200 }) {
			for (unsigned seed = 1; seed <= 5; seed++) {
				PhcSim sim(BOOT, phc_ns, seed);

				CAPTURE(phc_ns, ppm, seed);
				sim.drift_ppb = ppm * 1000;
				sim.run(200 * MS);
				CHECK(sim.published());
				sim.run(800 * MS);
				sim.forget();
				sim.run(60 * SEC);
				require_sound(sim);
				CHECK(sim.checks > 50000);
				CHECK(sim.unpublished == 0);
				CHECK(sim.fit.resets == 0);
				CHECK(sim.fit.outliers == 0);
				CHECK(sim.worst_beyond_ns < 2500);
				CHECK(sim.sum_beyond_ns < 1200.0 * sim.checks);
				CHECK(sim.readings < 150);
			}
		}
	}
}

TEST_CASE("phc: precise readings give a bound of less than 2 us, once a second", "[phc]")
{
	PhcSim sim(BOOT, TAI, 7);

	sim.window_ns = 50;
	sim.jitter_ns = 20;
	sim.drift_ppb = 100000;
	sim.run(SEC);
	sim.forget();
	sim.run(300 * SEC);
	require_sound(sim);
	CHECK(sim.worst_bound_ns < 2000);
	CHECK(sim.worst_err_ns < 200);
	CHECK(sim.readings < 310);
	CHECK(sim.longest_gap_ns <= RXAQM_PHC_GAP_MAX_NS);
}

TEST_CASE("phc: a clock read by firmware is known as well as it can be read", "[phc]")
{
	PhcSim sim(BOOT, TAI, 8);

	sim.window_ns = 100000;
	sim.jitter_ns = 20000;
	sim.drift_ppb = -100000;
	sim.run(3 * SEC);
	sim.forget();
	sim.run(300 * SEC);
	require_sound(sim);
	CHECK(sim.unpublished == 0);
	CHECK(sim.worst_bound_ns < 300000);
	CHECK(sim.readings < 600);
}

TEST_CASE("phc: many readings are better than the newest", "[phc]")
{
	PhcSim sim(BOOT, TAI, 22);

	/* The middle of a window of 5 to 6 us is off by 1.5 us on average. */
	sim.window_ns = 5000;
	sim.jitter_ns = 1000;
	sim.run(10 * SEC);
	sim.forget();
	sim.run(300 * SEC);
	require_sound(sim);
	CHECK(sim.sum_err_ns < 1250.0 * sim.checks);
}

TEST_CASE("phc: late readings do no harm, on either side", "[phc]")
{
	for (bool one_sided : { false, true }) {
		for (double late_us : { 5, 50, 5000 }) {
			PhcSim sim(BOOT, TAI, 9);

			CAPTURE(one_sided, late_us);
			sim.drift_ppb = 100000;
			sim.one_sided = one_sided;
			sim.late_share = 0.3;
			sim.late_ns = late_us * 1000;
			sim.run(2 * SEC);
			sim.forget();
			sim.run(200 * SEC);
			require_sound(sim);
			CHECK(sim.unpublished == 0);
			CHECK(sim.fit.resets == 0);
			CHECK(sim.worst_bound_ns < 12000);
		}
	}
}

TEST_CASE("phc: readings that become slow for good are taken as they are", "[phc]")
{
	PhcSim sim(BOOT, TAI, 10);

	sim.run(20 * SEC);
	sim.window_ns = 40000;
	sim.forget();
	sim.run(60 * SEC);
	require_sound(sim);
	CHECK(sim.unpublished == 0);
	CHECK(sim.worst_bound_ns < 150000);
}

TEST_CASE("phc: readings that are plainly wrong cost a moment, and nothing else", "[phc]")
{
	for (double wild_ns : { 1e6, 1e9, 1e13 }) {
		PhcSim sim(BOOT, TAI, 11);

		CAPTURE(wild_ns);
		sim.drift_ppb = 100000;
		sim.run(5 * SEC);
		sim.forget();
		for (int i = 0; i < 50; i++) {
			/* At least 40 us off: less than that might be a slow bus. */
			sim.wild_share = 1;
			sim.wild_ns = wild_ns;
			do {
				rxaqm_phc_sample s = sim.read(), good = s;

				good.phc_ns = sim.phc(s.host_ns);
				if (std::fabs(double(__s64(good.phc_ns - s.phc_ns))) < 40000)
					continue;
				rxaqm_phc_fit_add(&sim.fit, &s);
				sim.due_ns = sim.now_ns + sim.fit.gap_ns;
				break;
			} while (true);
			sim.wild_share = 0;
			CHECK(!sim.published());
			sim.run(2 * SEC);
			CHECK(sim.published());
		}
		require_sound(sim);
		CHECK(sim.fit.outliers == 50);
		CHECK(sim.fit.resets == 0);
		CHECK(sim.unpublished < 50 * 250);
	}
}

TEST_CASE("phc: readings that are of no use are left out", "[phc]")
{
	PhcSim sim(BOOT, TAI, 21);

	sim.run(10 * SEC);
	rxaqm_phc_fit before = sim.fit;
	rxaqm_phc_sample s = sim.read();

	/* Again, from the past, and too wide to tell anything. */
	s.host_ns = sim.fit.newest_ns;
	rxaqm_phc_fit_add(&sim.fit, &s);
	s.host_ns -= SEC;
	rxaqm_phc_fit_add(&sim.fit, &s);
	s = sim.read();
	s.err_ns = 200 * MS;
	rxaqm_phc_fit_add(&sim.fit, &s);
	CHECK(sim.fit.valid);
	CHECK(sim.fit.nr_points == before.nr_points);
	CHECK(sim.fit.clock.host_ref_ns == before.clock.host_ref_ns);
	CHECK(sim.fit.gap_ns == RXAQM_PHC_GAP_MIN_NS);
}

TEST_CASE("phc: anything at all may be read, and it converges when that is over", "[phc]")
{
	for (unsigned seed = 1; seed <= 50; seed++) {
		PhcSim sim(BOOT, TAI, seed);

		CAPTURE(seed);
		for (int i = 0; i < 400; i++) {
			rxaqm_phc_sample s = { sim.now_ns, sim.random(),
					       sim.random() >> (sim.random() % 64) };

			if (sim.random() % 2)
				s.phc_ns = sim.phc(sim.now_ns) + sim.random() % (100 * MS);
			if (sim.random() % 16 == 0)
				s.host_ns = sim.random();
			/* No sampler tells a time to come. */
			if (rxaqm_ns_after(s.host_ns, sim.now_ns))
				s.host_ns = sim.now_ns;
			rxaqm_phc_fit_add(&sim.fit, &s);
			CHECK(sim.fit.nr_points <= RXAQM_PHC_POINTS);
			CHECK(sim.fit.nr_suspects < RXAQM_PHC_SUSPECTS);
			CHECK(sim.fit.gap_ns >= RXAQM_PHC_GAP_MIN_NS);
			CHECK(sim.fit.gap_ns <= RXAQM_PHC_GAP_MAX_NS);
			CHECK((!sim.fit.valid || sim.fit.nr_points > 0));
			sim.now_ns += sim.random() % (sim.random() % 2 ? SEC : 20 * SEC);
		}
		sim.due_ns = sim.now_ns;
		sim.run(15 * SEC);
		sim.forget();
		sim.run(10 * SEC);
		require_sound(sim);
		CHECK(sim.unpublished == 0);
	}
}
