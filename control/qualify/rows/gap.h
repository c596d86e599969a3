/* SPDX-License-Identifier: GPL-2.0-only */
/* For how long traffic stops when something is changed. */
#ifndef RXAQM_QUALIFY_GAP_H
#define RXAQM_QUALIFY_GAP_H

#include "qualify/rows/traffic.h"

/* Frames are waited for so long. */
#define QUALIFY_AGAIN_S 35

struct qualify_gap {
	double gap_ns; /* the longest between two frames that came, or since the last up to now */
	double error_ns; /* of that: the peer did not send for as long */
	__u64 lost, sent;
	bool again; /* traffic went on */
};

/* Frames, 2000 a second, for @ms; in the middle @change is called. If they do not come again by
 * then, more are sent, for QUALIFY_AGAIN_S at most. -errno of @change, or with @error.
 */
int qualify_gap(struct qualify_run *run, unsigned int ms,
		int (*change)(struct qualify_run *run, void *arg), void *arg,
		struct qualify_gap *gap, struct rxaqm_error *error);

/* gap_ring, gap_channels, gap_stamps: of -G, -L and switching stamps. */
int qualify_put_gaps(struct qualify_run *run, struct qualify_row *row, struct rxaqm_error *error);

#endif /* RXAQM_QUALIFY_GAP_H */
