/* SPDX-License-Identifier: GPL-2.0-only */
/* law=auto: what it makes of rings that are too full for their CPU, in simulated time. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "ring_sim.hpp"

using namespace ring_sim;

TEST_CASE("law: floods are held at the target, and the CPU stays busy", "[law]")
{
	const double load = GENERATE(1.2, 2., 4., 10.);
	const __u8 ecn = GENERATE(RXAQM_IP_NOT_ECT, RXAQM_IP_ECT0, RXAQM_IP_ECT1);
	const __u64 cost_us = GENERATE(20, 60);
	Ring ring;

	CAPTURE(load, ecn, cost_us);
	ring.cost_ns = cost_us * US;
	ring.add(load, RXAQM_KIND_DATA, ecn);
	ring.run(12 * 100 * MS);
	ring.count();
	__u64 begin_ns = ring.now_ns;

	ring.run(3 * SEC);
	CHECK(ring.percentile(0.5) <= 12 * MS);
	CHECK(ring.percentile(0.99) <= 20 * MS);
	CHECK(ring.lost() == 0);
	/* Drops take time of the same CPU: ten for a packet that passes at ten times. */
	double busy_ns = double(ring.passed()) * double(ring.cost_ns) +
			 double(ring.dropped()) * double(ring.drop_ns);

	CHECK(busy_ns > 0.97 * double(ring.now_ns - begin_ns));
	CHECK(ring.q->stat[RXAQM_STAT_SHED_FUTILE] == 0);
}

TEST_CASE("law: ACKs that a newer one repeats go first", "[law]")
{
	Ring ring;

	ring.add(3, RXAQM_KIND_ACK);
	ring.add(0.02);
	ring.add(0.02, RXAQM_KIND_DATA, RXAQM_IP_ECT0);
	ring.add(0.004, RXAQM_KIND_SYN);
	ring.run(1200 * MS);
	ring.count();
	ring.run(5 * SEC);
	CHECK(ring.percentile(0.99) <= 20 * MS);
	CHECK(ring.lost() == 0);
	CHECK(ring.sources[0].gone() > 0.6);
	CHECK(ring.sources[1].gone() < 0.02);
	CHECK(ring.sources[2].dropped == 0);
	CHECK(ring.sources[3].dropped == 0);
}

TEST_CASE("law: max_drop bounds redundant ACKs, too", "[law]")
{
	const unsigned permille = GENERATE(0, 50, 300);
	const double load = GENERATE(1.5, 4.);
	Ring ring;

	CAPTURE(permille, load);
	ring.q->policy.max_drop_permille = __u16(permille);
	ring.add(load, RXAQM_KIND_ACK);
	ring.run(1 * SEC);
	ring.count();
	ring.run(3 * SEC);
	CHECK(ring.sources[0].gone() <= permille / 1000. * 1.03);
	CHECK(ring.sources[0].gone() >= permille / 1000. / 2);
}

TEST_CASE("law: flows that come at even gaps, once an interval and less, are held, too", "[law]")
{
	struct Case {
		__u32 flows;
		__u64 target_us, interval_us, cost_us;
	};
	const Case c = GENERATE(Case{ 200, 500, 1000, 20 }, Case{ 1000, 1000, 10000, 20 },
				Case{ 700, 10000, 100000, 200 });
	const __u8 kind = GENERATE(RXAQM_KIND_DATA, RXAQM_KIND_TCP);
	const double load = GENERATE(1.2, 2., 4.);
	Ring ring(c.target_us * US, c.interval_us * US);

	CAPTURE(c.flows, c.interval_us, kind, load);
	ring.cost_ns = c.cost_us * US;
	ring.add(c.flows, load, kind, RXAQM_IP_NOT_ECT);
	ring.run(3 * SEC);
	ring.count();
	ring.run(3 * SEC);
	CHECK(ring.percentile(0.99) <= 2 * c.target_us * US);
	CHECK(ring.lost() == 0);
}

TEST_CASE("law: a target that wanders takes nothing from what is known of flows", "[law]")
{
	const unsigned polls = GENERATE(1, 8, 50); /* between two changes */
	Ring ring(500 * US);
	bool high = false;

	CAPTURE(polls);
	ring.cost_ns = 60 * US;
	ring.q->policy.target_auto = 1;
	ring.q->target_quarters = 8;
	/* The interval is four targets, and goes by 2^27 ns again and again. */
	ring.q->round_ns = 8300 * US;
	ring.begin();
	ring.add(200, 4, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT);
	ring.add(50, 0.1, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT);
	for (int part = 0; part < 2; part++) {
		ring.count();
		for (__u64 end_ns = ring.now_ns + 4 * SEC; ring.now_ns < end_ns; high = !high) {
			ring.q->round_ns = high ? 8450 * US : 8300 * US;
			for (unsigned i = 0; i < polls; i++)
				ring.poll();
		}
	}
	CHECK(ring.percentile(0.99) <= 40 * MS);
	CHECK(ring.lost() == 0);
	CHECK(ring.sources[1].dropped == 0);
}

