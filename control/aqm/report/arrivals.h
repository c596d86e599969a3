/* SPDX-License-Identifier: GPL-2.0-only */
/* Do packets that an interface receives reach its XDP program? Some drivers lose the program, which
 * the interface then still has: virtio_net over a suspend, virtnet_restore_up() in 6.12.
 */
#pragma once

#include "state/state.h"

/* A look at an interface. All zero: none yet. */
struct rxaqm_arrivals {
	__u64 now_ns;
	__u64 attached_ns; /* a later attachment is not compared */
	__u64 received; /* packets, as its driver counts; 0: unknown, or not all are to be seen */
	__u64 seen; /* packets, by its program, those of the poll that goes on included */
	__u64 seen_ns; /* when the last poll ended; before the first one, when it was attached */
};

/* Look at @iface, called @here in the network namespace entered; NULL: it is elsewhere. */
void rxaqm_arrivals_take(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			 const char *here, struct rxaqm_arrivals *now);

/* Packets received between two looks, if the program must have lost them: there are 100 or more,
 * and it saw none of them; else 0.
 */
__u64 rxaqm_arrivals_unseen(const struct rxaqm_arrivals *before, const struct rxaqm_arrivals *now);
