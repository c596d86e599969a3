/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The AF_XDP sockets of another process. */
#ifndef RXAQM_XSK_FOREIGN_H
#define RXAQM_XSK_FOREIGN_H

#include <linux/types.h>
#include <stdbool.h>

/* Our copy of the socket that process @pidfd (/proc/@pid) has bound to @queue of @ifindex.
 * -ENOENT if there is none, or -errno.
 */
int foreign_socket(int pidfd, int pid, unsigned int ifindex, unsigned int queue);

/* Its Rx ring, to look at. */
struct foreign_ring {
	void *memory; /* NULL: not mapped */
	__u64 size;
	const __u32 *producer, *consumer;
	__u32 entries;
};

int foreign_ring_map(struct foreign_ring *ring, int fd);
void foreign_ring_unmap(struct foreign_ring *ring);

#endif /* RXAQM_XSK_FOREIGN_H */
