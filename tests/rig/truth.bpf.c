// SPDX-License-Identifier: GPL-2.0-only
/*
 * What rxaqm should measure, by other means: the stamps of the simulated NIC clock
 * turned back with the clock's own parameters, no estimate in between.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "nicclock.h"
#include "truth.h"

char LICENSE[] SEC("license") = "GPL";

#define IFNAME_LEN 16

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct net_device {
	char name[IFNAME_LEN];
};

struct sk_buff {
	struct net_device *dev;
	__s64 tstamp;
};

#pragma clang attribute pop

const volatile char iface[IFNAME_LEN];
const volatile __u64 host_ref_ns;
const volatile __u64 hw_ref_ns;
const volatile __s64 drift_q32;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rig_truth);
} truth_map SEC(".maps");

static __u32 log2_of(__u64 value)
{
	__u32 bit, log = 0;

	for (bit = 32; bit; bit >>= 1) {
		if (value >> bit) {
			value >>= bit;
			log += bit;
		}
	}
	return log;
}

static __u32 bucket_of(__u64 ns)
{
	__u32 log = log2_of(ns);
	__u32 bucket;

	if (log < RIG_TRUTH_SUB_BITS)
		return (__u32)ns;
	bucket = ((log - RIG_TRUTH_SUB_BITS + 1) << RIG_TRUTH_SUB_BITS) +
		 ((ns >> (log - RIG_TRUTH_SUB_BITS)) & ((1U << RIG_TRUTH_SUB_BITS) - 1));
	return bucket < RIG_TRUTH_BUCKETS ? bucket : RIG_TRUTH_BUCKETS - 1;
}

static void note_pause(struct rig_truth *truth, __u64 now_ns, __u64 arrival_ns)
{
	__u64 last_ns = truth->last_ns;
	struct rig_pause *pause;

	truth->last_ns = now_ns;
	if (!last_ns || now_ns - last_ns < RIG_PAUSE_MIN_NS || (__s64)(arrival_ns - last_ns) > 0)
		return;
	pause = &truth->pause[truth->pauses % RIG_PAUSES];
	pause->begin_ns = last_ns;
	pause->end_ns = now_ns;
	truth->pauses++;
}

static int count(struct sk_buff *skb)
{
	struct rig_nicclock clock = {
		.host_ref_ns = host_ref_ns,
		.hw_ref_ns = hw_ref_ns,
		.drift_q32 = drift_q32,
	};
	__u64 hw_ns = (__u64)BPF_CORE_READ(skb, tstamp);
	struct rig_truth *truth;
	char name[IFNAME_LEN];
	__u64 now_ns, arrival_ns;
	__u32 zero = 0, bucket;
	int i;

	BPF_CORE_READ_INTO(&name, skb, dev, name);
	for (i = 0; i < IFNAME_LEN; i++) {
		if (name[i] != iface[i])
			return 0;
		if (!name[i])
			break;
	}
	truth = bpf_map_lookup_elem(&truth_map, &zero);
	if (!truth)
		return 0;
	truth->packets++;
	now_ns = bpf_ktime_get_ns();
	arrival_ns = rig_nicclock_host(&clock, hw_ns);
	if (!hw_ns || (__s64)(now_ns - arrival_ns) < 0) {
		truth->unstamped++;
		return 0;
	}
	note_pause(truth, now_ns, arrival_ns);
	bucket = bucket_of(now_ns - arrival_ns);
	if (bucket < RIG_TRUTH_BUCKETS)
		truth->bucket[bucket]++;
	return 0;
}

/* Out of a ring that NAPI polls. */
SEC("tp_btf/napi_gro_receive_entry")
int BPF_PROG(rig_ring, struct sk_buff *skb)
{
	return count(skb);
}

/* Out of a CPU's backlog. */
SEC("tp_btf/netif_receive_skb")
int BPF_PROG(rig_backlog, struct sk_buff *skb)
{
	return count(skb);
}
