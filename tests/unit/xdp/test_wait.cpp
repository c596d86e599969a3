// SPDX-License-Identifier: GPL-2.0-only
/* What the consumer of a socket says of its wait (xdp/shared/wait.h), without a kernel. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include "decide.h"
#include "wait.h"

namespace
{

constexpr uint64_t US = RXAQM_NSEC_PER_USEC, MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;
constexpr uint64_t TARGET = 2 * MS, INTERVAL = 40 * MS, AGE = 20 * MS;

rxaqm_queue bound_queue(rxaqm_law law = RXAQM_LAW_CODEL)
{
	rxaqm_queue q;

	memset(&q, 0, sizeof(q));
	q.policy.target_ns = TARGET;
	q.policy.interval_ns = INTERVAL;
	q.policy.max_drop_permille = 1000;
	q.policy.law = law;
	q.policy.ecn = RXAQM_ECN_ON;
	q.policy.mode = RXAQM_MODE_ENFORCE;
	rxaqm_target_update(&q, 4096);
	rxaqm_decide_reset(&q);
	rxaqm_wait_bound(&q, true);
	return q;
}

} /* namespace */

TEST_CASE("wait: what is published counts for as long as a sample", "[wait]")
{
	/* Near 0, in the middle, and where times wrap. */
	const uint64_t now = GENERATE(uint64_t(2 * SEC), 1ULL << 62, 5 * MS);

	CHECK(rxaqm_sample_max_age_ns(INTERVAL, 0) == AGE);
	CHECK(rxaqm_wait_check(MS, 0, INTERVAL, now) == RXAQM_WAIT_NONE);
	CHECK(rxaqm_wait_check(~0ULL, 0, INTERVAL, now) == RXAQM_WAIT_NONE);
	CHECK(rxaqm_wait_check(0, now, INTERVAL, now) == RXAQM_WAIT_VALID);
	CHECK(rxaqm_wait_check(MS, now - AGE, INTERVAL, now) == RXAQM_WAIT_VALID);
	CHECK(rxaqm_wait_check(MS, now - AGE - 1, INTERVAL, now) == RXAQM_WAIT_STALE);
	CHECK(rxaqm_wait_check(MS, now - 9 * MS, 100 * US, now) == RXAQM_WAIT_VALID);
	CHECK(rxaqm_wait_check(MS, now - 11 * MS, 100 * US, now) == RXAQM_WAIT_STALE);
	CHECK(rxaqm_wait_check(MS, now + RXAQM_WAIT_SLACK_NS, INTERVAL, now) == RXAQM_WAIT_VALID);
	CHECK(rxaqm_wait_check(MS, now + RXAQM_WAIT_SLACK_NS + 1, INTERVAL, now) == RXAQM_WAIT_BAD);
	CHECK(rxaqm_wait_check(RXAQM_SOJOURN_MAX_NS, now, INTERVAL, now) == RXAQM_WAIT_VALID);
	CHECK(rxaqm_wait_check(RXAQM_SOJOURN_MAX_NS + 1, now, INTERVAL, now) == RXAQM_WAIT_BAD);
	/* What is bad is so however old. */
	CHECK(rxaqm_wait_check(~0ULL, now - SEC, INTERVAL, now) == RXAQM_WAIT_BAD);
}

TEST_CASE("wait: whatever is in memory has a meaning, and none counts for long", "[wait]")
{
	const uint64_t now = 1000 * SEC;
	uint64_t x = 88172645463325252ULL;

	for (int i = 0; i < 100000; i++) {
		uint64_t value[2];

		for (uint64_t &v : value) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			v = x >> (x % 64);
		}
		uint64_t updated = i % 2 ? value[1] : now + value[1] % (4 * AGE) - 2 * AGE;
		rxaqm_wait_state state = rxaqm_wait_check(value[0], updated, INTERVAL, now);

		if (state != RXAQM_WAIT_VALID)
			continue;
		CHECK(value[0] <= RXAQM_SOJOURN_MAX_NS);
		CHECK(int64_t(now - updated) <= int64_t(AGE));
		CHECK(int64_t(now - updated) >= -int64_t(RXAQM_WAIT_SLACK_NS));
	}
}

TEST_CASE("wait: reasons are counted, and what does not count is 0", "[wait]")
{
	rxaqm_queue q = bound_queue();
	__u64 wait_ns = 1;

	CHECK_FALSE(rxaqm_wait_read(&q, MS, 0, SEC, &wait_ns));
	CHECK(wait_ns == 0);
	CHECK(rxaqm_wait_read(&q, MS, SEC, SEC, &wait_ns));
	CHECK(wait_ns == MS);
	CHECK_FALSE(rxaqm_wait_read(&q, MS, SEC - AGE - 1, SEC, &wait_ns));
	CHECK(wait_ns == 0);
	CHECK_FALSE(rxaqm_wait_read(&q, 11 * SEC, SEC, SEC, &wait_ns));
	CHECK(wait_ns == 0);
	CHECK(rxaqm_wait_read(&q, 0, SEC, SEC, &wait_ns));
	CHECK(q.stat[RXAQM_STAT_WAIT_STALE] == 1);
	CHECK(q.stat[RXAQM_STAT_WAIT_BAD] == 1);
}

