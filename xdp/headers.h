/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Parse any frame: a plain one in place, others by copies of their headers, wherever they are:
 * behind tags, options and extension headers, or in a later fragment of the packet, since some
 * drivers leave the first one empty.
 */
#ifndef RXAQM_HEADERS_H
#define RXAQM_HEADERS_H

#include "packet.h"

#ifdef __bpf__
#include "fragments.bpf.h"
#else
#include <string.h>
#endif

/* Where a frame's bytes are. */
struct rxaqm_frame {
#ifdef __bpf__
	struct xdp_md *ctx;
#else
	const __u8 *data;
#endif
	__u32 size; /* of the whole frame, all fragments included */
};

/* Copy @n bytes at offset @off of the frame. False if it is shorter. */
rxaqm_always_inline bool rxaqm_frame_read(const struct rxaqm_frame *frame, __u32 off, void *to,
					  __u32 n)
{
#ifdef __bpf__
	return rxaqm_has_fragments() ? !bpf_xdp_load_bytes(frame->ctx, off, to, n) :
				       rxaqm_copy_bytes(frame->ctx, off, to, n);
#else
	if (off > frame->size || n > frame->size - off)
		return false;
	memcpy(to, frame->data + off, n);
	return true;
#endif
}

#define RXAQM_FRAME_PART 16 /* bytes that are read of an IP header: the first ones are enough */
#define RXAQM_FRAME_BUF 24 /* bytes: room for that, or for a TCP header */

/* Skip the extension headers. @ext: room for the first 8 bytes of one. False if they are cut short,
 * do not fit in the packet, or are more than RXAQM_MAX_IP6_EXT: neighbour discovery may be behind
 * them.
 */
rxaqm_always_inline bool rxaqm_frame_ext(struct rxaqm_packet *pkt, const struct rxaqm_frame *frame,
					 __u8 *ext, __u32 *l4_len)
{
	__u32 off = pkt->l4_off, left = *l4_len, len;
	__u8 proto = pkt->protocol;
	int i;

	RXAQM_ROLLED
	for (i = 0; i < RXAQM_MAX_IP6_EXT; i++) {
		/* After the header of a later fragment comes data, not a header. */
		if (pkt->fragment || !rxaqm_packet_is_ext(proto))
			break;
		if (!rxaqm_frame_read(frame, off, ext, 8))
			return false;
		len = (ext[1] + 1U) * 8;
		if (proto == RXAQM_IPPROTO_AH)
			len = (ext[1] + 2U) * 4;
		if (proto == RXAQM_IPPROTO_FRAGMENT) {
			len = 8;
			pkt->fragment = ext[2] || ext[3] & 0xf8;
			pkt->more_fragments = ext[3] & 1;
		}
		if (len > left)
			return false;
		proto = ext[0];
		off += len;
		left -= len;
	}
	pkt->protocol = proto;
	pkt->l4_off = (__u16)off;
	*l4_len = left;
	return pkt->fragment || !rxaqm_packet_is_ext(proto);
}

/* Copy the TCP or UDP header at l4_off; nothing for a later fragment or another protocol. */
rxaqm_always_inline bool rxaqm_frame_l4(const struct rxaqm_packet *pkt,
					const struct rxaqm_frame *frame, __u8 *buf)
{
	__u32 n = pkt->protocol == RXAQM_IPPROTO_UDP ? RXAQM_UDP_HLEN : RXAQM_TCP_HLEN;

	if (pkt->fragment ||
	    (pkt->protocol != RXAQM_IPPROTO_TCP && pkt->protocol != RXAQM_IPPROTO_UDP))
		return pkt->l4_off <= frame->size;
	return rxaqm_frame_read(frame, pkt->l4_off, buf, n);
}

/* Copy the bytes between the MAC addresses and the IP header, then the first part of that header.
 * Sets ip_off, and @proto to Ethernet's type. Every IP packet is long enough for the bytes where
 * two tags would be.
 */
rxaqm_always_inline bool rxaqm_frame_ip(struct rxaqm_packet *pkt, const struct rxaqm_frame *frame,
					__u8 *buf, __u16 *proto)
{
	if (!rxaqm_frame_read(frame, RXAQM_ETH_TYPE_OFF, buf, RXAQM_L2_MAX - RXAQM_ETH_TYPE_OFF))
		return false;
	*proto = rxaqm_packet_l2(pkt, buf);
	return rxaqm_frame_read(frame, pkt->ip_off, buf, RXAQM_FRAME_PART);
}

