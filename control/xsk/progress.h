/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How long packets wait in a ring, computed from its two indices alone: for drivers that leave no
 * room for metadata, and for consumers that do not read it. Each look notes the time and the
 * producer index. A packet has waited at least since the first look that saw it, so the figure is
 * too low by at most one interval between looks.
 */
#pragma once

#include "types.h"

#define RXAQM_PROGRESS_LOOKS 1024 /* a power of two; older ones are forgotten */

struct rxaqm_progress {
	__u32 first, end; /* the looks in use: at [first..end), modulo their number */
	struct {
		__u64 ns;
		__u32 producer;
	} look[RXAQM_PROGRESS_LOOKS];
};

/* Note that at @now_ns the producer had put @producer packets into the ring since the begin. */
static inline void rxaqm_progress_look(struct rxaqm_progress *p, __u64 now_ns, __u32 producer)
{
	if (p->first != p->end && p->look[(p->end - 1) % RXAQM_PROGRESS_LOOKS].producer == producer)
		return;
	if (p->end - p->first == RXAQM_PROGRESS_LOOKS)
		p->first++;
	p->look[p->end % RXAQM_PROGRESS_LOOKS].ns = now_ns;
	p->look[p->end % RXAQM_PROGRESS_LOOKS].producer = producer;
	p->end++;
}

/* The wait of the newest packet taken, when at @now_ns the consumer has taken @consumer packets. */
static inline __u64 rxaqm_progress_wait_ns(struct rxaqm_progress *p, __u64 now_ns, __u32 consumer)
{
	__u64 seen_ns;

	while (p->first != p->end &&
	       (__s32)(p->look[p->first % RXAQM_PROGRESS_LOOKS].producer - consumer) < 0)
		p->first++;
	if (p->first == p->end)
		return 0;
	seen_ns = p->look[p->first % RXAQM_PROGRESS_LOOKS].ns;
	return now_ns > seen_ns ? now_ns - seen_ns : 0;
}
