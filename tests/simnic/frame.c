// SPDX-License-Identifier: GPL-2.0-only
/* What the receiving hardware reads from a frame: the flow hash, and whether it is a PTP event. */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>

#include "simnic.h"

#define PTP_EVENT_PORT 319
#define VXLAN_PORT 4789
#define VXLAN_HLEN 8

/* The first bytes of a frame, wherever they lie: in an skb, or in @data. */
struct cursor {
	const struct simnic_rss *rss;
	const struct sk_buff *skb;
	const void *data;
	u32 len;
};

/* What is hashed: addresses as they are in the frame, and after them ports. */
struct tuple {
	u8 bytes[SIMNIC_RSS_INPUT];
	u32 len;
};

static const void *at(const struct cursor *c, u32 offset, u32 len, void *buf)
{
	if (c->skb)
		return skb_header_pointer(c->skb, offset, len, buf);
	return offset + len <= c->len ? c->data + offset : NULL;
}

/* Ports of TCP and UDP; other protocols hash by their addresses alone. */
static void parse_ports(const struct cursor *c, u32 offset, u8 proto, struct tuple *tuple,
			struct simnic_frame_info *info)
{
	__be16 buf[2];
	const __be16 *port = NULL;

	if (proto == IPPROTO_TCP || proto == IPPROTO_UDP)
		port = at(c, offset, sizeof(buf), buf);
	if (!port)
		return;
	memcpy(tuple->bytes + tuple->len, port, sizeof(buf));
	tuple->len += sizeof(buf);
	info->ptp_event = proto == IPPROTO_UDP && port[1] == htons(PTP_EVENT_PORT);
}

static __be16 type_at(const struct cursor *c, u32 offset)
{
	__be16 buf;
	const __be16 *type = at(c, offset, sizeof(buf), &buf);

	return type ? *type : 0;
}

/* Where in the frame the IPv4 header behind a tunnel's is, VXLAN, GRE without options or IPv4 in
 * IPv4, whose own ends at @offset; 0: there is none.
 */
static u32 inner_ipv4(const struct cursor *c, u32 offset, u8 proto)
{
	u32 ether = offset + sizeof(struct udphdr) + VXLAN_HLEN;

	if (proto == IPPROTO_IPIP)
		return offset;
	if (proto == IPPROTO_GRE && !type_at(c, offset) &&
	    type_at(c, offset + 2) == htons(ETH_P_IP))
		return offset + 4;
	if (proto == IPPROTO_UDP && type_at(c, offset + 2) == htons(VXLAN_PORT) &&
	    type_at(c, ether + 2 * ETH_ALEN) == htons(ETH_P_IP))
		return ether + ETH_HLEN;
	return 0;
}

static void parse_ipv4(const struct cursor *c, u32 offset, struct simnic_frame_info *info)
{
	struct tuple tuple = { .len = 2 * sizeof(__be32) };
	struct iphdr buf;
	u32 inner;
	const struct iphdr *ip = at(c, offset, sizeof(buf), &buf);

	if (!ip || ip->ihl < 5)
		return;
	inner = READ_ONCE(c->rss->inner) && !ip_is_fragment(ip) ?
			inner_ipv4(c, offset + ip->ihl * 4, ip->protocol) :
			0;
	if (inner) {
		offset = inner;
		ip = at(c, offset, sizeof(buf), &buf);
		if (!ip || ip->ihl < 5)
			return;
	}
	memcpy(tuple.bytes, &ip->saddr, tuple.len);
	if (!ip_is_fragment(ip)) /* all fragments go the same way */
		parse_ports(c, offset + ip->ihl * 4, ip->protocol, &tuple, info);
	info->hash = simnic_rss_hash(c->rss, tuple.bytes, tuple.len);
}

static void parse_ipv6(const struct cursor *c, u32 offset, struct simnic_frame_info *info)
{
	struct tuple tuple = { .len = 2 * sizeof(struct in6_addr) };
	struct ipv6hdr buf;
	const struct ipv6hdr *ip = at(c, offset, sizeof(buf), &buf);

	if (!ip)
		return;
	memcpy(tuple.bytes, &ip->saddr, tuple.len);
	parse_ports(c, offset + sizeof(buf), ip->nexthdr, &tuple, info);
	info->hash = simnic_rss_hash(c->rss, tuple.bytes, tuple.len);
}

/* Of @skb, or else of the @len bytes at @data. A hash of 0 means: none. */
void simnic_frame_parse(const struct simnic_rss *rss, struct sk_buff *skb, const void *data,
			u32 len, struct simnic_frame_info *info)
{
	const struct cursor c = { .rss = rss, .skb = skb, .data = data, .len = len };
	const __be16 *type;
	u32 offset = 2 * ETH_ALEN;
	__be16 buf;
	int tags;

	info->hash = 0;
	info->ptp_event = false;
	type = at(&c, offset, sizeof(buf), &buf);
	for (tags = 0; type && eth_type_vlan(*type) && tags < 2; tags++) {
		offset += VLAN_HLEN;
		type = at(&c, offset, sizeof(buf), &buf);
	}
	if (!type)
		return;
	offset += sizeof(*type);
	if (*type == htons(ETH_P_IP))
		parse_ipv4(&c, offset, info);
	else if (*type == htons(ETH_P_IPV6))
		parse_ipv6(&c, offset, info);
	else
		info->ptp_event = *type == htons(ETH_P_1588);
}
