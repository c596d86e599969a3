/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control law against a model of RFC 8289 in floating point.
 *
 * The model is the RFC's pseudocode (5.3 to 5.6) in its per-packet form: at most one
 * signal a packet, an overdue one falls on the next packet that may have it, no more
 * than an interval's worth is owed (the deviations that codel.h lists). After each
 * signal the two due times must agree to 0.2 % of the gap; the model then takes over
 * the law's due time, so that all verdicts must be the same, not just most.
 */
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <random>

#include "holds.hpp"
#include "codel.h"

static const rxaqm_codel_params params_10ms = { 500 * RXAQM_NSEC_PER_USEC,
						10 * RXAQM_NSEC_PER_MSEC };

struct Model {
	double target, interval;
	bool above = false, dropping = false;
	double first_above = 0, drop_next = 0;
	double count = 0, lastcount = 0;

	explicit Model(const rxaqm_codel_params &p)
		: target(double(p.target_ns))
		, interval(double(p.interval_ns))
	{
	}

	/* Times are relative to the beginning of the trace. */
	bool packet(double now, double sojourn, bool drained, bool eligible)
	{
		bool ok = false;

		if (sojourn < target || drained) {
			above = false;
		} else if (!above) {
			above = true;
			first_above = now + interval;
		} else {
			ok = now >= first_above;
		}
		if (!ok) {
			dropping = false;
			return false;
		}
		if (!eligible || (dropping && now < drop_next))
			return false;
		if (dropping) {
			count++;
			drop_next = std::fmax(drop_next, now - interval);
			drop_next += interval / std::sqrt(count);
			return true;
		}
		double delta = count - lastcount;

		dropping = true;
		count = delta > 1 && now - drop_next < 16 * interval ? delta : 1;
		lastcount = count;
		drop_next = now + interval / std::sqrt(count);
		return true;
	}
};

struct Arrival {
	__u64 at_ns, sojourn_ns;
	bool drained, eligible;
};

using Trace = std::vector<Arrival>;

static bool law_packet(rxaqm_codel_vars &vars, const rxaqm_codel_params &params, const Arrival &a,
		       __u64 base_ns)
{
	if (!rxaqm_codel_update(&vars, &params, a.sojourn_ns, a.drained, base_ns + a.at_ns) ||
	    !a.eligible)
		return false;
	rxaqm_codel_signal(&vars, &params, base_ns + a.at_ns);
	return true;
}

/* Signals of @trace, each compared with the model's. */
static int compare(const rxaqm_codel_params &params, const Trace &trace, __u64 base_ns)
{
	rxaqm_codel_vars vars = {};
	Model model(params);
	int signals = 0;

	vars.drop_next_ns = base_ns; /* the model's clock begins there */
	for (size_t i = 0; i < trace.size(); i++) {
		const Arrival &a = trace[i];
		double from = std::fmax(model.drop_next, double(a.at_ns) - model.interval);
		bool was_dropping = model.dropping;
		bool law = law_packet(vars, params, a, base_ns);

		bool expected = model.packet(double(a.at_ns), double(a.sojourn_ns), a.drained,
					     a.eligible);

		if (law != expected || bool(vars.dropping) != model.dropping ||
		    double(vars.count) != model.count)
			FAIL("packet " << i << " at " << a.at_ns << ", sojourn " << a.sojourn_ns
				       << ": signal " << law << ", the model's " << expected
				       << "; dropping " << vars.dropping << ", " << model.dropping
				       << "; count " << vars.count << ", " << model.count);
		if (!law)
			continue;
		signals++;
		double gap = model.drop_next - (was_dropping ? from : double(a.at_ns));
		double due = double(__s64(vars.drop_next_ns - base_ns));

		HOLDS(std::fabs(due - model.drop_next) <= 0.002 * gap + 1);
		model.drop_next = due;
	}
	return signals;
}

