// SPDX-License-Identifier: GPL-2.0-only
/* Polls: what the first packet of one leaves behind, and what is made of its end. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <bpf/libbpf.h>
#include <sched.h>

#include <algorithm>

#include "plane.hpp"

namespace
{

void poll(Plane &plane, unsigned packets, unsigned queue = 0, uint64_t napi = NAPI)
{
	for (unsigned i = 0; i < packets; i++)
		REQUIRE(plane.run(data_packet(), queue).verdict == XDP_PASS);
	plane.end_poll(int(packets), 64, napi);
}

bool stands(Plane &plane, unsigned queue = 0)
{
	return plane.queue(queue).flags & RXAQM_QUEUE_STANDING;
}

/* Packets have waited @sojourn_ns, and come so fast that eight share a reading of the clock. */
void stand_fast(Plane &plane, uint64_t sojourn_ns)
{
	plane.iface().stamp = RXAQM_STAMP_TSTAMP;
	plane.run(data_packet());
	plane.end_poll(1);
	plane.stand(sojourn_ns);
	plane.queue().clock_mask = 7;
}

} /* namespace */

TEST_CASE("polls: the first packet leaves a note, the rest pass unlooked at", "[polls]")
{
	Plane plane;

	plane.run(data_packet(), 1);
	CHECK(plane.cpu().nr_queues == 1);
	CHECK(plane.cpu().queue[0] == 41);
	CHECK(plane.cpu().want_ifindex == plane.ifindex());
	CHECK(plane.queue(1).taken == 1);
	CHECK(plane.queue(1).skip == RXAQM_POLL_PACKETS_MAX - 1);
	for (int i = 0; i < 9; i++)
		plane.run(data_packet(), 1);
	CHECK(plane.queue(1).taken == 1);
	CHECK(plane.queue(1).skip == RXAQM_POLL_PACKETS_MAX - 10);
	CHECK(plane.stat(RXAQM_STAT_PACKETS, 1) == 0);

	plane.end_poll(10);
	CHECK(plane.cpu().nr_queues == 0);
	CHECK(plane.cpu().want_ifindex == 0);
	CHECK(plane.stat(RXAQM_STAT_PACKETS, 1) == 10);
	CHECK(plane.stat(RXAQM_STAT_POLLS_DRAINED, 1) == 1);
	CHECK(plane.stat(RXAQM_STAT_POLLS_LEFT, 1) == 0);
	CHECK(plane.queue(1).napi == NAPI);
	CHECK(plane.queue(1).cpu == uint32_t(sched_getcpu()));
	CHECK(!stands(plane, 1));
}

TEST_CASE("polls: a full one makes the queue stand, an empty one ends it", "[polls]")
{
	Plane plane;

	poll(plane, 63);
	CHECK(!stands(plane));
	CHECK(!plane.watched());
	poll(plane, 64);
	CHECK(stands(plane));
	CHECK(plane.watched() == 0u);
	CHECK(plane.stat(RXAQM_STAT_POLLS_LEFT) == 1);

	/* Every packet is looked at now. */
	plane.run(data_packet());
	plane.run(data_packet());
	CHECK(plane.queue().taken == 2);
	CHECK(plane.queue().skip == 0);
	plane.end_poll(64);
	/* The poll is not done, but only two packets were of this queue. */
	CHECK(!stands(plane));
	CHECK(!plane.watched());

	poll(plane, 64);
	CHECK(stands(plane));
	/* Polls of another NAPI say nothing about the queue. */
	plane.end_poll(0, 64, NAPI + 8);
	CHECK(stands(plane));
	plane.end_poll(0);
	CHECK(!stands(plane));
	CHECK(!plane.watched());
	CHECK(plane.stat(RXAQM_STAT_POLLS_DRAINED) == 3);
	CHECK(plane.stat(RXAQM_STAT_PACKETS) == 63 + 64 + 2 + 64);
}

TEST_CASE("polls: rounds are timed while the queue stands", "[polls]")
{
	Plane plane;
	rxaqm_policy observe = simple_policy();

	observe.mode = RXAQM_MODE_OBSERVE;
	plane.set_policy(observe);
	poll(plane, 64);
	CHECK(plane.queue().round_ns == 0);
	uint64_t begin_ns = plane.queue().poll_end_ns;
	poll(plane, 64);
	uint64_t round_ns = plane.queue().poll_end_ns - begin_ns;
	CHECK(plane.queue().round_ns == round_ns);
	CHECK(plane.queue().packet_ns == round_ns / 64);

	/* Not by rounds with drops in them, which are cheap. */
	plane.queue().poll_drops = 1;
	poll(plane, 64);
	CHECK(plane.queue().round_ns == round_ns);
	CHECK(plane.queue().poll_drops == 0);
}

TEST_CASE("polls: a queue that moved to another NAPI is watched there", "[polls]")
{
	Plane plane;

	poll(plane, 64);
	poll(plane, 64, 0, NAPI + 8);
	CHECK(!plane.watched(NAPI));
	CHECK(plane.watched(NAPI + 8) == 0u);
	plane.end_poll(0, 64, NAPI);
	CHECK(stands(plane));
	plane.end_poll(0, 64, NAPI + 8);
	CHECK(!stands(plane));
}

