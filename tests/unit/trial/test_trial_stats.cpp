/* SPDX-License-Identifier: GPL-2.0-only */
/* The statistics of a trial: known answers, another implementation, how often they are wrong. */
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>
#include <vector>

#include "process.hpp"

extern "C" {
#include "trial/stats.h"
}

using Catch::Approx;

namespace
{
struct Pairs {
	std::vector<double> a, b;

	trial_pairs view() const
	{
		trial_pairs pairs;

		std::copy(a.begin(), a.end(), pairs.a);
		std::copy(b.begin(), b.end(), pairs.b);
		pairs.nr = static_cast<unsigned int>(a.size());
		return pairs;
	}
	double p(double ratio = 1, trial_side side = TRIAL_DIFFERS) const
	{
		const trial_pairs pairs = view();

		return trial_p(&pairs, ratio, side, 1);
	}
	trial_effect effect(__u64 seed = 1) const
	{
		const trial_pairs pairs = view();
		trial_effect effect;

		trial_effect_of(&pairs, seed, &effect);
		return effect;
	}
};

/* Differences on top of a hundred each. */
Pairs differing(const std::vector<double> &differences)
{
	Pairs pairs;

	for (const double difference : differences) {
		pairs.a.push_back(100);
		pairs.b.push_back(100 + difference);
	}
	return pairs;
}

/*
 * Pairs of a host whose load drifts, from block to block by 5 %, with noise of @noise in each
 * block, and now and then a block that is half as much again; b is @ratio times a.
 */
Pairs simulated(std::mt19937_64 &random, unsigned int nr, double noise, double ratio)
{
	std::normal_distribution<double> normal;
	std::bernoulli_distribution outlier(0.02);
	double level = 80;
	Pairs pairs;

	for (unsigned int i = 0; i < nr; i++) {
		level *= std::exp(0.05 * normal(random));
		const double first = level * std::exp(noise * normal(random)) *
				     (outlier(random) ? 1.5 : 1);
		level *= std::exp(0.05 * normal(random));
		const double second = level * std::exp(noise * normal(random)) *
				      (outlier(random) ? 1.5 : 1);
		const bool swapped = random() & 1;

		pairs.a.push_back(swapped ? second : first);
		pairs.b.push_back((swapped ? first : second) * ratio);
	}
	return pairs;
}

/* Does a trial with @outcomes of these find a difference in any, or (@first) in the first? */
bool finds(std::mt19937_64 &random, unsigned int outcomes, unsigned int nr, double noise,
	   double ratio, bool first)
{
	std::vector<double> p;

	for (unsigned int i = 0; i < outcomes; i++)
		p.push_back(simulated(random, nr, noise, i ? 1 : ratio).p());
	trial_holm(p.data(), outcomes);
	return first ? p[0] <= TRIAL_ALPHA : *std::min_element(p.begin(), p.end()) <= TRIAL_ALPHA;
}
} // namespace

TEST_CASE("trial statistics: all choices of signs, by hand", "[trial]")
{
	/* 1 + 2 + 4 is reached by one of eight, and by its opposite. */
	CHECK(differing({ 1, 2, 4 }).p() == 2.0 / 8);
	CHECK(differing({ 1, 2, 4 }).p(1, TRIAL_MORE) == 1.0 / 8);
	CHECK(differing({ 1, 2, 4 }).p(1, TRIAL_LESS) == 1);
	/* -1 + 2 + 4 = 5: that, 7, and their opposites. */
	CHECK(differing({ -1, 2, 4 }).p() == 4.0 / 8);
	CHECK(differing({ -1, 2, 4 }).p(1, TRIAL_MORE) == 2.0 / 8);
	CHECK(differing({ 3, 3, 3, 3, 3, 3 }).p() == 2.0 / 64);
	CHECK(differing({ 0, 0, 0 }).p() == 1);
	CHECK(differing({}).p() == 1);
}

TEST_CASE("trial statistics: Darwin's maize, as Fisher counted it", "[trial]")
{
	/* The Design of Experiments, 1935, par. 21: of the 32768 choices of signs 863 give 314 or
	 * more, and as many -314 or less.
	 */
	const Pairs maize = differing(
		{ 49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48 });

	CHECK(maize.p() == 2 * 863 / 32768.0);
	CHECK(maize.p(1, TRIAL_MORE) == 863 / 32768.0);
	CHECK(maize.effect().ratio == Approx(1 + 314 / 15.0 / 100));
	/* Just not refused at 5 %. */
	CHECK(maize.effect().low < 1);
	CHECK(maize.effect().low > 0.98);
}

