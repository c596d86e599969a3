/* SPDX-License-Identifier: GPL-2.0-only */
/* What status says of the law, the socket and the target of a queue. */
#ifndef RXAQM_STATUS_QUEUE_H
#define RXAQM_STATUS_QUEUE_H

#include "attach/sockets.h"
#include "base/out.h"
#include "tune/target_why.h"

/* An object "law", or with law=codel "codel"; nothing in text while it does nothing. */
void rxaqm_status_law_out(struct rxaqm_out *out, const struct rxaqm_iface *iface,
			  const struct rxaqm_queue *q, __u64 now_ns);

/* An object "socket" and a line, if queue @number goes to an AF_XDP socket. @ifindex: of the
 * interface here; 0 if it is elsewhere.
 */
void rxaqm_status_socket_out(struct rxaqm_out *out, const struct rxaqm_state *state,
			     const struct rxaqm_iface *iface, unsigned int number,
			     const struct rxaqm_queue *q, unsigned int ifindex, __u64 now_ns);

/* Floor, ceiling, what is derived, and why; nothing in text while no round was measured. */
void rxaqm_status_target_out(struct rxaqm_out *out, const struct rxaqm_target_facts *facts,
			     const struct rxaqm_queue *q, const struct rxaqm_policy *policy);

/* A line of advice about the length of the queues, if there is any; by what @q has measured. */
void rxaqm_status_advice_out(struct rxaqm_out *out, const struct rxaqm_target_facts *facts,
			     const struct rxaqm_queue *q);

#endif /* RXAQM_STATUS_QUEUE_H */
