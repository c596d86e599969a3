/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of a randomised experiment in pairs: chance decides which block of a pair has which
 * policy. If policy b does @ratio times what a does, each b - ratio * a could as well have the
 * other sign. The p-value is the share of all 2^n choices of signs whose sum is at least as far
 * from 0. The test does not assume any distribution of the values, nor that pairs are alike (R. A.
 * Fisher, The Design of Experiments, 1935, par. 21).
 *
 * Pure functions: no clock, no files; the same seed gives the same numbers.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

/* Up to this many pairs all choices of signs are tried. For more, TRIAL_DRAWS choices are drawn,
 * and the one that happened is added, so that p is never 0 (B. Phipson, G. K. Smyth, Stat Appl
 * Genet Mol Biol 9, 2010, article 39).
 */
#define TRIAL_EXACT_PAIRS 16
#define TRIAL_DRAWS 9999
#define TRIAL_PAIRS_MAX 4096
#define TRIAL_ALPHA 0.05

/* Values under both policies, none below 0; @a[i] and @b[i] are one pair. */
struct trial_pairs {
	double a[TRIAL_PAIRS_MAX], b[TRIAL_PAIRS_MAX];
	unsigned int nr;
};

/* The next random 64 bits. *@state begins as the seed (splitmix64: G. L. Steele, D. Lea, C. H.
 * Flood, OOPSLA 2014).
 */
__u64 trial_random(__u64 *state);

enum trial_side {
	TRIAL_DIFFERS,
	TRIAL_MORE,
	TRIAL_LESS
};

/* The p-value of "b is @ratio times a" against "it is not", "it is more" or "it is less"; 1 if
 * there are no pairs.
 */
double trial_p(const struct trial_pairs *pairs, double ratio, enum trial_side side, __u64 seed);

struct trial_effect {
	double mean_a, mean_b;
	double ratio; /* of the means; 1 if both are 0, INFINITY if only a's is */
	/* The ratios that the test does not refuse at TRIAL_ALPHA; 0 to INFINITY if there are too
	 * few pairs.
	 */
	double low, high;
	double p; /* of "no difference" */
	/* How many pairs would show a difference of 5 % in four of five trials, if they vary as
	 * these do; by the normal approximation. NAN: unknown.
	 */
	double pairs_for_5_percent;
};

void trial_effect_of(const struct trial_pairs *pairs, __u64 seed, struct trial_effect *effect);

/* Fewer pairs cannot prove anything at TRIAL_ALPHA if @tests are corrected for: of the 2^n choices
 * of signs 2 are as far from 0 as can be. For example, 6 pairs for one test, 8 for four.
 */
unsigned int trial_pairs_least(unsigned int tests);

/* Correct the @nr p-values @p for testing all of them, by S. Holm's method (Scand J Statist 6,
 * 1979, 65-70).
 */
void trial_holm(double *p, unsigned int nr);

/*
 * Tests during a trial: who tests often enough finds something by chance. All @looks together are
 * wrong with a probability of at most TRIAL_LOOKS_ALPHA. A look may spend its own part of that, and
 * the parts of earlier looks with too few pairs to find anything: the uniform spending function of
 * K. K. G. Lan and D. L. DeMets (Biometrika 70, 1983, 659-663). The parts are added by Bonferroni's
 * inequality, because the joint distribution of these tests is not known.
 */
#define TRIAL_LOOKS_ALPHA 0.1

struct trial_looks {
	unsigned int looks; /* planned */
	double unspent; /* 0 at the begin */
};

/* One look: is b surely more than @ratio times a (or less, by @side)? */
bool trial_look(struct trial_looks *looks, const struct trial_pairs *pairs, double ratio,
		enum trial_side side, __u64 seed);
