/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the probes of "rxaqm doctor --deep" count (kprobes/doctor_*.bpf.c) and
 * control/doctor/deep/ reads when their time is over. The programs write, nobody else does. Values
 * are not exact to the last event: what two CPUs count at once may be lost.
 */
#ifndef RXAQM_DOCTOR_REC_H
#define RXAQM_DOCTOR_REC_H

#include "types.h"

#define RXAQM_DOCTOR_ENTRIES 4096 /* of each map; what does not fit is not counted */

/* A NAPI, by the address of its struct, which is shown to nobody. */
struct rxaqm_doctor_napi {
	__u64 polls, busy; /* busy: used the whole budget */
	__u64 packets; /* the work that polls told */
	__u64 poll_ns; /* within polls */
	__u64 wait_ns; /* from the end of a busy poll to the beginning of the next one */
	__u64 longest_poll_ns, longest_wait_ns;
	__u64 busy_end_ns; /* end of the last poll, if it was busy; else 0 */
	__u32 ifindex; /* 0: the backlog of a CPU; ~0: of another network namespace */
	__u32 id; /* of netdev netlink; 0: none */
	__u32 cpu; /* of the last poll */
	__u32 pad;
};

/* Where a frame comes or goes: the key of the maps below. */
struct rxaqm_doctor_queue {
	__u32 ifindex;
	__u32 queue; /* ~0: not known */
};

#define RXAQM_DOCTOR_SIZES 18 /* log2, up to 128 KiB */

/* Frames with TCP data, on their way to the driver. */
struct rxaqm_doctor_frames {
	__u64 frames, bytes, segments;
	__u64 size[RXAQM_DOCTOR_SIZES]; /* [i]: of 2^i .. 2^(i+1)-1 bytes */
};

/* Where and why packets were dropped: a key; the value is how many. */
struct rxaqm_doctor_drop {
	__u64 location; /* an address in the kernel's code */
	__u32 reason; /* enum skb_drop_reason of the running kernel */
	__u32 has_device; /* and so the network namespace was known */
};

#define RXAQM_DOCTOR_WAITS 36 /* log2 of ns, up to 69 s */

/* Waits of the softirq that receives, of a CPU. */
struct rxaqm_doctor_late {
	__u64 raised_ns; /* and did not begin yet; 0: it is not raised */
	__u64 waits, longest_ns;
	__u64 wait[RXAQM_DOCTOR_WAITS]; /* [i]: of 2^i .. 2^(i+1)-1 ns */
	char running[16]; /* when it was raised */
	char held_by[16]; /* the same of the longest wait */
};

/* Calls of a function. */
struct rxaqm_doctor_calls {
	__u64 calls, total_ns, longest_ns;
};

#endif /* RXAQM_DOCTOR_REC_H */
