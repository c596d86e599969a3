/* SPDX-License-Identifier: GPL-2.0-only */
/* The contents of "status", which the daemon writes to files, too. */
#pragma once

#include "report/overview.h"
#include "report/status_queue.h"

/* Ask the kernel all that is to be said of @iface. @before: an earlier look, from which on rates
 * are told, too; NULL: there was none.
 */
void rxaqm_status_look(struct rxaqm_status_view *view, const struct rxaqm_state *state,
		       const struct rxaqm_iface *iface, const struct rxaqm_looks *before);

/* Print it, and its queues. Text has those first that stand, and without @all only counts those to
 * which no packet came lately. What it says is added to @overview, unless that is NULL: the line
 * that comes first in text.
 */
void rxaqm_status_out(struct rxaqm_out *out, struct rxaqm_status_view *view, bool all,
		      struct rxaqm_overview *overview);

/* Print the next step, if there is one, which comes last. */
void rxaqm_status_next(struct rxaqm_out *out, const struct rxaqm_overview *overview);
