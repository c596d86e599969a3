/* SPDX-License-Identifier: GPL-2.0-only */
/* Pauses of traffic while something changes. */
#pragma once

#include "qualify/rows/row.h"

/* How long to wait for frames to come again. */
#define QUALIFY_AGAIN_S 35

struct qualify_gap {
	double gap_ns; /* longest between two frames that came, or from the last until now */
	double error_ns; /* of gap_ns: the peer did not send for that long */
	__u64 lost, sent;
	bool again; /* frames came again */
};

/* Send 2000 frames a second for @ms, and call @change in between. If they have not come again by
 * then, send more, for at most QUALIFY_AGAIN_S. -errno of @change, or with @error.
 */
int qualify_gap(struct qualify_run *run, unsigned int ms,
		int (*change)(struct qualify_run *run, void *arg), void *arg,
		struct qualify_gap *gap);

/* Put gap_ring, gap_channels and gap_stamps: for -G, -L and for switching stamps. */
int qualify_put_gaps(struct qualify_run *run, struct qualify_row *row);
