/* SPDX-License-Identifier: GPL-2.0-only */
/* Autotune: goes where the rounds are, slowly, and never to and fro. */
#include <random>

#include "round_times.hpp"
#include "tuned.hpp"

TEST_CASE("autotune: goes to the wish, a step a minute at most, and stays", "[autotune]")
{
	Tuned t;

	/* 4 x 75 us: from 2 ms to 300 us. */
	t.run(3600, [](unsigned i) { return about(75 * US, i); });
	REQUIRE(t.changes.size() == 5); /* 2 / 1.5^4 = 0.395, and then the rest */
	CHECK(t.changes[0].from_ns == 2 * MS);
	CHECK(t.changes[0].to_ns == 2 * MS * 1000 / 1500);
	CHECK(t.tune.target_ns >= 300 * US);
	CHECK(t.tune.target_ns < 301 * US);
	CHECK(t.tune.interval_ns == 10 * MS);
	/* The median needs 16 samples, then come 60 s; then a change a minute. */
	CHECK(t.changes[0].at_ns - (~0ULL - 100 * SEC) >= 90 * SEC);
	CHECK(t.changes[0].at_ns - (~0ULL - 100 * SEC) <= 100 * SEC);
	CHECK(t.changes[4].at_ns - t.changes[0].at_ns <= 4 * 63 * SEC);
	t.check_calm(3600);
	CHECK(t.changes[0].reason.find("target 2ms -> 1.33ms, on the way to 300us: 2 x floor 150us "
				       "(split completions), for 60s") == 0);
}

TEST_CASE("autotune: up as well, and the interval goes along", "[autotune]")
{
	Tuned t(500 * US);

	t.run(1200, [](unsigned i) { return about(1 * MS, i); });
	/* 500 us x 1.5^5 is within a quarter of 4 ms. */
	CHECK(t.changes.size() == 5);
	CHECK(t.tune.target_ns / US == 3796);
	CHECK(t.tune.interval_ns == 20 * t.tune.target_ns);
	t.facts.rtt_ns = RXAQM_RTT_WAN_NS;
	t.run(1200, [](unsigned i) { return about(400 * US, i); });
	CHECK(t.tune.interval_ns == 100 * MS);
}

TEST_CASE("autotune: a wish within a quarter changes nothing", "[autotune]")
{
	for (__u64 round_us : { 401, 450, 500, 550, 624 }) {
		Tuned t; /* 2 ms is 4 x 500 us */

		t.run(1800, [=](unsigned i) { return about(round_us * US, i); });
		CHECK(t.changes.empty());
	}
	for (__u64 round_us : { 399, 626 }) {
		Tuned t;

		t.run(1800, [=](unsigned i) { return about(round_us * US, i); });
		CHECK(t.changes.size() == 1);
	}
}

TEST_CASE("autotune: outliers leave no trace", "[autotune]")
{
	/* One in a while, of any size; and fifteen in a row, which is 30 s. */
	for (unsigned length : { 1U, 7U, 29U })
		for (__u64 outlier_ns : { 1 * US, 10 * MS, 4000 * MS }) {
			Tuned t;

			t.run(3600, [=](unsigned i) {
				return i % 200 >= 100 && i % 200 < 100 + length ?
					       about(outlier_ns, i) :
					       about(500 * US, i);
			});
			CAPTURE(length, outlier_ns);
			CHECK(t.changes.empty());
		}
}

TEST_CASE("autotune: what alternates is in the middle of nothing", "[autotune]")
{
	/* Whatever the times of high and low, from each second to a minute. */
	for (unsigned high : { 1U, 2U, 3U, 7U, 15U, 29U })
		for (unsigned low : { 1U, 2U, 5U, 15U, 29U })
			for (__u64 factor : { 2, 4, 50 }) {
				Tuned t;
				size_t before;
				auto wave = [=](unsigned i) {
					return about(i % (high + low) < high ? 500 * US * factor :
									       500 * US,
						     i);
				};

				t.run(7200, wave);
				CAPTURE(high, low, factor);
				CHECK(t.reversals() <= 1);
				t.check_calm(7200);
				/* It has come to rest. */
				before = t.changes.size();
				t.run(7200, [&](unsigned i) { return wave(7200 + i); });
				CHECK(t.changes.size() == before);
			}
}

TEST_CASE("autotune: a square wave is not followed for good, unless it is slow", "[autotune]")
{
	for (unsigned period : { 60U, 120U, 240U, 600U, 1200U, 3600U }) {
		Tuned t;
		unsigned day = 24 * 3600;

		t.run(day, [=](unsigned i) {
			return about(i % period < period / 2 ? 200 * US : 1000 * US, i);
		});
		CAPTURE(period, t.changes.size(), t.reversals());
		t.check_calm(day);
		/* Half of it must last for 32 minutes to be worth anything at last. */
		CHECK(t.reversals() <= 5 + 24);
	}
	Tuned t;

	/* Night and day are. */
	t.run(4 * 86400,
	      [](unsigned i) { return about(i % 86400 < 43200 ? 200 * US : 1000 * US, i); });
	CHECK(t.reversals() == 7);
	CHECK(t.changes.size() <= 8 * 5);
}

