/* SPDX-License-Identifier: GPL-2.0-only */
/* Times of Tx completions. */
#pragma once

#include "qualify/rows/row.h"

struct qualify_tx {
	struct qualify_samples ns, polls; /* duration of each; polls that ended during it */
	bool pended; /* some frame was still in the device when send() returned */
	double lost; /* share lost of what the peer sent meanwhile */
};

/* Let all CPUs send by the Tx queue that belongs to the Rx queue in use (XPS). */
void qualify_tx_queue(struct qualify_run *run);

/* Time one frame after the other: while the peer sends if @loaded, else 200 of them. */
int qualify_completions(struct qualify_run *run, bool loaded, struct qualify_tx *tx);

/* Put @tx as figure @name; @load says how busy. Sorts the samples. */
void qualify_put_tx(struct qualify_row *row, const char *name, const char *load,
		    struct qualify_tx *tx);
