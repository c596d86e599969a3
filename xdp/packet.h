/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What class a frame is of: pure over (data, data_end), bounded, nothing assumed.
 *
 * Ethernet, up to two VLAN tags, IPv4 with options, IPv6 with up to six extension
 * headers, TCP and UDP. What cannot be parsed is exempt: it passes. Lengths come from
 * the IP header, never from the frame, which may be padded, trimmed of tags or, with
 * multi-buffer XDP, only the head of the packet.
 */
#ifndef RXAQM_PACKET_H
#define RXAQM_PACKET_H

#include "shared/decide.h"

#define RXAQM_ETH_HLEN 14
#define RXAQM_VLAN_HLEN 4
#define RXAQM_MAX_VLAN 2
#define RXAQM_MAX_IP6_EXT 6
#define RXAQM_IP_OFF_MASK 0x1f /* beyond 22 */
#define RXAQM_L4_OFF_MASK 0x3fff /* beyond 22 + 40 + 6 * 2048 */

#define RXAQM_ETH_P_IP 0x0800
#define RXAQM_ETH_P_IPV6 0x86dd
#define RXAQM_ETH_P_8021Q 0x8100
#define RXAQM_ETH_P_8021AD 0x88a8

#define RXAQM_IPPROTO_HOPOPTS 0
#define RXAQM_IPPROTO_ICMP 1
#define RXAQM_IPPROTO_IGMP 2
#define RXAQM_IPPROTO_TCP 6
#define RXAQM_IPPROTO_UDP 17
#define RXAQM_IPPROTO_ROUTING 43
#define RXAQM_IPPROTO_FRAGMENT 44
#define RXAQM_IPPROTO_AH 51
#define RXAQM_IPPROTO_ICMPV6 58
#define RXAQM_IPPROTO_DSTOPTS 60
#define RXAQM_IPPROTO_OSPF 89
#define RXAQM_IPPROTO_VRRP 112

/* PTP event and general messages (IEEE 1588, annex C). */
#define RXAQM_PORT_PTP_EVENT 319
#define RXAQM_PORT_PTP_GENERAL 320

/* Network control (RFC 2474, 4.2.2): what BGP, OSPF and their like are sent with. */
#define RXAQM_DSCP_CS6 48
#define RXAQM_DSCP_CS7 56

#define RXAQM_TCP_FIN 0x01
#define RXAQM_TCP_SYN 0x02
#define RXAQM_TCP_RST 0x04
#define RXAQM_TCP_PSH 0x08
#define RXAQM_TCP_ACK 0x10
#define RXAQM_TCP_URG 0x20
#define RXAQM_TCP_ECE 0x40
#define RXAQM_TCP_CWR 0x80

struct rxaqm_packet {
	__u8 kind; /* enum rxaqm_kind */
	__u8 ecn; /* IP codepoint */
	__u8 dscp;
	__u8 ip_version; /* 4, 6; 0: not IP */
	__u8 protocol; /* after the extension headers */
	__u8 tcp_flags;
	__u8 tcp_hlen; /* bytes; 0: not TCP, or a later fragment */
	__u8 fragment; /* not the first: no ports */
	__u16 sport, dport; /* host order; 0 where there are none */
	__u16 ip_off; /* bytes from data to the IP header */
	__u16 l4_off; /* to the header after IP and its extensions */
	__u32 payload; /* bytes after the TCP header */
};

/* Network-order loads that need no alignment. One load each in BPF, where packets may be read
 * at any alignment on machines that can and clang would go byte by byte.
 */
rxaqm_always_inline __u16 rxaqm_get_be16(const void *p)
{
#if defined(__bpf__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return __builtin_bswap16(*(const __u16 *)p);
#else
	const __u8 *b = (const __u8 *)p;

	return (__u16)((b[0] << 8) | b[1]);
#endif
}

rxaqm_always_inline __u32 rxaqm_get_be32(const void *p)
{
	return ((__u32)rxaqm_get_be16(p) << 16) | rxaqm_get_be16((const __u8 *)p + 2);
}

/* Ethernet and its tags. Returns the ethertype, 0 if cut short, and sets ip_off. */
rxaqm_always_inline __u16 rxaqm_packet_l2(struct rxaqm_packet *pkt, const __u8 *data,
					  const __u8 *data_end)
{
	__u32 off = RXAQM_ETH_HLEN;
	__u16 proto;
	int i;

	if (data + RXAQM_ETH_HLEN > data_end)
		return 0;
	proto = rxaqm_get_be16(data + 12);
	for (i = 0; i < RXAQM_MAX_VLAN; i++) {
		if (proto != RXAQM_ETH_P_8021Q && proto != RXAQM_ETH_P_8021AD)
			break;
		if (data + off + RXAQM_VLAN_HLEN > data_end)
			return 0;
		proto = rxaqm_get_be16(data + off + 2);
		off += RXAQM_VLAN_HLEN;
	}
	pkt->ip_off = (__u16)off;
	return proto;
}

