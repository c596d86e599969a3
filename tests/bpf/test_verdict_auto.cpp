// SPDX-License-Identifier: GPL-2.0-only
/* The same under law=auto. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "verdict.hpp"

using namespace packets;

TEST_CASE("verdict: auto: marks, drops, and what it leaves alone", "[verdict]")
{
	struct Case {
		const char *name;
		double p;
		bool bad;
		uint8_t tos;
		uint64_t sojourn_ns;
		uint32_t verdict;
		bool mark;
	};
	const Case cases[] = {
		{ "all go", 1, true, NECT, 5 * MS, XDP_DROP, false },
		{ "ECT, too, where marks are ignored", 1, true, ECT0, 5 * MS, XDP_DROP, false },
		{ "not while it may be a burst", 1, false, NECT, 5 * MS, XDP_PASS, false },
		{ "which is marked", 1, false, ECT1, 5 * MS, XDP_PASS, true },
		{ "not where a mark is as much as a drop", 1, false, ECT0, 5 * MS, XDP_PASS,
		  false },
		{ "at a half all ECT is marked", 0.5, true, ECT1, 5 * MS, XDP_PASS, true },
		{ "CE says it already", 0.5, true, CE, 5 * MS, XDP_PASS, false },
		{ "under half the goal", 1, true, NECT, 400 * US, XDP_PASS, false },
		{ "nothing is wrong", 0, true, NECT, 5 * MS, XDP_PASS, false },
		{ "network control", 1, true, 48 << 2, 5 * MS, XDP_PASS, false },
	};
	Plane plane;

	for (const Case &c : cases) {
		CAPTURE(c.name);
		take_policy(plane, auto_policy());
		plane.hold(c.p, c.bad);
		plane.stand(c.sojourn_ns);
		Out out = plane.run(data_packet(c.tos));
		CHECK(out.verdict == c.verdict);
		if (c.verdict == XDP_PASS)
			CHECK(out.packet ==
			      (c.mark ? marked(data_packet(c.tos)) : build(data_packet(c.tos))));
	}
	CHECK(plane.stat(RXAQM_STAT_DROP) == 2);
	CHECK(plane.stat(RXAQM_STAT_DROP_ECT) == 1);
	CHECK(plane.stat(RXAQM_STAT_ECN_MARK) == 2);
}

TEST_CASE("verdict: auto: p rises while the queue stands, and the queue turns bad", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = auto_policy();
	rxaqm_law_vars &law = plane.queue().law;

	take_policy(plane, policy);
	CHECK(law.goal_ns == policy.target_ns);
	/* A window is over in which packets stood at 5 ms. */
	law.turn_ns = now_ns() - policy.interval_ns / 8;
	law.smooth_ns = 5 * MS;
	law.above_ns = now_ns() - 2 * policy.interval_ns;
	plane.stand(5 * MS);
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(law.p > 0);
	CHECK(law.bad == 1);
	/* Another policy, and it begins anew. */
	policy.target_ns = 2 * MS;
	take_policy(plane, policy);
	CHECK(law.p == 0);
	CHECK(law.bad == 0);
	CHECK(law.goal_ns == 2 * MS);
}

TEST_CASE("verdict: auto: enforcing begins at nothing", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = auto_policy();

	policy.lease_until_ns = now_ns() - 1;
	take_policy(plane, policy);
	plane.hold(1);
	plane.queue().flags &= ~RXAQM_QUEUE_ENFORCED;
	plane.stand(5 * MS);
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_WOULD_DROP) == 1);
	/* The lease is renewed: what p came to while nobody reacted is void. */
	policy.lease_until_ns = 0;
	plane.set_policy(policy);
	plane.queue().taken = 0;
	plane.stand(5 * MS);
	plane.queue().law.turn_ns -= policy.interval_ns / 8;
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(plane.queue().law.p < RXAQM_LAW_ONE / 100); /* of one window */
	CHECK(plane.queue().flags & RXAQM_QUEUE_ENFORCED);
}

TEST_CASE("verdict: auto: what ECT(0) means comes from policy or host", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = auto_policy();

	for (bool dctcp_host : { false, true }) {
		plane.iface().flags &= ~RXAQM_IFACE_ECT0_DCTCP;
		if (dctcp_host)
			plane.iface().flags |= RXAQM_IFACE_ECT0_DCTCP;
		for (uint8_t ect0 : { RXAQM_ECT0_AUTO, RXAQM_ECT0_DCTCP, RXAQM_ECT0_CLASSIC }) {
			bool dctcp = ect0 == RXAQM_ECT0_DCTCP ||
				     (ect0 == RXAQM_ECT0_AUTO && dctcp_host);

			policy.ect0 = ect0;
			take_policy(plane, policy);
			CHECK(!(plane.queue().flags & RXAQM_QUEUE_ECT0_CLASSIC) == dctcp);
		}
	}
}

