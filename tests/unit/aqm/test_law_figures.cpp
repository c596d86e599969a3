// SPDX-License-Identifier: GPL-2.0-only
/* What status and metrics say of law=auto. */
#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>

extern "C" {
#include "decide.h"
#include "figures/figures.h"
#include "base/out.h"
#include "policy/settings.h"
#include "report/status.h"
}

namespace
{

constexpr __u64 MS = RXAQM_NSEC_PER_MSEC, NOW = 1000 * RXAQM_NSEC_PER_SEC;

/* A queue of which the law has come to p = 1/2 a moment ago, with as many packets of each class. */
struct Lawful {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	rxaqm_iface iface = {};

	Lawful()
	{
		rxaqm_policy_init(&q->policy);
		q->target_ns = 10 * MS;
		q->interval_ns = 100 * MS;
		q->law.turn_ns = NOW - MS;
		q->law.goal_ns = q->target_ns;
		q->law.p = RXAQM_LAW_ONE / 2;
		q->law.bad = 1;
		q->flags = RXAQM_QUEUE_ECT0_CLASSIC;
		for (__u32 &seen : q->law.seen)
			seen = 1000;
		rxaqm_law_map(&q->law, RXAQM_LAW_ONE);
	}

	struct rxaqm_law_figures figures(__u64 now_ns = NOW) const
	{
		struct rxaqm_law_figures all;

		rxaqm_law_figures(q.get(), 0, now_ns, &all);
		return all;
	}

	std::string text(bool json = false)
	{
		char *buf = NULL;
		size_t size = 0;
		FILE *file = open_memstream(&buf, &size);
		rxaqm_out out;

		rxaqm_out_open(&out, file, json);
		rxaqm_status_law_out(&out, &iface, q.get(), NOW);
		rxaqm_out_close(&out, true);
		fclose(file);
		std::string all(buf, size);
		free(buf);
		return all;
	}
};

} // namespace

TEST_CASE("law figures: shares are those of the law", "[law_figures]")
{
	Lawful l;
	struct rxaqm_law_figures f = l.figures();

	CHECK(f.p == RXAQM_LAW_ONE / 2);
	CHECK(f.bad);
	CHECK(f.goal_ns == 10 * MS);
	CHECK(f.share[RXAQM_SHARE_MARK_ECT0] == RXAQM_LAW_ONE / 4);
	CHECK(f.share[RXAQM_SHARE_MARK_ECT1] == RXAQM_LAW_ONE);
	CHECK(f.share[RXAQM_SHARE_DROP_OTHER] == RXAQM_LAW_ONE / 4);
	CHECK(f.share[RXAQM_SHARE_DROP_ECT] == 0);
	CHECK(f.share[RXAQM_SHARE_DROP_SYN] == 0);
	CHECK(f.share[RXAQM_SHARE_THIN_ACK] == l.q->law.thin);
	l.q->flags = 0;
	CHECK(l.figures().share[RXAQM_SHARE_MARK_ECT0] == RXAQM_LAW_ONE);
	l.q->policy.ecn = RXAQM_ECN_OFF;
	CHECK(l.figures().share[RXAQM_SHARE_MARK_ECT1] == 0);
	l.q->policy.ack = RXAQM_ACK_KEEP;
	CHECK(l.figures().share[RXAQM_SHARE_THIN_ACK] == 0);
}

TEST_CASE("law figures: a queue that is not bad is marked only", "[law_figures]")
{
	Lawful l;

	l.q->law.bad = 0;
	CHECK(l.figures().share[RXAQM_SHARE_MARK_ECT1] == RXAQM_LAW_ONE);
	CHECK(l.figures().share[RXAQM_SHARE_DROP_OTHER] == 0);
	CHECK(l.figures().share[RXAQM_SHARE_THIN_ACK] == 0);
}

TEST_CASE("law figures: what no packet has come to see falls all the same", "[law_figures]")
{
	Lawful l;

	CHECK(l.figures(NOW + 10 * MS).p == RXAQM_LAW_ONE / 2);
	CHECK(l.figures(NOW + 60 * MS).p == RXAQM_LAW_ONE / 4);
	CHECK(l.figures(NOW + 60 * MS).bad);
	CHECK_FALSE(l.figures(NOW + 100 * MS).bad);
	CHECK(l.figures(NOW + 10000 * MS).p == 0);
	/* The queue itself is the data plane's. */
	CHECK(l.q->law.p == RXAQM_LAW_ONE / 2);
	/* No packet yet: nothing is divided by. */
	rxaqm_queue empty = {};
	struct rxaqm_law_figures f;
	rxaqm_law_figures(&empty, 0, NOW, &f);
	CHECK(f.p == 0);
	empty.law.turn_ns = 1;
	rxaqm_law_figures(&empty, 0, NOW, &f);
	CHECK(f.p == 0);
}

TEST_CASE("law figures: law=codel has none", "[law_figures]")
{
	Lawful l;

	l.q->policy.law = RXAQM_LAW_CODEL;
	CHECK(l.figures().p == 0);
	CHECK(l.figures().share[RXAQM_SHARE_MARK_ECT1] == 0);
	CHECK(l.text() == "");
	l.q->codel.count = 3;
	CHECK(l.text().find("    count 3 lastcount 0") == 0);
	CHECK(l.text(true).find("{\"codel\":{\"count\":3,") == 0);
}

TEST_CASE("law figures: in words", "[law_figures]")
{
	Lawful l;

	CHECK(l.text() ==
	      "    law p 50.0%, bad; mark ect0 25.0% ect1 100.0%; drop tcp 25.0% other 25.0%; "
	      "thin ack 100.0%\n");
	CHECK(l.text(true).find("{\"law\":{\"p_ppm\":500000,\"bad\":true,") == 0);
	CHECK(l.text(true).find("\"mark_ect0_ppm\":250000") != std::string::npos);
	/* The ring has no room for the target. */
	l.q->law.goal_ns = 4 * MS;
	CHECK(l.text().find("bad, goal 4ms, since the ring has no room for the target; mark") !=
	      std::string::npos);
	l.q->law.p = 0;
	l.q->law.bad = 0;
	CHECK(l.text() == "");
	CHECK(l.text(true).find("\"goal_ns\":4000000") != std::string::npos);
}
