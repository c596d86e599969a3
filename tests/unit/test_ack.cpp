/* SPDX-License-Identifier: GPL-2.0-only */
/* Which pure ACKs may be dropped: only such as say nothing that the next won't say. */
#include <catch2/catch_test_macros.hpp>

#include <random>
#include <set>

#include "ack.h"
#include "packets.hpp"

using packets::Packet;

/* One flow's slot, asked as the XDP program does. */
struct Thinner {
	rxaqm_ack_flow flow = {};
	__u64 now_ns = RXAQM_NSEC_PER_SEC;
	__u64 gap_ns = RXAQM_ACK_GAP_MIN_NS;

	bool drops(const Packet &p)
	{
		packets::Bytes frame = packets::build(p);
		const uint8_t *end = frame.data() + frame.size();
		rxaqm_policy policy = {};
		rxaqm_packet pkt;

		rxaqm_packet_classify(&pkt, frame.data(), end, &policy);
		REQUIRE(pkt.kind == RXAQM_KIND_ACK);
		__u64 id = rxaqm_ack_flow_id(&pkt, 3, frame.data(), end);
		REQUIRE(id != 0);
		now_ns += 1000;
		if (rxaqm_ack_redundant(&flow, id, &pkt, frame.data(), end, gap_ns, now_ns))
			return true;
		rxaqm_ack_kept(&flow, now_ns);
		return false;
	}
};

static Packet ack_of(uint32_t number)
{
	Packet p;

	p.ack = number;
	p.tcp_options = packets::timestamps(number, number);
	return p;
}

TEST_CASE("ack: of a train at most three in four are dropped", "[ack]")
{
	for (uint32_t start : { 1U, 0xffffff00U, 0x7fffff00U }) {
		for (int version : { 4, 6 }) {
			Thinner thinner;
			int dropped = 0, run = 0;

			for (uint32_t i = 0; i < 1000; i++) {
				Packet p = ack_of(start + i * 2896);

				p.version = version;
				bool drop = thinner.drops(p);

				dropped += drop;
				run = drop ? run + 1 : 0;
				CHECK(run < RXAQM_ACK_RUN);
				if (!i)
					CHECK_FALSE(drop);
			}
			CHECK(dropped == 750);
		}
	}
}

TEST_CASE("ack: one that tells something of its own passes", "[ack]")
{
	Thinner thinner;
	uint32_t number = 1000;
	Packet p;

	/* So that the next would be redundant were it not for what is special about it. */
	auto train = [&] {
		number += 1000;
		thinner.drops(ack_of(number));
		thinner.flow.run = 0;
		number += 1000;
		REQUIRE(thinner.drops(ack_of(number)));
		number += 1000;
		p = ack_of(number);
	};

	thinner.drops(ack_of(number));
	train();
	p.ack -= 1000; /* duplicate of one that was dropped */
	CHECK_FALSE(thinner.drops(p));
	train();
	p.ack -= 2500; /* old */
	CHECK_FALSE(thinner.drops(p));
	train();
	p.window++;
	CHECK_FALSE(thinner.drops(p));
	train();
	p.window = 0;
	CHECK_FALSE(thinner.drops(p));
	train();
	p.flags |= packets::ECE;
	CHECK_FALSE(thinner.drops(p));
	train();
	p.flags |= packets::CWR;
	CHECK_FALSE(thinner.drops(p));
	train();
	p.reserved = 1; /* AccECN's third counter bit */
	CHECK_FALSE(thinner.drops(p));
	train();
	p.tcp_options = packets::sack(number + 1000, number + 2000);
	CHECK_FALSE(thinner.drops(p));
	train();
	p.tcp_options = packets::timestamps();
	for (uint8_t byte : packets::sack(number + 1000, number + 2000))
		p.tcp_options.push_back(byte);
	CHECK_FALSE(thinner.drops(p));
	train();
	p.tcp_options = { 30, 4, 0, 0 }; /* MPTCP or whatever */
	CHECK_FALSE(thinner.drops(p));
	train();
	thinner.now_ns += RXAQM_ACK_GAP_MIN_NS;
	CHECK_FALSE(thinner.drops(p));
	train();
	CHECK(thinner.drops(p));
}

