// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of a packet of a queue that stands: verdict, bytes and counters. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "plane.hpp"

using namespace packets;

namespace
{

constexpr uint8_t NECT = 0, ECT1 = 1, ECT0 = 2, CE = 3;

/* The first packet of a poll takes the policy over, which resets the law: so one goes ahead. */
void take_policy(Plane &plane, const rxaqm_policy &policy)
{
	plane.set_policy(policy);
	plane.queue().taken = 0;
	plane.stand(100 * US);
	REQUIRE(plane.run(data_packet()).verdict == XDP_PASS);
}

/* A packet when CoDel has one to signal. */
Out due(Plane &plane, const Packet &packet, uint64_t sojourn_ns = 5 * MS)
{
	plane.stand(sojourn_ns);
	plane.overdue();
	return plane.run(packet);
}

Bytes marked(const Packet &p)
{
	Packet ce = p;

	ce.tos |= CE;
	return build(ce);
}

} /* namespace */

TEST_CASE("verdict: a due Not-ECT packet is dropped, an ECT one marked", "[verdict]")
{
	Plane plane;
	const int version = GENERATE(4, 6);
	Packet p = data_packet();

	p.version = version;
	take_policy(plane, simple_policy());
	CHECK(due(plane, p).verdict == XDP_DROP);
	CHECK(plane.stat(RXAQM_STAT_DROP) == 1);
	CHECK(plane.stat(RXAQM_STAT_OVER_NECT) == 1);
	CHECK(plane.queue().poll_drops == 1);
	CHECK(plane.queue().codel.dropping == 1);

	for (uint8_t ecn : { ECT0, ECT1 }) {
		p.tos = ecn | 0x28;
		Out out = due(plane, p);
		CHECK(out.verdict == XDP_PASS);
		/* All bytes, the checksum of the header among them. */
		CHECK(out.packet == marked(p));
	}
	CHECK(plane.stat(RXAQM_STAT_ECN_MARK) == 2);
	CHECK(plane.stat(RXAQM_STAT_DROP) == 1);

	p.tos = CE;
	CHECK(due(plane, p).packet == build(p));
	CHECK(plane.stat(RXAQM_STAT_OVER_CE) == 1);
	CHECK(plane.stat(RXAQM_STAT_ECN_MARK) == 2);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 5);
	CHECK(plane.stat(RXAQM_STAT_LOW) == 1);
}

TEST_CASE("verdict: every TOS is marked with the right checksum", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	policy.ce_threshold_ns = 1 * MS;
	take_policy(plane, policy);
	for (unsigned tos = 0; tos < 256; tos++) {
		Packet p = data_packet(uint8_t(tos));
		bool exempt = tos >> 2 == 48 || tos >> 2 == 56;
		bool ect = (tos & 3) == ECT0 || (tos & 3) == ECT1;

		/* Not over target for an interval: CoDel has no say. */
		plane.queue().codel = {};
		plane.stand(5 * MS);
		Out out = plane.run(p);
		CAPTURE(tos);
		REQUIRE(out.verdict == XDP_PASS);
		REQUIRE(out.packet == (ect && !exempt ? marked(p) : build(p)));
	}
	CHECK(plane.stat(RXAQM_STAT_CE_MARK) == 2 * 62);
	CHECK(plane.stat(RXAQM_STAT_OVER_EXEMPT) == 2 * 4);
}

TEST_CASE("verdict: observe counts what enforcing would do, and does nothing", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	policy.mode = RXAQM_MODE_OBSERVE;
	take_policy(plane, policy);
	for (uint8_t ecn : { NECT, ECT0 }) {
		Out out = due(plane, data_packet(ecn));
		CHECK(out.verdict == XDP_PASS);
		CHECK(out.packet == build(data_packet(ecn)));
	}
	CHECK(plane.stat(RXAQM_STAT_WOULD_DROP) == 1);
	CHECK(plane.stat(RXAQM_STAT_WOULD_ECN_MARK) == 1);
	CHECK(plane.stat(RXAQM_STAT_DROP) == 0);
	CHECK(plane.stat(RXAQM_STAT_ECN_MARK) == 0);
	CHECK(plane.queue().poll_drops == 0);
}

TEST_CASE("verdict: off judges nothing", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	policy.mode = RXAQM_MODE_OFF;
	plane.set_policy(policy);
	for (int i = 0; i < 3; i++) {
		plane.stand(5 * MS);
		plane.overdue();
		CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	}
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 0);
}

