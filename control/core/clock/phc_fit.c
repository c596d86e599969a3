/* SPDX-License-Identifier: GPL-2.0-only */
#include "clock/phc_fit.h"

#include <string.h>

#include "base/now.h"

/* An offset interval (host - PHC), relative to the newest point's offset and time. */
struct interval {
	__s64 before_ns; /* how much older than the newest point */
	__s64 lo_ns, hi_ns;
};

struct line {
	__s64 offset_ns; /* at the newest point, relative to its offset */
	__s64 rate_q32; /* change of the offset per host ns */
};

static __u64 sample_offset(const struct rxaqm_phc_sample *s)
{
	return s->host_ns - s->phc_ns; /* modulo 2^64 */
}

static __u64 clamp(__u64 value, __u64 min, __u64 max)
{
	return value < min ? min : value > max ? max : value;
}

/* @num / @den as Q32, @den > 0. Far beyond any drift only the sign is right. */
static __s64 ratio_q32(__s64 num, __s64 den)
{
	__int128 q = (__int128)num * (1LL << 32) / den;

	return q > (1LL << 40) ? 1LL << 40 : q < -(1LL << 40) ? -(1LL << 40) : (__s64)q;
}

/* Narrow the slopes @min..@max to those of lines through @a and the newer @b. */
static void narrow_rates(const struct interval *a, const struct interval *b, __s64 *min, __s64 *max)
{
	__s64 run_ns = a->before_ns - b->before_ns;
	__s64 least = ratio_q32(b->lo_ns - a->hi_ns, run_ns);
	__s64 most = ratio_q32(b->hi_ns - a->lo_ns, run_ns);

	if (least > *min)
		*min = least;
	if (most < *max)
		*max = most;
}

/* Find a line through the newest @nr intervals; false if there is none. For a given slope,
 * intervals that overlap pairwise have a common point, so the pairs give all possible slopes.
 */
static bool fit_line(const struct interval *v, unsigned int nr, struct line *line)
{
	__s64 min = -RXAQM_PHC_DRIFT_MAX_Q32, max = RXAQM_PHC_DRIFT_MAX_Q32;
	__s64 lo_ns = -(1LL << 62), hi_ns = 1LL << 62;
	unsigned int i, j;

	for (i = 0; i < nr; i++)
		for (j = i + 1; j < nr; j++)
			narrow_rates(&v[i], &v[j], &min, &max);
	if (min > max)
		return false;
	line->rate_q32 = min + (max - min) / 2;
	for (i = 0; i < nr; i++) {
		__s64 rise_ns = rxaqm_scale_q32(v[i].before_ns, line->rate_q32);

		if (v[i].lo_ns + rise_ns > lo_ns)
			lo_ns = v[i].lo_ns + rise_ns;
		if (v[i].hi_ns + rise_ns < hi_ns)
			hi_ns = v[i].hi_ns + rise_ns;
	}
	/* Rounding may leave lo_ns above hi_ns by some ns. */
	line->offset_ns = lo_ns + (hi_ns - lo_ns) / 2;
	return true;
}

/* Smallest error of the points' readings. */
static __u64 best_err_ns(const struct rxaqm_phc_fit *fit)
{
	__u64 best_ns = fit->point[0].err_ns;
	unsigned int i;

	for (i = 1; i < fit->nr_points; i++)
		if (fit->point[i].err_ns < best_ns)
			best_ns = fit->point[i].err_ns;
	return best_ns;
}

static void drop_oldest(struct rxaqm_phc_fit *fit, unsigned int nr)
{
	fit->nr_points -= nr;
	memmove(fit->point, fit->point + nr, fit->nr_points * sizeof(fit->point[0]));
}

/* Fit a line through as many of the newest points as possible; drop the others. */
static void fit_points(struct rxaqm_phc_fit *fit, struct line *line)
{
	const struct rxaqm_phc_sample *newest = &fit->point[fit->nr_points - 1];
	struct interval v[RXAQM_PHC_POINTS];
	unsigned int i;

	for (i = 0; i < fit->nr_points; i++) {
		const struct rxaqm_phc_sample *p = &fit->point[i];
		__s64 before_ns = (__s64)(newest->host_ns - p->host_ns);
		__s64 at_ns = (__s64)(sample_offset(p) - sample_offset(newest));
		__s64 slack_ns = (__s64)p->err_ns;

		slack_ns += rxaqm_scale_q32(before_ns, (__s64)fit->wander_q32);
		v[i].before_ns = before_ns;
		v[i].lo_ns = at_ns - slack_ns;
		v[i].hi_ns = at_ns + slack_ns;
	}
	/* Ends at one point at the latest, which has lines of all slopes. */
	for (i = 0; !fit_line(v + i, fit->nr_points - i, line); i++)
		;
	drop_oldest(fit, i);
}

/* How far the rate may be from @rate_q32, by only two readings: the newest, and the latest one that
 * is far enough before it to give the rate to 2 ppm, or 2 s. This holds whatever happened before
 * them.
 */
