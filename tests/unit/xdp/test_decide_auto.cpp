/* SPDX-License-Identifier: GPL-2.0-only */
/* law=auto: what becomes of packets of a flow that sends so many times of what it may. */
#include <catch2/catch_test_macros.hpp>

#include "decider.hpp"

TEST_CASE("decide: auto: what becomes of a flow over its limit", "[decide]")
{
	/* times of the limit, ecn, kind, share dropped, share marked */
	struct Row {
		double times;
		__u8 ecn, kind;
		double drop, mark;
	} rows[] = {
		{ 1, RXAQM_IP_NOT_ECT, RXAQM_KIND_DATA, 0, 0 },
		{ 1, RXAQM_IP_ECT0, RXAQM_KIND_DATA, 0, 0 },
		{ 2, RXAQM_IP_NOT_ECT, RXAQM_KIND_DATA, 0.5, 0 },
		{ 2, RXAQM_IP_NOT_ECT, RXAQM_KIND_TCP, 0.5, 0 },
		{ 4, RXAQM_IP_NOT_ECT, RXAQM_KIND_TCP, 0.75, 0 },
		{ 2, RXAQM_IP_NOT_ECT, RXAQM_KIND_ACK, 0.5, 0 },
		{ 2, RXAQM_IP_NOT_ECT, RXAQM_KIND_SYN, 0.5, 0 },
		/* Marked eight times as often, so that from 1.14 on all are. */
		{ 1.05, RXAQM_IP_ECT0, RXAQM_KIND_TCP, 0, 8 * (1 - 1 / 1.05) },
		{ 1.05, RXAQM_IP_ECT1, RXAQM_KIND_DATA, 0, 8 * (1 - 1 / 1.05) },
		{ 1.5, RXAQM_IP_ECT0, RXAQM_KIND_DATA, 0, 1 },
		{ 1.5, RXAQM_IP_CE, RXAQM_KIND_DATA, 0, 0 },
		/* Who ignores marks has twice the limit at most. */
		{ 4, RXAQM_IP_ECT0, RXAQM_KIND_DATA, 0.5, 0.5 },
		{ 4, RXAQM_IP_CE, RXAQM_KIND_DATA, 0.5, 0 },
		/* ECN of ACKs and SYNs is none of their matter. */
		{ 2, RXAQM_IP_ECT0, RXAQM_KIND_SYN, 0.5, 0 },
		{ 9, RXAQM_IP_NOT_ECT, RXAQM_KIND_EXEMPT, 0, 0 },
	};

	for (const Row &row : rows) {
		Auto a, b;

		CAPTURE(row.times, row.ecn, row.kind);
		a.q->law.most = ~0U; /* exempt packets are few */
		CHECK(std::abs(a.share(RXAQM_DROP, row.times, row.ecn, row.kind) - row.drop) <
		      0.02);
		CHECK(std::abs(b.share(RXAQM_MARK, row.times, row.ecn, row.kind) - row.mark) <
		      0.02);
	}
}

TEST_CASE("decide: auto: strangers of a kind share one limit", "[decide]")
{
	const __u32 stranger = 0x500; /* its set is full of flows that go on */

	for (__u8 kind : { RXAQM_KIND_TCP, RXAQM_KIND_DATA, RXAQM_KIND_ACK, RXAQM_KIND_SYN }) {
		Auto a(1);
		auto share = [&](double times) {
			int dropped = 0, n = 20000;

			for (int i = 0; i < n; i++) {
				a.hold(times);
				for (rxaqm_flow &flow : a.flows[rxaqm_flow_set_of(stranger)].flow)
					flow = { 77, a.q->law.stranger[0], 0, 0, 0 };
				dropped += a.packet(5 * MS, RXAQM_IP_NOT_ECT, kind, false,
						    stranger) == RXAQM_DROP;
			}
			return double(dropped) / n;
		};

		CAPTURE(kind);
		CHECK(std::abs(share(4) - 0.75) < 0.02);
		CHECK(share(1) == 0);
		/* The others are not asked to pay for it. */
		for (int other = 0; other < RXAQM_NR_STRANGERS; other++)
			CHECK(a.q->law.stranger[other].level <= Auto::LIMIT + RXAQM_PACKET);
	}
}

