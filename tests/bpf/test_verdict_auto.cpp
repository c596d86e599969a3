// SPDX-License-Identifier: GPL-2.0-only
/* The same under law=auto. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <vector>

#include "verdict.hpp"

using namespace packets;

/* So much over a limit that a packet passes once in 16,000. */
static const double MOST = 16000;

TEST_CASE("verdict: auto: marks, drops, and what it leaves alone", "[verdict]")
{
	struct Case {
		const char *name;
		double times;
		bool bad;
		uint8_t tos;
		uint64_t sojourn_ns;
		uint32_t verdict;
		bool mark;
	};
	const Case cases[] = {
		{ "all go", MOST, true, NECT, 5 * MS, XDP_DROP, false },
		{ "ECT, too, where marks are ignored", MOST, true, ECT0, 5 * MS, XDP_DROP, false },
		{ "not while it may be a burst", MOST, false, NECT, 5 * MS, XDP_PASS, false },
		{ "which is marked", MOST, false, ECT1, 5 * MS, XDP_PASS, true },
		{ "whatever a mark means", MOST, false, ECT0, 5 * MS, XDP_PASS, true },
		{ "from a seventh over the limit on all ECT is marked", 1.5, false, ECT1, 5 * MS,
		  XDP_PASS, true },
		{ "CE says it already", 1.5, false, CE, 5 * MS, XDP_PASS, false },
		{ "under half the goal", MOST, true, NECT, 400 * US, XDP_PASS, false },
		{ "under the limit", 0.9, true, NECT, 5 * MS, XDP_PASS, false },
		{ "network control", MOST, true, 48 << 2, 5 * MS, XDP_PASS, false },
	};
	Plane plane;

	for (const Case &c : cases) {
		CAPTURE(c.name);
		take_policy(plane, auto_policy());
		plane.hold(c.times, c.bad);
		plane.stand(c.sojourn_ns);
		Out out = plane.run(data_packet(c.tos));
		CHECK(out.verdict == c.verdict);
		if (c.verdict == XDP_PASS)
			CHECK(out.packet ==
			      (c.mark ? marked(data_packet(c.tos)) : build(data_packet(c.tos))));
	}
	CHECK(plane.stat(RXAQM_STAT_DROP) == 2);
	CHECK(plane.stat(RXAQM_STAT_DROP_ECT) == 1);
	CHECK(plane.stat(RXAQM_STAT_ECN_MARK) == 3);
}

TEST_CASE("verdict: auto: the limit falls while the queue stands, and the queue turns bad",
	  "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = auto_policy();
	rxaqm_law_vars &law = plane.queue().law;

	take_policy(plane, policy);
	CHECK(law.goal_ns == policy.target_ns);
	/* A window is over in which packets stood at 5 ms. */
	law.turn_ns = now_ns() - policy.interval_ns / 8;
	law.smooth_ns = 5 * MS;
	law.above_ns = now_ns() - 2 * policy.interval_ns;
	plane.stand(5 * MS);
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(law.turn_ns > now_ns() - SEC);
	CHECK(law.bad == 1);
	/* Who is held when it turns bad is the largest flow of the window; later, who has to be. */
	law.turn_ns = now_ns() - policy.interval_ns / 8;
	plane.stand(5 * MS);
	plane.run(data_packet());
	CHECK(law.x > 0);
	/* Another policy, and it begins anew. */
	policy.target_ns = 2 * MS;
	take_policy(plane, policy);
	CHECK(law.x == 0);
	CHECK(law.bad == 0);
	CHECK(law.goal_ns == 2 * MS);
}

TEST_CASE("verdict: auto: enforcing begins at nothing", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = auto_policy();

	policy.lease_until_ns = now_ns() - 1;
	take_policy(plane, policy);
	plane.hold(MOST);
	plane.queue().flags &= ~RXAQM_QUEUE_ENFORCED;
	plane.stand(5 * MS);
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_WOULD_DROP) == 1);
	/* The lease is renewed: what it came to while nobody reacted is void. */
	policy.lease_until_ns = 0;
	plane.set_policy(policy);
	plane.queue().taken = 0;
	plane.stand(5 * MS);
	plane.queue().law.turn_ns -= policy.interval_ns / 8;
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(plane.queue().law.x < RXAQM_LAW_OCTAVE); /* of one window */
	CHECK(plane.queue().flags & RXAQM_QUEUE_ENFORCED);
}

