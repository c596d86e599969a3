// SPDX-License-Identifier: GPL-2.0-only
/* Which polls drained a queue, on drivers that do not make it easy to tell. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "stamped.hpp"

namespace
{

bool stands(Plane &plane, unsigned queue = 0)
{
	return plane.queue(queue).flags & RXAQM_QUEUE_STANDING;
}

void unstamped(Plane &plane, unsigned nr, unsigned queue = 0)
{
	for (unsigned i = 0; i < nr; i++)
		plane.run(data_packet(), queue);
}

/* Packets that have waited @ns, each stamped. */
void stamped(Plane &plane, unsigned nr, uint64_t ns, unsigned queue = 0)
{
	for (unsigned i = 0; i < nr; i++) {
		plane.run(data_packet(), queue);
		plane.stamp(waited(ns));
	}
}

/* The queue was empty a second ago, and its stamps are believed. */
void begin_stamped(Plane &plane, unsigned queue = 0)
{
	rxaqm_policy policy = simple_policy();

	policy.interval_ns = RXAQM_INTERVAL_MAX_NS; /* samples are good for half of that */
	plane.set_policy(policy);
	publish_clock(plane);
	/* And stays: no point may follow one of the future. A slow machine would learn another. */
	plane.clock().est.window_ns = RXAQM_EST_WINDOW_MIN_NS;
	plane.clock().est.nr_points = 1;
	plane.clock().est.point[0].host_ns = now_ns() + 1000 * SEC;
	stamped(plane, 1, 0, queue);
	plane.end_poll(1);
	plane.queue(queue).empty_ns -= SEC;
	plane.queue(queue).drained_ns -= SEC;
	plane.queue(queue).last_hw_ns -= SEC; /* so what comes next may have waited */
}

void by_busy(Plane &plane)
{
	rxaqm_policy policy = simple_policy();

	policy.signal = RXAQM_SIGNAL_BUSY;
	plane.set_policy(policy);
}

} /* namespace */

TEST_CASE("drained: not by a poll that says it is not done, where stamps decide", "[drained]")
{
	struct Case {
		const char *name;
		unsigned packets;
	};
	const Case c = GENERATE(values<Case>({
		{ "every other descriptor holds a time, as stmmac's", 32 },
		{ "a program in front drops half of them", 30 },
		{ "one hot ring of four on a vector", 16 },
	}));
	Plane plane;

	CAPTURE(c.name);
	begin_stamped(plane);
	for (int i = 0; i < 6; i++) {
		stamped(plane, c.packets, 80 * MS);
		plane.end_poll(64);
		CHECK(stands(plane));
	}
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 5 * c.packets);
	CHECK(plane.stat(RXAQM_STAT_STAMP_ABSURD) == 0);
	CHECK(plane.stat(RXAQM_STAT_CLOCK_RESETS) == 0);
	CHECK(plane.queue().sample_sojourn_ns >= 80 * MS);

	/* Done, and no packets left: both say so. */
	stamped(plane, 3, 0);
	plane.end_poll(63);
	CHECK(!stands(plane));
}

TEST_CASE("drained: not known of a poll that says it is not done", "[drained]")
{
	Plane plane;

	/* Tx completions took the rest of the budget: nothing to learn the clock from. */
	by_busy(plane);
	unstamped(plane, 3);
	plane.end_poll(64);
	CHECK(!stands(plane));
	CHECK(!(plane.queue().flags & RXAQM_QUEUE_DRAIN_KNOWN));
	CHECK(!(plane.queue().flags & RXAQM_QUEUE_DRAINED_BEFORE));
	CHECK(plane.queue().drained_ns == plane.queue().poll_end_ns);
	unstamped(plane, 3);
	plane.end_poll(3);
	CHECK(plane.queue().flags & RXAQM_QUEUE_DRAIN_KNOWN);
	CHECK(plane.queue().flags & RXAQM_QUEUE_DRAINED_BEFORE);
}

TEST_CASE("drained: a poll that says it is done is believed only with room to spare", "[drained]")
{
	Plane plane;

	/* mlx5, i40e and others say budget - 1 when their interrupt moves to another CPU. */
	begin_stamped(plane);
	stamped(plane, 64, 80 * MS);
	plane.end_poll(63);
	CHECK(stands(plane));
}

