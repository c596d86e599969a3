/* SPDX-License-Identifier: GPL-2.0-only */
#include "trial/stats.h"

#include <math.h>

__u64 trial_random(__u64 *state)
{
	__u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* A choice of signs counts if its sum is as far from 0, or as high, as what happened. */
struct signs {
	double value[TRIAL_PAIRS_MAX];
	unsigned int nr;
	double least;
	bool two_sided;
};

static bool is_as_far(const struct signs *signs, double sum)
{
	return (signs->two_sided ? fabs(sum) : sum) >= signs->least;
}

/* Go through all choices in the order of a Gray code, which changes one sign at a time. */
static double share_of_all(struct signs *signs, double sum)
{
	__u32 tries = 1U << signs->nr, hits = is_as_far(signs, sum), i;

	for (i = 1; i < tries; i++) {
		double *flipped = &signs->value[__builtin_ctz(i)];

		sum -= 2 * *flipped;
		*flipped = -*flipped;
		hits += is_as_far(signs, sum);
	}
	return (double)hits / tries;
}

static double share_of_drawn(const struct signs *signs, __u64 seed)
{
	unsigned int hits = 1, draw, i;
	__u64 bits = 0;

	for (draw = 0; draw < TRIAL_DRAWS; draw++) {
		double sum = 0;

		for (i = 0; i < signs->nr; i++, bits >>= 1) {
			if (!(i % 64))
				bits = trial_random(&seed);
			sum += bits & 1 ? signs->value[i] : -signs->value[i];
		}
		hits += is_as_far(signs, sum);
	}
	return hits / (TRIAL_DRAWS + 1.0);
}

double trial_p(const struct trial_pairs *pairs, double ratio, enum trial_side side, __u64 seed)
{
	struct signs signs = { .nr = pairs->nr, .two_sided = side == TRIAL_DIFFERS };
	double sum = 0, size = 0;
	unsigned int i;

	for (i = 0; i < pairs->nr; i++) {
		signs.value[i] = pairs->b[i] - ratio * pairs->a[i];
		if (side == TRIAL_LESS)
			signs.value[i] = -signs.value[i];
		sum += signs.value[i];
		size += fabs(signs.value[i]);
	}
	if (size <= 0)
		return 1;
	/* Allow for rounding errors. */
	signs.least = (signs.two_sided ? fabs(sum) : sum) - 1e-9 * size;
	return pairs->nr <= TRIAL_EXACT_PAIRS ? share_of_all(&signs, sum) :
						share_of_drawn(&signs, seed);
}

#define HALVINGS 40

/* Bisect between the ratios @refused and @kept for the edge where the test begins to refuse. */
static double edge(const struct trial_pairs *pairs, double refused, double kept, __u64 seed)
{
	unsigned int i;

	for (i = 0; i < HALVINGS && fabs(kept - refused) > 1e-4 * kept; i++) {
		double middle = (refused + kept) / 2;

		if (trial_p(pairs, middle, TRIAL_DIFFERS, seed) > TRIAL_ALPHA)
			kept = middle;
		else
			refused = middle;
	}
	return kept;
}

static void invert(const struct trial_pairs *pairs, __u64 seed, struct trial_effect *effect)
{
	double far = effect->ratio > 0 ? effect->ratio : 1e-3;
	unsigned int i;

	effect->low = 0;
	effect->high = INFINITY;
	if (effect->mean_a <= 0)
		return;
	if (trial_p(pairs, 0, TRIAL_DIFFERS, seed) <= TRIAL_ALPHA)
		effect->low = edge(pairs, 0, effect->ratio, seed);
	for (i = 0; i < HALVINGS; i++) {
		far *= 2;
		if (trial_p(pairs, far, TRIAL_DIFFERS, seed) > TRIAL_ALPHA)
			continue;
		effect->high = edge(pairs, far, effect->ratio, seed);
		return;
	}
}

/* Of a normal distribution 5 % lie beyond Z_ALPHA, on either side, and 80 % below Z_POWER. */
#define Z_ALPHA 1.960
#define Z_POWER 0.842

static double pairs_needed(const struct trial_pairs *pairs, const struct trial_effect *effect)
{
	double squares = 0, part;
	unsigned int i;

	if (pairs->nr < 2 || effect->mean_a <= 0 || !isfinite(effect->ratio))
		return NAN;
	for (i = 0; i < pairs->nr; i++) {
		part = (pairs->b[i] - effect->ratio * pairs->a[i]) / effect->mean_a;
		squares += part * part;
	}
	part = (Z_ALPHA + Z_POWER) / 0.05;
	return fmax(trial_pairs_least(1), ceil(part * part * squares / (pairs->nr - 1)));
}

void trial_effect_of(const struct trial_pairs *pairs, __u64 seed, struct trial_effect *effect)
{
	unsigned int i;

	*effect = (struct trial_effect){};
	for (i = 0; i < pairs->nr; i++) {
		effect->mean_a += pairs->a[i] / pairs->nr;
		effect->mean_b += pairs->b[i] / pairs->nr;
	}
	effect->ratio = effect->mean_a > 0 ? effect->mean_b / effect->mean_a :
			effect->mean_b > 0 ? INFINITY :
					     1;
	effect->p = trial_p(pairs, 1, TRIAL_DIFFERS, seed);
	invert(pairs, seed, effect);
	effect->pairs_for_5_percent = pairs_needed(pairs, effect);
}

unsigned int trial_pairs_least(unsigned int tests)
{
	unsigned int pairs = 1;

	while (ldexp(2, -(int)pairs) * tests > TRIAL_ALPHA)
		pairs++;
	return pairs;
}

void trial_holm(double *p, unsigned int nr)
{
	bool done[nr + 1];
	unsigned int left, i, least;
	double floor = 0;

	for (i = 0; i < nr; i++)
		done[i] = false;
	for (left = nr; left; left--) {
		least = nr;
		for (i = 0; i < nr; i++)
			if (!done[i] && (least == nr || p[i] < p[least]))
				least = i;
		floor = p[least] = fmin(1, fmax(floor, p[least] * left));
		done[least] = true;
	}
}

bool trial_look(struct trial_looks *looks, const struct trial_pairs *pairs, double ratio,
		enum trial_side side, __u64 seed)
{
	double level;

	looks->unspent += TRIAL_LOOKS_ALPHA / looks->looks;
	/* The least p-value that so few pairs can have. */
	if (looks->unspent < fmax(ldexp(1, -(int)pairs->nr), 1.0 / (TRIAL_DRAWS + 1)))
		return false;
	level = looks->unspent;
	looks->unspent = 0;
	return trial_p(pairs, ratio, side, seed) <= level;
}
