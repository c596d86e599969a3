/* SPDX-License-Identifier: GPL-2.0-only */
/* Which stamps are believed: each reason not to, and none where nothing is wrong. */
#include <catch2/catch_test_macros.hpp>

#include <memory>

#include "holds.hpp"
#include "clock_sim.hpp"

static const __u64 US = RXAQM_NSEC_PER_USEC, MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;
static const __u64 BOOT = 100 * SEC;
static const __u64 TAI = 1700000000000000000ULL;

/* A queue under a clock that is exact: NIC time is host time plus TAI. */
struct Sampled {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	rxaqm_clock clock = {};
	__u64 now_ns = BOOT;

	Sampled()
	{
		*q = {};
		rxaqm_sample_update_age(q.get());
		clock.host_ref_ns = BOOT;
		clock.hw_ref_ns = TAI + BOOT;
		clock.err_ns = 1000;
		clock.expires_ns = BOOT + 400 * SEC;
	}

	rxaqm_sample sample(__s64 sojourn_ns)
	{
		now_ns += 10 * US;
		return rxaqm_sample_stamp(q.get(), &clock, TAI + now_ns - __u64(sojourn_ns),
					  now_ns);
	}

	void drained(__u64 ago_ns)
	{
		q->flags |= RXAQM_QUEUE_DRAIN_KNOWN;
		q->drained_ns = now_ns + 10 * US - ago_ns;
		q->empty_ns = q->drained_ns;
	}

	bool distrusted() const
	{
		return q->distrust_reason && rxaqm_ns_after(q->distrust_until_ns, now_ns);
	}
};

TEST_CASE("sample: a good one", "[sample]")
{
	for (__s64 sojourn_ns : { 0LL, 1LL, 50000LL, 80000000LL, 9999000000LL }) {
		Sampled s;

		CHECK(s.sample(sojourn_ns) == RXAQM_SAMPLE_GOOD);
		CHECK(s.q->flags & RXAQM_QUEUE_SAMPLED);
		CHECK(s.q->sample_sojourn_ns == __u64(sojourn_ns));
		CHECK(s.q->sample_ns == s.now_ns);
		CHECK(s.q->sample_err_ns == 1000);
		CHECK_FALSE(s.distrusted());
	}
}

TEST_CASE("sample: each reason not to believe a stamp", "[sample]")
{
	struct {
		__s64 sojourn_ns;
		__u64 drained_ago_ns; /* 0: not known */
		rxaqm_distrust reason;
	} rows[] = {
		{ -1000, 0, RXAQM_DISTRUST_NONE }, /* within the error */
		{ -51000, 0, RXAQM_DISTRUST_NONE }, /* and slack */
		{ -51001, 0, RXAQM_DISTRUST_NEGATIVE },
		{ -37000000000, 0, RXAQM_DISTRUST_NEGATIVE },
		{ 10000000000, 0, RXAQM_DISTRUST_NONE },
		{ 10000000001, 0, RXAQM_DISTRUST_ABSURD },
		{ 37000000000, 40000000000, RXAQM_DISTRUST_ABSURD },
		{ 1011000, 10000, RXAQM_DISTRUST_NONE }, /* error and slack */
		{ 1000000000, 2000000000, RXAQM_DISTRUST_NONE },
	};

	for (const auto &row : rows) {
		Sampled s;
		bool good = row.reason == RXAQM_DISTRUST_NONE;

		if (row.drained_ago_ns)
			s.drained(row.drained_ago_ns);
		CAPTURE(row.sojourn_ns, row.drained_ago_ns);
		CHECK(s.sample(row.sojourn_ns) == (good ? RXAQM_SAMPLE_GOOD : RXAQM_SAMPLE_BAD));
		CHECK(s.q->distrust_reason == row.reason);
		CHECK(s.distrusted() == !good);
		CHECK(bool(s.q->flags & RXAQM_QUEUE_SAMPLED) == good);
		bool negative = row.reason == RXAQM_DISTRUST_NEGATIVE;

		CHECK(s.q->stat[RXAQM_STAT_STAMP_NEGATIVE] == (negative ? 1 : 0));
		CHECK(s.q->stat[RXAQM_STAT_STAMP_ABSURD] == (good || negative ? 0 : 1));
	}
}

