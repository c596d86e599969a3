/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What XDP and the consumer of an AF_XDP socket tell each other. A stable interface: fields
 * are added at the end only, with another version; see docs/af_xdp.md.
 */
#ifndef RXAQM_XSK_H
#define RXAQM_XSK_H

#include "types.h"

/*
 * In front of each packet that goes to a socket: XDP writes, the consumer reads. 32 bytes are
 * all the room that kernels before 6.8 give. A driver may have none: the consumer clears magic
 * before it gives a frame back to the kernel, and a frame without magic carries nothing.
 */
#define RXAQM_META_MAGIC 0x7161U
#define RXAQM_META_VERSION 1

#define RXAQM_META_HW_TIME (1U << 0) /* hw_ns is the stamp of this packet */
#define RXAQM_META_SOJOURN (1U << 1) /* sojourn_ns is of this packet */
#define RXAQM_META_SAMPLED (1U << 2) /* sojourn_ns is the newest of the queue */
#define RXAQM_META_STANDING (1U << 3) /* the NIC queue stands */
#define RXAQM_META_MARKED (1U << 4) /* rxaqm has set CE in this packet */

/*
 * host_ns is read for each packet while the NIC queue stands, while the consumer's wait has it over
 * target, and wherever packets have stamps of their own (the driver's hint, generic mode). Else,
 * and always in mode off, up to 16 packets of one NAPI poll share the reading of the first of them.
 * So it is never late, and early by at most the time that XDP took to get from that packet to this
 * one: 15 packets, microseconds, or more if the CPU was taken away in between.
 */
struct rxaqm_meta {
	__u16 magic; /* RXAQM_META_MAGIC */
	__u8 version; /* RXAQM_META_VERSION */
	__u8 size; /* of this struct */
	__u32 flags; /* RXAQM_META_* */
	__u64 hw_ns; /* NIC clock, unconverted; 0: none */
	__u64 host_ns; /* the kernel's CLOCK_MONOTONIC, when XDP had the packet, or before */
	__u64 sojourn_ns; /* in the NIC queue; see flags */
};
RXAQM_ASSERT_SIZE(struct rxaqm_meta, 32);

/*
 * Contract of wait_map: array of RXAQM_MAX_QUEUES, index as in queue_map. The consumer writes
 * (through mmap), XDP and control read. What it says of the wait counts until it is as old as
 * a sample may get (rxaqm_sample_max_age_ns()); an updated_ns in the future, or a wait of more
 * than RXAQM_SOJOURN_MAX_NS, does not count and is counted. Each field is written whole; two
 * of them may be of different rounds, which does no harm. Cleared by the consumer that leaves
 * and by whoever attaches or detaches.
 */
struct rxaqm_wait {
	__u64 wait_ns; /* in the socket's Rx ring, of the newest packet taken out */
	__u64 updated_ns; /* CLOCK_MONOTONIC; 0: nothing published */
	__u64 ring_full; /* packets the kernel dropped since the Rx ring was full */
	__u32 ring_entries; /* of the Rx ring */
	__u32 pid; /* of the consumer, as it sees itself; for people */
	__u64 pad[4]; /* a cache line of its own */
};
RXAQM_ASSERT_SIZE(struct rxaqm_wait, 64);

#endif /* RXAQM_XSK_H */
