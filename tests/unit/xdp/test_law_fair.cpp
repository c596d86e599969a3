/* SPDX-License-Identifier: GPL-2.0-only */
/* law=auto: what a flow may rely on, whatever else comes. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "holds.hpp"
#include "ring_sim.hpp"

using namespace ring_sim;

/* What of an equal share each of @loads gets, by max-min fairness of @flows each, of capacity 1. */
static std::vector<double> max_min(std::vector<std::pair<double, __u32>> loads)
{
	double limit = 1e9;

	for (int i = 0; i < 60; i++) {
		double low = 0, high = limit, all = 0;

		for (int k = 0; k < 60; k++) {
			double middle = (low + high) / 2;

			all = 0;
			for (auto &[load, flows] : loads)
				all += std::min(load, middle * flows);
			(all > 1 ? high : low) = middle;
		}
		limit = high;
	}
	std::vector<double> shares;
	for (auto &[load, flows] : loads)
		shares.push_back(std::min(load, limit * flows));
	return shares;
}

TEST_CASE("law: a flow under its limit is never dropped or marked, whatever else comes", "[law]")
{
	const unsigned seed = GENERATE(range(1U, 25U));
	std::mt19937 random(seed);
	Ring ring;

	CAPTURE(seed);
	ring.cost_ns = (20 + random() % 60) * US;
	/* First those that are asked about: a fifth of an equal share of their kind's floor. */
	const __u8 kind = random() % 2 ? RXAQM_KIND_TCP : RXAQM_KIND_DATA;
	unsigned rivals = 1 + random() % 3;
	std::vector<__u32> flows;
	__u32 same = 1;

	for (unsigned i = 0; i < rivals; i++) {
		flows.push_back(1 + random() % 20);
		same += flows.back();
	}
	ring.add(1, 0.05 / same, kind, RXAQM_IP_NOT_ECT);
	ring.add(1, 0.05 / same, kind, RXAQM_IP_ECT0);
	for (unsigned i = 0; i < rivals; i++)
		ring.add(flows[i], 0.5 + random() % 30 / 10., __u8(random() % 3),
			 __u8(random() % 4));
	/* And packets of which each is of another flow. */
	ring.add(0, random() % 20 / 10., __u8(random() % 4), __u8(random() % 4));
	ring.run(1500 * MS);
	ring.count();
	ring.run(5 * SEC);
	CHECK(ring.sources[0].dropped + ring.sources[0].lost == 0);
	CHECK(ring.sources[1].dropped + ring.sources[1].lost + ring.sources[1].marked == 0);
	CHECK(ring.percentile(0.99) <= 20 * MS);
}

TEST_CASE("law: flows that respond to nothing get their max-min shares", "[law]")
{
	const unsigned seed = GENERATE(range(1U, 13U));
	std::mt19937 random(seed);
	std::vector<std::pair<double, __u32>> loads;
	Ring ring;

	CAPTURE(seed);
	ring.cost_ns = 60 * US;
	ring.drop_ns = 1;
	/* Of one kind: floors are for kinds. Some send less than their share. */
	for (unsigned i = 0, n = 2 + random() % 6; i < n; i++)
		loads.emplace_back(0.05 + random() % 100 / 50., 1);
	loads.emplace_back(2, 1);
	for (auto &[load, flows] : loads)
		ring.add(flows, load, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT);
	ring.run(2 * SEC);
	ring.count();
	__u64 begin_ns = ring.now_ns;
	ring.run(10 * SEC);
	std::vector<double> fair = max_min(loads);
	double could = double(ring.now_ns - begin_ns) / double(ring.cost_ns);
	for (size_t i = 0; i < loads.size(); i++) {
		CAPTURE(i, loads[i].first, fair[i], double(ring.sources[i].passed) / could);
		CHECK(std::abs(double(ring.sources[i].passed) / could / fair[i] - 1) < 0.1);
	}
}

