/* SPDX-License-Identifier: GPL-2.0-only */
/* What status says of the law of a queue. */
#ifndef RXAQM_STATUS_LAW_H
#define RXAQM_STATUS_LAW_H

#include "base/out.h"
#include "attach/state.h"

/* The fields of one queue: law=auto, an object "law"; law=codel, an object "codel". Nothing in text
 * while it does nothing.
 */
void rxaqm_status_law_out(struct rxaqm_out *out, const struct rxaqm_iface *iface,
			  const struct rxaqm_queue *q, __u64 now_ns);

#endif /* RXAQM_STATUS_LAW_H */
