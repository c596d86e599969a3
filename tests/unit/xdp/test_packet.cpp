/* SPDX-License-Identifier: GPL-2.0-only */
/* What class a frame is of, for whole frames and for frames cut anywhere. */
#include <catch2/catch_test_macros.hpp>

#include "headers.h"
#include "packets.hpp"

using packets::Packet;

static rxaqm_packet classify(const packets::Bytes &frame, const rxaqm_policy &policy = {})
{
	rxaqm_packet pkt;

	rxaqm_packet_classify(&pkt, frame.data(), frame.data() + frame.size(), &policy);
	return pkt;
}

static rxaqm_packet classify(const Packet &p, const rxaqm_policy &policy = {})
{
	return classify(packets::build(p), policy);
}

/* Each shape that the parser knows: IP version, tags, options or extensions. */
static std::vector<Packet> shapes()
{
	std::vector<Packet> out;

	for (size_t tags = 0; tags <= 2; tags++) {
		Packet p;

		p.vlans.assign(tags, 0x6005);
		for (unsigned options : { 0U, 1U, 10U }) {
			p.ip_options = options;
			out.push_back(p);
		}
		p.ip_options = 0;
		p.version = 6;
		out.push_back(p);
		p.ext = { { packets::HOPOPTS, 1 } };
		out.push_back(p);
		p.ext = { { packets::HOPOPTS, 2 }, { packets::ROUTING, 3 },
			  { packets::DSTOPTS, 1 }, { packets::FRAGMENT, 1 },
			  { packets::AH, 3 },	   { packets::DSTOPTS, 2 } };
		out.push_back(p);
	}
	return out;
}

TEST_CASE("packet: fields of every shape", "[packet]")
{
	for (Packet p : shapes()) {
		p.tos = 0xb9; /* EF, ECT(1) */
		p.payload = 100;
		p.flags = packets::ACK | packets::PSH;
		rxaqm_packet pkt = classify(p);

		CAPTURE(p.version, p.vlans.size(), p.ip_options, p.ext.size());
		CHECK(pkt.kind == RXAQM_KIND_TCP);
		CHECK(pkt.ip_version == p.version);
		CHECK(pkt.ecn == 1);
		CHECK(pkt.dscp == 46);
		CHECK(pkt.protocol == packets::TCP);
		CHECK(pkt.sport == p.sport);
		CHECK(pkt.dport == p.dport);
		CHECK(pkt.tcp_flags == p.flags);
		CHECK(pkt.tcp_hlen == 20);
		CHECK(pkt.payload == 100);
		CHECK(pkt.ip_off == packets::ip_offset(p));
		CHECK(pkt.l4_off == packets::build(p).size() - 120);
	}
}

TEST_CASE("packet: classes by TCP flags", "[packet]")
{
	for (Packet p : shapes()) {
		for (unsigned flags = 0; flags < 256; flags++) {
			bool pure = (flags & ~(packets::ECE | packets::CWR)) == packets::ACK;
			bool syn = flags & (packets::SYN | packets::FIN | packets::RST);
			rxaqm_kind data = syn ? RXAQM_KIND_SYN : RXAQM_KIND_TCP;

			p.flags = uint8_t(flags);
			p.payload = 0;
			CAPTURE(p.version, flags);
			CHECK(classify(p).kind == (pure ? RXAQM_KIND_ACK : data));
			p.payload = 1;
			CHECK(classify(p).kind == data);
		}
	}
}

TEST_CASE("packet: padding after a pure ACK is not payload", "[packet]")
{
	for (Packet p : shapes()) {
		for (size_t padding : { 1, 6, 20, 46 }) {
			p.padding = padding;
			CHECK(classify(p).kind == RXAQM_KIND_ACK);
			CHECK(classify(p).payload == 0);
		}
	}
}