TEST_CASE("sample: one from before the queue was empty is void, however many there are", "[sample]")
{
	struct {
		__s64 sojourn_ns;
		__u64 drained_ago_ns;
	} rows[] = { { 1011001, 10000 }, { 80000000, 10000 }, { 2000000000, 1000000000 } };

	for (const auto &row : rows) {
		Sampled s;

		CAPTURE(row.sojourn_ns);
		for (int i = 0; i < 100; i++) {
			s.drained(row.drained_ago_ns);
			CHECK(s.sample(row.sojourn_ns) == RXAQM_SAMPLE_VOID);
			CHECK_FALSE(s.distrusted());
			CHECK_FALSE(s.q->flags & RXAQM_QUEUE_SAMPLED);
		}
		CHECK(s.q->stat[RXAQM_STAT_STAMP_ABSURD] == 100);
		/* One that can be true is a sample, and void ones leave it alone. */
		s.drained(row.drained_ago_ns);
		CHECK(s.sample(500) == RXAQM_SAMPLE_GOOD);
		s.drained(row.drained_ago_ns);
		s.q->last_hw_ns = 0;
		CHECK(s.sample(row.sojourn_ns) == RXAQM_SAMPLE_VOID);
		CHECK(s.q->sample_sojourn_ns == 500);
		/* Where packets were stamped before they came to this queue, it says nothing. */
		s.q->flags |= RXAQM_QUEUE_UPSTREAM;
		s.drained(row.drained_ago_ns);
		CHECK(s.sample(row.sojourn_ns) == RXAQM_SAMPLE_GOOD);
	}
}

TEST_CASE("sample: stamps do not run backwards", "[sample]")
{
	Sampled s;

	CHECK(s.sample(20 * MS) == RXAQM_SAMPLE_GOOD);
	/* A little out of order is how several senders of a software device look. */
	CHECK(s.sample(__s64(20 * MS + 1 * MS)) == RXAQM_SAMPLE_GOOD);
	CHECK(s.sample(20 * MS) == RXAQM_SAMPLE_GOOD);
	CHECK(s.sample(__s64(20 * MS + 1 * MS + 11 * US)) == RXAQM_SAMPLE_BAD);
	CHECK(s.q->distrust_reason == RXAQM_DISTRUST_BACKWARDS);
	/* All that follows a step back stays behind, until that is accepted. */
	CHECK(s.sample(25 * MS) == RXAQM_SAMPLE_BAD);
	CHECK(s.sample(25 * MS) == RXAQM_SAMPLE_BAD);
	CHECK(s.sample(25 * MS) == RXAQM_SAMPLE_STEPPED);
	CHECK(s.sample(25 * MS) == RXAQM_SAMPLE_GOOD);
}

TEST_CASE("sample: one damaged stamp does not discredit those after it", "[sample]")
{
	for (__s64 damage_ns : { 4294967296LL, -4294967296LL, -1700000000000000000LL }) {
		Sampled s;

		s.drained(5 * MS);
		CHECK(s.sample(100) == RXAQM_SAMPLE_GOOD);
		CHECK(s.sample(damage_ns) == RXAQM_SAMPLE_BAD);
		CHECK(s.sample(100) == RXAQM_SAMPLE_GOOD);
		CHECK(s.sample(damage_ns) == RXAQM_SAMPLE_BAD);
		CHECK(s.sample(100) == RXAQM_SAMPLE_GOOD);
	}
}

