/* SPDX-License-Identifier: GPL-2.0-only */
/* What several rows are made of: rings, pauses, frames sent. */
#ifndef RXAQM_QUALIFY_PARTS_H
#define RXAQM_QUALIFY_PARTS_H

#include "qualify/rows/traffic.h"

/* Frames, more than the ring holds. */
__u32 qualify_overflowing(const struct qualify_run *run);

/* ring_entries, if they are known. */
void qualify_put_entries(const struct qualify_run *run, struct qualify_row *row);

/* drain_xsk: the rate of an overrun ring to an AF_XDP socket. -errno with @error. */
int qualify_put_drain_xsk(struct qualify_run *run, struct qualify_row *row, __u32 count);

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
		struct qualify_gap *gap);

/* gap_ring, gap_channels, gap_stamps: of -G, -L and switching stamps. */
int qualify_put_gaps(struct qualify_run *run, struct qualify_row *row);

/* Entries of a ring to tell a poll, of 64, from all that stands. */
#define QUALIFY_RING_WANTED 512U

struct qualify_tx {
	struct qualify_samples ns, polls; /* how long each took; polls that ended meanwhile */
	bool pended; /* a frame was ever still the device's when send() returned */
	double lost; /* of what the peer sent meanwhile, a share */
};

/* All CPUs send by the Tx queue that belongs to the Rx queue in use (XPS). */
void qualify_tx_queue(struct qualify_run *run);

/* A frame at a time: for as long as the peer sends if @loaded, else 200. */
int qualify_completions(struct qualify_run *run, bool loaded, struct qualify_tx *tx);

/* As figure @name; @load: in words. Sorts the samples. */
void qualify_put_tx(struct qualify_row *row, const char *name, const char *load,
		    struct qualify_tx *tx);

#endif /* RXAQM_QUALIFY_PARTS_H */
