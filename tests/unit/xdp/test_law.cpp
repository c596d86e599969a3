/* SPDX-License-Identifier: GPL-2.0-only */
/* law=auto: its arithmetic, its table of flows, and what holds of any traffic. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "holds.hpp"
#include "ring_sim.hpp"

using namespace ring_sim;

static const double ONE = RXAQM_LAW_ONE;

TEST_CASE("law: 2^-x", "[law]")
{
	__u32 before = RXAQM_LAW_ONE;

	for (__u32 whole = 0; whole < 16; whole++)
		CHECK(rxaqm_law_exp2(whole * RXAQM_LAW_OCTAVE) == RXAQM_LAW_ONE >> whole);
	for (__u32 x = 0; x < RXAQM_LAW_ONE; x += 1234567) {
		__u32 share = rxaqm_law_exp2(x);
		double exact = std::exp2(-16 * double(x) / ONE);

		REQUIRE(share <= before);
		REQUIRE(std::abs(share / ONE / exact - 1) < 0.065);
		before = share;
	}
}

TEST_CASE("law: log2, and half-lives of a quarter to a half of the interval", "[law]")
{
	CHECK(rxaqm_law_log2(0) == 0);
	for (__u32 bits = 0; bits < 32; bits++) {
		CHECK(rxaqm_law_log2(1U << bits) == int(bits));
		CHECK(rxaqm_law_log2((2ULL << bits) - 1) == int(bits));
	}
	for (__u64 interval_ns = 2 * MS; interval_ns <= RXAQM_INTERVAL_MAX_NS;
	     interval_ns += 7 * MS) {
		__u64 half_life_ns = 65536ULL << rxaqm_law_stamp_bits(interval_ns);

		REQUIRE(half_life_ns > interval_ns / 4);
		REQUIRE(half_life_ns <= interval_ns / 2);
	}
	/* One that is in use is kept for a quarter more on both sides. */
	for (__u64 interval_ns = 2 * MS; interval_ns <= RXAQM_INTERVAL_MAX_NS;
	     interval_ns += 7 * MS)
		for (__u8 bits = 0; bits < 32; bits++) {
			__u8 kept = rxaqm_law_stamp_bits_near(bits, interval_ns);
			double share = double(interval_ns) / double(65536ULL << bits);

			CAPTURE(interval_ns, bits);
			if (share > 1.61 && share < 5.33)
				REQUIRE(kept == bits);
			else if (share < 1.59 || share > 5.34)
				REQUIRE(kept == rxaqm_law_stamp_bits(interval_ns));
		}
}

TEST_CASE("law: a level is halved each half-life, and bounded", "[law]")
{
	rxaqm_level level = { 1U << 30, 12345 };

	for (__u32 age = 0; age < 40U << 16; age += 777) {
		double exact = double(1U << 30) * std::exp2(-double(age) / 65536);
		__u32 now = rxaqm_level_at(&level, 12345 + age);

		REQUIRE(std::abs(now - exact) <= 0.004 * exact + 1);
	}
	CHECK(rxaqm_level_at(&level, 12345 + (32U << 16)) == 0);
	/* Packets at a rate of 1 in 655 stamps: 100 in a half-life come to 144. */
	level = {};
	for (__u32 stamp = 0; stamp < 40U << 16; stamp += 655)
		rxaqm_level_count(&level, stamp);
	CHECK(std::abs(level.level / double(RXAQM_PACKET) - 144.8) < 5);
}

TEST_CASE("law: the slow level of a flow is its mean over many half-lives", "[law]")
{
	const double rate = GENERATE(0.02, 0.1, 1., 30.); /* packets in a half-life */
	const __u32 burst = GENERATE(1, 64); /* packets that come at once */
	rxaqm_flow flow = {};
	double least = 1e9, most = 0, mean = rate * 1.4427;
	__u32 stamp = 0, gap = __u32(65536 * burst / rate), n = 0;

	CAPTURE(rate, burst);
	while (stamp < 800U << 16) {
		stamp += gap;
		for (__u32 i = 0; i < burst; i++, n++) {
			__u32 away = rxaqm_flow_epochs(&flow, stamp);
			double slow = rxaqm_flow_count_slow(&flow, away) / double(RXAQM_PACKET);

			rxaqm_level_count(&flow.rate, stamp);
			if (stamp < 200U << 16 || gap > 16U << 16)
				continue;
			least = std::min(least, slow);
			most = std::max(most, slow);
		}
	}
	if (gap > 16U << 16)
		return;
	CHECK(least > mean * 0.8 - burst / 16.);
	CHECK(most < mean * 1.2 + burst / 16.);
	/* It is full where it cannot say more. */
	for (n = 0; n < 5000; n++)
		rxaqm_flow_count_slow(&flow, 0);
	CHECK(flow.slow == RXAQM_SLOW_MAX);
	rxaqm_flow_count_slow(&flow, 1);
	CHECK(flow.slow > RXAQM_SLOW_MOST);
	rxaqm_flow_count_slow(&flow, 1U << 14);
	CHECK(flow.slow == RXAQM_PACKET >> RXAQM_SLOW_BITS);
}

