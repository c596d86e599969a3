/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks, in ns; CLOCK_MONOTONIC is the time of everything in the maps. */
#ifndef RXAQM_NOW_H
#define RXAQM_NOW_H

#include <time.h>

#include "ns.h"

static inline __u64 rxaqm_clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (__u64)ts.tv_sec * RXAQM_NSEC_PER_SEC + (__u64)ts.tv_nsec;
}

/* CLOCK_MONOTONIC now, in ns. */
static inline __u64 rxaqm_now_ns(void)
{
	return rxaqm_clock_ns(CLOCK_MONOTONIC);
}

static inline struct timespec rxaqm_timespec(__u64 ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / RXAQM_NSEC_PER_SEC),
				  .tv_nsec = (long)(ns % RXAQM_NSEC_PER_SEC) };
}

/* Q32 factors, as the rates of clocks are, in parts of this. */
#define RXAQM_Q32_ONE 4294967296.0

#endif /* RXAQM_NOW_H */
