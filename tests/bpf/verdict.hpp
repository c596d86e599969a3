/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of verdicts share. */
#ifndef RXAQM_TESTS_VERDICT_HPP
#define RXAQM_TESTS_VERDICT_HPP

#include <catch2/catch_test_macros.hpp>

#include "plane.hpp"

constexpr uint8_t NECT = 0, ECT1 = 1, ECT0 = 2, CE = 3;

/* The first packet of a poll takes the policy over, which resets the law: so one goes ahead. */
inline void take_policy(Plane &plane, const rxaqm_policy &policy)
{
	plane.set_policy(policy);
	plane.queue().taken = 0;
	plane.stand(100 * US);
	REQUIRE(plane.run(data_packet()).verdict == XDP_PASS);
}

inline packets::Bytes marked(const packets::Packet &p)
{
	packets::Packet ce = p;

	ce.tos |= CE;
	return packets::build(ce);
}

#endif
