/* SPDX-License-Identifier: GPL-2.0-only */
/* The largest flows of a queue, as XDP notes them for those who ask (flow_name.h). */
#pragma once

#include "base/out.h"
#include "state/state.h"

#define RXAQM_FLOWS_SHOWN 5
/* Largest age of a note. */
#define RXAQM_FLOWS_AGE_NS (5 * RXAQM_NSEC_PER_SEC)

/* Ask XDP to note flows for @for_ns from now on. @state is writable. */
void rxaqm_flows_ask(struct rxaqm_state *state, __u64 for_ns);

/* Print the largest flows of the queue at @index (@q: a copy of it) as an array "flows"; in text
 * one line each. Prints nothing if nobody has asked lately.
 */
void rxaqm_flows_out(struct rxaqm_out *out, const struct rxaqm_state *state, unsigned int index,
		     const struct rxaqm_queue *q);