TEST_CASE("sample: four bad ones are a step, what went before is forgotten", "[sample]")
{
	for (__s64 step_ns : { 37000000000LL, -37000000000LL, 1000000000000LL }) {
		Sampled s;

		s.drained(5 * MS);
		s.q->window.nr = 7;
		CHECK(s.sample(100) == RXAQM_SAMPLE_GOOD);
		for (int i = 0; i < 3; i++)
			CHECK(s.sample(step_ns) == RXAQM_SAMPLE_BAD);
		CHECK(s.sample(step_ns) == RXAQM_SAMPLE_STEPPED);
		/* A stamp from the future proves the clock late, and is a point itself. */
		CHECK(s.q->window.nr == (step_ns < 0 ? 1 : 0));
		if (step_ns < 0)
			CHECK(s.q->window.least.offset_ns == 0 - TAI + __u64(step_ns));
		for (int i = 0; i < 3; i++)
			CHECK(s.sample(step_ns) == RXAQM_SAMPLE_BAD);
	}
}

TEST_CASE("sample: distrust lasts for a clean second", "[sample]")
{
	Sampled s;

	s.sample(-MS);
	CHECK(s.distrusted());
	__u64 until_ns = s.now_ns + SEC;

	while (s.now_ns < until_ns - 20 * US) {
		HOLDS(s.sample(100) == RXAQM_SAMPLE_GOOD);
		HOLDS(s.distrusted());
	}
	s.now_ns = until_ns;
	CHECK_FALSE(s.distrusted());
	CHECK(s.q->distrust_reason == RXAQM_DISTRUST_NEGATIVE); /* kept for status */
	/* And begins again with each bad one. */
	s.sample(-MS);
	CHECK(s.q->distrust_until_ns == s.now_ns + SEC);
}

TEST_CASE("sample: bad ones with a good one among them are no step", "[sample]")
{
	Sampled s;

	for (int i = 0; i < 100; i++) {
		CHECK(s.sample(80 * MS) == RXAQM_SAMPLE_GOOD); /* however long it waited */
		for (int k = 1; k < RXAQM_STEP_STAMPS; k++)
			CHECK(s.sample(-MS) == RXAQM_SAMPLE_BAD);
	}
}

TEST_CASE("sample: no stamp, as where only PTP is stamped", "[sample]")
{
	Sampled s;

	CHECK(s.sample(5 * MS) == RXAQM_SAMPLE_GOOD);
	__u64 at_ns = s.now_ns;

	for (int i = 0; i < 2000; i++) {
		s.now_ns += 10 * US;
		CHECK(rxaqm_sample_stamp(s.q.get(), &s.clock, 0, s.now_ns) == RXAQM_SAMPLE_NONE);
	}
	CHECK(s.q->stat[RXAQM_STAT_STAMP_MISSING] == 2000);
	/* The sample is still the one there was, and too old by now. */
	CHECK(s.q->sample_ns == at_ns);
	CHECK(s.q->sample_sojourn_ns == 5 * MS);
	CHECK(rxaqm_ns_since(s.now_ns, s.q->sample_ns) > rxaqm_sample_max_age_ns(10 * MS, 0));
	CHECK_FALSE(s.distrusted());
	CHECK(s.sample(5 * MS) == RXAQM_SAMPLE_GOOD);
}

TEST_CASE("sample: how old one may be", "[sample]")
{
	struct {
		__u64 interval_ns, round_ns, age_ns;
	} rows[] = {
		{ 100 * US, 0, 10 * MS },	{ 20 * MS, 0, 10 * MS },
		{ 100 * MS, 0, 50 * MS },	{ 4 * SEC, 0, 2 * SEC },
		{ 20 * MS, 2 * MS, 10 * MS },	{ 20 * MS, 12 * MS, 48 * MS },
		{ 100 * MS, 12 * MS, 50 * MS }, { 20 * MS, 250 * MS, SEC },
		{ 20 * MS, 0xffffffff, SEC },	{ 4 * SEC, 0xffffffff, 2 * SEC },
	};

	for (const auto &row : rows) {
		CAPTURE(row.interval_ns, row.round_ns);
		CHECK(rxaqm_sample_max_age_ns(row.interval_ns, __u32(row.round_ns)) == row.age_ns);
	}
}

