/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What opening a socket and taking packets from it share. */
#ifndef RXAQM_XSK_SOCKET_H
#define RXAQM_XSK_SOCKET_H

#include <xdp/xsk.h>

#include "attached.h"
#include "progress.h"
#include "rxaqm-xsk.h"

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

__u64 rxaqm_xsk_now_ns(void);

#endif /* RXAQM_XSK_SOCKET_H */