TEST_CASE("law: who goes on is known, and packets that come once push nobody out", "[law]")
{
	rxaqm_flow_set set = {};
	__u32 stamp = 1;

	for (__u32 id = 1; id <= RXAQM_FLOW_WAYS; id++) {
		CHECK_FALSE(rxaqm_flow_find(&set, id));
		rxaqm_flow_note(&set, id, 0, 0, stamp, false);
		REQUIRE(rxaqm_flow_find(&set, id));
		for (int i = 0; i < 3; i++)
			rxaqm_level_count(&rxaqm_flow_find(&set, id)->rate, stamp);
	}
	/* A hundred strangers a packet of each: the four stay, for they send more. */
	for (__u32 i = 0; i < 100; i++) {
		rxaqm_flow_note(&set, 1000 + i, 0, 0, ++stamp, false);
		for (__u32 id = 1; id <= RXAQM_FLOW_WAYS; id++) {
			REQUIRE(rxaqm_flow_find(&set, id));
			rxaqm_level_count(&rxaqm_flow_find(&set, id)->rate, stamp);
		}
	}
	/* One who goes on gets in where they stop. */
	for (int i = 0; i < 100 && !rxaqm_flow_find(&set, 9); i++)
		rxaqm_flow_note(&set, 9, RXAQM_FLOW_TCP, 0, stamp += 6554, false);
	REQUIRE(rxaqm_flow_find(&set, 9));
	CHECK(rxaqm_flow_find(&set, 9)->flags == RXAQM_FLOW_TCP);
}

TEST_CASE("law: in a crowd of strangers who came back is kept", "[law]")
{
	rxaqm_flow_set set = {};
	__u32 stamp = 1, id = 100;

	set.flow[2] = { 9, { RXAQM_PACKET, stamp }, 0, 0, RXAQM_FLOW_BACK };
	for (int i = 0; i < 8000; i++) {
		stamp += 32;
		rxaqm_flow_note(&set, ++id, 0, 0, stamp, true);
		REQUIRE(rxaqm_flow_find(&set, id));
		REQUIRE(rxaqm_flow_find(&set, 9));
	}
	/* Later he is forgotten, or where there is no crowd. */
	rxaqm_flow_set other = set;
	rxaqm_flow_note(&other, ++id, 0, 0, stamp, false);
	CHECK_FALSE(rxaqm_flow_find(&other, 9));
	set.flow[2].rate.stamp = stamp - (RXAQM_FLOW_KEPT << RXAQM_FLOW_EPOCH_BITS);
	rxaqm_flow_note(&set, id, 0, 0, stamp, true);
	CHECK_FALSE(rxaqm_flow_find(&set, 9));
}

TEST_CASE("law: the limit stays in its bounds, and holds nobody where nothing stands", "[law]")
{
	std::mt19937 random(7);
	rxaqm_law_params params = { 10 * MS, 100 * MS, 4096, 0 };

	for (int round = 0; round < 200; round++) {
		rxaqm_law_vars vars = {};
		__u64 now_ns = 1 + random();

		params.interval_ns = RXAQM_INTERVAL_MIN_NS << random() % 15;
		params.target_ns = std::max<__u64>(params.interval_ns >> random() % 8, 1000);
		vars.goal_ns = params.target_ns;
		for (int i = 0; i < 2000; i++) {
			rxaqm_law_average(&vars, random() % (20 * SEC >> random() % 30 | 1));
			now_ns += params.interval_ns >> (random() % 3 + 1);
			for (unsigned n = random() % 50; n; n--)
				rxaqm_level_count(&vars.passed, rxaqm_law_stamp(&vars, now_ns));
			vars.top = random() % (vars.passed.level + 1);
			rxaqm_law_turn(&vars, &params, now_ns);
			HOLDS(vars.x < RXAQM_LAW_ONE);
			HOLDS(!vars.x || vars.limit <= 2ULL * vars.most);
			HOLDS(vars.floor[0] <= vars.most / 4);
			HOLDS(vars.strangers >= vars.most / 16);
		}
		now_ns += params.interval_ns;
		vars.smooth_ns = 0;
		vars.above_ns = 0;
		rxaqm_law_turn(&vars, &params, now_ns);
		CHECK(vars.x == 0);
		CHECK(vars.bad == 0);
		CHECK(vars.thin == 0);
	}
}

TEST_CASE("law: the same arrivals are judged the same", "[law]")
{
	Ring a, b;

	for (Ring *ring : { &a, &b }) {
		ring->add(2);
		ring->add(0.5, RXAQM_KIND_DATA, RXAQM_IP_ECT0);
		ring->run(5 * SEC);
	}
	CHECK(a.sources[0].dropped == b.sources[0].dropped);
	CHECK(a.sources[1].marked == b.sources[1].marked);
	CHECK(a.q->law.random == b.q->law.random);
}

