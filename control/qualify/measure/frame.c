/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/measure/frame.h"

#include <arpa/inet.h>
#include <endian.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <string.h>

#define ADDRESS_FROM 0xc6120100U /* 198.18.1.0 and on; RFC 2544, RFC 6890 */
#define ADDRESS_TO 0xc6120002U
#define PORT_FROM 1024
#define PORT_TO 9 /* discard */
#define PORT_PTP_EVENT 319
#define PORT_VXLAN 4789
#define ETHERTYPE_PTP 0x88f7

const char *const qualify_kinds[QUALIFY_NR_KINDS + 1] = {
	[QUALIFY_UDP4] = "udp4",	   [QUALIFY_TCP4] = "tcp4",
	[QUALIFY_STREAM] = "stream",	   [QUALIFY_UDP6] = "udp6",
	[QUALIFY_VLAN] = "vlan",	   [QUALIFY_FRAGMENT] = "fragment",
	[QUALIFY_PTP_L2] = "ptp_l2",	   [QUALIFY_PTP_UDP] = "ptp_udp",
	[QUALIFY_VXLAN] = "vxlan",	   [QUALIFY_GRE] = "gre",
	[QUALIFY_IPIP] = "ipip",	   [QUALIFY_VXLAN_OUTER] = "vxlan_outer",
	[QUALIFY_GRE_OUTER] = "gre_outer", [QUALIFY_IPIP_OUTER] = "ipip_outer",
};

/* Add @data to the Internet checksum (RFC 1071) @sum. */
static __u32 add_up(__u32 sum, const void *data, size_t size)
{
	const __u8 *at = data;
	size_t i;

	for (i = 0; i + 1 < size; i += 2)
		sum += (__u32)(at[i] << 8 | at[i + 1]);
	return size & 1 ? sum + (__u32)(at[size - 1] << 8) : sum;
}

static __u16 fold(__u32 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((__u16)~sum);
}

static __u32 address_of(unsigned int flow)
{
	return ADDRESS_FROM + (flow & 0xff);
}

static __u16 port_of(unsigned int flow)
{
	return (__u16)(PORT_FROM + flow % 60000);
}

static unsigned char *put_ip4(unsigned char *at, unsigned int flow, __u8 protocol, __u16 frag_off,
			      unsigned char *end)
{
	struct iphdr ip = {
		.version = 4,
		.ihl = 5,
		.ttl = 1, /* stays on the link */
		.tot_len = htons((__u16)(end - at)),
		.protocol = protocol,
		.frag_off = htons(frag_off),
		.saddr = htonl(address_of(flow)),
		.daddr = htonl(ADDRESS_TO),
	};

	ip.check = fold(add_up(0, &ip, sizeof(ip)));
	memcpy(at, &ip, sizeof(ip));
	return at + sizeof(ip);
}

static unsigned char *put_ip6(unsigned char *at, const struct qualify_frame *frame,
			      unsigned char *end)
{
	struct ip6_hdr ip = {
		.ip6_flow = htonl(6U << 28),
		.ip6_plen = htons((__u16)(end - at - (long)sizeof(ip))),
		.ip6_nxt = IPPROTO_UDP,
		.ip6_hlim = 1,
	};

	/* RFC 5180 has 2001:2::/48 for benchmarks. */
	ip.ip6_src.s6_addr32[0] = ip.ip6_dst.s6_addr32[0] = htonl(0x20010002);
	ip.ip6_src.s6_addr32[3] = htonl(address_of(frame->flow));
	ip.ip6_dst.s6_addr32[3] = htonl(ADDRESS_TO);
	memcpy(at, &ip, sizeof(ip));
	return at + sizeof(ip);
}

static unsigned char *put_udp(unsigned char *at, unsigned int flow, __u16 to, unsigned char *end)
{
	struct udphdr udp = {
		.source = htons(port_of(flow)),
		.dest = htons(to),
		.len = htons((__u16)(end - at)),
	};

	memcpy(at, &udp, sizeof(udp));
	return at + sizeof(udp);
}

