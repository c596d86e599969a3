/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue that gets a packet every 20 us, and what its law makes of them. */
#ifndef RXAQM_TESTS_DECIDER_HPP
#define RXAQM_TESTS_DECIDER_HPP

#include <memory>
#include <vector>

#include "decide.h"

inline constexpr __u64 MS = RXAQM_NSEC_PER_MSEC, US = RXAQM_NSEC_PER_USEC;

struct Decider {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	__u64 now_ns = 1000 * MS;
	rxaqm_policy &policy = q->policy;
	std::vector<rxaqm_flow_set> flows = std::vector<rxaqm_flow_set>(RXAQM_FLOW_SETS);
	rxaqm_ask ask = RXAQM_ASK_NOTHING; /* of the last packet */

	explicit Decider(rxaqm_law law)
	{
		*q = {};
		policy.law = law;
		policy.target_ns = 500 * US;
		policy.interval_ns = 10 * MS;
		policy.mode = RXAQM_MODE_ENFORCE;
		policy.ecn = RXAQM_ECN_ON;
		policy.ack = RXAQM_ACK_THIN;
		policy.max_drop_permille = 1000;
		begin();
	}

	void begin()
	{
		rxaqm_target_update(q.get(), 0);
		rxaqm_decide_reset(q.get());
	}

	/* Each packet is in a poll of its own. */
	rxaqm_verdict packet(__u64 sojourn_ns, __u8 ecn = RXAQM_IP_NOT_ECT,
			     __u8 kind = RXAQM_KIND_DATA, bool drained = false, __u32 flow = 1,
			     __u32 psh = RXAQM_PSH_NONE)
	{
		now_ns += 20 * US;
		q->stat[RXAQM_STAT_POLLS_LEFT]++;
		__u32 judged = rxaqm_decide_sojourn(q.get(), sojourn_ns, drained, 0, now_ns);

		ask = RXAQM_ASK_NOTHING;
		if (!judged)
			return RXAQM_PASS;
		ask = rxaqm_decide_ask(q.get(), judged, kind, ecn, now_ns);
		if (ask == RXAQM_ASK_NOTHING)
			return RXAQM_PASS;
		if (policy.law == RXAQM_LAW_CODEL)
			return rxaqm_verdict(
				rxaqm_decide_codel(q.get(), judged, kind, ecn, now_ns));
		return rxaqm_decide_flow(q.get(), &flows[rxaqm_flow_set_of(flow)], flow,
					 rxaqm_decide_kind(kind), ecn, psh, now_ns);
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

struct Codel : Decider {
	Codel()
		: Decider(RXAQM_LAW_CODEL)
	{
	}
};

/* law=auto, bad, with a limit that holds: flow 1 sends @times of what it may. */
struct Auto : Decider {
	static constexpr __u32 LIMIT = 1000 * RXAQM_PACKET;

	Auto()
		: Decider(RXAQM_LAW_AUTO)
	{
	}
	explicit Auto(double times)
		: Decider(RXAQM_LAW_AUTO)
	{
		q->flags |= RXAQM_QUEUE_ENFORCED;
		hold(times);
	}

	void hold(double times)
	{
		rxaqm_law_vars &law = q->law;
		rxaqm_flow &flow = flows[rxaqm_flow_set_of(1)].flow[0];

		law.bad = 1;
		law.x = RXAQM_LAW_OCTAVE;
		law.limit = law.strangers = LIMIT;
		law.floor[0] = law.floor[1] = 0;
		law.thin = RXAQM_LAW_ONE / 2;
		law.stamp_bits = rxaqm_law_stamp_bits(q->interval_ns);
		law.goal_ns = q->target_ns;
		/* The window just began, so all that stays. */
		law.turn_ns = now_ns + 20 * US;
		flow.id = 1;
		flow.flags |= RXAQM_FLOW_BACK;
		flow.run = 0;
		flow.slow = RXAQM_SLOW_MAX; /* it says nothing */
		flow.rate.level = __u32(times * LIMIT);
		flow.rate.stamp = rxaqm_law_stamp(&law, now_ns + 20 * US);
		for (rxaqm_level &strangers : law.stranger)
			strangers = flow.rate;
	}

	/* Share of verdict @v on packets over target of flow @flow, that sends @times. */
	double share(rxaqm_verdict v, double times, __u8 ecn, __u8 kind = RXAQM_KIND_DATA,
		     __u32 flow = 1)
	{
		int found = 0, n = 20000;

		for (int i = 0; i < n; i++) {
			hold(times);
			found += packet(5 * MS, ecn, kind, false, flow) == v;
		}
		return double(found) / n;
	}
};

#endif