static __u64 rate_err(const struct rxaqm_phc_fit *fit, __s64 rate_q32)
{
	const struct rxaqm_phc_sample *b = &fit->point[fit->nr_points - 1], *a = b;
	__u64 apart_ns = b->err_ns * RXAQM_PHC_PAIR_FACTOR;
	__s64 run_ns, rise_ns, noise_ns, slope_q32;

	apart_ns = clamp(apart_ns, RXAQM_PHC_PAIR_MIN_NS, RXAQM_PHC_PAIR_MAX_NS);
	while (a > fit->point && rxaqm_ns_since(b->host_ns, a->host_ns) < apart_ns)
		a--;
	run_ns = (__s64)(b->host_ns - a->host_ns);
	if (!run_ns)
		return RXAQM_PHC_DRIFT_MAX_Q32;
	rise_ns = (__s64)(sample_offset(b) - sample_offset(a));
	noise_ns = (__s64)(a->err_ns + b->err_ns);
	slope_q32 = ratio_q32(rise_ns, run_ns) - rate_q32;
	return rxaqm_abs_ns(slope_q32) + (__u64)ratio_q32(noise_ns, run_ns);
}

/* Make the mapping from the points, and set when to read again. */
static void make_clock(struct rxaqm_phc_fit *fit)
{
	const struct rxaqm_phc_sample *newest;
	struct rxaqm_clock *clock = &fit->clock;
	__u64 drift_err_q32;
	struct line line;

	fit_points(fit, &line);
	newest = &fit->point[fit->nr_points - 1];
	drift_err_q32 = rate_err(fit, line.rate_q32) + fit->wander_q32;
	if (drift_err_q32 > (__u64)RXAQM_PHC_DRIFT_MAX_Q32)
		drift_err_q32 = RXAQM_PHC_DRIFT_MAX_Q32;

	clock->host_ref_ns = newest->host_ns;
	clock->hw_ref_ns = newest->phc_ns - (__u64)line.offset_ns;
	/* Per NIC ns from per host ns: r / (1 - r). */
	clock->rate_q32 = line.rate_q32 + rxaqm_scale_q32(line.rate_q32, line.rate_q32);
	clock->err_ns = newest->err_ns + rxaqm_abs_ns(line.offset_ns);
	clock->drift_err_q32 = drift_err_q32;
	clock->expires_ns = newest->host_ns + RXAQM_PHC_EXPIRY_NS;
	fit->valid = true;

	fit->gap_ns = ((RXAQM_PHC_GROWTH_NS + best_err_ns(fit)) << 32) / drift_err_q32;
	fit->gap_ns = clamp(fit->gap_ns, RXAQM_PHC_GAP_MIN_NS, RXAQM_PHC_GAP_MAX_NS);
}

/* How far @s is from the mapping. @ret_excess_ns: how much more that is than both errors allow. */
static __s64 miss_ns(const struct rxaqm_phc_fit *fit, const struct rxaqm_phc_sample *s,
		     __u64 *ret_excess_ns)
{
	__s64 miss = (__s64)(s->host_ns - rxaqm_clock_to_host(&fit->clock, s->phc_ns));
	__u64 allowed_ns = rxaqm_clock_err(&fit->clock, s->host_ns) + s->err_ns;

	*ret_excess_ns = rxaqm_abs_ns(miss) > allowed_ns ? rxaqm_abs_ns(miss) - allowed_ns : 0;
	return miss;
}

/* Could one clock, of any rate, have given both readings? */
static bool agree(const struct rxaqm_phc_sample *a, const struct rxaqm_phc_sample *b)
{
	__s64 run_ns = (__s64)(b->host_ns - a->host_ns);
	__u64 apart_ns = sample_offset(b) - sample_offset(a);
	__s64 allowed_ns = rxaqm_scale_q32(run_ns, RXAQM_PHC_DRIFT_MAX_Q32);

	allowed_ns += (__s64)(a->err_ns + b->err_ns);
	return (__s64)apart_ns <= allowed_ns && (__s64)apart_ns >= -allowed_ns;
}

/* Expect the rate to change between readings, by more the larger a change was: otherwise each
 * change is a surprise that costs the mapping. Forgotten in some ten readings.
 */
static void learn_wander(struct rxaqm_phc_fit *fit, const struct rxaqm_phc_sample *s, __s64 miss)
{
	const struct rxaqm_phc_sample *last = &fit->point[fit->nr_points - 1];
	__s64 noise_ns = (__s64)(s->err_ns + last->err_ns);
	__s64 run_ns = (__s64)(s->host_ns - last->host_ns), seen_q32;

	fit->wander_q32 -= (fit->wander_q32 - RXAQM_PHC_WANDER_Q32) / 8;
	if (miss < 0)
		miss = -miss;
	if (miss <= noise_ns)
		return;
	seen_q32 = 2 * ratio_q32(miss - noise_ns, run_ns);
	if (seen_q32 > (__s64)fit->wander_q32 && seen_q32 <= RXAQM_PHC_WANDER_MAX_Q32)
		fit->wander_q32 = (__u64)seen_q32;
}

