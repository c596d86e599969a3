// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of a packet of a queue that stands: verdict, bytes and counters. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "plane.hpp"

using namespace packets;

namespace
{

constexpr uint8_t NECT = 0, ECT1 = 1, ECT0 = 2, CE = 3;

/* The first packet of a poll takes the policy over, which resets CoDel: so one goes ahead. */
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

	policy.ecn = RXAQM_ECN_STEP;
	take_policy(plane, policy);
	plane.queue().smooth_ns = 5 * MS;
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

TEST_CASE("verdict: policies for ECN and Not-ECT", "[verdict]")
{
	struct Case {
		const char *name;
		uint8_t ecn, not_ect, tos;
		uint64_t l4s_ns;
		uint32_t verdict;
		bool mark;
	};
	const Case cases[] = {
		{ "ecn off drops ECT", RXAQM_ECN_OFF, RXAQM_NOT_ECT_DROP, ECT0, 0, XDP_DROP,
		  false },
		{ "ecn off, not_ect pass", RXAQM_ECN_OFF, RXAQM_NOT_ECT_PASS, ECT0, 0, XDP_PASS,
		  false },
		{ "not_ect pass", RXAQM_ECN_CODEL, RXAQM_NOT_ECT_PASS, NECT, 0, XDP_PASS, false },
		{ "step drops Not-ECT", RXAQM_ECN_STEP, RXAQM_NOT_ECT_DROP, NECT, 0, XDP_DROP,
		  false },
		{ "step marks", RXAQM_ECN_STEP, RXAQM_NOT_ECT_DROP, ECT0, 0, XDP_PASS, true },
		{ "ECT(1) over l4s", RXAQM_ECN_CODEL, RXAQM_NOT_ECT_DROP, ECT1, 2 * MS, XDP_PASS,
		  true },
		{ "ECT(1) under l4s", RXAQM_ECN_CODEL, RXAQM_NOT_ECT_DROP, ECT1, 9 * MS, XDP_PASS,
		  false },
	};
	Plane plane;

	for (const Case &c : cases) {
		rxaqm_policy policy = simple_policy();

		CAPTURE(c.name);
		policy.ecn = c.ecn;
		policy.not_ect = c.not_ect;
		policy.l4s_threshold_ns = c.l4s_ns;
		take_policy(plane, policy);
		plane.queue().smooth_ns = 5 * MS;
		Out out = due(plane, data_packet(c.tos));
		CHECK(out.verdict == c.verdict);
		if (c.verdict == XDP_PASS)
			CHECK(out.packet ==
			      (c.mark ? marked(data_packet(c.tos)) : build(data_packet(c.tos))));
	}
}

TEST_CASE("verdict: not_ect=couple drops where CoDel has no signal to give", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	policy.ecn = RXAQM_ECN_STEP;
	policy.not_ect = RXAQM_NOT_ECT_COUPLE;
	take_policy(plane, policy);
	for (uint8_t ecn : { NECT, ECT0, NECT }) {
		Packet p = data_packet(ecn);

		/* The step was over all the time, and enough packets have passed for it. */
		plane.queue().codel = {};
		plane.queue().smooth_ns = 5 * MS;
		plane.queue().couple.window_ns = now_ns();
		plane.queue().couple.share_ns = uint32_t(policy.interval_ns / 4);
		plane.queue().couple.credit_ns = policy.interval_ns - 1;
		plane.queue().couple.extra_ns = 1;
		plane.stand(5 * MS);
		Out out = plane.run(p);
		CHECK(out.verdict == (ecn == NECT ? XDP_DROP : XDP_PASS));
		if (ecn != NECT)
			CHECK(out.packet == marked(p));
	}
	CHECK(plane.stat(RXAQM_STAT_DROP) == 2);
	CHECK(plane.stat(RXAQM_STAT_CE_MARK) == 1);
	/* A policy that is not the same begins anew. */
	policy.max_drop_permille = 400;
	take_policy(plane, policy);
	CHECK(plane.queue().couple.share_ns == 0);
	CHECK(plane.queue().couple.credit_ns == 0);
	CHECK(plane.queue().couple.extra_ns == 0);
}

TEST_CASE("verdict: not_ect=couple drops more while a quarter is not enough", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();
	rxaqm_couple_vars &couple = plane.queue().couple;

	policy.interval_ns = 4000 * MS;
	policy.ecn = RXAQM_ECN_STEP;
	policy.not_ect = RXAQM_NOT_ECT_COUPLE;
	take_policy(plane, policy);
	/* A window of one second is over, like those before it all over the threshold. */
	plane.queue().smooth_ns = 5 * MS;
	couple.share_ns = couple.over_ns = uint32_t(1000 * MS);
	couple.window_ns = now_ns() - 1001 * MS;
	plane.stand(5 * MS);
	CHECK(plane.run(data_packet(NECT)).verdict == XDP_PASS);
	CHECK(couple.extra_ns == 1000 * MS / 16);
	CHECK(couple.over_ns == 0);
	/* As much as there can be: with the quarter all of them. */
	couple.extra_ns = uint32_t(3000 * MS);
	for (int i = 0; i < 8; i++) {
		plane.queue().smooth_ns = 5 * MS;
		plane.stand(5 * MS);
		CHECK(plane.run(data_packet(NECT)).verdict == XDP_DROP);
	}
}

TEST_CASE("verdict: max_drop caps drops, the lease ends them", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	policy.max_drop_permille = 0;
	take_policy(plane, policy);
	plane.queue().cap_credit = 0;
	CHECK(due(plane, data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_PASS_MAX_DROP) == 1);

	policy.max_drop_permille = 1000;
	policy.lease_until_ns = now_ns() + 60 * SEC;
	take_policy(plane, policy);
	CHECK(due(plane, data_packet()).verdict == XDP_DROP);

	policy.lease_until_ns = now_ns() - 1;
	take_policy(plane, policy);
	CHECK(due(plane, data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_WOULD_DROP) == 1);
}

TEST_CASE("verdict: thin drops redundant ACKs only", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();
	Packet ack;
	unsigned dropped = 0;

	ack.version = GENERATE(4, 6);
	policy.ack = RXAQM_ACK_THIN;
	take_policy(plane, policy);
	for (uint32_t i = 0; i < 8; i++) {
		ack.ack = 1000 + i * 1448;
		plane.stand(5 * MS);
		plane.queue().smooth_ns = SEC; /* a gap that a slow machine does not make */
		dropped += plane.run(ack).verdict == XDP_DROP;
	}
	/* The first passes, and of each four after it one. */
	CHECK(dropped == 6);
	CHECK(plane.stat(RXAQM_STAT_ACK_DROP) == dropped);
	plane.stand(5 * MS);
	CHECK(plane.run(ack).verdict == XDP_PASS); /* a duplicate */
	plane.stand(100 * US);
	ack.ack += 1448;
	CHECK(plane.run(ack).verdict == XDP_PASS); /* under target */
	plane.stand(5 * MS);
	CHECK(plane.run(ack).verdict == XDP_PASS); /* a duplicate of that one */

	policy.ack = RXAQM_ACK_KEEP;
	take_policy(plane, policy);
	for (uint32_t i = 0; i < 8; i++) {
		ack.ack += 1448;
		plane.stand(5 * MS);
		CHECK(plane.run(ack).verdict == XDP_PASS);
	}
}
