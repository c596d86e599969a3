// SPDX-License-Identifier: GPL-2.0-only
/*
 * not_ect=couple on senders that do not respond: a ring of 4096 entries, a packet of which costs the
 * CPU 60 us unless it is dropped, and packets at a multiple of what it can take.
 */
#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <memory>

#include "decide.h"

static const __u64 MS = RXAQM_NSEC_PER_MSEC, US = RXAQM_NSEC_PER_USEC;
static const __u64 COST_NS = 60 * US, DROP_NS = 100;
static const size_t RING = 4096;

namespace
{

struct Ring {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	__u64 now_ns = 1000 * MS, next_ns = now_ns;
	std::deque<__u64> arrived;
	__u64 lost = 0, passed = 0, dropped = 0;

	Ring()
	{
		*q = {};
		q->policy.target_ns = 10 * MS;
		q->policy.interval_ns = 100 * MS;
		q->policy.mode = RXAQM_MODE_ENFORCE;
		q->policy.ecn = RXAQM_ECN_STEP;
		q->policy.not_ect = RXAQM_NOT_ECT_COUPLE;
		q->policy.max_drop_permille = 900;
	}

	void arrive(double load)
	{
		for (; next_ns <= now_ns; next_ns += __u64(double(COST_NS) / load)) {
			if (arrived.size() < RING)
				arrived.push_back(next_ns);
			else
				lost++;
		}
	}

	void take()
	{
		__u64 sojourn_ns = now_ns - arrived.front();
		rxaqm_judgement j;
		rxaqm_verdict v = RXAQM_PASS;

		arrived.pop_front();
		if (rxaqm_decide_sojourn(q.get(), &j, sojourn_ns, arrived.empty(), now_ns))
			v = rxaqm_decide_packet(q.get(), &j, RXAQM_KIND_DATA, RXAQM_IP_NOT_ECT,
						true, now_ns);
		(v == RXAQM_DROP ? dropped : passed)++;
		now_ns += v == RXAQM_DROP ? DROP_NS : COST_NS;
	}

	/* For @for_ns, with packets at @load times of what passes; returns the longest sojourn. */
	__u64 run(double load, __u64 for_ns)
	{
		const __u64 until_ns = now_ns + for_ns;
		__u64 longest_ns = 0;

		lost = passed = dropped = 0;
		next_ns = now_ns > next_ns ? next_ns : now_ns;
		while (now_ns < until_ns) {
			arrive(load);
			if (arrived.empty()) {
				now_ns = next_ns;
				continue;
			}
			if (now_ns - arrived.front() > longest_ns)
				longest_ns = now_ns - arrived.front();
			take();
		}
		return longest_ns;
	}
};

} // namespace

TEST_CASE("couple: a flood that nothing slows down is held at the threshold", "[couple]")
{
	/* Without the further share only the first two could be. */
	for (double load : { 1.2, 1.3, 1.5, 2., 4., 8. }) {
		Ring ring;

		ring.run(load, 3000 * MS);
		__u64 longest_ns = ring.run(load, 2000 * MS);

		INFO("load " << load << ": longest " << longest_ns / MS << " ms, lost " << ring.lost
			     << ", passed " << ring.passed << ", dropped " << ring.dropped);
		CHECK(longest_ns < 15 * MS);
		CHECK(ring.lost == 0);
		/* And the CPU is busy with what passes. */
		CHECK(ring.passed > 0.97 * 2000 * MS / COST_NS);
	}
}

TEST_CASE("couple: twice what can be taken is met within fifteen intervals", "[couple]")
{
	Ring ring;

	ring.run(2, 1500 * MS);
	CHECK(ring.run(2, 500 * MS) < 15 * MS);
}

TEST_CASE("couple: what fits the ring is not taken for a flood", "[couple]")
{
	Ring ring;

	/* 4096 packets at once take 250 ms: what is dropped is less than the quarter of marks. */
	ring.arrived.assign(RING, ring.now_ns);
	ring.next_ns = ring.now_ns + 300 * MS;
	while (!ring.arrived.empty())
		ring.take();
	CHECK(ring.q->couple.extra_ns == 0);
	CHECK(ring.dropped < RING / 5);
}

TEST_CASE("couple: a flood that is over is soon forgotten", "[couple]")
{
	Ring ring;

	ring.run(3, 5000 * MS);
	REQUIRE(ring.q->couple.extra_ns > 25 * MS);
	SECTION("where packets keep coming, within four intervals")
	{
		ring.run(1.05, 400 * MS);
		CHECK(ring.q->couple.extra_ns == 0);
	}
	SECTION("where none comes for half an interval, with the next one")
	{
		while (!ring.arrived.empty())
			ring.take();
		ring.now_ns += 51 * MS;
		ring.run(0.5, 1 * MS);
		CHECK(ring.q->couple.extra_ns == 0);
	}
}
