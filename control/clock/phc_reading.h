/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From what the PTP ioctls return to a reading in CLOCK_MONOTONIC. Pure.
 *
 * But for PTP_SYS_OFFSET_EXTENDED of Linux 6.12 on, they tell CLOCK_REALTIME, which is
 * stepped (settimeofday, leap seconds) where CLOCK_MONOTONIC is not. Apart from steps their
 * difference is constant: both are slewed alike. So it is read before and after the ioctl,
 * and if it is not the same, the reading is of no use.
 */
#ifndef RXAQM_PHC_READING_H
#define RXAQM_PHC_READING_H

#include "clock/phc_fit.h"

/* The PHC was read between two host times. */
struct rxaqm_phc_window {
	__u64 before_ns;
	__u64 phc_ns;
	__u64 after_ns;
};

/* CLOCK_REALTIME less CLOCK_MONOTONIC, give or take err_ns. */
struct rxaqm_phc_bridge {
	__u64 offset_ns; /* modulo 2^64 */
	__u64 err_ns;
};

/* CLOCK_REALTIME was read between two readings of CLOCK_MONOTONIC. */
struct rxaqm_phc_bridge rxaqm_phc_bridge_make(__u64 before_ns, __u64 realtime_ns, __u64 after_ns);

/* The narrowest of @nr windows as a sample. -EAGAIN if none is in order of time. */
int rxaqm_phc_narrowest(const struct rxaqm_phc_window *window, unsigned int nr,
			struct rxaqm_phc_sample *sample);

/* @sample is in CLOCK_REALTIME; bring it to CLOCK_MONOTONIC by their difference before
 * and after it was taken. -EAGAIN if that was stepped in between.
 */
int rxaqm_phc_to_monotonic(struct rxaqm_phc_sample *sample, const struct rxaqm_phc_bridge *before,
			   const struct rxaqm_phc_bridge *after);

#endif /* RXAQM_PHC_READING_H */
