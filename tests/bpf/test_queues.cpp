// SPDX-License-Identifier: GPL-2.0-only
/* Queues, their policies, and signals that cannot be trusted. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sched.h>

#include <bpf/libbpf.h>

#include "plane.hpp"

namespace
{

/* Let queue @n take the policy in force over. */
void settle(Plane &plane, unsigned n = 0)
{
	plane.queue(n).taken = 0;
	plane.queue(n).skip = plane.queue(n).skipped_from = 0;
	REQUIRE(plane.run(data_packet(), n).verdict == XDP_PASS);
}

uint32_t verdict_when_due(Plane &plane, unsigned n = 0)
{
	plane.overdue(n);
	return plane.run(data_packet(), n).verdict;
}

} /* namespace */

TEST_CASE("queues: each by itself", "[queues]")
{
	Plane plane;

	for (unsigned n = 0; n < 4; n++)
		settle(plane, n);
	plane.stand(5 * MS, 2);
	for (unsigned n = 0; n < 4; n++)
		CHECK(verdict_when_due(plane, n) == (n == 2 ? XDP_DROP : XDP_PASS));
	for (unsigned n = 0; n < 4; n++) {
		CAPTURE(n);
		CHECK(plane.stat(RXAQM_STAT_DROP, n) == (n == 2));
		CHECK(plane.stat(RXAQM_STAT_JUDGED, n) == (n == 2));
		CHECK(plane.queue(n).iface == 3);
	}
}

TEST_CASE("queues: one that came after attach passes", "[queues]")
{
	Plane plane;

	/* The entry belongs to another interface. */
	plane.stand(5 * MS, 4);
	plane.queue(4).policy = simple_policy();
	plane.queue(4).flags |= RXAQM_QUEUE_POLICY_VALID;
	const rxaqm_queue before = plane.queue(4);
	for (unsigned n : { 4, 5, 15 })
		CHECK(verdict_when_due(plane, n) == XDP_PASS);
	CHECK(plane.queue(4).taken == before.taken);
	CHECK(plane.queue(4).stat[RXAQM_STAT_JUDGED] == 0);
	CHECK(plane.cpu().nr_queues == 0);
}

TEST_CASE("queues: keyed by CPU", "[queues]")
{
	PlaneConfig config;

	config.by_cpu = config.generic = true;
	config.nr_queues = uint32_t(libbpf_num_possible_cpus());
	Plane plane(config);
	unsigned cpu = unsigned(sched_getcpu());

	plane.stand(5 * MS, cpu);
	plane.run(data_packet(), 3);
	plane.stand(5 * MS, cpu);
	plane.overdue(cpu);
	CHECK(plane.run(data_packet(), 3).verdict == XDP_DROP);
	CHECK(plane.stat(RXAQM_STAT_DROP, cpu) == 1);
}

TEST_CASE("queues: a policy takes effect at the next poll, all at once", "[queues]")
{
	Plane plane;
	rxaqm_policy off = simple_policy();

	settle(plane);
	plane.stand(5 * MS);
	CHECK(verdict_when_due(plane) == XDP_DROP);

	/* Half written: the bank is not in use until the generation says so. */
	off.mode = RXAQM_MODE_OFF;
	plane.policy(0, plane.iface().policy_gen + 1) = off;
	plane.end_poll(64);
	plane.stand(5 * MS);
	CHECK(plane.run(data_packet()).verdict == XDP_PASS); /* CoDel starts anew, no more */
	CHECK(verdict_when_due(plane) == XDP_DROP);

	/* In the middle of a poll. */
	plane.set_policy(off);
	CHECK(verdict_when_due(plane) == XDP_DROP);
	CHECK(plane.queue().policy.mode == RXAQM_MODE_ENFORCE);
	plane.end_poll(64);
	CHECK(verdict_when_due(plane) == XDP_PASS);
	CHECK(plane.queue().policy.mode == RXAQM_MODE_OFF);
	CHECK(plane.queue().policy_gen == plane.iface().policy_gen);
}

TEST_CASE("queues: a renewed lease does not start CoDel anew", "[queues]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	plane.set_policy(policy);
	settle(plane);
	plane.stand(5 * MS);
	plane.queue().codel.count = 7;
	policy.lease_until_ns = now_ns() + 60 * SEC;
	plane.set_policy(policy);
	plane.end_poll(64);
	plane.run(data_packet());
	CHECK(plane.queue().policy_gen == plane.iface().policy_gen);
	CHECK(plane.queue().policy.lease_until_ns == policy.lease_until_ns);
	CHECK(plane.queue().codel.count == 7);

	policy.target_ns += 1;
	plane.set_policy(policy);
	plane.end_poll(64);
	plane.run(data_packet());
	CHECK(plane.queue().policy.target_ns == policy.target_ns);
	CHECK(plane.queue().codel.count == 0);
}

