/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Sojourn histogram: four buckets per doubling from 1.024 us to 4.3 s, so a
 * bucket is at most a quarter wide. Bucket 0 takes all below, the last all above.
 */
#ifndef RXAQM_HIST_H
#define RXAQM_HIST_H

#include "types.h"

#define RXAQM_HIST_LOW_BITS 10 /* 2^10 ns */
#define RXAQM_HIST_HIGH_BITS 32 /* 2^32 ns */
#define RXAQM_HIST_SUB_BITS 2
#define RXAQM_HIST_BUCKETS \
	(((RXAQM_HIST_HIGH_BITS - RXAQM_HIST_LOW_BITS) << RXAQM_HIST_SUB_BITS) + 2)

/* Position of the highest set bit of @value, which is not 0. No clz in BPF before cpu=v4. */
rxaqm_always_inline __u32 rxaqm_log2(__u64 value)
{
	__u32 bit = 0, step;

	RXAQM_ROLLED
	for (step = 32; step; step >>= 1) {
		if (value >> step) {
			value >>= step;
			bit |= step;
		}
	}
	return bit;
}

/* Bucket of @ns: 0 .. RXAQM_HIST_BUCKETS - 1. */
rxaqm_always_inline __u32 rxaqm_hist_bucket(__u64 ns)
{
	__u32 exp, sub;

	if (ns < (1ULL << RXAQM_HIST_LOW_BITS))
		return 0;
	if (ns >= (1ULL << RXAQM_HIST_HIGH_BITS))
		return RXAQM_HIST_BUCKETS - 1;
	exp = rxaqm_log2(ns);
	sub = (__u32)(ns >> (exp - RXAQM_HIST_SUB_BITS)) & ((1U << RXAQM_HIST_SUB_BITS) - 1);
	return 1 + ((exp - RXAQM_HIST_LOW_BITS) << RXAQM_HIST_SUB_BITS) + sub;
}

/* Least value of @bucket; that of RXAQM_HIST_BUCKETS is taken as the end of the last one. */
static inline __u64 rxaqm_hist_floor_ns(__u32 bucket)
{
	__u32 exp, sub;

	if (!bucket)
		return 0;
	if (bucket >= RXAQM_HIST_BUCKETS)
		return 1ULL << (RXAQM_HIST_HIGH_BITS + 1);
	exp = RXAQM_HIST_LOW_BITS + ((bucket - 1) >> RXAQM_HIST_SUB_BITS);
	sub = (bucket - 1) & ((1U << RXAQM_HIST_SUB_BITS) - 1);
	return (1ULL << exp) + ((__u64)sub << (exp - RXAQM_HIST_SUB_BITS));
}

#endif /* RXAQM_HIST_H */
