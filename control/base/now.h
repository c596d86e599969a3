/* SPDX-License-Identifier: GPL-2.0-only */
/* The time of everything in the maps. */
#ifndef RXAQM_NOW_H
#define RXAQM_NOW_H

#include <time.h>

#include "ns.h"

/* CLOCK_MONOTONIC now, in ns. */
static inline __u64 rxaqm_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__u64)ts.tv_sec * RXAQM_NSEC_PER_SEC + (__u64)ts.tv_nsec;
}

/* Q32 factors, as the rates of clocks are, in parts of this. */
#define RXAQM_Q32_ONE 4294967296.0

#endif /* RXAQM_NOW_H */
