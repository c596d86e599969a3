/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * All maps, defined once. Pinned by name under /sys/fs/bpf/rxaqm/, so that every
 * program load joins the same ones; libbpf refuses a pin of another shape.
 */
#ifndef RXAQM_MAPS_BPF_H
#define RXAQM_MAPS_BPF_H

#include "../ack.h"
#include "iface.h"
#include "clock_map.h"
#include "cpu_map.h"
#include "flow_name.h"
#include "meta.h"
#include "wait.h"

/* Contract: meta.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rxaqm_meta_info);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} meta_map SEC(".maps");

/* Contract: iface.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RXAQM_MAX_IFACES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rxaqm_iface);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} iface_map SEC(".maps");

/* Contract: policy.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * RXAQM_MAX_QUEUES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rxaqm_policy);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} policy_map SEC(".maps");

/* Contract: queue.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RXAQM_MAX_QUEUES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rxaqm_queue);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} queue_map SEC(".maps");

/* Contract: clock_map.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RXAQM_MAX_IFACES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rxaqm_clock_entry);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} clock_est_map SEC(".maps");

/* Contract: clock_map.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RXAQM_MAX_IFACES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rxaqm_clock_phc);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} clock_phc_map SEC(".maps");

/* Contract: cpu_map.h. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rxaqm_cpu);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} cpu_map SEC(".maps");

/* Contract: cpu_map.h. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RXAQM_MAX_QUEUES);
	__type(key, __u64);
	__type(value, struct rxaqm_standing);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} standing_map SEC(".maps");

/* Contract: flow.h. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RXAQM_FLOW_SETS);
	__type(key, __u32);
	__type(value, struct rxaqm_flow_set);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} flow_map SEC(".maps");

/* Contract: flow_name.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RXAQM_FLOW_NAMES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rxaqm_flow_name);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} flow_name_map SEC(".maps");

/* Flows whose ACKs are being thinned (xdp/ack.h). Written by XDP. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RXAQM_ACK_FLOWS);
	__type(key, __u32);
	__type(value, struct rxaqm_ack_flow);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} ack_map SEC(".maps");

/* Sockets, at the index of their queue in queue_map. Put in by consumers, taken out by whoever
 * detaches, and by the kernel when the socket is closed. Kernels without AF_XDP have no such type:
 * there it is an array that nobody reads (control/core/state/kernel.c).
 */
struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, RXAQM_MAX_QUEUES);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} xsk_map SEC(".maps");

/* Contract: xsk.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RXAQM_MAX_QUEUES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rxaqm_wait);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} wait_map SEC(".maps");

#endif /* RXAQM_MAPS_BPF_H */
