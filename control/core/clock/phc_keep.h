/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeping the PHC of a NIC over what may reset it: some drivers set their clock to the system's
 * time, and its rate to nominal, whenever an XDP program comes or goes. Whoever has set it to TAI,
 * ptp4l say, is then 37 s off and is told nothing.
 *
 * So rxaqm reads the clock before and after, against CLOCK_MONOTONIC, and adds what it has lost. A
 * command that is killed in between leaves the clock as the driver set it.
 */
#pragma once

#include <net/if.h>
#include <stdbool.h>

#include "clock/phc.h"

/* Readings before are at least so far apart, so that they tell the clock's rate. */
#define RXAQM_PHC_KEEP_SPAN_NS (50 * RXAQM_NSEC_PER_MSEC)

struct rxaqm_phc_keep {
	struct rxaqm_phc phc;
	char ifname[IF_NAMESIZE];
	__u64 began_ns; /* CLOCK_MONOTONIC */
	bool armed;
	struct rxaqm_phc_sample before[2]; /* the first when it began, the second when armed */
	int adjust_fd; /* that the clock can be set by; -errno if it cannot */
	long freq; /* what the rate was set to, as clock_adjtime() has it */
	struct rxaqm_error why; /* why it cannot be read; "": it can, or there is no clock */
};

/* Read the clock of @ifname, in the network namespace entered, for the first time. NULL: none. */
void rxaqm_phc_keep_begin(struct rxaqm_phc_keep *keep, const char *ifname);

/* Read the clock for the last time before a step that may reset it. To be called before each such
 * step: only the first call counts. Takes RXAQM_PHC_KEEP_SPAN_NS at most.
 */
void rxaqm_phc_keep_arm(struct rxaqm_phc_keep *keep);

/* After the last such step: add to the clock what it has lost. A line of @error tells of that, or
 * that the clock could not be read although its driver @resets it.
 */
void rxaqm_phc_keep_end(struct rxaqm_phc_keep *keep, bool resets, struct rxaqm_error *error);

/*
 * Pure.
 */

/* What a clock lacks, negative if it is ahead, give or take err_ns. */
struct rxaqm_phc_lost {
	__s64 ns;
	__u64 err_ns;
};

/* What the clock lacks at @after, if it had gone on as the two readings @before say. Its rate is
 * theirs, within RXAQM_PHC_DRIFT_MAX_Q32 of nominal unless they contradict that.
 */
struct rxaqm_phc_lost rxaqm_phc_lost_since(const struct rxaqm_phc_sample before[2],
					   const struct rxaqm_phc_sample *after);

/* Has the driver made the clock, which shows @phc_ns, lose @lost? If not, someone else has set it.
 * A driver starts a clock at the system's time, @realtime_ns, or at 0, or loses only a little.
 */
bool rxaqm_phc_was_reset(const struct rxaqm_phc_lost *lost, __u64 phc_ns, __u64 realtime_ns);
