/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host whose NIC clock is known, and the clock estimate at work on its packets, as
 * kprobes/ runs it. The least that a packet waits is 0, so the estimate should find the
 * true mapping; after every packet its error is held against the bound it states.
 */
#ifndef RXAQM_TESTS_CLOCK_SIM_HPP
#define RXAQM_TESTS_CLOCK_SIM_HPP

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "measure.h"
#include "poll.h"

struct ClockSim {
	/* Truth. */
	__u64 now_ns, origin_host_ns, origin_hw_ns;
	__s64 drift_ppb = 0; /* of the NIC against the host */
	__s64 stamp_glitch_ns = 0; /* added to stamps, not to the clock */
	__u64 standing_since_ns = 0;

	/* Under test. */
	std::vector<rxaqm_queue> queues;
	rxaqm_clock_entry entry = {};
	rxaqm_clock_phc phc = {}; /* none, unless a test says otherwise */
	rxaqm_clock_est &est = entry.est;
	rxaqm_clock clock = {}; /* the estimate's, if it is */
	bool published = false;

	/* Seen. */
	int stamps = 0, good = 0, bad = 0, resets = 0;
	int checks = 0, violations = 0;
	double worst_err_ns = 0, worst_bound_ns = 0, worst_excess_ns = 0;

	std::mt19937_64 random;

	ClockSim(__u64 host_ns, __u64 hw_ns, unsigned seed, size_t nr_queues = 1)
		: now_ns(host_ns)
		, origin_host_ns(host_ns)
		, origin_hw_ns(hw_ns)
		, queues(nr_queues)
		, random(seed)
	{
		for (auto &q : queues) {
			q = {};
			q.policy.target_ns = RXAQM_NSEC_PER_SEC;
		}
	}

	__u64 hw(__u64 host_ns) const
	{
		__s64 d = __s64(host_ns - origin_host_ns);

		return origin_hw_ns + __u64(d) + __u64(__s64(__int128(d) * drift_ppb / 1000000000));
	}

	void step_hw(__s64 by_ns)
	{
		origin_hw_ns = hw(now_ns) + __u64(by_ns);
		origin_host_ns = now_ns;
	}

	void set_drift(__s64 ppb)
	{
		step_hw(0);
		drift_ppb = ppb;
	}

	double uniform()
	{
		return double((random() >> 11) + 1) / 9007199254740993.0;
	}

	__u64 exponential(double mean_ns)
	{
		return __u64(-std::log(uniform()) * mean_ns);
	}

	/* Error of the published mapping right now. */
	double error_ns() const
	{
		return double(__s64(rxaqm_clock_to_host(&clock, hw(now_ns)) - now_ns));
	}

	void forget_seen()
	{
		stamps = good = bad = resets = checks = violations = 0;
		worst_err_ns = worst_bound_ns = worst_excess_ns = 0;
	}

	void check()
	{
		if (!published || rxaqm_ns_reached(now_ns, clock.expires_ns))
			return;
		double err = std::fabs(error_ns());
		double bound = double(rxaqm_clock_err(&clock, now_ns));

		checks++;
		violations += err > bound;
		worst_err_ns = std::max(worst_err_ns, err);
		worst_bound_ns = std::max(worst_bound_ns, bound);
		worst_excess_ns = std::max(worst_excess_ns, err - bound);
	}

	/* A stamped packet is at hand. True if it was believed. */
	bool measure(rxaqm_queue &q, __u64 hw_ns)
	{
		__u64 absurd = q.stat[RXAQM_STAT_STAMP_ABSURD];
		__u64 negative = q.stat[RXAQM_STAT_STAMP_NEGATIVE];
		__u32 before = entry.resets;
		bool believed;

		stamps++;
		rxaqm_measure_stamp(&entry, &phc, &q, hw_ns, now_ns);
		believed = absurd == q.stat[RXAQM_STAT_STAMP_ABSURD] &&
			   negative == q.stat[RXAQM_STAT_STAMP_NEGATIVE];
		good += believed && q.sample_ns == now_ns;
		bad += !believed;
		resets += int(entry.resets - before);
		published = rxaqm_clock_read(&entry, &clock);
		return believed;
	}

	void end_poll(rxaqm_queue &q, __u32 work)
	{
		const rxaqm_poll poll = { now_ns, work, 64, 64, false, false };

		rxaqm_poll_end(&q, &poll);
	}

	/* A poll whose first packet arrived @wait_ns ago and which drains the queue. */
	bool drained_poll(size_t queue, __u64 wait_ns)
	{
		rxaqm_queue &q = queues[queue];
		bool believed;

		q.taken = 1;
		standing_since_ns = 0;
		believed = measure(q, hw(now_ns - wait_ns) + __u64(stamp_glitch_ns));
		check();
		now_ns += 2000;
		end_poll(q, 1);
		return believed;
	}

	/* Drained polls for @for_ns: the ring stays empty for @gap_ns on average, then the
	 * first packet waits @wait_ns on average.
	 */
	void run(__u64 for_ns, double gap_ns, double wait_ns)
	{
		__u64 end_ns = now_ns + for_ns;

		while (!rxaqm_ns_reached(now_ns, end_ns)) {
			size_t queue = random() % queues.size();
			__u64 wait = exponential(wait_ns);

			now_ns += exponential(gap_ns) + wait;
			drained_poll(queue, wait);
		}
	}

	/* A queue that stands for @for_ns: 64 packets a poll, none of which drains. */
	void stand(size_t queue, __u64 for_ns, __u64 sojourn_ns, __u64 packet_ns)
	{
		rxaqm_queue &q = queues[queue];
		__u64 begin_ns = now_ns;

		if (!standing_since_ns)
			standing_since_ns = now_ns;
		while (rxaqm_ns_since(now_ns, begin_ns) < for_ns) {
			for (int i = 0; i < 64; i++) {
				now_ns += packet_ns;
				q.taken++;
				__u64 built_ns = rxaqm_ns_since(now_ns, standing_since_ns) * 4 / 5;

				measure(q, hw(now_ns - std::min(built_ns, sojourn_ns)));
				check();
			}
			end_poll(q, 64);
		}
	}
};

#endif /* RXAQM_TESTS_CLOCK_SIM_HPP */
