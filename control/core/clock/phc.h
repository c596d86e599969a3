/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading the PTP hardware clock (PHC) of a NIC against CLOCK_MONOTONIC. */
#pragma once

#include "clock_map.h"
#include "base/log.h"
#include "clock/phc_fit.h"

/* Readings that an ioctl takes; the narrowest counts. */
#define RXAQM_PHC_READINGS 5

struct rxaqm_phc {
	int fd; /* -1: closed */
	int index; /* of /dev/ptp */
	enum rxaqm_phc_method method; /* the one that worked; NONE: not tried yet */
	unsigned int nr_readings; /* fewer if the device refuses that many */
};

#define RXAQM_PHC_CLOSED { .fd = -1, .index = -1 }

/* "precise", "extended", ...; never NULL. */
const char *rxaqm_phc_method_name(__u32 method);

/* Find the PHC of @ifname, in the network namespace entered, and take a first reading to see
 * which method works. 0, or -errno with @error: -ENODEV if there is no such interface,
 * -ENOENT no PHC, -EACCES no permission, -EOPNOTSUPP if the driver refuses to be read.
 */
int rxaqm_phc_open(struct rxaqm_phc *phc, const char *ifname, struct rxaqm_error *error);

/* Read the PHC once. -EAGAIN: spoilt by a step of CLOCK_REALTIME or a busy device; try again at the
 * next reading. Otherwise -errno with @error: the PHC is gone.
 */
int rxaqm_phc_read(struct rxaqm_phc *phc, struct rxaqm_phc_sample *sample,
		   struct rxaqm_error *error);

void rxaqm_phc_close(struct rxaqm_phc *phc);

/*
 * From what the PTP ioctls return to a reading in CLOCK_MONOTONIC. Pure.
 *
 * All of them give CLOCK_REALTIME, except PTP_SYS_OFFSET_EXTENDED from Linux 6.12 on.
 * CLOCK_REALTIME is stepped (settimeofday, leap seconds), CLOCK_MONOTONIC is not. Apart from steps
 * their difference is constant: both are slewed alike. So the difference is read before and after
 * the ioctl; if it has changed, the reading is of no use.
 */

/* The PHC was read between two host times. */
struct rxaqm_phc_window {
	__u64 before_ns;
	__u64 phc_ns;
	__u64 after_ns;
};

/* CLOCK_REALTIME minus CLOCK_MONOTONIC, within err_ns. */
struct rxaqm_phc_bridge {
	__u64 offset_ns; /* modulo 2^64 */
	__u64 err_ns;
};

/* CLOCK_REALTIME was read between two readings of CLOCK_MONOTONIC. */
struct rxaqm_phc_bridge rxaqm_phc_bridge_make(__u64 before_ns, __u64 realtime_ns, __u64 after_ns);

/* The narrowest of @nr windows as a sample. -EAGAIN if none is in order of time. */
int rxaqm_phc_narrowest(const struct rxaqm_phc_window *window, unsigned int nr,
			struct rxaqm_phc_sample *sample);

/* @sample is in CLOCK_REALTIME; convert it to CLOCK_MONOTONIC by their difference before and after
 * it. -EAGAIN if CLOCK_REALTIME was stepped meanwhile.
 */
int rxaqm_phc_to_monotonic(struct rxaqm_phc_sample *sample, const struct rxaqm_phc_bridge *before,
			   const struct rxaqm_phc_bridge *after);

/* Write the mapping of @fit to @entry of clock_phc_map, or withdraw the one there if @fit has none.
 */
void rxaqm_phc_publish(const struct rxaqm_phc_fit *fit, struct rxaqm_clock_phc *entry);
