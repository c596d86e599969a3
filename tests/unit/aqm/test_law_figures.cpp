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
#include "report/status_queue.h"
}

namespace
{

constexpr __u64 MS = RXAQM_NSEC_PER_MSEC, NOW = 1000 * RXAQM_NSEC_PER_SEC;

/* A queue of which a CPU can do 10,000 packets a second; a flow may send 1,250 of them. */
struct Lawful {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	rxaqm_iface iface = {};
	bool standing = true;

	Lawful()
	{
		rxaqm_law_vars &law = q->law;

		rxaqm_policy_init(&q->policy);
		q->flags = RXAQM_QUEUE_ENFORCED;
		q->target_ns = 10 * MS;
		q->interval_ns = 100 * MS;
		law.turn_ns = NOW - MS;
		law.goal_ns = law.smooth_ns = q->target_ns;
		law.x = 4 * RXAQM_LAW_OCTAVE;
		law.bad = 1;
		law.stamp_bits = rxaqm_law_stamp_bits(q->interval_ns);
		/* 1.44 half-lives of 33.6 ms. */
		law.most = __u32(10000 * 0.0335544 / 0.6931 * RXAQM_PACKET);
		law.flows[RXAQM_FLOWS_TCP] = 40;
		law.over[RXAQM_FLOWS_TCP] = 18;
		law.flows_now[RXAQM_FLOWS_OTHER] = law.over_now[RXAQM_FLOWS_OTHER] = 1;
		rxaqm_law_derive_limits(&law, rxaqm_law_stamp(&law, NOW));
	}

	struct rxaqm_figures all(__u64 now_ns = NOW) const
	{
		rxaqm_state state = {};
		struct rxaqm_figures all;

		state.queue = q.get();
		state.policy = &q->policy;
		rxaqm_figures_take(&state, &iface, 0, now_ns, &all);
		return all;
	}
	struct rxaqm_law_figures figures(__u64 now_ns = NOW) const
	{
		return all(now_ns).law;
	}

	std::string text(bool json = false)
	{
		char *buf = NULL;
		size_t size = 0;
		FILE *file = open_memstream(&buf, &size);
		rxaqm_out out;
		struct rxaqm_figures now = all();

		now.standing = standing;
		rxaqm_out_open(&out, file, json);
		rxaqm_status_law_out(&out, &now);
		rxaqm_out_close(&out, true);
		fclose(file);
		std::string text(buf, size);
		free(buf);
		return text;
	}
};

} // namespace

TEST_CASE("law figures: who may send how much, and who sends more", "[law_figures]")
{
	Lawful l;
	struct rxaqm_law_figures f = l.figures();

	CHECK(f.holds);
	CHECK(f.goal_ns == 10 * MS);
	CHECK(f.capacity_pps >= 9999);
	CHECK(f.capacity_pps <= 10001);
	CHECK(f.limit_pps >= 1249);
	CHECK(f.limit_pps <= 1251);
	CHECK(f.flows[RXAQM_FLOWS_TCP] == 40);
	CHECK(f.over[RXAQM_FLOWS_TCP] == 18);
	/* Of the interval going on, if there are more. */
	CHECK(f.flows[RXAQM_FLOWS_OTHER] == 1);
	CHECK(f.over[RXAQM_FLOWS_OTHER] == 1);
	CHECK(f.thin == l.q->law.thin);
	l.q->flags = 0;
	CHECK_FALSE(l.figures().holds);
	CHECK(l.figures().limit_pps == 0);
	l.q->flags = RXAQM_QUEUE_ENFORCED;
	l.q->policy.ack = RXAQM_ACK_KEEP;
	CHECK(l.figures().thin == 0);
	l.q->policy.ack = RXAQM_ACK_THIN;
	l.q->law.bad = 0;
	CHECK(l.figures().thin == 0);
}

