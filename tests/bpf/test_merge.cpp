// SPDX-License-Identifier: GPL-2.0-only
/* PSH of full segments is cleared for GRO in a bad queue, and the kernel takes what comes out. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <functional>

#include "receiver.hpp"
#include "verdict.hpp"

using namespace packets;

namespace
{

Packet segment(const std::function<void(Packet &)> &change = [](Packet &) {})
{
	Packet p = data_packet();

	p.payload = 1200;
	p.tcp_options = timestamps();
	change(p);
	return p;
}

Bytes without_psh(Packet p)
{
	p.flags &= uint8_t(~PSH);
	return build(p);
}

rxaqm_policy merging()
{
	rxaqm_policy policy = auto_policy();

	policy.merge = RXAQM_MERGE_ON;
	return policy;
}

/* A bad queue in which no flow is over its limit, and nothing is forgotten. */
class Merger : public Plane
{
    public:
	explicit Merger(const rxaqm_policy &policy = merging(), const PlaneConfig &config = {},
			uint32_t iface_flags = 0)
		: Plane(config)
	{
		iface().flags |= iface_flags;
		take_policy(*this, policy);
		set_flows({});
	}
	Out send(const Bytes &frame, size_t linear)
	{
		rxaqm_law_vars &law = queue().law;

		law.limit = law.strangers = ~0U;
		law.stamp_bits = 40;
		law.bad = bad;
		law.turn_ns = now_ns();
		stand(5 * MS);
		return run_split(frame, linear);
	}
	Out send(const Packet &p)
	{
		const Bytes frame = build(p);

		return send(frame, frame.size());
	}
	/* The flow of @p becomes known, and has just kept its PSH. */
	void know(Packet p)
	{
		p.flags = ACK;
		for (int i = 0; i < 9; i++)
			send(p);
		p.flags |= PSH;
		p.payload = 10;
		send(p);
	}
	bool bad = true;
};

/* Send one full segment of a flow that is known by others. */
Out one(Merger &plane, const Packet &p)
{
	Packet plain = segment();

	plain.version = p.version;
	plain.vlans = p.vlans;
	plane.know(plain);
	return plane.send(p);
}

} /* namespace */

TEST_CASE("merge: PSH goes from full segments, whatever they come in", "[merge]")
{
	Merger plane;
	uint64_t cleared = 0;

	for (int version : { 4, 6 }) {
		for (size_t tags : { 0, 1, 2 }) {
			for (const Bytes &options : { timestamps(), Bytes{} }) {
				Packet p = segment();

				p.version = version;
				p.vlans.assign(tags, 7);
				p.tcp_options = options;
				CAPTURE(version, tags, options.size());
				Out out = one(plane, p);
				CHECK(out.verdict == XDP_PASS);
				CHECK(out.packet == without_psh(p));
				CHECK(plane.stat(RXAQM_STAT_PSH_CLEARED) == ++cleared);
			}
		}
	}
	/* ECN-capable packets, too. */
	Packet p = segment([](Packet &q) { q.tos = ECT0; });
	CHECK(one(plane, p).packet == without_psh(p));
	CHECK(plane.stat(RXAQM_STAT_WOULD_PSH_CLEARED) == 0);
}

TEST_CASE("merge: one in nine is kept", "[merge]")
{
	Merger plane;
	const Packet p = segment();

	plane.know(p);
	for (int i = 0; i < 30; i++) {
		CAPTURE(i);
		CHECK(plane.send(p).packet == (i % 9 == 8 ? build(p) : without_psh(p)));
	}
	CHECK(plane.stat(RXAQM_STAT_PSH_CLEARED) == 27);
}

TEST_CASE("merge: PSH stays where it may be signed, or may mean more", "[merge]")
{
	const std::pair<const char *, Packet> cases[] = {
		{ "short", segment([](Packet &p) { p.payload = 1023; }) },
		{ "short and padded", segment([](Packet &p) { p.payload = 9, p.padding = 1300; }) },
		{ "FIN", segment([](Packet &p) { p.flags |= FIN; }) },
		{ "URG", segment([](Packet &p) { p.flags |= URG; }) },
		{ "CWR", segment([](Packet &p) { p.flags |= CWR; }) },
		{ "AE", segment([](Packet &p) { p.reserved = 1; }) },
		{ "SACK", segment([](Packet &p) { p.tcp_options = sack(1, 2); }) },
		{ "TCP-AO", segment([](Packet &p) {
			  p.tcp_options = { 29, 12, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8 };
		  }) },
		{ "AH", segment([](Packet &p) { p.version = 6, p.ext = { { AH, 3 } }; }) },
		{ "IPv4 options", segment([](Packet &p) { p.ip_options = 1; }) },
		{ "first fragment",
		  segment([](Packet &p) { p.fragment = 0, p.more_fragments = true; }) },
		{ "no PSH", segment([](Packet &p) { p.flags = ACK; }) },
		{ "UDP", segment([](Packet &p) { p.protocol = UDP; }) },
	};
	Merger plane;

	for (const auto &[name, packet] : cases) {
		CAPTURE(name);
		Out out = one(plane, packet);
		CHECK(out.verdict == XDP_PASS);
		CHECK(out.packet == build(packet));
	}
	CHECK(plane.stat(RXAQM_STAT_PSH_CLEARED) == 0);
	/* And where the header is in a fragment. */
	const Bytes frame = build(segment());
	plane.know(segment());
	CHECK(plane.send(frame, 14 + 20 + 32).packet == without_psh(segment()));
	plane.know(segment());
	CHECK(plane.send(frame, 14 + 20 + 31).packet == frame);
}

