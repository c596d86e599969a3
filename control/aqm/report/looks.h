/* SPDX-License-Identifier: GPL-2.0-only */
/* What happened between two looks: counters are since attach, and say little of now. */
#pragma once

#include "figures/figures.h"
#include "report/arrivals.h"

/* A look at a queue. */
struct rxaqm_look {
	__u64 now_ns;
	__u64 attached_ns; /* a later attachment is not compared; 0: there was no look */
	struct rxaqm_queue queue;
};

/* Keep @figures of a queue of an interface that was attached at @attached_ns. */
void rxaqm_look_keep(struct rxaqm_look *look, __u64 attached_ns,
		     const struct rxaqm_figures *figures);
/* Counter @stat, a second, from @look to @now. */
double rxaqm_look_rate(const struct rxaqm_look *look, const struct rxaqm_figures *now,
		       enum rxaqm_stat stat);

/* A look at all that is attached. */
struct rxaqm_looks {
	struct rxaqm_arrivals iface[RXAQM_MAX_IFACES];
	struct rxaqm_look queue[RXAQM_MAX_QUEUES]; /* large: zero until used */
};

/* Look at @iface. */
void rxaqm_looks_take(struct rxaqm_looks *looks, const struct rxaqm_state *state,
		      const struct rxaqm_iface *iface);
