/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What control fixes in the XDP program of an interface when it loads it (rodata). */
#ifndef RXAQM_XDP_CONFIG_H
#define RXAQM_XDP_CONFIG_H

#include "types.h"

struct rxaqm_xdp_config {
	__u32 iface; /* index in iface_map */
	__u32 queue_base; /* first entry in queue_map */
	__u32 nr_queues;
	__u32 ring_entries; /* length of a queue; 0: unknown */
	__u32 by_cpu; /* generic mode: a queue is a CPU's backlog, not an Rx queue */
	__u32 no_sockets; /* the kernel has no AF_XDP: xsk_map is none */
	__u32 flow_seed; /* of flows' hashes: nobody outside is to know which share a set */
};
RXAQM_ASSERT_SIZE(struct rxaqm_xdp_config, 28);

#endif /* RXAQM_XDP_CONFIG_H */
