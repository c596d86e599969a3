/* SPDX-License-Identifier: GPL-2.0-only */
/* A table with a row for every counter of loss, refusal, retry or error in a snapshot, and with the
 * findings that explain it. Collectors keep what it knows, checks sum up their rows, and a counter
 * that rises without a finding is printed as not explained.
 */
#pragma once

#include "doctor/snapshot/get.h"

enum doctor_loss_in {
	DOCTOR_IN_COUNTERS, /* doctor_sample.counters; "Udp." also matches Udp6 */
	DOCTOR_IN_STATS, /* doctor_iface.stats */
	DOCTOR_IN_ETHTOOL, /* doctor_iface.ethtool */
};

struct doctor_loss {
	enum doctor_loss_in in;
	/* Names with "|" between. Of ethtool each is a list of words that the driver's name must
	 * contain.
	 */
	const char *name;
	const char *what; /* what it counts; NULL: nothing that slows or loses */
	/* Ids with a blank between: the findings that explain it. The first one sums it up; "-":
	 * none does.
	 */
	const char *by;
	unsigned int permille; /* the least share of the packets there that matters */
	unsigned int per_s; /* and the least rate; 0: one */
	const char *drivers; /* only of these (a blank between); NULL: all */
};

/* The row of the counter @name; a name that only reads like a loss has one, too. NULL: no loss. */
const struct doctor_loss *doctor_loss_of(enum doctor_loss_in in, const char *name,
					 const char *driver);

/* Does the check @id sum up @row (may be NULL)? */
bool doctor_loss_sums_up(const struct doctor_loss *row, const char *id);

/* How many packets pass where the protocol counter @name is counted; 0: not known. */
__u64 doctor_passes(const struct doctor_snapshot *snap, const char *name);
/* How much the protocol counters rose that the check @id sums up, and how much passed there (0: not
 * known). False: none of them is known.
 */
bool doctor_rise_of(const struct doctor_snapshot *snap, const char *id, __u64 *ret_sum,
		    __u64 *ret_passed);
/* The least loss on an interface that the check @id sums up. Drivers and the kernel count one loss
 * under several names: by queue, by function, by port and as a sum of these (ice: rx_dropped,
 * rx_dropped.nic and the kernel's rx_missed_errors; igb puts its MAC's into rx_missed_errors and
 * rx_fifo_errors; bnxt_en: rx_total_discard_pkts and rx_total_ring_discards; mlx5:
 * tx_pause_ctrl_phy and tx_global_pause). So add up the queues of each name, and take the largest
 * sum. @ret_name: the counter that rose most; may be NULL.
 */
__u64 doctor_loss_by(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		     const char *id, const char **ret_name);

/* Call @each for every counter that rose at least as much as its row says. */
struct doctor_risen {
	const struct doctor_loss *loss;
	const char *name; /* of the counter */
	const struct doctor_iface *iface; /* NULL: a counter of the host */
	__u64 rise;
};
void doctor_each_risen(const struct doctor_snapshot *snap,
		       void (*each)(void *arg, const struct doctor_risen *risen), void *arg);
