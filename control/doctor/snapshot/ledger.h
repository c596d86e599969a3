/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger: every counter of loss, refusal, retry or error that a snapshot may hold is a row,
 * with the findings that explain it. Collectors keep what is in it, rules sum up what is theirs,
 * and what rises and nothing explains is printed as that.
 */
#pragma once

#include "doctor/snapshot/get.h"

enum doctor_loss_in {
	DOCTOR_IN_COUNTERS, /* doctor_sample.counters; a name "Udp." is that of Udp6, too */
	DOCTOR_IN_STATS, /* doctor_iface.stats */
	DOCTOR_IN_ETHTOOL, /* doctor_iface.ethtool */
};

struct doctor_loss {
	enum doctor_loss_in in;
	/* Names with "|" between; of ethtool each is of words that the driver's name has all of. */
	const char *name;
	const char *what; /* it counts; NULL: nothing that slows or loses */
	/* Ids, one blank between: the findings that explain it, first the one that sums it up, or
	 * "-".
	 */
	const char *by;
	unsigned int permille; /* of what passes there, from which on it matters */
	unsigned int per_s; /* and as many a second; 0: one */
	const char *drivers; /* of these only, one blank between; NULL: all */
};

/* The row of the counter @name, also of one that is only named like a loss; NULL: it is none. */
const struct doctor_loss *doctor_loss_of(enum doctor_loss_in in, const char *name,
					 const char *driver);

/* How much the counters rose that the check @id sums up: those of the protocols. False: none of
 * them is known.
 */
bool doctor_rise_of(const struct doctor_snapshot *snap, const char *id, __u64 *ret_sum);
/* The same of an interface, at least. Drivers and the kernel count one loss under several names: by
 * queue, by function, by port and as a sum of these (ice: rx_dropped, rx_dropped.nic and the
 * kernel's rx_missed_errors; igb puts its MAC's into rx_missed_errors and rx_fifo_errors; bnxt_en:
 * rx_total_discard_pkts and rx_total_ring_discards; mlx5: tx_pause_ctrl_phy and tx_global_pause).
 * So the sum of each name's queues is one, and the largest is it. @ret_name: of the counter that
 * rose most; NULL: do not tell.
 */
__u64 doctor_loss_by(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		     const char *id, const char **ret_name);

/* Call @each for every counter that rose as much as its row says. */
struct doctor_risen {
	const struct doctor_loss *loss;
	const char *name; /* of the counter */
	const struct doctor_iface *iface; /* NULL: of the host */
	__u64 rise;
};
void doctor_each_risen(const struct doctor_snapshot *snap,
		       void (*each)(void *arg, const struct doctor_risen *risen), void *arg);
