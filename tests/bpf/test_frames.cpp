// SPDX-License-Identifier: GPL-2.0-only
/* Frames of all shapes through the XDP program: what is found in them, and what comes out. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <functional>

#include "plane.hpp"

using namespace packets;

namespace
{

struct Frame {
	const char *name;
	Packet packet;
};

Packet with(const std::function<void(Packet &)> &change, int version = 4)
{
	Packet p = data_packet();

	p.version = version;
	change(p);
	return p;
}

/* Enforced on a queue that has been over target: the next eligible packet is signalled. */
class Signaller : public Plane
{
    public:
	explicit Signaller(const rxaqm_policy &policy = simple_policy(),
			   const PlaneConfig &config = {})
		: Plane(config)
	{
		set_policy(policy);
		stand(100 * US);
		run(data_packet()); /* takes the policy over */
	}
	/* Whatever comes next is signalled, however little there was of its class. */
	void due()
	{
		stand(5 * MS);
		/* Fresh, however long the machine pauses before the packet comes. */
		queue().sample_ns += SEC;
		overdue();
		for (uint32_t &credit : queue().credit)
			credit = RXAQM_GUARD_DROP;
	}
	Out signal(const Bytes &frame)
	{
		due();
		return run(frame);
	}
};

const Frame signalled[] = {
	{ "IPv4", with([](Packet &) {}) },
	{ "IPv4, UDP", with([](Packet &p) { p.protocol = UDP; }) },
	{ "IPv4 with options", with([](Packet &p) { p.ip_options = 10; }) },
	{ "IPv4, first fragment",
	  with([](Packet &p) { p.fragment = 0, p.more_fragments = true; }) },
	{ "IPv4, later fragment", with([](Packet &p) { p.fragment = 10; }) },
	{ "IPv4, SCTP", with([](Packet &p) { p.protocol = 132; }) },
	{ "one tag", with([](Packet &p) { p.vlans = { 100 }; }) },
	{ "two tags", with([](Packet &p) { p.vlans = { 100, 200 }; }) },
	{ "IPv6", with([](Packet &) {}, 6) },
	{ "IPv6, two tags", with([](Packet &p) { p.vlans = { 100, 200 }; }, 6) },
	{ "IPv6, hop-by-hop",
	  with([](Packet &p) { p.ext = { { HOPOPTS, 1 }, { DSTOPTS, 2 } }; }, 6) },
	{ "IPv6, all kinds",
	  with([](Packet &p) { p.ext = { { HOPOPTS, 1 }, { ROUTING, 3 }, { AH, 3 } }; }, 6) },
	{ "IPv6, first fragment",
	  with([](Packet &p) { p.fragment = 0, p.more_fragments = true; }, 6) },
	{ "IPv6, later fragment", with([](Packet &p) { p.fragment = 10; }, 6) },
	{ "padded", with([](Packet &p) { p.payload = 1, p.padding = 60; }) },
	/* More than a page: XDP sees the head only. */
	{ "jumbo", with([](Packet &p) { p.payload = 8900; }) },
	{ "jumbo, IPv6", with([](Packet &p) { p.payload = 8900; }, 6) },
};

const Frame left_alone[] = {
	{ "ARP", with([](Packet &p) { p.ethertype = 0x0806; }) },
	{ "PTP over Ethernet", with([](Packet &p) { p.ethertype = 0x88f7; }) },
	{ "ICMP", with([](Packet &p) { p.protocol = ICMP; }) },
	{ "ICMPv6", with([](Packet &p) { p.protocol = ICMPV6; }, 6) },
	{ "ICMPv6 behind an extension header",
	  with([](Packet &p) { p.protocol = ICMPV6, p.ext = { { HOPOPTS, 1 } }; }, 6) },
	{ "IGMP", with([](Packet &p) { p.protocol = IGMP; }) },
	{ "OSPF", with([](Packet &p) { p.protocol = OSPF; }) },
	{ "VRRP", with([](Packet &p) { p.protocol = VRRP; }) },
	{ "DSCP CS6", with([](Packet &p) { p.tos = 48 << 2; }) },
	{ "DSCP CS7", with([](Packet &p) { p.tos = 56 << 2; }, 6) },
	{ "PTP event", with([](Packet &p) { p.protocol = UDP, p.dport = 319; }) },
	{ "three tags", with([](Packet &p) { p.vlans = { 1, 2, 3 }; }) },
	{ "too many extension headers",
	  with([](Packet &p) { p.ext.assign(7, { DSTOPTS, 1 }); }, 6) },
	{ "pure ACK", with([](Packet &p) { p.flags = ACK, p.payload = 0; }) },
	{ "pure ACK, tag",
	  with([](Packet &p) { p.flags = ACK | ECE, p.payload = 0, p.vlans = { 7 }; }) },
	{ "pure ACK, IPv6, timestamps",
	  with([](Packet &p) { p.flags = ACK, p.payload = 0, p.tcp_options = timestamps(); }, 6) },
};

PlaneConfig kernel(bool fragments)
{
	PlaneConfig config;

	config.no_fragments = !fragments;
	return config;
}

} /* namespace */

TEST_CASE("frames: whatever carries data is dropped or marked", "[frames]")
{
	const bool fragments = GENERATE(true, false);
	Signaller plane(simple_policy(), kernel(fragments));

	for (const Frame &frame : signalled) {
		Packet ect = frame.packet, ce = frame.packet;

		CAPTURE(frame.name, fragments);
		if (!fragments && ect.payload > 4000)
			continue; /* no driver hands that over */
		CHECK(plane.signal(build(frame.packet)).verdict == XDP_DROP);
		ect.tos |= 2;
		ce.tos |= 3;
		Out out = plane.signal(build(ect));
		CHECK(out.verdict == XDP_PASS);
		CHECK(out.packet == build(ce));
	}
}

