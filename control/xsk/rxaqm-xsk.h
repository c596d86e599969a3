/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * librxaqm-xsk: receive the packets of a queue that rxaqm is attached to through an AF_XDP socket,
 * with what rxaqm knows about each, and tell rxaqm how long they wait. See rxaqm-xsk(3).
 *
 * Threads: only one thread at a time may use a socket; different sockets are independent. Open
 * looks for the interface in the network namespace of the calling thread. The library prints
 * nothing. The process may be killed at any moment: the kernel removes its socket from the map, and
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
	RXAQM_XSK_COPY_AUTO, /* zero-copy if the driver has it */
	RXAQM_XSK_COPY_ALWAYS,
	RXAQM_XSK_COPY_NEVER, /* -EOPNOTSUPP if the driver has no zero-copy */
};

/* 0 means the default. New fields are added only at the end. */
struct rxaqm_xsk_options {
	size_t size; /* of this struct */
	uint32_t ring_entries; /* of the Rx ring, a power of two; default 2048 */
	uint32_t frame_size; /* 2048 or 4096; default 4096; 256 of it are not for the packet */
	enum rxaqm_xsk_copy copy;
};
#define RXAQM_XSK_OPTIONS { sizeof(struct rxaqm_xsk_options), 0, 0, RXAQM_XSK_COPY_AUTO }

struct rxaqm_xsk_packet {
	void *data; /* from the Ethernet header on */
	uint32_t len;
	uint32_t pad;
	const struct rxaqm_meta *meta; /* before data; NULL: the driver left no room for it */
	uint64_t frame; /* for the library only */
};

struct rxaqm_xsk_stats {
	size_t size; /* of this struct, set by the caller */
	uint64_t received; /* packets */
	uint64_t ring_full; /* packets that the kernel dropped because the Rx ring was full */
	uint64_t dropped; /* packets it dropped for other reasons, such as no free frame */
	uint64_t wait_ns; /* in the Rx ring, as last published */
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

/* Take up to @max packets and return how many, 0 if there are none. It publishes how long the
 * newest of them was in the Rx ring. Call it at least every few milliseconds while packets come: a
 * published value is valid for about 10 ms. -ESTALE: rxaqm was detached, and no more packets come.
 */
int rxaqm_xsk_receive(struct rxaqm_xsk *xsk, struct rxaqm_xsk_packet *packets, unsigned int max);

/* Return @nr packets to the kernel, in any order. Do not touch their memory afterwards. */
void rxaqm_xsk_release(struct rxaqm_xsk *xsk, const struct rxaqm_xsk_packet *packets,
		       unsigned int nr);

/* For poll(): readable when there are packets. Do not read or close it. */
int rxaqm_xsk_fd(const struct rxaqm_xsk *xsk);

int rxaqm_xsk_get_stats(struct rxaqm_xsk *xsk, struct rxaqm_xsk_stats *stats);

/* Close the socket, and withdraw what was published. NULL does nothing. */
void rxaqm_xsk_close(struct rxaqm_xsk *xsk);

/* The meaning of @err (negative, as returned here), and the remedy. */
const char *rxaqm_xsk_strerror(int err);

#ifdef __cplusplus
}
#endif

#endif /* RXAQM_XSK_API_H */