TEST_CASE("wait: packets are judged while NIC or consumer is behind", "[wait]")
{
	rxaqm_queue q = bound_queue();

	CHECK_FALSE(rxaqm_wait_follow(&q, 0, 0));
	CHECK_FALSE(rxaqm_wait_follow(&q, TARGET - 1, TARGET - 1));
	/* Time in the NIC alone, where it does not stand, is none of the consumer's. */
	CHECK_FALSE(rxaqm_wait_follow(&q, 0, 5 * TARGET));
	CHECK_FALSE(q.flags & RXAQM_QUEUE_WAITING);
	CHECK(rxaqm_wait_follow(&q, 1, TARGET));
	CHECK(q.flags & RXAQM_QUEUE_WAITING);

	q.codel.dropping = q.codel.above = 1;
	q.law.smooth_ns = 3 * MS;
	rxaqm_poll_forget(&q);
	CHECK(q.codel.dropping == 1);
	CHECK(q.law.smooth_ns == 3 * MS);
	CHECK_FALSE(rxaqm_wait_follow(&q, TARGET - 1, TARGET - 1));
	CHECK(q.codel.dropping == 0);
	CHECK(q.codel.above == 0);
	CHECK(q.law.smooth_ns == 0);

	/* In a queue that stands, that is for the law to say. */
	q.flags |= RXAQM_QUEUE_STANDING;
	CHECK(rxaqm_wait_follow(&q, MS, 3 * MS));
	q.codel.dropping = q.codel.above = 1;
	CHECK(rxaqm_wait_follow(&q, 0, MS));
	CHECK(q.codel.dropping == 1);
	CHECK_FALSE(q.flags & RXAQM_QUEUE_WAITING);
}

TEST_CASE("wait: without a socket all that is forgotten", "[wait]")
{
	rxaqm_queue q = bound_queue();

	REQUIRE(rxaqm_wait_follow(&q, 5 * MS, 5 * MS));
	q.codel.dropping = q.codel.above = 1;
	rxaqm_wait_bound(&q, true);
	CHECK(q.codel.dropping == 1);
	rxaqm_wait_bound(&q, false);
	CHECK_FALSE(q.flags & (RXAQM_QUEUE_SOCKET | RXAQM_QUEUE_WAITING));
	CHECK(q.codel.dropping == 0);
}

/* On a packet of the one flow that there is. */
static int verdict(rxaqm_queue *q, rxaqm_flow_set *set, __u32 judged, __u64 now_ns)
{
	rxaqm_decide_ask(q, judged, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT, now_ns);
	if (q->policy.law == RXAQM_LAW_CODEL)
		return rxaqm_decide_codel(q, judged, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT, now_ns);
	return rxaqm_decide_flow(q, set, 1, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT, RXAQM_PSH_NONE,
				 now_ns);
}

TEST_CASE("wait: the law holds a responsive load behind a slow consumer near target", "[wait]")
{
	/* A consumer of 20 us a packet, a ring of 4096, and senders that halve for a signal and
	 * gain its rate in 200 ms, in steps of 20 us.
	 */
	const rxaqm_law law = GENERATE(RXAQM_LAW_AUTO, RXAQM_LAW_CODEL);
	rxaqm_queue q = bound_queue(law);
	rxaqm_flow_set set = {};
	double rate = 2.0; /* packets a step */
	uint64_t now = SEC, published_ns = 0, updated_ns = 0, worst_ns = 0, sum_ns = 0, late = 0;
	std::vector<uint64_t> ring;
	size_t head = 0;
	double owed = 0;

	for (int step = 0; step < 250000; step++, now += 20 * US) {
		owed += rate;
		rate += 0.0001;
		for (; owed >= 1; owed--) {
			__u64 wait_ns;
			__u32 judged;

			rxaqm_wait_read(&q, published_ns, updated_ns, now, &wait_ns);
			judged = rxaqm_wait_follow(&q, wait_ns, wait_ns) ?
					 rxaqm_decide_sojourn(&q, wait_ns, false, 4096, now) :
					 0;
			if (judged && verdict(&q, &set, judged, now) == RXAQM_DROP) {
				rate /= 2;
				continue;
			}
			if (ring.size() - head < 4096)
				ring.push_back(now);
		}
		/* Published every ms, as of the newest packet taken out. */
		uint64_t waited_ns = head < ring.size() ? now - ring[head++] : 0;
		if (step % 50 == 0) {
			published_ns = waited_ns;
			updated_ns = now;
		}
		if (step >= 50000) {
			worst_ns = std::max(worst_ns, waited_ns);
			sum_ns += waited_ns;
			late++;
		}
	}
	CAPTURE(law, worst_ns, sum_ns / late, q.stat[RXAQM_STAT_DROP]);
	CHECK(q.stat[RXAQM_STAT_DROP] > 10);
	CHECK(sum_ns / late < 3 * TARGET);
	CHECK(worst_ns < 20 * TARGET);
}