TEST_CASE("law: observing ends and begins anew with the lease", "[law]")
{
	Ring ring;

	ring.q->policy.mode = RXAQM_MODE_OBSERVE;
	ring.add(3);
	ring.run(3 * SEC);
	CHECK(ring.q->law.x > 2 * RXAQM_LAW_OCTAVE); /* nobody reacts to what is not done */
	const __u32 most = ring.q->law.most, x = ring.q->law.x;
	CHECK(ring.q->stat[RXAQM_STAT_DROP] == 0);
	CHECK(ring.q->stat[RXAQM_STAT_WOULD_DROP] > 1000);
	ring.q->policy.mode = RXAQM_MODE_ENFORCE;
	ring.count();
	ring.run(100 * MS);
	CHECK(ring.sources[0].dropped == 0); /* an interval of arrivals comes first */
	CHECK(ring.q->law.x < x / 2);
	CHECK(ring.q->law.most > most / 2); /* all that was observed has passed */
	ring.run(1200 * MS);
	ring.count();
	ring.run(1 * SEC);
	CHECK(ring.percentile(0.99) <= 20 * MS);
}

TEST_CASE("law: target=auto is the floor that is measured, by the rule of the NIC", "[law]")
{
	Ring ring(500 * US, 10 * MS);

	ring.q->policy.target_auto = 1;
	ring.begin();
	CHECK(ring.q->target_ns == 500 * US); /* nothing was measured yet */
	ring.q->round_ns = 2 * MS;
	ring.q->packet_ns = 20 * US;
	for (unsigned quarters : { 4, 5, 8, 12 }) {
		ring.q->target_quarters = quarters;
		rxaqm_target_update(ring.q.get(), 4096);
		CHECK(ring.q->target_ns == 4 * MS * quarters / 4);
		CHECK(ring.q->interval_ns >= 4 * ring.q->target_ns);
	}
	/* Not more than the ring holds, nor less than the floor or the operator's least. */
	rxaqm_target_update(ring.q.get(), 1024);
	CHECK(ring.q->target_ns == 5120 * US);
	rxaqm_target_update(ring.q.get(), 256);
	CHECK(ring.q->target_ns == 4 * MS);
	ring.q->policy.target_ns = 20 * MS;
	rxaqm_target_update(ring.q.get(), 256);
	CHECK(ring.q->target_ns == 20 * MS);
	ring.q->policy.target_auto = 0;
	ring.q->policy.target_ns = 1 * MS;
	rxaqm_target_update(ring.q.get(), 4096);
	CHECK(ring.q->target_ns == 1 * MS);
	CHECK(ring.q->interval_ns == 16 * MS); /* eight rounds */
}

TEST_CASE("law: target=auto has room for eight packets of each TCP flow that is over its share",
	  "[law]")
{
	Ring ring(500 * US, 10 * MS);

	ring.q->policy.target_auto = 1;
	ring.begin();
	ring.q->round_ns = 2 * MS;
	ring.q->packet_ns = 20 * US;
	ring.q->target_quarters = 4;
	ring.q->law.over[RXAQM_FLOWS_OTHER] = 1000;
	rxaqm_target_update(ring.q.get(), 4096);
	CHECK(ring.q->target_ns == 4 * MS);
	ring.q->law.over[RXAQM_FLOWS_TCP] = 25;
	rxaqm_target_update(ring.q.get(), 4096);
	CHECK(ring.q->target_ns == 4 * MS);
	ring.q->law.over[RXAQM_FLOWS_TCP] = 50;
	rxaqm_target_update(ring.q.get(), 4096);
	CHECK(ring.q->target_ns == 8 * MS);
	/* At most four times what it would be, and what the ring has room for. */
	ring.q->law.over[RXAQM_FLOWS_TCP] = 1000;
	rxaqm_target_update(ring.q.get(), 4096);
	CHECK(ring.q->target_ns == 16 * MS);
	CHECK(ring.q->interval_ns >= 4 * ring.q->target_ns);
	rxaqm_target_update(ring.q.get(), 1024);
	CHECK(ring.q->target_ns == 5120 * US);
	/* law=codel does not know flows; what is said is held as it is. */
	ring.q->policy.law = RXAQM_LAW_CODEL;
	rxaqm_target_update(ring.q.get(), 4096);
	CHECK(ring.q->target_ns == 4 * MS);
	ring.q->policy.law = RXAQM_LAW_AUTO;
	ring.q->policy.target_auto = 0;
	rxaqm_target_update(ring.q.get(), 4096);
	CHECK(ring.q->target_ns == 500 * US);
}

/* Its drops made room for nothing: nothing is shed for eight intervals, and one more. */
TEST_CASE("law: shedding that is of no use rests for eight intervals", "[law]")
{
	const __u64 now_ns = 100 * SEC, interval_ns = 80 * MS;
	const rxaqm_law_params params = { 5 * MS, interval_ns, 4096, 1000 };
	rxaqm_law_vars vars = {};

	vars.bad = 1;
	vars.above_ns = 1;
	vars.turn_ns = now_ns - 10 * MS;
	vars.shed_ns = now_ns - interval_ns;
	vars.shed_packets = vars.pace = 1000;
	CHECK(rxaqm_law_futile(&vars, &params, now_ns) == 1);
	CHECK(vars.bad == 0);
	CHECK(vars.above_ns == now_ns + 8 * interval_ns);
}
