/* SPDX-License-Identifier: GPL-2.0-only */
/* Which pure ACKs may be dropped: only such as say nothing that the next won't say. */
#include <catch2/catch_test_macros.hpp>

#include <random>

#include "holds.hpp"
#include "ack.h"
#include "flow_id.h"
#include "packets.hpp"

using packets::Packet;

constexpr __u64 GAP = 5 * RXAQM_NSEC_PER_MSEC;

static rxaqm_ack_news read(const Packet &p)
{
	packets::Bytes bytes = packets::build(p);
	const rxaqm_frame frame = { bytes.data(), __u32(bytes.size()) };
	rxaqm_packet pkt = {};
	rxaqm_ack_news ack;

	rxaqm_frame_parse(&pkt, &frame);
	HOLDS(pkt.kind == RXAQM_KIND_ACK);
	HOLDS(rxaqm_ack_read(&ack, &frame,
			     rxaqm_flow_id(&pkt, &frame, NULL, 0, packets::flow_key(3).data()),
			     pkt.l4_off));
	return ack;
}

/* One slot, asked as the XDP program does. */
struct Thinner {
	rxaqm_ack_flow flow = {};
	__u64 gap_ns = GAP, since_ns = 0, now_ns = RXAQM_NSEC_PER_SEC;

	bool drops(const Packet &p)
	{
		rxaqm_ack_news ack = read(p);

		now_ns += 1000;
		return rxaqm_ack_thin(&flow, &ack, gap_ns, since_ns, now_ns);
	}
};

static Packet ack_of(uint32_t number)
{
	Packet p;

	p.ack = number;
	p.tcp_options = packets::timestamps(number, number);
	return p;
}

static packets::Bytes accecn(size_t fields)
{
	packets::Bytes out = packets::timestamps();

	out.push_back(172);
	out.push_back(uint8_t(2 + 3 * fields));
	out.resize(out.size() + 3 * fields, 9);
	while (out.size() % 4)
		out.push_back(1);
	return out;
}

TEST_CASE("ack: of a train one passes in each gap", "[ack]")
{
	for (uint32_t start : { 1U, 0xffffff00U, 0x7fffff00U }) {
		for (int version : { 4, 6 }) {
			Thinner thinner;
			unsigned passed = 0;

			for (uint32_t i = 0; i < 1000; i++) {
				Packet p = ack_of(start + i * 2896);

				p.version = version;
				thinner.now_ns += 99000; /* 100 us each */
				passed += !thinner.drops(p);
			}
			CHECK(passed == 1000 / 50);
		}
	}
}

TEST_CASE("ack: one that is not to be dropped is noted as passed", "[ack]")
{
	Thinner thinner;

	thinner.drops(ack_of(1));
	for (uint32_t i = 2; i < 10; i++) {
		thinner.now_ns += GAP / 2;
		thinner.gap_ns = i % 2 ? GAP : 0;
		CHECK(thinner.drops(ack_of(i)) == (i % 2 == 1));
	}
}

