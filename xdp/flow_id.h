/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The flow of a packet: a hash of addresses, protocol, ports and VLANs, with a key that nobody
 * outside knows.
 *
 * Packets of a tunnel are told apart by what is inside: in GRE, IP in IP and 6in4 by the inner
 * packet's addresses and ports, in ESP by the SPI. VXLAN and Geneve need nothing: their senders put
 * a hash of the inner flow into the UDP source port (RFC 7348, 5; RFC 8926, 3.3). All fragments,
 * the first too, count as having no ports, so that a datagram is of one flow. So do SYN, FIN and
 * RST: each connection has other ports, but a host that comes again has the same address.
 */
#ifndef RXAQM_FLOW_ID_H
#define RXAQM_FLOW_ID_H

#include "headers.h"
#include "shared/xdp_config.h"

#define RXAQM_IPPROTO_IPIP 4
#define RXAQM_IPPROTO_IPV6 41
#define RXAQM_IPPROTO_GRE 47
#define RXAQM_IPPROTO_ESP 50

/* GRE (RFC 2784, RFC 2890): each of these flags adds four bytes; the version is in the lowest three
 * bits.
 */
#define RXAQM_GRE_CHECKSUM 0x8000
#define RXAQM_GRE_KEY 0x2000
#define RXAQM_GRE_SEQUENCE 0x1000
#define RXAQM_GRE_VERSION 0x0007
#define RXAQM_GRE_ETHERNET 0x6558

/* Addresses, and the ports behind them where IP has no options. */
#define RXAQM_FLOW_WORDS 5
#if RXAQM_FLOW_KEY != 2 * (1 + 2 * RXAQM_FLOW_WORDS)
#error "a key for the outer and for the inner packet"
#endif

/* The hash of @words by @key, of 1 + 2 * @n: "Multilinear-HM" of Lemire and Kaser, "Strongly
 * universal string hashing is fast" (2014). If the key is drawn at random, two flows have the same
 * hash with a probability of 2^-32, whichever two somebody chooses. A number that is only mixed
 * into the words would not do: flows that are one for each such number can be computed. @key is
 * volatile because the program's constants are: control sets them after clang has seen zeros.
 */
rxaqm_always_inline __u32 rxaqm_flow_hash(const volatile __u64 *key, const __u64 *words, __u32 n)
{
	__u64 h = *key++;
	__u32 i;

	RXAQM_ROLLED
	for (i = 0; i < n; i++) {
		h += (key[0] + (__u32)words[i]) * (key[1] + (words[i] >> 32));
		key += 2;
	}
	return (__u32)(h >> 32);
}

/* Does @protocol carry inner packets, or an identifier of its own (ESP's SPI)? */
rxaqm_always_inline bool rxaqm_flow_tunnel(__u8 protocol)
{
	return protocol < 64 && (1ULL << RXAQM_IPPROTO_IPIP | 1ULL << RXAQM_IPPROTO_IPV6 |
				 1ULL << RXAQM_IPPROTO_GRE | 1ULL << RXAQM_IPPROTO_ESP) >>
						protocol &
					1;
}

/* Offset of the packet inside GRE, whose header is at @off; 0: unknown. */
rxaqm_always_inline __u32 rxaqm_flow_gre(const struct rxaqm_frame *frame, __u32 off)
{
	__u8 header[4];
	__u16 flags;

	if (!rxaqm_frame_read(frame, off, header, sizeof(header)))
		return 0;
	flags = (__u16)(header[0] << 8 | header[1]);
	if (flags & RXAQM_GRE_VERSION)
		return 0;
	off += sizeof(header);
	off += flags & RXAQM_GRE_CHECKSUM ? 4 : 0;
	off += flags & RXAQM_GRE_KEY ? 4 : 0;
	off += flags & RXAQM_GRE_SEQUENCE ? 4 : 0;
	if ((header[2] << 8 | header[3]) == RXAQM_GRE_ETHERNET)
		off += RXAQM_ETH_HLEN;
	return off;
}

/* A hash that tells flows apart in the tunnel of @protocol, whose header is at @off; 0: nothing
 * does. @key: the flow key. It has words of its own for this, so that no inner packet can undo the
 * hash of the outer one.
 */
rxaqm_always_inline __u32 rxaqm_flow_inner(const struct rxaqm_frame *frame, __u8 protocol,
					   __u32 off, const volatile __u64 *key)
{
	__u64 words[RXAQM_FLOW_WORDS] = {};
	__u8 version;

	key += RXAQM_FLOW_KEY / 2;
	if (protocol == RXAQM_IPPROTO_ESP) {
		rxaqm_frame_read(frame, off, words, 4);
		return rxaqm_flow_hash(key, words, 1);
	}
	if (protocol == RXAQM_IPPROTO_GRE)
		off = rxaqm_flow_gre(frame, off);
	if (!off || !rxaqm_frame_read(frame, off, &version, 1))
		return 0;
	version >>= 4;
	if (version == 4 || version == 6)
		rxaqm_frame_read(frame, off + (version == 4 ? 12 : 8), words,
				 version == 4 ? 12 : 36);
	return rxaqm_flow_hash(key, words, RXAQM_FLOW_WORDS);
}

/* Eight bytes in memory order, at any alignment: packet.h says why. */
rxaqm_always_inline __u64 rxaqm_flow_bytes(const __u8 *p)
{
#ifdef __bpf__
	return *(const __u64 *)p;
#else
	__u64 bytes;

	memcpy(&bytes, p, sizeof(bytes));
	return bytes;
#endif
}

/* Copy the packet's addresses to @words: one word for IPv4, four for IPv6. @plain: as for
 * rxaqm_frame_headers(). Returns the number of words.
 */
rxaqm_always_inline __u32 rxaqm_flow_addresses(const struct rxaqm_packet *pkt,
					       const struct rxaqm_frame *frame, const __u8 *data,
					       __u32 plain, __u64 *words)
{
	__u32 n = 4;

	if (plain == RXAQM_IP4_HLEN) {
		words[0] = rxaqm_flow_bytes(data + RXAQM_ETH_HLEN + 12);
		return 1;
	}
	if (plain) {
		words[0] = rxaqm_flow_bytes(data + RXAQM_ETH_HLEN + 8);
		words[1] = rxaqm_flow_bytes(data + RXAQM_ETH_HLEN + 16);
		words[2] = rxaqm_flow_bytes(data + RXAQM_ETH_HLEN + 24);
		words[3] = rxaqm_flow_bytes(data + RXAQM_ETH_HLEN + 32);
		return 4;
	}
	if (pkt->ip_version == 4)
		n = 1;
	rxaqm_frame_read(frame, pkt->ip_off + (n == 1 ? 12 : 8), words, n * sizeof(*words));
	return n;
}

/* The hash by @key that identifies the packet's flow. */
rxaqm_always_inline __u32 rxaqm_flow_id(const struct rxaqm_packet *pkt,
					const struct rxaqm_frame *frame, const __u8 *data,
					__u32 plain, const volatile __u64 *key)
{
	__u64 words[RXAQM_FLOW_WORDS] = {};
	__u32 n, ports = 0;

	if (!pkt->fragment && !pkt->more_fragments && pkt->kind != RXAQM_KIND_SYN)
		ports = (__u32)pkt->sport << 16 | pkt->dport;
	words[0] = (__u64)(pkt->vlans + pkt->protocol * 2654435761U) << 32 | ports;
	n = 1 + rxaqm_flow_addresses(pkt, frame, data, plain, words + 1);
	return rxaqm_flow_hash(key, words, n);
}

#endif /* RXAQM_FLOW_ID_H */
