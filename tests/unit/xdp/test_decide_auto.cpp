/* SPDX-License-Identifier: GPL-2.0-only */
/* law=auto: what becomes of each class at a given p. */
#include <catch2/catch_test_macros.hpp>

#include "decider.hpp"

TEST_CASE("decide: auto: what becomes of each class", "[decide]")
{
	/* p, ecn, kind, share dropped, share marked */
	struct Row {
		double p;
		__u8 ecn, kind;
		double drop, mark;
	} rows[] = {
		{ 0.2, RXAQM_IP_NOT_ECT, RXAQM_KIND_DATA, 0.04, 0 },
		{ 0.2, RXAQM_IP_ECT0, RXAQM_KIND_DATA, 0, 0.28 },
		{ 0.2, RXAQM_IP_ECT1, RXAQM_KIND_DATA, 0, 0.28 },
		{ 0.2, RXAQM_IP_CE, RXAQM_KIND_DATA, 0, 0 },
		{ 0.2, RXAQM_IP_NOT_ECT, RXAQM_KIND_SYN, 0, 0 },
		{ 0.2, RXAQM_IP_ECT0, RXAQM_KIND_SYN, 0, 0 },
		{ 0.2, RXAQM_IP_ECT0, RXAQM_KIND_ACK, 0, 0 },
		{ 0.5, RXAQM_IP_ECT0, RXAQM_KIND_DATA, 0, 1 },
		{ 0.5, RXAQM_IP_NOT_ECT, RXAQM_KIND_DATA, 0.25, 0 },
		/* Marks and drops were ignored: 1 - 2^-(16 / 16). */
		{ 0.5625, RXAQM_IP_NOT_ECT, RXAQM_KIND_DATA, 0.5, 0 },
		{ 0.5625, RXAQM_IP_ECT0, RXAQM_KIND_DATA, 0.5, 0.5 },
		{ 0.5625, RXAQM_IP_CE, RXAQM_KIND_DATA, 0.5, 0 },
		{ 0.5625, RXAQM_IP_NOT_ECT, RXAQM_KIND_TCP, 0.5, 0 },
		{ 0.5625, RXAQM_IP_NOT_ECT, RXAQM_KIND_SYN, 0.2, 0 }, /* their part */
		{ 0.5625, RXAQM_IP_NOT_ECT, RXAQM_KIND_ACK, 0.5, 0 },
		{ 1, RXAQM_IP_NOT_ECT, RXAQM_KIND_EXEMPT, 0, 0 },
	};

	for (const Row &row : rows) {
		Auto a, b;

		CAPTURE(row.p, row.ecn, row.kind);
		CHECK(std::abs(a.share(RXAQM_DROP, row.p, row.ecn, row.kind) - row.drop) < 0.02);
		CHECK(std::abs(b.share(RXAQM_MARK, row.p, row.ecn, row.kind) - row.mark) < 0.02);
	}
}

TEST_CASE("decide: auto: ACKs are thinned as p says, and kept where the policy says", "[decide]")
{
	Auto a;

	CHECK(std::abs(a.share(RXAQM_THIN, 1. / 24, 0, RXAQM_KIND_ACK) - 0.5) < 0.02);
	CHECK(std::abs(a.share(RXAQM_NOTE, 1. / 24, 0, RXAQM_KIND_ACK) - 0.5) < 0.02);
	a.policy.ack = RXAQM_ACK_KEEP;
	CHECK(a.share(RXAQM_PASS, 1. / 24, 0, RXAQM_KIND_ACK) == 1);
	/* An ACK that nobody noted: what the table says from before it is void. */
	CHECK(rxaqm_decide_unasked_ns(a.q.get()) == a.now_ns);
}

TEST_CASE("decide: auto: nothing is dropped before the queue is bad, nor under half the goal",
	  "[decide]")
{
	Auto a(1);

	CHECK(a.packet(250 * US) == RXAQM_PASS);
	CHECK(a.packet(251 * US) == RXAQM_DROP);
	a.hold(1);
	a.q->law.bad = 0;
	CHECK(a.packet(5 * MS) == RXAQM_PASS);
	CHECK(a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_MARK);
}

