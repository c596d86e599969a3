/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of a randomised experiment in pairs: in each pair of blocks chance decides which block
 * comes under which policy. So under the hypothesis that policy b does @ratio times what a does,
 * each b - ratio * a could as well have had the other sign, and the p-value is the share of all
 * 2^n choices of signs whose sum is as far from 0: a test that assumes nothing of how values are
 * distributed, nor that pairs are alike (R. A. Fisher, The Design of Experiments, 1935, par. 21).
 *
 * Pure: no clock, no files; the same seed gives the same numbers.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

/* Up to here all choices of signs are gone through; from there on TRIAL_DRAWS are drawn, and the
 * one that happened is counted with them, so that p is never 0 (B. Phipson, G. K. Smyth, Stat Appl
 * Genet Mol Biol 9, 2010, article 39).
 */
#define TRIAL_EXACT_PAIRS 16
#define TRIAL_DRAWS 9999
#define TRIAL_PAIRS_MAX 4096
#define TRIAL_ALPHA 0.05
/* Fewer pairs cannot prove anything at TRIAL_ALPHA: 2 of 2^5 choices of signs are 6 %. */
#define TRIAL_PAIRS_LEAST 6

/* Values of both policies, none below 0; @a[i] and @b[i] are of one pair. */
struct trial_pairs {
	double a[TRIAL_PAIRS_MAX], b[TRIAL_PAIRS_MAX];
	unsigned int nr;
};

/* Next number of a sequence that begins with a seed in *@state, all 64 bits of it at random
 * (splitmix64: G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014).
 */
__u64 trial_random(__u64 *state);

enum trial_side {
	TRIAL_DIFFERS,
	TRIAL_MORE,
	TRIAL_LESS
};

/* The p-value of "b is @ratio times a", against "it is not", "it is more", "it is less". 1 without
 * pairs.
 */
double trial_p(const struct trial_pairs *pairs, double ratio, enum trial_side side, __u64 seed);

struct trial_effect {
	double mean_a, mean_b;
	double ratio; /* of the means; 1 if both are 0, INFINITY if a's is */
	/* Those ratios that the test does not refuse at TRIAL_ALPHA: from 0 to INFINITY where the
	 * pairs are too few.
	 */
	double low, high;
	double p; /* of "no difference" */
	/* That would find a difference of 5 % in four of five trials, at the spread of these; NAN:
	 * cannot be said. By the normal approximation.
	 */
	double pairs_for_5_percent;
};

void trial_effect_of(const struct trial_pairs *pairs, __u64 seed, struct trial_effect *effect);

/* Replace the @nr values @p by those that hold for all of them together, by S. Holm's method
 * (Scand J Statist 6, 1979, 65-70).
 */
void trial_holm(double *p, unsigned int nr);

/*
 * Looks at a trial that goes on: whoever looks often enough sees something. All @looks together are
 * wrong with a probability of at most TRIAL_LOOKS_ALPHA. A look spends what is due to it and to
 * those before that could not have found anything: the uniform spending function of K. K. G. Lan
 * and D. L. DeMets (Biometrika 70, 1983, 659-663), summed by Bonferroni's inequality, for the joint
 * distribution of these tests is not known.
 */
#define TRIAL_LOOKS_ALPHA 0.1

struct trial_looks {
	unsigned int looks; /* there are to be */
	double unspent; /* begins with 0 */
};

/* One look: is b surely more (@side) than @ratio times a, or less? */
bool trial_look(struct trial_looks *looks, const struct trial_pairs *pairs, double ratio,
		enum trial_side side, __u64 seed);