TEST_CASE("trial statistics: drawn signs say what all of them would", "[trial]")
{
	std::mt19937_64 random(7);
	Pairs pairs = simulated(random, TRIAL_EXACT_PAIRS, 0.1, 1.05);
	const double exact = pairs.p();

	/* Pairs without a difference change nothing but how many there are. */
	pairs.a.push_back(100);
	pairs.b.push_back(100);
	CHECK(std::abs(pairs.p() - exact) < 4 * std::sqrt(exact * (1 - exact) / TRIAL_DRAWS));
	CHECK(pairs.p() == pairs.p());
	/* And what never happened among them is not said to be impossible. */
	CHECK(differing(std::vector<double>(40, 5)).p() == 1.0 / (TRIAL_DRAWS + 1));
}

TEST_CASE("trial statistics: the interval is what the test does not refuse", "[trial]")
{
	std::mt19937_64 random(11);
	unsigned int covered = 0;

	for (int i = 0; i < 200; i++) {
		const Pairs pairs = simulated(random, 12, 0.1, 0.8);
		const trial_effect effect = pairs.effect();

		REQUIRE(effect.low < effect.ratio);
		REQUIRE(effect.ratio < effect.high);
		CHECK(pairs.p(effect.low * 0.999) <= TRIAL_ALPHA);
		CHECK(pairs.p(effect.low * 1.001) > TRIAL_ALPHA);
		CHECK(pairs.p(effect.high * 1.001) <= TRIAL_ALPHA);
		CHECK(pairs.p(effect.high * 0.999) > TRIAL_ALPHA);
		CHECK((effect.low <= 1 && 1 <= effect.high) == (effect.p > TRIAL_ALPHA));
		covered += effect.low <= 0.8 && 0.8 <= effect.high;
	}
	/* Of 200 in 95 %: 190, and 181 at four standard deviations less, rounded. */
	CHECK(covered >= 178);
}

TEST_CASE("trial statistics: too few pairs say nothing, and say so", "[trial]")
{
	const trial_effect effect = differing({ 50, 50, 50, 50, 50 }).effect();

	CHECK(effect.p > TRIAL_ALPHA);
	CHECK(effect.low == 0);
	CHECK(std::isinf(effect.high));
	CHECK(effect.ratio == Approx(1.5));
	CHECK(differing({ 50, 50, 50, 50, 50, 50 }).effect().p <= TRIAL_ALPHA);
}

TEST_CASE("trial statistics: nothing, and something where there was nothing", "[trial]")
{
	Pairs none{ std::vector<double>(8, 0), std::vector<double>(8, 0) };

	CHECK(none.effect().ratio == 1);
	CHECK(none.effect().p == 1);
	none.b = std::vector<double>(8, 3);
	CHECK(std::isinf(none.effect().ratio));
	CHECK(none.effect().p == 2.0 / 256);
	std::swap(none.a, none.b);
	CHECK(none.effect().ratio == 0);
	CHECK(none.effect().low == 0);
	CHECK(none.effect().high < 1);
}

TEST_CASE("trial statistics: the least pairs, by the number of tests", "[trial]")
{
	const std::pair<unsigned int, unsigned int> rows[] = { { 1, 6 }, { 2, 7 }, { 3, 7 },
							       { 4, 8 }, { 5, 8 }, { 7, 9 },
							       { 8, 9 }, { 10, 9 } };

	for (const auto &[tests, pairs] : rows)
		CHECK(trial_pairs_least(tests) == pairs);
}

TEST_CASE("trial statistics: Holm's correction", "[trial]")
{
	double p[] = { 0.04, 0.01, 0.03, 0.005 };

	trial_holm(p, 4);
	CHECK(p[3] == Approx(0.02));
	CHECK(p[1] == Approx(0.03));
	CHECK(p[2] == Approx(0.06));
	/* No more than what comes after it. */
	CHECK(p[0] == Approx(0.06));
	double one[] = { 0.7, 0.9 };

	trial_holm(one, 2);
	CHECK(one[0] == 1);
	CHECK(one[1] == 1);
	trial_holm(one, 0);
}

