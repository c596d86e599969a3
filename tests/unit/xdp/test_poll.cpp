/* SPDX-License-Identifier: GPL-2.0-only */
/* Polls: which of them drained the queue, what they took, how long they took. */
#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <numeric>

#include "poll.h"

static const __u64 US = RXAQM_NSEC_PER_USEC;

struct Polled {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	__u64 now_ns = 1000000;

	Polled()
	{
		*q = {};
	}

	/* A packet, as the XDP program takes it. */
	void packet()
	{
		if (rxaqm_poll_skip(q.get()))
			return;
		if (rxaqm_poll_lost(q.get())) {
			rxaqm_poll_close(q.get());
			q->stat[RXAQM_STAT_POLLS_LOST]++;
		}
		q->taken++;
		if (q->flags & RXAQM_QUEUE_STANDING)
			rxaqm_sample_count(q.get(), 40, 1);
		else {
			q->poll_bucket = 20 + 1;
			rxaqm_poll_skip_rest(q.get());
		}
	}

	/* @work: as the driver says, which is done if that is under 64. */
	bool end(__u32 work, bool shared = false, bool counts_all = false)
	{
		const rxaqm_poll poll = { now_ns, work, 64, 64, shared, counts_all };

		return rxaqm_poll_end(q.get(), &poll);
	}

	bool poll(int packets, __u64 took_ns = 100 * US)
	{
		for (int i = 0; i < packets; i++)
			packet();
		now_ns += took_ns;
		return end(__u32(packets));
	}

	__u64 in_hist() const
	{
		return std::accumulate(std::begin(q->hist), std::end(q->hist), __u64(0));
	}
};

TEST_CASE("poll: drained if it took less than it might", "[poll]")
{
	Polled p;

	for (int packets : { 0, 1, 63 }) {
		CHECK(p.poll(packets));
		CHECK(p.q->drained_ns == p.now_ns);
		CHECK_FALSE(p.q->flags & RXAQM_QUEUE_STANDING);
		CHECK(p.q->flags & RXAQM_QUEUE_DRAINED_BEFORE);
		CHECK(p.q->flags & RXAQM_QUEUE_DRAIN_KNOWN);
	}
	__u64 drained_ns = p.q->drained_ns;

	for (int packets : { 64, 65, 300 }) {
		CHECK_FALSE(p.poll(packets));
		CHECK(p.q->drained_ns == drained_ns);
		CHECK(p.q->flags & RXAQM_QUEUE_STANDING);
		CHECK_FALSE(p.q->flags & RXAQM_QUEUE_DRAINED_BEFORE);
	}
	for (int i = 0; i < 3; i++)
		p.packet();
	CHECK_FALSE(p.end(64, true)); /* a backlog that others fill, too */
	CHECK(p.poll(3));
	CHECK(p.q->stat[RXAQM_STAT_POLLS_DRAINED] == 4);
	CHECK(p.q->stat[RXAQM_STAT_POLLS_LEFT] == 4);
	CHECK(p.q->stat[RXAQM_STAT_PACKETS] == 0 + 1 + 63 + 64 + 65 + 300 + 3 + 3);
}

TEST_CASE("poll: a drained poll ends CoDel's episode", "[poll]")
{
	Polled p;

	p.q->codel.above = 1;
	p.q->codel.dropping = 1;
	p.q->codel.count = 7;
	p.q->law.smooth_ns = 5;
	p.poll(64);
	CHECK(p.q->codel.dropping);
	p.poll(10);
	CHECK_FALSE(p.q->codel.dropping);
	CHECK_FALSE(p.q->codel.above);
	CHECK(p.q->codel.count == 7);
	CHECK(p.q->law.smooth_ns == 0);
}

TEST_CASE("poll: a queue first met standing stands since then", "[poll]")
{
	Polled p;

	p.poll(64);
	CHECK(p.q->drained_ns == p.now_ns);
	CHECK_FALSE(p.q->flags & RXAQM_QUEUE_DRAIN_KNOWN);
	__u64 first_ns = p.now_ns;

	p.poll(64);
	CHECK(p.q->drained_ns == first_ns);
}

TEST_CASE("poll: all packets are in the histogram once", "[poll]")
{
	Polled p;
	__u64 packets = 0;

	for (int n : { 1, 5, 64, 64, 64, 12, 3, 0, 64, 0, 63 }) {
		p.poll(n);
		packets += __u64(n);
		CHECK(p.in_hist() == packets);
		CHECK(p.q->stat[RXAQM_STAT_PACKETS] == packets);
	}
	/* Those of polls that found the queue empty weigh as their first packet. */
	CHECK(p.q->hist[20] == 1 + 5 + 64 + 3 + 0 + 64 + 63);
	CHECK(p.q->hist[40] == 64 + 64 + 12);
	/* No sample, nothing to count. */
	p.q->taken = 5;
	p.end(5);
	CHECK(p.in_hist() == packets);
	rxaqm_sample_count(p.q.get(), RXAQM_HIST_BUCKETS, 1);
	CHECK(p.in_hist() == packets);
}

