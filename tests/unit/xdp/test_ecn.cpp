/* SPDX-License-Identifier: GPL-2.0-only */
/* CE is set on ECN-capable packets only, and nothing but it and the checksum changes. */
#include <catch2/catch_test_macros.hpp>

#include <random>

#include "holds.hpp"
#include "ecn.h"
#include "headers.h"
#include "packets.hpp"

using packets::Packet;

static bool mark(packets::Bytes &frame)
{
	rxaqm_policy policy = {};
	rxaqm_packet pkt;

	rxaqm_packet_classify(&pkt, frame.data(), frame.data() + frame.size(), &policy);
	HOLDS(frame.size() >= pkt.ip_off + size_t(RXAQM_ECN_BYTES));
	return rxaqm_ecn_mark(&frame[pkt.ip_off]);
}

/* @frame as it should be after a mark: built afresh with the ECN field set. */
static packets::Bytes expected(Packet p)
{
	if (p.tos & 3)
		p.tos |= 3;
	return packets::build(p);
}

TEST_CASE("ecn: all TOS values in all shapes", "[ecn]")
{
	for (int version : { 4, 6 }) {
		for (size_t tags = 0; tags <= 2; tags++) {
			for (unsigned options = 0; options <= 10; options += 5) {
				for (unsigned tos = 0; tos < 256; tos++) {
					Packet p;

					p.version = version;
					p.vlans.assign(tags, 0x2fff);
					p.ip_options = options;
					p.tos = uint8_t(tos);
					p.payload = 77;
					packets::Bytes frame = packets::build(p);

					CAPTURE(version, tags, options, tos);
					CHECK(mark(frame) == ((tos & 3) != 0));
					CHECK(frame == expected(p));
				}
			}
		}
	}
}

TEST_CASE("ecn: the checksum of any header stays right", "[ecn]")
{
	std::mt19937 random(7);

	for (int i = 0; i < 200000; i++) {
		packets::Bytes frame = packets::build({});
		uint8_t *ip = &frame[14];
		uint16_t sum;

		for (int k : { 1, 4, 5, 6, 7, 8, 12, 13, 14, 15, 16, 17, 18, 19 })
			ip[k] = uint8_t(random());
		ip[10] = ip[11] = 0;
		sum = packets::checksum(ip, 20);
		ip[10] = uint8_t(sum >> 8);
		ip[11] = uint8_t(sum);
		mark(frame);
		HOLDS(packets::ip4_checksum_ok(ip));
	}
}

TEST_CASE("ecn: all checksum values there can be", "[ecn]")
{
	/* The identification runs through all its values, and so does the checksum. */
	for (unsigned tos = 1; tos <= 3; tos++) {
		Packet p;

		p.tos = uint8_t(tos);
		packets::Bytes proto = packets::build(p);

		for (unsigned id = 0; id < 65536; id++) {
			packets::Bytes frame = proto;
			uint8_t *ip = &frame[14];
			uint16_t sum;

			ip[4] = uint8_t(id >> 8);
			ip[5] = uint8_t(id);
			ip[10] = ip[11] = 0;
			sum = packets::checksum(ip, 20);
			ip[10] = uint8_t(sum >> 8);
			ip[11] = uint8_t(sum);
			HOLDS(mark(frame));
			sum = packets::get16(ip + 10);
			ip[10] = ip[11] = 0;
			HOLDS(sum == packets::checksum(ip, 20));
		}
	}
}

TEST_CASE("ecn: a wrong checksum stays wrong", "[ecn]")
{
	Packet p;

	p.tos = 2;
	packets::Bytes frame = packets::build(p);

	frame[14 + 10] ^= 0x40;
	CHECK(mark(frame));
	CHECK_FALSE(packets::ip4_checksum_ok(&frame[14]));
}

TEST_CASE("ecn: what is not IP is left alone", "[ecn]")
{
	for (unsigned first = 0; first < 256; first++) {
		packets::Bytes header(RXAQM_ECN_BYTES, 0xff), before;

		header[0] = uint8_t(first);
		before = header;
		CHECK(rxaqm_ecn_mark(header.data()) == (first >> 4 == 4 || first >> 4 == 6));
		if (first >> 4 != 4)
			CHECK(header == before);
	}
}