TEST_CASE("decide: auto: ACKs are thinned as the limit says, and kept where the policy says",
	  "[decide]")
{
	Auto a;
	int thin = 0, n = 20000;

	for (int i = 0; i < n; i++) {
		a.hold(0.5);
		a.packet(5 * MS, 0, RXAQM_KIND_ACK);
		thin += a.ask == RXAQM_ASK_THIN;
		REQUIRE((a.ask == RXAQM_ASK_THIN || a.ask == RXAQM_ASK_NOTE));
	}
	CHECK(std::abs(double(thin) / n - 0.5) < 0.02);
	a.policy.ack = RXAQM_ACK_KEEP;
	a.hold(0.5);
	a.packet(5 * MS, 0, RXAQM_KIND_ACK);
	CHECK(a.ask == RXAQM_ASK_VERDICT);
	/* An ACK that nobody noted: what the table says from before it is void. */
	CHECK(rxaqm_decide_unasked_ns(a.q.get()) == a.now_ns);
}

TEST_CASE("decide: auto: ACKs may be half of what they wait apart, a second at most", "[decide]")
{
	Auto a;

	for (__u64 wait_ns : { 0 * MS, 1 * MS, 30 * MS, 1998 * MS }) {
		a.q->law.smooth_ns = wait_ns;
		CHECK(rxaqm_decide_ack_gap_ns(a.q.get()) == wait_ns / 2);
	}
	for (__u64 wait_ns : { 2000 * MS, 3000 * MS, 60000 * MS }) {
		a.q->law.smooth_ns = wait_ns;
		CHECK(rxaqm_decide_ack_gap_ns(a.q.get()) == RXAQM_NSEC_PER_SEC);
	}
}

TEST_CASE("decide: auto: in a crowd a flow that came back keeps its place for 32 epochs",
	  "[decide]")
{
	for (__u32 epochs : { 1U, 31U, 32U, 100U }) {
		const __u32 stamp = epochs << 17;
		rxaqm_flow_set set = {};

		CAPTURE(epochs);
		set.flow[0] = { 1, { RXAQM_PACKET, 0 }, 0, 0, RXAQM_FLOW_BACK };
		for (__u32 i = 1; i < RXAQM_FLOW_WAYS; i++)
			set.flow[i] = { 1 + i, { 100 * RXAQM_PACKET, stamp }, 0, 0, 0 };
		rxaqm_flow_note(&set, 9, 0, 0, stamp, true);
		CHECK((rxaqm_flow_find(&set, 1) != nullptr) == (epochs < 32));
	}
}

TEST_CASE("decide: auto: from 3,584 packets on the slow level says nothing", "[decide]")
{
	const __u32 fast = 1000000;

	for (__u32 packets : { 1000U, 3583U, 3584U, 4000U }) {
		rxaqm_flow flow = { 1, { fast, 0 }, __u16(16 * packets), 0, 0 };
		rxaqm_law_vars vars = {};
		__u32 limit;
		__u64 deaf;

		CAPTURE(packets);
		vars.limit = 65535;
		__u32 level = __u32(rxaqm_law_known(&vars, &flow, 0, &limit, &deaf));
		if (packets < 3584)
			CHECK(level == 16 * packets + 8);
		else
			CHECK(level == fast + RXAQM_PACKET / 2);
	}
}

TEST_CASE("decide: auto: nothing is dropped before the queue is bad, nor under half the goal",
	  "[decide]")
{
	Auto a(1e4);

	CHECK(a.packet(250 * US) == RXAQM_PASS);
	a.hold(1e4);
	CHECK(a.packet(251 * US) == RXAQM_DROP);
	a.hold(1e4);
	a.q->law.bad = 0;
	CHECK(a.packet(5 * MS) == RXAQM_PASS);
	CHECK(a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_MARK);
}

