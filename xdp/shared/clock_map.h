/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contract of clock_est_map: the NIC clock of each interface, as estimated from its
 * packets. Array of RXAQM_MAX_IFACES, written by rx_stamp.bpf.c and by XDP in
 * generic mode, in the NAPI context of any of the interface's queues, under try-lock.
 * Read by the same and by control. Control clears an entry before use.
 *
 * The published mapping is double-buffered: clock[published & 1]. A writer fills the
 * other one and then raises published, 33 ms apart at least, so a reader that takes
 * the copy within that time never sees half of one. published 0: none yet.
 */
#ifndef RXAQM_CLOCK_MAP_H
#define RXAQM_CLOCK_MAP_H

#include "clock_est.h"

struct rxaqm_clock_entry {
	__u32 published;
	__u32 lock; /* 1: a CPU is at est */
	struct rxaqm_clock clock[2];
	struct rxaqm_clock_est est;
	__u32 resets;
	__u32 pad[7];
};
RXAQM_ASSERT_SIZE(struct rxaqm_clock_entry, 320);

#endif /* RXAQM_CLOCK_MAP_H */
