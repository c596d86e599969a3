/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contract of flow_name_map: who flows are, for "rxaqm top --flows" and status.
 *
 * Array of RXAQM_FLOW_NAMES, a flow at its id modulo that: who comes later takes the place. Written
 * by XDP, and only while somebody has asked (rxaqm_meta_info.names_until_ns): of the packet that
 * ends a window of the law, so eight times an interval and queue. Of the flows of a flood that is
 * the largest soonest. Read by control, which believes nothing of it that does not fit together.
 */
#ifndef RXAQM_FLOW_NAME_H
#define RXAQM_FLOW_NAME_H

#include "types.h"

#define RXAQM_FLOW_NAMES 256

struct rxaqm_flow_name {
	__u64 seen_ns; /* CLOCK_MONOTONIC; 0: never */
	__u32 id; /* flow_id.h */
	__u32 index; /* of its queue in queue_map */
	__u32 level, limit; /* as the law had them then (flow.h) */
	__u8 version; /* of IP: 4 or 6 */
	__u8 protocol; /* that IP names first */
	__u8 pad[2];
	__u16 ports[2]; /* source and destination, network order; of others their first bytes */
	__u8 addresses[32]; /* source and destination, of 4 or 16 bytes each */
};
RXAQM_ASSERT_SIZE(struct rxaqm_flow_name, 64);

#endif /* RXAQM_FLOW_NAME_H */
