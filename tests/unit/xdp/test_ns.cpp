/* SPDX-License-Identifier: GPL-2.0-only */
/* Times that wrap, and scaling that rounds down. */
#include <catch2/catch_test_macros.hpp>

#include "ns.h"

static const __u64 bases[] = { 0, 1, 1ULL << 32, (1ULL << 63) - 1, 1ULL << 63, ~0ULL };

TEST_CASE("ns: order survives the wrap", "[ns]")
{
	for (__u64 base : bases) {
		for (__u64 gap : { 1ULL, 1000ULL, 1ULL << 32, (1ULL << 63) - 1 }) {
			CAPTURE(base, gap);
			CHECK(rxaqm_ns_after(base + gap, base));
			CHECK_FALSE(rxaqm_ns_after(base, base + gap));
			CHECK(rxaqm_ns_reached(base + gap, base));
			CHECK_FALSE(rxaqm_ns_reached(base, base + gap));
			CHECK(rxaqm_ns_since(base + gap, base) == gap);
			CHECK(rxaqm_ns_since(base, base + gap) == 0);
		}
		CHECK_FALSE(rxaqm_ns_after(base, base));
		CHECK(rxaqm_ns_reached(base, base));
		CHECK(rxaqm_ns_since(base, base) == 0);
	}
}

TEST_CASE("ns: scaling is exact and rounds towards minus infinity", "[ns]")
{
	const __s64 values[] = {
		0, 1, -1, 999, -999, 1LL << 32, -(1LL << 32), (1LL << 40) - 1, 1 - (1LL << 40)
	};
	const __s64 factors[] = {
		0, 1, -1, RXAQM_PPM_Q32(200), -RXAQM_PPM_Q32(200), (1LL << 23) - 1, 1 - (1LL << 23)
	};

	for (__s64 value : values) {
		for (__s64 factor : factors) {
			__int128 product = (__int128)value * factor;
			__s64 expected = (__s64)(product >> 32);

			CAPTURE(value, factor);
			CHECK(rxaqm_scale_q32(value, factor) == expected);
		}
	}
}

TEST_CASE("ns: values out of range are defined", "[ns]")
{
	/* What a damaged stamp leads to; the sanitizer is the judge. */
	volatile __s64 most = INT64_MAX, least = INT64_MIN;

	CHECK(rxaqm_scale_q32(most, RXAQM_PPM_Q32(400)) < 1LL << 32);
	CHECK(rxaqm_scale_q32(least, RXAQM_PPM_Q32(-400)) < 1LL << 32);
}

TEST_CASE("ns: a ppm is a millionth", "[ns]")
{
	CHECK(RXAQM_PPM_Q32(1) * 1000000 >= 1LL << 32);
	CHECK(RXAQM_PPM_Q32(1) * 1000000 < (1LL << 32) * 10001 / 10000);
	CHECK(RXAQM_PPM_Q32(-3) == -3 * RXAQM_PPM_Q32(1));
}
