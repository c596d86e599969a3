/* SPDX-License-Identifier: GPL-2.0-only */
/* An AF_XDP socket that takes test frames as fast as it can. */
#pragma once

#include <xdp/xsk.h>

struct qualify_socket {
	struct xsk_umem *umem;
	struct xsk_socket *xsk;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons rx, completion;
	void *memory; /* MAP_FAILED: none */
	size_t size;
};

/* Open on @queue of @ifname with room for at least @entries frames. XDP_ZEROCOPY in @flags makes
 * drivers reset their rings; XDP_COPY does not. Call qualify_socket_close() also after an error. 0
 * or -errno.
 */
int qualify_socket_open(struct qualify_socket *sock, const char *ifname, unsigned int queue,
			__u32 entries, __u16 flags);
void qualify_socket_close(struct qualify_socket *sock);

/* Take all waiting frames and return their buffers; the number of marked ones. */
__u32 qualify_socket_take(struct qualify_socket *sock);