/* The suspects are right: start again from them. */
static void adopt_suspects(struct rxaqm_phc_fit *fit)
{
	fit->resets += fit->nr_points > 0;
	memcpy(fit->point, fit->suspect, sizeof(fit->suspect));
	fit->nr_points = RXAQM_PHC_SUSPECTS;
	fit->nr_suspects = 0;
	fit->late = 0;
	make_clock(fit);
}

/* @s is off the line, or there is no line yet. */
static void add_suspect(struct rxaqm_phc_fit *fit, const struct rxaqm_phc_sample *s)
{
	unsigned int i;

	if (!fit->nr_suspects)
		fit->vindicated = 0;
	fit->valid = false;
	/* The newest suspects count, if they agree with each other. */
	for (i = fit->nr_suspects; i > 0 && agree(&fit->suspect[i - 1], s); i--)
		;
	fit->nr_suspects -= i;
	memmove(fit->suspect, fit->suspect + i, fit->nr_suspects * sizeof(*s));
	fit->suspect[fit->nr_suspects++] = *s;
	if (fit->nr_suspects == RXAQM_PHC_SUSPECTS)
		adopt_suspects(fit);
}

static void add_point(struct rxaqm_phc_fit *fit, const struct rxaqm_phc_sample *s)
{
	if (fit->nr_points == RXAQM_PHC_POINTS)
		drop_oldest(fit, 1);
	fit->point[fit->nr_points++] = *s;
	make_clock(fit);
}

/* Is @s too wide to be worth the bound that it would give? A better one will come soon. If none
 * comes for long, readings have become like that.
 */
static bool is_late(struct rxaqm_phc_fit *fit, const struct rxaqm_phc_sample *s)
{
	if (s->err_ns <= RXAQM_PHC_LATE_FACTOR * best_err_ns(fit)) {
		fit->late = 0;
		return false;
	}
	if (fit->late >= RXAQM_PHC_LATE_MAX)
		return false;
	fit->late++;
	return true;
}

void rxaqm_phc_fit_init(struct rxaqm_phc_fit *fit)
{
	memset(fit, 0, sizeof(*fit));
	fit->gap_ns = RXAQM_PHC_GAP_MIN_NS;
	fit->wander_q32 = RXAQM_PHC_WANDER_Q32;
}

/* The first reading after a pause: older points are too old to continue from. */
static void resume(struct rxaqm_phc_fit *fit, const struct rxaqm_phc_sample *s)
{
	__u64 excess_ns;

	miss_ns(fit, s, &excess_ns);
	if (excess_ns || rxaqm_ns_since(s->host_ns, fit->clock.host_ref_ns) > RXAQM_CLOCK_SPAN_NS)
		fit->resets++;
	fit->nr_points = 0;
	fit->nr_suspects = 0;
	add_suspect(fit, s);
}

/* @s is on the line and not on that of the suspects. True if this settles it. */
static bool vindicate(struct rxaqm_phc_fit *fit)
{
	if (++fit->vindicated < RXAQM_PHC_VINDICATED)
		return false;
	fit->outliers += fit->nr_suspects;
	fit->nr_suspects = 0;
	fit->valid = true;
	return true;
}

/* Does @s, @miss off the line, support the suspects? A reading too wide to be off the line does so,
 * too, if it is nearer to them.
 */
static bool is_suspect(const struct rxaqm_phc_fit *fit, __s64 miss, __u64 excess_ns)
{
	__s64 theirs, apart;
	__u64 unused;

	if (excess_ns || !fit->nr_suspects)
		return excess_ns > 0;
	theirs = miss_ns(fit, &fit->suspect[fit->nr_suspects - 1], &unused);
	apart = (__s64)((__u64)miss - (__u64)theirs);
	return rxaqm_abs_ns(apart) < rxaqm_abs_ns(miss);
}

void rxaqm_phc_fit_add(struct rxaqm_phc_fit *fit, const struct rxaqm_phc_sample *sample)
{
	struct rxaqm_phc_sample s = *sample;
	__u64 excess_ns;
	__s64 miss;

	fit->gap_ns = RXAQM_PHC_GAP_MIN_NS;
	if (s.err_ns > RXAQM_PHC_ERR_MAX_NS ||
	    (fit->newest_ns && !rxaqm_ns_after(s.host_ns, fit->newest_ns)))
		return;
	fit->newest_ns = s.host_ns;
	s.err_ns += RXAQM_PHC_ERR_MIN_NS;
	if (!fit->nr_points) {
		add_suspect(fit, &s);
		return;
	}
	if (rxaqm_ns_reached(s.host_ns, fit->clock.expires_ns)) {
		resume(fit, &s);
		return;
	}
	miss = miss_ns(fit, &s, &excess_ns);
	if (!fit->nr_suspects)
		learn_wander(fit, &s, miss);
	if (!excess_ns && is_late(fit, &s))
		return;
	if (is_suspect(fit, miss, excess_ns))
		add_suspect(fit, &s);
	else if (!fit->nr_suspects || vindicate(fit))
		add_point(fit, &s);
}