TEST_CASE("law: who is not to blame pays no more than his part", "[law]")
{
	const bool codel = GENERATE(false, true);
	const int what = GENERATE(0, 1, 2);
	Ring ring;

	if (codel)
		ring.q->policy.law = RXAQM_LAW_CODEL;
	ring.begin();
	ring.acks_redundant = false;
	/* What holds the queue: nothing of it can be dropped, or does not respond. */
	if (what == 0)
		ring.add(1.1, RXAQM_KIND_EXEMPT);
	else if (what == 1)
		ring.add(1.1, RXAQM_KIND_DATA, RXAQM_IP_ECT0);
	else
		ring.add(1.1, RXAQM_KIND_ACK);
	ring.add(0.022);
	ring.add(0.005, RXAQM_KIND_SYN);
	ring.run(1 * SEC);
	ring.count();
	ring.run(30 * SEC);
	CAPTURE(codel, what);
	/* 2 % of the packets lose 8 % at most, 0.5 % that are SYNs too; CoDel alone took all. */
	CHECK(ring.sources[1].gone() < 0.09);
	CHECK(ring.sources[2].gone() < 0.006);
}

TEST_CASE("law: the mix of the original experiment loses no data", "[law]")
{
	/* 55,081 pure ACKs, 7,261 ECT and 1,430 Not-ECT packets a second, all at 20 ms. */
	const bool codel = GENERATE(false, true);
	std::mt19937 random(1);
	Ring ring(10 * MS, 100 * MS);
	__u64 not_ect = 0, dropped = 0;

	if (codel)
		ring.q->policy.law = RXAQM_LAW_CODEL;
	ring.begin();
	for (int i = 0; i < 60 * 63772; i++) {
		unsigned draw = random() % 63772;
		__u8 kind = draw < 55081 ? RXAQM_KIND_ACK : RXAQM_KIND_DATA;
		__u8 ecn = draw >= 55081 && draw < 62342 ? RXAQM_IP_ECT0 : RXAQM_IP_NOT_ECT;

		ring.now_ns += 15681;
		__u32 judged = rxaqm_decide_sojourn(ring.q.get(), 20 * MS, false, 4096,
						    ring.now_ns);

		if (!judged)
			continue;
		if (rxaqm_decide_ask(ring.q.get(), judged, kind, ecn, ring.now_ns) ==
		    RXAQM_ASK_NOTHING)
			continue;
		__u32 id = 1 + random() % 100;
		int v = codel ? rxaqm_decide_codel(ring.q.get(), judged, kind, ecn, ring.now_ns) :
				rxaqm_decide_flow(ring.q.get(), &ring.table[rxaqm_flow_set_of(id)],
						  id, kind, ecn, RXAQM_PSH_NONE, ring.now_ns);
		if (kind == RXAQM_KIND_DATA && ecn == RXAQM_IP_NOT_ECT) {
			not_ect++;
			dropped += v == RXAQM_DROP;
		}
	}
	CAPTURE(codel, dropped, not_ect);
	CHECK(double(dropped) < 0.1 * double(not_ect));
}

TEST_CASE("law: beside a flood TCP without ECN loses no more than its part", "[law]")
{
	const __u8 ecn = GENERATE(RXAQM_IP_NOT_ECT, RXAQM_IP_ECT0);
	Ring ring;

	/* What a sender with ECN sends again is Not-ECT. */
	ring.add(4, RXAQM_KIND_DATA, ecn);
	ring.add(0.04, RXAQM_KIND_TCP);
	ring.run(1200 * MS);
	ring.count();
	ring.run(10 * SEC);
	CHECK(ring.percentile(0.99) <= 20 * MS);
	CHECK(ring.sources[0].gone() > 0.7);
	CHECK(ring.sources[1].gone() < 0.05);
}

