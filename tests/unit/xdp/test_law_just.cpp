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

TEST_CASE("law: bursts of who sends less than his share lose nothing, whatever their size", "[law]")
{
	const __u64 interval_ns = GENERATE(40 * MS, 100 * MS);
	const size_t packets = GENERATE(64, 128, 256);
	Ring ring(interval_ns / 10, interval_ns);

	CAPTURE(interval_ns, packets);
	ring.add(16, 1.5, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT);
	ring.add(0);
	ring.run(2 * SEC);
	for (int i = 0; i < 20; i++) {
		if (i == 4) /* it is known */
			ring.count();
		ring.burst(1, packets);
		ring.run(500 * MS);
	}
	CHECK(lost(ring, 1, 2) < 0.1);
	CHECK(ring.percentile(0.99) <= 2 * interval_ns / 10);
}

TEST_CASE("law: a flood loses from its first interval, known or not", "[law]")
{
	const bool known = GENERATE(false, true);
	const double load = GENERATE(1., 4.);
	Ring ring(4 * MS, 40 * MS);

	CAPTURE(known, load);
	ring.add(16, 1.1, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT);
	ring.add(known ? 0.001 : 0);
	ring.run(3 * SEC);
	ring.count();
	ring.sources[1].load = load;
	ring.sources[1].next_ns = ring.now_ns;
	ring.run(40 * MS);
	CHECK(ring.sources[1].gone() > 0.4);
	ring.run(160 * MS);
	CHECK(lost(ring, 0, 1) < 35);
	CHECK(ring.percentile(0.99) <= 20 * MS);
}

TEST_CASE("law: who sends little loses nothing beside thousands of flows that want more", "[law]")
{
	struct Case {
		__u32 flows;
		double rate, load, percent;
	};
	/* With 10,000 flows a share is five packets a second. */
	const Case c = GENERATE(Case{ 2048, 5, 3, 1 }, Case{ 4096, 5, 1.5, 1 },
				Case{ 10000, 2, 1.5, 1 });
	const __u8 kind = GENERATE(RXAQM_KIND_DATA, RXAQM_KIND_TCP);
	Ring ring(4 * MS, 40 * MS);

	CAPTURE(c.flows, c.rate, c.load, kind);
	for (int i = 0; i < 20; i++)
		ring.add(1, c.rate * 20e-6, kind, RXAQM_IP_NOT_ECT);
	ring.add(c.flows, c.load, kind, RXAQM_IP_NOT_ECT);
	ring.run(4 * SEC);
	ring.count();
	ring.run(6 * SEC);
	CHECK(lost(ring, 0, 20) < c.percent);
	CHECK(ring.percentile(0.99) <= 8 * MS);
	CHECK(ring.lost() == 0);
}

TEST_CASE("law: exempt packets are untouched up to a quarter of the CPU, and pay beyond it",
	  "[law]")
{
	const double load = GENERATE(0.2, 0.6, 0.8, 1.2, 4.);
	Ring ring(4 * MS, 40 * MS);

	CAPTURE(load);
	ring.add(16, load < 0.25 ? 1.5 : 0.5, RXAQM_KIND_TCP, RXAQM_IP_NOT_ECT);
	ring.add(1, load, RXAQM_KIND_EXEMPT, RXAQM_IP_NOT_ECT);
	/* What must pass: a few packets of a routing protocol. */
	ring.add(1, 0.001, RXAQM_KIND_EXEMPT, RXAQM_IP_NOT_ECT);
	ring.run(2 * SEC);
	ring.count();
	ring.run(4 * SEC);
	CHECK(lost(ring, 2, 3) == 0);
	if (load < 0.25) {
		CHECK(lost(ring, 1, 2) == 0);
	} else {
		CHECK(lost(ring, 0, 1) < 0.1);
		CHECK(ring.sources[1].gone() > 0.1);
	}
	CHECK(ring.percentile(0.99) <= 8 * MS);
	CHECK(ring.lost() == 0);
}
