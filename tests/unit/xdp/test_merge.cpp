// SPDX-License-Identifier: GPL-2.0-only
/* Whose PSH is cleared for GRO, and what becomes of the packet. */
#include <catch2/catch_test_macros.hpp>

#include <functional>
#include <random>

#include "decider.hpp"
#include "holds.hpp"
#include "packets.hpp"
#include "psh.h"
#include "headers.h"

using namespace packets;

namespace
{

/* A queue that is bad, and flow 1 in it, which may send ten times what it does. */
struct Merging : Auto {
	Merging()
		: Auto(0.1)
	{
	}
	rxaqm_flow &flow()
	{
		return flows[rxaqm_flow_set_of(1)].flow[0];
	}
	/* Is its PSH cleared? */
	bool clears(__u32 psh, __u8 ecn = RXAQM_IP_NOT_ECT, __u8 kind = RXAQM_KIND_TCP)
	{
		hold(0.1);
		q->law.bad = bad;
		return packet(5 * MS, ecn, kind, false, 1, psh) & RXAQM_CLEAR_PSH;
	}
	bool bad = true;
	int cleared(int n)
	{
		int found = 0;

		for (int i = 0; i < n; i++)
			found += clears(RXAQM_PSH_FULL);
		return found;
	}
};

Packet segment()
{
	Packet p;

	p.flags = ACK | PSH;
	p.payload = 1448;
	p.tcp_options = timestamps();
	return p;
}

rxaqm_psh psh_of(const Packet &p)
{
	const Bytes frame = build(p);
	rxaqm_policy policy = {};
	rxaqm_packet pkt;

	rxaqm_packet_classify(&pkt, frame.data(), frame.data() + frame.size(), &policy);
	return rxaqm_psh(rxaqm_packet_psh(&pkt));
}

size_t tcp_offset(const Packet &p)
{
	return ip_offset(p) + (p.version == 4 ? 20 : 40);
}

bool clear(Bytes &frame, const Packet &p)
{
	return rxaqm_psh_clear(&frame[tcp_offset(p)], true);
}

} /* namespace */

TEST_CASE("merge: of a flow's packets one in nine keeps its PSH", "[merge]")
{
	Merging d;

	CHECK(d.cleared(8) == 8);
	CHECK(d.cleared(1) == 0);
	CHECK(d.cleared(9 * 20) == 8 * 20);
	/* Any packet without PSH counts, and one that keeps it for another reason begins anew. */
	for (int i = 0; i < 5; i++)
		CHECK_FALSE(d.clears(RXAQM_PSH_NONE));
	CHECK(d.cleared(4) == 3);
	CHECK(d.cleared(5) == 5);
	CHECK_FALSE(d.clears(RXAQM_PSH_KEPT));
	CHECK(d.cleared(9) == 8);
	/* However long there was none: the next one stays. */
	for (int i = 0; i < 1000; i++)
		CHECK_FALSE(d.clears(RXAQM_PSH_NONE));
	CHECK(d.cleared(1) == 0);
	CHECK(d.cleared(9) == 8);
	/* The other flags of the flow are not touched. */
	CHECK((d.flow().flags & (RXAQM_FLOW_NO_PSH - 1)) == RXAQM_FLOW_BACK);
}

TEST_CASE("merge: only of a known flow, with four packets, in a bad queue", "[merge]")
{
	Merging d;

	d.bad = false;
	CHECK(d.cleared(20) == 0);
	d.bad = true;
	CHECK(d.cleared(8) == 8);
	/* Another flow, which nobody has seen; with its fifth packet it has four. */
	d.q->law.stamp_bits = 40; /* nothing is forgotten */
	for (int i = 1; i <= 8; i++)
		CHECK(!!(d.packet(5 * MS, 0, RXAQM_KIND_TCP, false, 2, RXAQM_PSH_FULL) &
			 RXAQM_CLEAR_PSH) == (i > 4));
}

TEST_CASE("merge: what is dropped is only dropped, what is marked is merged, too", "[merge]")
{
	Merging d;
	int marked = 0;

	for (int i = 0; i < 2000; i++) {
		int v;

		d.hold(3);
		v = d.packet(5 * MS, RXAQM_IP_ECT0, RXAQM_KIND_TCP, false, 1, RXAQM_PSH_FULL);
		if (v & RXAQM_DROP)
			CHECK(v == RXAQM_DROP);
		marked += v == (RXAQM_MARK | RXAQM_CLEAR_PSH);
	}
	CHECK(marked > 500);
	CHECK(d.stat(RXAQM_STAT_ECN_MARK) > __u64(marked));
}

