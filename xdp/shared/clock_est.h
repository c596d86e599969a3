/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The in-kernel clock estimate: NIC time to host time from the packets alone.
 *
 * Every packet gives an offset (host now - NIC stamp) that is too large by the time
 * it waited. The first packet of a poll that follows a drained poll waited least:
 * it reached an empty ring. So the least such offset of a window is a point close
 * above the true line, and the line itself is the lower hull of the last windows'
 * points (Zhang, Liu, Xia: "Clock synchronization algorithms for network
 * measurements", INFOCOM 2002). Of the hull only the edge across the middle is
 * needed, and that is the lowest of all segments from an older to a newer point,
 * measured in the middle: 16 candidates, no hull to build.
 *
 * A packet that finds the ring empty also bounds the offset from below: it came
 * after the ring was drained. A stamp that breaks either bound says that one of the
 * clocks was stepped; a few of them in a row and the estimate starts anew, with the
 * rate it knew.
 *
 * Windows begin at 67 ms, so that a step is forgotten within a second, and double
 * up to 2.1 s while all is well, so that the rate is known to about 1 ppm and the
 * mapping survives a long standing queue.
 *
 * One estimate per interface, fed by all of its queues: each keeps its own least
 * offset of 33 ms and hands it over under a try-lock (rx_stamp.bpf.c).
 */
#ifndef RXAQM_CLOCK_EST_H
#define RXAQM_CLOCK_EST_H

#include "clock.h"

#define RXAQM_EST_POINTS 8
#define RXAQM_EST_HALF (RXAQM_EST_POINTS / 2)
#define RXAQM_EST_WINDOW_MIN_NS (1ULL << 26) /* 67 ms */
#define RXAQM_EST_WINDOW_MAX_NS (1ULL << 31) /* 2.1 s */
#define RXAQM_EST_QUEUE_WINDOW_NS (1ULL << 25) /* 33 ms */
/* IEEE 802.3 allows an Ethernet clock 100 ppm; a disciplined PHC may be slewed on top. */
#define RXAQM_EST_DRIFT_MAX_Q32 RXAQM_PPM_Q32(200)
#define RXAQM_EST_DRIFT_MIN_Q32 RXAQM_PPM_Q32(1) /* never trust a rate beyond this */
#define RXAQM_EST_ERR_MIN_NS 500
/* The least wait may be missing from the first windows; halved with each of them. */
#define RXAQM_EST_ERR_FEW_NS RXAQM_NSEC_PER_MSEC
#define RXAQM_EST_EXPIRY_NS (400 * RXAQM_NSEC_PER_SEC)

/* Host time and host - NIC at that time. */
struct rxaqm_clock_point {
	__u64 host_ns;
	__u64 offset_ns; /* host - NIC, modulo 2^64 */
};

/* Least offset seen since start_ns, at the rate known. */
struct rxaqm_clock_window {
	__u64 start_ns;
	struct rxaqm_clock_point least;
	__u32 nr; /* offsets seen; 0: least is void */
	__u32 pad;
};
RXAQM_ASSERT_SIZE(struct rxaqm_clock_window, 32);

struct rxaqm_clock_est {
	struct rxaqm_clock_point point[RXAQM_EST_POINTS]; /* oldest first */
	struct rxaqm_clock_window window;
	__u64 window_ns;
	__s64 rate_q32; /* change of the offset per host ns */
	__u32 nr_points;
	__u32 rate_known;
};

/* Point @i (modulo their number) of @est. */
#define RXAQM_EST_POINT(est, i) ((est)->point[rxaqm_clock_est_index(i)])

rxaqm_always_inline __u64 rxaqm_clock_est_index(__u64 i)
{
	RXAQM_HIDE(i);
	return i & (RXAQM_EST_POINTS - 1);
}

/* How far @p lies above a line of slope @rate_q32 through @from. */
rxaqm_always_inline __s64 rxaqm_clock_above(const struct rxaqm_clock_point *p,
					    const struct rxaqm_clock_point *from, __s64 rate_q32)
{
	return (__s64)(p->offset_ns - from->offset_ns) -
	       rxaqm_scale_q32((__s64)(p->host_ns - from->host_ns), rate_q32);
}

static inline void rxaqm_clock_window_add(struct rxaqm_clock_window *window,
					  const struct rxaqm_clock_point *p, __s64 rate_q32)
{
	if (!window->nr || rxaqm_clock_above(p, &window->least, rate_q32) < 0)
		window->least = *p;
	window->nr++;
}

/* All ones if @value is negative, else 0. Hidden, lest the compiler make branches of it: the
 * verifier would follow both ways of each, for every pair of points.
 */
rxaqm_always_inline __s64 rxaqm_sign_mask(__s64 value)
{
	__s64 mask = value >> 63;

	RXAQM_HIDE(mask);
	return mask;
}

/* Signed division: BPF has only the unsigned one before cpu=v4. @den > 0. */
rxaqm_always_inline __s64 rxaqm_div_s64(__s64 num, __u64 den)
{
	__s64 sign = rxaqm_sign_mask(num);

	return (__s64)(((__u64)((num ^ sign) - sign) / den) ^ (__u64)sign) - sign;
}

/* Slope of the segment from @a to @b, which is later, else of no use. No drift raises it by as
 * much as 2 s between two points (400 ppm of RXAQM_EST_EXPIRY_NS are 0.2 s).
 */
rxaqm_always_inline __s64 rxaqm_clock_slope_q32(const struct rxaqm_clock_point *a,
						const struct rxaqm_clock_point *b)
{
	__u64 run_ns = (b->host_ns - a->host_ns) | 1;
	__u64 rise_ns = b->offset_ns - a->offset_ns;

	return rxaqm_div_s64((__s64)(rise_ns << 32), run_ns);
}

/* The slope of the lower hull in the middle, between the older and the newer points, becomes the
 * rate of @est. Global for the verifier's sake. Returns 0.
 */
rxaqm_global int rxaqm_clock_est_fit(struct rxaqm_clock_est *est)
{
	__s64 nr, half, best_q32 = 0, best_ns = 1LL << 62;
	__u64 mid_ns;
	__s64 i, j;

	if (!est)
		return 0;
	nr = est->nr_points;
	half = nr / 2;
	mid_ns = RXAQM_EST_POINT(est, half - 1).host_ns;
	mid_ns += (RXAQM_EST_POINT(est, half).host_ns - mid_ns) / 2;
	for (i = 0; i < RXAQM_EST_HALF; i++) {
		for (j = 1; j < RXAQM_EST_POINTS; j++) {
			const struct rxaqm_clock_point *a = &RXAQM_EST_POINT(est, i);
			const struct rxaqm_clock_point *b = &RXAQM_EST_POINT(est, j);
			/* i < half <= j < nr, or the pair is none. */
			__s64 none = rxaqm_sign_mask((half - 1 - i) | (j - half) | (nr - 1 - j));
			__s64 rate_q32 = rxaqm_clock_slope_q32(a, b);
			__s64 at_mid_ns, lower;

			at_mid_ns = (__s64)(a->offset_ns - RXAQM_EST_POINT(est, 0).offset_ns) +
				    rxaqm_scale_q32((__s64)(mid_ns - a->host_ns), rate_q32);
			lower = rxaqm_sign_mask(at_mid_ns - best_ns) & ~none;
			best_ns ^= (best_ns ^ at_mid_ns) & lower;
			best_q32 ^= (best_q32 ^ rate_q32) & lower;
		}
	}
	if (best_q32 > 2 * RXAQM_EST_DRIFT_MAX_Q32)
		best_q32 = 2 * RXAQM_EST_DRIFT_MAX_Q32;
	if (best_q32 < -2 * RXAQM_EST_DRIFT_MAX_Q32)
		best_q32 = -2 * RXAQM_EST_DRIFT_MAX_Q32;
	est->rate_q32 = best_q32;
	est->rate_known = 1;
	return 0;
}

/* How the points of an estimate lie about the line of its rate through the first. */
struct rxaqm_clock_residuals {
	__s64 lowest_ns; /* of all; the line is moved down to it */
	__s64 newest_ns;
	__s64 before_ns; /* of the last but one */
	__u64 spread_ns;
};

/* The line goes through two of the points. What the others lie above it says how much a window's
 * least wait varies, and the fewer they are the less surely.
 */
static inline void rxaqm_clock_est_residuals(const struct rxaqm_clock_est *est,
					     struct rxaqm_clock_residuals *r)
{
	__u32 lacking = (RXAQM_EST_POINTS - est->nr_points) & (RXAQM_EST_POINTS - 1);
	__s64 above_ns = 0, before_ns = 0, lowest_ns = 0, sum_ns = 0;
	__u64 spread_ns;
	__u32 i;

	for (i = 0; i < RXAQM_EST_POINTS; i++) {
		if (i >= est->nr_points)
			break;
		before_ns = above_ns;
		above_ns = rxaqm_clock_above(&RXAQM_EST_POINT(est, i), &RXAQM_EST_POINT(est, 0),
					     est->rate_q32);
		if (above_ns < lowest_ns)
			lowest_ns = above_ns;
		sum_ns += above_ns;
	}
	spread_ns = (__u64)(sum_ns - lowest_ns * (__s64)est->nr_points) / 2;
	if (spread_ns > RXAQM_NSEC_PER_SEC)
		spread_ns = RXAQM_NSEC_PER_SEC;
	if (est->nr_points >= RXAQM_EST_HALF)
		spread_ns <<= lacking;
	else
		spread_ns += RXAQM_EST_ERR_FEW_NS >> (est->nr_points - 1);
	r->lowest_ns = lowest_ns;
	r->newest_ns = above_ns;
	r->before_ns = before_ns;
	r->spread_ns = spread_ns;
}

/* How far the rate may be off. */
static inline __u64 rxaqm_clock_est_drift_err_q32(const struct rxaqm_clock_est *est,
						  const struct rxaqm_clock_residuals *r)
{
	const struct rxaqm_clock_point *first = &RXAQM_EST_POINT(est, 0);
	__u32 newest = est->nr_points - 1;
	const struct rxaqm_clock_point *last = &RXAQM_EST_POINT(est, newest);
	__u64 span_ns = last->host_ns - first->host_ns, gap_ns, rise_ns;
	__u64 drift_err_q32 = RXAQM_EST_DRIFT_MAX_Q32;

	/* The rate errs by about the spread at both ends of the span. */
	if (est->nr_points >= RXAQM_EST_HALF && span_ns && r->spread_ns < (1ULL << 30))
		drift_err_q32 = RXAQM_EST_DRIFT_MIN_Q32 + ((2 * r->spread_ns) << 32) / span_ns;
	else if (est->rate_known)
		drift_err_q32 = 10 * RXAQM_EST_DRIFT_MIN_Q32;
	/* A newest point above the line by more than the one before: the rate changed, or all
	 * packets wait.
	 */
	gap_ns = last->host_ns - RXAQM_EST_POINT(est, newest - 1).host_ns;
	if (est->nr_points > 1 && gap_ns && r->newest_ns > r->before_ns) {
		rise_ns = (__u64)(r->newest_ns - r->before_ns);
		drift_err_q32 += ((rise_ns < (1ULL << 31) ? rise_ns : 1ULL << 31) << 32) / gap_ns;
	}
	if (drift_err_q32 > (__u64)RXAQM_EST_DRIFT_MAX_Q32)
		drift_err_q32 = RXAQM_EST_DRIFT_MAX_Q32;
	return drift_err_q32;
}

/* The mapping that the points of @est give. Needs one point at least. Global for the verifier's
 * sake. Returns 0.
 */
rxaqm_global int rxaqm_clock_est_publish(const struct rxaqm_clock_est *est,
					 struct rxaqm_clock *clock)
{
	const struct rxaqm_clock_point *first, *last;
	struct rxaqm_clock_residuals r;
	__u64 offset_ns, err_ns;
	__s64 span_ns;

	if (!est || !clock)
		return 0;
	first = &RXAQM_EST_POINT(est, 0);
	last = &RXAQM_EST_POINT(est, est->nr_points - 1);
	span_ns = (__s64)(last->host_ns - first->host_ns);
	rxaqm_clock_est_residuals(est, &r);
	clock->drift_err_q32 = rxaqm_clock_est_drift_err_q32(est, &r);
	/* What the newest two are above the line already, the mapping is off by. */
	if (r.before_ns > r.newest_ns)
		r.before_ns = r.newest_ns;
	err_ns = (__u64)(r.before_ns - r.lowest_ns);
	if (err_ns < r.spread_ns)
		err_ns = r.spread_ns;
	/* The lowest of points that no rate was fitted to may be the oldest. */
	if (est->nr_points < RXAQM_EST_HALF)
		err_ns += (__u64)rxaqm_scale_q32(span_ns, (__s64)clock->drift_err_q32);

	offset_ns = first->offset_ns + r.lowest_ns + rxaqm_scale_q32(span_ns, est->rate_q32);
	clock->host_ref_ns = last->host_ns;
	clock->hw_ref_ns = last->host_ns - offset_ns;
	/* A slope per host ns serves per NIC ns: they differ by the drift squared, 4e-8. */
	clock->rate_q32 = est->rate_q32;
	clock->err_ns = err_ns + RXAQM_EST_ERR_MIN_NS;
	clock->expires_ns = last->host_ns + RXAQM_EST_EXPIRY_NS;
	return 0;
}

/* Halve the points, keeping the lower of each pair, and double the window. */
static inline void rxaqm_clock_est_thin(struct rxaqm_clock_est *est)
{
	__u32 i;

	for (i = 0; i < RXAQM_EST_HALF; i++) {
		struct rxaqm_clock_point *a = &RXAQM_EST_POINT(est, 2 * i);
		struct rxaqm_clock_point *b = &RXAQM_EST_POINT(est, 2 * i + 1);

		RXAQM_EST_POINT(est, i) = rxaqm_clock_above(b, a, est->rate_q32) < 0 ? *b : *a;
	}
	est->nr_points = RXAQM_EST_HALF;
	est->window_ns *= 2;
}

/* Drop the oldest point. */
static inline void rxaqm_clock_est_shift(struct rxaqm_clock_est *est)
{
	__u32 i;

	for (i = 0; i + 1 < RXAQM_EST_POINTS; i++)
		RXAQM_EST_POINT(est, i) = RXAQM_EST_POINT(est, i + 1);
	est->nr_points = RXAQM_EST_POINTS - 1;
}

/* Start anew; the rate is kept as a first guess. */
static inline void rxaqm_clock_est_reset(struct rxaqm_clock_est *est)
{
	est->nr_points = 0;
	est->window.nr = 0;
	est->window_ns = RXAQM_EST_WINDOW_MIN_NS;
}

/* May @p follow the points there are? They must be in order of time, and a queue that
 * is seldom heard of may hand over a point from before the newest, or from before a step.
 */
static inline bool rxaqm_clock_est_takes(const struct rxaqm_clock_est *est,
					 const struct rxaqm_clock_point *p)
{
	__u32 newest = est->nr_points - 1;

	if (est->nr_points)
		return rxaqm_ns_after(p->host_ns, RXAQM_EST_POINT(est, newest).host_ns);
	return !est->window.start_ns || rxaqm_ns_after(p->host_ns, est->window.start_ns);
}

/* Hand over a queue's least offset. Returns true, with @clock filled in, if that
 * completed a window. @est is all zero at first.
 */
static inline bool rxaqm_clock_est_add(struct rxaqm_clock_est *est,
				       const struct rxaqm_clock_point *p, __u64 now_ns,
				       struct rxaqm_clock *clock)
{
	__u32 newest = est->nr_points - 1;

	if (!est->window_ns)
		rxaqm_clock_est_reset(est);
	if (!rxaqm_clock_est_takes(est, p))
		return false;
	/* No rate is good enough to compare with points from before a pause of hours. */
	if (est->nr_points &&
	    rxaqm_ns_since(now_ns, RXAQM_EST_POINT(est, newest).host_ns) >= RXAQM_EST_EXPIRY_NS)
		rxaqm_clock_est_reset(est);
	if (!est->window.nr)
		est->window.start_ns = now_ns;
	rxaqm_clock_window_add(&est->window, p, est->rate_q32);
	/* The first point counts at once: better a poor clock than none. */
	if (est->nr_points && rxaqm_ns_since(now_ns, est->window.start_ns) < est->window_ns)
		return false;

	if (est->nr_points >= RXAQM_EST_POINTS) {
		if (est->window_ns < RXAQM_EST_WINDOW_MAX_NS)
			rxaqm_clock_est_thin(est);
		else
			rxaqm_clock_est_shift(est);
	}
	RXAQM_EST_POINT(est, est->nr_points) = est->window.least;
	est->nr_points++;
	est->window.nr = 0;
	/* Fewer points lie on any line, so their spread would say nothing. */
	if (est->nr_points >= RXAQM_EST_HALF)
		rxaqm_clock_est_fit(est);
	rxaqm_clock_est_publish(est, clock);
	return true;
}

/* A clock was stepped: forget all but the rate. @window, of the queue that noticed, is
 * handed over if it holds a point, which must be from after the step, and emptied.
 * Returns true, with @clock filled in, if so; else there is no mapping for now.
 */
static inline bool rxaqm_clock_est_restart(struct rxaqm_clock_est *est,
					   struct rxaqm_clock_window *window, __u64 now_ns,
					   struct rxaqm_clock *clock)
{
	bool published = false;

	rxaqm_clock_est_reset(est);
	est->window.start_ns = 0;
	if (window->nr)
		published = rxaqm_clock_est_add(est, &window->least, now_ns, clock);
	else
		est->window.start_ns = now_ns;
	window->nr = 0;
	return published;
}

#endif /* RXAQM_CLOCK_EST_H */
