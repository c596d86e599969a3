/* SPDX-License-Identifier: GPL-2.0-only */
/* One line of verdict about all that is attached. */
#pragma once

#include "base/terminal.h"
#include "state/state.h"

/* All zero at first. */
struct rxaqm_overview {
	unsigned int nr_ifaces, nr_queues;
	unsigned int nr_troubled; /* interfaces with trouble, of which one is */
	char troubled[RXAQM_IFNAMSIZ];
	unsigned int nr_standing, nr_enforced; /* queues; how many of these are enforced */
	char ifname[RXAQM_IFNAMSIZ]; /* of the one that stands longest */
	unsigned int queue;
	__u64 sojourn_ns;
};

/* Take an interface into account. @troubled: its name, if it is in trouble; else NULL. */
void rxaqm_overview_iface(struct rxaqm_overview *overview, unsigned int nr_queues,
			  const char *troubled);
/* And one of its queues, which stands. */
void rxaqm_overview_standing(struct rxaqm_overview *overview, const char *ifname,
			     unsigned int queue, __u64 sojourn_ns, bool enforced);

#define RXAQM_OVERVIEW_LEN 200
const char *rxaqm_overview_text(const struct rxaqm_overview *overview,
				char buf[RXAQM_OVERVIEW_LEN]);
enum rxaqm_paint rxaqm_overview_paint(const struct rxaqm_overview *overview);
