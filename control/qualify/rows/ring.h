/* SPDX-License-Identifier: GPL-2.0-only */
/* What an Rx ring holds. */
#ifndef RXAQM_QUALIFY_RING_H
#define RXAQM_QUALIFY_RING_H

#include "qualify/rows/traffic.h"

/* Frames, more than the ring holds. */
__u32 qualify_overflowing(const struct qualify_run *run);

/* ring_entries, if they are known. */
void qualify_put_entries(const struct qualify_run *run, struct qualify_row *row);

/* drain_xsk: the rate of an overrun ring to an AF_XDP socket. -errno with @error. */
int qualify_put_drain_xsk(struct qualify_run *run, struct qualify_row *row, __u32 count,
			  struct rxaqm_error *error);

#endif /* RXAQM_QUALIFY_RING_H */