TEST_CASE("law: SYNs go last, unless they are the flood", "[law]")
{
	Ring ring;

	ring.add(3);
	ring.add(0.01, RXAQM_KIND_SYN);
	ring.run(1200 * MS);
	ring.count();
	ring.run(10 * SEC);
	CHECK(ring.sources[0].gone() > 0.6);
	CHECK(ring.sources[1].gone() < 0.011);

	Ring flood;

	flood.add(2, RXAQM_KIND_SYN);
	flood.run(1200 * MS);
	flood.count();
	flood.run(2 * SEC);
	CHECK(flood.percentile(0.99) <= 20 * MS);
	CHECK(flood.lost() == 0);
}

TEST_CASE("law: a queue that stands while the CPU is away is held, too", "[law]")
{
	/* Windows are of 12.5 ms. After each slice of the CPU others have it for longer. */
	const __u64 away_ms = GENERATE(10, 20, 30, 60);
	const double load = GENERATE(1.2, 2.);
	const __u64 slice_ns = 20 * MS, round_ns = slice_ns + away_ms * MS;
	const __u64 target_ns = 20 * MS;
	Ring ring(target_ns);

	CAPTURE(away_ms, load);
	ring.slice_ns = slice_ns;
	ring.away_ns = away_ms * MS;
	ring.add(load * double(slice_ns) / double(round_ns));
	ring.run(10 * SEC);
	ring.count();
	ring.run(10 * SEC);
	CHECK(ring.percentile(0.5) <= target_ns + round_ns);
	CHECK(ring.percentile(0.99) <= 2 * (target_ns + round_ns));
	CHECK(ring.lost() == 0);
	CHECK(ring.q->stat[RXAQM_STAT_SHED_FUTILE] == 0);
}

TEST_CASE("law: what drops cannot hold is not cut off", "[law]")
{
	/* Of each round other queues take 10 ms, however short a poll of this one becomes: it gets
	 * 64 packets a round, and drops make no room for more.
	 */
	const double load = GENERATE(1.2, 2., 4.);
	const __u8 ecn = GENERATE(RXAQM_IP_NOT_ECT, RXAQM_IP_ECT0);
	const __u64 round_ns = 64 * 20 * US + 10 * MS;
	Ring ring(2 * round_ns, 8 * round_ns);

	CAPTURE(load, ecn);
	ring.away_ns = 10 * MS;
	ring.add(load * 64 * 20 * US / double(round_ns), RXAQM_KIND_DATA, ecn);
	ring.add(0.01 * 64 * 20 * US / double(round_ns), RXAQM_KIND_TCP);
	ring.run(10 * SEC);
	ring.count();
	ring.run(20 * SEC);
	CHECK(double(ring.passed()) > 0.5 * 20 * double(SEC) / double(round_ns) * 64);
	CHECK(ring.sources[1].gone() < 0.05);
	CHECK(ring.q->stat[RXAQM_STAT_SHED_FUTILE] > 5);
}

TEST_CASE("law: a burst is no queue, however long it takes to serve", "[law]")
{
	for (__u64 interval_ms : { 10, 100 }) {
		Ring ring(interval_ms * MS / 10, interval_ms * MS);

		ring.cost_ns = 60 * US;
		ring.add(0);
		for (int i = 0; i < 5; i++) {
			ring.burst(0, 4000);
			ring.run(1 * SEC);
		}
		CHECK(ring.percentile(0.9) > 100 * MS);
		CHECK(ring.sources[0].dropped == 0);
	}
}

TEST_CASE("law: a pause of the CPU costs nothing", "[law]")
{
	Ring ring;

	ring.add(0.5);
	for (int i = 0; i < 20; i++) {
		ring.run(500 * MS);
		ring.now_ns += i % 2 ? 10 * MS : 60 * MS;
	}
	CHECK(ring.sources[0].dropped == 0);
	CHECK(ring.lost() == 0);
}

TEST_CASE("law: the goal is what the ring has room for", "[law]")
{
	Ring ring;

	ring.cost_ns = 5 * US;
	ring.entries = 1024; /* 5 ms at that cost, and the target is 10 */
	ring.begin();
	ring.add(2);
	ring.run(3 * SEC);
	ring.count();
	ring.run(2 * SEC);
	CHECK(ring.q->law.goal_ns < 3 * MS);
	CHECK(ring.percentile(0.99) < 4 * MS);
	CHECK(ring.lost() == 0);
}

TEST_CASE("law: what a flood left is no debt of who comes after it", "[law]")
{
	Ring ring;

	ring.add(4);
	ring.add(0);
	ring.run(3 * SEC);
	ring.sources[0].load = 0;
	ring.sources[1].load = 0.9;
	ring.sources[1].next_ns = ring.now_ns;
	ring.run(200 * MS);
	ring.count();
	ring.run(2 * SEC);
	CHECK(ring.sources[1].dropped == 0);
}
