/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The phc clock source: from readings of a NIC's PTP hardware clock to a mapping with an
 * error bound that holds. Pure: no system calls, the time comes with the readings.
 *
 * A reading says that the PHC was read at some instant between two host times. So it does not give
 * an offset (host - PHC) but an interval that the offset was in, and however late the bus or the
 * kernel was, the true one is inside: a late reading is a wide interval, not a wrong one. A line
 * that goes through all of the last readings' intervals is a mapping, and the slopes of all such
 * lines bound the drift. Both clocks are adjusted now and then (ptp4l, chrony, temperature), so
 * older intervals count as wider by what the rate may have wandered since, and the oldest are
 * dropped until a line fits.
 *
 * Three rules make the bound hold:
 * - It covers all of the newest reading's interval, whatever older readings say. So a step
 *   too small to be told from the width of a reading is inside the bound.
 * - A reading that misses the published mapping by more than both errors withdraws it.
 *   Three readings that agree with each other then make a new one, and two that
 *   agree with the old one restore that: the odd reading was wrong.
 * - The next reading is due before the bound has grown much.
 *
 * No sampling can see a step before the next reading: until then, at most RXAQM_PHC_GAP_MAX_NS, the
 * mapping is off by it. The checks of stamps (sample.h) guard against that.
 */
#pragma once

#include "clock.h"

#define RXAQM_PHC_POINTS 8
#define RXAQM_PHC_SUSPECTS 3 /* readings that agree make a new mapping */
#define RXAQM_PHC_VINDICATED 2 /* readings that agree with the old one restore it */
/* 16 a second: with 5 readings each below the 125 a second that ena allows. */
#define RXAQM_PHC_GAP_MIN_NS (RXAQM_NSEC_PER_SEC / 16)
#define RXAQM_PHC_GAP_MAX_NS RXAQM_NSEC_PER_SEC
/* Two readings about so many times their error apart give the rate, within these limits. */
#define RXAQM_PHC_PAIR_FACTOR 1000000
#define RXAQM_PHC_PAIR_MIN_NS (RXAQM_NSEC_PER_SEC / 2)
#define RXAQM_PHC_PAIR_MAX_NS (2 * RXAQM_NSEC_PER_SEC)
/* The bound may grow by this, and by the error of a reading, until the next one. */
#define RXAQM_PHC_GROWTH_NS 800
/* A PHC off by 100 ppm, slewed by as much, against a host slewed by 500 (adjtimex). */
#define RXAQM_PHC_DRIFT_MAX_Q32 RXAQM_PPM_Q32(1000)
/* Change of rate between a reading and the last of the window: 0.5 ppm. */
#define RXAQM_PHC_WANDER_Q32 (RXAQM_PPM_Q32(1) / 2)
#define RXAQM_PHC_WANDER_MAX_Q32 RXAQM_PPM_Q32(20) /* more is an event of its own */
/* Error that a reading's window does not show: the PHC's tick, asymmetry of latches. */
#define RXAQM_PHC_ERR_MIN_NS 100
/* A reading wider than this is of no use; one so many times wider than the best is late. */
#define RXAQM_PHC_ERR_MAX_NS (100 * RXAQM_NSEC_PER_MSEC)
#define RXAQM_PHC_LATE_FACTOR 4
#define RXAQM_PHC_LATE_MAX 16 /* in a row, in a second; then this is how readings are now */
#define RXAQM_PHC_EXPIRY_NS (10 * RXAQM_NSEC_PER_SEC)

/* The PHC showed phc_ns at host_ns (CLOCK_MONOTONIC), within err_ns. */
struct rxaqm_phc_sample {
	__u64 host_ns;
	__u64 phc_ns;
	__u64 err_ns;
};

struct rxaqm_phc_fit {
	struct rxaqm_phc_sample point[RXAQM_PHC_POINTS]; /* oldest first, on one line */
	struct rxaqm_phc_sample suspect[RXAQM_PHC_SUSPECTS]; /* off that line, oldest first */
	unsigned int nr_points;
	unsigned int nr_suspects;
	unsigned int vindicated; /* readings since the first suspect that are on the line */
	unsigned int late; /* readings discarded in a row, since they were late */
	__u64 newest_ns; /* host time of the newest reading; 0: none yet */
	struct rxaqm_clock clock; /* the mapping, if valid is set */
	bool valid;
	__u64 gap_ns; /* from this reading to the next */
	__u64 wander_q32; /* change of rate to expect, from past readings */
	__u32 resets; /* mappings started again: a clock was stepped, or its rate changed */
	__u32 outliers; /* readings that contradicted all others */
};

void rxaqm_phc_fit_init(struct rxaqm_phc_fit *fit);

/* Add a reading. Afterwards fit->clock is the mapping to publish if fit->valid is set; else the
 * published one must be withdrawn. fit->gap_ns says when to read again.
 */
void rxaqm_phc_fit_add(struct rxaqm_phc_fit *fit, const struct rxaqm_phc_sample *sample);
