/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock mapping, and the estimate of it from packets, against a known NIC clock. */
#include <catch2/catch_test_macros.hpp>

#include "clock_sim.hpp"

static const __u64 MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;
static const __u64 BOOT = 100 * SEC;
static const __u64 TAI = 1700000000000000000ULL;

TEST_CASE("clock: conversion and its error bound", "[clock]")
{
	rxaqm_clock clock = {};

	clock.host_ref_ns = 1000;
	clock.hw_ref_ns = TAI;
	clock.rate_q32 = RXAQM_PPM_Q32(100);
	clock.err_ns = 700;
	clock.drift_err_q32 = RXAQM_PPM_Q32(10);
	CHECK(rxaqm_clock_to_host(&clock, TAI) == 1000);
	CHECK(rxaqm_clock_to_host(&clock, TAI + SEC) - (1000 + SEC + 100000) < 10);
	CHECK(1000 - rxaqm_clock_to_host(&clock, TAI - SEC) - (SEC + 100000) < 10);
	CHECK(rxaqm_clock_err(&clock, 1000) == 700);
	CHECK(rxaqm_clock_err(&clock, 1000 + SEC) - 10700 < 2);
	CHECK(rxaqm_clock_err(&clock, 0) == 700);
	/* Damaged stamps give some number, not undefined behaviour. */
	rxaqm_clock_to_host(&clock, 0);
	rxaqm_clock_to_host(&clock, ~0ULL);
}

TEST_CASE("clock: the rate is that of the lower hull's edge across the middle", "[clock]")
{
	std::mt19937_64 random(2);

	for (int round = 0; round < 2000; round++) {
		rxaqm_clock_est est = {};
		__s64 lowest_ns[2] = { INT64_MAX, INT64_MAX }; /* of the older, of the newer half */

		est.nr_points = round % 5 + RXAQM_EST_HALF;
		for (__u32 i = 0; i < est.nr_points; i++) {
			est.point[i].host_ns = BOOT + i * SEC + random() % (SEC / 2);
			est.point[i].offset_ns = 0 - TAI + random() % (50 * 1000);
		}
		rxaqm_clock_est_fit(&est);

		for (__u32 i = 0; i < est.nr_points; i++) {
			__s64 above_ns = rxaqm_clock_above(&est.point[i], &est.point[0],
							   est.rate_q32);
			__s64 &lowest = lowest_ns[i >= est.nr_points / 2];

			lowest = std::min(lowest, above_ns);
		}
		CAPTURE(round, est.nr_points);
		/* The lowest line of that slope touches both. */
		CHECK(std::abs(lowest_ns[0] - lowest_ns[1]) < 10);
	}
}

TEST_CASE("clock: offsets of decades, drifts, wraps", "[clock]")
{
	const __u64 hosts[] = { BOOT, (1ULL << 63) - 3 * SEC, 0 - 3 * SEC };
	const __u64 nics[] = { 1, TAI, (1ULL << 63) - 2 * SEC, 0 - 2 * SEC };

	for (__u64 host : hosts) {
		for (__u64 nic : nics) {
			for (__s64 ppm : { -200, -35, 0, 200 }) {
				ClockSim sim(host, nic, 1);

				CAPTURE(host, nic, ppm);
				sim.drift_ppb = ppm * 1000;
				sim.run(12 * SEC, 2e6, 3000);
				CHECK(sim.published);
				CHECK(sim.violations == 0);
				CHECK(sim.bad == 0);
				CHECK(sim.resets == 0);
				sim.forget_seen();
				sim.run(5 * SEC, 2e6, 3000);
				CHECK(sim.worst_err_ns < 2000);
				CHECK(sim.worst_bound_ns < 6000);
			}
		}
	}
}

TEST_CASE("clock: noise and sparse packets never break the bound", "[clock]")
{
	struct {
		double gap_ns, wait_ns;
		size_t queues;
	} rows[] = {
		{ 50e3, 1e3, 1 },  { 1e6, 5e3, 1 },   { 1e6, 5e3, 16 },
		{ 10e6, 20e3, 2 }, { 100e6, 5e3, 1 }, { 100e6, 50e3, 4 },
		{ 1e9, 20e3, 1 },  { 1e9, 20e3, 8 },  { 20e9, 20e3, 1 },
	};

	for (const auto &row : rows) {
		for (unsigned seed = 1; seed <= 4; seed++) {
			ClockSim sim(BOOT, TAI, seed, row.queues);

			CAPTURE(row.gap_ns, row.wait_ns, row.queues, seed);
			sim.drift_ppb = seed % 2 ? 200000 : -200000;
			sim.run(__u64(std::max(20e9, 300 * row.gap_ns)), row.gap_ns, row.wait_ns);
			CAPTURE(sim.checks, sim.violations, sim.worst_excess_ns, sim.worst_err_ns,
				sim.worst_bound_ns);
			CHECK(sim.checks > 100);
			CHECK(sim.violations <= 5 + sim.checks / 1000);
			CHECK(sim.resets == 0);
			CHECK(sim.bad == 0);
		}
	}
}

