// SPDX-License-Identifier: GPL-2.0-only
/* The program that asks the driver for the stamp of the packet at hand. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "stamped.hpp"

namespace
{

PlaneConfig with_hint()
{
	PlaneConfig config;

	config.hint = true;
	return config;
}

struct HintPlane : Plane {
	explicit HintPlane(rxaqm_signal signal = RXAQM_SIGNAL_HINT)
		: Plane(with_hint())
	{
		iface().stamp = RXAQM_STAMP_HWTSTAMP;
		set_signal(signal);
		publish_clock(*this);
	}

	void set_signal(rxaqm_signal signal)
	{
		rxaqm_policy policy = simple_policy();

		policy.signal = signal;
		set_policy(policy);
	}

	/* A packet that has waited @ns. */
	Out run_waited(uint64_t ns)
	{
		hint(waited(ns));
		return run(data_packet());
	}
};

} /* namespace */

TEST_CASE("hint: the first packet of a poll stands for all", "[hint]")
{
	HintPlane plane(GENERATE(RXAQM_SIGNAL_HINT, RXAQM_SIGNAL_AUTO));

	plane.run_waited(300 * US);
	plane.run_waited(200 * US);
	plane.run_waited(200 * US);
	CHECK(plane.hints_asked() == 1);
	CHECK(plane.cpu().want_ifindex == 0); /* the tracing program has nothing to see */
	plane.stamp(0, now_ns() + OFFSET - SEC);
	plane.end_poll(3);

	const rxaqm_queue &q = plane.queue();
	CHECK(q.flags & RXAQM_QUEUE_SAMPLED);
	CHECK(q.signal == RXAQM_SIGNAL_HINT);
	CHECK(q.sample_sojourn_ns >= 300 * US);
	CHECK(q.sample_sojourn_ns < 100 * MS); /* whatever the machine was doing */
	CHECK(counted(q, 300 * US, 100 * MS) == 3);
}

TEST_CASE("hint: a packet of a queue that stands is judged by its own stamp", "[hint]")
{
	HintPlane plane;

	plane.run(data_packet()); /* takes the policy over */
	plane.end_poll(64);
	plane.stands_since(100 * MS);
	/* Over target for long: this one is dropped, and measured all the same. */
	plane.overdue();
	CHECK(plane.run_waited(20 * MS).verdict == XDP_DROP);
	CHECK(plane.queue().codel.ldelay_ns == plane.queue().sample_sojourn_ns);
	CHECK(plane.queue().sample_sojourn_ns >= 20 * MS);
	/* The next is under target, whatever the one ahead of it was: one before which the machine
	 * did not pause for 1 ms.
	 */
	uint32_t verdict, judged = 1;
	do {
		plane.queue().poll_end_ns = now_ns();
		plane.overdue();
		verdict = plane.run_waited(0).verdict;
		judged++;
	} while (plane.queue().sample_sojourn_ns >= 1 * MS && judged < 100);
	CHECK(verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_LOW) == 1);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == judged);
	CHECK(plane.hints_asked() == judged + 1);
	CHECK(counted(plane.queue(), 20 * MS, SEC) >= 1);
}

TEST_CASE("hint: eight packets of a fast queue share one stamp", "[hint]")
{
	HintPlane plane;

	plane.stands_since(100 * MS);
	plane.queue().clock_mask = 7;
	for (int i = 0; i < 16; i++)
		plane.run_waited(5 * MS);
	CHECK(plane.hints_asked() == 2);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 16);
	CHECK(counted(plane.queue(), 5 * MS, SEC) == 16);
}

TEST_CASE("hint: a packet without a stamp is no sample", "[hint]")
{
	HintPlane plane;

	plane.hint(0);
	plane.run(data_packet());
	plane.end_poll(64);
	CHECK(plane.stat(RXAQM_STAT_STAMP_MISSING) == 1);
	CHECK(!(plane.queue().flags & RXAQM_QUEUE_SAMPLED));

	/* Fails open: nothing else may speak. */
	plane.stands_since(100 * MS);
	plane.overdue();
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_PASS_NO_SIGNAL) == 1);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 0);

	/* One that was stamped speaks for those that follow, but not for long. */
	plane.run_waited(20 * MS);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 1);
	plane.hint(0);
	plane.queue().sample_ns = now_ns() - FRESH - MS;
	plane.queue().poll_end_ns = now_ns();
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_PASS_STALE) == 1);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 1);
}

TEST_CASE("hint: in auto, busy takes over where there are no stamps", "[hint]")
{
	HintPlane plane(RXAQM_SIGNAL_AUTO);

	plane.hint(0);
	plane.run(data_packet());
	plane.end_poll(64);
	plane.stands_since(100 * MS);
	plane.run(data_packet());
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 1);
	CHECK(plane.queue().signal == RXAQM_SIGNAL_BUSY);
	CHECK(plane.queue().codel.ldelay_ns >= 100 * MS);

	/* And back. */
	plane.run_waited(20 * MS);
	CHECK(plane.queue().signal == RXAQM_SIGNAL_HINT);
	CHECK(plane.queue().codel.ldelay_ns < 100 * MS);
}

TEST_CASE("hint: a stamp that cannot be true is not believed", "[hint]")
{
	const bool automatic = GENERATE(false, true);
	HintPlane plane(automatic ? RXAQM_SIGNAL_AUTO : RXAQM_SIGNAL_HINT);

	plane.hint(now_ns() + OFFSET + SEC);
	plane.run(data_packet());
	plane.end_poll(64);
	CHECK(plane.queue().distrust_reason == RXAQM_DISTRUST_NEGATIVE);
	plane.stands_since(100 * MS);
	plane.run_waited(20 * MS);
	CHECK(plane.stat(RXAQM_STAT_PASS_IMPLAUSIBLE) == !automatic);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == automatic);
	CHECK(plane.queue().signal == (automatic ? RXAQM_SIGNAL_BUSY : RXAQM_SIGNAL_AUTO));
}

TEST_CASE("hint: with busy, and switched off, the driver is not asked", "[hint]")
{
	HintPlane plane(RXAQM_SIGNAL_BUSY);

	plane.run_waited(300 * US);
	plane.end_poll(1);
	CHECK(plane.queue().signal == RXAQM_SIGNAL_BUSY);
	CHECK(plane.queue().hist[0] == 1);
	plane.stands_since(100 * MS);
	plane.run_waited(300 * US);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 1);
	plane.end_poll(1);

	rxaqm_policy off = simple_policy();
	off.mode = RXAQM_MODE_OFF;
	plane.set_policy(off);
	plane.run_waited(300 * US);
	CHECK(plane.hints_asked() == 0);
}

TEST_CASE("hint: the clock is learnt from packets that met an empty queue", "[hint]")
{
	HintPlane plane;
	uint64_t end_ns = now_ns() + 2 * SEC;

	plane.clock() = {};
	while (now_ns() < end_ns && plane.clock().est.nr_points < 2) {
		plane.run_waited(20 * US);
		plane.end_poll(1);
	}
	REQUIRE(plane.clock().est.nr_points >= 2);
	const rxaqm_clock clock = plane.clock().clock[plane.clock().published & 1];
	int64_t error_ns = int64_t(rxaqm_clock_to_host(&clock, now_ns() + OFFSET) - now_ns());
	CHECK(error_ns < int64_t(MS));
	CHECK(error_ns > -int64_t(MS));
	CHECK(plane.stat(RXAQM_STAT_CLOCK_RESETS) == 0);
}
