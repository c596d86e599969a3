/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract of burn_map: what a packet costs on the receiving end of the rig. Array
 * of one. rigctl writes cost_ns and match and reads the rest; the program at tc
 * ingress reads them and counts. All zero: every packet, at no cost.
 */
#ifndef RIG_BURN_H
#define RIG_BURN_H

#include <linux/types.h>

enum rig_burn_match { /* packets that cost */
	RIG_BURN_ALL,
	RIG_BURN_DATA, /* TCP or UDP with payload */
	RIG_BURN_TCP, /* TCP with payload */
	RIG_BURN_UDP,
};

#define RIG_BURN_COST_MAX_NS 10000000U

struct rig_burn {
	__u32 cost_ns; /* up to RIG_BURN_COST_MAX_NS */
	__u32 match; /* enum rig_burn_match */
	__u64 packets; /* that cost; inexact when several CPUs burn at once */
};

#endif /* RIG_BURN_H */
