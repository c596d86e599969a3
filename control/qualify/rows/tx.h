/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames sent, and when the device gave their memory back. */
#ifndef RXAQM_QUALIFY_TX_H
#define RXAQM_QUALIFY_TX_H

#include "qualify/rows/traffic.h"

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
int qualify_completions(struct qualify_run *run, bool loaded, struct qualify_tx *tx,
			struct rxaqm_error *error);

/* As figure @name; @load: in words. Sorts the samples. */
void qualify_put_tx(struct qualify_row *row, const char *name, const char *load,
		    struct qualify_tx *tx);

#endif /* RXAQM_QUALIFY_TX_H */