static void put_tcp(unsigned char *at, const struct qualify_frame *frame, __u32 seq,
		    unsigned char *end)
{
	__u32 payload = (__u32)(end - at) - (__u32)sizeof(struct tcphdr);
	struct tcphdr tcp = {
		.source = htons(port_of(frame->flow)),
		.dest = htons(PORT_TO),
		.seq = htonl(frame->kind == QUALIFY_STREAM ? seq * payload : ~seq * 100000),
		.ack_seq = htonl(1),
		.doff = 5,
		.ack = 1,
		.window = htons(1024),
	};

	memcpy(at, &tcp, sizeof(tcp));
}

/* Set the checksum of TCP or UDP at @at; @addresses are for its pseudo header. */
static void sum_l4(unsigned char *at, size_t check_at, unsigned char *end, __u8 protocol,
		   const unsigned char *addresses, size_t nr_addresses)
{
	__u32 sum = (__u32)(end - at) + protocol;
	__u16 check;

	sum = add_up(sum, addresses, nr_addresses);
	check = fold(add_up(sum, at, (size_t)(end - at)));
	memcpy(at + check_at, &check, sizeof(check));
}

/* A Sync message (IEEE 1588-2019, 13.3), version 2, of the length available. */
static void put_ptp(unsigned char *at, unsigned char *end)
{
	at[0] = 0;
	at[1] = 2;
	at[2] = (__u8)((end - at) >> 8);
	at[3] = (__u8)(end - at);
}

static unsigned char *put_ethernet(unsigned char *buf, const struct qualify_frame *frame)
{
	__u16 type = htons(frame->kind == QUALIFY_UDP6	 ? ETHERTYPE_IPV6 :
			   frame->kind == QUALIFY_PTP_L2 ? ETHERTYPE_PTP :
							   ETHERTYPE_IP);
	const __u16 tag[2] = { htons(ETHERTYPE_VLAN), 0 };

	memcpy(buf, frame->to, ETH_ALEN);
	memcpy(buf + ETH_ALEN, frame->from, ETH_ALEN);
	buf += 2 * ETH_ALEN;
	if (frame->kind == QUALIFY_VLAN) {
		memcpy(buf, tag, sizeof(tag));
		buf += sizeof(tag);
	}
	memcpy(buf, &type, sizeof(type));
	return buf + sizeof(type);
}

/* The headers of a tunnel (RFC 7348, 2784, 2003) and of a datagram in it. */
static void put_tunnel(unsigned char *at, const struct qualify_frame *frame, unsigned char *end)
{
	static const __u8 vxlan[8] = { 0x08, 0, 0, 0, 0, 0, 1, 0 }, gre[4] = { 0, 0, 0x08, 0 };
	bool outer = frame->kind >= QUALIFY_VXLAN_OUTER;
	unsigned int tunnel = outer ? frame->flow : 0, flow = outer ? 0 : frame->flow;

	switch (frame->kind) {
	case QUALIFY_VXLAN:
	case QUALIFY_VXLAN_OUTER:
		at = put_ip4(at, tunnel, IPPROTO_UDP, IP_DF, end);
		at = put_udp(at, tunnel, PORT_VXLAN, end);
		memcpy(at, vxlan, sizeof(vxlan));
		at = put_ethernet(at + sizeof(vxlan), frame);
		break;
	case QUALIFY_GRE:
	case QUALIFY_GRE_OUTER:
		at = put_ip4(at, tunnel, IPPROTO_GRE, IP_DF, end);
		memcpy(at, gre, sizeof(gre));
		at += sizeof(gre);
		break;
	default:
		at = put_ip4(at, tunnel, IPPROTO_IPIP, IP_DF, end);
	}
	at = put_ip4(at, flow, IPPROTO_UDP, IP_DF, end);
	put_udp(at, flow, PORT_TO, end);
}