TEST_CASE("trial statistics: how many pairs 5 % would take", "[trial]")
{
	std::mt19937_64 random(3);
	const Pairs pairs = simulated(random, 200, 0.05, 1);
	const auto wanted = static_cast<unsigned int>(pairs.effect().pairs_for_5_percent);
	unsigned int found = 0;

	REQUIRE(wanted >= 10);
	REQUIRE(wanted <= 200);
	for (int i = 0; i < 200; i++)
		found += simulated(random, wanted, 0.05, 0.95).p() <= TRIAL_ALPHA;
	/* Four of five: 160 of 200, by an approximation and from a spread that is estimated. */
	CHECK(found >= 130);
	CHECK(found <= 195);
	CHECK(std::isnan(differing({ 5 }).effect().pairs_for_5_percent));
	CHECK(differing({ 5, 5, 5 }).effect().pairs_for_5_percent == 6);
}

TEST_CASE("trial statistics: of 400 trials without an effect, at most 7 % find one", "[trial]")
{
	std::mt19937_64 random(400);
	unsigned int wrong = 0;

	for (int i = 0; i < 400; i++)
		wrong += finds(random, 10, 12, 0.1, 1, false);
	CHECK(wrong <= 28);
}

TEST_CASE("trial statistics: 10 % are found by 30 pairs, in 80 % of trials", "[trial]")
{
	/* More noise than the evaluation has, where runs differ by 1 to 3 %. */
	std::mt19937_64 random(30);
	unsigned int found = 0;

	for (int i = 0; i < 100; i++)
		found += finds(random, 10, 30, 0.05, 0.9, true);
	CHECK(found >= 80);
}

TEST_CASE("trial statistics: looking after each pair is paid for", "[trial]")
{
	constexpr unsigned int looks = 15;
	std::mt19937_64 random(15);
	unsigned int stopped = 0, harmful = 0, first_after = looks;

	for (int i = 0; i < 400; i++) {
		/* As bad as the limit says, and no worse; then half. */
		const Pairs edge = simulated(random, looks, 0.1, 0.8);
		const Pairs bad = simulated(random, looks, 0.1, 0.5);
		trial_looks at_edge = { looks, 0 }, at_bad = { looks, 0 };
		bool one = false, two = false;

		for (unsigned int n = 1; n <= looks; n++) {
			trial_pairs now = edge.view(), worse = bad.view();

			now.nr = worse.nr = n;

			one |= trial_look(&at_edge, &now, 0.8, TRIAL_LESS, 1);
			if (!two && trial_look(&at_bad, &worse, 0.8, TRIAL_LESS, 1)) {
				two = true;
				first_after = std::min(first_after, n);
			}
		}
		stopped += one;
		harmful += two;
		CHECK(at_edge.unspent <= TRIAL_LOOKS_ALPHA);
	}
	/* 10 %, and 6 % more for chance at four standard deviations. */
	CHECK(stopped <= 64);
	CHECK(harmful >= 380);
	CHECK(first_after >= 4);
	CHECK(first_after <= 6);
}

TEST_CASE("trial statistics: scipy finds the same", "[trial]")
{
	if (run({ "python3", "-c", "import scipy.stats" }).exit_code)
		SKIP("no python3-scipy");
	std::mt19937_64 random(5);
	std::ostringstream program;

	program << "import numpy, scipy.stats\n"
		   "def p(a, b, side):\n"
		   "    return scipy.stats.permutation_test((b, a),\n"
		   "        lambda x, y, axis: numpy.mean(x - y, axis=axis), vectorized=True,\n"
		   "        permutation_type='samples', n_resamples=numpy.inf,\n"
		   "        alternative=side).pvalue\n";
	std::vector<double> ours;

	for (unsigned int i = 0; i < 12; i++) {
		const Pairs pairs = simulated(random, 4 + i, 0.1, 1 + i / 100.0);
		const auto list = [](const std::vector<double> &values) {
			std::ostringstream text;

			text.precision(17);
			for (const double value : values)
				text << value << ",";
			return "numpy.array([" + text.str() + "])";
		};

		program << "print(p(" << list(pairs.a) << ", " << list(pairs.b)
			<< ", 'two-sided'), p(" << list(pairs.a) << ", " << list(pairs.b)
			<< ", 'greater'))\n";
		ours.push_back(pairs.p());
		ours.push_back(pairs.p(1, TRIAL_MORE));
	}
	const Result result = run({ "python3", "-c", program.str() });

	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
	std::istringstream theirs(result.out);

	for (const double p : ours) {
		double value = -1;

		theirs >> value;
		CHECK(value == Approx(p).epsilon(1e-9));
	}
}
