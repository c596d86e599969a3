/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the library's files and rxaqm-xsk share. */
#pragma once

#include <sys/types.h>
#include <xdp/xsk.h>

#include "iface.h"
#include "progress.h"
#include "base/now.h"
#include "rxaqm-xsk.h"

/* A queue of an interface that rxaqm is attached to, by the pinned maps (attached.c). */
struct rxaqm_attached {
	const struct rxaqm_iface *ifaces; /* iface_map, mapped; NULL: not open */
	struct rxaqm_wait *waits; /* wait_map, mapped; NULL: not open */
	int xsk_map; /* -1: not open */
	const struct rxaqm_iface *iface; /* our entry in it */
	unsigned int ifindex;
	__u32 queue; /* of the interface */
	__u32 index; /* of the queue in wait_map and xsk_map */
	__u32 prog_id; /* of iface when it was found; later the entry may be reused */
	__u64 attached_ns;
};

#define RXAQM_ATTACHED_NONE { .xsk_map = -1 }

/* Open the queue. Errors: see rxaqm_xsk_open(). */
int rxaqm_attached_open(struct rxaqm_attached *at, const char *ifname, unsigned int queue);
void rxaqm_attached_close(struct rxaqm_attached *at);

/* Does the entry still belong to our interface? */
bool rxaqm_attached_still(const struct rxaqm_attached *at);

/* Redirect the packets of the queue to socket @fd of process @pid, which is bound to the queue. The
 * kernel binds one socket to a queue, so an entry that exists was left by a dead consumer: clear
 * what that one published. Next the caller publishes how long packets wait.
 */
int rxaqm_attached_insert(const struct rxaqm_attached *at, int fd, __u32 ring_entries, pid_t pid);

/* Publish how long packets wait; see struct rxaqm_wait. */
void rxaqm_attached_publish(const struct rxaqm_attached *at, __u64 now_ns, __u64 wait_ns);
void rxaqm_attached_ring_full(const struct rxaqm_attached *at, __u64 packets);

/* Stop the redirection, and withdraw what was published. */
void rxaqm_attached_leave(const struct rxaqm_attached *at);

struct rxaqm_xsk {
	struct rxaqm_attached at;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_cons rx;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons completion; /* unused: nothing is sent */
	char *frames; /* the memory of all frames */
	size_t frames_size;
	__u64 received;
	__u64 wait_ns, published_ns; /* the last published value, and when */
	__u64 checked_ns; /* when it was last checked that rxaqm is attached */
	struct rxaqm_progress progress;
};

#define RXAQM_XSK_EXPORT __attribute__((visibility("default")))
