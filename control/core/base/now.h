/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Clocks, in ns. All times in the maps are of the kernel's CLOCK_MONOTONIC. A process in a time
 * namespace (time_namespaces(7)) has a CLOCK_MONOTONIC of its own, and its timers go by that.
 */
#pragma once

#include <time.h>

#include "ns.h"

static inline __u64 rxaqm_clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (__u64)ts.tv_sec * RXAQM_NSEC_PER_SEC + (__u64)ts.tv_nsec;
}

/* The kernel's CLOCK_MONOTONIC now, in ns. */
__u64 rxaqm_now_ns(void);

static inline struct timespec rxaqm_timespec(__u64 ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / RXAQM_NSEC_PER_SEC),
				  .tv_nsec = (long)(ns % RXAQM_NSEC_PER_SEC) };
}

/* Convert @at_ns, a time as of rxaqm_now_ns(), for timers of this process. */
__u64 rxaqm_timer_ns(__u64 at_ns);

/* Sleep until rxaqm_now_ns() has reached @at_ns, or a signal comes. */
void rxaqm_sleep_until(__u64 at_ns);

static inline __u64 rxaqm_abs_ns(__s64 ns)
{
	return ns < 0 ? 0 - (__u64)ns : (__u64)ns;
}

/* 1 as a Q32 factor: rates of clocks are such factors. */
#define RXAQM_Q32_ONE 4294967296.0
