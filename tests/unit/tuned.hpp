/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue under autotune, in simulated seconds, and what holds of it whatever it measures. */
#ifndef RXAQM_TESTS_TUNED_HPP
#define RXAQM_TESTS_TUNED_HPP

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "autotune.h"
}

inline constexpr __u64 US = RXAQM_NSEC_PER_USEC;
inline constexpr __u64 MS = RXAQM_NSEC_PER_MSEC;
inline constexpr __u64 SEC = RXAQM_NSEC_PER_SEC;

struct Change {
	__u64 at_ns, from_ns, to_ns;
	std::string reason;
};

/* A queue of a ring without end, whose rule is twice the floor, so four rounds; looked at once
 * a second.
 */
struct Tuned {
	rxaqm_autotune tune;
	rxaqm_autotune_config config;
	rxaqm_target_facts facts = {};
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	__u64 now_ns = ~0ULL - 100 * SEC; /* times may wrap */
	std::vector<Change> changes;
	double moved = 0; /* by the wish, in ratios */
	double last_wish = 0;

	explicit Tuned(__u64 target_ns = 2 * MS)
	{
		rxaqm_autotune_config_init(&config);
		rxaqm_autotune_init(&tune, target_ns, 40 * MS);
		facts.rule = RXAQM_RULE_SPLIT;
	}

	/* A second passes, in which rounds took @round_ns (as it was: nothing was measured). */
	bool second(__u64 round_ns)
	{
		rxaqm_autotune_change change = {};
		__u64 before_ns = tune.target_ns;

		now_ns += SEC;
		q->round_ns = __u32(round_ns);
		q->packet_ns = __u32(round_ns / 64);
		bool changed = rxaqm_autotune_update(&tune, &config, &facts, q.get(), now_ns,
						     &change);
		if (tune.wish.target_ns)
			note_wish(before_ns);
		if (!changed) {
			if (tune.target_ns != before_ns)
				FAIL("changed in silence");
			return false;
		}
		CHECK(change.from_ns == before_ns);
		CHECK(change.target_ns == tune.target_ns);
		CHECK(change.interval_ns == tune.interval_ns);
		check_step(before_ns);
		changes.push_back({ now_ns, before_ns, tune.target_ns, change.reason });
		return true;
	}

	/* Towards the wish, from over a quarter away, by half at most, and not past it. */
	void check_step(__u64 before_ns)
	{
		double step = double(tune.target_ns) / double(before_ns);
		double wish = double(tune.wish.target_ns) / double(before_ns);

		CHECK((wish > 1.25 || wish < 1 / 1.25));
		CHECK((step > 1) == (wish > 1));
		CHECK(std::abs(std::log(step)) <= std::log(1.5) + 1e-3);
		CHECK(std::abs(std::log(step)) <= std::abs(std::log(wish)) + 1e-9);
	}

	void note_wish(__u64 target_ns)
	{
		double wish = double(tune.wish.target_ns);

		moved += std::abs(std::log(wish / (last_wish ? last_wish : double(target_ns))));
		last_wish = wish;
	}

	/* @what gives the rounds of each second. */
	void run(unsigned seconds, const std::function<__u64(unsigned)> &what)
	{
		for (unsigned i = 0; i < seconds; i++)
			second(what(i));
	}

	unsigned reversals() const
	{
		unsigned n = 0;

		for (size_t i = 1; i < changes.size(); i++)
			n += (changes[i].to_ns > changes[i].from_ns) !=
			     (changes[i - 1].to_ns > changes[i - 1].from_ns);
		return n;
	}

	/* What holds of any input at all. */
	void check_calm(unsigned seconds) const
	{
		__u64 remembered = 0, last_ns = 0;

		CHECK(double(changes.size()) * std::log(1.25) <= moved + 1e-9);
		CHECK(reversals() <= RXAQM_AUTOTUNE_REVERSALS_MAX + 1 + seconds / (32 * 60));
		for (size_t i = 1; i < changes.size(); i++) {
			bool up = changes[i].to_ns > changes[i].from_ns;
			bool was_up = changes[i - 1].to_ns > changes[i - 1].from_ns;
			__u64 hours = (changes[i].at_ns - last_ns) / (3600 * SEC);

			CHECK(changes[i].at_ns - changes[i - 1].at_ns >= 60 * SEC);
			if (up == was_up)
				continue;
			if (last_ns) {
				remembered -= std::min(hours, remembered);
				CHECK(changes[i].at_ns - last_ns >= (60 * SEC) << remembered);
			}
			remembered = std::min(remembered + 1, __u64(RXAQM_AUTOTUNE_REVERSALS_MAX));
			last_ns = changes[i].at_ns;
		}
	}
};

/* About @ns, never twice the same: what is measured never is. */
inline __u64 about(__u64 ns, unsigned i)
{
	return ns + i % 7;
}

#endif /* RXAQM_TESTS_TUNED_HPP */