/* Ports and, for TCP, what tells a pure ACK. @l4_len is what IP says follows. */
rxaqm_always_inline void rxaqm_packet_l4(struct rxaqm_packet *pkt, const __u8 *l4, __u32 l4_len,
					 const __u8 *data_end)
{
	__u8 flags, hlen;

	if (pkt->fragment)
		return;
	if (pkt->protocol == RXAQM_IPPROTO_UDP) {
		if (l4 + 8 > data_end)
			return;
		pkt->sport = rxaqm_get_be16(l4);
		pkt->dport = rxaqm_get_be16(l4 + 2);
		return;
	}
	if (pkt->protocol != RXAQM_IPPROTO_TCP || l4 + 20 > data_end)
		return;
	pkt->sport = rxaqm_get_be16(l4);
	pkt->dport = rxaqm_get_be16(l4 + 2);
	hlen = (__u8)((l4[12] >> 4) * 4);
	flags = l4[13];
	if (hlen < 20 || hlen > l4_len)
		return;
	pkt->tcp_hlen = hlen;
	pkt->tcp_flags = flags;
	pkt->payload = l4_len - hlen;
	flags &= (__u8) ~(RXAQM_TCP_ECE | RXAQM_TCP_CWR);
	if (flags == RXAQM_TCP_ACK && !pkt->payload)
		pkt->kind = RXAQM_KIND_ACK;
}

rxaqm_always_inline bool rxaqm_packet_ip4(struct rxaqm_packet *pkt, const __u8 *ip,
					  const __u8 *data, const __u8 *data_end)
{
	__u32 hlen, total;

	if (ip + 20 > data_end || (ip[0] >> 4) != 4)
		return false;
	hlen = (ip[0] & 0xfU) * 4;
	total = rxaqm_get_be16(ip + 2);
	if (hlen < 20 || total < hlen || ip + hlen > data_end)
		return false;
	pkt->ip_version = 4;
	pkt->ecn = ip[1] & 3;
	pkt->dscp = ip[1] >> 2;
	pkt->protocol = ip[9];
	pkt->fragment = (rxaqm_get_be16(ip + 6) & 0x1fff) != 0;
	pkt->l4_off = (__u16)(ip + hlen - data);
	rxaqm_packet_l4(pkt, ip + hlen, total - hlen, data_end);
	return true;
}

rxaqm_always_inline bool rxaqm_packet_is_ext(__u8 proto)
{
	return proto == RXAQM_IPPROTO_HOPOPTS || proto == RXAQM_IPPROTO_ROUTING ||
	       proto == RXAQM_IPPROTO_FRAGMENT || proto == RXAQM_IPPROTO_AH ||
	       proto == RXAQM_IPPROTO_DSTOPTS;
}

/* The header @off bytes into the frame, which is never beyond the mask: with an offset of the
 * same bounds each time the verifier finds little new in a further extension header.
 */
rxaqm_always_inline const __u8 *rxaqm_packet_at(const __u8 *data, __u32 off)
{
	return data + (off & RXAQM_L4_OFF_MASK);
}

/* @plain: there are no extension headers. */
rxaqm_always_inline bool rxaqm_packet_ip6(struct rxaqm_packet *pkt, const __u8 *ip,
					  const __u8 *data, const __u8 *data_end, bool plain)
{
	__u32 off = pkt->ip_off + 40U;
	__u32 left;
	__u8 proto;
	int i;

	if (ip + 40 > data_end || (ip[0] >> 4) != 6)
		return false;
	pkt->ip_version = 6;
	pkt->ecn = (ip[1] >> 4) & 3;
	pkt->dscp = (__u8)(((ip[0] & 0xf) << 2) | (ip[1] >> 6));
	left = rxaqm_get_be16(ip + 4);
	proto = ip[6];
	for (i = 0; !plain && i < RXAQM_MAX_IP6_EXT; i++) {
		const __u8 *next = rxaqm_packet_at(data, off);
		__u32 len;

		if (!rxaqm_packet_is_ext(proto))
			break;
		if (next + 8 > data_end)
			return false;
		len = (next[1] + 1U) * 8;
		if (proto == RXAQM_IPPROTO_AH)
			len = (next[1] + 2U) * 4;
		if (proto == RXAQM_IPPROTO_FRAGMENT) {
			len = 8;
			pkt->fragment |= (rxaqm_get_be16(next + 2) & 0xfff8) != 0;
		}
		if (len > left)
			return false;
		proto = next[0];
		off += len;
		left -= len;
		/* What follows the header of a later fragment is not a header. */
		if (pkt->fragment)
			break;
	}
	/* More of them than we look at: neighbour discovery may be behind them. */
	if (!plain && !pkt->fragment && rxaqm_packet_is_ext(proto))
		return false;
	pkt->protocol = proto;
	pkt->l4_off = (__u16)off;
	rxaqm_packet_l4(pkt, plain ? ip + 40 : rxaqm_packet_at(data, off), left, data_end);
	return true;
}

