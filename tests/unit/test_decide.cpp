/* SPDX-License-Identifier: GPL-2.0-only */
/* Verdicts of all policies, what is counted for them, and the cap on drops. */
#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <random>

#include "decide.h"

static const __u64 MS = RXAQM_NSEC_PER_MSEC, US = RXAQM_NSEC_PER_USEC;

struct Decider {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	__u64 now_ns = 1000 * MS;
	rxaqm_policy &policy = q->policy;

	Decider()
	{
		*q = {};
		policy.target_ns = 500 * US;
		policy.interval_ns = 10 * MS;
		policy.mode = RXAQM_MODE_ENFORCE;
		policy.ecn = RXAQM_ECN_CODEL;
		policy.max_drop_permille = 1000;
	}

	rxaqm_verdict packet(__u64 sojourn_ns, __u8 ecn = RXAQM_IP_NOT_ECT,
			     __u8 kind = RXAQM_KIND_DATA, bool drained = false)
	{
		rxaqm_judgement j;

		now_ns += 20 * US;
		if (!rxaqm_decide_sojourn(q.get(), &j, sojourn_ns, drained, now_ns))
			return RXAQM_PASS;
		return rxaqm_decide_packet(q.get(), &j, kind, ecn,
					   rxaqm_decide_enforced(&policy, now_ns), now_ns);
	}

	/* Verdict @v's number in @n packets over target. */
	int count(rxaqm_verdict v, int n, __u8 ecn, __u8 kind = RXAQM_KIND_DATA)
	{
		int found = 0;

		for (int i = 0; i < n; i++)
			found += packet(5 * MS, ecn, kind) == v;
		return found;
	}

	__u64 stat(rxaqm_stat s) const
	{
		return q->stat[s];
	}
};

/* 5,000 packets over target are 100 ms: CoDel signals about 30 times. */
static const int OVER = 5000;

TEST_CASE("decide: ecn=codel marks ECT where it drops Not-ECT", "[decide]")
{
	for (__u8 ecn : { RXAQM_IP_ECT0, RXAQM_IP_ECT1 }) {
		Decider mark, drop;
		int marked = mark.count(RXAQM_MARK, OVER, ecn);

		CHECK(marked == drop.count(RXAQM_DROP, OVER, RXAQM_IP_NOT_ECT));
		CHECK(marked > 15);
		CHECK(marked < 50);
		CHECK(mark.stat(RXAQM_STAT_ECN_MARK) == __u64(marked));
		CHECK(drop.stat(RXAQM_STAT_DROP) == __u64(marked));
		CHECK(mark.stat(RXAQM_STAT_CE_MARK) == 0);
	}
}

TEST_CASE("decide: a packet that came with CE takes the signal and is left alone", "[decide]")
{
	Decider d;

	CHECK(d.count(RXAQM_PASS, OVER, RXAQM_IP_CE) == OVER);
	CHECK(d.q->codel.count > 15);
	CHECK(d.stat(RXAQM_STAT_ECN_MARK) == 0);
	CHECK(d.stat(RXAQM_STAT_OVER_CE) == OVER);
}

TEST_CASE("decide: ecn=step marks every ECT packet, drops few of the others", "[decide]")
{
	for (__u64 threshold_ns : { 0 * MS, 2 * MS, 4 * MS }) {
		Decider d;

		d.policy.ecn = RXAQM_ECN_STEP;
		d.policy.ce_threshold_ns = threshold_ns;
		CHECK(d.count(RXAQM_MARK, 1000, RXAQM_IP_ECT0) == 1000);
		CHECK(d.count(RXAQM_MARK, 1000, RXAQM_IP_ECT1) == 1000);
		CHECK(d.count(RXAQM_MARK, 1000, RXAQM_IP_CE) == 0);
		int dropped = d.count(RXAQM_DROP, OVER, RXAQM_IP_NOT_ECT);

		CHECK(dropped > 10);
		CHECK(dropped < 60);
		CHECK(d.stat(RXAQM_STAT_CE_MARK) == 2000);
		CHECK(d.stat(RXAQM_STAT_ECN_MARK) == 0);
		/* Just under the threshold, nothing. */
		for (int i = 0; i < 100; i++)
			d.packet(0);
		for (int i = 0; i < 100; i++)
			CHECK(d.packet((threshold_ns ? threshold_ns : 500 * US), RXAQM_IP_ECT0) ==
			      RXAQM_PASS);
	}
}

