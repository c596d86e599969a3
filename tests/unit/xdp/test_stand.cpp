/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a queue stands is one answer for all that ask, whatever its last poll did. */
#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <random>

#include "poll.h"

extern "C" {
#include "figures/figures.h"
}

static const __u64 US = RXAQM_NSEC_PER_USEC;
static const __u64 MS = RXAQM_NSEC_PER_MSEC;
static const __u64 SEC = RXAQM_NSEC_PER_SEC;

namespace
{

/* A queue with a target of 5 ms and an interval of 100 ms; a poll takes 2 ms. */
struct Queue {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	__u64 now_ns = ~0ULL - 10 * SEC; /* times may wrap */

	Queue()
	{
		q->policy.mode = RXAQM_MODE_OBSERVE;
		q->policy.signal = RXAQM_SIGNAL_AUTO;
		q->policy.interval_ns = q->interval_ns = 100 * MS;
		q->target_ns = q->law.goal_ns = 5 * MS;
		q->policy_gen = 1;
		poll(0);
	}

	/* One that takes all 64 packets leaves some, which have waited @sojourn_ns. */
	void poll(__u32 packets, __u64 sojourn_ns = 0, __u64 took_ns = 2 * MS)
	{
		const rxaqm_poll poll = { now_ns += took_ns, packets, 64, 64, false, false };

		if (q->flags & (RXAQM_QUEUE_STANDING | RXAQM_QUEUE_WAITING))
			q->law.smooth_ns = sojourn_ns;
		q->taken = packets;
		rxaqm_poll_end(q.get(), &poll);
	}

	bool stands() const
	{
		return rxaqm_queue_stands(q.get(), now_ns);
	}
};

} // namespace

TEST_CASE("stand: under steady overload the answer does not depend on the last poll", "[stand]")
{
	Queue queue;
	std::mt19937 random(1);

	for (int i = 0; i < 300; i++)
		queue.poll(64, 27 * MS);
	REQUIRE(queue.stands());
	__u64 since_ns = queue.q->stood_since_ns;

	/* Now and then a sender pauses, for up to a fifth of a second. */
	for (int i = 0; i < 100000; i++) {
		queue.poll(random() % 20 ? 64 : 10, 20 * MS + random() % (14 * MS));
		for (int left = random() % 1000 ? 0 : 100; left; left--)
			queue.poll(10);
		REQUIRE(queue.stands());
		REQUIRE(queue.q->stood_since_ns == since_ns);
		REQUIRE(queue.q->stood_sojourn_ns > 20 * MS);
		REQUIRE(queue.q->stood_sojourn_ns < 34 * MS);
	}
	/* It is over a second after the load. */
	for (int i = 0; i < 500; i++)
		queue.poll(10);
	CHECK_FALSE(queue.stands());
	CHECK(queue.q->stood_lead_ns == 0);
}

TEST_CASE("stand: bursts through a queue that flows are none, however many", "[stand]")
{
	Queue queue;
	std::mt19937 random(1);

	for (int i = 0; i < 10000; i++) {
		for (int left = random() % 20; left; left--)
			queue.poll(64, 27 * MS);
		for (int left = 40; left; left--)
			queue.poll(10);
		REQUIRE_FALSE(queue.stands());
	}
	/* Neither is one that is drained at every second poll. */
	for (int i = 0; i < 100000; i++) {
		queue.poll(64, 27 * MS);
		queue.poll(10);
		REQUIRE_FALSE(queue.stands());
	}
}

TEST_CASE("stand: it begins after half a second, and is told since its beginning", "[stand]")
{
	Queue queue;

	queue.poll(64);
	for (int i = 0; i < 249; i++)
		queue.poll(64, 6 * MS);
	CHECK_FALSE(queue.stands());
	queue.poll(64, 6 * MS);
	CHECK(queue.stands());
	CHECK(queue.q->stood_since_ns == queue.now_ns - 500 * MS);
	CHECK(queue.q->stood_sojourn_ns == 6 * MS);
	/* The average forgets in a second or so. */
	for (int i = 0; i < 2500; i++)
		queue.poll(64, 30 * MS);
	CHECK(queue.q->stood_sojourn_ns > 29 * MS);
	/* An interval that is longer than what is remembered. */
	Queue slow;

	slow.q->interval_ns = 4 * SEC;
	for (int i = 0; i < 502; i++)
		slow.poll(64, 6 * MS);
	CHECK(slow.stands());
	/* Sojourns over 4 s count as 4 s. */
	for (int i = 0; i < 5000; i++)
		slow.poll(64, 9 * SEC);
	CHECK(slow.q->stood_sojourn_ns > 4 * SEC);
}

TEST_CASE("stand: observed it is over the goal, enforced over half of it", "[stand]")
{
	for (bool enforced : { false, true }) {
		Queue queue;
		__u64 goal_ns = enforced ? 2500 * US : 5 * MS;

		queue.q->flags |= enforced ? RXAQM_QUEUE_ENFORCED : 0;
		for (int i = 0; i < 1000; i++)
			queue.poll(64, goal_ns - 1);
		CHECK_FALSE(queue.stands());
		for (int i = 0; i < 1000; i++)
			queue.poll(64, goal_ns);
		CHECK(queue.stands());
		for (int i = 0; i < 1000; i++)
			queue.poll(64, goal_ns - 1);
		CHECK_FALSE(queue.stands());
	}
}

TEST_CASE("stand: where nothing is judged the polls say it", "[stand]")
{
	Queue queue;

	queue.q->policy.signal = RXAQM_SIGNAL_STAMP; /* and there are no stamps */
	for (int i = 0; i < 300; i++)
		queue.poll(64);
	CHECK(queue.stands());
	CHECK(queue.q->stood_sojourn_ns == 0);
	Queue off;

	off.q->policy.mode = RXAQM_MODE_OFF;
	for (int i = 0; i < 300; i++)
		off.poll(64);
	CHECK(off.stands());
}

TEST_CASE("stand: also in the ring of a socket that the queue drains into", "[stand]")
{
	Queue queue;

	queue.q->flags |= RXAQM_QUEUE_WAITING;
	for (int i = 0; i < 300; i++)
		queue.poll(10, 27 * MS);
	CHECK(queue.stands());
	CHECK(queue.q->stood_sojourn_ns == 27 * MS);
}

TEST_CASE("stand: polls that have ceased end it", "[stand]")
{
	Queue queue;

	for (int i = 0; i < 1000; i++)
		queue.poll(64, 27 * MS);
	/* A CPU that has no time to poll: the worst overload. */
	queue.now_ns += SEC;
	CHECK(queue.stands());
	/* The link is down. */
	queue.now_ns++;
	CHECK_FALSE(queue.stands());
	/* And when it is up again, what was before counts no more. */
	queue.q->flags &= ~RXAQM_QUEUE_STANDING; /* as rxaqm_poll_resumes() does it */
	queue.poll(10, 0, 5 * SEC);
	CHECK_FALSE(queue.stands());
	CHECK(queue.q->stood_since_ns == 0);
	rxaqm_queue fresh = {};

	CHECK_FALSE(rxaqm_queue_stands(&fresh, 0));
}
