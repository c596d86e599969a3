// SPDX-License-Identifier: GPL-2.0-only
/* What the consumer of a socket says of its wait, and what is made of it. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "decide.h"
#include "plane.hpp"
#include "wait.h"

namespace
{

/* A queue that polls drain, with a socket; target 1 ms. */
struct Served : Plane {
	explicit Served(const rxaqm_policy &policy = simple_policy())
	{
		set_policy(policy);
		put_socket();
		REQUIRE(run(data_packet()).verdict == XDP_REDIRECT); /* takes the policy over */
	}
	/* A packet that CoDel would signal, if it were over target. */
	Out due(const packets::Packet &packet = data_packet())
	{
		overdue();
		look();
		return run(packet);
	}
};

} /* namespace */

TEST_CASE("wait: a slow consumer has packets dropped although polls drain the queue", "[wait]")
{
	Served plane;

	plane.publish(5 * MS);
	CHECK(plane.due().verdict == XDP_DROP);
	CHECK(plane.queue().codel.dropping == 1);
	CHECK(plane.queue().codel.ldelay_ns == 5 * MS);
	CHECK(plane.queue().flags & RXAQM_QUEUE_WAITING);
	CHECK_FALSE(plane.queue().flags & RXAQM_QUEUE_STANDING);
	CHECK(plane.stat(RXAQM_STAT_DROP) == 1);
	CHECK(plane.stat(RXAQM_STAT_OVER_NOT_ECT) == 1);

	/* The end of a poll that drains the NIC's ring changes nothing about the other. */
	plane.end_poll(2);
	CHECK(plane.stat(RXAQM_STAT_POLLS_DRAINED) == 1);
	CHECK(plane.queue().codel.dropping == 1);
	CHECK(plane.queue().law.smooth_ns > 0);

	/* The consumer has caught up. */
	plane.publish(0);
	CHECK(plane.run(data_packet()).verdict == XDP_REDIRECT);
	CHECK(plane.queue().codel.dropping == 0);
	CHECK(plane.queue().codel.above == 0);
	CHECK(plane.queue().law.smooth_ns == 0);
	CHECK_FALSE(plane.queue().flags & RXAQM_QUEUE_WAITING);
	CHECK(plane.due().verdict == XDP_REDIRECT);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 1);
}

TEST_CASE("wait: under target nothing is judged", "[wait]")
{
	Served plane;

	plane.publish(1 * MS - 1);
	CHECK(plane.due().verdict == XDP_REDIRECT);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 0);
	CHECK(plane.stat(RXAQM_STAT_WAIT_STALE) == 0);
	CHECK(plane.stat(RXAQM_STAT_WAIT_BAD) == 0);
}

TEST_CASE("wait: what cannot be true or is old does not count, and is counted", "[wait]")
{
	Served plane;
	uint64_t stale = 0, bad = 0;

	SECTION("never published")
	{
		plane.wait().wait_ns = 5 * MS;
	}
	SECTION("stale")
	{
		plane.publish(5 * MS);
		plane.wait().updated_ns = now_ns() - FRESH - 50 * MS;
		stale = 1;
	}
	SECTION("from the future")
	{
		plane.publish(5 * MS);
		plane.wait().updated_ns = now_ns() + SEC;
		bad = 1;
	}
	SECTION("half the range of time away")
	{
		plane.publish(5 * MS);
		plane.wait().updated_ns = now_ns() + (1ULL << 63);
		bad = 1;
	}
	SECTION("absurd")
	{
		plane.publish(RXAQM_SOJOURN_MAX_NS + 1);
		bad = 1;
	}
	SECTION("more absurd")
	{
		plane.publish(~0ULL);
		bad = 1;
	}
	CHECK(plane.due().verdict == XDP_REDIRECT);
	CHECK(plane.stat(RXAQM_STAT_WAIT_STALE) == stale);
	CHECK(plane.stat(RXAQM_STAT_WAIT_BAD) == bad);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 0);
	CHECK_FALSE(plane.queue().flags & RXAQM_QUEUE_WAITING);

	plane.publish(RXAQM_SOJOURN_MAX_NS);
	CHECK(plane.due().verdict == XDP_DROP);
}