TEST_CASE("decide: one packet late does not reach the step, nor does one early leave it",
	  "[decide]")
{
	Decider d;

	d.policy.ecn = RXAQM_ECN_STEP;
	for (int i = 0; i < 100; i++)
		d.packet(300 * US, RXAQM_IP_ECT0);
	CHECK(d.packet(1500 * US, RXAQM_IP_ECT0) == RXAQM_PASS);
	for (int i = 0; i < 100; i++)
		d.packet(2 * MS, RXAQM_IP_ECT0);
	CHECK(d.packet(400 * US, RXAQM_IP_ECT0) == RXAQM_MARK);
}

TEST_CASE("decide: ecn=off treats all alike", "[decide]")
{
	Decider not_ect;
	int dropped = not_ect.count(RXAQM_DROP, OVER, RXAQM_IP_NOT_ECT);

	for (__u8 ecn : { RXAQM_IP_ECT0, RXAQM_IP_ECT1, RXAQM_IP_CE }) {
		Decider d;

		d.policy.ecn = RXAQM_ECN_OFF;
		d.policy.ce_threshold_ns = 1;
		d.policy.l4s_threshold_ns = 1;
		CHECK(d.count(RXAQM_DROP, OVER, ecn) == dropped);
		CHECK(d.stat(RXAQM_STAT_CE_MARK) + d.stat(RXAQM_STAT_ECN_MARK) == 0);
	}
}

TEST_CASE("decide: ce_threshold marks beside ecn=codel", "[decide]")
{
	Decider d;

	d.policy.ce_threshold_ns = 1 * MS;
	CHECK(d.count(RXAQM_MARK, 1000, RXAQM_IP_ECT0) == 1000);
	CHECK(d.stat(RXAQM_STAT_ECN_MARK) > 0);
	CHECK(d.stat(RXAQM_STAT_ECN_MARK) + d.stat(RXAQM_STAT_CE_MARK) == 1000);
}

TEST_CASE("decide: l4s_threshold is ECT(1)'s own", "[decide]")
{
	Decider d;

	d.policy.l4s_threshold_ns = 100 * US;
	for (int i = 0; i < 1000; i++) {
		CHECK(d.packet(101 * US, RXAQM_IP_ECT1) == RXAQM_MARK);
		CHECK(d.packet(100 * US, RXAQM_IP_ECT1) == RXAQM_PASS);
		CHECK(d.packet(101 * US, RXAQM_IP_ECT0) == RXAQM_PASS);
		CHECK(d.packet(101 * US) == RXAQM_PASS);
	}
	CHECK(d.stat(RXAQM_STAT_LOW) == 4000);
	/* And CoDel's signals are for the others. */
	__u32 before = d.q->codel.count;

	CHECK(d.count(RXAQM_MARK, 2000, RXAQM_IP_ECT1) == 2000);
	CHECK(d.q->codel.count == before);
	CHECK(d.stat(RXAQM_STAT_ECN_MARK) == 0);
}

TEST_CASE("decide: not_ect=pass", "[decide]")
{
	Decider d;

	d.policy.not_ect = RXAQM_NOT_ECT_PASS;
	CHECK(d.count(RXAQM_PASS, OVER, RXAQM_IP_NOT_ECT) == OVER);
	CHECK(d.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_MARK);
}

/* Verdicts @v on @n packets whose sojourn is over target for @over of every 120. */
static int pulsed(Decider &d, rxaqm_verdict v, int n, int over, __u8 ecn)
{
	int found = 0;

	for (int i = 0; i < n; i++)
		found += d.packet(i % 120 < over ? 2 * MS : 100 * US, ecn) == v;
	return found;
}

TEST_CASE("decide: not_ect=couple drops half the share of marks, squared", "[decide]")
{
	const int n = 240000;

	for (int over : { 12, 30, 60, 90 }) {
		Decider mark, drop, codel;

		for (Decider *d : { &mark, &drop, &codel })
			d->policy.ecn = RXAQM_ECN_STEP;
		drop.policy.not_ect = RXAQM_NOT_ECT_COUPLE;
		double m = double(pulsed(mark, RXAQM_MARK, n, over, RXAQM_IP_ECT0)) / n;
		double p = double(pulsed(drop, RXAQM_DROP, n, over, RXAQM_IP_NOT_ECT)) / n;

		INFO(over << " of 120 over target: marked " << m << ", dropped " << p);
		CHECK(m > over / 140.);
		CHECK(p > 0.85 * m * m / 4);
		CHECK(p < 1.15 * m * m / 4);
		/* What CoDel alone does not see. */
		CHECK(pulsed(codel, RXAQM_DROP, n, over, RXAQM_IP_NOT_ECT) == 0);
	}
}

