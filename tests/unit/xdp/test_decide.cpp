/* SPDX-License-Identifier: GPL-2.0-only */
/* Verdicts of both laws, what is counted for them, and the guard of law=codel. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <random>

#include "decider.hpp"

/* 5,000 packets over target are 100 ms: CoDel signals about 30 times. */

static const int OVER = 5000;

TEST_CASE("decide: codel marks ECT where it drops Not-ECT", "[decide]")
{
	for (__u8 ecn : { RXAQM_IP_ECT0, RXAQM_IP_ECT1 }) {
		Codel mark, drop;
		int marked = mark.count(RXAQM_MARK, OVER, ecn);

		CHECK(marked == drop.count(RXAQM_DROP, OVER, RXAQM_IP_NOT_ECT));
		CHECK(marked > 15);
		CHECK(marked < 50);
		CHECK(mark.stat(RXAQM_STAT_ECN_MARK) == __u64(marked));
		CHECK(drop.stat(RXAQM_STAT_DROP) == __u64(marked));
		CHECK(mark.stat(RXAQM_STAT_CE_MARK) == 0);
		CHECK(drop.stat(RXAQM_STAT_PASS_CAPPED) == 0);
	}
}

TEST_CASE("decide: codel: a packet that came with CE takes the signal, and is left alone",
	  "[decide]")
{
	Codel d;

	CHECK(d.count(RXAQM_PASS, OVER, RXAQM_IP_CE) == OVER);
	CHECK(d.q->codel.count > 15);
	CHECK(d.stat(RXAQM_STAT_ECN_MARK) == 0);
	CHECK(d.stat(RXAQM_STAT_OVER_CE) == OVER);
}

TEST_CASE("decide: ecn=off drops all alike", "[decide]")
{
	Codel not_ect;
	int dropped = not_ect.count(RXAQM_DROP, OVER, RXAQM_IP_NOT_ECT);

	for (__u8 ecn : { RXAQM_IP_ECT0, RXAQM_IP_ECT1, RXAQM_IP_CE }) {
		Codel d;

		d.policy.ecn = RXAQM_ECN_OFF;
		d.policy.ce_threshold_ns = 1;
		CHECK(d.count(RXAQM_DROP, OVER, ecn) == dropped);
		CHECK(d.stat(RXAQM_STAT_CE_MARK) + d.stat(RXAQM_STAT_ECN_MARK) == 0);

		Auto a;

		a.policy.ecn = RXAQM_ECN_OFF;
		CHECK(std::abs(a.share(RXAQM_DROP, 2, ecn) - 0.5) < 0.02);
		CHECK(a.stat(RXAQM_STAT_ECN_MARK) == 0);
	}
}

TEST_CASE("decide: codel: ce_threshold marks every ECT packet over it, as Linux does", "[decide]")
{
	Codel d;

	d.policy.ce_threshold_ns = 1 * MS;
	CHECK(d.count(RXAQM_MARK, 1000, RXAQM_IP_ECT0) == 1000);
	CHECK(d.stat(RXAQM_STAT_ECN_MARK) > 0);
	CHECK(d.stat(RXAQM_STAT_ECN_MARK) + d.stat(RXAQM_STAT_CE_MARK) == 1000);
	/* By the packet's own sojourn, also under target. */
	Codel low;

	low.policy.ce_threshold_ns = 100 * US;
	for (int i = 0; i < 100; i++) {
		CHECK(low.packet(101 * US, RXAQM_IP_ECT0) == RXAQM_MARK);
		CHECK(low.packet(100 * US, RXAQM_IP_ECT0) == RXAQM_PASS);
		CHECK(low.packet(101 * US) == RXAQM_PASS);
	}
	CHECK(low.stat(RXAQM_STAT_LOW) == 300);

	Codel ect1;

	ect1.policy.ce_threshold_ns = 100 * US;
	ect1.policy.ce_selector = RXAQM_CE_SELECTOR_ECT1;
	for (int i = 0; i < 100; i++) {
		CHECK(ect1.packet(200 * US, RXAQM_IP_ECT1) == RXAQM_MARK);
		CHECK(ect1.packet(200 * US, RXAQM_IP_ECT0) == RXAQM_PASS);
	}
}