TEST_CASE("decide: auto: packets of a flow are marked alike, no more of them in all", "[decide]")
{
	const double times = 1.05, share = 8 * (1 - 1 / times);
	int marked = 0, changes = 0, n = 200000;
	bool before = false;
	Auto a;

	a.hold(times);
	for (int i = 0; i < n; i++) {
		__u8 run = a.flows[0].flow[0].run, flags = a.flows[0].flow[0].flags;

		a.hold(times);
		a.flows[0].flow[0].run = run;
		a.flows[0].flow[0].flags = flags;
		bool mark = a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_MARK;
		marked += mark;
		changes += mark != before;
		before = mark;
	}
	CAPTURE(marked, changes);
	CHECK(std::abs(double(marked) / n - share) < 0.03);
	CHECK(changes < n / RXAQM_LAW_RUN);
	/* A run that has begun is finished, wherever the level goes meanwhile. */
	a.hold(2);
	REQUIRE(a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_MARK);
	for (int i = 1; i < RXAQM_LAW_RUN; i++) {
		__u8 run = a.flows[0].flow[0].run;

		a.hold(0.5);
		a.flows[0].flow[0].run = run;
		CHECK(a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_MARK);
	}
	CHECK(a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_PASS);
}

TEST_CASE("decide: auto: a run of marks is a quarter of a flow's level, and ends with its epoch",
	  "[decide]")
{
	const __u32 packets = GENERATE(1, 40, 1000); /* the flow's level */
	const __u32 run = std::min(16U, std::max(4U, packets / 4));
	Auto a;

	CAPTURE(packets);
	a.q->law.limit = packets * RXAQM_PACKET / 2;
	a.hold(2);
	a.q->law.limit = packets * RXAQM_PACKET / 2;
	a.flows[0].flow[0].rate.level = packets * RXAQM_PACKET;
	REQUIRE(a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_MARK);
	CHECK((a.flows[0].flow[0].run & 31) == run - 1 + RXAQM_LAW_RUN_POLL);
	/* 100 ms later it has no level left. */
	a.now_ns += 100 * MS;
	a.q->law.turn_ns = a.now_ns + 20 * US;
	a.q->law.limit = RXAQM_PACKET;
	CHECK(a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_PASS);
	CHECK((a.flows[0].flow[0].run & 31) == RXAQM_LAW_RUN_POLL);
}

TEST_CASE("decide: auto: a run of marks goes on to the end of its poll, and no further", "[decide]")
{
	const bool marked = GENERATE(true, false);
	Auto a(1);

	CAPTURE(marked);
	/* At 2 all are marked, at 0.5 none. */
	auto packet = [&](double times, bool same_poll) {
		__u8 run = a.flows[0].flow[0].run, flags = a.flows[0].flow[0].flags;

		a.hold(times);
		a.flows[0].flow[0].run = run;
		a.flows[0].flow[0].flags = flags;
		a.q->stat[RXAQM_STAT_POLLS_LEFT] -= same_poll;
		return a.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_MARK;
	};
	int run = 1;

	REQUIRE(packet(marked ? 2 : 0.5, false) == marked);
	while (packet(marked ? 0.5 : 2, true) == marked && run < 100)
		run++;
	/* Where polls have no end, nor have runs, but for their greatest length. */
	CHECK(run == (marked ? RXAQM_LAW_RUN : 1) + RXAQM_LAW_RUN_POLL);
	a.flows[0].flow[0].run = 0;
	REQUIRE(packet(2, false));
	for (int i = 1; i < RXAQM_LAW_RUN; i++)
		REQUIRE(packet(0.5, false));
	CHECK(!packet(0.5, false));
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
	REQUIRE(renewed.q->law.x > RXAQM_LAW_OCTAVE);
	const __u32 seen = renewed.q->law.seen[RXAQM_CLASS_ECT], most = renewed.q->law.most;
	/* What is only observed has passed, all of it. */
	CHECK(most > packets / 4 * RXAQM_PACKET);
	renewed.policy.mode = RXAQM_MODE_ENFORCE;
	/* What stands already is no change that marks would have to answer. */
	for (int i = 0; i < packets / 2; i++)
		for (Auto *a : { &fresh, &renewed })
			a->packet(2 * fresh.policy.target_ns, RXAQM_IP_ECT0);
	CHECK(renewed.q->flags & RXAQM_QUEUE_ENFORCED);
	CHECK(renewed.q->law.x <= fresh.q->law.x + RXAQM_LAW_OCTAVE);
	CHECK(renewed.q->law.seen[RXAQM_CLASS_ECT] >= seen / 2); /* and what it is made of holds */
	CHECK(renewed.q->law.most >= most / 4 * 3); /* and what the CPU can do */
}
