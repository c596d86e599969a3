// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * doctor_drops: where the kernel drops packets, and for which reason. Runs for seconds, on demand
 * ("rxaqm doctor --deep").
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "doctor_rec.h"
#include "netns.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RXAQM_DOCTOR_ENTRIES);
	__type(key, struct rxaqm_doctor_drop);
	__type(value, __u64);
} drops_map SEC(".maps");

/* A packet that a socket holds has other data in place of its device: read with care. A packet
 * whose network namespace is not known is counted, too.
 */
SEC("tp_btf/kfree_skb")
int BPF_PROG(doctor_drop, struct sk_buff *skb, void *location, __u32 reason)
{
	__u32 inum = BPF_CORE_READ(skb, dev, nd_net.net, ns.inum);
	struct rxaqm_doctor_drop key = { (__u64)location, reason, inum != 0 };
	__u64 *drops, none = 0;

	if (inum && inum != netns_inum)
		return 0;
	drops = bpf_map_lookup_elem(&drops_map, &key);
	if (!drops) {
		bpf_map_update_elem(&drops_map, &key, &none, BPF_NOEXIST);
		drops = bpf_map_lookup_elem(&drops_map, &key);
	}
	if (drops)
		__sync_fetch_and_add(drops, 1);
	return 0;
}
