/* SPDX-License-Identifier: GPL-2.0-only */
/* law=auto: its arithmetic, and what its words mean. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "holds.hpp"
#include "ring_sim.hpp"

using namespace ring_sim;

static const double ONE = RXAQM_LAW_ONE;

/* A law at @p that has seen as much of each class, but of @most as much as of all others, so that
 * it is not capped.
 */
static rxaqm_law_vars at(__u32 p, int most = RXAQM_CLASS_OTHER)
{
	rxaqm_law_vars vars = {};

	vars.p = p;
	for (int c = 0; c < RXAQM_NR_DROPPABLE; c++)
		vars.seen[c] = c == most ? 4000 * (RXAQM_NR_DROPPABLE - 1) : 4000;
	rxaqm_law_map(&vars, RXAQM_LAW_ONE);
	return vars;
}

TEST_CASE("law: 1 - 2^-x", "[law]")
{
	__u32 before = 0;

	CHECK(rxaqm_law_one_less_exp2(0) == 0);
	for (int whole = 1; whole < 30; whole++)
		CHECK(rxaqm_law_one_less_exp2(__u64(whole) << 30) ==
		      RXAQM_LAW_ONE - (RXAQM_LAW_ONE >> whole));
	CHECK(rxaqm_law_one_less_exp2(30ULL << 30) == RXAQM_LAW_ONE);
	CHECK(rxaqm_law_one_less_exp2(~0ULL >> 2) == RXAQM_LAW_ONE);
	for (__u64 x = 0; x < 31ULL << 30; x += 12345678) {
		__u32 share = rxaqm_law_one_less_exp2(x);
		double exact = 1 - std::exp2(-double(x) / ONE);

		REQUIRE(share >= before);
		REQUIRE(std::abs(share / ONE - exact) < 0.045);
		before = share;
	}
}

TEST_CASE("law: what p means to each class", "[law]")
{
	const int not_ect = GENERATE(RXAQM_CLASS_TCP, RXAQM_CLASS_OTHER);

	for (double p = 0; p <= 1; p += 1. / 64) {
		rxaqm_law_vars vars = at(__u32(p * ONE), not_ect);
		double drop = vars.drop[not_ect] / ONE;
		double mark = vars.mark / ONE, shed = vars.drop[RXAQM_CLASS_ECT] / ONE;

		CAPTURE(not_ect, p);
		CHECK(std::abs(rxaqm_law_square(vars.p) / ONE - p * p) < 1e-6);
		CHECK(std::abs(mark - std::min(1., p + 2 * p * p)) < 1e-6);
		CHECK(drop >= p * p - 1e-6);
		CHECK(std::abs(vars.thin / ONE - (1 - std::exp2(-24 * p))) < 0.045);
		/* Who can be marked is dropped only where all are marked already. */
		CHECK((shed > 0) == (p > 0.5));
		CHECK((p <= 0.5 || mark == 1));
		/* An eighth is SYNs, and goes once at most; of ECT four times that. */
		CHECK(std::abs(vars.drop[RXAQM_CLASS_SYN] / ONE - std::min(shed, 0.125)) < 1e-6);
	}
	CHECK(at(RXAQM_LAW_ONE, not_ect).drop[not_ect] > 0.99 * ONE);
}

TEST_CASE(
	"law: no class is dropped more than four times its part in the queue, SYNs not more than it",
	"[law]")
{
	std::mt19937 random(3);

	for (int i = 0; i < 10000; i++) {
		rxaqm_law_vars vars = {};
		double all = 0;

		vars.p = random() % (RXAQM_LAW_ONE + 1);
		for (auto &seen : vars.seen)
			all += seen = random() % 4 ? random() >> (random() % 32) : 0;
		rxaqm_law_map(&vars, RXAQM_LAW_ONE);
		for (int c = 0; c < RXAQM_NR_DROPPABLE; c++) {
			double share = all ? vars.seen[c] / all : 1;
			double times = c == RXAQM_CLASS_SYN ? 1 : 4;

			HOLDS(vars.drop[c] / ONE <= times * share + 1e-6);
			HOLDS(share < 1 / times || vars.p < RXAQM_LAW_ONE ||
			      vars.drop[c] > 0.99 * ONE);
		}
	}
}

