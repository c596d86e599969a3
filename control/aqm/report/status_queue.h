/* SPDX-License-Identifier: GPL-2.0-only */
/* An interface while "status" prints it, and its queues. */
#pragma once

#include "attach/sockets.h"
#include "base/out.h"
#include "report/looks.h"
#include "report/status_notes.h"

struct rxaqm_status_view {
	const struct rxaqm_state *state;
	const struct rxaqm_iface *iface;
	const struct rxaqm_looks *before; /* NULL: no earlier look */
	char name[RXAQM_IFNAMSIZ];
	bool here; /* in the namespace entered; then there are */
	struct rxaqm_note_facts facts;
	const char *trouble; /* or NULL */
	bool guarded;
	unsigned int nr_queues_now; /* that the interface has; 0: not known */
	unsigned int nr_queues; /* of these, that are attached: there may be room for more */
	bool asked; /* sockets were read, which happens once one is needed */
	struct rxaqm_sockets sockets;
};

void rxaqm_status_queue_out(struct rxaqm_out *out, struct rxaqm_status_view *view,
			    const struct rxaqm_figures *figures);

/* Print the state of a queue's law: an object "law", or with law=codel "codel". Text has nothing
 * while the law does nothing.
 */
void rxaqm_status_law_out(struct rxaqm_out *out, const struct rxaqm_figures *figures);
