/* SPDX-License-Identifier: GPL-2.0-only */
/* The contents of "status" as JSON, and that JSON as text, whether from the maps or from the
 * daemon.
 */
#pragma once

#include "base/out.h"
#include "report/looks.h"

struct json_object;

/* Add one interface, an object, to an array. @out is JSON. @before: an earlier look, from which on
 * rates are told, too; NULL: there was none.
 */
void rxaqm_status_add(struct rxaqm_out *out, const struct rxaqm_state *state,
		      const struct rxaqm_iface *iface, const struct rxaqm_looks *before);

/* Print the state of a queue's law: an object "law", or with law=codel "codel". */
void rxaqm_status_law_add(struct rxaqm_out *out, const struct rxaqm_figures *figures);
/* Print it as a line for @queue; nothing while the law does nothing. */
void rxaqm_status_law_print(struct rxaqm_out *out, struct json_object *queue);

/* Print @status, a document of "interfaces", as text: one line that sums it up comes first. Idle
 * queues, to which no packet came lately, are only counted, unless @all.
 */
void rxaqm_status_print(struct rxaqm_out *out, struct json_object *status, bool all);