TEST_CASE("frames: control traffic and pure ACKs are left alone", "[frames]")
{
	const bool fragments = GENERATE(true, false);
	Signaller plane(simple_policy(), kernel(fragments));

	for (const Frame &frame : left_alone) {
		for (uint8_t ecn : { 0, 2 }) {
			Packet p = frame.packet;

			CAPTURE(frame.name, ecn);
			p.tos |= ecn;
			Out out = plane.signal(build(p));
			CHECK(out.verdict == XDP_PASS);
			CHECK(out.packet == build(p));
		}
	}
	CHECK(plane.stat(RXAQM_STAT_OVER_EXEMPT) == 2 * 13);
	CHECK(plane.stat(RXAQM_STAT_OVER_ACK) == 2 * 3);
}

TEST_CASE("frames: what the policy exempts", "[frames]")
{
	rxaqm_policy policy = simple_policy();

	policy.exempt_dscp = 1ULL << 46;
	policy.exempt_port[0] = 22;
	policy.exempt_port[1] = 3260;
	policy.nr_exempt_ports = 2;
	Signaller plane(policy);

	for (int version : { 4, 6 }) {
		for (size_t tags : { 0, 1 }) {
			auto verdict = [&](const std::function<void(Packet &)> &change) {
				Packet p = with(change, version);

				p.vlans.assign(tags, 5);
				return plane.signal(build(p)).verdict;
			};

			CAPTURE(version, tags);
			CHECK(verdict([](Packet &p) { p.tos = 46 << 2; }) == XDP_PASS);
			CHECK(verdict([](Packet &p) { p.sport = 22; }) == XDP_PASS);
			CHECK(verdict([](Packet &p) { p.dport = 3260; }) == XDP_PASS);
			CHECK(verdict([](Packet &p) { p.dport = 3260, p.protocol = UDP; }) ==
			      XDP_PASS);
			CHECK(verdict([](Packet &p) { p.dport = 3261; }) == XDP_DROP);
			CHECK(verdict([](Packet &p) { p.tos = 45 << 2; }) == XDP_DROP);
			/* Who names others takes the default away. */
			CHECK(verdict([](Packet &p) { p.tos = 48 << 2; }) == XDP_DROP);
			CHECK(verdict([](Packet &p) { p.tos = 56 << 2; }) == XDP_DROP);
			/* No ports, and slots of the table that are not in use. */
			CHECK(verdict([](Packet &p) { p.fragment = 10; }) == XDP_DROP);
			CHECK(verdict([](Packet &p) { p.sport = 0, p.protocol = UDP; }) ==
			      XDP_DROP);
		}
	}
}

TEST_CASE("frames: cut short anywhere", "[frames]")
{
	const bool fragments = GENERATE(true, false);
	Signaller plane(simple_policy(), kernel(fragments));

	for (const Frame &frame : signalled) {
		Packet p = frame.packet;

		if (p.payload > 1000)
			continue;
		p.tos |= 2;
		Bytes whole = build(p);
		size_t header = ip_offset(p) + (p.version == 6 ? 40 : 20);

		for (size_t len = 14; len < whole.size(); len++) {
			Bytes cut(whole.begin(), whole.begin() + long(len));
			Out out = plane.signal(cut);

			CAPTURE(frame.name, len);
			REQUIRE(out.verdict == XDP_PASS);
			REQUIRE(out.packet.size() == len);
			if (len < header)
				REQUIRE(out.packet == cut);
		}
	}
}

TEST_CASE("frames: what lies in later pieces of a packet is found", "[frames]")
{
	Signaller plane;

	/* Some drivers leave the first piece empty. */
	for (size_t linear = 0; linear <= 100; linear++) {
		for (const Frame &frame : signalled) {
			Packet ect = frame.packet, ce = frame.packet;

			if (ect.payload < 100)
				ect.payload = 100; /* some bytes have to be left */
			ce.payload = ect.payload;
			ect.tos |= 2;
			ce.tos |= 3;
			CAPTURE(frame.name, linear);
			plane.due();
			Out out = plane.run_split(build(ect), linear);
			REQUIRE(out.verdict == XDP_PASS);
			REQUIRE(out.packet == build(ce));
			ect.tos &= uint8_t(~3);
			plane.due();
			REQUIRE(plane.run_split(build(ect), linear).verdict == XDP_DROP);
		}
		for (const Frame &frame : left_alone) {
			Bytes bytes = build(frame.packet);

			CAPTURE(frame.name, linear);
			plane.due();
			Out out = plane.run_split(bytes, std::min(linear, bytes.size()));
			REQUIRE(out.verdict == XDP_PASS);
			REQUIRE(out.packet == bytes);
		}
	}
}

TEST_CASE("frames: lengths in the headers that cannot be", "[frames]")
{
	Signaller plane;
	Bytes frame = build(data_packet(2));

	auto altered = [&](size_t at, uint8_t value) {
		Bytes bytes = frame;

		bytes[at] = value;
		return bytes;
	};
	const Bytes bad[] = {
		altered(14, 0x44), /* IPv4 header of 16 bytes */
		altered(14, 0x55), /* version 5 */
		altered(17, 10), /* total length below the header's */
	};
	for (const Bytes &bytes : bad) {
		Out out = plane.signal(bytes);

		CHECK(out.verdict == XDP_PASS);
		CHECK(out.packet == bytes);
	}
	/* A TCP header longer than the packet is no pure ACK. */
	Bytes bytes = altered(14 + 20 + 12, 0xf0);
	Bytes ip(bytes.begin(), bytes.end());
	ip[16] = 0;
	ip[17] = 44;
	CHECK(plane.signal(ip).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_OVER_ACK) == 0);
}
