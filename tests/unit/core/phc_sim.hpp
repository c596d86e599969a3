/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A PHC whose every instant is known, read as the sampler reads one, and the fit at work on
 * the readings. The mapping that is published is held against the truth a thousand times a
 * second, whether or not a reading has been taken since.
 */
#ifndef RXAQM_TESTS_PHC_SIM_HPP
#define RXAQM_TESTS_PHC_SIM_HPP

#include <algorithm>
#include <cmath>
#include <random>

extern "C" {
#include "clock/phc_fit.h"
}

struct PhcSim {
	/* Truth: at origin_host_ns the PHC showed origin_phc_ns, and goes by drift_ppb. */
	__u64 now_ns, origin_host_ns, origin_phc_ns;
	double drift_ppb = 0; /* of the PHC against the host */
	double ramp_ppb_s = 0; /* change of it a second */

	/* How it is read: the PHC at a random instant of the window. */
	double window_ns = 1000; /* least width */
	double jitter_ns = 200; /* exponential, on top */
	double late_share = 0, late_ns = 0; /* readings that are held up by late_ns on average */
	double wild_share = 0, wild_ns = 0; /* readings that are wrong by up to this */
	bool one_sided = false; /* the PHC is read right at the beginning of the window */

	/* Under test. */
	rxaqm_phc_fit fit;
	__u64 due_ns;

	/* Seen, since forget(). */
	int readings = 0, checks = 0, unpublished = 0, violations = 0;
	double worst_err_ns = 0, worst_bound_ns = 0, worst_excess_ns = 0;
	/* How far the bound is beyond the reading that it rests on. */
	double worst_beyond_ns = 0, sum_beyond_ns = 0;
	double sum_err_ns = 0;
	__u64 longest_gap_ns = 0;

	std::mt19937_64 random;

	PhcSim(__u64 host_ns, __u64 phc_ns, unsigned seed)
		: now_ns(host_ns)
		, origin_host_ns(host_ns)
		, origin_phc_ns(phc_ns)
		, due_ns(host_ns)
		, random(seed)
	{
		rxaqm_phc_fit_init(&fit);
	}

	double uniform()
	{
		return double((random() >> 11) + 1) / 9007199254740993.0;
	}

	double exponential(double mean)
	{
		return mean > 0 ? -std::log(uniform()) * mean : 0;
	}

	__u64 phc(__u64 host_ns) const
	{
		double d = double(__s64(host_ns - origin_host_ns));

		return origin_phc_ns + (host_ns - origin_host_ns) +
		       __u64(__s64(d * (drift_ppb + ramp_ppb_s * d / 2e9) / 1e9));
	}

	void step(__s64 by_ns)
	{
		__u64 phc_ns = phc(now_ns) + __u64(by_ns);

		drift_ppb += ramp_ppb_s * double(now_ns - origin_host_ns) / 1e9;
		origin_phc_ns = phc_ns;
		origin_host_ns = now_ns;
	}

	void set_drift(double ppb)
	{
		step(0);
		drift_ppb = ppb;
	}

	/* CLOCK_MONOTONIC stands still, the PHC goes on. */
	void suspend(__u64 for_ns)
	{
		step(__s64(for_ns));
	}

	rxaqm_phc_sample read()
	{
		double width = window_ns + exponential(jitter_ns), at;
		rxaqm_phc_sample s;

		if (late_share > 0 && uniform() < late_share)
			width += exponential(late_ns);
		at = one_sided ? 0 : width * uniform();
		s.host_ns = now_ns + __u64(width / 2);
		s.phc_ns = phc(now_ns + __u64(at));
		s.err_ns = __u64(width / 2) + 1;
		if (wild_share > 0 && uniform() < wild_share)
			s.phc_ns += __u64(__s64((uniform() * 2 - 1) * wild_ns));
		now_ns += __u64(width);
		return s;
	}

	void forget()
	{
		readings = checks = unpublished = violations = 0;
		worst_err_ns = worst_bound_ns = worst_excess_ns = 0;
		worst_beyond_ns = sum_beyond_ns = sum_err_ns = 0;
		longest_gap_ns = 0;
	}

	bool published() const
	{
		return fit.valid && !rxaqm_ns_reached(now_ns, fit.clock.expires_ns);
	}

	/* Error of the mapping right now. */
	double error_ns() const
	{
		return double(__s64(rxaqm_clock_to_host(&fit.clock, phc(now_ns)) - now_ns));
	}

	double bound_ns() const
	{
		return double(rxaqm_clock_err(&fit.clock, now_ns));
	}

	void check()
	{
		checks++;
		if (!published()) {
			unpublished++;
			return;
		}
		double err = std::fabs(error_ns()), bound = bound_ns();

		violations += err > bound;
		worst_err_ns = std::max(worst_err_ns, err);
		worst_bound_ns = std::max(worst_bound_ns, bound);
		worst_excess_ns = std::max(worst_excess_ns, err - bound);
		double beyond = bound - double(fit.point[fit.nr_points - 1].err_ns);

		worst_beyond_ns = std::max(worst_beyond_ns, beyond);
		sum_beyond_ns += beyond;
		sum_err_ns += err;
	}

	/* Take the reading that is due. */
	void take()
	{
		rxaqm_phc_sample s = read();

		readings++;
		rxaqm_phc_fit_add(&fit, &s);
		longest_gap_ns = std::max(longest_gap_ns, __u64(fit.gap_ns));
		due_ns = now_ns + fit.gap_ns;
		check();
	}

	/* Let @for_ns pass; the sampler is a little late at times, and asleep if not @sampling. */
	void run(__u64 for_ns, bool sampling = true)
	{
		__u64 end_ns = now_ns + for_ns;

		while (!rxaqm_ns_reached(now_ns, end_ns)) {
			if (sampling && rxaqm_ns_reached(now_ns, due_ns))
				take();
			now_ns += 500000 + random() % 1000000;
			check();
		}
	}

	/* Until the next reading has been taken. */
	void run_to_reading()
	{
		int before = readings;

		while (readings == before)
			run(1000000);
	}
};

#endif /* RXAQM_TESTS_PHC_SIM_HPP */
