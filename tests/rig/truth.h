/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract of truth_map: the sojourns that the rig knows to be true, since it made the
 * NIC clock itself, and the pauses of the CPU behind the queue. Array of one. Written by
 * the program behind the queue, on one CPU at a time; read by truth.
 */
#ifndef RIG_TRUTH_H
#define RIG_TRUTH_H

#include <linux/types.h>

#define RIG_TRUTH_SUB_BITS 5 /* 32 buckets per doubling: 3 % wide */
#define RIG_TRUTH_BITS 34 /* up to 17 s */
#define RIG_TRUTH_BUCKETS (RIG_TRUTH_BITS << RIG_TRUTH_SUB_BITS)

/*
 * No packet left the queue for that long, and the next one had been in it all the time. A full
 * ring that is emptied by drops, which are not seen, takes less.
 */
#define RIG_PAUSE_MIN_NS 1000000
#define RIG_PAUSES 1024 /* power of two */

struct rig_pause {
	__u64 begin_ns;
	__u64 end_ns;
};

struct rig_truth {
	__u64 packets;
	__u64 unstamped;
	__u64 last_ns; /* when a packet was last seen */
	__u64 pauses; /* so far, the last RIG_PAUSES of them in pause[] */
	struct rig_pause pause[RIG_PAUSES];
	__u64 bucket[RIG_TRUTH_BUCKETS];
};

#endif /* RIG_TRUTH_H */