TEST_CASE("decide: not_ect=couple keeps off what is under the threshold, or has none", "[decide]")
{
	Decider d;

	d.policy.ecn = RXAQM_ECN_STEP;
	d.policy.not_ect = RXAQM_NOT_ECT_COUPLE;
	d.policy.ce_threshold_ns = 6 * MS; /* over target: CoDel's alone, below it */
	CHECK(pulsed(d, RXAQM_DROP, 12000, 60, RXAQM_IP_NOT_ECT) == 0);
	d.policy.ce_threshold_ns = 1 * MS;
	CHECK(pulsed(d, RXAQM_DROP, 12000, 60, RXAQM_IP_NOT_ECT) > 500);
	/* What has been above it costs nothing below, be it over target. */
	d.policy.ce_threshold_ns = 3 * MS;
	d.q->smooth_ns = 2 * MS;
	d.q->codel = {};
	REQUIRE(d.q->couple.share_ns > 0);
	d.q->couple.credit_ns = d.policy.interval_ns - 1;
	CHECK(pulsed(d, RXAQM_DROP, 120, 60, RXAQM_IP_NOT_ECT) == 0);
	d.policy.ce_threshold_ns = 1 * MS;
	/* The past is forgotten where nothing is judged for a while. */
	d.now_ns += 20 * MS;
	CHECK(pulsed(d, RXAQM_DROP, 120, 60, RXAQM_IP_NOT_ECT) == 0);

	Decider off, plain;

	off.policy.ecn = RXAQM_ECN_OFF;
	plain.policy.ecn = RXAQM_ECN_OFF;
	off.policy.not_ect = RXAQM_NOT_ECT_COUPLE;
	CHECK(off.count(RXAQM_DROP, OVER, RXAQM_IP_NOT_ECT) ==
	      plain.count(RXAQM_DROP, OVER, RXAQM_IP_NOT_ECT));
}

TEST_CASE("decide: not_ect=couple settles in eight quarters of an interval", "[decide]")
{
	Decider d;

	d.policy.ecn = RXAQM_ECN_STEP;
	d.policy.not_ect = RXAQM_NOT_ECT_COUPLE;
	/* 125 packets of 20 us are a quarter. */
	d.count(RXAQM_PASS, 125 * 40, RXAQM_IP_ECT0);
	CHECK(d.q->couple.share_ns > 2300 * US);
	pulsed(d, RXAQM_PASS, 125 * 8, 0, RXAQM_IP_ECT0);
	CHECK(d.q->couple.share_ns > 2500 * US * 30 / 100);
	CHECK(d.q->couple.share_ns < 2500 * US * 45 / 100);
}

TEST_CASE("decide: not_ect=couple with ce_threshold beside CoDel", "[decide]")
{
	Decider d;

	d.policy.ce_threshold_ns = 1 * MS;
	d.policy.not_ect = RXAQM_NOT_ECT_COUPLE;
	int dropped = d.count(RXAQM_DROP, OVER, RXAQM_IP_NOT_ECT);

	CHECK(dropped > OVER / 6);
	CHECK(dropped < OVER / 3);
	CHECK(d.stat(RXAQM_STAT_DROP) == __u64(dropped));
	CHECK(d.count(RXAQM_MARK, 1000, RXAQM_IP_ECT0) == 1000);
}

TEST_CASE("decide: exempt packets and pure ACKs are never touched", "[decide]")
{
	for (__u8 kind : { RXAQM_KIND_ACK, RXAQM_KIND_EXEMPT }) {
		for (__u8 ecn = 0; ecn < 4; ecn++) {
			Decider d;

			d.policy.ecn = RXAQM_ECN_STEP;
			d.policy.l4s_threshold_ns = 1;
			CHECK(d.count(RXAQM_PASS, OVER, ecn, kind) == OVER);
			CHECK(d.stat(kind == RXAQM_KIND_ACK ? RXAQM_STAT_OVER_ACK :
							      RXAQM_STAT_OVER_EXEMPT) == OVER);
			/* The signal they could not take falls on the next packet. */
			CHECK(d.packet(5 * MS) == RXAQM_DROP);
		}
	}
}

TEST_CASE("decide: a packet that leaves the queue empty is not marked", "[decide]")
{
	Decider d;

	d.policy.ecn = RXAQM_ECN_STEP;
	d.policy.l4s_threshold_ns = 1;
	d.count(RXAQM_MARK, 1000, RXAQM_IP_ECT0);
	for (__u8 ecn = 0; ecn < 4; ecn++)
		CHECK(d.packet(5 * MS, ecn, RXAQM_KIND_DATA, true) == RXAQM_PASS);
	CHECK(d.q->smooth_ns == 0);
	CHECK_FALSE(d.q->codel.dropping);
}