TEST_CASE("ack: how long a flow may go without follows the queue's delay", "[ack]")
{
	constexpr __u64 MS = RXAQM_NSEC_PER_MSEC;

	CHECK(rxaqm_ack_gap_ns(0) == 5 * MS);
	CHECK(rxaqm_ack_gap_ns(40 * MS) == 5 * MS);
	CHECK(rxaqm_ack_gap_ns(160 * MS) == 20 * MS);
	CHECK(rxaqm_ack_gap_ns(400 * MS) == 50 * MS);
	CHECK(rxaqm_ack_gap_ns(~0ULL) == 50 * MS);

	/* 64 flows at 3300 ACKs a second: each has one every 20 ms. */
	for (__u64 sojourn_ns : { 10 * MS, 1200 * MS }) {
		Thinner thinner;
		int dropped = 0;

		thinner.gap_ns = rxaqm_ack_gap_ns(sojourn_ns);
		for (uint32_t i = 1; i <= 40; i++) {
			thinner.now_ns += 20 * MS;
			dropped += thinner.drops(ack_of(i * 1448));
		}
		CHECK(dropped == (sojourn_ns > 40 * MS ? 26 : 0));
	}
}

TEST_CASE("ack: a change of ECE passes in both directions, a standing one is no news", "[ack]")
{
	Thinner thinner;
	Packet p = ack_of(1);

	thinner.drops(p);
	p.flags |= packets::ECE;
	p.ack += 10;
	CHECK_FALSE(thinner.drops(p));
	p.ack += 10;
	CHECK(thinner.drops(p));
	p.flags = packets::ACK;
	p.ack += 10;
	CHECK_FALSE(thinner.drops(p));
}

TEST_CASE("ack: no duplicate is ever dropped, whatever the order", "[ack]")
{
	std::mt19937 random(5);

	for (int round = 0; round < 200; round++) {
		std::set<uint32_t> told;
		Thinner thinner;
		uint32_t number = uint32_t(random());

		for (int i = 0; i < 500; i++) {
			uint32_t late = random() % 4 ? 0 : uint32_t(random() % 4);

			number += uint32_t(random() % 3 == 0) * 1448;
			Packet p = ack_of(number - late * 1448);

			if (thinner.drops(p))
				REQUIRE(told.count(p.ack) == 0);
			told.insert(p.ack);
		}
	}
}

TEST_CASE("ack: after a pause a flow that went far ahead is thinned again", "[ack]")
{
	Thinner thinner;

	thinner.drops(ack_of(1));
	thinner.drops(ack_of(2));
	thinner.now_ns += RXAQM_NSEC_PER_SEC;
	CHECK_FALSE(thinner.drops(ack_of(0x90000000)));
	CHECK(thinner.drops(ack_of(0x90000001)));
}

TEST_CASE("ack: flows that share a slot never drop each other's", "[ack]")
{
	Thinner thinner;

	for (uint32_t i = 0; i < 100; i++) {
		Packet p = ack_of(i + 1);

		p.sport = uint16_t(1000 + i % 2);
		CHECK_FALSE(thinner.drops(p));
	}
}

TEST_CASE("ack: a slot told to forget passes the next", "[ack]")
{
	Thinner thinner;

	thinner.drops(ack_of(1));
	CHECK(thinner.drops(ack_of(2)));
	/* ACKs that were not asked about may have passed since. */
	rxaqm_ack_forget(&thinner.flow, thinner.now_ns + 1);
	CHECK_FALSE(thinner.drops(ack_of(3)));
	rxaqm_ack_forget(&thinner.flow, thinner.now_ns - 1);
	CHECK(thinner.drops(ack_of(4)));
}

TEST_CASE("ack: each part of a flow's identity counts", "[ack]")
{
	std::set<__u64> ids;
	size_t expected = 0;

	for (int version : { 4, 6 }) {
		for (uint16_t sport : { 1, 2 }) {
			for (uint16_t dport : { 1, 2 }) {
				for (uint32_t address = 1; address < 50; address++) {
					Packet p;
					rxaqm_policy policy = {};
					rxaqm_packet pkt;

					p.version = version;
					p.sport = sport;
					p.dport = dport;
					p.source = address;
					p.dest = 100 - address;
					packets::Bytes f = packets::build(p);
					const uint8_t *end = f.data() + f.size();

					rxaqm_packet_classify(&pkt, f.data(), end, &policy);
					for (__u32 queue : { 0, 1 })
						ids.insert(rxaqm_ack_flow_id(&pkt, queue, f.data(),
									     end));
					expected += 2;
				}
			}
		}
	}
	CHECK(ids.size() == expected);
	CHECK(ids.count(0) == 0);
}
