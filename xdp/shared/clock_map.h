/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The NIC clock of each interface, by two sources. Two maps, since each has one writer;
 * both are arrays of RXAQM_MAX_IFACES, and control clears their entries before use.
 *
 * Contract of clock_est_map: as estimated from packets. Written by rx_stamp.bpf.c and by
 * XDP in generic mode, in the NAPI context of any of the interface's queues, under
 * try-lock. Read by the same and by control.
 *
 * Contract of clock_phc_map: as read from the NIC's PTP hardware clock. Written by the
 * daemon. Read by BPF, which prefers it while it is valid, and by control.
 *
 * A published mapping is double-buffered: clock[published & 1]. A writer fills the other
 * one and then raises published, 33 ms apart at least, so a reader that takes the copy
 * within that time never sees half of one. A reader looks at published again, so that one that
 * was held up for longer knows. published 0: none.
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
	__u32 phc_resets; /* those of clock_phc_map that est has followed */
	__u64 phc_refused_until_ns; /* stamps contradicted the PHC: not used before */
	__u32 phc_refusals; /* how often they did */
	__u32 last; /* what published was last, if it is 0 now */
	__u32 epoch; /* raised whenever a mapping is given up: what went before is of no use */
	__u32 pad;
};
RXAQM_ASSERT_SIZE(struct rxaqm_clock_entry, 320);

/* A PHC that stamps contradict, though its readings show no step, is not what the NIC stamps
 * with. It gets another chance after this, or after its next step.
 */
#define RXAQM_PHC_REFUSED_NS (60 * RXAQM_NSEC_PER_SEC)

/* How the PHC is read: PTP_SYS_OFFSET_PRECISE, PTP_SYS_OFFSET_EXTENDED in either clock, or
 * PTP_SYS_OFFSET. The best first.
 */
enum rxaqm_phc_method {
	RXAQM_PHC_NONE,
	RXAQM_PHC_PRECISE,
	RXAQM_PHC_EXTENDED_MONOTONIC,
	RXAQM_PHC_EXTENDED,
	RXAQM_PHC_OFFSET,
};

struct rxaqm_clock_phc {
	__u32 published;
	__u32 last; /* what published was last, if it is 0 now */
	struct rxaqm_clock clock[2];
	__u32 resets; /* the clock was stepped or its rate changed; raised before published */
	__u32 outliers; /* readings that contradicted all others */
	__u32 points; /* readings that the mapping rests on */
	__u32 method; /* enum rxaqm_phc_method */
	__u32 index; /* of /dev/ptp */
	__u32 pad;
};
RXAQM_ASSERT_SIZE(struct rxaqm_clock_phc, 128);

#endif /* RXAQM_CLOCK_MAP_H */
