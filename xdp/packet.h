/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The class of a frame. All loops are bounded, and nothing is assumed of the frame.
 *
 * Ethernet, up to two VLAN tags, IPv4 with options, IPv6 with up to six extension
 * headers, TCP and UDP. What cannot be parsed is exempt: it passes. Lengths come from
 * the IP header, never from the frame, which may be padded or trimmed of tags.
 *
 * Most packets are IP right after Ethernet, and are read in place; headers.h copies the others.
 */
#ifndef RXAQM_PACKET_H
#define RXAQM_PACKET_H

#include "shared/decide.h"

#define RXAQM_ETH_HLEN 14
#define RXAQM_ETH_TYPE_OFF 12
#define RXAQM_VLAN_HLEN 4
#define RXAQM_MAX_VLAN 2
#define RXAQM_MAX_IP6_EXT 6
#define RXAQM_L2_MAX (RXAQM_ETH_HLEN + RXAQM_MAX_VLAN * RXAQM_VLAN_HLEN)
#define RXAQM_IP4_HLEN 20 /* without options */
#define RXAQM_IP6_HLEN 40
#define RXAQM_TCP_HLEN 20 /* without options */
#define RXAQM_UDP_HLEN 8

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

#define RXAQM_IP4_MORE_FRAGMENTS 0x2000
#define RXAQM_IP4_FRAGMENT_OFFSET 0x1fff

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
	bool more_fragments; /* more fragments follow */
	bool fragment; /* a later fragment: no ports */
	__u16 sport, dport; /* host order; 0 where there are none */
	__u16 ip_off; /* bytes from data to the IP header */
	__u16 l4_off; /* to the header after IP and its extensions */
	__u32 payload; /* bytes after the TCP header */
	__u32 vlans; /* 13 bits a tag: 1, then its identifier; 0: no tag */
};

/* Network-order loads at any alignment, but not from the stack. In BPF each is one load: machines
 * that can read packets at any alignment may, where clang would go byte by byte.
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
#if defined(__bpf__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return __builtin_bswap32(*(const __u32 *)p);
#else
	return ((__u32)rxaqm_get_be16(p) << 16) | rxaqm_get_be16((const __u8 *)p + 2);
#endif
}

/* Parse Ethernet's type at @l2 and up to two VLAN tags. Returns the type after them, and sets
 * ip_off.
 */
rxaqm_always_inline __u16 rxaqm_packet_l2(struct rxaqm_packet *pkt, const __u8 *l2)
{
	__u16 proto = rxaqm_get_be16(l2);
	__u32 off = 2;
	int i;

	for (i = 0; i < RXAQM_MAX_VLAN; i++) {
		if (proto != RXAQM_ETH_P_8021Q && proto != RXAQM_ETH_P_8021AD)
			break;
		pkt->vlans = pkt->vlans << 13 | 0x1000 | (rxaqm_get_be16(l2 + off) & 0xfff);
		proto = rxaqm_get_be16(l2 + off + 2);
		off += RXAQM_VLAN_HLEN;
	}
	pkt->ip_off = (__u16)(RXAQM_ETH_TYPE_OFF + off);
	return proto;
}

rxaqm_always_inline void rxaqm_packet_tos(struct rxaqm_packet *pkt, __u8 tos)
{
	pkt->ecn = tos & 3;
	pkt->dscp = tos >> 2;
}

/* Parse the IPv4 header at @ip. Sets @l4_len to the bytes after it by its length. False if
 * impossible.
 */
rxaqm_always_inline bool rxaqm_packet_ip4(struct rxaqm_packet *pkt, const __u8 *ip, __u32 *l4_len)
{
	__u32 hlen = (ip[0] & 0xfU) * 4, total = rxaqm_get_be16(ip + 2);
	__u16 fragment = rxaqm_get_be16(ip + 6);

	if ((ip[0] >> 4) != 4 || hlen < RXAQM_IP4_HLEN || total < hlen)
		return false;
	pkt->ip_version = 4;
	rxaqm_packet_tos(pkt, ip[1]);
	pkt->protocol = ip[9];
	pkt->more_fragments = fragment & RXAQM_IP4_MORE_FRAGMENTS;
	pkt->fragment = fragment & RXAQM_IP4_FRAGMENT_OFFSET;
	pkt->l4_off = (__u16)(pkt->ip_off + hlen);
	*l4_len = total - hlen;
	return true;
}

/* The same for IPv6 without its extension headers. */
rxaqm_always_inline bool rxaqm_packet_ip6(struct rxaqm_packet *pkt, const __u8 *ip, __u32 *l4_len)
{
	if ((ip[0] >> 4) != 6)
		return false;
	pkt->ip_version = 6;
	rxaqm_packet_tos(pkt, (__u8)(rxaqm_get_be16(ip) >> 4));
	pkt->protocol = ip[6];
	pkt->l4_off = (__u16)(pkt->ip_off + RXAQM_IP6_HLEN);
	*l4_len = rxaqm_get_be16(ip + 4);
	return true;
}

#define RXAQM_IP6_EXT                                                    \
	(1ULL << RXAQM_IPPROTO_HOPOPTS | 1ULL << RXAQM_IPPROTO_ROUTING | \
	 1ULL << RXAQM_IPPROTO_FRAGMENT | 1ULL << RXAQM_IPPROTO_AH |     \
	 1ULL << RXAQM_IPPROTO_DSTOPTS)

