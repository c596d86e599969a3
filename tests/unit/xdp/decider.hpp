/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue that gets a packet every 20 us, and what its law makes of them. */
#ifndef RXAQM_TESTS_DECIDER_HPP
#define RXAQM_TESTS_DECIDER_HPP

#include <memory>

#include "decide.h"

inline constexpr __u64 MS = RXAQM_NSEC_PER_MSEC, US = RXAQM_NSEC_PER_USEC;

struct Decider {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	__u64 now_ns = 1000 * MS;
	rxaqm_policy &policy = q->policy;

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

	rxaqm_verdict packet(__u64 sojourn_ns, __u8 ecn = RXAQM_IP_NOT_ECT,
			     __u8 kind = RXAQM_KIND_DATA, bool drained = false)
	{
		now_ns += 20 * US;
		__u32 judged = rxaqm_decide_sojourn(q.get(), sojourn_ns, drained, 0, now_ns);

		if (!judged)
			return RXAQM_PASS;
		return rxaqm_decide_packet(q.get(), judged, kind, ecn, 0, now_ns);
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

/* law=auto at @p, bad, with as much seen of each class that may be dropped. */
struct Auto : Decider {
	Auto()
		: Decider(RXAQM_LAW_AUTO)
	{
	}
	explicit Auto(double p)
		: Decider(RXAQM_LAW_AUTO)
	{
		q->flags |= RXAQM_QUEUE_ENFORCED;
		hold(p);
	}

	void hold(double p)
	{
		q->law.p = __u32(p * RXAQM_LAW_ONE);
		q->law.bad = 1;
		for (int c = 0; c < RXAQM_NR_DROPPABLE; c++)
			q->law.seen[c] = 1U << 20;
		rxaqm_law_map(&q->law, rxaqm_decide_max_drop(&policy));
		/* The window just began, so p stays. */
		q->law.turn_ns = now_ns;
	}

	/* Share of verdict @v on packets over target while p is held. */
	double share(rxaqm_verdict v, double p, __u8 ecn, __u8 kind = RXAQM_KIND_DATA)
	{
		int found = 0, n = 20000;

		for (int i = 0; i < n; i++) {
			hold(p);
			found += packet(5 * MS, ecn, kind) == v;
		}
		return double(found) / n;
	}
};

#endif
