// SPDX-License-Identifier: GPL-2.0-only
/* Rx timestamps of skbs: from the skb to the queue's sample and to the clock. */
#include <catch2/catch_test_macros.hpp>

#include <bpf/libbpf.h>
#include <sched.h>

#include "stamped.hpp"

TEST_CASE("stamp: one packet of a poll stands for all", "[stamp]")
{
	Plane plane;

	publish_clock(plane);
	plane.run(data_packet());
	plane.stamp(waited(300 * US));
	/* A later one is not looked at. */
	plane.run(data_packet());
	plane.stamp(waited(200 * US));
	plane.run(data_packet());
	plane.end_poll(3);

	const rxaqm_queue &q = plane.queue();
	CHECK(q.flags & RXAQM_QUEUE_SAMPLED);
	CHECK(q.signal == RXAQM_SIGNAL_STAMP);
	CHECK(q.sample_sojourn_ns >= 300 * US);
	CHECK(q.sample_sojourn_ns < 10 * MS); /* whatever the machine was doing */
	CHECK(counted(q, 300 * US, 10 * MS) == 3);
}

TEST_CASE("stamp: every packet of a queue that stands", "[stamp]")
{
	Plane plane;

	publish_clock(plane);
	plane.queue().flags |= RXAQM_QUEUE_STANDING;
	plane.queue().poll_end_ns = now_ns();
	for (uint64_t ms = 20; ms < 23; ms++) {
		plane.run(data_packet());
		plane.stamp(waited(ms * MS));
		CHECK(plane.queue().sample_sojourn_ns >= ms * MS);
		CHECK(plane.queue().sample_sojourn_ns < (ms + 10) * MS);
	}
	CHECK(counted(plane.queue(), 20 * MS, 33 * MS) == 3);
}

TEST_CASE("stamp: of others, and where none is wanted, is left alone", "[stamp]")
{
	Plane plane;

	publish_clock(plane);
	plane.stamp(waited(MS)); /* no note */
	plane.run(data_packet());
	plane.stamp_of(plane.ifindex() + 1, waited(MS));
	CHECK(!(plane.queue().flags & RXAQM_QUEUE_SAMPLED));
	plane.stamp(waited(MS));
	CHECK(plane.queue().flags & RXAQM_QUEUE_SAMPLED);
	plane.end_poll(1);

	uint64_t sample_ns = plane.queue().sample_ns;
	plane.stamp(waited(MS));
	plane.iface().stamp = RXAQM_STAMP_NONE;
	plane.run(data_packet());
	plane.stamp(waited(MS));
	CHECK(plane.queue().sample_ns == sample_ns);
}

TEST_CASE("stamp: in the hardware timestamp, unless that is none", "[stamp]")
{
	Plane plane;

	publish_clock(plane);
	plane.iface().stamp = RXAQM_STAMP_HWTSTAMP;
	plane.run(data_packet());
	plane.stamp(waited(9 * SEC), waited(400 * US));
	CHECK(plane.queue().sample_sojourn_ns < 100 * MS);
	plane.end_poll(1);

	uint64_t sample_ns = plane.queue().sample_ns;
	plane.run(data_packet());
	plane.stamp(0, waited(MS), 1U << 5); /* SKBTX_HW_TSTAMP_NETDEV: a pointer */
	plane.end_poll(1);
	plane.run(data_packet());
	plane.stamp(waited(MS), 0);
	CHECK(plane.stat(RXAQM_STAT_STAMP_MISSING) == 2);
	CHECK(plane.queue().sample_ns == sample_ns);
}

TEST_CASE("stamp: that cannot be true is not believed", "[stamp]")
{
	struct Case {
		const char *name;
		int64_t waited_ns;
		rxaqm_distrust reason;
		rxaqm_stat counter;
	};
	const Case cases[] = {
		{ "from the future", -int64_t(SEC), RXAQM_DISTRUST_NEGATIVE,
		  RXAQM_STAT_STAMP_NEGATIVE },
		{ "absurd", int64_t(11 * SEC), RXAQM_DISTRUST_ABSURD, RXAQM_STAT_STAMP_ABSURD },
	};

	for (const Case &c : cases) {
		Plane plane;
		rxaqm_policy policy = simple_policy();

		CAPTURE(c.name);
		policy.signal = RXAQM_SIGNAL_STAMP;
		plane.set_policy(policy);
		publish_clock(plane);
		plane.run(data_packet());
		const uint64_t before_ns = now_ns();
		plane.stamp(waited(uint64_t(c.waited_ns)));
		plane.end_poll(64);
		CHECK(plane.queue().distrust_reason == c.reason);
		CHECK(plane.stat(c.counter) == 1);
		/* For a second: counted from here, since this test may be slow. */
		const uint64_t until_ns = plane.queue().distrust_until_ns;
		CHECK(until_ns > before_ns + SEC);
		CHECK(until_ns < now_ns() + SEC);
		plane.queue().distrust_until_ns = now_ns() + SEC;
		plane.queue().flags |= RXAQM_QUEUE_STANDING;
		plane.queue().poll_end_ns = now_ns();
		plane.overdue();
		CHECK(plane.run(data_packet()).verdict == XDP_PASS);
		CHECK(plane.stat(RXAQM_STAT_PASS_IMPLAUSIBLE) == 1);
	}
}

