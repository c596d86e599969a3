/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What kprobes/qualify.bpf.c and control/qualify agree on: the mark that test frames carry, and
 * when each was seen where.
 */
#ifndef RXAQM_QUALIFY_H
#define RXAQM_QUALIFY_H

#include "types.h"

#define QUALIFY_MAGIC 0x52784171U
/* Where the mark may be in a frame: behind Ethernet, IPv4 and UDP, so that it fits into the
 * shortest one; there, behind all other headers; that less a VLAN tag which was taken out; and
 * behind those of a tunnel.
 */
#define QUALIFY_MARK_SHORT 42
#define QUALIFY_MARK_LONG 64
#define QUALIFY_MARK_UNTAGGED 60
#define QUALIFY_MARK_TUNNEL 92

/* In network byte order. */
struct qualify_mark {
	__u32 magic;
	__u32 seq;
	__u64 sent_ns; /* CLOCK_MONOTONIC of the sender, right before the frame was handed over */
};
RXAQM_ASSERT_SIZE(struct qualify_mark, 16);
/* The seq of frames that are noted, but not counted. */
#define QUALIFY_SEQ_ASIDE (~0U)

/* Array of QUALIFY_SEEN, by seq modulo that; user space clears it. Host byte order,
 * CLOCK_MONOTONIC, 0: not seen there. The frame is in one place at a time: no two CPUs write one
 * entry.
 */
#define QUALIFY_SEEN 65536
struct qualify_seen {
	__u64 sent_ns;
	__u64 xdp_ns; /* XDP ran */
	__u64 stack_ns; /* tc ingress ran, before what it costs */
	__u32 seq;
	__u16 queue, cpu; /* Rx queue and CPU that XDP ran on */
};
RXAQM_ASSERT_SIZE(struct qualify_seen, 32);

/* What the programs are to do with marked frames; theirs to read, user space's to write. */
struct qualify_orders {
	__u32 drop; /* XDP: 1 drop, 0 pass; the tc program drops them in any case */
	__u32 cost_ns; /* that a frame takes at tc ingress; up to QUALIFY_COST_MAX_NS */
	__u32 stall_seq; /* XDP holds the CPU at this frame until "release" */
	__u32 stall_ms; /* or for as long as this; 0: never */
	__u32 release;
	__u32 to_socket; /* XDP: 1 to the socket of the queue in xsk_map, if there is one */
};
#define QUALIFY_COST_MAX_NS 10000000U

/* Of CPUs with larger numbers nobody looks at what else they do. A power of two. */
#define QUALIFY_CPUS 1024

#define QUALIFY_QUEUES 256
/* Theirs to write. */
struct qualify_progress {
	__u64 xdp, stack; /* frames; of one queue at a time, so one CPU writes */
	__u32 stalled; /* 1: within; 2: it is over */
	__u32 napi_id[QUALIFY_QUEUES]; /* by which that queue's frames came to the stack; 0: not known */
};

#endif /* RXAQM_QUALIFY_H */