/* Parse the headers of @frame. @plain: the result of rxaqm_packet_plain(); unless it is 0 the frame
 * lies at @data, else @data is not used. @pkt must be all zero. False if that fails.
 */
rxaqm_always_inline bool rxaqm_frame_headers(struct rxaqm_packet *pkt,
					     const struct rxaqm_frame *frame, const __u8 *data,
					     __u32 plain)
{
	__u8 buf[RXAQM_FRAME_BUF] __attribute__((aligned(8)));
	const __u8 *ip = buf, *l4 = buf;
	__u32 l4_len = 0;
	__u16 proto;

	if (plain) {
		ip = data + RXAQM_ETH_HLEN;
		l4 = ip + plain;
		proto = plain == RXAQM_IP4_HLEN ? RXAQM_ETH_P_IP : RXAQM_ETH_P_IPV6;
		pkt->ip_off = RXAQM_ETH_HLEN;
	} else if (!rxaqm_frame_ip(pkt, frame, buf, &proto)) {
		return false;
	}
	if (proto == RXAQM_ETH_P_IP) {
		if (!rxaqm_packet_ip4(pkt, ip, &l4_len))
			return false;
	} else if (proto != RXAQM_ETH_P_IPV6 || !rxaqm_packet_ip6(pkt, ip, &l4_len) ||
		   (!plain && !rxaqm_frame_ext(pkt, frame, buf, &l4_len))) {
		return false;
	}
	return (plain || rxaqm_frame_l4(pkt, frame, buf)) && rxaqm_packet_l4(pkt, l4, l4_len);
}

/* Is a packet whose headers are known exempt by @policy, or whatever that is? */
rxaqm_always_inline bool rxaqm_packet_exempt(const struct rxaqm_policy *policy,
					     const struct rxaqm_packet *pkt)
{
	return (policy->exempt_dscp >> (pkt->dscp & 63) & 1) ||
	       rxaqm_packet_exempt_port(policy, pkt->sport, pkt->dport) ||
	       rxaqm_packet_control(pkt->protocol, pkt->dport);
}

/* The kind of a packet whose headers are known, with what @policy exempts. */
rxaqm_always_inline __u8 rxaqm_packet_kind(const struct rxaqm_policy *policy,
					   const struct rxaqm_packet *pkt)
{
	return rxaqm_packet_exempt(policy, pkt) ? (__u8)RXAQM_KIND_EXEMPT : pkt->kind;
}

#ifndef __bpf__
/* Parse @frame and classify it, without the policy's exemptions. */
static inline void rxaqm_packet_parse(struct rxaqm_packet *pkt, const struct rxaqm_frame *frame,
				      const __u8 *data, __u32 plain)
{
	memset(pkt, 0, sizeof(*pkt));
	if (!rxaqm_frame_headers(pkt, frame, data, plain))
		pkt->kind = RXAQM_KIND_EXEMPT;
}

/* The same always by copies, and always in place. */
static inline void rxaqm_frame_parse(struct rxaqm_packet *pkt, const struct rxaqm_frame *frame)
{
	rxaqm_packet_parse(pkt, frame, NULL, 0);
}

static inline void rxaqm_packet_parse_plain(struct rxaqm_packet *pkt, const void *data)
{
	bool ip4 = rxaqm_get_be16((const __u8 *)data + RXAQM_ETH_TYPE_OFF) == RXAQM_ETH_P_IP;

	rxaqm_packet_parse(pkt, NULL, (const __u8 *)data, ip4 ? RXAQM_IP4_HLEN : RXAQM_IP6_HLEN);
}

/* Parse the frame at @data and classify it under @policy, as the XDP program does. */
static inline void rxaqm_packet_classify(struct rxaqm_packet *pkt, const void *data,
					 const void *data_end, const struct rxaqm_policy *policy)
{
	const struct rxaqm_frame frame = {
		.data = (const __u8 *)data,
		.size = (__u32)((const __u8 *)data_end - (const __u8 *)data),
	};

	rxaqm_packet_parse(pkt, &frame, frame.data, rxaqm_packet_plain(data, data_end));
	pkt->kind = rxaqm_packet_kind(policy, pkt);
}
#endif

#endif /* RXAQM_HEADERS_H */
