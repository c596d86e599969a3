/* SPDX-License-Identifier: GPL-2.0-only */
/* What status says of queues that go to AF_XDP sockets. */
#ifndef RXAQM_STATUS_SOCKET_H
#define RXAQM_STATUS_SOCKET_H

#include "base/out.h"
#include "attach/sockets.h"

/* The fields of queue @number: an object "socket" and a line, if it goes to one. @ifindex: of the
 * interface here; 0 if it is elsewhere.
 */
void rxaqm_status_socket_out(struct rxaqm_out *out, const struct rxaqm_state *state,
			     const struct rxaqm_iface *iface, unsigned int number,
			     const struct rxaqm_queue *q, unsigned int ifindex, __u64 now_ns);

#endif /* RXAQM_STATUS_SOCKET_H */
