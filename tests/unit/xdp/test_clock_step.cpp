/* SPDX-License-Identifier: GPL-2.0-only */
/* NIC clocks that are stepped or slewed, and queues that mislead the estimate. */
#include <catch2/catch_test_macros.hpp>

#include "holds.hpp"
#include "clock_sim.hpp"

static const __u64 MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;
static const __u64 BOOT = 100 * SEC;
static const __u64 TAI = 1700000000000000000ULL;

static const __s64 steps_ns[] = { 1000000,	2000000,       37000000,       1000000000,
				  4294967296LL, 37000000000LL, 3600000000000LL };

/* A step back that stamps catch up with before four show it: the estimate follows in a while. */
static bool is_small(__s64 size_ns, int sign)
{
	return sign < 0 && size_ns <= __s64(2 * MS);
}

TEST_CASE("clock step: both ways, converged again within 2 s", "[clock]")
{
	for (__s64 size_ns : steps_ns) {
		for (int sign : { -1, 1 }) {
			for (size_t queues : { 1, 2, 8 }) {
				for (__u64 learnt_s : { 1, 30 }) {
					ClockSim sim(BOOT, TAI, 5, queues);

					/* Long learning takes long: once is enough. */
					if (is_small(size_ns, sign) ||
					    (learnt_s > 1 && queues != 2))
						continue;
					CAPTURE(size_ns, sign, queues, learnt_s);
					sim.drift_ppb = 60000;
					sim.run(learnt_s * SEC, 100e3, 5e3);
					REQUIRE(sim.resets == 0);
					sim.step_hw(sign * size_ns);
					sim.run(2 * SEC, 100e3, 5e3);
					CHECK(sim.resets == 1);
					sim.forget_seen();
					sim.run(3 * SEC, 100e3, 5e3);
					CHECK(sim.published);
					CHECK(sim.violations == 0);
					CHECK(sim.resets == 0);
					CHECK(sim.bad == 0);
					CHECK(sim.worst_err_ns < 5000);
				}
			}
		}
	}
}

TEST_CASE("clock step: while the queue stands", "[clock]")
{
	for (__s64 size_ns : steps_ns) {
		for (int sign : { -1, 1 }) {
			ClockSim sim(BOOT, TAI, 6);
			bool hidden;

			/* A forward step that sojourns can absorb shows when the queue drains. */
			hidden = size_ns <= __s64(50 * MS) && sign > 0;
			CAPTURE(size_ns, sign);
			sim.run(10 * SEC, 100e3, 5e3);
			sim.stand(0, 2 * SEC, 50 * MS, 20000);
			sim.forget_seen();
			sim.step_hw(sign * size_ns);
			sim.stand(0, 2 * SEC, 50 * MS, 20000);
			if (!hidden && size_ns > __s64(MS))
				CHECK(sim.resets == 1);
			sim.run(is_small(size_ns, sign) ? 20 * SEC : 2 * SEC, 100e3, 5e3);
			sim.forget_seen();
			sim.run(SEC, 100e3, 5e3);
			CHECK(sim.published);
			CHECK(sim.violations == 0);
			CHECK(sim.worst_err_ns < 5000);
		}
	}
}

TEST_CASE("clock step: a small one back, known within two windows, forgotten within eight",
	  "[clock]")
{
	for (__s64 size_ns : { 200000LL, 1000000LL, 2000000LL }) {
		for (size_t queues : { 1, 8 }) {
			ClockSim sim(BOOT, TAI, 15, queues);

			CAPTURE(size_ns, queues);
			sim.run(30 * SEC, 100e3, 5e3);
			sim.step_hw(-size_ns);
			sim.run(2 * RXAQM_EST_WINDOW_MAX_NS + SEC, 100e3, 5e3);
			CHECK(sim.worst_err_ns < double(size_ns) + 5000);
			sim.forget_seen();
			sim.run(10 * SEC, 100e3, 5e3);
			CHECK(sim.violations == 0);
			sim.run(8 * RXAQM_EST_WINDOW_MAX_NS, 100e3, 5e3);
			sim.forget_seen();
			sim.run(SEC, 100e3, 5e3);
			CHECK(sim.violations == 0);
			CHECK(sim.worst_err_ns < 5000);
		}
	}
}

TEST_CASE("clock step: of a PHC, told by the daemon, is followed once", "[clock]")
{
	ClockSim sim(BOOT, TAI, 16, 8);

	sim.run(5 * SEC, 100e3, 5e3);
	for (int step = 1; step <= 3; step++) {
		sim.forget_seen();
		sim.phc.resets++;
		sim.run(SEC, 100e3, 5e3);
		CHECK(sim.resets == 1);
		CHECK(sim.entry.phc_resets == sim.phc.resets);
	}
}