TEST_CASE("autotune: a saw-tooth of any period", "[autotune]")
{
	for (unsigned period : { 3U, 10U, 31U, 60U, 100U, 300U, 1000U, 7200U }) {
		Tuned t;
		unsigned seconds = 36 * 3600;

		t.run(seconds, [=](unsigned i) {
			return about(100 * US + 2000 * US * (i % period) / period, i);
		});
		CAPTURE(period, t.changes.size(), t.reversals());
		t.check_calm(seconds);
		if (period <= 100)
			CHECK(t.reversals() <= 1);
	}
}

TEST_CASE("autotune: noise is averaged out", "[autotune]")
{
	/* Two of three samples within a quarter of the middle; within two fifths. */
	for (double sigma : { 0.25, 0.5 })
		for (unsigned seed = 1; seed <= 10; seed++) {
			std::mt19937 random(seed);
			std::lognormal_distribution<double> noise(std::log(500e3), sigma);
			Tuned t;

			t.run(12 * 3600, [&](unsigned) { return __u64(noise(random)) + 1; });
			CAPTURE(sigma, seed, t.changes.size());
			t.check_calm(12 * 3600);
			CHECK(t.changes.size() <= (sigma < 0.3 ? 0 : 12));
		}
}

TEST_CASE("autotune: anything at all", "[autotune]")
{
	for (unsigned seed = 1; seed <= 30; seed++) {
		std::mt19937 random(seed);
		double log_round = std::log(500e3);
		unsigned left = 0, kind = 0, seconds = 24 * 3600;
		Tuned t;

		t.facts.entries = seed % 3 ? 4096 : 0;
		t.facts.min_ns = seed % 4 ? 0 : 300 * US;
		t.facts.max_ns = seed % 5 ? 0 : 3 * MS;
		t.run(seconds, [&](unsigned i) {
			if (!left--) {
				left = 1 + random() % (1U << random() % 12);
				kind = random() % 5;
			}
			switch (kind) {
			case 0: /* a random walk */
				log_round += std::normal_distribution<double>(0, 0.1)(random);
				break;
			case 1: /* anywhere */
				log_round = std::uniform_real_distribution<double>(0, 22)(random);
				break;
			case 2: /* nothing is measured */
				return __u64(t.q->round_ns);
			case 3:
				return i % 2 ? __u64(10 * US) : __u64(4 * MS);
			default: /* stays */
				break;
			}
			log_round = std::min(22.0, std::max(0.0, log_round));
			return about(__u64(std::exp(log_round)), i);
		});
		CAPTURE(seed, t.changes.size(), t.reversals(), t.moved);
		t.check_calm(seconds);
		CHECK(t.tune.target_ns >= RXAQM_TARGET_MIN_NS);
		CHECK(t.tune.target_ns <= t.tune.interval_ns);
		CHECK(t.tune.interval_ns <= RXAQM_INTERVAL_MAX_NS);
	}
}

TEST_CASE("autotune: what is not news is no evidence", "[autotune]")
{
	Tuned t;

	/* A burst, hours ago, has left its mark, and nothing was measured since. */
	t.run(7200, [](unsigned) { return 4 * MS; });
	CHECK(t.changes.empty());
	CHECK(t.tune.wish.target_ns == 0);
	/* Nothing at all. */
	t.run(7200, [](unsigned) { return 0; });
	CHECK(t.changes.empty());
	/* A burst of 12 s every two minutes: never enough at once to tell. */
	t.run(7200, [](unsigned i) { return i % 120 < 12 ? about(4 * MS, i) : 4 * MS; });
	CHECK(t.changes.empty());
	/* Every 20 s one look has news: slower, but it gets there. */
	t.run(7200, [](unsigned i) { return 4 * MS + i / 20; });
	CHECK(t.tune.target_ns >= 12 * MS);
	t.check_calm(4 * 7200);
}

TEST_CASE("autotune: after a silence it starts collecting afresh", "[autotune]")
{
	Tuned t;

	t.run(70, [](unsigned i) { return about(100 * US, i); });
	CHECK(t.changes.empty());
	CHECK(t.tune.side == -1);
	t.run(70, [&](unsigned) { return t.q->round_ns; });
	/* The old samples say down; those after the pause, up. */
	t.run(10, [](unsigned i) { return about(2 * MS, i); });
	CHECK(t.tune.nr_samples <= 5);
	t.run(290, [](unsigned i) { return about(2 * MS, i); });
	REQUIRE_FALSE(t.changes.empty());
	CHECK(t.changes[0].to_ns > t.changes[0].from_ns);
	CHECK(t.reversals() == 0);
}

