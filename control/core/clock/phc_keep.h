/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeping the PHC of a NIC over what may reset it: some drivers set their clock to the system's
 * time, and its rate to nominal, whenever an XDP program comes or goes. Whoever has set it to TAI,
 * ptp4l say, is then 37 s off and is told nothing.
 *
 * So the clock is read before and after, against CLOCK_MONOTONIC, and what it has lost is given
 * back. A command that is killed in between leaves it as the driver did.
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
	struct rxaqm_error why; /* it cannot be read; "" also where there is no clock to read */
};

/* Take a first look at the clock of @ifname, in the network namespace entered; NULL: at none. */
void rxaqm_phc_keep_begin(struct rxaqm_phc_keep *keep, const char *ifname);

/* The device may be reset from now on: take the last look before. To be called again before each
 * step that may do that, of which only the first counts. Takes RXAQM_PHC_KEEP_SPAN_NS at most.
 */
void rxaqm_phc_keep_arm(struct rxaqm_phc_keep *keep);

/* It has been, or not: set right what the clock has lost, and tell of that in @error, in a line of
 * its own, and also that it could not be looked at although its driver @resets it.
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

/* What the clock lacks at @after of what the two readings @before made of it. Its rate is what
 * these tell, within RXAQM_PHC_DRIFT_MAX_Q32 of nominal unless they contradict that.
 */
struct rxaqm_phc_lost rxaqm_phc_lost_since(const struct rxaqm_phc_sample before[2],
					   const struct rxaqm_phc_sample *after);

/* Was it the driver that made the clock lose @lost, or has someone else set it meanwhile? Drivers
 * start clocks at the system's time, @realtime_ns, or at 0, or lose but little.
 */
bool rxaqm_phc_was_reset(const struct rxaqm_phc_lost *lost, __u64 phc_ns, __u64 realtime_ns);
