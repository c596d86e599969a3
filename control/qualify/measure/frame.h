/* SPDX-License-Identifier: GPL-2.0-only */
/* Test frames with a mark, of all kinds that a NIC may treat differently. Pure functions. */
#pragma once

#include <net/ethernet.h>
#include <stdbool.h>
#include <stddef.h>

#include "qualify.h"

enum qualify_kind {
	QUALIFY_UDP4,
	QUALIFY_TCP4, /* out of order, so that GRO does not merge it */
	QUALIFY_STREAM, /* TCP over IPv4 in order, which GRO may merge */
	QUALIFY_UDP6,
	QUALIFY_VLAN, /* UDP over IPv4, priority-tagged: no VLAN filter drops it */
	QUALIFY_FRAGMENT, /* not the first fragment, of UDP over IPv4 */
	QUALIFY_PTP_L2, /* IEEE 1588 event messages over Ethernet, and over UDP */
	QUALIFY_PTP_UDP,
	/* UDP over IPv4 in a tunnel over IPv4. Flows differ in the inner packet, or in the tunnel.
	 */
	QUALIFY_VXLAN,
	QUALIFY_GRE,
	QUALIFY_IPIP,
	QUALIFY_VXLAN_OUTER,
	QUALIFY_GRE_OUTER,
	QUALIFY_IPIP_OUTER,
	QUALIFY_NR_KINDS,
};

/* "udp4", ...; ends with NULL. */
extern const char *const qualify_kinds[QUALIFY_NR_KINDS + 1];

#define QUALIFY_FRAME_MIN 60 /* without FCS */
#define QUALIFY_FRAME_MAX 9018

struct qualify_frame {
	enum qualify_kind kind;
	size_t size; /* without FCS; raised to the minimum of the kind */
	unsigned int flow; /* sets source address and port */
	__u8 to[ETH_ALEN], from[ETH_ALEN];
};

/* Build frame @seq in @buf, of QUALIFY_FRAME_MAX bytes; return its length. The addresses are
 * reserved for benchmarks (RFC 2544), and need not be configured anywhere.
 */
size_t qualify_frame_build(unsigned char *buf, const struct qualify_frame *frame, __u32 seq,
			   __u64 sent_ns);

/* Read the mark of a received frame, in host byte order. False: it has none. */
bool qualify_frame_mark(const unsigned char *data, size_t size, struct qualify_mark *ret_mark);

/* The input of RSS for flow @flow: addresses, then ports if @ports. Returns 8 or 12 bytes. */
size_t qualify_frame_tuple(unsigned int flow, bool ports, __u8 ret_tuple[12]);
