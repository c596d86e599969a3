/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract of truth_map: the sojourns that the rig knows to be true, since it made the
 * NIC clock itself. Array of one. Written by the program behind the queue, on one CPU
 * at a time; read and cleared by truth.
 */
#ifndef RIG_TRUTH_H
#define RIG_TRUTH_H

#include <linux/types.h>

#define RIG_TRUTH_SUB_BITS 5 /* 32 buckets per doubling: 3 % wide */
#define RIG_TRUTH_BITS 34 /* up to 17 s */
#define RIG_TRUTH_BUCKETS (RIG_TRUTH_BITS << RIG_TRUTH_SUB_BITS)

struct rig_truth {
	__u64 packets;
	__u64 unstamped;
	__u64 bucket[RIG_TRUTH_BUCKETS];
};

#endif /* RIG_TRUTH_H */
