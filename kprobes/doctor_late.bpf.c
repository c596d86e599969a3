// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * doctor_late: how long the NET_RX softirq waits from raise to entry, by CPU, and which task ran
 * when the longest wait began. Runs for seconds, on demand ("rxaqm doctor --deep").
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "doctor_rec.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define NET_RX_SOFTIRQ 3 /* include/linux/interrupt.h */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rxaqm_doctor_late);
} late_map SEC(".maps");

/* Interrupts are off both where it is raised and where it begins. */
static struct rxaqm_doctor_late *of_cpu(unsigned int vec)
{
	__u32 zero = 0;

	return vec == NET_RX_SOFTIRQ ? bpf_map_lookup_elem(&late_map, &zero) : NULL;
}

/* By halves: a loop has too many paths for the verifier. */
static __u32 log2_of(__u64 value)
{
	__u32 log = 0, step;

	for (step = 32; step; step /= 2) {
		__u32 more = value >> step ? step : 0;

		value >>= more;
		log += more;
	}
	return log;
}

SEC("tp_btf/softirq_raise")
int BPF_PROG(doctor_softirq_raise, unsigned int vec)
{
	struct rxaqm_doctor_late *late = of_cpu(vec);

	if (!late || late->raised_ns)
		return 0;
	late->raised_ns = bpf_ktime_get_ns();
	bpf_get_current_comm(late->running, sizeof(late->running));
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(doctor_softirq_begins, unsigned int vec)
{
	struct rxaqm_doctor_late *late = of_cpu(vec);
	__u64 wait_ns;
	__u32 log;

	if (!late || !late->raised_ns)
		return 0;
	wait_ns = bpf_ktime_get_ns() - late->raised_ns;
	late->raised_ns = 0;
	late->waits++;
	log = log2_of(wait_ns);
	if (log < RXAQM_DOCTOR_WAITS)
		late->wait[log]++;
	if (wait_ns <= late->longest_ns)
		return 0;
	late->longest_ns = wait_ns;
	__builtin_memcpy(late->held_by, late->running, sizeof(late->held_by));
	return 0;
}