TEST_CASE("stamp: from before the queue was last empty is void", "[stamp]")
{
	Plane plane;

	publish_clock(plane);
	plane.run(data_packet());
	plane.stamp(waited(0));
	plane.end_poll(1);
	const uint64_t sample_ns = plane.queue().sample_ns;
	plane.run(data_packet());
	plane.queue().last_hw_ns = 0; /* nothing to compare the order with */
	plane.stamp(waited(now_ns() - plane.queue().empty_ns + 2 * MS));
	CHECK(plane.stat(RXAQM_STAT_STAMP_ABSURD) == 1);
	CHECK(plane.queue().sample_ns == sample_ns);
	CHECK(plane.queue().distrust_reason == RXAQM_DISTRUST_NONE);
}

TEST_CASE("stamp: an expired clock says nothing", "[stamp]")
{
	Plane plane;

	publish_clock(plane);
	plane.clock().clock[1].expires_ns = now_ns() - 1;
	plane.run(data_packet());
	plane.stamp(waited(MS));
	CHECK(plane.queue().flags & RXAQM_QUEUE_NO_CLOCK);
	CHECK(!(plane.queue().flags & RXAQM_QUEUE_SAMPLED));
}

TEST_CASE("stamp: the clock is learnt from packets that met an empty queue", "[stamp]")
{
	Plane plane;
	uint64_t end_ns = now_ns() + 2 * SEC;

	while (now_ns() < end_ns && plane.clock().est.nr_points < 2) {
		plane.run(data_packet());
		plane.stamp(waited(20 * US));
		plane.end_poll(1);
	}
	REQUIRE(plane.clock().est.nr_points >= 2);
	const rxaqm_clock clock = plane.clock().clock[plane.clock().published & 1];
	/* The 20 us cannot be told from the offset, and are all that is missing. */
	int64_t error_ns = int64_t(rxaqm_clock_to_host(&clock, now_ns() + OFFSET) - now_ns());
	CHECK(error_ns < int64_t(MS));
	CHECK(error_ns > -int64_t(MS));
	CHECK(plane.stat(RXAQM_STAT_CLOCK_RESETS) == 0);
	CHECK(plane.queue().flags & RXAQM_QUEUE_SAMPLED);
}

TEST_CASE("stamp: in generic mode it is seen ahead of the XDP program", "[stamp]")
{
	PlaneConfig config;

	config.generic = true;
	Plane plane(config);
	publish_clock(plane);
	plane.run(data_packet());
	plane.end_poll(1);

	plane.queue().flags |= RXAQM_QUEUE_STANDING;
	plane.queue().empty_ns -= 20 * MS; /* or it would have waited longer than it could */
	plane.generic_stamp(waited(5 * MS), plane.ifindex());
	plane.run(data_packet());
	CHECK(plane.queue().sample_sojourn_ns >= 5 * MS);
	/* So the verdict is on this very packet. */
	CHECK(plane.queue().codel.ldelay_ns ==
	      plane.queue().sample_sojourn_ns - plane.queue().sample_err_ns);
	CHECK(plane.cpu().generic_ifindex == 0);

	uint64_t sample_ns = plane.queue().sample_ns;
	plane.generic_stamp(waited(5 * MS), plane.ifindex() + 1);
	plane.run(data_packet());
	CHECK(plane.queue().sample_ns == sample_ns);
}

TEST_CASE("stamp: of the packet at hand, it counts however long ago the last poll was", "[stamp]")
{
	PlaneConfig config;

	config.generic = true;
	Plane plane(config);
	rxaqm_policy policy = simple_policy();

	policy.signal = RXAQM_SIGNAL_STAMP;
	policy.interval_ns = 20 * MS;
	plane.set_policy(policy);
	publish_clock(plane);
	plane.generic_stamp(waited(0), plane.ifindex());
	plane.run(data_packet());
	plane.end_poll(1);
	for (uint64_t ago : { 30 * MS, 3 * SEC }) {
		CAPTURE(ago);
		plane.stand(0);
		plane.queue().poll_end_ns = now_ns() - ago;
		plane.queue().empty_ns = now_ns() - 10 * SEC;
		plane.queue().last_hw_ns -= SEC;
		plane.queue().taken = 0;
		plane.overdue();
		plane.generic_stamp(waited(80 * MS), plane.ifindex());
		CHECK(plane.run(data_packet()).verdict == XDP_DROP);
		CHECK(plane.queue().flags & RXAQM_QUEUE_STANDING);
	}
}

TEST_CASE("stamp: a NIC's, where the queue is a CPU's backlog, is not measured by that queue",
	  "[stamp]")
{
	PlaneConfig config;

	config.by_cpu = config.generic = true;
	config.nr_queues = uint32_t(libbpf_num_possible_cpus());
	Plane plane(config);
	const unsigned cpu = unsigned(sched_getcpu());

	plane.iface().stamp = RXAQM_STAMP_HWTSTAMP;
	publish_clock(plane);
	/* The backlog is empty after each packet, which waited in the NIC's ring all the same. */
	for (int i = 0; i < 20; i++) {
		plane.generic_stamp(0, plane.ifindex(), waited(80 * MS));
		plane.run(data_packet());
		plane.end_poll(1);
		CHECK(plane.queue(cpu).sample_sojourn_ns >= 80 * MS);
	}
	CHECK(plane.stat(RXAQM_STAT_STAMP_ABSURD, cpu) == 0);
	CHECK(plane.queue(cpu).window.nr == 0); /* nothing learnt */
}
