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
	const packets::FlowKey key = packets::flow_key(seed);
	__u32 lies = plain ? rxaqm_packet_plain(bytes.data(), bytes.data() + bytes.size()) : 0, id;
	rxaqm_packet pkt = {};

	HOLDS(rxaqm_frame_headers(&pkt, &frame, bytes.data(), lies));
	id = rxaqm_flow_id(&pkt, &frame, bytes.data(), lies, key.data());
	if (!pkt.fragment && rxaqm_flow_tunnel(pkt.protocol))
		id ^= rxaqm_flow_inner(&frame, pkt.protocol, pkt.l4_off, key.data());
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

TEST_CASE("flow id: nobody who does not know the key can choose two flows that are one",
	  "[flow_id]")
{
	/* Ports, and what the source differs by, of a twin of the flow from @sport to port 5201: by
	 * a hash that mixed a seed into its words, both were one flow for every seed.
	 */
	struct Twin {
		uint16_t sport, twin_sport, twin_dport;
		uint32_t source_xor; /* as it lies in memory, little end first */
	} twins[] = {
		{ 50001, 40380, 20618, 0x61e91ff5 },
		{ 50001, 59621, 55320, 0xa6a6f152 },
		{ 50002, 59622, 55320, 0xe2eaf152 },
	};
	std::mt19937 random(1);
	unsigned alike = 0;

	for (const Twin &t : twins) {
		Packet victim;

		victim.sport = t.sport;
		victim.dport = 5201;
		Packet other = victim;
		other.sport = t.twin_sport;
		other.dport = t.twin_dport;
		Bytes frame = packets::build(other);
		for (int i = 0; i < 4; i++)
			frame[size_t(RXAQM_ETH_HLEN + 12 + i)] ^= uint8_t(t.source_xor >> 8 * i);
		for (__u32 seed = 0; seed < 1000; seed++)
			alike += id_of(packets::build(victim), true, seed) ==
				 id_of(frame, true, seed);
	}
	CHECK(alike == 0);

	/* Nor does a difference of few bits, or one that is the same in two words, come out the
	 * same for many keys.
	 */
	for (int round = 0; round < 2000; round++) {
		const packets::FlowKey key = packets::flow_key(random());
		__u64 words[RXAQM_FLOW_WORDS], others[RXAQM_FLOW_WORDS];

		for (size_t i = 0; i < RXAQM_FLOW_WORDS; i++)
			others[i] = words[i] = random() | __u64(random()) << 32;
		const __u64 differ = round % 2 ? 1ULL << random() % 64 : 1ULL << 63 | 1ULL << 31;

		others[random() % RXAQM_FLOW_WORDS] ^= differ;
		if (round % 3)
			others[random() % RXAQM_FLOW_WORDS] ^= differ << (round % 5);
		if (std::equal(words, words + RXAQM_FLOW_WORDS, others))
			continue;
		alike += rxaqm_flow_hash(key.data(), words, RXAQM_FLOW_WORDS) ==
			 rxaqm_flow_hash(key.data(), others, RXAQM_FLOW_WORDS);
	}
	CHECK(alike == 0);
}

TEST_CASE("flow id: an inner packet cannot undo the hash of the outer one", "[flow_id]")
{
	std::set<__u32> ids;

	/* The same addresses inside as outside, and an empty inner packet. */
	for (__u32 seed = 0; seed < 100; seed++) {
		Packet p;

		p.payload = 40;
		ids.insert(id_of(carried(RXAQM_IPPROTO_IPIP, inner(p)), true, seed));
		ids.insert(id_of(carried(RXAQM_IPPROTO_IPIP, Bytes(40, 0x40)), true, seed));
	}
	CHECK(ids.size() == 200);
}
