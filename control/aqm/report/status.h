/* SPDX-License-Identifier: GPL-2.0-only */
/* What "status" tells, as JSON, and that as text: of what it has taken itself, or the daemon. */
#pragma once

#include "base/out.h"
#include "figures/figures.h"

struct json_object;

/* Add one interface, an object, to an array. @out is JSON. */
void rxaqm_status_add(struct rxaqm_out *out, const struct rxaqm_state *state,
		      const struct rxaqm_iface *iface);

/* What the law of a queue has come to: an object "law", or with law=codel "codel". */
void rxaqm_status_law_add(struct rxaqm_out *out, const struct rxaqm_figures *figures);
/* A line of that of @queue; none while it does nothing. */
void rxaqm_status_law_print(struct rxaqm_out *out, struct json_object *queue);

/* Print @status, a document of "interfaces", as text: a line of verdict first. Of queues that no
 * packet has come to lately, only with @all more than how many these are.
 */
void rxaqm_status_print(struct rxaqm_out *out, struct json_object *status, bool all);