TEST_CASE("merge: full segments with PSH and ACK alone", "[merge]")
{
	auto with = [](const std::function<void(Packet &)> &change) {
		Packet p = segment();

		change(p);
		return psh_of(p);
	};
	CHECK(with([](Packet &) {}) == RXAQM_PSH_FULL);
	CHECK(with([](Packet &p) { p.version = 6; }) == RXAQM_PSH_FULL);
	CHECK(with([](Packet &p) { p.vlans = { 7, 8 }; }) == RXAQM_PSH_FULL);
	CHECK(with([](Packet &p) { p.version = 6, p.vlans = { 7 }; }) == RXAQM_PSH_FULL);
	CHECK(with([](Packet &p) { p.payload = 1024; }) == RXAQM_PSH_FULL);
	CHECK(with([](Packet &p) { p.tcp_options = {}; }) == RXAQM_PSH_FULL);
	/* Padding is no payload. */
	CHECK(with([](Packet &p) { p.payload = 10, p.padding = 2000; }) == RXAQM_PSH_KEPT);
	CHECK(with([](Packet &p) { p.payload = 1023; }) == RXAQM_PSH_KEPT);
	CHECK(with([](Packet &p) { p.ip_options = 1; }) == RXAQM_PSH_KEPT);
	CHECK(with([](Packet &p) { p.version = 6, p.ext = { { AH, 3 } }; }) == RXAQM_PSH_KEPT);
	CHECK(with([](Packet &p) { p.fragment = 0, p.more_fragments = true; }) == RXAQM_PSH_KEPT);
	for (uint8_t more : { FIN, SYN, RST, URG, ECE, CWR })
		CHECK(with([=](Packet &p) { p.flags |= more; }) == RXAQM_PSH_KEPT);
	CHECK(with([](Packet &p) { p.flags = PSH; }) == RXAQM_PSH_KEPT);
	CHECK(with([](Packet &p) { p.flags = ACK; }) == RXAQM_PSH_NONE);
	CHECK(with([](Packet &p) { p.protocol = UDP; }) == RXAQM_PSH_NONE);
	CHECK(with([](Packet &p) { p.fragment = 9; }) == RXAQM_PSH_NONE);
}

TEST_CASE("merge: only PSH goes, and the checksum follows", "[merge]")
{
	std::mt19937 random(3);

	for (int i = 0; i < 2000; i++) {
		Packet p = segment(), plain;

		p.version = i % 2 ? 4 : 6;
		p.vlans.assign(i % 3, 5);
		p.payload = 1024 + random() % 8;
		p.seq = random();
		p.window = uint16_t(random());
		if (i % 5 == 0)
			p.tcp_options = {};
		plain = p;
		plain.flags = ACK;

		Bytes frame = build(p);
		const uint16_t sum = checksum(frame.data(), frame.size());

		HOLDS(clear(frame, p));
		HOLDS(frame == build(plain));
		/* What a NIC summed over the packet is still true. */
		HOLDS(checksum(frame.data(), frame.size()) == sum);
	}
}

TEST_CASE("merge: a wrong checksum stays as wrong as it was, also where the sum wraps", "[merge]")
{
	for (uint32_t sum = 0; sum <= 0xffff; sum++) {
		Packet p = segment();
		static const Bytes built = build(p);
		Bytes frame = built;
		uint8_t *tcp = &frame[tcp_offset(p)];
		uint16_t before;

		tcp[16] = uint8_t(sum >> 8);
		tcp[17] = uint8_t(sum);
		before = checksum(tcp, 32);
		HOLDS(clear(frame, p));
		/* 0 and 0xffff are the same number. */
		HOLDS(checksum(tcp, 32) % 0xffff == before % 0xffff);
	}
}

TEST_CASE("merge: options that may sign the flags keep PSH", "[merge]")
{
	const Bytes kept[] = {
		{ 19, 18, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 1 }, /* MD5 */
		{ 29, 12, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8 }, /* TCP-AO, as long as timestamps */
		sack(1, 2),
		{ 8, 10, 0, 0, 0, 7, 0, 0, 0, 8, 1,
		  1 }, /* timestamps first: GRO takes it, we do not */
		{ 1, 1, 1, 1 },
	};

	for (const Bytes &options : kept) {
		Packet p = segment();

		p.tcp_options = options;
		Bytes frame = build(p);
		CHECK_FALSE(clear(frame, p));
		CHECK(frame == build(p));
	}
	Packet p = segment();

	p.reserved = 1; /* AccECN's AE */
	Bytes frame = build(p);
	CHECK_FALSE(clear(frame, p));
	p.reserved = 0;
	frame = build(p);
	const Bytes before = frame;
	CHECK(rxaqm_psh_clear(&frame[tcp_offset(p)], false));
	CHECK(frame == before);
}