static size_t mark_of(enum qualify_kind kind)
{
	return kind == QUALIFY_UDP4  ? QUALIFY_MARK_SHORT :
	       kind >= QUALIFY_VXLAN ? QUALIFY_MARK_TUNNEL :
				       QUALIFY_MARK_LONG;
}

size_t qualify_frame_build(unsigned char *buf, const struct qualify_frame *frame, __u32 seq,
			   __u64 sent_ns)
{
	size_t mark_at = mark_of(frame->kind);
	size_t least = mark_at + sizeof(struct qualify_mark), size = frame->size;
	struct qualify_mark mark = { htonl(QUALIFY_MAGIC), htonl(seq), htobe64(sent_ns) };
	unsigned char *at, *ip, *end;

	least = least < QUALIFY_FRAME_MIN ? QUALIFY_FRAME_MIN : least;
	size = size < least ? least : size > QUALIFY_FRAME_MAX ? QUALIFY_FRAME_MAX : size;
	memset(buf, 0, size);
	end = buf + size;
	memcpy(buf + mark_at, &mark, sizeof(mark));
	ip = put_ethernet(buf, frame);
	switch (frame->kind) {
	case QUALIFY_PTP_L2:
		put_ptp(ip, end);
		break;
	case QUALIFY_UDP6:
		at = put_ip6(ip, frame, end);
		put_udp(at, frame->flow, PORT_TO, end);
		sum_l4(at, offsetof(struct udphdr, check), end, IPPROTO_UDP, ip + 8, 32);
		break;
	case QUALIFY_TCP4:
	case QUALIFY_STREAM:
		at = put_ip4(ip, frame->flow, IPPROTO_TCP, IP_DF, end);
		put_tcp(at, frame, seq, end);
		sum_l4(at, offsetof(struct tcphdr, check), end, IPPROTO_TCP, ip + 12, 8);
		break;
	case QUALIFY_FRAGMENT:
		put_ip4(ip, frame->flow, IPPROTO_UDP, 1, end);
		break;
	case QUALIFY_PTP_UDP:
		at = put_ip4(ip, frame->flow, IPPROTO_UDP, IP_DF, end);
		put_ptp(put_udp(at, frame->flow, PORT_PTP_EVENT, end), end);
		break;
	case QUALIFY_UDP4:
	case QUALIFY_VLAN: /* UDP over IPv4 needs no checksum */
		at = put_ip4(ip, frame->flow, IPPROTO_UDP, IP_DF, end);
		put_udp(at, frame->flow, PORT_TO, end);
		break;
	default:
		put_tunnel(ip, frame, end);
	}
	return size;
}

bool qualify_frame_mark(const unsigned char *data, size_t size, struct qualify_mark *ret_mark)
{
	static const size_t ats[] = { QUALIFY_MARK_SHORT, QUALIFY_MARK_UNTAGGED, QUALIFY_MARK_LONG,
				      QUALIFY_MARK_TUNNEL };
	size_t i;

	for (i = 0; i < sizeof(ats) / sizeof(ats[0]); i++) {
		if (ats[i] + sizeof(*ret_mark) > size)
			continue;
		memcpy(ret_mark, data + ats[i], sizeof(*ret_mark));
		if (ntohl(ret_mark->magic) != QUALIFY_MAGIC)
			continue;
		ret_mark->seq = ntohl(ret_mark->seq);
		ret_mark->sent_ns = be64toh(ret_mark->sent_ns);
		return true;
	}
	return false;
}

size_t qualify_frame_tuple(unsigned int flow, bool ports, __u8 ret_tuple[12])
{
	__u32 words[3] = { htonl(address_of(flow)), htonl(ADDRESS_TO),
			   htonl((__u32)port_of(flow) << 16 | PORT_TO) };

	memcpy(ret_tuple, words, sizeof(words));
	return ports ? 12 : 8;
}
