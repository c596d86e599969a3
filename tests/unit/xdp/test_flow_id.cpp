/* SPDX-License-Identifier: GPL-2.0-only */
/* Which packets are of one flow. */
#include <catch2/catch_test_macros.hpp>

#include <set>

#include "flow_id.h"
#include "holds.hpp"
#include "packets.hpp"

using packets::Bytes;
using packets::Packet;

/* As the XDP program has it, tunnels looked into. */
static __u32 id_of(const Bytes &bytes, bool plain = true, __u32 seed = 3)
{
	const rxaqm_frame frame = { bytes.data(), __u32(bytes.size()) };
	__u32 lies = plain ? rxaqm_packet_plain(bytes.data(), bytes.data() + bytes.size()) : 0, id;
	rxaqm_packet pkt = {};

	HOLDS(rxaqm_frame_headers(&pkt, &frame, bytes.data(), lies));
	id = rxaqm_flow_id(&pkt, &frame, bytes.data(), lies, seed);
	if (!pkt.fragment && rxaqm_flow_tunnel(pkt.protocol))
		id ^= rxaqm_flow_inner(&frame, pkt.protocol, pkt.l4_off);
	return id;
}

TEST_CASE("flow id: each part of it counts, and nothing else", "[flow_id]")
{
	std::set<__u32> ids;
	size_t expected = 0;

	for (int version : { 4, 6 }) {
		for (uint8_t protocol : { packets::TCP, packets::UDP }) {
			for (uint16_t port = 1; port < 5; port++) {
				for (uint32_t address = 1; address < 50; address++) {
					Packet p;

					p.version = version;
					p.protocol = protocol;
					p.sport = 1 + port % 2;
					p.dport = 1 + port / 2;
					p.source = address;
					p.dest = 100 - address;
					p.payload = address % 3;
					__u32 id = id_of(packets::build(p));
					ids.insert(id);
					expected++;
					/* Read where it lies, or copied; with options, ECN. */
					CHECK(id_of(packets::build(p), false) == id);
					p.vlans = { 5 };
					__u32 tagged = id_of(packets::build(p));
					CHECK(tagged != id);
					p.vlans = { 0xe005 }; /* a priority is no part of it */
					CHECK(id_of(packets::build(p)) == tagged);
					p.vlans = {};
					p.tos = 3;
					p.seq = 77;
					p.payload = 400;
					CHECK(id_of(packets::build(p)) == id);
					if (version == 4)
						p.ip_options = 2;
					else
						p.ext = { { packets::DSTOPTS, 1 } };
					CHECK(id_of(packets::build(p)) == id);
					CHECK(id_of(packets::build(p), true, 4) != id);
				}
			}
		}
	}
	CHECK(ids.size() == expected);
}

TEST_CASE("flow id: fragments of a datagram are of one flow", "[flow_id]")
{
	for (int version : { 4, 6 }) {
		Packet first, later;

		first.version = later.version = version;
		first.protocol = later.protocol = packets::UDP;
		first.payload = later.payload = 800;
		first.fragment = 0;
		first.more_fragments = true;
		later.fragment = 101;
		CHECK(id_of(packets::build(first)) == id_of(packets::build(later)));
		later.source = 9;
		CHECK(id_of(packets::build(first)) != id_of(packets::build(later)));
	}
}

TEST_CASE("flow id: connections that two hosts open and close are of one flow", "[flow_id]")
{
	for (int version : { 4, 6 }) {
		Packet syn, fin, data;

		syn.version = fin.version = data.version = version;
		syn.flags = packets::SYN;
		fin.flags = packets::FIN | packets::ACK;
		fin.sport++;
		CHECK(id_of(packets::build(syn)) == id_of(packets::build(fin)));
		CHECK(id_of(packets::build(syn)) != id_of(packets::build(data)));
		fin.source = 9;
		CHECK(id_of(packets::build(syn)) != id_of(packets::build(fin)));
	}
}

