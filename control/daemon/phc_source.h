/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The phc clock source of one interface: read its PHC, fit, publish to clock_phc_map. For
 * a loop that calls rxaqm_phc_source_run() when src->next_ns has come.
 */
#ifndef RXAQM_PHC_SOURCE_H
#define RXAQM_PHC_SOURCE_H

#include "clock/phc.h"

struct rxaqm_phc_source {
	struct rxaqm_phc phc;
	struct rxaqm_phc_fit fit;
	__u64 next_ns; /* CLOCK_MONOTONIC: when to run next */
	__u32 resets_before; /* of the entry, from sources before this one */
	__u32 outliers_before;
};

#define RXAQM_PHC_SOURCE_CLOSED { .phc = RXAQM_PHC_CLOSED }

/* Open the PHC of @ifname, in the network namespace entered; @entry is the interface's in
 * clock_phc_map. Errors: those of rxaqm_phc_open().
 */
int rxaqm_phc_source_open(struct rxaqm_phc_source *src, struct rxaqm_clock_phc *entry,
			  const char *ifname, struct rxaqm_error *error);

/* Read once and publish or withdraw. On failure with @error the PHC is gone: the mapping is
 * withdrawn, and the source is to be closed.
 */
int rxaqm_phc_source_run(struct rxaqm_phc_source *src, struct rxaqm_clock_phc *entry,
			 struct rxaqm_error *error);

/* Withdraw the mapping and close. @entry NULL: it is no longer this source's to write. */
void rxaqm_phc_source_close(struct rxaqm_phc_source *src, struct rxaqm_clock_phc *entry);

/* What run() does with a reading. For tests. */
void rxaqm_phc_publish(const struct rxaqm_phc_fit *fit, struct rxaqm_clock_phc *entry);

#endif /* RXAQM_PHC_SOURCE_H */