TEST_CASE("packet: cut anywhere, a frame is exempt or read right", "[packet]")
{
	for (Packet p : shapes()) {
		for (uint8_t protocol : { packets::TCP, packets::UDP }) {
			p.protocol = protocol;
			p.tos = 2;
			p.payload = 30;
			p.tcp_options = packets::timestamps();
			packets::Bytes frame = packets::build(p);
			rxaqm_packet whole = classify(frame);

			for (size_t n = 0; n < frame.size(); n++) {
				/* Of exact size, so that a sanitizer sees any step too far. */
				packets::Bytes cut(frame.begin(), frame.begin() + long(n));
				rxaqm_packet pkt;

				cut.shrink_to_fit();
				pkt = classify(cut);
				CAPTURE(n, p.version, p.vlans.size());
				if (n < whole.l4_off + (protocol == packets::TCP ? 20U : 8U)) {
					CHECK(pkt.kind == RXAQM_KIND_EXEMPT);
					continue;
				}
				CHECK(pkt.kind == (protocol == packets::TCP ? RXAQM_KIND_TCP :
									      RXAQM_KIND_DATA));
				CHECK(pkt.ecn == whole.ecn);
				CHECK(pkt.protocol == whole.protocol);
				CHECK(pkt.sport == whole.sport);
				CHECK(pkt.payload == whole.payload);
			}
		}
	}
}

TEST_CASE("packet: fragments", "[packet]")
{
	for (int version : { 4, 6 }) {
		Packet p;

		p.version = version;
		p.fragment = 0;
		p.more_fragments = true;
		p.payload = 64;
		CHECK(classify(p).sport == p.sport);
		CHECK_FALSE(classify(p).fragment);
		/* The payload of a first one that ends with the header follows in the next. */
		p.payload = 0;
		CHECK(classify(p).kind == RXAQM_KIND_TCP);
		p.more_fragments = false;
		CHECK(classify(p).kind == RXAQM_KIND_ACK);
		p.more_fragments = true;
		p.payload = 64;
		/* What a later one begins with may look like any header. */
		for (int offset : { 1, 8, 0x1fff }) {
			p.fragment = offset;
			rxaqm_packet pkt = classify(p);

			CHECK(pkt.kind == RXAQM_KIND_DATA);
			CHECK(pkt.fragment);
			CHECK(pkt.sport == 0);
			CHECK(pkt.dport == 0);
			CHECK(pkt.tcp_hlen == 0);
		}
		p.protocol = version == 4 ? packets::ICMP : packets::ICMPV6;
		CHECK(classify(p).kind == RXAQM_KIND_EXEMPT);
		p.fragment = -1;
		p.more_fragments = false;
	}
}

TEST_CASE("packet: IPv6 extension headers up to the bound, and over it", "[packet]")
{
	Packet p;

	p.version = 6;
	for (unsigned n = 0; n <= 12; n++) {
		CAPTURE(n);
		p.protocol = packets::TCP;
		CHECK(classify(p).kind ==
		      (n <= RXAQM_MAX_IP6_EXT ? RXAQM_KIND_ACK : RXAQM_KIND_EXEMPT));
		/* Neighbour discovery hides behind no number of them. */
		p.protocol = packets::ICMPV6;
		CHECK(classify(p).kind == RXAQM_KIND_EXEMPT);
		p.ext.push_back({ packets::DSTOPTS, 1 });
	}
	p.ext = { { packets::HOPOPTS, 256 } };
	p.protocol = packets::TCP;
	CHECK(classify(p).kind == RXAQM_KIND_ACK);
}

