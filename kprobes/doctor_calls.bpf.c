// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * doctor_calls: how long calls of one kernel function take, which the control plane chooses. Runs
 * for seconds, on demand ("rxaqm doctor --deep").
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "doctor_rec.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* When each thread began a call that has not returned. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RXAQM_DOCTOR_ENTRIES);
	__type(key, __u64);
	__type(value, __u64);
} begun_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rxaqm_doctor_calls);
} calls_map SEC(".maps");

/* Idle threads share pid 0, so the key has the CPU, too. If an interrupt calls the function again
 * within a call, the outer call is not counted.
 */
static __u64 thread_key(void)
{
	return (__u64)bpf_get_current_pid_tgid() << 32 | bpf_get_smp_processor_id();
}

SEC("kprobe")
int doctor_call(struct pt_regs *ctx)
{
	__u64 key = thread_key(), now_ns = bpf_ktime_get_ns();

	(void)ctx;
	bpf_map_update_elem(&begun_map, &key, &now_ns, BPF_ANY);
	return 0;
}

SEC("kretprobe")
int doctor_return(struct pt_regs *ctx)
{
	__u64 key = thread_key(), now_ns = bpf_ktime_get_ns(), took_ns, *begun_ns;
	struct rxaqm_doctor_calls *calls;
	__u32 zero = 0;

	(void)ctx;
	begun_ns = bpf_map_lookup_elem(&begun_map, &key);
	calls = bpf_map_lookup_elem(&calls_map, &zero);
	if (!begun_ns || !calls)
		return 0;
	took_ns = now_ns - *begun_ns;
	bpf_map_delete_elem(&begun_map, &key);
	__sync_fetch_and_add(&calls->calls, 1);
	__sync_fetch_and_add(&calls->total_ns, took_ns);
	if (took_ns > calls->longest_ns)
		calls->longest_ns = took_ns;
	return 0;
}