TEST_CASE("wait: a consumer that stops to publish is not held against its packets for long",
	  "[wait]")
{
	Served plane;

	plane.publish(5 * MS);
	REQUIRE(plane.due().verdict == XDP_DROP);
	plane.wait().updated_ns = now_ns() - FRESH - 50 * MS;
	CHECK(plane.due().verdict == XDP_REDIRECT);
	CHECK(plane.queue().codel.dropping == 0);
	CHECK(plane.queue().codel.above == 0);
}

TEST_CASE("wait: time in the NIC and behind it are one", "[wait]")
{
	Served plane;

	/* Neither is over the target of 1 ms. */
	plane.end_poll(64);
	plane.stand(700 * US);
	plane.publish(600 * US);
	CHECK(plane.due().verdict == XDP_DROP);
	CHECK(plane.queue().codel.ldelay_ns == 1300 * US);
	plane.stand(700 * US);
	plane.publish(100 * US);
	CHECK(plane.due().verdict == XDP_REDIRECT);
	CHECK(plane.queue().codel.above == 0);
	CHECK(plane.queue().codel.ldelay_ns == 800 * US);
	/* The metadata tell the NIC's part alone. */
	plane.stand(5 * MS);
	plane.publish(600 * US);
	plane.queue().codel.above = 0;
	Out out = plane.run(data_packet());
	REQUIRE(out.meta());
	CHECK(out.meta()->sojourn_ns == 5 * MS);
	CHECK(out.meta()->flags == (RXAQM_META_STANDING | RXAQM_META_SAMPLED));
	CHECK(plane.queue().codel.ldelay_ns == 5600 * US);
	/* And so does the histogram. */
	plane.publish(4 * SEC);
	plane.end_poll(3);
	for (uint64_t i = rxaqm_hist_bucket(SEC); i < RXAQM_HIST_BUCKETS; i++)
		CHECK(plane.queue().hist[i] == 0);
}

TEST_CASE("wait: marks are set, and told", "[wait]")
{
	const uint8_t ecn = GENERATE(1, 2);
	packets::Packet packet = data_packet(ecn), marked = data_packet(3);
	Served plane;

	plane.publish(5 * MS);
	Out out = plane.due(packet);
	CHECK(out.verdict == XDP_REDIRECT);
	CHECK(out.packet == packets::build(marked));
	REQUIRE(out.meta());
	CHECK(out.meta()->flags == RXAQM_META_MARKED);
	CHECK(plane.stat(RXAQM_STAT_ECN_MARK) == 1);
}

TEST_CASE("wait: a hostile consumer harms its own queue only, up to max_drop", "[wait]")
{
	rxaqm_policy policy = simple_policy();
	unsigned dropped = 0;

	policy.max_drop_permille = 100;
	Served plane(policy);
	for (int i = 0; i < 1000; i++) {
		plane.publish(10 * SEC);
		dropped += plane.due().verdict == XDP_DROP;
		/* The queue beside it, which has no socket, whatever is said of it. */
		plane.publish(10 * SEC, 1);
		plane.overdue(1);
		CHECK(plane.run(data_packet(), 1).verdict == XDP_PASS);
	}
	CHECK(dropped >= 90);
	CHECK(dropped <= 100 + RXAQM_GUARD_BURST);
	CHECK(plane.stat(RXAQM_STAT_PASS_CAPPED) > 0);
	CHECK(plane.stat(RXAQM_STAT_JUDGED, 1) == 0);
}

TEST_CASE("wait: ACKs are thinned, exempt packets left alone, as ever", "[wait]")
{
	packets::Packet ack, exempt = data_packet(48 << 2);
	unsigned dropped = 0;
	Served plane(auto_policy());

	plane.publish(5 * MS);
	plane.look();
	plane.run(ack);
	for (uint32_t i = 0; i < 8; i++) {
		ack.ack = 1000 + i * 1448;
		plane.publish(5 * MS);
		plane.hold(0.5);
		plane.queue().law.smooth_ns = SEC;
		dropped += plane.run(ack).verdict == XDP_DROP;
	}
	CHECK(dropped == 7);
	CHECK(plane.stat(RXAQM_STAT_ACK_DROP) == 7);
	plane.publish(5 * MS);
	CHECK(plane.due(exempt).verdict == XDP_REDIRECT);
	CHECK(plane.stat(RXAQM_STAT_OVER_EXEMPT) == 1);
}

