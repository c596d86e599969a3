/* SPDX-License-Identifier: GPL-2.0-only */
/* One line that sums up all attachments. */
#pragma once

#include "base/terminal.h"
#include "state/state.h"

/* All zero at first. */
struct rxaqm_overview {
	unsigned int nr_ifaces, nr_queues;
	unsigned int nr_troubled; /* interfaces with trouble; the name of one is in troubled */
	char troubled[RXAQM_IFNAMSIZ];
	unsigned int nr_standing, nr_enforced; /* queues; how many of them are enforced */
	char ifname[RXAQM_IFNAMSIZ]; /* of the queue that stands longest */
	unsigned int queue;
	__u64 sojourn_ns;
	char observed[RXAQM_IFNAMSIZ]; /* the first with a queue that stands and is only observed */
};

/* Add an interface. @troubled: its name, if it is in trouble; else NULL. */
void rxaqm_overview_iface(struct rxaqm_overview *overview, unsigned int nr_queues,
			  const char *troubled);
/* Add one of its queues, which stands. */
void rxaqm_overview_standing(struct rxaqm_overview *overview, const char *ifname,
			     unsigned int queue, __u64 sojourn_ns, bool enforced);

#define RXAQM_OVERVIEW_LEN 200
const char *rxaqm_overview_text(const struct rxaqm_overview *overview,
				char buf[RXAQM_OVERVIEW_LEN]);
enum rxaqm_paint rxaqm_overview_paint(const struct rxaqm_overview *overview);
