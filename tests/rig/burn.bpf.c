// SPDX-License-Identifier: GPL-2.0-only
/*
 * An overloaded network CPU, at will: at tc ingress, behind XDP, every packet keeps
 * the CPU busy for a while, as a slow stack would. 20 us a packet leave it about
 * 45,000 packets a second.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_cls.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <stdbool.h>
#include <stddef.h>

#include "burn.h"

char LICENSE[] SEC("license") = "GPL";

/* A turn reads the clock, which takes over 10 ns. */
#define TURNS_MAX (RIG_BURN_COST_MAX_NS / 10)
/* Where the verifier walks each; an emulated CPU takes over 100 us for them. */
#define TURNS_WALKED 4096

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rig_burn);
} burn_map SEC(".maps");

static long burn_turn(__u32 turn, void *ctx)
{
	__u64 *until_ns = ctx;

	(void)turn;
	return (__s64)(bpf_ktime_get_ns() - *until_ns) >= 0;
}

/* Protocol of @skb, and in @l4 and @end where its header begins and where the packet ends. */
static int ip_protocol(struct __sk_buff *skb, __u32 *l4, __u32 *end)
{
	struct ipv6hdr ip6;
	struct iphdr ip;

	if (skb->protocol == bpf_htons(ETH_P_IP) &&
	    !bpf_skb_load_bytes(skb, ETH_HLEN, &ip, sizeof(ip))) {
		*l4 = ETH_HLEN + ip.ihl * 4;
		*end = ETH_HLEN + bpf_ntohs(ip.tot_len);
		return ip.protocol;
	}
	if (skb->protocol == bpf_htons(ETH_P_IPV6) &&
	    !bpf_skb_load_bytes(skb, ETH_HLEN, &ip6, sizeof(ip6))) {
		*l4 = ETH_HLEN + sizeof(ip6);
		*end = *l4 + bpf_ntohs(ip6.payload_len);
		return ip6.nexthdr;
	}
	return -1;
}

static bool matches(struct __sk_buff *skb, __u32 match)
{
	struct tcphdr tcp;
	__u32 l4 = 0, end = 0;
	int protocol;

	if (match == RIG_BURN_ALL)
		return true;
	protocol = ip_protocol(skb, &l4, &end);
	if (protocol == IPPROTO_UDP)
		return match != RIG_BURN_TCP && end > l4 + sizeof(struct udphdr);
	if (protocol != IPPROTO_TCP || match == RIG_BURN_UDP)
		return false;
	return !bpf_skb_load_bytes(skb, l4, &tcp, sizeof(tcp)) && end > l4 + tcp.doff * 4;
}

/* Until when the packet keeps the CPU; 0: it does not. */
static __u64 burn_until(struct __sk_buff *skb)
{
	__u32 key = 0;
	struct rig_burn *burn = bpf_map_lookup_elem(&burn_map, &key);

	if (!burn || !burn->cost_ns || !matches(skb, burn->match))
		return 0;
	burn->packets++;
	return bpf_ktime_get_ns() + burn->cost_ns;
}

SEC("tc")
int rig_burn(struct __sk_buff *skb)
{
	__u64 until_ns = burn_until(skb);

	if (until_ns)
		bpf_loop(TURNS_MAX, burn_turn, &until_ns, 0);
	return TC_ACT_UNSPEC;
}

/* For kernels before 5.17, which have no bpf_loop(). */
SEC("?tc")
int rig_burn_walked(struct __sk_buff *skb)
{
	__u64 until_ns = burn_until(skb);
	__u32 i;

	for (i = 0; until_ns && i < TURNS_WALKED && !burn_turn(i, &until_ns); i++)
		;
	return TC_ACT_UNSPEC;
}
