// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rx hardware timestamps for a veth: at tc egress of the sending end every packet is
 * stamped with the time of a simulated NIC clock, which may be decades off, drift and
 * be stepped. Marked as a delivery time the stamp crosses the veth, also into another
 * namespace, and is found in skb->tstamp on the receiving end.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#include "nicclock.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rig_nicclock);
} nicclock_map SEC(".maps");

SEC("tc")
int rig_nicclock(struct __sk_buff *skb)
{
	__u32 key = 0;
	struct rig_nicclock *clock = bpf_map_lookup_elem(&nicclock_map, &key);
	struct rig_nicclock now = {};

	if (!clock)
		return TC_ACT_UNSPEC;
	bpf_spin_lock(&clock->lock);
	now.off = clock->off;
	now.host_ref_ns = clock->host_ref_ns;
	now.hw_ref_ns = clock->hw_ref_ns;
	now.drift_q32 = clock->drift_q32;
	bpf_spin_unlock(&clock->lock);
	if (!now.off)
		bpf_skb_set_tstamp(skb, rig_nicclock_hw(&now, bpf_ktime_get_ns()),
				   BPF_SKB_TSTAMP_DELIVERY_MONO);
	return TC_ACT_UNSPEC;
}
