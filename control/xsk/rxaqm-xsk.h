/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * librxaqm-xsk: take the packets of a queue that rxaqm is attached to through an AF_XDP socket,
 * with what rxaqm knows of each, and tell rxaqm how long they wait. See rxaqm-xsk(3).
 *
 * Threads: a socket belongs to one thread at a time; different sockets are independent of each
 * other. Open looks for the interface in the network namespace of the calling thread. Nothing is
 * printed. A process may be killed at any moment: the kernel takes its socket out of the map, and
 * packets go to the stack again.
 */
#ifndef RXAQM_XSK_API_H
#define RXAQM_XSK_API_H

#include <stddef.h>
#include <stdint.h>

#include "xsk.h" /* struct rxaqm_meta */

#ifdef __cplusplus
extern "C" {
#endif

struct rxaqm_xsk; /* the socket of one queue */

enum rxaqm_xsk_copy {
	RXAQM_XSK_COPY_AUTO, /* zero-copy where the driver has it */
	RXAQM_XSK_COPY_ALWAYS,
	RXAQM_XSK_COPY_NEVER, /* -EOPNOTSUPP where the driver cannot */
};

/* 0 stands for the default. Fields are added at the end only. */
struct rxaqm_xsk_options {
	size_t size; /* of this struct */
	uint32_t ring_entries; /* of the Rx ring: a power of two (2048) */
	uint32_t frame_size; /* 2048 or 4096 (4096), of which 256 are not for the packet */
	enum rxaqm_xsk_copy copy;
};
#define RXAQM_XSK_OPTIONS { sizeof(struct rxaqm_xsk_options), 0, 0, RXAQM_XSK_COPY_AUTO }

struct rxaqm_xsk_packet {
	void *data; /* from the Ethernet header on */
	uint32_t len;
	uint32_t pad;
	const struct rxaqm_meta *meta; /* in front of data; NULL: the driver left no room for it */
	uint64_t frame; /* the library's own */
};

struct rxaqm_xsk_stats {
	size_t size; /* of this struct, set by the caller */
	uint64_t received; /* packets */
	uint64_t ring_full; /* packets that the kernel dropped since the Rx ring was full */
	uint64_t dropped; /* by the kernel for other reasons, such as no free frame */
	uint64_t wait_ns; /* in the Rx ring, as it was published last */
	uint32_t ring_entries;
	uint32_t zero_copy; /* 1: the driver writes into the frames itself */
};

/* Open a socket on @queue of @ifname, to which rxaqm must be attached; packets go there at once.
 * @options may be NULL. Errors, which rxaqm_xsk_strerror() puts into words:
 *   -ENODEV      there is no such interface in this network namespace
 *   -ENOENT      rxaqm is not attached to it
 *   -EPROTO      this library and the rxaqm that attached are of different versions
 *   -ERANGE      rxaqm knows no such queue of it
 *   -EADDRNOTAVAIL  its queues are CPUs' backlogs there, which have no socket
 *   -EBUSY       there is another consumer of the queue
 *   -EOPNOTSUPP  kernel or driver cannot
 *   -EINVAL      an option is not as described
 *   -EPERM, -EACCES, -ENOMEM
 */
int rxaqm_xsk_open(struct rxaqm_xsk **ret_xsk, const char *ifname, unsigned int queue,
		   const struct rxaqm_xsk_options *options);

/* Take up to @max packets. Returns how many, 0 if there are none, and publishes how long the
 * newest of them was in the Rx ring. Call it at least every few milliseconds while packets come:
 * what was published counts for about 10 ms. -ESTALE: rxaqm was detached, none will come any more.
 */
int rxaqm_xsk_receive(struct rxaqm_xsk *xsk, struct rxaqm_xsk_packet *packets, unsigned int max);

/* Give @nr packets back to the kernel, in any order. Their memory is not to be touched any more. */
void rxaqm_xsk_release(struct rxaqm_xsk *xsk, const struct rxaqm_xsk_packet *packets,
		       unsigned int nr);

/* To wait with poll(): readable when there are packets. Not to be read or closed. */
int rxaqm_xsk_fd(const struct rxaqm_xsk *xsk);

int rxaqm_xsk_get_stats(struct rxaqm_xsk *xsk, struct rxaqm_xsk_stats *stats);

/* Close it, and take back what was published. NULL does nothing. */
void rxaqm_xsk_close(struct rxaqm_xsk *xsk);

/* What @err (negative, as returned here) means, with the remedy. */
const char *rxaqm_xsk_strerror(int err);

#ifdef __cplusplus
}
#endif

#endif /* RXAQM_XSK_API_H */