TEST_CASE("clock: steady state is within 2 us", "[clock]")
{
	for (__s64 ppm : { -200, -100, 0, 100, 200 }) {
		ClockSim sim(BOOT, TAI, 3, 4);

		CAPTURE(ppm);
		sim.drift_ppb = ppm * 1000;
		sim.run(20 * SEC, 500e3, 10e3);
		sim.forget_seen();
		sim.run(40 * SEC, 500e3, 10e3);
		CHECK(sim.worst_err_ns < 2000);
		CHECK(sim.violations == 0);
	}
}

TEST_CASE("clock: known within a second, converged within two", "[clock]")
{
	ClockSim sim(BOOT, TAI, 4);

	sim.drift_ppb = 150000;
	sim.run(50 * MS, 200e3, 5e3);
	CHECK(sim.published);
	sim.run(950 * MS, 200e3, 5e3);
	sim.forget_seen();
	sim.run(SEC, 200e3, 5e3);
	CHECK(sim.worst_err_ns < 2000);
	CHECK(sim.worst_bound_ns < 10000);
}

TEST_CASE("clock: hold-over while the queue stands", "[clock]")
{
	for (__s64 ppm : { -200, -20, 0, 20, 200 }) {
		for (__u64 learnt_ms : { 40, 100, 300, 1000, 30000 }) {
			for (__u64 stand_s : { 1, 20, 180 }) {
				ClockSim sim(BOOT, TAI, unsigned(learnt_ms + stand_s));

				CAPTURE(ppm, learnt_ms, stand_s);
				sim.drift_ppb = ppm * 1000;
				sim.run(learnt_ms * MS, 200e3, 5e3);
				if (!sim.published)
					continue;
				sim.stand(0, stand_s * SEC, 80 * MS, 1000000);
				CAPTURE(sim.worst_err_ns, sim.worst_bound_ns, sim.worst_excess_ns);
				CHECK(sim.violations == 0);
				CHECK(sim.bad == 0);
				/* And on again with a point on either side of the gap. */
				sim.run(20 * SEC, 1e6, 5e3);
				CHECK(sim.violations == 0);
				CHECK(sim.bad == 0);
				sim.forget_seen();
				sim.run(20 * SEC, 1e6, 5e3);
				CHECK(sim.worst_err_ns < 2000);
			}
		}
	}
}

TEST_CASE("clock: gaps between runs of minutes do not bend the rate", "[clock]")
{
	ClockSim sim(BOOT, TAI, 9);

	sim.drift_ppb = 120000;
	for (int i = 0; i < 12; i++) {
		sim.run(3 * SEC, 500e3, 5e3);
		sim.stand(0, 100 * SEC, 50 * MS, 2000000);
	}
	CHECK(sim.violations == 0);
	CHECK(sim.bad == 0);
	CHECK(std::fabs(double(sim.clock.rate_q32) / 4294.967296 + 120) < 0.5);
}

TEST_CASE("clock: idle for hours", "[clock]")
{
	for (__u64 idle_s : { 390, 410, 3600, 100000 }) {
		for (int learnt : { 1, 20, 1000, 40000 }) {
			for (__s64 ppm : { -200, 200 }) {
				ClockSim sim(BOOT, TAI, unsigned(idle_s));

				CAPTURE(idle_s, learnt, ppm);
				sim.drift_ppb = ppm * 1000;
				for (int i = 0; i < learnt; i++) {
					sim.now_ns += 200000;
					sim.drained_poll(0, sim.exponential(5e3));
				}
				sim.now_ns += idle_s * SEC;
				sim.forget_seen();
				sim.run(2 * SEC, 200e3, 5e3);
				CHECK(sim.published);
				CHECK(sim.violations == 0);
				CHECK(sim.bad == 0);
				CHECK(sim.good > 1000);
				CHECK(std::fabs(sim.error_ns()) < 10e3);
			}
		}
	}
}