TEST_CASE("queues: what is not known passes, with the reason", "[queues]")
{
	struct Case {
		const char *name;
		rxaqm_stat reason;
		void (*spoil)(rxaqm_queue &);
	};
	const Case c = GENERATE(values<Case>({
		{ "no sample yet", RXAQM_STAT_PASS_NO_SIGNAL,
		  [](rxaqm_queue &q) { q.flags &= ~RXAQM_QUEUE_SAMPLED; } },
		{ "stale", RXAQM_STAT_PASS_STALE,
		  [](rxaqm_queue &q) { q.sample_ns -= FRESH + MS; } },
		{ "distrusted", RXAQM_STAT_PASS_IMPLAUSIBLE,
		  [](rxaqm_queue &q) {
			  q.distrust_reason = RXAQM_DISTRUST_NEGATIVE;
			  q.distrust_until_ns = now_ns() + SEC;
		  } },
		{ "no clock", RXAQM_STAT_PASS_NO_CLOCK,
		  [](rxaqm_queue &q) {
			  q.flags &= ~RXAQM_QUEUE_SAMPLED;
			  q.flags |= RXAQM_QUEUE_NO_CLOCK;
		  } },
	}));
	Plane plane;
	rxaqm_policy policy = simple_policy();

	CAPTURE(c.name);
	policy.signal = RXAQM_SIGNAL_STAMP;
	plane.set_policy(policy);
	settle(plane);
	plane.stand(5 * MS);
	c.spoil(plane.queue());
	CHECK(verdict_when_due(plane) == XDP_PASS);
	CHECK(plane.stat(c.reason) == 1);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 0);

	/* Distrust ends by itself, and all is well with a fresh sample. */
	plane.queue().distrust_until_ns = now_ns() - 1;
	plane.queue().flags &= ~RXAQM_QUEUE_NO_CLOCK;
	plane.stand(5 * MS);
	CHECK(verdict_when_due(plane) == XDP_DROP);
}

TEST_CASE("queues: age of a sample goes by the interval", "[queues]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	policy.signal = RXAQM_SIGNAL_STAMP;
	policy.interval_ns = 4 * SEC;
	plane.set_policy(policy);
	settle(plane);
	plane.stand(5 * MS);
	plane.queue().sample_ns -= 1000 * MS;
	CHECK(verdict_when_due(plane) == XDP_DROP);
	plane.queue().sample_ns -= 1001 * MS;
	CHECK(verdict_when_due(plane) == XDP_PASS);
}

TEST_CASE("queues: the error of a sample counts in the packet's favour", "[queues]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	policy.signal = RXAQM_SIGNAL_STAMP;
	plane.set_policy(policy);
	settle(plane);
	plane.stand(5 * MS);
	plane.queue().sample_err_ns = 4100 * US;
	CHECK(verdict_when_due(plane) == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_LOW) == 1);
	plane.stand(5 * MS);
	plane.queue().sample_err_ns = 3900 * US;
	CHECK(verdict_when_due(plane) == XDP_DROP);
	plane.stand(5 * MS);
	plane.queue().sample_err_ns = 6 * MS;
	CHECK(verdict_when_due(plane) == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_LOW) == 2);
}

TEST_CASE("queues: where a sample's error is over half the target, busy takes over", "[queues]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();
	rxaqm_queue &q = plane.queue();

	policy.target_ns = 100 * MS;
	plane.set_policy(policy);
	settle(plane);
	plane.stand(160 * MS);
	q.drained_ns = now_ns() - SEC;
	q.signal = RXAQM_SIGNAL_STAMP;
	q.sample_err_ns = 50 * MS;
	CHECK(verdict_when_due(plane) == XDP_DROP);
	CHECK(q.signal == RXAQM_SIGNAL_STAMP);
	/* Less its error it is under target, but the queue has not been empty for a second. */
	plane.stand(160 * MS);
	q.sample_err_ns = 70 * MS;
	CHECK(verdict_when_due(plane) == XDP_DROP);
	CHECK(q.signal == RXAQM_SIGNAL_BUSY);
	CHECK(plane.stat(RXAQM_STAT_LOW) == 0);
}