TEST_CASE("law figures: what no packet has come to see ends all the same", "[law_figures]")
{
	Lawful l;

	CHECK(l.figures(NOW + 10 * MS).limit_pps == l.figures().limit_pps);
	CHECK(l.figures(NOW + 60 * MS).holds);
	CHECK_FALSE(l.figures(NOW + 100 * MS).holds);
	CHECK(l.figures(NOW + 10000 * MS).limit_pps == 0);
	/* The queue itself is the data plane's. */
	CHECK(l.q->law.x == 4 * RXAQM_LAW_OCTAVE);
	/* No packet yet: nothing is divided by. */
	*l.q = {};
	CHECK_FALSE(l.figures().holds);
	l.q->law.turn_ns = 1;
	CHECK_FALSE(l.figures().holds);
}

TEST_CASE("figures: the sojourn of a queue is the average, the sample one packet's",
	  "[law_figures]")
{
	Lawful l;

	l.q->law.smooth_ns = 3 * MS;
	l.q->sample_sojourn_ns = 9 * MS;
	CHECK_FALSE(l.all().sampled);
	CHECK(l.all().sojourn_ns == 3 * MS);
	l.q->flags |= RXAQM_QUEUE_SAMPLED;
	CHECK(l.all().sampled);
	CHECK(l.all().sojourn_ns == 3 * MS);
	CHECK(l.all().queue.sample_sojourn_ns == 9 * MS);
}

TEST_CASE("law figures: law=codel has none", "[law_figures]")
{
	Lawful l;

	l.q->policy.law = RXAQM_LAW_CODEL;
	CHECK_FALSE(l.figures().holds);
	CHECK(l.figures().capacity_pps == 0);
	CHECK(l.text() == "");
	l.q->codel.count = 3;
	CHECK(l.text().find("    count 3 lastcount 0") == 0);
	CHECK(l.text(true).find("\"codel\":{\"count\":3,") != std::string::npos);
}

TEST_CASE("law figures: in words", "[law_figures]")
{
	Lawful l;

	CHECK(l.text() == "    law: a flow may send 1250/s of 10000/s; 40 tcp flows, 18 over it; "
			  "1 other flow, 1 over it; 93.8% of redundant ACKs dropped\n");
	CHECK(l.text(true).find("\"law\":{\"limit_pps\":1250,\"capacity_pps\":10000,"
				"\"flows_tcp\":40,\"over_tcp\":18,\"flows_other\":1,"
				"\"over_other\":1,\"thin_ack_permille\":938,") !=
	      std::string::npos);
	/* The ring has no room for the target. */
	l.q->law.goal_ns = 4 * MS;
	CHECK(l.text().find("dropped; goal 4ms, since the ring has no room for the target\n") !=
	      std::string::npos);
	/* Only observed: there is no limit to be over, and nothing is dropped. */
	l.q->law.goal_ns = l.q->target_ns;
	l.q->flags &= ~RXAQM_QUEUE_ENFORCED;
	CHECK(l.text() ==
	      "    law: no flow is limited; the CPU can take 10000/s; 40 tcp flows; 1 other "
	      "flow\n");
	l.q->law.goal_ns = 4 * MS;
	l.q->law.x = 0;
	l.standing = false;
	CHECK(l.text() == "");
	CHECK(l.text(true).find("\"limit_pps\":null") != std::string::npos);
	CHECK(l.text(true).find("\"goal_ns\":4000000") != std::string::npos);
}

TEST_CASE("law figures: what a target that is short for its flows costs", "[law_figures]")
{
	Lawful l;
	const std::string price =
		"; that is 2 packets a flow, and a packet takes 18% more than in a "
		"longer queue\n";

	/* 10 ms hold 40 packets, of 18 flows over the limit. */
	l.q->packet_ns = 250000;
	CHECK(l.text().find("packets a flow") == std::string::npos);
	l.q->long_packet_ns = 211000;
	CHECK(l.text().find("dropped" + price) == std::string::npos); /* target=auto sees to it */
	l.q->policy.target_auto = 0;
	CHECK(l.text().find("dropped" + price) != std::string::npos);
	CHECK(l.text(true).find("\"packet_ns\":250000,\"long_packet_ns\":211000") !=
	      std::string::npos);
	l.q->law.over[RXAQM_FLOWS_TCP] = 3;
	CHECK(l.text().find("packets a flow") == std::string::npos);
}
