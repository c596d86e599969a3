// SPDX-License-Identifier: GPL-2.0-only
/* Log-linear histograms of delays: exact below 16 ns, then 16 buckets an octave. */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "simnic.h"

static u32 bucket_of(u64 ns)
{
	u32 bit, sub;

	if (ns < SIMNIC_HIST_SUB)
		return ns;
	ns = min_t(u64, ns, (1ULL << (SIMNIC_HIST_TOP_BIT + 1)) - 1);
	bit = fls64(ns) - 1;
	sub = (ns >> (bit - SIMNIC_HIST_SUB_BITS)) & (SIMNIC_HIST_SUB - 1);
	return (bit - SIMNIC_HIST_SUB_BITS + 1) * SIMNIC_HIST_SUB + sub;
}

/* Lowest value that falls into @bucket; that of the next bucket is its exclusive upper end. */
u64 simnic_hist_low(u32 bucket)
{
	u32 octave = bucket / SIMNIC_HIST_SUB;
	u64 sub = bucket % SIMNIC_HIST_SUB;

	if (!octave)
		return sub;
	return (SIMNIC_HIST_SUB + sub) << (octave - 1);
}

void simnic_hist_add(struct simnic_hist *h, u64 ns)
{
	u64 *count = &h->count[bucket_of(ns)];

	WRITE_ONCE(*count, *count + 1);
	if (ns > READ_ONCE(h->max_ns))
		WRITE_ONCE(h->max_ns, ns);
}

void simnic_hist_reset(struct simnic_hist *h)
{
	u32 i;

	for (i = 0; i < SIMNIC_HIST_BUCKETS; i++)
		WRITE_ONCE(h->base[i], READ_ONCE(h->count[i]));
	WRITE_ONCE(h->max_ns, 0);
}

u64 simnic_hist_count(const struct simnic_hist *h, u32 bucket)
{
	/* The baseline first: it is at most what the count is when read after it. */
	u64 base = READ_ONCE(h->base[bucket]);

	return READ_ONCE(h->count[bucket]) - base;
}

static u64 bucket_sum(const struct simnic_hist *const *h, u32 nr, u32 bucket)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		sum += simnic_hist_count(h[i], bucket);
	return sum;
}

/* Of @nr histograms together. A quantile is the middle of the bucket it falls into. */
void simnic_hist_quantiles(const struct simnic_hist *const *h, u32 nr, struct simnic_quantiles *out)
{
	u64 seen = 0, rank50, rank99;
	u32 i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < SIMNIC_HIST_BUCKETS; i++)
		out->count += bucket_sum(h, nr, i);
	for (i = 0; i < nr; i++)
		out->max_ns = max(out->max_ns, READ_ONCE(h[i]->max_ns));
	if (!out->count)
		return;
	rank50 = DIV_ROUND_UP_ULL(out->count, 2);
	rank99 = out->count - div_u64(out->count, 100);
	for (i = 0; i < SIMNIC_HIST_BUCKETS && seen < rank99; i++) {
		u64 n = bucket_sum(h, nr, i);
		u64 mid = (simnic_hist_low(i) + simnic_hist_low(i + 1) - 1) / 2;

		if (seen < rank50 && seen + n >= rank50)
			out->p50_ns = min(mid, out->max_ns);
		if (seen + n >= rank99)
			out->p99_ns = min(mid, out->max_ns);
		seen += n;
	}
}