TEST_CASE("autotune: rounds as they were recorded", "[autotune]")
{
	for (const RoundTimes &recorded : round_times) {
		/* The same hours over again, begun far above, far below, and in place. */
		for (__u64 target_ns : { 100 * US, 100 * MS, 4 * recorded.median_ns }) {
			Tuned t(target_ns);

			t.run(6 * 3600, [&](unsigned i) {
				return recorded.round_ns[i % recorded.round_ns.size()] + i % 2;
			});
			CAPTURE(recorded.name, target_ns, t.changes.size());
			t.check_calm(6 * 3600);
			CHECK(t.reversals() == 0);
			CHECK(double(t.tune.target_ns) < 1.26 * 4 * double(recorded.median_ns));
			CHECK(double(t.tune.target_ns) > 4 * double(recorded.median_ns) / 1.26);
			if (target_ns == 4 * recorded.median_ns)
				CHECK(t.changes.empty());
		}
	}
}

TEST_CASE("autotune: pinned, it only tells what it would like", "[autotune]")
{
	Tuned t;

	t.config.pinned = true;
	t.run(3600, [](unsigned i) { return about(75 * US, i); });
	CHECK(t.changes.empty());
	CHECK(t.tune.target_ns == 2 * MS);
	CHECK(t.tune.wish.target_ns / US == 300);
	t.config.pinned = false;
	t.run(10, [](unsigned i) { return about(75 * US, i); });
	CHECK(t.changes.size() == 1);
}

TEST_CASE("autotune: what the operator sets stays", "[autotune]")
{
	Tuned t;

	CHECK_FALSE(rxaqm_autotune_overruled(&t.tune, 2 * MS, 40 * MS));
	t.run(110, [](unsigned i) { return about(75 * US, i); });
	CHECK(t.changes.size() == 1);
	CHECK_FALSE(rxaqm_autotune_overruled(&t.tune, t.tune.target_ns, t.tune.interval_ns));
	CHECK(rxaqm_autotune_overruled(&t.tune, 5 * MS, 100 * MS));
	CHECK_FALSE(rxaqm_autotune_overruled(&t.tune, 5 * MS, 100 * MS)); /* told once */
	t.run(3600, [](unsigned i) { return about(75 * US, i); });
	CHECK(t.changes.size() == 1);
	CHECK(t.tune.target_ns == 5 * MS);
	CHECK(t.tune.wish.target_ns / US == 300);
	/* Only the interval counts as well. */
	rxaqm_autotune_init(&t.tune, 5 * MS, 100 * MS);
	CHECK(rxaqm_autotune_overruled(&t.tune, 5 * MS, 99 * MS));
	/* Until autotune is started anew. */
	rxaqm_autotune_init(&t.tune, 5 * MS, 100 * MS);
	t.run(3600, [](unsigned i) { return about(75 * US, i); });
	CHECK(t.tune.target_ns / US == 300);
}

TEST_CASE("autotune: floor, ceiling and the operator's bounds hold", "[autotune]")
{
	Tuned low, high, ring(3500 * US);

	low.facts.min_ns = 1 * MS;
	low.run(3600, [](unsigned i) { return about(75 * US, i); });
	CHECK(low.tune.target_ns == 1 * MS);
	CHECK(low.changes.back().reason.find("least allowed 1ms") != std::string::npos);
	high.facts.max_ns = 3 * MS;
	high.run(3600, [](unsigned i) { return about(2 * MS, i); });
	CHECK(high.tune.target_ns == 3 * MS);
	/* A quarter of ten polls: two rounds and a half. */
	ring.facts.entries = 640;
	ring.run(3600, [](unsigned i) { return about(2 * MS, i); });
	CHECK(ring.tune.target_ns / (10 * US) == 500);
	CHECK(ring.changes.back().reason.find("ceiling 5ms of ring 640") != std::string::npos);
}

TEST_CASE("autotune: called at any rate", "[autotune]")
{
	/* Ten times a second it is no faster; once in 20 s no slower than the samples. */
	Tuned fast;

	for (unsigned i = 0; i < 20000; i++) {
		fast.now_ns -= 900 * MS;
		fast.second(about(75 * US, i));
	}
	CHECK(fast.changes.size() == 5);
	CHECK(fast.changes[0].at_ns - (~0ULL - 100 * SEC) >= 90 * SEC);
	fast.check_calm(2000);
	Tuned slow;

	for (unsigned i = 0; i < 100; i++) {
		slow.now_ns += 19 * SEC;
		slow.second(about(75 * US, i));
	}
	CHECK(slow.tune.target_ns / US == 300);
	slow.check_calm(2000);
}
