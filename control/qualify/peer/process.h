/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that is the peer, or leads to it; of client.c. */
#ifndef RXAQM_QUALIFY_PROCESS_H
#define RXAQM_QUALIFY_PROCESS_H

#include "qualify/peer/peer.h"

/* Have @iface served: on @host, by ssh, or, if that is NULL, in @netns. -errno with @error. */
int qualify_peer_spawn(struct qualify_peer *peer, const char *host, const char *netns,
		       const char *iface, struct rxaqm_error *error);

/* End it, however it behaves. */
void qualify_peer_kill(struct qualify_peer *peer);

#endif /* RXAQM_QUALIFY_PROCESS_H */
