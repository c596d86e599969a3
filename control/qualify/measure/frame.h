/* SPDX-License-Identifier: GPL-2.0-only */
/* Test frames: marked, of all kinds that a NIC may treat differently. Pure. */
#pragma once

#include <net/ethernet.h>
#include <stdbool.h>
#include <stddef.h>

#include "qualify.h"

enum qualify_kind {
	QUALIFY_UDP4,
	QUALIFY_TCP4, /* that GRO does not merge: each out of order */
	QUALIFY_STREAM, /* TCP over IPv4 that GRO may merge */
	QUALIFY_UDP6,
	QUALIFY_VLAN, /* priority-tagged UDP over IPv4, so that no filter takes it away */
	QUALIFY_FRAGMENT, /* a later one, of UDP over IPv4 */
	QUALIFY_PTP_L2, /* IEEE 1588 event messages over Ethernet, and over UDP */
	QUALIFY_PTP_UDP,
	/* UDP over IPv4 in a tunnel over IPv4; by flow differs what is in it, or the tunnel. */
	QUALIFY_VXLAN,
	QUALIFY_GRE,
	QUALIFY_IPIP,
	QUALIFY_VXLAN_OUTER,
	QUALIFY_GRE_OUTER,
	QUALIFY_IPIP_OUTER,
	QUALIFY_NR_KINDS,
};

/* "udp4", ...; NULL ends them. */
extern const char *const qualify_kinds[QUALIFY_NR_KINDS + 1];

#define QUALIFY_FRAME_MIN 60 /* without FCS */
#define QUALIFY_FRAME_MAX 9018

struct qualify_frame {
	enum qualify_kind kind;
	size_t size; /* without FCS; raised to what the kind needs */
	unsigned int flow; /* makes source address and port */
	__u8 to[ETH_ALEN], from[ETH_ALEN];
};

/* Build frame @seq in @buf, of QUALIFY_FRAME_MAX bytes. Returns its length. Addresses are those
 * that RFC 2544 reserves for benchmarks; none of them needs to be configured anywhere.
 */
size_t qualify_frame_build(unsigned char *buf, const struct qualify_frame *frame, __u32 seq,
			   __u64 sent_ns);

/* The mark of the @size bytes received at @data, in host byte order. False: it has none. */
bool qualify_frame_mark(const unsigned char *data, size_t size, struct qualify_mark *ret_mark);

/* What RSS hashes of flow @flow: addresses, then ports if @ports. Returns the bytes, 8 or 12. */
size_t qualify_frame_tuple(unsigned int flow, bool ports, __u8 ret_tuple[12]);