/* Sojourns that wander around target, with the events of a real queue thrown in. */
static Trace wandering(unsigned seed, const rxaqm_codel_params &p, int packets)
{
	std::mt19937_64 random(seed);
	auto below = [&](__u64 n) { return random() % n; };
	double sojourn = double(p.target_ns), pull = 0;
	__u64 now_ns = 0;
	Trace trace;

	for (int i = 0; i < packets; i++) {
		if (below(400) == 0)
			pull = (double(below(2000)) - 900) / 1000 * 0.02 * double(p.target_ns);
		now_ns += below(p.interval_ns / 50);
		if (below(3000) == 0) /* pauses, some about as long as the memory */
			now_ns += below(20) * p.interval_ns;
		sojourn = std::fmax(0, std::fmin(20.0 * double(p.target_ns), sojourn + pull));
		trace.push_back({ now_ns, __u64(sojourn), below(2000) == 0, below(8) != 0 });
	}
	return trace;
}

TEST_CASE("codel: the model's verdicts on wandering queues", "[codel]")
{
	const rxaqm_codel_params set[] = {
		params_10ms,
		{ 5 * RXAQM_NSEC_PER_MSEC, 100 * RXAQM_NSEC_PER_MSEC },
		{ 1 * RXAQM_NSEC_PER_USEC, 100 * RXAQM_NSEC_PER_USEC },
		{ 1 * RXAQM_NSEC_PER_SEC, 4 * RXAQM_NSEC_PER_SEC },
	};
	int signals = 0;

	for (const auto &params : set)
		for (unsigned seed = 1; seed <= 6; seed++)
			signals += compare(params, wandering(seed, params, 20000), 0);
	CHECK(signals > 20000);
}

TEST_CASE("codel: a queue that never gets better", "[codel]")
{
	for (__u64 gap_ns : { 1000ULL, 20000ULL, 3000000ULL, 15000000ULL }) {
		Trace trace;

		for (__u64 i = 0; i < 100000; i++)
			trace.push_back({ i * gap_ns, 80 * RXAQM_NSEC_PER_MSEC, false, true });
		CHECK(compare(params_10ms, trace, 0) > 10);
	}
}

TEST_CASE("codel: times at the edges", "[codel]")
{
	/* Packets exactly at, just before and just after each time that matters. */
	const rxaqm_codel_params &p = params_10ms;
	std::mt19937_64 random(3);
	Trace trace;
	__u64 now_ns = 0;

	for (int i = 0; i < 20000; i++) {
		const __u64 steps[] = { 0,
					1,
					p.interval_ns - 1,
					p.interval_ns,
					p.interval_ns + 1,
					16 * p.interval_ns - 1,
					16 * p.interval_ns,
					16 * p.interval_ns + 1 };
		const __u64 sojourns[] = { p.target_ns, p.target_ns, p.target_ns + 1,
					   p.target_ns, p.target_ns, p.target_ns - 1 };

		now_ns += steps[random() % (i % 100 < 90 ? 2 : 8)] + (i % 3 ? 0 : 100000);
		trace.push_back({ now_ns, sojourns[random() % (i % 50 ? 5 : 6)], random() % 97 == 0,
				  random() % 5 != 0 });
	}
	CHECK(compare(p, trace, 0) > 100);
}

TEST_CASE("codel: nothing depends on where time begins", "[codel]")
{
	Trace trace = wandering(11, params_10ms, 20000);
	__u64 half_ns = trace.back().at_ns / 2;

	for (__u64 base_ns :
	     { 0 - half_ns, (1ULL << 63) - half_ns, 1ULL, 1700000000000000000ULL }) {
		CAPTURE(base_ns);
		CHECK(compare(params_10ms, trace, base_ns) == compare(params_10ms, trace, 0));
	}
}

TEST_CASE("codel: running free, the law signals as often as the model", "[codel]")
{
	rxaqm_codel_vars vars = {};
	Model model(params_10ms);
	double law = 0, expected = 0;

	for (__u64 now_ns = 0; now_ns < 100 * RXAQM_NSEC_PER_SEC; now_ns += 50000) {
		Arrival a = { now_ns, RXAQM_NSEC_PER_MSEC, false, true };

		law += law_packet(vars, params_10ms, a, 0);
		expected += model.packet(double(now_ns), double(a.sojourn_ns), false, true);
	}
	CHECK(std::fabs(law - expected) <= 0.003 * expected);
}