rxaqm_always_inline bool rxaqm_packet_is_ext(__u8 proto)
{
	return proto < 64 && (RXAQM_IP6_EXT >> proto) & 1;
}

/* Protocols, and ports of UDP, that a host must not lose to an AQM, whatever the policy. */
rxaqm_always_inline bool rxaqm_packet_control(__u8 protocol, __u16 dport)
{
	switch (protocol) {
	case RXAQM_IPPROTO_ICMP:
	case RXAQM_IPPROTO_IGMP:
	case RXAQM_IPPROTO_ICMPV6: /* neighbour discovery, path MTU */
	case RXAQM_IPPROTO_OSPF:
	case RXAQM_IPPROTO_VRRP:
		return true;
	case RXAQM_IPPROTO_UDP:
		return dport == RXAQM_PORT_PTP_EVENT || dport == RXAQM_PORT_PTP_GENERAL;
	}
	return false;
}

/* Parse the ports and the class. @l4_len: bytes after IP, by its header. False if that cannot be.
 */
rxaqm_always_inline bool rxaqm_packet_l4(struct rxaqm_packet *pkt, const __u8 *l4, __u32 l4_len)
{
	__u32 ports, hlen;
	__u8 flags;

	pkt->kind = RXAQM_KIND_DATA;
	if (pkt->protocol != RXAQM_IPPROTO_TCP && pkt->protocol != RXAQM_IPPROTO_UDP)
		return true;
	if (pkt->fragment)
		return true;
	ports = rxaqm_get_be32(l4);
	pkt->sport = (__u16)(ports >> 16);
	pkt->dport = (__u16)ports;
	if (pkt->protocol == RXAQM_IPPROTO_UDP)
		return l4_len >= RXAQM_UDP_HLEN;
	hlen = (l4[12] >> 4) * 4U;
	flags = l4[13];
	/* The TCP header of a fragmented segment may go on in the next fragment. */
	if (hlen < RXAQM_TCP_HLEN || l4_len < RXAQM_TCP_HLEN ||
	    (hlen > l4_len && !pkt->more_fragments))
		return false;
	pkt->tcp_hlen = (__u8)hlen;
	pkt->tcp_flags = flags;
	pkt->payload = l4_len > hlen ? l4_len - hlen : 0;
	if (flags & (RXAQM_TCP_SYN | RXAQM_TCP_FIN | RXAQM_TCP_RST))
		pkt->kind = RXAQM_KIND_SYN;
	else if ((flags & ~(RXAQM_TCP_ECE | RXAQM_TCP_CWR)) == RXAQM_TCP_ACK && l4_len == hlen &&
		 !pkt->more_fragments)
		pkt->kind = RXAQM_KIND_ACK;
	else
		pkt->kind = RXAQM_KIND_TCP;
	return true;
}

/* Which PSH is it? A signature may cover what is behind an extension header (AH). Without branches,
 * each of which the verifier would follow through all that comes after.
 */
rxaqm_always_inline __u32 rxaqm_packet_psh(const struct rxaqm_packet *pkt)
{
	__u32 hlen = pkt->ip_version * 10U - 20; /* without options or extensions: 20, 40 */
	__u32 differs = (pkt->tcp_flags ^ (RXAQM_TCP_ACK | RXAQM_TCP_PSH)) |
			(pkt->l4_off ^ (pkt->ip_off + hlen)) | pkt->more_fragments;
	__u32 shorter = RXAQM_MERGE_PAYLOAD - 1 - pkt->payload; /* negative: it is not */
	__u32 full;

	RXAQM_HIDE(differs);
	RXAQM_HIDE(shorter);
	full = (differs - 1) & shorter; /* all are below 2^31 */
	return (pkt->tcp_flags / RXAQM_TCP_PSH & 1) + (full >> 31);
}

/* Does the policy exempt one of the ports? 0 stands for no port and is never exempt. */
static inline bool rxaqm_packet_exempt_port(const struct rxaqm_policy *policy, __u16 sport,
					    __u16 dport)
{
	int i;

	RXAQM_ROLLED
	for (i = 0; i < RXAQM_MAX_EXEMPT_PORTS; i++) {
		__u16 port = policy->exempt_port[i];
		int nr = policy->nr_exempt_ports;

		RXAQM_HIDE(nr); /* else clang counts down to 0, which looks endless to 6.1 */
		if (i >= nr)
			break;
		if (port == sport || port == dport)
			return true;
	}
	return false;
}

/* Is it IP right after Ethernet, without options or extension headers, and with all headers in the
 * first fragment? Most packets are. Returns the length of the IP header, or 0.
 */
rxaqm_always_inline __u32 rxaqm_packet_plain(const void *data, const void *data_end)
{
	const __u8 *ip = (const __u8 *)data + RXAQM_ETH_HLEN;
	__u16 proto;

	if (ip + RXAQM_IP4_HLEN + RXAQM_TCP_HLEN > (const __u8 *)data_end)
		return 0;
	proto = rxaqm_get_be16(ip - 2);
	if (proto == RXAQM_ETH_P_IP && ip[0] == 0x45)
		return RXAQM_IP4_HLEN;
	if (proto == RXAQM_ETH_P_IPV6 &&
	    ip + RXAQM_IP6_HLEN + RXAQM_TCP_HLEN <= (const __u8 *)data_end &&
	    !rxaqm_packet_is_ext(ip[6]))
		return RXAQM_IP6_HLEN;
	return 0;
}

#endif /* RXAQM_PACKET_H */