TEST_CASE("verdict: auto: each flow is counted by itself, whatever it comes in", "[verdict]")
{
	Plane plane;
	std::vector<Packet> senders;

	for (int version : { 4, 6 }) {
		for (size_t tags : { 0, 1, 2 }) {
			Packet p = data_packet();

			p.version = version;
			p.vlans.assign(tags, 7);
			senders.push_back(p);
			p.protocol = packets::UDP;
			senders.push_back(p);
			p.sport++;
			senders.push_back(p);
		}
	}
	take_policy(plane, auto_policy());
	plane.set_flows({});
	plane.queue().law.stamp_bits = 20; /* half-lives of 68 s: nothing is forgotten */
	for (size_t i = 0; i < senders.size(); i++) {
		for (size_t n = 0; n <= i + 1; n++) {
			plane.queue().law.turn_ns = now_ns(); /* no window ends */
			plane.stand(900 * US);
			REQUIRE(plane.run(senders[i]).verdict == XDP_PASS);
		}
	}
	std::vector<size_t> sent, tcp;
	for (const rxaqm_flow &flow : plane.flows()) {
		sent.push_back((flow.rate.level + RXAQM_PACKET / 2) / RXAQM_PACKET);
		if (flow.flags & RXAQM_FLOW_TCP)
			tcp.push_back(sent.back());
	}
	std::sort(sent.begin(), sent.end());
	REQUIRE(sent.size() == senders.size());
	for (size_t i = 0; i < sent.size(); i++)
		CHECK(sent[i] == i + 2);
	CHECK(tcp.size() == senders.size() / 3);
	/* Another seed, and other sets. */
	auto ids = [](Plane &of) {
		std::vector<uint32_t> all;

		for (const rxaqm_flow &flow : of.flows())
			all.push_back(flow.id);
		std::sort(all.begin(), all.end());
		return all;
	};
	PlaneConfig config;
	config.flow_seed = 8;
	Plane other(config);
	take_policy(other, auto_policy());
	other.queue().law.stamp_bits = 20;
	other.stand(900 * US);
	for (const Packet &p : senders)
		other.run(p);
	const std::vector<uint32_t> mine = ids(plane), theirs = ids(other);

	REQUIRE(theirs.size() == senders.size());
	for (uint32_t id : theirs)
		CHECK(!std::count(mine.begin(), mine.end(), id));
}

TEST_CASE("verdict: auto: who floods pays, and who does not is left alone", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = auto_policy();
	Packet flood = data_packet(), client = data_packet();
	unsigned dropped = 0;

	flood.protocol = client.protocol = packets::UDP;
	client.sport++;
	take_policy(plane, policy);
	plane.set_flows({});
	for (int i = 0; i < 4000; i++) {
		rxaqm_law_vars &law = plane.queue().law;

		law.stamp_bits = 20;
		law.bad = 1;
		/* No limit at first, so that it begins without a slow level; later it came back. */
		law.limit = law.strangers = i ? 100 * RXAQM_PACKET : ~0U;
		law.paused = i ? 0U - (1U << RXAQM_FLOW_EPOCH_BITS) : 0;
		law.floor[0] = law.floor[1] = 0;
		law.turn_ns = now_ns();
		plane.queue().flags |= RXAQM_QUEUE_ENFORCED;
		plane.stand(5 * MS);
		dropped += plane.run(flood).verdict == XDP_DROP;
		if (i % 50 == 0)
			REQUIRE(plane.run(client).verdict == XDP_PASS);
	}
	/* Of level n a packet passes with 100 / n: 100 (1 + ln(4000 / 100)) of 4000 do. */
	CHECK(dropped > 4000 - 470 - 100);
	CHECK(dropped < 4000 - 470 + 100);
}

/* Threads of NAPIs move, and ACKs are noted by CPU. */
TEST_CASE("verdict: auto: what a CPU knew of ACKs is forgotten when their queue has been elsewhere",
	  "[verdict]")
{
	Plane plane;
	const int home = sched_getcpu(), other = home ? 0 : 1;
	Packet ack;

	auto run = [&](uint32_t number) {
		plane.hold(0.5);
		plane.queue().law.smooth_ns = SEC;
		plane.stand(5 * MS);
		ack.ack = number;
		return plane.run(ack).verdict;
	};
	auto move = [&](int cpu) {
		cpu_set_t cpus;

		plane.queue().taken = 64; /* it left some: nothing is forgotten for that */
		plane.end_poll(64);
		CPU_ZERO(&cpus);
		CPU_SET(size_t(cpu), &cpus);
		return sched_setaffinity(0, sizeof(cpus), &cpus) == 0;
	};
	take_policy(plane, auto_policy());
	CHECK(run(1000) == XDP_PASS);
	CHECK(run(2000) == XDP_DROP);
	if (!move(other))
		SKIP("there is one CPU only");
	CHECK(run(3000) == XDP_PASS);
	CHECK(run(4000) == XDP_DROP);
	CHECK(run(4000) == XDP_PASS);
	REQUIRE(move(home));
	CHECK(run(4000) == XDP_PASS); /* a duplicate still */
}

TEST_CASE("verdict: auto: redundant ACKs go, others do not", "[verdict]")
{
	Plane plane;
	rxaqm_policy policy = auto_policy();
	Packet ack;
	unsigned dropped = 0;

	ack.version = GENERATE(4, 6);
	take_policy(plane, policy);
	auto run = [&] {
		/* All that is redundant goes, and no other ACK does. */
		plane.hold(0.5);
		plane.queue().law.smooth_ns = SEC; /* a gap that a slow machine does not make */
		plane.stand(5 * MS);
		return plane.run(ack).verdict;
	};
	for (uint32_t i = 0; i < 8; i++) {
		ack.ack = 1000 + i * 1448;
		dropped += run() == XDP_DROP;
	}
	CHECK(dropped == 7);
	CHECK(plane.stat(RXAQM_STAT_ACK_DROP) == dropped);
	CHECK(run() == XDP_PASS); /* a duplicate */
	plane.stand(100 * US);
	ack.ack += 1448;
	CHECK(plane.run(ack).verdict == XDP_PASS); /* under target: nobody looks */
	CHECK(run() == XDP_PASS); /* a duplicate of that one */

	policy.ack = RXAQM_ACK_KEEP;
	take_policy(plane, policy);
	for (uint32_t i = 0; i < 8; i++) {
		ack.ack += 1448;
		CHECK(run() == XDP_PASS);
	}
}