TEST_CASE("law: nothing is dropped before the queue is bad", "[law]")
{
	const unsigned seed = GENERATE(range(1U, 9U));
	std::mt19937 random(seed);
	Ring ring;

	CAPTURE(seed);
	for (int i = 0; i < 3; i++)
		ring.add(1 + random() % 40, 1 + random() % 40 / 10., __u8(random() % 4),
			 __u8(random() % 4));
	/* It stands over its goal after 10 ms at the soonest, bad is an interval of arrivals. */
	ring.run(105 * MS);
	CHECK(ring.dropped() == 0);
	ring.run(2 * SEC);
	CHECK(ring.dropped() > 0);
}

TEST_CASE("law: a table full of strangers changes nothing for known flows", "[law]")
{
	Ring alone, beside;

	for (Ring *ring : { &alone, &beside }) {
		ring->cost_ns = 60 * US;
		ring->add(4, 2, RXAQM_KIND_TCP, RXAQM_IP_NOT_ECT);
		ring->add(1, 0.01, RXAQM_KIND_TCP, RXAQM_IP_NOT_ECT);
		ring->add(1, 0.01, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT);
	}
	beside.add(0, 4, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT);
	for (Ring *ring : { &alone, &beside }) {
		ring->run(2 * SEC);
		ring->count();
		ring->run(5 * SEC);
	}
	/* All flows of the four are still known. Strangers have what all six known ones may have.
	 */
	CHECK(beside.q->law.flows[RXAQM_FLOWS_TCP] >= 5);
	CHECK(beside.sources[0].passed > alone.sources[0].passed * 3 / 8);
	for (Ring *ring : { &alone, &beside }) {
		CHECK(ring->sources[1].dropped == 0);
		CHECK(ring->sources[2].dropped == 0);
	}
	CHECK(beside.percentile(0.99) <= 20 * MS);
}

TEST_CASE("law: who comes again is known in a flood of packets that come once", "[law]")
{
	for (__u32 run : { 1, 2, 20 }) {
		for (__u8 kind : { RXAQM_KIND_DATA, RXAQM_KIND_SYN }) {
			Ring ring;

			CAPTURE(run, kind);
			ring.cost_ns = 60 * US;
			ring.add(16, 2, RXAQM_KIND_TCP, RXAQM_IP_NOT_ECT);
			/* 20 clients of 10 requests a second, one of 200 */
			ring.add(20, 0.012, kind, RXAQM_IP_NOT_ECT);
			ring.add(1, 0.012, kind, RXAQM_IP_NOT_ECT);
			ring.add(0, 4, kind, RXAQM_IP_NOT_ECT).run = run;
			ring.run(6 * SEC);
			ring.count();
			ring.run(6 * SEC);
			CHECK(ring.sources[1].gone() < 0.12);
			CHECK(ring.sources[2].gone() < 0.02);
			/* A quarter is that of TCP. */
			CHECK(ring.sources[0].passed > 6 * SEC / ring.cost_ns / 5);
			CHECK(ring.percentile(0.99) <= 20 * MS);
		}
	}
}

TEST_CASE("law: a flood that stalls and comes back has not saved up what it did not send", "[law]")
{
	Ring ring;
	__u64 worst_ns = 0;

	ring.cost_ns = 60 * US;
	ring.add(64, 4, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT);
	ring.run(2 * SEC);
	for (int i = 0; i < 20; i++) {
		/* The ring drains, and stays empty for a while that is no interval. */
		ring.sources[0].next_ns = ring.now_ns + 60 * MS;
		ring.run(60 * MS);
		ring.count();
		ring.run(300 * MS);
		worst_ns = std::max(worst_ns, ring.percentile(0.99));
	}
	CHECK(worst_ns <= 30 * MS);
	CHECK(ring.lost() == 0);
}

TEST_CASE("law: after a flood the queue comes back to its target", "[law]")
{
	Ring ring;

	ring.cost_ns = 60 * US;
	ring.add(1, 4, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT);
	ring.run(3 * SEC);
	ring.sources[0].load = 1.3;
	ring.run(1 * SEC);
	ring.count();
	ring.run(1 * SEC);
	CHECK(ring.percentile(0.5) >= 8 * MS);
	CHECK(ring.percentile(0.5) <= 12 * MS);
}