TEST_CASE("decide: codel: a due signal waits for a packet that may take it", "[decide]")
{
	for (__u8 kind : { RXAQM_KIND_ACK, RXAQM_KIND_EXEMPT }) {
		for (__u8 ecn = 0; ecn < 4; ecn++) {
			Codel d;

			CHECK(d.count(RXAQM_PASS, OVER, ecn, kind) == OVER);
			CHECK(d.stat(kind == RXAQM_KIND_ACK ? RXAQM_STAT_OVER_ACK :
							      RXAQM_STAT_OVER_EXEMPT) == OVER);
			CHECK(d.packet(5 * MS, RXAQM_IP_ECT0) == RXAQM_MARK);
		}
	}
}

TEST_CASE("decide: codel: the guard holds where nothing else can be dropped", "[decide]")
{
	const bool guarded = GENERATE(true, false);
	Codel d;
	int dropped[2] = {};

	if (!guarded)
		d.q->flags |= RXAQM_QUEUE_UNGUARDED;
	/* 2 % Not-ECT data, 1 % SYN, the rest cannot be dropped; for 60 s. */
	for (int i = 0; i < 3000000; i++) {
		int draw = i * 37 % 100;
		__u8 kind = draw < 2 ? RXAQM_KIND_DATA :
			    draw < 3 ? RXAQM_KIND_SYN :
				       RXAQM_KIND_EXEMPT;
		bool gone = d.packet(20 * MS, RXAQM_IP_NOT_ECT, kind) == RXAQM_DROP;

		if (draw < 3)
			dropped[draw == 2] += gone;
	}
	CAPTURE(guarded, dropped[0], dropped[1]);
	if (guarded) {
		CHECK(dropped[0] < 60000 * 9 / 100);
		CHECK(dropped[1] == 0);
		CHECK(d.stat(RXAQM_STAT_PASS_CAPPED) > 0);
	} else {
		/* RFC 8289 alone: all of them, sooner or later. */
		CHECK(dropped[0] > 60000 * 80 / 100);
	}
}

TEST_CASE("decide: codel begins anew where nobody looked for long", "[decide]")
{
	Codel d;

	d.count(RXAQM_PASS, OVER, RXAQM_IP_NOT_ECT);
	REQUIRE(d.q->codel.above);
	d.now_ns += 2000 * MS;
	CHECK(d.packet(5 * MS) == RXAQM_PASS);
	CHECK_FALSE(d.q->codel.dropping);
	CHECK(d.q->codel.first_above_time_ns >= d.now_ns);
}

TEST_CASE("decide: the lease", "[decide]")
{
	Codel d;

	d.policy.lease_until_ns = 5000 * MS;
	CHECK(rxaqm_policy_enforced(&d.policy, 5000 * MS - 1));
	CHECK_FALSE(rxaqm_policy_enforced(&d.policy, 5000 * MS));
	CHECK_FALSE(rxaqm_policy_enforced(&d.policy, 6000 * MS));
	d.policy.lease_until_ns = 0;
	CHECK(rxaqm_policy_enforced(&d.policy, 6000 * MS));
	for (__u8 mode : { RXAQM_MODE_OFF, RXAQM_MODE_OBSERVE }) {
		d.policy.mode = mode;
		CHECK_FALSE(rxaqm_policy_enforced(&d.policy, 1));
	}
}

TEST_CASE("decide: the end of a lease is heeded when the window ends, as is a longer one",
	  "[decide]")
{
	Codel d;
	const __u64 window_ns = d.policy.interval_ns >> RXAQM_LAW_WINDOW_BITS;

	d.policy.lease_until_ns = d.now_ns + 300 * MS;
	d.count(RXAQM_DROP, OVER, RXAQM_IP_NOT_ECT);
	CHECK(d.stat(RXAQM_STAT_DROP) > 0);
	d.now_ns = d.policy.lease_until_ns + window_ns;
	d.packet(5 * MS);
	CHECK_FALSE(d.q->flags & RXAQM_QUEUE_ENFORCED);
	CHECK(d.q->codel.count == 0); /* and signals begin anew */
	d.policy.lease_until_ns = d.now_ns + 300 * MS;
	d.now_ns += window_ns;
	d.packet(5 * MS);
	CHECK(d.q->flags & RXAQM_QUEUE_ENFORCED);
}

