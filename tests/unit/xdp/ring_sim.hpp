/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A receive ring and the CPU that empties it, in simulated time: packets arrive as sources say,
 * polls take up to 64, each packet costs time unless it is dropped, and the decision is the
 * product's. Sources do not respond; what TCP makes of signals the evaluation shows.
 */
#ifndef RXAQM_TESTS_RING_SIM_HPP
#define RXAQM_TESTS_RING_SIM_HPP

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "decide.h"

namespace ring_sim
{

constexpr __u64 US = RXAQM_NSEC_PER_USEC, MS = RXAQM_NSEC_PER_MSEC, SEC = RXAQM_NSEC_PER_SEC;

/* Packets of one kind at an even rate, with a jitter of half the gap; times of capacity. */
struct Source {
	double load;
	__u8 kind = RXAQM_KIND_DATA, ecn = RXAQM_IP_NOT_ECT;
	__u64 next_ns = 0;
	__u32 flows = 1; /* that take turns; 0: each packet is of another */
	__u32 first = 0; /* of these */
	__u32 run = 1; /* where each packet is of another flow: so many are */
	/* What became of them since the last Ring::count(). */
	__u64 taken = 0;
	__u64 sent = 0, lost = 0, dropped = 0, passed = 0, marked = 0;

	double gone() const /* by the law, of those that left the ring */
	{
		return dropped + passed ? double(dropped) / double(dropped + passed) : 0;
	}
};

struct Ring {
	std::unique_ptr<rxaqm_queue> q = std::make_unique<rxaqm_queue>();
	std::vector<Source> sources;
	std::vector<rxaqm_flow_set> table = std::vector<rxaqm_flow_set>(RXAQM_FLOW_SETS);
	__u32 next_flow = 1;
	__u64 cost_ns = 20 * US, drop_ns = 100, now_ns = 1000 * MS;
	/* After slices of @slice_ns (0: after each poll) the CPU is at other work for @away_ns. */
	__u64 slice_ns = 0, away_ns = 0, slice_end_ns = 0;
	size_t entries = 4096;
	bool acks_redundant = true;
	bool standing = false; /* the last poll left packets behind: only then are they judged */
	__u32 spoofed = 0;
	struct Waiting {
		__u64 came_ns;
		size_t source;
	};
	std::deque<Waiting> waiting;
	std::vector<__u64> sojourns;
	std::mt19937 random{ 1 };

	explicit Ring(__u64 target_ns = 10 * MS, __u64 interval_ns = 100 * MS)
	{
		*q = {};
		q->policy.target_ns = target_ns;
		q->policy.interval_ns = interval_ns;
		q->policy.mode = RXAQM_MODE_ENFORCE;
		q->policy.law = RXAQM_LAW_AUTO;
		q->policy.ecn = RXAQM_ECN_ON;
		q->policy.ack = RXAQM_ACK_THIN;
		q->policy.max_drop_permille = 1000;
		begin();
	}

	/* As XDP takes a policy over. */
	void begin()
	{
		rxaqm_target_update(q.get(), __u32(entries));
		rxaqm_decide_reset(q.get());
	}

	Source &add(double load, __u8 kind = RXAQM_KIND_DATA, __u8 ecn = RXAQM_IP_NOT_ECT)
	{
		return add(1, load, kind, ecn);
	}

	Source &add(__u32 flows, double load, __u8 kind, __u8 ecn)
	{
		sources.push_back({ load, kind, ecn, now_ns, flows, next_flow });
		next_flow += flows;
		return sources.back();
	}

	/* Some hash of flow @n. */
	static __u32 hash(__u32 n)
	{
		n *= 0x9e3779b1U;
		n ^= n >> 15;
		return n * 0x85ebca77U ^ n >> 13;
	}

	__u32 flow_of(Source &s)
	{
		__u32 n = s.first + __u32(s.taken % (s.flows ? s.flows : 1));

		if (!s.flows && s.taken % s.run == 0)
			spoofed++;
		if (!s.flows)
			n = spoofed | 1U << 31;
		s.taken++;

		return rxaqm_flow_of(hash(n), 0);
	}

	void burst(size_t source, size_t packets)
	{
		for (size_t i = 0; i < packets; i++)
			arrive(source, now_ns);
	}

