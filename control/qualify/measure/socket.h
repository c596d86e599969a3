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

/* On @queue of @ifname, with room for @entries frames at least. Binding with XDP_ZEROCOPY in @flags
 * makes drivers reset their rings; XDP_COPY does not. Close it in any case. 0 or -errno.
 */
int qualify_socket_open(struct qualify_socket *sock, const char *ifname, unsigned int queue,
			__u32 entries, __u16 flags);
void qualify_socket_close(struct qualify_socket *sock);

/* Look at all frames that are there and give them back: how many. */
__u32 qualify_socket_take(struct qualify_socket *sock);