TEST_CASE("codel: 1/sqrt(count) for all counts", "[codel]")
{
	rxaqm_codel_vars vars = {};
	double worst = 0;

	auto check = [&] {
		double expected = std::ldexp(1 / std::sqrt(double(vars.count)), 32);

		worst = std::fmax(worst, std::fabs(vars.rec_inv_sqrt / expected - 1));
	};
	for (int i = 0; i < 3000000; i++) {
		rxaqm_codel_count_up(&vars);
		check();
	}
	CHECK(worst < 0.0016);

	worst = 0;
	for (__u32 count : { 100000U, 1U << 20, 1U << 24, 1U << 28, 1U << 30, 0xfffffff0U }) {
		rxaqm_codel_set_count(&vars, count);
		check();
		for (int i = 0; i < 1000; i++) {
			rxaqm_codel_count_up(&vars);
			check();
		}
	}
	CHECK(worst < 0.0001);
	CHECK(vars.count == 0xffffffffU);
}

TEST_CASE("codel: no cap on the rate", "[codel]")
{
	rxaqm_codel_vars vars = {};

	for (int i = 0; i < 100000; i++)
		rxaqm_codel_count_up(&vars);
	/* 31,623 signals a second at an interval of 10 ms. */
	double gap = double(rxaqm_codel_control_law(&vars, &params_10ms, 0));

	CHECK(vars.count == 100000);
	CHECK(std::fabs(gap - 1e7 / std::sqrt(100000.0)) < 5);
}

TEST_CASE("codel: memory of the last episode ends after 16 intervals", "[codel]")
{
	const __u64 interval_ns = params_10ms.interval_ns;

	for (bool within : { true, false }) {
		rxaqm_codel_vars vars = {};
		__u64 now_ns = 0;

		for (; now_ns < 100 * interval_ns; now_ns += 10000)
			law_packet(vars, params_10ms, { now_ns, 1000000, false, true }, 0);
		__u32 before = vars.count;

		rxaqm_codel_drained(&vars);
		CHECK_FALSE(vars.dropping);
		/* Above again for an interval, then the first signal. */
		now_ns = vars.drop_next_ns + 16 * interval_ns - (within ? 1 : 0);
		rxaqm_codel_update(&vars, &params_10ms, 1000000, false, now_ns - interval_ns);
		CHECK(law_packet(vars, params_10ms, { now_ns, 1000000, false, true }, 0));
		CHECK(before > 1000);
		CHECK(vars.count == (within ? before - 1 : 1));
	}
}

TEST_CASE("codel: a signal due waits, but no more than an interval is owed", "[codel]")
{
	rxaqm_codel_vars vars = {};
	__u64 now_ns = 0;
	__u32 count;
	int burst = 0;

	for (; now_ns < 1000 * RXAQM_NSEC_PER_MSEC; now_ns += 10000)
		law_packet(vars, params_10ms, { now_ns, 1000000, false, true }, 0);
	count = vars.count;
	/* Ten seconds of packets that may not be signalled. */
	for (int i = 0; i < 1000; i++, now_ns += 10 * RXAQM_NSEC_PER_MSEC)
		CHECK_FALSE(law_packet(vars, params_10ms, { now_ns, 1000000, false, false }, 0));
	CHECK(vars.count == count);
	while (law_packet(vars, params_10ms, { now_ns, 1000000, false, true }, 0))
		burst++;
	/* An interval at this rate is sqrt(count) signals. */
	CHECK(burst >= int(std::sqrt(count)));
	CHECK(burst <= int(std::sqrt(count)) + 2);
}

TEST_CASE("codel: idle for hours, then a short burst", "[codel]")
{
	rxaqm_codel_vars vars = {};
	__u64 now_ns = 5;

	for (int i = 0; i < 10; i++, now_ns += 3600 * RXAQM_NSEC_PER_SEC) {
		rxaqm_codel_drained(&vars);
		for (__u64 t = 0; t < params_10ms.interval_ns; t += 100000)
			CHECK_FALSE(law_packet(vars, params_10ms,
					       { now_ns + t, 1000000, false, true }, 0));
	}
}