TEST_CASE("poll: one that never ends is closed", "[poll]")
{
	Polled p;

	for (int i = 0; i < 10 * RXAQM_POLL_PACKETS_MAX; i++) {
		p.packet();
		REQUIRE(rxaqm_poll_packets(p.q.get()) <= RXAQM_POLL_PACKETS_MAX);
	}
	CHECK(p.q->stat[RXAQM_STAT_POLLS_LOST] == 9);
	rxaqm_poll_close(p.q.get());
	CHECK(p.q->stat[RXAQM_STAT_PACKETS] == 10 * RXAQM_POLL_PACKETS_MAX);
	CHECK(p.in_hist() == 10 * RXAQM_POLL_PACKETS_MAX);
	/* The same while it stands, where no packet is skipped. */
	p.q->flags |= RXAQM_QUEUE_STANDING;
	for (int i = 0; i < 10 * RXAQM_POLL_PACKETS_MAX; i++)
		p.packet();
	CHECK(p.q->stat[RXAQM_STAT_POLLS_LOST] == 18);
}

TEST_CASE("poll: skipping the rest never skips more than a poll", "[poll]")
{
	for (__u32 taken : { 0U, 1U, 64U, 1023U, 1024U, 5000U }) {
		Polled p;

		p.q->taken = taken;
		rxaqm_poll_skip_rest(p.q.get());
		CHECK(p.q->skip <= RXAQM_POLL_PACKETS_MAX);
		CHECK(rxaqm_poll_packets(p.q.get()) == taken);
	}
}

TEST_CASE("poll: the round time is that of polls without drops", "[poll]")
{
	Polled p;

	p.poll(64, 900 * US); /* the first did not follow a busy one */
	CHECK(p.q->round_ns == 0);
	for (int i = 0; i < 100; i++)
		p.poll(64, 1280 * US);
	CHECK(p.q->round_ns == 1280 * US);
	CHECK(p.q->packet_ns == 20 * US);
	/* What it is while the queue is long is kept from before. */
	CHECK(p.q->long_packet_ns == 0);
	p.q->law.smooth_ns = 2 * p.q->target_ns + 1;
	p.poll(64, 1280 * US);
	CHECK(p.q->long_packet_ns == 20 * US);
	p.q->law.smooth_ns = p.q->target_ns;
	for (int i = 0; i < 100; i++)
		p.poll(64, 1920 * US);
	CHECK(p.q->packet_ns == 30 * US);
	CHECK(p.q->long_packet_ns == 20 * US);
	for (int i = 0; i < 100; i++)
		p.poll(64, 1280 * US);
	CHECK(p.q->sample_age_max_ns == RXAQM_AGE_MIN_NS);
	for (int i = 0; i < 100; i++) {
		p.q->poll_drops = 30;
		p.poll(64, 640 * US);
		CHECK(p.q->poll_drops == 0);
	}
	CHECK(p.q->round_ns == 1280 * US);
	CHECK(p.q->packet_ns == 20 * US);
	for (int i = 0; i < 100; i++)
		p.poll(10, 100 * US); /* drained: no round of a standing queue */
	CHECK(p.q->round_ns == 1280 * US);
	for (int i = 0; i < 200; i++)
		p.poll(128, 640 * US);
	CHECK(p.q->round_ns - 640 * US < 10);
	CHECK(p.q->packet_ns - 5 * US < 10);
	/* Samples are good for four rounds. */
	for (int i = 0; i < 400; i++)
		p.poll(64, 20000 * US);
	CHECK(p.q->sample_age_max_ns == 80000 * US);
}

TEST_CASE("poll: what came while a poll went on is not from before it", "[poll]")
{
	Polled p;
	__u64 begin_ns;

	/* A stamp is looked at first at begin_ns, the ring found empty some time later. */
	p.packet();
	begin_ns = p.now_ns;
	p.q->begin_ns = begin_ns;
	CHECK(p.poll(3, 5000 * US));
	CHECK(p.q->empty_ns == begin_ns);
	CHECK(p.q->drained_ns == p.now_ns);
	CHECK(p.q->begin_ns == 0);
	/* No packet, or none whose time was read: not before the last poll. */
	for (int packets : { 0, 3 }) {
		begin_ns = p.now_ns;
		CHECK(p.poll(packets, 5000 * US));
		CHECK(p.q->empty_ns == begin_ns);
	}
}