TEST_CASE("packet: lengths that lie", "[packet]")
{
	packets::Bytes frame = packets::build({});

	frame[14] = 0x44; /* header of 16 bytes */
	CHECK(classify(frame).kind == RXAQM_KIND_EXEMPT);
	frame[14] = 0x55; /* IPv5 */
	CHECK(classify(frame).kind == RXAQM_KIND_EXEMPT);
	frame = packets::build({});
	frame[16] = 0;
	frame[17] = 19; /* total length below the header's */
	CHECK(classify(frame).kind == RXAQM_KIND_EXEMPT);
	frame = packets::build({});
	frame[17] = 39; /* cuts the TCP header */
	CHECK(classify(frame).kind == RXAQM_KIND_EXEMPT);
	frame = packets::build({});
	frame[46] = 0x40; /* TCP header of 16 bytes */
	CHECK(classify(frame).kind == RXAQM_KIND_EXEMPT);
	frame[46] = 0xf0; /* longer than the packet */
	CHECK(classify(frame).kind == RXAQM_KIND_EXEMPT);
	frame[20] = 0x20; /* and more fragments follow, with the rest of it */
	CHECK(classify(frame).kind == RXAQM_KIND_TCP);

	Packet p;

	p.version = 6;
	p.ext = { { packets::DSTOPTS, 2 } };
	frame = packets::build(p);
	frame[14 + 41] = 200; /* extension beyond the payload */
	CHECK(classify(frame).kind == RXAQM_KIND_EXEMPT);
}

TEST_CASE("packet: what is always exempt", "[packet]")
{
	for (uint16_t type : { 0x0806, 0x88cc, 0x88f7, 0x8847, 0x0026 }) { /* ARP, LLDP, PTP.. */
		Packet p;

		p.ethertype = type;
		p.payload = 60;
		CHECK(classify(p).kind == RXAQM_KIND_EXEMPT);
		CHECK(classify(p).ip_version == 0);
	}
	for (int version : { 4, 6 }) {
		for (uint8_t protocol : { packets::ICMP, packets::IGMP, packets::ICMPV6,
					  packets::OSPF, packets::VRRP }) {
			Packet p;

			p.version = version;
			p.protocol = protocol;
			p.payload = 64;
			CHECK(classify(p).kind == RXAQM_KIND_EXEMPT);
		}
		for (uint16_t port = 318; port <= 321; port++) {
			Packet p;

			p.version = version;
			p.protocol = packets::UDP;
			p.dport = port;
			p.payload = 44;
			bool ptp = port == 319 || port == 320;

			CHECK(classify(p).kind == (ptp ? RXAQM_KIND_EXEMPT : RXAQM_KIND_DATA));
		}
	}
	Packet three_tags;

	three_tags.vlans = { 1, 2, 3 };
	CHECK(classify(three_tags).kind == RXAQM_KIND_EXEMPT);
}

TEST_CASE("packet: DSCPs", "[packet]")
{
	for (int version : { 4, 6 }) {
		for (unsigned dscp = 0; dscp < 64; dscp++) {
			rxaqm_policy policy = {};
			Packet p;

			p.version = version;
			p.tos = uint8_t(dscp << 2);
			p.payload = 10;
			CHECK(classify(p).dscp == dscp);
			CHECK(classify(p).kind == RXAQM_KIND_TCP);
			policy.exempt_dscp = 1ULL << dscp;
			CHECK(classify(p, policy).kind == RXAQM_KIND_EXEMPT);
			policy.exempt_dscp = ~policy.exempt_dscp;
			CHECK(classify(p, policy).kind == RXAQM_KIND_TCP);
		}
	}
}

TEST_CASE("packet: ports that the policy exempts", "[packet]")
{
	rxaqm_policy policy = {};

	for (int i = 0; i < RXAQM_MAX_EXEMPT_PORTS; i++)
		policy.exempt_port[i] = uint16_t(100 + i);
	for (unsigned n = 0; n <= RXAQM_MAX_EXEMPT_PORTS; n++) {
		policy.nr_exempt_ports = uint8_t(n);
		for (uint8_t protocol : { packets::TCP, packets::UDP }) {
			for (unsigned port = 99; port < 110; port++) {
				bool exempt = port >= 100 && port < 100 + n;
				Packet p;

				p.protocol = protocol;
				p.payload = 5;
				p.sport = uint16_t(port);
				CAPTURE(n, port);
				CHECK((classify(p, policy).kind == RXAQM_KIND_EXEMPT) == exempt);
				std::swap(p.sport, p.dport);
				CHECK((classify(p, policy).kind == RXAQM_KIND_EXEMPT) == exempt);
				p.fragment = 3;
				CHECK(classify(p, policy).kind == RXAQM_KIND_DATA);
			}
		}
	}
}
