/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Parsing any frame by copies of its headers, wherever they lie: behind tags, options and extension
 * headers, or in a later piece of a packet in several, of which some drivers leave the first empty.
 */
#ifndef RXAQM_HEADERS_H
#define RXAQM_HEADERS_H

#include "packet.h"

#ifdef __bpf__
#include <bpf/bpf_helpers.h>
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
	__u32 size; /* of the whole frame, whatever pieces it lies in */
};

/* Copy up to @max bytes that begin @off into the frame. Returns how many there are. */
rxaqm_always_inline __u32 rxaqm_frame_read(const struct rxaqm_frame *frame, __u32 off, void *to,
					   __u32 max)
{
	__u32 n;

	if (off >= frame->size)
		return 0;
	n = frame->size - off;
#ifdef __bpf__
	RXAQM_HIDE(n);
	if (n > max)
		n = max;
	if (!n || bpf_xdp_load_bytes(frame->ctx, off, to, n))
		return 0;
#else
	if (n > max)
		n = max;
	memcpy(to, frame->data + off, n);
#endif
	return n;
}

#define RXAQM_FRAME_PART 16 /* what is read of a header: the first bytes tell enough of each */

/* Go over the extension headers. @ext is room for a part of one. False if they are cut short, do
 * not fit in the packet, or are more than we look at: neighbour discovery may be behind them.
 */
rxaqm_always_inline bool rxaqm_frame_ext(struct rxaqm_packet *pkt, const struct rxaqm_frame *frame,
					 __u8 *ext, __u32 *l4_len)
{
	__u32 off = pkt->l4_off, left = *l4_len, len;
	__u8 proto = pkt->protocol;
	int i;

	RXAQM_ROLLED
	for (i = 0; i < RXAQM_MAX_IP6_EXT; i++) {
		/* What follows the header of a later fragment is not a header. */
		if (pkt->fragment || !rxaqm_packet_is_ext(proto))
			break;
		if (rxaqm_frame_read(frame, off, ext, 8) < 8)
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

/* How much of the header at l4_off rxaqm_packet_l4() reads. */
rxaqm_always_inline __u32 rxaqm_packet_l4_needs(const struct rxaqm_packet *pkt)
{
	if (pkt->fragment)
		return 0;
	if (pkt->protocol == RXAQM_IPPROTO_TCP)
		return RXAQM_TCP_HLEN;
	return pkt->protocol == RXAQM_IPPROTO_UDP ? RXAQM_UDP_HLEN : 0;
}

/* Parse the IP header and what follows it, with @buf as room for a part of one. False if that
 * cannot be done.
 */
rxaqm_always_inline bool rxaqm_frame_ip(struct rxaqm_packet *pkt, const struct rxaqm_frame *frame,
					__u16 proto, __u8 *buf)
{
	__u32 l4_len = 0;

	if (rxaqm_frame_read(frame, pkt->ip_off, buf, RXAQM_FRAME_PART) < RXAQM_FRAME_PART)
		return false;
	if (proto == RXAQM_ETH_P_IP) {
		if (!rxaqm_packet_ip4(pkt, buf, &l4_len))
			return false;
	} else if (proto == RXAQM_ETH_P_IPV6) {
		if (!rxaqm_packet_ip6(pkt, buf, &l4_len) ||
		    !rxaqm_frame_ext(pkt, frame, buf, &l4_len))
			return false;
	} else {
		return false;
	}
	if (frame->size < pkt->l4_off + rxaqm_packet_l4_needs(pkt))
		return false;
	/* Of a later fragment, or of another protocol, nothing is read. */
	rxaqm_frame_read(frame, pkt->l4_off, buf, RXAQM_FRAME_PART);
	return rxaqm_packet_l4(pkt, buf, l4_len);
}

/* Parse any frame and classify it, but for what the policy exempts. @pkt is all zero. */
rxaqm_always_inline void rxaqm_frame_parse(struct rxaqm_packet *pkt,
					   const struct rxaqm_frame *frame)
{
	__u8 buf[RXAQM_FRAME_PART] __attribute__((aligned(8))) = {};
	__u32 bytes = rxaqm_frame_read(frame, RXAQM_ETH_TYPE_OFF, buf,
				       RXAQM_L2_MAX - RXAQM_ETH_TYPE_OFF);
	__u16 proto = rxaqm_packet_l2(pkt, buf, bytes);

	if (!rxaqm_frame_ip(pkt, frame, proto, buf) || rxaqm_packet_control(pkt))
		pkt->kind = RXAQM_KIND_EXEMPT;
}

#ifndef __bpf__
/* Parse the frame at @data and classify it under @policy, as the XDP program does. */
static inline void rxaqm_packet_classify(struct rxaqm_packet *pkt, const void *data,
					 const void *data_end, const struct rxaqm_policy *policy)
{
	const struct rxaqm_frame frame = {
		.data = (const __u8 *)data,
		.size = (__u32)((const __u8 *)data_end - (const __u8 *)data),
	};

	memset(pkt, 0, sizeof(*pkt));
	if (rxaqm_packet_plain(data, data_end))
		rxaqm_packet_parse_plain(pkt, data);
	else
		rxaqm_frame_parse(pkt, &frame);
	if (rxaqm_packet_exempt_dscp(policy, pkt->dscp) ||
	    rxaqm_packet_exempt_port(policy, pkt->sport, pkt->dport))
		pkt->kind = RXAQM_KIND_EXEMPT;
}
#endif

#endif /* RXAQM_HEADERS_H */
