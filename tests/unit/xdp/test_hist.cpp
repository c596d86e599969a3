/* SPDX-License-Identifier: GPL-2.0-only */
/* Buckets cover every value once, in order, none wider than a quarter. */
#include <catch2/catch_test_macros.hpp>

#include <random>

#include "holds.hpp"
#include "hist.h"

TEST_CASE("hist: log2 of all sizes", "[hist]")
{
	for (__u32 bit = 0; bit < 64; bit++) {
		CAPTURE(bit);
		CHECK(rxaqm_log2(1ULL << bit) == bit);
		CHECK(rxaqm_log2((1ULL << bit) | ((1ULL << bit) - 1)) == bit);
	}
}

TEST_CASE("hist: floors rise and belong to their bucket", "[hist]")
{
	for (__u32 bucket = 0; bucket < RXAQM_HIST_BUCKETS; bucket++) {
		__u64 floor_ns = rxaqm_hist_floor_ns(bucket);
		__u64 next_ns = rxaqm_hist_floor_ns(bucket + 1);

		CAPTURE(bucket);
		CHECK(floor_ns < next_ns);
		CHECK(rxaqm_hist_bucket(floor_ns) == bucket);
		CHECK(rxaqm_hist_bucket(next_ns - 1) == bucket);
		if (bucket && bucket + 1 < RXAQM_HIST_BUCKETS)
			CHECK((next_ns - floor_ns) * 4 <= floor_ns);
	}
}

TEST_CASE("hist: the ends", "[hist]")
{
	CHECK(rxaqm_hist_bucket(0) == 0);
	CHECK(rxaqm_hist_bucket(1023) == 0);
	CHECK(rxaqm_hist_bucket(1024) == 1);
	CHECK(rxaqm_hist_bucket((1ULL << 32) - 1) == RXAQM_HIST_BUCKETS - 2);
	CHECK(rxaqm_hist_bucket(1ULL << 32) == RXAQM_HIST_BUCKETS - 1);
	CHECK(rxaqm_hist_bucket(~0ULL) == RXAQM_HIST_BUCKETS - 1);
	CHECK(rxaqm_hist_floor_ns(RXAQM_HIST_BUCKETS + 5) == 1ULL << 33);
}

TEST_CASE("hist: any value is in range of its bucket", "[hist]")
{
	std::mt19937_64 random(1);

	for (int i = 0; i < 100000; i++) {
		__u64 ns = random() >> (random() % 64);
		__u32 bucket = rxaqm_hist_bucket(ns);

		HOLDS(bucket < RXAQM_HIST_BUCKETS);
		HOLDS(ns >= rxaqm_hist_floor_ns(bucket));
		if (bucket + 1 < RXAQM_HIST_BUCKETS)
			HOLDS(ns < rxaqm_hist_floor_ns(bucket + 1));
	}
}