TEST_CASE("sample: an error over half the target lets polls speak, where they may", "[sample]")
{
	for (int signal : { RXAQM_SIGNAL_AUTO, RXAQM_SIGNAL_HINT, RXAQM_SIGNAL_STAMP }) {
		Sampled s;
		bool lenient = signal == RXAQM_SIGNAL_AUTO;

		CAPTURE(signal);
		s.q->target_ns = 2 * MS;
		s.q->policy.signal = __u8(signal);
		s.clock.err_ns = MS;
		CHECK(s.sample(80 * MS) == RXAQM_SAMPLE_GOOD);
		CHECK(rxaqm_sample_usable(s.q.get(), s.now_ns));
		s.clock.err_ns = MS + 1;
		CHECK(s.sample(80 * MS) == RXAQM_SAMPLE_GOOD);
		CHECK(rxaqm_sample_usable(s.q.get(), s.now_ns) == !lenient);
	}
}

TEST_CASE("sample: no clock, and one that expired", "[sample]")
{
	Sampled s;

	CHECK(s.sample(MS) == RXAQM_SAMPLE_GOOD);
	CHECK(rxaqm_sample_stamp(s.q.get(), nullptr, TAI + s.now_ns, s.now_ns) ==
	      RXAQM_SAMPLE_NONE);
	CHECK(s.q->flags & RXAQM_QUEUE_NO_CLOCK);
	CHECK_FALSE(s.q->flags & RXAQM_QUEUE_SAMPLED);
	CHECK(s.sample(MS) == RXAQM_SAMPLE_GOOD);
	CHECK_FALSE(s.q->flags & RXAQM_QUEUE_NO_CLOCK);
	s.now_ns = s.clock.expires_ns - 20 * US;
	CHECK(s.sample(MS) == RXAQM_SAMPLE_GOOD);
	CHECK(s.sample(MS) == RXAQM_SAMPLE_NONE);
	CHECK(s.q->flags & RXAQM_QUEUE_NO_CLOCK);
	CHECK_FALSE(s.distrusted());
}

TEST_CASE("sample: a clean clock is never distrusted", "[sample]")
{
	struct {
		double gap_ns, wait_ns;
		size_t queues;
		__s64 ppm;
	} rows[] = {
		{ 20e3, 2e3, 1, 200 },	 { 20e3, 2e3, 2, -200 },  { 100e3, 30e3, 2, 200 },
		{ 1e6, 200e3, 2, -200 }, { 5e6, 300e3, 64, 100 }, { 300e6, 50e3, 3, -100 },
		{ 5e6, 2e6, 2, 0 },
	};

	for (const auto &row : rows) {
		ClockSim sim(BOOT, TAI, 21, row.queues);

		CAPTURE(row.gap_ns, row.wait_ns, row.queues, row.ppm);
		sim.drift_ppb = row.ppm * 1000;
		for (int i = 0; i < 6; i++) {
			sim.run(3 * SEC, row.gap_ns, row.wait_ns);
			sim.stand(sim.random() % row.queues, 300 * MS, 60 * MS, 15 * US);
			sim.now_ns += 100 * MS;
		}
		CHECK(sim.good > 1000);
		CHECK(sim.bad == 0);
		CHECK(sim.resets == 0);
	}
}

TEST_CASE("sample: bursts and pauses of the CPU are waits, not steps", "[sample]")
{
	ClockSim sim(BOOT, TAI, 22, 2);

	for (int i = 0; i < 300; i++) {
		sim.run(20 * MS, 100e3, 5e3);
		/* Something holds the CPU for 3 ms; the first packet came early in it. */
		sim.now_ns += 3 * MS;
		CHECK(sim.drained_poll(0, 3 * MS - 1000));
	}
	CHECK(sim.bad == 0);
	CHECK(sim.violations == 0);
	CHECK(sim.worst_err_ns < 30e3);
}