/* One packet of a random mix. */

static void mixed_packet(Decider &d, std::mt19937 &random, __u64 level_ns)
{
	__u64 sojourn_ns = level_ns + random() % level_ns;
	__u8 ecn = __u8(random() % 4), kind = __u8(random() % 4);

	d.packet(sojourn_ns, ecn, kind, random() % 500 == 0);
}

TEST_CASE("decide: observe counts what enforce does, and both account for all", "[decide]")
{
	for (unsigned seed = 1; seed <= 8; seed++) {
		rxaqm_law law = seed % 2 ? RXAQM_LAW_AUTO : RXAQM_LAW_CODEL;
		std::mt19937 a(seed), b(seed);
		Decider enforce(law), observe(law);

		observe.policy.mode = RXAQM_MODE_OBSERVE;
		/* Enforcing begins anew at its first packet, and so does the other here. */
		enforce.q->flags |= RXAQM_QUEUE_ENFORCED;
		for (Decider *d : { &enforce, &observe }) {
			/* The same packets for both: drops leave none of them out. */
			d->q->flags |= RXAQM_QUEUE_REPLAYED;
			d->policy.ecn = seed % 3 ? RXAQM_ECN_ON : RXAQM_ECN_OFF;
			d->policy.ce_threshold_ns = seed % 4 ? 2 * MS : 0;
			d->policy.max_drop_permille = seed % 5 ? 1000 : 100;
		}
		for (int i = 0; i < 50000; i++) {
			__u64 level_ns = i / 5000 % 2 ? 5 * MS : 200 * US;

			mixed_packet(enforce, a, level_ns);
			mixed_packet(observe, b, level_ns);
		}
		CAPTURE(seed);
		const rxaqm_stat pairs[][2] = {
			{ RXAQM_STAT_ECN_MARK, RXAQM_STAT_WOULD_ECN_MARK },
			{ RXAQM_STAT_CE_MARK, RXAQM_STAT_WOULD_CE_MARK },
			{ RXAQM_STAT_DROP, RXAQM_STAT_WOULD_DROP },
			{ RXAQM_STAT_DROP_SYN, RXAQM_STAT_WOULD_DROP_SYN },
			{ RXAQM_STAT_DROP_ECT, RXAQM_STAT_WOULD_DROP_ECT },
			{ RXAQM_STAT_ACK_DROP, RXAQM_STAT_WOULD_ACK_DROP },
		};
		for (auto &pair : pairs) {
			CHECK(enforce.stat(pair[0]) == observe.stat(pair[1]));
			CHECK(enforce.stat(pair[1]) == 0);
			CHECK(observe.stat(pair[0]) == 0);
		}
		CHECK(enforce.stat(RXAQM_STAT_DROP) > 0);
		for (Decider *d : { &enforce, &observe }) {
			__u64 over = 0;

			for (int k = RXAQM_STAT_OVER_EXEMPT; k <= RXAQM_STAT_OVER_CE; k++)
				over += d->q->stat[k];
			CHECK(d->stat(RXAQM_STAT_JUDGED) == 50000);
			CHECK(d->stat(RXAQM_STAT_LOW) + over == 50000);
		}
	}
}

TEST_CASE("decide: max_drop bounds the share of drops of both laws", "[decide]")
{
	for (unsigned permille : { 0, 1, 10, 100, 500, 1000 }) {
		for (rxaqm_law law : { RXAQM_LAW_AUTO, RXAQM_LAW_CODEL }) {
			Decider d(law);
			int drops = 0, n = 100000;

			d.policy.max_drop_permille = __u16(permille);
			d.policy.interval_ns = 1 * MS;
			d.begin();
			for (int i = 0; i < n; i++) {
				d.now_ns += 100 * US;
				drops += d.packet(1000 * MS) == RXAQM_DROP;
			}
			CAPTURE(permille, law, drops);
			CHECK(drops <= int(permille) * n / 1000 * 103 / 100 + 40);
			if (permille >= 10)
				CHECK(drops > int(permille) * n / 1000 / 2);
		}
	}
}
