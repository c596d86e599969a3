/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AF_XDP sockets that serve queues: which there are, what the kernel says of them, and what their
 * consumers publish.
 */
#pragma once

#include "state/state.h"
#include "wait.h"

/* What the kernel says of a socket (NETLINK_SOCK_DIAG). */
struct rxaqm_socket_diag {
	__u32 ifindex, queue; /* 0: not bound */
	__u32 ring_entries; /* of its Rx ring; 0: it has none */
	__u32 uid; /* of its creator */
	__u64 ring_full; /* packets dropped because that ring was full */
	__u64 no_frame; /* or because there was no frame to fill */
};

#define RXAQM_SOCKETS_MAX 1024

struct rxaqm_sockets {
	bool known; /* the kernel supports the request, and has answered it */
	unsigned int nr;
	struct rxaqm_socket_diag socket[RXAQM_SOCKETS_MAX];
};

/* Read all sockets of the namespace entered. Without sock_diag for AF_XDP nothing is known. */
void rxaqm_sockets_read(struct rxaqm_sockets *sockets);

struct nlmsghdr;
/* Add a message of the answer to struct rxaqm_sockets @arg; a rxaqm_netlink_fn. */
int rxaqm_sockets_take(const struct nlmsghdr *message, void *arg);

/* The socket bound to @queue of @ifindex; NULL if there is none, or if that is not known. */
const struct rxaqm_socket_diag *rxaqm_sockets_find(const struct rxaqm_sockets *sockets,
						   unsigned int ifindex, unsigned int queue);

/* The socket of a queue. */
struct rxaqm_socket {
	__u32 ring_entries; /* 0: not known */
	__u64 ring_full;
	enum rxaqm_wait_state wait_state;
	__u64 wait_ns; /* if that is valid */
	__u64 wait_age_ns; /* unless nothing was ever published */
	__u64 nic_ns; /* time in the NIC's queue; 0: it does not stand */
};

/* Did a socket serve the queue when it was last polled? */
static inline bool rxaqm_socket_serves(const struct rxaqm_queue *q)
{
	return q->flags & RXAQM_QUEUE_SOCKET;
}

/* Can stamps of its packets be seen? A socket's packets never become an skb. */
static inline bool rxaqm_socket_lets_stamps_be(const struct rxaqm_iface *iface,
					       const struct rxaqm_queue *q)
{
	return !rxaqm_socket_serves(q) || (iface->flags & (RXAQM_IFACE_HINT | RXAQM_IFACE_GENERIC));
}

/* Collect what is known of @q at @now_ns. @wait: what its consumer writes. @diag: may be NULL. */
void rxaqm_socket_look(const struct rxaqm_iface *iface, const struct rxaqm_queue *q,
		       const struct rxaqm_wait *wait, const struct rxaqm_socket_diag *diag,
		       __u64 now_ns, struct rxaqm_socket *socket);

extern const char *const rxaqm_wait_state_names[]; /* by enum rxaqm_wait_state */
