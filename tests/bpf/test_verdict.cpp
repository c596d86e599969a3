// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of a packet of a queue that stands: verdict, bytes and counters. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "verdict.hpp"

using namespace packets;

namespace
{

/* A packet when CoDel has one to signal. */
Out due(Plane &plane, const Packet &packet, uint64_t sojourn_ns = 5 * MS)
{
	plane.stand(sojourn_ns);
	plane.overdue();
	return plane.run(packet);
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
	CHECK(plane.stat(RXAQM_STAT_OVER_NOT_ECT) == 1);
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
	plane.queue().share[RXAQM_CLASS_TCP] = 0;
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