TEST_CASE("decide: auto: packets of a flow in a row are marked alike, no more of them in all",
	  "[decide]")
{
	for (__u32 flows : { 1, 2, 7 }) {
		Auto a;
		int marked = 0, changes = 0, n = 200000;
		bool before = false;

		for (int i = 0; i < n; i++) {
			__u32 flow = 1 + __u32(i) / 10 % flows; /* ten of each in a row */

			a.hold(0.2);
			bool mark = rxaqm_decide_packet(a.q.get(), RXAQM_JUDGE_CLASS,
							RXAQM_KIND_DATA, RXAQM_IP_ECT0, flow,
							a.now_ns) == RXAQM_MARK;
			marked += mark;
			if (i % 10)
				changes += mark != before;
			before = mark;
		}
		CAPTURE(flows, marked, changes);
		CHECK(std::abs(double(marked) / n - 0.28) < 0.02);
		/* A flow of its own has runs of 16 that end within its ten; others have none. */
		CHECK(changes < (flows == 1 ? n / 16 : 1));
	}
	/* What was marked a while ago is no reason where nothing is to be marked now. */
	Auto a(0.5);

	CHECK(rxaqm_decide_packet(a.q.get(), RXAQM_JUDGE_CLASS, RXAQM_KIND_DATA, RXAQM_IP_ECT0, 5,
				  a.now_ns) == RXAQM_MARK);
	a.hold(0);
	CHECK(rxaqm_decide_packet(a.q.get(), RXAQM_JUDGE_CLASS, RXAQM_KIND_DATA, RXAQM_IP_ECT0, 5,
				  a.now_ns) == RXAQM_PASS);
}

TEST_CASE("decide: auto: a queue that stands when its lease is renewed begins as with a new policy",
	  "[decide]")
{
	Auto fresh, renewed;
	const int packets = int(fresh.policy.interval_ns / (20 * US)); /* an interval */

	fresh.q->flags |= RXAQM_QUEUE_ENFORCED; /* as XDP takes a policy over */
	renewed.policy.mode = RXAQM_MODE_OBSERVE;
	for (int i = 0; i < 30 * packets; i++)
		renewed.packet(2 * fresh.policy.target_ns, RXAQM_IP_ECT0);
	REQUIRE(renewed.q->law.p > RXAQM_LAW_ONE / 4);
	const __u32 seen = renewed.q->law.seen[RXAQM_CLASS_ECT];
	renewed.policy.mode = RXAQM_MODE_ENFORCE;
	/* What stands already is no change that marks would have to answer. */
	for (int i = 0; i < packets / 2; i++)
		for (Auto *a : { &fresh, &renewed })
			a->packet(2 * fresh.policy.target_ns, RXAQM_IP_ECT0);
	CHECK(renewed.q->flags & RXAQM_QUEUE_ENFORCED);
	CHECK(renewed.q->law.p > 0);
	CHECK(renewed.q->law.p <= fresh.q->law.p + RXAQM_LAW_ONE / 50);
	CHECK(renewed.q->law.seen[RXAQM_CLASS_ECT] >= seen / 2); /* and what it is made of holds */
}

TEST_CASE("decide: auto: ECT(0) as the host has it", "[decide]")
{
	Auto a;

	a.q->flags |= RXAQM_QUEUE_ECT0_CLASSIC;
	CHECK(std::abs(a.share(RXAQM_MARK, 0.4, RXAQM_IP_ECT0) - 0.16) < 0.02);
	CHECK(std::abs(a.share(RXAQM_MARK, 0.4, RXAQM_IP_ECT1) - 0.72) < 0.02);
	/* Marks of the latter may come while it may still be a burst, as drops may not. */
	a.hold(1);
	a.q->law.bad = 0;
	CHECK(a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_PASS);
	CHECK(a.packet(5 * MS, RXAQM_IP_ECT1) == RXAQM_MARK);
	CHECK(a.packet(5 * MS) == RXAQM_PASS);
}