TEST_CASE("drained: by polls alone, what the packets seen say", "[drained]")
{
	struct Case {
		const char *name;
		unsigned packets, others; /* of two rings of one NAPI */
		int work;
		bool stands;
	};
	const Case c = GENERATE(values<Case>({
		{ "the whole budget", 64, 0, 64, true },
		{ "the whole budget, the interrupt moved", 64, 0, 63, true },
		{ "Tx work left", 30, 0, 64, false },
		{ "Tx work left, nothing received", 0, 5, 64, false },
		{ "an even share of the budget: one hot ring of four", 16, 0, 64, true },
		{ "of three", 21, 0, 64, true },
		{ "of four, beside one that is not", 16, 3, 64, true },
		{ "as many, but done", 16, 0, 16, false },
		{ "every other descriptor holds a time", 32, 0, 64, true },
		{ "two drained rings, the whole budget for each", 40, 40, 64, false },
		{ "one full ring of two, the whole budget for each", 64, 40, 64, true },
		{ "too few to be a share", 4, 0, 64, false },
	}));
	Plane plane;

	CAPTURE(c.name);
	by_busy(plane);
	unstamped(plane, 1, 0);
	unstamped(plane, 1, 1);
	plane.end_poll(2);
	unstamped(plane, c.packets, 0);
	unstamped(plane, c.others, 1);
	plane.end_poll(c.work);
	CHECK(stands(plane, 0) == c.stands);
	CHECK(!stands(plane, 1));
}

TEST_CASE("drained: polls of thousands of packets", "[drained]")
{
	const unsigned nr = GENERATE(512U, 1500U, 2048U, 4096U);
	Plane plane;

	/* As mana's with coalescing, whose work and budget are 1 whatever was taken. */
	CAPTURE(nr);
	plane.iface().poll_packets = 512;
	by_busy(plane);
	unstamped(plane, nr);
	CHECK(plane.cpu().nr_queues == 1);
	plane.end_poll(1, 1);
	CHECK(stands(plane));
	CHECK(plane.stat(RXAQM_STAT_POLLS_LOST) == 0);
	CHECK(plane.stat(RXAQM_STAT_POLLS_LEFT) == 1);
	CHECK(plane.stat(RXAQM_STAT_POLLS_DRAINED) == 0);
	CHECK(plane.stat(RXAQM_STAT_PACKETS) == nr);
	unstamped(plane, 100);
	plane.end_poll(1, 1);
	CHECK(!stands(plane));
}

TEST_CASE("drained: a queue counts once a poll", "[drained]")
{
	Plane plane;

	by_busy(plane);
	unstamped(plane, RXAQM_POLL_PACKETS_MAX + 100);
	CHECK(plane.stat(RXAQM_STAT_POLLS_LOST) == 1);
	CHECK(plane.cpu().nr_queues == 1);
	plane.end_poll(64);
	CHECK(plane.stat(RXAQM_STAT_POLLS_LEFT) == 1);
	CHECK(plane.stat(RXAQM_STAT_POLLS_DRAINED) == 0);
	CHECK(stands(plane));
}

TEST_CASE("drained: an empty poll ends all that stand on its NAPI", "[drained]")
{
	Plane plane;

	by_busy(plane);
	for (unsigned n = 0; n < 3; n++)
		unstamped(plane, 64, n);
	plane.end_poll(64);
	for (unsigned n = 0; n < 3; n++)
		REQUIRE(stands(plane, n));
	/* One goes on, one is down to little, one has no packet at all. */
	unstamped(plane, 64, 0);
	unstamped(plane, 5, 1);
	plane.end_poll(64);
	CHECK(stands(plane, 0));
	CHECK(!stands(plane, 1));
	CHECK(!stands(plane, 2));
	CHECK(plane.stat(RXAQM_STAT_POLLS_DRAINED, 2) == 1);
	unstamped(plane, 64, 2);
	unstamped(plane, 64, 0);
	plane.end_poll(64);
	REQUIRE(stands(plane, 2));
	plane.end_poll(0);
	for (unsigned n = 0; n < 3; n++)
		CHECK(!stands(plane, n));
	CHECK(!plane.watched());
	CHECK(plane.stat(RXAQM_STAT_POLLS_DRAINED, 1) == 1);
}

TEST_CASE("drained: a stamp from before that is void, and no reason to touch the clock",
	  "[drained]")
{
	Plane plane;

	for (int i = 0; i < 50; i++) {
		publish_clock(plane);
		plane.queue().empty_ns = now_ns();
		stamped(plane, 1, 80 * MS);
		plane.end_poll(1);
	}
	/* The first came before any drain was known. */
	CHECK(plane.stat(RXAQM_STAT_STAMP_ABSURD) == 49);
	CHECK(plane.queue().distrust_reason == RXAQM_DISTRUST_NONE);
	CHECK(plane.stat(RXAQM_STAT_CLOCK_RESETS) == 0);
	CHECK(counted(plane.queue(), 50 * MS, 200 * MS) == 1);
	/* One that can be true counts at once. */
	stamped(plane, 1, 0);
	plane.end_poll(1);
	CHECK(plane.queue().flags & RXAQM_QUEUE_SAMPLED);
	CHECK(plane.queue().sample_sojourn_ns < 40 * MS);
}