TEST_CASE("wait: a socket that leaves takes what was said of it along", "[wait]")
{
	Served plane;

	plane.publish(5 * MS);
	REQUIRE(plane.due().verdict == XDP_DROP);
	plane.end_poll(2);
	plane.close_socket();
	plane.publish(5 * MS);
	CHECK(plane.due().verdict == XDP_PASS);
	CHECK(plane.queue().codel.above == 0);
	CHECK_FALSE(plane.queue().flags & (RXAQM_QUEUE_WAITING | RXAQM_QUEUE_SOCKET));
}

TEST_CASE("wait: while nobody is behind one packet of sixteen is looked at, then each", "[wait]")
{
	Served plane;
	uint64_t last_ns = 0;

	/* The first one was. */
	plane.publish(5 * MS);
	plane.overdue();
	for (int i = 1; i < RXAQM_WAIT_SAMPLE; i++) {
		Out out = plane.run(data_packet());
		REQUIRE(out.meta());
		CHECK(out.verdict == XDP_REDIRECT);
		CHECK(out.meta()->flags == 0);
		CHECK(out.meta()->host_ns == plane.queue().clock_ns);
	}
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 0);
	CHECK(plane.run(data_packet()).verdict == XDP_DROP);
	for (int i = 0; i < 2 * RXAQM_WAIT_SAMPLE; i++) {
		Out out = plane.run(data_packet(2));
		REQUIRE(out.meta());
		CHECK(out.meta()->host_ns > last_ns);
		last_ns = out.meta()->host_ns;
	}
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 1 + 2 * RXAQM_WAIT_SAMPLE);

	/* Caught up, and behind again with the next poll. */
	plane.publish(0);
	plane.run(data_packet());
	CHECK(plane.run(data_packet()).meta()->host_ns == plane.queue().clock_ns);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 1 + 2 * RXAQM_WAIT_SAMPLE);
	plane.end_poll(10);
	plane.publish(5 * MS);
	plane.overdue();
	CHECK(plane.run(data_packet()).verdict == XDP_DROP);
}

TEST_CASE("wait: what is told or counted by packet has each looked at", "[wait]")
{
	Served plane;
	uint64_t last_ns = 0;

	SECTION("an old word")
	{
		plane.publish(5 * MS);
		plane.wait().updated_ns = now_ns() - FRESH - 50 * MS;
	}
	SECTION("one that cannot be true")
	{
		plane.publish(~0ULL);
	}
	SECTION("a sample from before there was a socket")
	{
		plane.stand(700 * US);
		plane.queue().flags &= ~RXAQM_QUEUE_STANDING;
	}
	SECTION("a queue that stands")
	{
		plane.stands_since(300 * US);
	}
	plane.look();
	for (int i = 0; i < 5; i++) {
		Out out = plane.run(data_packet());
		REQUIRE(out.meta());
		CHECK(out.meta()->host_ns > last_ns);
		last_ns = out.meta()->host_ns;
	}
	CHECK((plane.stat(RXAQM_STAT_WAIT_STALE) + plane.stat(RXAQM_STAT_WAIT_BAD) == 5 ||
	       plane.queue().flags & (RXAQM_QUEUE_STANDING | RXAQM_QUEUE_SAMPLED)));
}

TEST_CASE("wait: a socket that leaves a calm queue leaves nothing behind", "[wait]")
{
	Served plane;

	plane.run(data_packet());
	REQUIRE(plane.queue().flags & RXAQM_QUEUE_IDLE);
	plane.end_poll(64);
	plane.close_socket();
	plane.stand(5 * MS);
	for (int i = 0; i < 5; i++)
		CHECK(plane.run(data_packet(2)).verdict == XDP_PASS);
	CHECK_FALSE(plane.queue().flags & RXAQM_QUEUE_IDLE);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 5);
}
