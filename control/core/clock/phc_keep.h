/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keep the PHC of a NIC over what may reset it: some drivers set their clock to the system's time,
 * and its rate to nominal, whenever an XDP program comes or goes. Whoever has set it to TAI, for
 * example ptp4l, is then 37 s off and is not told.
 *
 * So rxaqm reads the clock before and after, against CLOCK_MONOTONIC, and adds what it has lost. If
 * a command is killed in between, the clock stays as the driver set it.
 */
#pragma once

#include <net/if.h>
#include <stdbool.h>

#include "clock/phc.h"

/* Least time between the two readings before, so that they give the clock's rate. */
#define RXAQM_PHC_KEEP_SPAN_NS (50 * RXAQM_NSEC_PER_MSEC)

struct rxaqm_phc_keep {
	struct rxaqm_phc phc;
	char ifname[IF_NAMESIZE];
	__u64 began_ns; /* CLOCK_MONOTONIC */
	bool armed;
	struct rxaqm_phc_sample before[2]; /* the first when it began, the second when armed */
	int adjust_fd; /* for setting the clock; -errno if it cannot be set */
	long freq; /* the rate that was set, as clock_adjtime() has it */
	struct rxaqm_error why; /* why it cannot be read; "": it can, or there is no clock */
};

/* Read the clock of @ifname, in the network namespace entered, for the first time. @ifname NULL: no
 * clock.
 */
void rxaqm_phc_keep_begin(struct rxaqm_phc_keep *keep, const char *ifname);

/* Read the clock for the last time before a step that may reset it. Call this before each such
 * step: only the first call counts. Takes RXAQM_PHC_KEEP_SPAN_NS at most.
 */
void rxaqm_phc_keep_arm(struct rxaqm_phc_keep *keep);

/* After the last such step: add to the clock what it has lost. Adds a line to @error that says so,
 * or that the clock could not be read although its driver @resets it.
 */
void rxaqm_phc_keep_end(struct rxaqm_phc_keep *keep, bool resets, struct rxaqm_error *error);

/*
 * Pure.
 */

/* What a clock lacks, within err_ns; negative if it is ahead. */
struct rxaqm_phc_lost {
	__s64 ns;
	__u64 err_ns;
};

/* What the clock lacks at @after, compared with going on as the two readings @before say. Its rate
 * is theirs, within RXAQM_PHC_DRIFT_MAX_Q32 of nominal unless they contradict that.
 */
struct rxaqm_phc_lost rxaqm_phc_lost_since(const struct rxaqm_phc_sample before[2],
					   const struct rxaqm_phc_sample *after);

/* Is @lost due to the driver? If not, someone else has set the clock. @phc_ns: what the clock
 * shows. A driver starts a clock at the system's time, @realtime_ns, or at 0, or loses only a
 * little.
 */
bool rxaqm_phc_was_reset(const struct rxaqm_phc_lost *lost, __u64 phc_ns, __u64 realtime_ns);
