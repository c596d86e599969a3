/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading the PTP hardware clock (PHC) of a NIC against CLOCK_MONOTONIC. */
#ifndef RXAQM_PHC_H
#define RXAQM_PHC_H

#include "clock_map.h"
#include "base/log.h"
#include "clock/phc_fit.h"

/* Readings an ioctl takes, of which the narrowest counts. */
#define RXAQM_PHC_READINGS 5

struct rxaqm_phc {
	int fd; /* -1: closed */
	int index; /* of /dev/ptp */
	enum rxaqm_phc_method method; /* the one that worked; NONE: not tried yet */
	unsigned int nr_readings; /* fewer where the device refuses as many */
};

#define RXAQM_PHC_CLOSED { .fd = -1, .index = -1 }

/* "precise", "extended", ...; never NULL. */
const char *rxaqm_phc_method_name(__u32 method);

/* Find the PHC of @ifname, in the network namespace entered, and take a first reading to see
 * which method works. 0, or -errno with @error: -ENODEV if there is no such interface,
 * -ENOENT no PHC, -EACCES no permission, -EOPNOTSUPP if the driver refuses to be read.
 */
int rxaqm_phc_open(struct rxaqm_phc *phc, const char *ifname, struct rxaqm_error *error);

/* Read it once. -EAGAIN: spoilt by a step of CLOCK_REALTIME or a busy device; try again at
 * the next reading. Otherwise -errno with @error: it is gone.
 */
int rxaqm_phc_read(struct rxaqm_phc *phc, struct rxaqm_phc_sample *sample,
		   struct rxaqm_error *error);

void rxaqm_phc_close(struct rxaqm_phc *phc);

/* Write the mapping of @fit to @entry of clock_phc_map, or withdraw what is there. */
void rxaqm_phc_publish(const struct rxaqm_phc_fit *fit, struct rxaqm_clock_phc *entry);

#endif /* RXAQM_PHC_H */