TEST_CASE("queues: samples are good for four rounds, however far apart polls are", "[queues]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();
	rxaqm_queue &q = plane.queue();

	policy.signal = RXAQM_SIGNAL_STAMP;
	policy.interval_ns = 20 * MS;
	q.round_ns = uint32_t(200 * MS);
	plane.set_policy(policy);
	settle(plane);
	CHECK(q.sample_age_max_ns == 800 * MS); /* more than this test takes */
	plane.end_poll(64);
	plane.stand(80 * MS);
	q.poll_end_ns = q.sample_ns = now_ns() - 300 * MS;
	CHECK(verdict_when_due(plane) == XDP_DROP);
	q.sample_age_max_ns = 10 * MS;
	CHECK(verdict_when_due(plane) == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_PASS_STALE) == 1);
	CHECK(q.flags & RXAQM_QUEUE_STANDING);
}

TEST_CASE("queues: busy goes by the time since the queue was drained", "[queues]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();
	const bool automatic = GENERATE(true, false);

	CAPTURE(automatic);
	policy.signal = automatic ? RXAQM_SIGNAL_AUTO : RXAQM_SIGNAL_BUSY;
	policy.target_ns = SEC;
	plane.set_policy(policy);
	settle(plane);
	rxaqm_queue &q = plane.queue();
	plane.stand(automatic ? 5 * SEC : 0);
	if (automatic)
		q.sample_ns -= FRESH + MS; /* stale: the next best signal */

	q.drained_ns = now_ns() - 500 * US;
	CHECK(verdict_when_due(plane) == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_LOW) == 1);
	q.drained_ns = now_ns() - SEC - MS;
	CHECK(verdict_when_due(plane) == XDP_DROP);
	CHECK(q.signal == RXAQM_SIGNAL_BUSY);
	/* No longer than a full ring takes: 4096 entries of 100 ns are 0.4 ms. */
	q.packet_ns = 100;
	CHECK(verdict_when_due(plane) == XDP_PASS);
	CHECK(q.codel.ldelay_ns == 409600);
	/* Each packet is in the histogram. */
	uint64_t counted = 0;
	for (uint64_t n : q.hist)
		counted += n;
	CHECK(counted == 3);

	/* Not before the end of a poll has been seen. */
	q.flags &= ~RXAQM_QUEUE_POLLED;
	CHECK(verdict_when_due(plane) == XDP_PASS);
	CHECK(plane.stat(RXAQM_STAT_JUDGED) == 3);
}

/* Without a bound the arrival of what is at hand would stand still, and a law that goes by it. */
TEST_CASE("queues: busy takes a ring of unknown length for a small one", "[queues]")
{
	Plane plane({ .ring_entries = 0 });
	rxaqm_policy policy = simple_policy();

	policy.signal = RXAQM_SIGNAL_BUSY;
	plane.set_policy(policy);
	settle(plane);
	plane.stand(0);
	plane.queue().drained_ns = now_ns() - 5 * SEC;
	plane.queue().packet_ns = 20 * US;
	CHECK(verdict_when_due(plane) == XDP_DROP);
	CHECK(plane.queue().codel.ldelay_ns == 512 * 20 * US);
}

TEST_CASE("queues: enforcing does not begin with what observing came to", "[queues]")
{
	Plane plane;
	rxaqm_policy policy = simple_policy();

	policy.mode = RXAQM_MODE_OBSERVE;
	plane.set_policy(policy);
	settle(plane);
	plane.queue().codel.count = 1000000;
	plane.queue().codel.lastcount = 1;
	plane.queue().codel.drop_next_ns = now_ns();

	policy.mode = RXAQM_MODE_ENFORCE;
	plane.set_policy(policy);
	plane.end_poll(64);
	plane.stand(5 * MS);
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	plane.stand(5 * MS);
	plane.queue().codel.first_above_time_ns = now_ns() - 1;
	CHECK(plane.run(data_packet()).verdict == XDP_DROP);
	CHECK(plane.queue().codel.count == 1);
}

TEST_CASE("queues: one that stood and was not polled since stands no more", "[queues]")
{
	Plane plane;

	plane.set_policy(simple_policy());
	settle(plane);
	plane.end_poll(64);
	plane.stand(5 * MS);
	plane.overdue();
	plane.queue().poll_end_ns = now_ns() - SEC - MS;
	CHECK(plane.run(data_packet()).verdict == XDP_PASS);
	CHECK(!(plane.queue().flags & RXAQM_QUEUE_STANDING));
	CHECK(!plane.queue().codel.above);
	CHECK(plane.queue().skip > 0);
}