/* IP with @payload as its own, of @protocol. */
static Bytes carried(uint8_t protocol, const Bytes &payload, int version = 4)
{
	Packet p;

	p.version = version;
	p.protocol = protocol;
	p.payload = payload.size();
	Bytes out = packets::build(p);
	std::copy(payload.begin(), payload.end(), out.end() - long(payload.size()));
	return out;
}

/* The IP packet in the frame of @p. */
static Bytes inner(const Packet &p)
{
	Bytes out = packets::build(p);

	return { out.begin() + RXAQM_ETH_HLEN, out.end() };
}

static Bytes operator+(Bytes a, const Bytes &b)
{
	a.insert(a.end(), b.begin(), b.end());
	return a;
}

TEST_CASE("flow id: flows in a tunnel are told apart by what is inside", "[flow_id]")
{
	const Bytes ethernet(12, 7);
	struct Tunnel {
		const char *name;
		uint8_t protocol;
		Bytes header4, header6; /* of what carries IPv4, and IPv6 */
	} tunnels[] = {
		{ "IP in IP", RXAQM_IPPROTO_IPIP, {}, {} },
		{ "6in4", RXAQM_IPPROTO_IPV6, {}, {} },
		{ "GRE", RXAQM_IPPROTO_GRE, { 0, 0, 8, 0 }, { 0, 0, 0x86, 0xdd } },
		{ "GRE with checksum, key and sequence number",
		  RXAQM_IPPROTO_GRE,
		  { 0xb0, 0, 8, 0, 1, 2, 0, 0, 0, 0, 0, 9, 0, 0, 1, 2 },
		  { 0xb0, 0, 0x86, 0xdd, 1, 2, 0, 0, 0, 0, 0, 9, 0, 0, 1, 2 } },
		{ "GRE with Ethernet", RXAQM_IPPROTO_GRE,
		  Bytes{ 0, 0, 0x65, 0x58 } + ethernet + Bytes{ 8, 0 },
		  Bytes{ 0, 0, 0x65, 0x58 } + ethernet + Bytes{ 0x86, 0xdd } },
	};

	for (const Tunnel &tunnel : tunnels) {
		for (int outer : { 4, 6 }) {
			std::set<__u32> ids;

			CAPTURE(tunnel.name, outer);
			for (int version : { 4, 6 }) {
				const Bytes &header = version == 4 ? tunnel.header4 :
								     tunnel.header6;
				for (uint16_t port = 1; port <= 24; port++) {
					Packet p;

					p.version = version;
					p.sport = port;
					p.payload = 100;
					__u32 id = id_of(
						carried(tunnel.protocol, header + inner(p), outer));
					ids.insert(id);
					p.seq = 99;
					p.tos = 3;
					CHECK(id_of(carried(tunnel.protocol, header + inner(p),
							    outer)) == id);
				}
			}
			CHECK(ids.size() == 48);
		}
	}
}

TEST_CASE("flow id: ESP by its SPI; what a tunnel does not tell is one flow", "[flow_id]")
{
	Bytes esp(60, 0), other;

	esp[3] = 1;
	other = esp;
	other[40] = 77;
	CHECK(id_of(carried(RXAQM_IPPROTO_ESP, esp)) == id_of(carried(RXAQM_IPPROTO_ESP, other)));
	other[3] = 2;
	CHECK(id_of(carried(RXAQM_IPPROTO_ESP, esp)) != id_of(carried(RXAQM_IPPROTO_ESP, other)));
	/* GRE of another version, a payload that is no IP, and one that is cut short. */
	CHECK(id_of(carried(RXAQM_IPPROTO_GRE, Bytes{ 0, 1, 8, 0 } + Bytes(60, 0x45))) ==
	      id_of(carried(RXAQM_IPPROTO_GRE, Bytes{ 0, 1, 8, 0 } + Bytes(60, 0x44))));
	CHECK(id_of(carried(RXAQM_IPPROTO_IPIP, Bytes(60, 0x11))) ==
	      id_of(carried(RXAQM_IPPROTO_IPIP, Bytes(60, 0x12))));
	id_of(carried(RXAQM_IPPROTO_IPIP, Bytes(10, 0x45)));
	id_of(carried(RXAQM_IPPROTO_GRE, Bytes(3, 0)));
}
