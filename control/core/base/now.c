/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "base/now.h"

#include <sys/stat.h>

#include "base/each.h"

/* By how much CLOCK_MONOTONIC of this process is ahead of the kernel's. */
static __u64 ahead_ns;

/* A process does not change its time namespace while it runs. */
__attribute__((constructor)) static void read_ahead(void)
{
	struct stat own, next;
	char line[128];
	long long s;
	long ns;

	rxaqm_each_line(line, "/proc/self/timens_offsets") {
		if (sscanf(line, "monotonic %lld %ld", &s, &ns) == 2)
			ahead_ns = (__u64)s * RXAQM_NSEC_PER_SEC + (__u64)ns;
	}
	/* The file holds the offsets of children. Before Linux 6.2 exec() alone does not apply them
	 * to this process.
	 */
	if (stat("/proc/self/ns/time", &own) || stat("/proc/self/ns/time_for_children", &next) ||
	    own.st_ino != next.st_ino)
		ahead_ns = 0;
}

__u64 rxaqm_now_ns(void)
{
	return rxaqm_clock_ns(CLOCK_MONOTONIC) - ahead_ns;
}

__u64 rxaqm_timer_ns(__u64 at_ns)
{
	return at_ns + ahead_ns;
}

void rxaqm_sleep_until(__u64 at_ns)
{
	const struct timespec at = rxaqm_timespec(rxaqm_timer_ns(at_ns));

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}