TEST_CASE("decide: the lease", "[decide]")
{
	Decider d;

	d.policy.lease_until_ns = 5000 * MS;
	CHECK(rxaqm_decide_enforced(&d.policy, 5000 * MS - 1));
	CHECK_FALSE(rxaqm_decide_enforced(&d.policy, 5000 * MS));
	CHECK_FALSE(rxaqm_decide_enforced(&d.policy, 6000 * MS));
	d.policy.lease_until_ns = 0;
	CHECK(rxaqm_decide_enforced(&d.policy, 6000 * MS));
	for (__u8 mode : { RXAQM_MODE_OFF, RXAQM_MODE_OBSERVE }) {
		d.policy.mode = mode;
		CHECK_FALSE(rxaqm_decide_enforced(&d.policy, 1));
	}
}

/* One packet of a random mix. */
static void mixed_packet(Decider &d, std::mt19937 &random, __u64 level_ns)
{
	d.packet(random() % (2 * level_ns + 1), __u8(random() % 4), __u8(random() % 3),
		 random() % 500 == 0);
}

TEST_CASE("decide: observe counts what enforce does, and both account for all", "[decide]")
{
	for (unsigned seed = 1; seed <= 8; seed++) {
		std::mt19937 a(seed), b(seed);
		Decider enforce, observe;

		observe.policy.mode = RXAQM_MODE_OBSERVE;
		for (Decider *d : { &enforce, &observe }) {
			d->policy.ecn = __u8(seed % 3);
			d->policy.not_ect = seed % 5 ? RXAQM_NOT_ECT_DROP : RXAQM_NOT_ECT_COUPLE;
			d->policy.ce_threshold_ns = seed % 2 ? 2 * MS : 0;
			d->policy.l4s_threshold_ns = seed % 4 ? 0 : MS;
			d->policy.max_drop_permille = 100;
		}
		for (int i = 0; i < 50000; i++) {
			__u64 level_ns = i / 5000 % 2 ? 5 * MS : 400 * US;

			mixed_packet(enforce, a, level_ns);
			mixed_packet(observe, b, level_ns);
		}
		CAPTURE(seed);
		for (int k = 0; k < 3; k++) {
			int real = RXAQM_STAT_ECN_MARK + k, would = RXAQM_STAT_WOULD_ECN_MARK + k;

			CHECK(enforce.q->stat[real] == observe.q->stat[would]);
			CHECK(enforce.q->stat[would] == 0);
			CHECK(observe.q->stat[real] == 0);
		}
		for (Decider *d : { &enforce, &observe }) {
			__u64 over = 0;

			for (int k = RXAQM_STAT_OVER_EXEMPT; k <= RXAQM_STAT_OVER_NECT; k++)
				over += d->q->stat[k];
			CHECK(d->stat(RXAQM_STAT_JUDGED) == 50000);
			CHECK(d->stat(RXAQM_STAT_LOW) + over == 50000);
		}
	}
}

TEST_CASE("decide: max_drop bounds the share of drops, at once and in the long run", "[decide]")
{
	for (unsigned permille : { 0, 1, 10, 100, 500, 1000 }) {
		for (__u64 interval_ns : { 100 * US, 1 * MS, 10 * MS }) {
			std::mt19937 random(permille);
			std::vector<int> since; /* drops before each packet */
			int drops = 0, worst = 0;
			Decider d;

			d.policy.max_drop_permille = __u16(permille);
			d.policy.interval_ns = interval_ns;
			d.policy.target_ns = 10 * US;
			/* A long calm time earns no more than a short one. */
			for (int i = 0; i < 20000; i++)
				d.packet(5 * US);
			for (int i = 0; i < 100000; i++) {
				since.push_back(drops);
				drops += d.packet(1000 * MS) == RXAQM_DROP;
				for (int back : { 1, 50, 500, 5000 }) {
					if (back > i + 1)
						break;
					int in = drops - since[size_t(i + 1 - back)];

					worst = std::max(worst, in - back * int(permille) / 1000);
				}
				d.now_ns += random() % (300 * US);
			}
			CAPTURE(permille, interval_ns, drops);
			CHECK(worst <= RXAQM_CAP_BURST + 1);
			CHECK(__u64(drops) <= 100 * permille + RXAQM_CAP_BURST);
			/* Where CoDel wants more than the cap allows, the cap is used up. */
			if (d.stat(RXAQM_STAT_PASS_MAX_DROP) > 50000)
				CHECK(__u64(drops) >= 99 * permille);
			if (permille == 1000)
				CHECK(d.stat(RXAQM_STAT_PASS_MAX_DROP) == 0);
		}
	}
}
