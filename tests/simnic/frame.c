// SPDX-License-Identifier: GPL-2.0-only
/* What the receiving hardware reads from a frame: the flow hash, and whether it is a PTP event. */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/udp.h>
#include <net/ip.h>

#include "simnic.h"

#define PTP_EVENT_PORT 319

/* The first bytes of a frame, wherever they lie: in an skb, or in @data. */
struct cursor {
	const struct sk_buff *skb;
	const void *data;
	u32 len;
};

static const void *at(const struct cursor *c, u32 offset, u32 len, void *buf)
{
	if (c->skb)
		return skb_header_pointer(c->skb, offset, len, buf);
	return offset + len <= c->len ? c->data + offset : NULL;
}

/* Ports of TCP and UDP; other protocols hash by their addresses alone. */
static void parse_ports(const struct cursor *c, u32 offset, u8 proto, u32 addr_hash,
			struct simnic_frame_info *info)
{
	__be16 buf[2];
	const __be16 *port = NULL;

	if (proto == IPPROTO_TCP || proto == IPPROTO_UDP)
		port = at(c, offset, sizeof(buf), buf);
	if (!port) {
		info->hash = jhash_2words(addr_hash, proto, 0);
		return;
	}
	info->hash = jhash_3words(addr_hash, ((u32)ntohs(port[0]) << 16) | ntohs(port[1]), proto,
				  0);
	info->ptp_event = proto == IPPROTO_UDP && port[1] == htons(PTP_EVENT_PORT);
}

static void parse_ipv4(const struct cursor *c, u32 offset, struct simnic_frame_info *info)
{
	struct iphdr buf;
	const struct iphdr *ip = at(c, offset, sizeof(buf), &buf);
	u32 hash;

	if (!ip || ip->ihl < 5)
		return;
	hash = jhash_2words((__force u32)ip->saddr, (__force u32)ip->daddr, 0);
	if (ip_is_fragment(ip)) /* all fragments go the same way */
		info->hash = hash;
	else
		parse_ports(c, offset + ip->ihl * 4, ip->protocol, hash, info);
}

static void parse_ipv6(const struct cursor *c, u32 offset, struct simnic_frame_info *info)
{
	struct ipv6hdr buf;
	const struct ipv6hdr *ip = at(c, offset, sizeof(buf), &buf);

	if (ip)
		parse_ports(c, offset + sizeof(buf), ip->nexthdr,
			    jhash2((const u32 *)&ip->saddr, 8, 0), info);
}

/* Of @skb, or else of the @len bytes at @data. A hash of 0 means: none, queue 0. */
void simnic_frame_parse(struct sk_buff *skb, const void *data, u32 len,
			struct simnic_frame_info *info)
{
	const struct cursor c = { .skb = skb, .data = data, .len = len };
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