TEST_CASE("ack: one that tells something of its own passes", "[ack]")
{
	Thinner thinner;
	uint32_t number = 1000;
	Packet p;

	/* So that the next would be redundant were it not for what is special about it. */
	auto train = [&] {
		number += 10000;
		thinner.drops(ack_of(number));
		number += 1000;
		thinner.drops(ack_of(number));
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
	p.seq--; /* keep-alive, window probe */
	CHECK_FALSE(thinner.drops(p));
	train();
	p.seq += 100; /* a data segment was between */
	CHECK_FALSE(thinner.drops(p));
	thinner = {};
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
	p.tcp_options = { 8, 0, 0, 0 }; /* no length */
	CHECK_FALSE(thinner.drops(p));
	train();
	p.tcp_options = { 8, 10, 0, 0 }; /* longer than the header */
	CHECK_FALSE(thinner.drops(p));
	train();
	p.tcp_options.assign(40, 1); /* more padding than anyone sends */
	CHECK_FALSE(thinner.drops(p));
	train();
	thinner.now_ns += GAP;
	CHECK_FALSE(thinner.drops(p));
	train();
	p.window++; /* the next tells it again */
	CHECK(thinner.drops(p));
	train();
	p.tcp_options = {};
	CHECK(thinner.drops(p));
	train();
	p.tcp_options = { 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0 };
	CHECK(thinner.drops(p));
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

TEST_CASE("ack: AccECN's counters are cumulative", "[ack]")
{
	for (size_t fields : { 0, 1, 2, 3 }) {
		for (unsigned ace = 0; ace < 8; ace++) {
			for (unsigned moved = 0; moved < 8; moved++) {
				auto ack = [&](uint32_t number, unsigned counter) {
					Packet p = ack_of(number);

					counter &= 7;
					p.tcp_options = accecn(fields);
					p.reserved = uint8_t(counter >> 2);
					p.flags |= uint8_t(counter << 6);
					return p;
				};
				Thinner thinner;

				CAPTURE(fields, ace, moved);
				CHECK_FALSE(thinner.drops(ack(1, ace)));
				CHECK(thinner.drops(ack(2, ace + moved)) == (moved < 4));
				/* What matters is how far it is from one that passed. */
				CHECK(thinner.drops(ack(3, ace + moved + 2)) ==
				      (moved < 2 || moved >= 4));
			}
		}
	}
}

TEST_CASE("ack: AccECN without byte counters is not thinned", "[ack]")
{
	Thinner thinner;
	Packet p = ack_of(1);

	p.reserved = 1;
	p.flags |= packets::ECE; /* five, which is where the counter begins */
	for (int i = 0; i < 3; i++, p.ack++)
		CHECK_FALSE(thinner.drops(p));
	/* Senders leave them out of some ACKs, if not of all. */
	p.tcp_options = accecn(1);
	CHECK(thinner.drops(p));
	p.ack++;
	p.tcp_options = packets::timestamps();
	CHECK(thinner.drops(p));
}

TEST_CASE("ack: AccECN without byte counters is known at any counter", "[ack]")
{
	Thinner thinner;
	Packet p = ack_of(1);

	/* From five, where the counter begins, once around. */
	for (unsigned counter = 5; counter < 14; counter++) {
		p.reserved = uint8_t((counter & 7) >> 2);
		p.flags = uint8_t(packets::ACK | (counter & 3) << 6);
		CAPTURE(counter);
		for (int i = 0; i < 3; i++, p.ack++)
			CHECK_FALSE(thinner.drops(p));
	}
}

TEST_CASE("ack: AccECN's counter is that of the newest ACK, not of one that was overtaken", "[ack]")
{
	auto ack = [](uint32_t number, unsigned counter, bool bytes) {
		Packet p = ack_of(number);

		if (bytes)
			p.tcp_options = accecn(1);
		p.reserved = uint8_t((counter & 7) >> 2);
		p.flags |= uint8_t(counter << 6);
		return p;
	};
	Thinner thinner;

	CHECK_FALSE(thinner.drops(ack(10000, 4, true)));
	CHECK_FALSE(thinner.drops(ack(5000, 1, true)));
	/* Nine is five more than the sender knows, though a full turn from the old one. */
	CHECK_FALSE(thinner.drops(ack(20000, 9, true)));
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

			thinner.now_ns += random() % 5 ? 0 : GAP * 2;
			if (thinner.drops(p))
				REQUIRE(told.count(p.ack) == 0);
			told.insert(p.ack);
		}
	}
}

TEST_CASE("ack: what is old does not make a duplicate new", "[ack]")
{
	for (bool unasked : { false, true }) {
		Thinner thinner;

		thinner.drops(ack_of(5000));
		thinner.now_ns += RXAQM_NSEC_PER_SEC;
		if (unasked)
			thinner.since_ns = thinner.now_ns;
		CHECK_FALSE(thinner.drops(ack_of(4000)));
		CHECK_FALSE(thinner.drops(ack_of(5000)));
		CHECK_FALSE(thinner.drops(ack_of(6000)));
		CHECK(thinner.drops(ack_of(7000)));
	}
}

TEST_CASE("ack: what passes unasked is forgotten", "[ack]")
{
	Thinner thinner;

	thinner.drops(ack_of(1));
	CHECK(thinner.drops(ack_of(2)));
	thinner.since_ns = thinner.now_ns + 1000;
	/* At the same instant: the order is not known. */
	CHECK_FALSE(thinner.drops(ack_of(3)));
	CHECK_FALSE(thinner.drops(ack_of(4)));
	CHECK(thinner.drops(ack_of(5)));
}

TEST_CASE("ack: another connection of the same ports begins anew", "[ack]")
{
	Thinner thinner;

	thinner.drops(ack_of(1000));
	CHECK(thinner.drops(ack_of(2000)));
	/* It is known by its sequence number. */
	thinner.now_ns += RXAQM_NSEC_PER_SEC;
	thinner.since_ns = thinner.now_ns;
	Packet other = ack_of(0x90000000);
	other.seq = 77;
	CHECK_FALSE(thinner.drops(other));
	other.ack++;
	CHECK(thinner.drops(other));
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
