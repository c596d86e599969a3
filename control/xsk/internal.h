/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What the files of the library share, with each other and with rxaqm-xsk. */
#pragma once

#include <sys/types.h>
#include <xdp/xsk.h>

#include "iface.h"
#include "progress.h"
#include "base/now.h"
#include "rxaqm-xsk.h"

/* The queue of an interface that rxaqm is attached to, as the pinned maps have it (attached.c). */
struct rxaqm_attached {
	const struct rxaqm_iface *ifaces; /* iface_map, mapped; NULL: not open */
	struct rxaqm_wait *waits; /* wait_map, mapped; NULL: not open */
	int xsk_map; /* -1: not open */
	const struct rxaqm_iface *iface; /* our entry of it */
	unsigned int ifindex;
	__u32 queue; /* of the interface */
	__u32 index; /* of the queue in wait_map and xsk_map */
	__u32 prog_id; /* of iface when it was found: another interface may have the entry now */
	__u64 attached_ns;
};

#define RXAQM_ATTACHED_NONE { .xsk_map = -1 }

/* Errors: as rxaqm_xsk_open(). */
int rxaqm_attached_open(struct rxaqm_attached *at, const char *ifname, unsigned int queue);
void rxaqm_attached_close(struct rxaqm_attached *at);

/* Is the entry still that of our interface? */
bool rxaqm_attached_still(const struct rxaqm_attached *at);

/* Send the packets of the queue to socket @fd of process @pid, which is bound to the queue. The
 * kernel binds one socket to a queue, so an entry that is already there was left by a consumer that
 * has ended: what that said of its ring is cleared. The caller publishes next how long packets
 * wait.
 */
int rxaqm_attached_insert(const struct rxaqm_attached *at, int fd, __u32 ring_entries, pid_t pid);

/* Say how long packets wait; see struct rxaqm_wait. */
void rxaqm_attached_publish(const struct rxaqm_attached *at, __u64 now_ns, __u64 wait_ns);
void rxaqm_attached_ring_full(const struct rxaqm_attached *at, __u64 packets);

/* Send no more packets to the socket, and withdraw what was published. */
void rxaqm_attached_leave(const struct rxaqm_attached *at);

struct rxaqm_xsk {
	struct rxaqm_attached at;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_cons rx;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons completion; /* unused: nothing is sent */
	char *frames; /* the memory of all packets */
	size_t frames_size;
	__u64 received;
	__u64 wait_ns, published_ns; /* what was published last, and when */
	__u64 checked_ns; /* when it was last looked whether rxaqm is still attached */
	struct rxaqm_progress progress;
};

#define RXAQM_XSK_EXPORT __attribute__((visibility("default")))