/* Traffic that a host must not lose to an AQM, whatever the policy. */
rxaqm_always_inline bool rxaqm_packet_control(const struct rxaqm_packet *pkt)
{
	switch (pkt->protocol) {
	case RXAQM_IPPROTO_ICMP:
	case RXAQM_IPPROTO_IGMP:
	case RXAQM_IPPROTO_ICMPV6: /* neighbour discovery, path MTU */
	case RXAQM_IPPROTO_OSPF:
	case RXAQM_IPPROTO_VRRP:
		return true;
	case RXAQM_IPPROTO_UDP:
		if (pkt->dport == RXAQM_PORT_PTP_EVENT || pkt->dport == RXAQM_PORT_PTP_GENERAL)
			return true;
		break;
	}
	return pkt->dscp == RXAQM_DSCP_CS6 || pkt->dscp == RXAQM_DSCP_CS7;
}

/* Is it to or from a port that the policy exempts? */
static inline bool rxaqm_packet_exempt_port(const struct rxaqm_policy *policy, __u16 sport,
					    __u16 dport)
{
	int i;

	if (!sport && !dport)
		return false;
	for (i = 0; i < RXAQM_MAX_EXEMPT_PORTS; i++) {
		__u16 port = policy->exempt_port[i];

		if (i >= policy->nr_exempt_ports)
			break;
		if (port == sport || port == dport)
			return true;
	}
	return false;
}

/* Parse the frame at @data and classify it under @policy, but for its exempt ports. @plain is
 * what rxaqm_packet_plain() said, or false.
 */
rxaqm_always_inline void rxaqm_packet_parse(struct rxaqm_packet *pkt, const void *data,
					    const void *data_end, const struct rxaqm_policy *policy,
					    bool plain)
{
	const __u8 *begin = (const __u8 *)data, *end = (const __u8 *)data_end;
	bool parsed = false;
	__u16 proto;

	__builtin_memset(pkt, 0, sizeof(*pkt));
	pkt->kind = RXAQM_KIND_DATA;
	proto = rxaqm_packet_l2(pkt, begin, end);
	if (proto == RXAQM_ETH_P_IP)
		parsed = rxaqm_packet_ip4(pkt, begin + pkt->ip_off, begin, end);
	else if (proto == RXAQM_ETH_P_IPV6)
		parsed = rxaqm_packet_ip6(pkt, begin + pkt->ip_off, begin, end, plain);
	if (!parsed || rxaqm_packet_control(pkt) ||
	    (policy->exempt_dscp & (1ULL << (pkt->dscp & 63))))
		pkt->kind = RXAQM_KIND_EXEMPT;
}

/* Is it IP right after Ethernet, without options or extension headers? Most packets are.
 * Where this is known, the compiler reduces rxaqm_packet_parse() to constant offsets.
 */
rxaqm_always_inline bool rxaqm_packet_plain(const void *data, const void *data_end)
{
	const __u8 *begin = (const __u8 *)data;
	__u16 proto;

	if (begin + RXAQM_ETH_HLEN + 40 > (const __u8 *)data_end)
		return false;
	proto = rxaqm_get_be16(begin + 12);
	if (proto == RXAQM_ETH_P_IP)
		return begin[RXAQM_ETH_HLEN] == 0x45;
	return proto == RXAQM_ETH_P_IPV6 && !rxaqm_packet_is_ext(begin[RXAQM_ETH_HLEN + 6]);
}

/* Parse the frame at @data and classify it under @policy. */
static inline void rxaqm_packet_classify(struct rxaqm_packet *pkt, const void *data,
					 const void *data_end, const struct rxaqm_policy *policy)
{
	rxaqm_packet_parse(pkt, data, data_end, policy, false);
	if (policy->nr_exempt_ports && rxaqm_packet_exempt_port(policy, pkt->sport, pkt->dport))
		pkt->kind = RXAQM_KIND_EXEMPT;
}

#endif /* RXAQM_PACKET_H */