TEST_CASE("verdict: drops come when CoDel says", "[verdict]")
{
	Plane plane;

	take_policy(plane, simple_policy());
	/* Over target, but not for an interval yet. */
	plane.stand(5 * MS);
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(plane.queue().codel.above == 1);
	uint64_t first_ns = plane.queue().codel.first_above_time_ns;
	CHECK(first_ns <= now_ns() + INTERVAL);
	CHECK(first_ns > now_ns() + INTERVAL / 2);

	/* It has been now: one drop, the next an interval later. */
	plane.queue().codel.first_above_time_ns -= INTERVAL;
	uint64_t before_ns = now_ns();
	CHECK(plane.run(data_packet()).verdict == XDP_DROP);
	uint64_t next_ns = plane.queue().codel.drop_next_ns;
	/* 1/sqrt(1) in Q32 falls short of 1 by 2^-32. */
	CHECK(next_ns >= before_ns + INTERVAL - 3);
	CHECK(next_ns <= now_ns() + INTERVAL);
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);

	/* Due again: the gap is interval / sqrt(2). */
	plane.queue().codel.drop_next_ns = before_ns;
	CHECK(plane.run(data_packet()).verdict == XDP_DROP);
	CHECK(plane.queue().codel.count == 2);
	next_ns = plane.queue().codel.drop_next_ns;
	CHECK(next_ns >= before_ns + 1414213562 - 3);
	CHECK(next_ns <= before_ns + 1414213562);

	/* Under target ends it. */
	plane.stand(999 * US);
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(plane.queue().codel.dropping == 0);
	CHECK(plane.stat(RXAQM_STAT_DROP) == 2);
}

TEST_CASE("verdict: a due signal waits for a packet that may take it", "[verdict]")
{
	Plane plane;
	Packet ack, arp, ping;

	take_policy(plane, simple_policy());
	plane.stand(5 * MS);
	plane.overdue();
	arp.ethertype = 0x0806;
	arp.payload = 46;
	ping.protocol = ICMP;
	ping.payload = 56;
	for (const Packet &p : { ack, arp, ping }) {
		Out out = plane.run(p);
		CHECK(out.verdict == XDP_PASS);
		CHECK(out.packet == build(p));
	}
	CHECK(plane.run(data_packet()).verdict == XDP_DROP);
	CHECK(plane.stat(RXAQM_STAT_OVER_ACK) == 1);
	CHECK(plane.stat(RXAQM_STAT_OVER_EXEMPT) == 2);
}

TEST_CASE("verdict: codel: policies for ECN", "[verdict]")
{
	struct Case {
		const char *name;
		uint8_t ecn, selector, tos;
		uint64_t ce_ns;
		bool due;
		uint32_t verdict;
		bool mark;
	};
	const Case cases[] = {
		{ "ecn off drops ECT", RXAQM_ECN_OFF, 0, ECT0, 0, true, XDP_DROP, false },
		{ "ecn off, over ce_threshold", RXAQM_ECN_OFF, 0, ECT0, 2 * MS, false, XDP_PASS,
		  false },
		{ "over ce_threshold", RXAQM_ECN_ON, 0, ECT0, 2 * MS, false, XDP_PASS, true },
		{ "under ce_threshold", RXAQM_ECN_ON, 0, ECT0, 9 * MS, false, XDP_PASS, false },
		{ "ECT(1) selected", RXAQM_ECN_ON, RXAQM_CE_SELECTOR_ECT1, ECT1, 2 * MS, false,
		  XDP_PASS, true },
		{ "ECT(0) not selected", RXAQM_ECN_ON, RXAQM_CE_SELECTOR_ECT1, ECT0, 2 * MS, false,
		  XDP_PASS, false },
		{ "due, not selected", RXAQM_ECN_ON, RXAQM_CE_SELECTOR_ECT1, ECT0, 2 * MS, true,
		  XDP_PASS, true },
	};
	Plane plane;

	for (const Case &c : cases) {
		rxaqm_policy policy = simple_policy();

		CAPTURE(c.name);
		policy.ecn = c.ecn;
		policy.ce_selector = c.selector;
		policy.ce_threshold_ns = c.ce_ns;
		take_policy(plane, policy);
		plane.stand(5 * MS);
		if (c.due)
			plane.overdue();
		Out out = plane.run(data_packet(c.tos));
		CHECK(out.verdict == c.verdict);
		if (c.verdict == XDP_PASS)
			CHECK(out.packet ==
			      (c.mark ? marked(data_packet(c.tos)) : build(data_packet(c.tos))));
	}
}

TEST_CASE("verdict: codel: a class that bears its part already is passed", "[verdict]")
{
	Plane plane;

	take_policy(plane, simple_policy());
	REQUIRE(due(plane, data_packet()).verdict == XDP_DROP);
	/* Of all that was seen of late it is little. */
	plane.queue().law.drop[RXAQM_CLASS_TCP] = 0;
	plane.queue().credit[RXAQM_CLASS_TCP] = 0;
	CHECK(due(plane, data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_PASS_CAPPED) == 1);
}

TEST_CASE("verdict: max_drop caps drops, the lease ends them", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	policy.max_drop_permille = 0;
	take_policy(plane, policy);
	CHECK(due(plane, data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_PASS_CAPPED) == 1);

	policy.max_drop_permille = 1000;
	policy.lease_until_ns = now_ns() + 60 * SEC;
	take_policy(plane, policy);
	CHECK(due(plane, data_packet()).verdict == XDP_DROP);

	/* Heeded with the window's end. */
	policy.lease_until_ns = now_ns() - 1;
	take_policy(plane, policy);
	plane.queue().law.turn_ns -= policy.interval_ns / 8;
	CHECK(due(plane, data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_WOULD_DROP) == 0); /* signals begin anew */
	CHECK(due(plane, data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_WOULD_DROP) == 1);
}

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