TEST_CASE("law: max_drop is a ceiling of every class", "[law]")
{
	for (unsigned permille : { 0, 1, 300, 999, 1000 }) {
		rxaqm_policy policy = {};
		rxaqm_law_vars vars = at(RXAQM_LAW_ONE);

		policy.max_drop_permille = __u16(permille);
		rxaqm_law_map(&vars, rxaqm_decide_max_drop(&policy));
		for (__u32 drop : vars.drop)
			CHECK(drop <= permille / 1000. * ONE);
		CHECK(vars.thin <= permille / 1000. * ONE);
	}
}

TEST_CASE("law: p stays in its bounds, and comes to nothing where nothing stands", "[law]")
{
	std::mt19937 random(7);
	rxaqm_law_params params = { 10 * MS, 100 * MS, 4096, RXAQM_LAW_ONE };

	for (int round = 0; round < 200; round++) {
		rxaqm_law_vars vars = {};
		__u64 now_ns = 1 + random();

		params.interval_ns = RXAQM_INTERVAL_MIN_NS << random() % 15;
		params.target_ns = std::max<__u64>(params.interval_ns >> random() % 8, 1000);
		vars.goal_ns = params.target_ns;
		for (int i = 0; i < 2000; i++) {
			rxaqm_law_average(&vars, random() % (20 * SEC >> random() % 30 | 1));
			now_ns += params.interval_ns >> (random() % 3 + 1);
			rxaqm_law_turn(&vars, &params, now_ns);
			HOLDS(vars.p <= RXAQM_LAW_ONE);
		}
		vars.p = RXAQM_LAW_ONE;
		now_ns += 30 * params.interval_ns / 2 + 4;
		rxaqm_law_turn(&vars, &params, now_ns);
		CHECK(vars.p <= 1);
		now_ns += params.interval_ns;
		rxaqm_law_turn(&vars, &params, now_ns);
		CHECK(vars.p == 0);
		CHECK(vars.bad == 0);
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

TEST_CASE("law: marks mean what ECT(0) means here", "[law]")
{
	for (bool classic : { false, true }) {
		Ring ring;

		if (classic)
			ring.q->flags |= RXAQM_QUEUE_ECT0_CLASSIC;
		ring.add(0.4, RXAQM_KIND_DATA, RXAQM_IP_ECT0);
		ring.add(0.4, RXAQM_KIND_DATA, RXAQM_IP_ECT1);
		ring.add(0.4);
		ring.run(1200 * MS);
		ring.count();
		ring.run(5 * SEC);
		double ect0 = double(ring.sources[0].marked) / double(ring.sources[0].passed);
		double ect1 = double(ring.sources[1].marked) / double(ring.sources[1].passed);

		CAPTURE(classic, ect0, ect1);
		if (classic)
			CHECK(ect0 < 0.6 * ect1);
		else
			CHECK(std::abs(ect0 - ect1) < 0.02);
	}
}

TEST_CASE("law: observing ends and begins anew with the lease", "[law]")
{
	Ring ring;

	ring.q->policy.mode = RXAQM_MODE_OBSERVE;
	ring.add(3);
	ring.run(3 * SEC);
	CHECK(ring.q->law.p == RXAQM_LAW_ONE); /* nobody reacts to what is not done */
	CHECK(ring.q->stat[RXAQM_STAT_DROP] == 0);
	CHECK(ring.q->stat[RXAQM_STAT_WOULD_DROP] > 1000);
	ring.q->policy.mode = RXAQM_MODE_ENFORCE;
	ring.count();
	ring.run(100 * MS);
	CHECK(ring.sources[0].dropped == 0); /* an interval of arrivals comes first */
	CHECK(ring.q->law.p < RXAQM_LAW_ONE);
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
	CHECK(ring.q->interval_ns == 10 * MS);
}
