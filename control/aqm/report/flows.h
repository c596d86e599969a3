/* SPDX-License-Identifier: GPL-2.0-only */
/* Who pays: the largest flows of a queue, as XDP has noted them for those who ask (flow_name.h). */
#pragma once

#include "base/out.h"
#include "state/state.h"

#define RXAQM_FLOWS_SHOWN 5
/* How old a note may be. */
#define RXAQM_FLOWS_AGE_NS (5 * RXAQM_NSEC_PER_SEC)

/* Ask for them, for @for_ns from now on. @state is writable. */
void rxaqm_flows_ask(struct rxaqm_state *state, __u64 for_ns);

/* The largest flows of the queue at @index, @q a copy of it, as an array "flows"; in text a line
 * each. Nothing if nobody has asked of late.
 */
void rxaqm_flows_out(struct rxaqm_out *out, const struct rxaqm_state *state, unsigned int index,
		     const struct rxaqm_queue *q);
