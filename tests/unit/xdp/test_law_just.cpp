/* SPDX-License-Identifier: GPL-2.0-only */
/* law=auto: clients that send less than their share, beside what tries to make them pay. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "ring_sim.hpp"

using namespace ring_sim;

/* Percent that sources @from to @to - 1 have lost, by the law or a full ring. */
static double lost(const Ring &ring, size_t from, size_t to)
{
	double sent = 0, gone = 0;

	for (size_t i = from; i < to; i++) {
		sent += double(ring.sources[i].sent);
		gone += double(ring.sources[i].dropped + ring.sources[i].lost);
	}
	return 100 * gone / sent;
}

TEST_CASE("law: a flood that spoofs each TCP source twice or more has not come back", "[law]")
{
	const double load = GENERATE(1.2, 4.);
	const __u32 run = GENERATE(2, 3);
	Ring ring(4 * MS, 40 * MS);

	CAPTURE(load, run);
	/* 20 clients of 10 packets a second */
	for (int i = 0; i < 20; i++)
		ring.add(1, 10 * 20e-6, RXAQM_KIND_TCP, RXAQM_IP_NOT_ECT);
	ring.add(0, load, RXAQM_KIND_TCP, RXAQM_IP_NOT_ECT).run = run;
	ring.run(6 * SEC);
	ring.count();
	ring.run(8 * SEC);
	CHECK(lost(ring, 0, 20) < (load < 2 ? 2 : 25));
	CHECK(ring.percentile(0.99) <= 8 * MS);
}