TEST_CASE("merge: only known flows in a bad queue", "[merge]")
{
	Merger plane;
	const Packet p = segment();

	/* The first packet makes the flow known, the fifth finds four. */
	for (int i = 1; i <= 8; i++)
		CHECK(plane.send(p).packet == (i > 4 ? without_psh(p) : build(p)));
	plane.know(p);
	plane.bad = false;
	CHECK(plane.send(p).packet == build(p));
	plane.bad = true;
	plane.know(p);
	CHECK(plane.send(p).packet == without_psh(p));
}

TEST_CASE("merge: nothing is cleared unless policy, mode and interface let it", "[merge]")
{
	const Packet p = segment();
	rxaqm_policy off = merging(), codel = merging(), observe = merging();
	PlaneConfig generic;
	const char *name = "";

	auto stays = [&](Merger &plane) {
		CAPTURE(name);
		CHECK(one(plane, p).packet == build(p));
		CHECK(plane.stat(RXAQM_STAT_PSH_CLEARED) == 0);
	};
	off.merge = RXAQM_MERGE_OFF;
	codel.law = RXAQM_LAW_CODEL;
	observe.mode = RXAQM_MODE_OBSERVE;
	generic.generic = true;
	{
		Merger plane(off);
		name = "merge=off";
		stays(plane);
		/* Switched on, it begins with the next poll. */
		take_policy(plane, merging());
		plane.set_flows({});
		CHECK(one(plane, p).packet == without_psh(p));
	}
	{
		Merger plane(codel);
		name = "law=codel";
		stays(plane);
	}
	{
		Merger plane(observe);
		name = "observe";
		stays(plane);
		CHECK(plane.stat(RXAQM_STAT_WOULD_PSH_CLEARED) == 1);
	}
	{
		Merger plane(merging(), generic);
		name = "generic";
		stays(plane);
	}
	{
		Merger plane(merging(), {}, RXAQM_IFACE_LEAVES);
		name = "packets leave the host";
		stays(plane);
		/* Packets end here from now on: the same policy, of another generation. */
		plane.iface().flags &= ~RXAQM_IFACE_LEAVES;
		const uint32_t x = plane.queue().law.most;
		take_policy(plane, merging());
		CHECK(plane.queue().law.most >= x); /* and the law goes on */
		CHECK(one(plane, p).packet == without_psh(p));
	}
}

TEST_CASE("merge: a socket gets its packets as they are", "[merge]")
{
	Merger plane;
	const Packet p = segment();

	plane.know(p);
	plane.put_socket();
	plane.queue().flags |= RXAQM_QUEUE_SOCKET;
	plane.publish(5 * MS);
	plane.look();
	Out out = plane.send(p);
	CHECK(out.verdict == XDP_REDIRECT);
	CHECK(out.packet == build(p));
	CHECK(plane.stat(RXAQM_STAT_PSH_CLEARED) == 0);
}

TEST_CASE("merge: the kernel finds the checksum right, and the application its bytes", "[merge]")
{
	const int version = GENERATE(4, 6);
	Receiver receiver(version);
	Merger plane;

	for (int i = 0; i < 20; i++) {
		const Packet p = receiver.next(ACK | PSH, 1400 - size_t(i));
		const Out out = plane.send(p);

		receiver.arrive(out.packet);
		REQUIRE(receiver.takes(p));
	}
	CHECK(plane.stat(RXAQM_STAT_PSH_CLEARED) > 10);
	CHECK(receiver.wrong() == 0);
	/* It does look: PSH cleared without its checksum. */
	Bytes frame = build(receiver.next(ACK | PSH, 1400));
	frame[(version == 4 ? 34 : 54) + 13] = ACK;
	receiver.arrive(frame);
	CHECK(receiver.wrong() == 1);
}