TEST_CASE("poll: a queue that the CPU had no time for was not empty", "[poll]")
{
	const __u64 MS = RXAQM_NSEC_PER_MSEC;
	Polled p;

	p.q->policy.interval_ns = 20 * MS;
	p.poll(1);
	p.poll(64);
	/* A CPU that others want, too, comes back to it late: what was left is still there. */
	p.now_ns += 1000 * MS;
	p.q->taken = 1;
	CHECK_FALSE(rxaqm_poll_resumes(p.q.get(), p.now_ns));
	CHECK(p.q->flags & RXAQM_QUEUE_STANDING);
	p.now_ns += 1 * MS;
	REQUIRE(rxaqm_poll_resumes(p.q.get(), p.now_ns));
	CHECK(p.q->stat[RXAQM_STAT_PASS_STALE] == 1);
	CHECK_FALSE(p.q->flags & RXAQM_QUEUE_STANDING);
	CHECK(p.q->drained_ns == p.now_ns);

	/* So its packets may be from long before the last poll, and the clock is right. */
	struct rxaqm_clock clock = {};

	clock.expires_ns = p.now_ns + RXAQM_NSEC_PER_SEC;
	p.now_ns += 100 * MS;
	CHECK(rxaqm_sample_stamp(p.q.get(), &clock, p.now_ns - 130 * MS, p.now_ns) ==
	      RXAQM_SAMPLE_GOOD);
	CHECK(p.q->distrust_reason == RXAQM_DISTRUST_NONE);
}

TEST_CASE("poll: others' packets count when a packet's time is told", "[poll]")
{
	Polled p;

	/* 8 of the 64 that each poll takes off a CPU's backlog are ours. */
	for (int i = 0; i < 100; i++) {
		for (int n = 0; n < 8; n++)
			p.packet();
		p.now_ns += 1280 * US;
		CHECK_FALSE(p.end(64, true, true));
	}
	CHECK(p.q->round_ns == 1280 * US);
	CHECK(p.q->packet_ns == 20 * US);
}

TEST_CASE("poll: rounds of many seconds do not wrap", "[poll]")
{
	Polled p;

	p.poll(64);
	p.poll(64, (1ULL << 32) + 64);
	CHECK(p.q->round_ns == 0x7fffffff);
	CHECK(p.q->packet_ns == 0xffffffff / 64);
}

TEST_CASE("poll: what is typical begins at the first value, and follows slowly", "[poll]")
{
	__u32 typical = rxaqm_poll_follow(0, 1600);

	CHECK(typical == 1600);
	/* One poll in which the CPU was taken away counts for as much as a small delay. */
	CHECK(rxaqm_poll_follow(typical, ~0ULL) == 1701);
	CHECK(rxaqm_poll_follow(typical, 1) == 1499);
	CHECK(rxaqm_poll_follow(typical, 1650) == 1650);
	for (int i = 0; i < 100; i++)
		typical = rxaqm_poll_follow(typical, 16000);
	CHECK(typical == 16000);
	for (int i = 0; i < 1000; i++)
		typical = rxaqm_poll_follow(typical, 16);
	CHECK(typical == 16);
	CHECK(rxaqm_poll_follow(0, ~0ULL) == 0x7fffffff);
	CHECK(rxaqm_poll_follow(0x7fffffff, 0) < 0x7fffffff);
}

TEST_CASE("poll: a queue that is fast for its target shares readings of the clock", "[poll]")
{
	/* 8 packets in at most a sixteenth of the target. */
	CHECK(rxaqm_poll_clock_mask(0, 2000000) == 0); /* not measured yet */
	CHECK(rxaqm_poll_clock_mask(400, 2000000) == 7);
	CHECK(rxaqm_poll_clock_mask(15625, 2000000) == 7);
	CHECK(rxaqm_poll_clock_mask(15626, 2000000) == 0);
	CHECK(rxaqm_poll_clock_mask(20000, 500000) == 0);
	CHECK(rxaqm_poll_clock_mask(0xffffffff, ~0ULL) == 7); /* no overflow */
}

TEST_CASE("poll: a share of the budget", "[poll]")
{
	for (__u32 rings = 1; rings <= 8; rings++)
		CHECK(rxaqm_poll_is_share(64 / rings, 64));
	for (__u32 packets : { 0, 1, 7, 11, 15, 17, 31, 33, 63, 65, 1000 })
		CHECK_FALSE(rxaqm_poll_is_share(packets, 64));
	/* A busy poll's budget is 8: all of it, or nothing that tells. */
	CHECK(rxaqm_poll_is_share(8, 8));
	CHECK_FALSE(rxaqm_poll_is_share(4, 8));
}