TEST_CASE("verdict: auto: classic ECT(0) is marked as seldom as others are dropped", "[verdict]")
{
	for (uint8_t ect0 : { RXAQM_ECT0_DCTCP, RXAQM_ECT0_CLASSIC }) {
		Plane plane;
		rxaqm_policy policy = auto_policy();
		const int n = 2000;
		int marks = 0, drops = 0;

		policy.ect0 = ect0;
		take_policy(plane, policy);
		for (int i = 0; i < n; i++) {
			Packet ect = data_packet(ECT0), other = data_packet(NECT);

			ect.sport = uint16_t(1000 + i); /* no runs */
			plane.hold(0.25);
			plane.stand(5 * MS);
			marks += plane.run(ect).packet == marked(ect);
			drops += plane.run(other).verdict == XDP_DROP;
		}
		CAPTURE(ect0, marks, drops);
		CHECK(std::abs(drops - n / 16) < n / 40);
		if (ect0 == RXAQM_ECT0_CLASSIC)
			CHECK(std::abs(marks - n / 16) < n / 40);
		else
			CHECK(std::abs(marks - n * 3 / 8) < n / 20);
	}
}

TEST_CASE("verdict: auto: runs of packets that are marked alike are of one flow", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = auto_policy();

	policy.ect0 = RXAQM_ECT0_DCTCP;
	take_policy(plane, policy);
	for (size_t tags : { 0, 1 }) {
		for (int version : { 4, 6 }) {
			Packet p = data_packet(2);

			CAPTURE(tags, version);
			p.version = version;
			p.vlans.assign(tags, 7);
			p.sport = uint16_t(1000 + 10 * tags + unsigned(version));
			plane.stand(5 * MS);
			plane.hold(0.25, false);
			plane.run(p);
			CHECK(plane.queue().law.run_flow == (uint32_t(p.sport) << 16 | p.dport));
		}
	}
}

/* Threads of NAPIs move, and ACKs are noted by CPU. */
TEST_CASE("verdict: auto: what a CPU knew of ACKs is forgotten when their queue has been elsewhere",
	  "[verdict]")
{
	Plane plane;
	const int home = sched_getcpu(), other = home ? 0 : 1;
	Packet ack;

	auto run = [&](uint32_t number) {
		plane.hold(0.5);
		plane.queue().law.smooth_ns = SEC;
		plane.stand(5 * MS);
		ack.ack = number;
		return plane.run(ack).verdict;
	};
	auto move = [&](int cpu) {
		cpu_set_t cpus;

		plane.queue().taken = 64; /* it left some: nothing is forgotten for that */
		plane.end_poll(64);
		CPU_ZERO(&cpus);
		CPU_SET(size_t(cpu), &cpus);
		return sched_setaffinity(0, sizeof(cpus), &cpus) == 0;
	};
	take_policy(plane, auto_policy());
	CHECK(run(1000) == XDP_PASS);
	CHECK(run(2000) == XDP_DROP);
	if (!move(other))
		SKIP("there is one CPU only");
	CHECK(run(3000) == XDP_PASS);
	CHECK(run(4000) == XDP_DROP);
	CHECK(run(4000) == XDP_PASS);
	REQUIRE(move(home));
	CHECK(run(4000) == XDP_PASS); /* a duplicate still */
}

TEST_CASE("verdict: auto: redundant ACKs go, others do not", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = auto_policy();
	Packet ack;
	unsigned dropped = 0;

	ack.version = GENERATE(4, 6);
	take_policy(plane, policy);
	auto run = [&] {
		/* At a half all that is redundant goes, and no other ACK does. */
		plane.hold(0.5);
		plane.queue().law.smooth_ns = SEC; /* a gap that a slow machine does not make */
		plane.stand(5 * MS);
		return plane.run(ack).verdict;
	};
	for (uint32_t i = 0; i < 8; i++) {
		ack.ack = 1000 + i * 1448;
		dropped += run() == XDP_DROP;
	}
	CHECK(dropped == 7);
	CHECK(plane.stat(RXAQM_STAT_ACK_DROP) == dropped);
	CHECK(run() == XDP_PASS); /* a duplicate */
	plane.stand(100 * US);
	ack.ack += 1448;
	CHECK(plane.run(ack).verdict == XDP_PASS); /* under target: nobody looks */
	CHECK(run() == XDP_PASS); /* a duplicate of that one */

	policy.ack = RXAQM_ACK_KEEP;
	take_policy(plane, policy);
	for (uint32_t i = 0; i < 8; i++) {
		ack.ack += 1448;
		CHECK(run() == XDP_PASS);
	}
}
