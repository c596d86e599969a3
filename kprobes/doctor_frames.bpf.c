// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* doctor_frames: the size of frames with TCP data that go to drivers. Runs for seconds, on demand
 * ("rxaqm doctor --deep").
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "doctor_rec.h"
#include "netns.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86dd
#define IPPROTO_TCP 6

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RXAQM_DOCTOR_ENTRIES);
	__type(key, struct rxaqm_doctor_queue);
	__type(value, struct rxaqm_doctor_frames);
} frames_map SEC(".maps");

/* Bytes of TCP data in @skb; 0: none, or not TCP. */
static __u32 tcp_data(struct sk_buff *skb)
{
	unsigned char *head = skb->head, *ip = head + skb->network_header;
	__u32 l4 = skb->transport_header, headers = l4 - (__u32)(skb->data - head);
	__u8 protocol = 0, doff = 0;

	if (skb->protocol == bpf_htons(ETH_P_IP))
		bpf_probe_read_kernel(&protocol, 1, ip + 9);
	else if (skb->protocol == bpf_htons(ETH_P_IPV6))
		bpf_probe_read_kernel(&protocol, 1, ip + 6);
	if (protocol != IPPROTO_TCP || bpf_probe_read_kernel(&doff, 1, head + l4 + 12))
		return 0;
	headers += (doff >> 4) * 4;
	return skb->len > headers ? skb->len - headers : 0;
}

static __u32 log2_of(__u32 value)
{
	__u32 i, log = 0;

	for (i = 0; i < RXAQM_DOCTOR_SIZES - 1; i++) {
		value >>= 1;
		log += value > 0;
	}
	return log;
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(doctor_start_xmit, struct sk_buff *skb, struct net_device *dev)
{
	struct rxaqm_doctor_queue key = { (__u32)dev->ifindex, skb->queue_mapping };
	struct skb_shared_info *info = (void *)(skb->head + skb->end);
	struct rxaqm_doctor_frames *frames, empty = {};
	__u32 bytes = tcp_data(skb), log = log2_of(bytes);
	__u16 segments = BPF_CORE_READ(info, gso_segs);

	if (!bytes || !in_netns(dev))
		return 0;
	frames = bpf_map_lookup_elem(&frames_map, &key);
	if (!frames) {
		bpf_map_update_elem(&frames_map, &key, &empty, BPF_NOEXIST);
		frames = bpf_map_lookup_elem(&frames_map, &key);
	}
	if (!frames)
		return 0;
	frames->frames++;
	frames->bytes += bytes;
	frames->segments += segments ?: 1;
	if (log < RXAQM_DOCTOR_SIZES)
		frames->size[log]++;
	return 0;
}