TEST_CASE("clock step: of a PHC in use, is contradicted once", "[clock]")
{
	ClockSim sim(BOOT, TAI, 17, 8);

	sim.run(5 * SEC, 100e3, 5e3);
	sim.phc.clock[1] = sim.clock;
	sim.phc.clock[1].err_ns = 500;
	sim.phc.clock[1].drift_err_q32 = 0;
	sim.phc.published = 1;
	sim.run(SEC, 100e3, 5e3);
	sim.forget_seen();
	sim.step_hw(__s64(SEC));
	sim.run(SEC, 100e3, 5e3);
	CHECK(sim.entry.phc_refusals == 1);
	CHECK(sim.resets == 1);
	/* The daemon's own mapping is right again, and so is what stamps taught. */
	sim.phc.resets++;
	sim.run(2 * SEC, 100e3, 5e3);
	CHECK(sim.resets == 2);
	CHECK(sim.entry.phc_refusals == 2); /* since this one's is not: it was never read again */
}

/* Queues of one CPU are polled in turn: one sees the step back, the others have no stamp from
 * before it to know it by.
 */
TEST_CASE("clock step: of a PHC back, deceives no queue", "[clock]")
{
	rxaqm_clock_entry entry = {};
	rxaqm_clock_phc phc = {};
	std::vector<rxaqm_queue> queues(3);
	__u64 now_ns = 100 * SEC, worst_ns = 0;
	__s64 step_ns = 0;
	auto packet = [&](rxaqm_queue &q) {
		now_ns += 20 * RXAQM_NSEC_PER_USEC;
		rxaqm_measure_stamp(&entry, &phc, &q, now_ns - MS + __u64(step_ns), now_ns);
		if (rxaqm_sample_usable(&q, now_ns) && q.sample_ns == now_ns)
			worst_ns = std::max<__u64>(worst_ns, q.sample_sojourn_ns);
	};

	for (rxaqm_queue &q : queues) {
		q.policy.signal = RXAQM_SIGNAL_AUTO;
		q.policy.interval_ns = q.interval_ns = 10 * MS;
		q.policy.target_ns = q.target_ns = 5 * MS;
		q.flags = RXAQM_QUEUE_POLLED | RXAQM_QUEUE_STANDING;
		rxaqm_sample_update_age(&q);
	}
	phc.clock[1] = { now_ns, now_ns, 0, 500, 4295, now_ns + 10 * SEC };
	phc.published = phc.last = 1;
	for (__s64 step : { __s64(0), __s64(20 * MS), __s64(2 * SEC) }) {
		CAPTURE(step);
		step_ns -= step;
		/* The daemon, which reads once a second, has not seen it yet. */
		for (unsigned i = 0; i < 45000; i++)
			packet(queues[i / 64 % queues.size()]);
		CHECK(worst_ns <= MS + 1000);
	}
}

TEST_CASE("clock step: a change of rate, as when ptp4l takes over", "[clock]")
{
	for (__s64 ppm : { -100, -20, 20, 100 }) {
		for (__s64 step_ns : { 0LL, 5000000000LL }) {
			ClockSim sim(BOOT, TAI, 7);

			CAPTURE(ppm, step_ns);
			sim.run(30 * SEC, 500e3, 5e3);
			sim.step_hw(step_ns);
			sim.set_drift(ppm * 1000);
			/* Two windows on it is seen. */
			sim.run(5 * SEC, 500e3, 5e3);
			if (!step_ns)
				CHECK(sim.worst_excess_ns < 450e3);
			sim.forget_seen();
			sim.run(25 * SEC, 500e3, 5e3);
			CAPTURE(sim.violations, sim.checks, sim.worst_excess_ns);
			CHECK(sim.violations * 10 <= sim.checks);
			CHECK(sim.worst_excess_ns < 150e3);
			sim.forget_seen();
			sim.run(10 * SEC, 500e3, 5e3);
			CHECK(sim.violations == 0);
			CHECK(sim.worst_err_ns < 2000);
		}
	}
}