TEST_CASE("polls: a queue that moves to another NAPI leaves its neighbours watched", "[polls]")
{
	Plane plane;

	for (unsigned queue : { 0, 1 })
		for (int i = 0; i < 64; i++)
			plane.run(data_packet(), queue);
	plane.end_poll(64);
	for (int i = 0; i < 64; i++)
		plane.run(data_packet());
	plane.end_poll(64, 64, NAPI + 8);
	CHECK(plane.watched(NAPI) == 1u);
	plane.end_poll(0, 64, NAPI);
	CHECK(!(plane.queue(1).flags & RXAQM_QUEUE_STANDING));
	CHECK(stands(plane));
}

TEST_CASE("polls: a queue that stood when ends of polls ceased to be seen is let go", "[polls]")
{
	Plane plane;

	plane.set_policy(simple_policy());
	poll(plane, 64);
	REQUIRE(stands(plane));
	/* The tracing programs are taken off in the middle of a poll. */
	for (int i = 0; i < 5; i++)
		plane.run(data_packet());
	plane.queue().poll_end_ns = now_ns() - SEC - MS;
	plane.queue().drained_ns = now_ns() - SEC - MS;
	for (int i = 0; i < 5; i++)
		CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(!stands(plane));
	CHECK(plane.stat(RXAQM_STAT_PASS_STALE) == 1);
}

/* As of interfaces that share a CPU's backlog. */
TEST_CASE("polls: a queue that there is no room to note is passed, and stands no more", "[polls]")
{
	const unsigned last = RXAQM_CPU_QUEUES;
	Plane plane({ .nr_queues = last + 1 });

	plane.set_policy(simple_policy());
	for (unsigned n = 0; n <= last; n++) {
		plane.run(data_packet(), n);
		plane.end_poll(1);
	}
	for (unsigned n = 0; n < last; n++)
		plane.run(data_packet(), n);
	plane.stand(5 * MS, last);
	plane.overdue(last);
	for (int i = 0; i < 3; i++)
		CHECK(plane.run(data_packet(), last).verdict == XDP_PASS);
	CHECK(!stands(plane, last));
	plane.end_poll(last + 3);
	for (unsigned n = 0; n <= last; n++) {
		CAPTURE(n);
		CHECK(plane.queue(n).taken == 0);
	}
}

TEST_CASE("polls: several rings of one NAPI share its budget", "[polls]")
{
	Plane plane;

	for (int i = 0; i < 32; i++)
		plane.run(data_packet(), 0);
	for (int i = 0; i < 31; i++)
		plane.run(data_packet(), 1);
	CHECK(plane.cpu().nr_queues == 2);
	plane.end_poll(64);
	CHECK(stands(plane, 0));
	CHECK(!stands(plane, 1));
	CHECK(plane.cpu().nr_queues == 0);
}

TEST_CASE("polls: of other sizes", "[polls]")
{
	Plane plane;

	plane.iface().poll_packets = 512;
	poll(plane, 64);
	CHECK(!stands(plane));
	poll(plane, 512);
	CHECK(stands(plane));
}

TEST_CASE("polls: of a backlog, which others fill, too, go by work", "[polls]")
{
	PlaneConfig config;

	config.by_cpu = config.generic = true;
	config.nr_queues = uint32_t(libbpf_num_possible_cpus());
	Plane plane(config);
	unsigned cpu = unsigned(sched_getcpu());

	plane.run(data_packet());
	plane.end_poll(64);
	CHECK(stands(plane, cpu));
	plane.run(data_packet());
	plane.end_poll(63);
	CHECK(!stands(plane, cpu));
}

TEST_CASE("polls: of a queue that Tx completions share go by work", "[polls]")
{
	PlaneConfig config;

	config.by_work = true;
	Plane plane(config);

	/* One packet, and 63 completions that were ahead of the others. */
	plane.run(data_packet());
	plane.end_poll(64);
	CHECK(stands(plane));
	plane.run(data_packet());
	plane.end_poll(63);
	CHECK(!stands(plane));
}

TEST_CASE("polls: whose end is never seen are closed all the same", "[polls]")
{
	Plane plane;

	for (int i = 0; i < RXAQM_POLL_PACKETS_MAX; i++)
		plane.run(data_packet());
	CHECK(plane.stat(RXAQM_STAT_POLLS_LOST) == 0);
	plane.run(data_packet());
	CHECK(plane.stat(RXAQM_STAT_POLLS_LOST) == 1);
	CHECK(plane.stat(RXAQM_STAT_PACKETS) == RXAQM_POLL_PACKETS_MAX);
	/* Notes without end do not leave their array. */
	for (int i = 0; i < 20; i++) {
		plane.queue().skip = 0;
		plane.queue().skipped_from = RXAQM_POLL_PACKETS_MAX;
		plane.run(data_packet());
		CHECK(plane.cpu().nr_queues <= RXAQM_CPU_QUEUES);
	}
}