	void arrive(size_t source, __u64 at_ns)
	{
		sources[source].sent++;
		if (waiting.size() < entries)
			waiting.push_back({ at_ns, source });
		else
			sources[source].lost++;
	}

	void arrivals()
	{
		for (;;) {
			size_t first = sources.size();

			for (size_t i = 0; i < sources.size(); i++)
				if (sources[i].load > 0 && sources[i].next_ns <= now_ns &&
				    (first == sources.size() ||
				     sources[i].next_ns < sources[first].next_ns))
					first = i;
			if (first == sources.size())
				return;
			double gap_ns = double(cost_ns) / sources[first].load;

			arrive(first, sources[first].next_ns);
			sources[first].next_ns += __u64(gap_ns *
							(0.5 + double(random() % 1024) / 1024)) +
						  1;
		}
	}

	rxaqm_verdict judge(const Waiting &w)
	{
		Source &s = sources[w.source];
		__u64 sojourn_ns = now_ns - w.came_ns;
		__u32 id = flow_of(s);
		rxaqm_verdict v;

		sojourns.push_back(sojourn_ns);
		if (!standing)
			return RXAQM_PASS;
		__u32 judged = rxaqm_decide_sojourn(q.get(), sojourn_ns, false, __u32(entries),
						    now_ns);

		if (!judged)
			return RXAQM_PASS;
		rxaqm_ask ask = rxaqm_decide_ask(q.get(), judged, s.kind, s.ecn, now_ns);

		if (ask == RXAQM_ASK_NOTHING)
			return RXAQM_PASS;
		if (q->policy.law == RXAQM_LAW_CODEL)
			v = rxaqm_verdict(
				rxaqm_decide_codel(q.get(), judged, s.kind, s.ecn, now_ns));
		else if (ask == RXAQM_ASK_THIN && acks_redundant)
			v = RXAQM_DROP;
		else
			v = rxaqm_decide_flow(q.get(), &table[rxaqm_flow_set_of(id)], id,
					      rxaqm_decide_kind(s.kind), s.ecn, RXAQM_PSH_NONE,
					      now_ns);
		return q->flags & RXAQM_QUEUE_ENFORCED ? v : RXAQM_PASS;
	}

	void take()
	{
		Waiting w = waiting.front();
		Source &s = sources[w.source];

		waiting.pop_front();
		rxaqm_verdict v = judge(w);
		(v == RXAQM_DROP ? s.dropped : s.passed)++;
		s.marked += v == RXAQM_MARK;
		now_ns += v == RXAQM_DROP ? drop_ns : cost_ns;
	}

	/* One poll; the queue is idle until the next packet if it has drained it. */
	void poll()
	{
		int taken = 0;

		arrivals();
		while (taken < 64 && !waiting.empty()) {
			take();
			taken++;
			arrivals();
		}
		standing = taken == 64;
		q->stat[RXAQM_STAT_POLLS_LEFT] += standing;
		if (!standing) {
			rxaqm_decide_drained(q.get());
			q->drained_ns = now_ns;
			now_ns += 10 * US;
		}
		if (now_ns >= slice_end_ns) {
			now_ns += away_ns;
			slice_end_ns = now_ns + slice_ns;
		}
	}

	void run(__u64 for_ns)
	{
		for (__u64 end_ns = now_ns + for_ns; now_ns < end_ns;)
			poll();
	}

	/* Count from now on. */
	void count()
	{
		sojourns.clear();
		for (Source &s : sources)
			s.sent = s.lost = s.dropped = s.passed = s.marked = 0;
	}

	__u64 percentile(double share) const
	{
		std::vector<__u64> sorted = sojourns;
		size_t at = size_t(double(sorted.size()) * share);

		if (sorted.empty())
			return 0;
		std::nth_element(sorted.begin(), sorted.begin() + long(at), sorted.end());
		return sorted[at];
	}

	__u64 passed() const
	{
		__u64 all = 0;

		for (const Source &s : sources)
			all += s.passed;
		return all;
	}

	__u64 dropped() const
	{
		__u64 all = 0;

		for (const Source &s : sources)
			all += s.dropped;
		return all;
	}

	__u64 lost() const
	{
		__u64 all = 0;

		for (const Source &s : sources)
			all += s.lost;
		return all;
	}
};

} /* namespace ring_sim */

#endif /* RXAQM_TESTS_RING_SIM_HPP */