TEST_CASE("clock step: a single damaged stamp does no harm", "[clock]")
{
	for (__s64 glitch_ns : { 4294967296LL, -4294967296LL, 1000000000000LL, -3000000LL }) {
		ClockSim sim(BOOT, TAI, 8);

		CAPTURE(glitch_ns);
		sim.run(10 * SEC, 100e3, 5e3);
		for (int i = 0; i < 50; i++) {
			sim.run(20 * MS, 100e3, 5e3);
			sim.stamp_glitch_ns = glitch_ns;
			sim.drained_poll(0, 1000);
			sim.stamp_glitch_ns = 0;
		}
		CHECK(sim.bad == 50);
		CHECK(sim.resets == 0);
		CHECK(sim.violations == 0);
	}
}

TEST_CASE("clock step: damaged stamps before anything is known", "[clock]")
{
	for (__s64 glitch_ns : { 4294967296LL, -4294967296LL }) {
		ClockSim sim(BOOT, TAI, 8);

		CAPTURE(glitch_ns);
		sim.stamp_glitch_ns = glitch_ns;
		sim.drained_poll(0, 1000);
		sim.now_ns += 50000;
		sim.drained_poll(0, 1000);
		sim.stamp_glitch_ns = 0;
		sim.run(2 * SEC, 100e3, 5e3);
		sim.forget_seen();
		sim.run(SEC, 100e3, 5e3);
		CHECK(sim.violations == 0);
		CHECK(sim.bad == 0);
	}
}

TEST_CASE("clock step: queues that always wait do not lock out one that does not", "[clock]")
{
	/* Queues 0 to 7 are polled every 4 ms on a contended CPU, 8 at once on a free one. */
	ClockSim sim(BOOT, TAI, 10, 9);
	size_t contended = 0;

	auto wait_long = [&] {
		sim.drained_poll(contended++ % 8, 4 * MS - 50000 - sim.exponential(10e3));
	};
	for (int i = 0; i < 2000; i++) {
		sim.now_ns += MS / 2;
		wait_long();
	}
	CHECK(sim.published);
	for (int i = 0; i < 20000; i++) {
		sim.now_ns += 80000;
		sim.drained_poll(8, sim.exponential(5e3));
		if (i % 6 == 0) {
			sim.now_ns += 20000;
			wait_long();
		}
		if (i == 10000)
			sim.forget_seen();
	}
	CHECK(sim.published);
	CHECK(sim.resets == 0);
	CHECK(sim.bad == 0);
	CHECK(sim.violations == 0);
	CHECK(sim.worst_err_ns < 2000);
}

TEST_CASE("clock step: a quiet queue's old point is not put among newer ones", "[clock]")
{
	ClockSim sim(BOOT, TAI, 12, 3);

	sim.drift_ppb = 200000;
	for (int i = 0; i < 60000; i++) {
		sim.now_ns += 500000;
		sim.drained_poll(i % 3000 == 7 ? 1 : i % 17000 == 9 ? 2 : 0, sim.exponential(5e3));
		for (__u32 k = 1; k < sim.est.nr_points; k++)
			HOLDS(rxaqm_ns_after(sim.est.point[k].host_ns,
					     sim.est.point[k - 1].host_ns));
	}
	CHECK(sim.violations == 0);
	CHECK(sim.bad == 0);
}

TEST_CASE("clock step: quiet queues' windows from before a step", "[clock]")
{
	for (int sign : { -1, 1 }) {
		ClockSim sim(BOOT, TAI, 13, 5);

		sim.run(10 * SEC, 100e3, 5e3);
		/* Queues 1 to 4 hold a point, and are heard of again long after the step. */
		for (size_t queue = 1; queue < 5; queue++)
			sim.drained_poll(queue, 3000);
		sim.step_hw(sign * __s64(SEC));
		for (int i = 0; i < 20000; i++) {
			sim.now_ns += 100000;
			sim.drained_poll(i % 1000 == 999 ? 1 + size_t(i / 1000) % 4 : 0,
					 sim.exponential(5e3));
			if (i == 5000)
				sim.forget_seen();
		}
		CAPTURE(sign);
		CHECK(sim.resets == 0);
		CHECK(sim.violations == 0);
		CHECK(std::fabs(sim.error_ns()) < 2000);
	}
}

TEST_CASE("clock step: stamps from the future give the new mapping at once", "[clock]")
{
	for (__s64 size_ns : { 10000000LL, 37000000000LL }) {
		ClockSim sim(BOOT, TAI, 14);

		sim.run(5 * SEC, 100e3, 5e3);
		sim.step_hw(size_ns);
		for (int i = 0; i < RXAQM_STEP_STAMPS; i++) {
			sim.now_ns += 100000;
			sim.drained_poll(0, 3000);
		}
		CHECK(sim.resets == 1);
		CHECK(sim.published);
		CHECK(std::fabs(sim.error_ns()) < 5000);
	}
}