TEST_CASE("polls: without stamps a drained queue has no delay", "[polls]")
{
	Plane plane;
	rxaqm_policy busy = simple_policy();

	busy.signal = RXAQM_SIGNAL_BUSY;
	plane.set_policy(busy);
	plane.run(data_packet());
	CHECK(plane.cpu().want_ifindex == 0);
	for (int i = 0; i < 4; i++)
		plane.run(data_packet());
	plane.end_poll(5);
	CHECK(plane.queue().hist[0] == 5);
	CHECK(plane.queue().signal == RXAQM_SIGNAL_BUSY);
}

TEST_CASE("polls: packets of a fast standing queue share one clock reading, and one stamp",
	  "[polls]")
{
	Plane plane;

	stand_fast(plane, 100 * US);
	plane.run(data_packet());
	const uint64_t read_ns = plane.queue().clock_ns;
	for (int i = 1; i < 8; i++) {
		plane.run(data_packet());
		CHECK(plane.queue().clock_ns == read_ns);
	}
	plane.run(data_packet());
	CHECK(plane.queue().clock_ns > read_ns);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 9);

	const uint64_t missing = plane.stat(RXAQM_STAT_STAMP_MISSING);
	for (int i = 0; i < 9; i++)
		plane.stamp(0);
	CHECK(plane.stat(RXAQM_STAT_STAMP_MISSING) == missing + 2);
	/* Seven are yet to be let pass. */
	plane.queue().clock_mask = 0;
	for (int i = 0; i < 16; i++)
		plane.stamp(0);
	CHECK(plane.stat(RXAQM_STAT_STAMP_MISSING) == missing + 11);
}

TEST_CASE("polls: packets of a fast standing queue are judged alike, and all counted", "[polls]")
{
	const bool stamps = GENERATE(true, false);
	constexpr unsigned MASK = 7;
	Plane plane;
	rxaqm_policy policy = simple_policy();

	CAPTURE(stamps);
	policy.target_ns = 1 * SEC; /* an emulated CPU takes a while for 64 packets */
	policy.signal = stamps ? RXAQM_SIGNAL_STAMP : RXAQM_SIGNAL_BUSY;
	plane.set_policy(policy);
	plane.iface().stamp = RXAQM_STAMP_TSTAMP;
	plane.run(data_packet());
	plane.end_poll(1);
	for (unsigned packets : { 1, 8, 9, 21, 64 }) {
		const uint64_t judged = plane.stat(RXAQM_STAT_JUDGED),
			       low = plane.stat(RXAQM_STAT_LOW),
			       seen = plane.stat(RXAQM_STAT_PACKETS);
		uint64_t counted = 0;

		CAPTURE(packets);
		if (stamps)
			plane.stand(100 * US);
		else
			plane.stands_since(100 * US);
		plane.queue().clock_mask = MASK;
		std::fill(std::begin(plane.queue().hist), std::end(plane.queue().hist), 0);
		for (unsigned i = 0; i < packets; i++)
			CHECK(plane.run(data_packet()).verdict == XDP_PASS);
		plane.end_poll(int(packets));
		CHECK(plane.stat(RXAQM_STAT_PACKETS) - seen == packets);
		CHECK(plane.stat(RXAQM_STAT_JUDGED) - judged == packets);
		CHECK(plane.stat(RXAQM_STAT_LOW) - low == packets);
		for (uint64_t n : plane.queue().hist)
			counted += n;
		CHECK(counted ==
		      (stamps ? 0 : packets)); /* stamps are counted where they are seen */
	}

	/* Over target each has a verdict of its own, and so has the first that is. */
	plane.stand(100 * US);
	plane.queue().clock_mask = MASK;
	for (unsigned i = 0; i < 1 + MASK; i++)
		plane.run(data_packet());
	plane.queue().packet_ns = 0; /* or no more would be believed than a full ring takes */
	if (stamps)
		plane.stand(2 * SEC);
	else
		plane.stands_since(2 * SEC);
	for (unsigned i = 0; i < 3 * (1 + MASK); i++)
		plane.run(data_packet());
	CHECK(plane.stat(RXAQM_STAT_OVER_NOT_ECT) == 3 * (1 + MASK));
	/* What is due comes with the next reading of the clock. */
	plane.overdue();
	for (unsigned i = 0; i < 1 + MASK; i++)
		plane.run(data_packet());
	CHECK(plane.stat(RXAQM_STAT_DROP) == 1);
}

TEST_CASE("polls: whoever is under target first, the next reading of the clock comes in time",
	  "[polls]")
{
	Plane plane;

	stand_fast(plane, 5 * MS);
	for (int i = 0; i < 3; i++)
		plane.run(data_packet());
	const uint64_t read_ns = plane.queue().clock_ns;
	plane.stand(100 * US); /* as a stamp says that was seen meanwhile */
	for (int i = 3; i < 8; i++) {
		plane.run(data_packet());
		CHECK(plane.queue().clock_ns == read_ns);
	}
	plane.run(data_packet());
	CHECK(plane.queue().clock_ns > read_ns);
	plane.end_poll(9);
	CHECK(plane.stat(RXAQM_STAT_OVER_NOT_ECT) == 3);
	CHECK(plane.stat(RXAQM_STAT_LOW) == 6);
}
