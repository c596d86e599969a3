/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of --deep, one row each, and the suspicions that each can settle. */

#include "doctor/collect/collect.h"
#include "doctor/diagnose.h"
#include "doctor/deep/deep.h"

#define CPU_IS_BUSY "rx-cpu-busy rx-cpus-busy "
#define QUEUE_STANDS "rx-queue-standing cq-shared rx-starved backlog-drops nic-ring-overflow "

/* The order matters: a probe may find what a later one is for. */
static const struct doctor_probe probes[] = {
	{
		.name = "polls",
		.what = "how long NAPI polls take, and how long their queues wait for the CPU",
		.cost = "two clock reads a poll, and one each time that a NAPI thread is switched in",
		.if_found = CPU_IS_BUSY QUEUE_STANDS "cpu-steal",
		.run = doctor_probe_polls,
	},
	{
		.name = "late",
		.what = "the longest time that the receiving softirq waits to begin, and for which task",
		.cost = "a clock read each time that it is raised, and each time that it begins",
		.if_found = QUEUE_STANDS "rx-late cpu-steal udp-burst",
		.run = doctor_probe_late,
	},
	{
		.name = "progs",
		.what = "what BPF programs cost (kernel.bpf_stats_enabled)",
		.cost = "two clock reads a run of any BPF program, some 50 ns",
		.if_found = CPU_IS_BUSY QUEUE_STANDS "packet-dear",
		.run = doctor_probe_progs,
	},
	{
		.name = "drops",
		.what = "which functions of the kernel drop packets, and why",
		.cost = "some 100 ns a packet that is dropped",
		.if_found = "udp-filtered rx-dropped ip-undelivered ingress-drops tcp-gaps",
		.if_unexplained = true,
		.run = doctor_probe_drops,
	},
	{}
};

const struct doctor_probe *doctor_probe_at(size_t index)
{
	return index < sizeof(probes) / sizeof(probes[0]) - 1 ? &probes[index] : NULL;
}

bool doctor_probe_wanted(const struct doctor_probe *probe, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis)
{
	char key[32];
	__u64 ran_ns;

	snprintf(key, sizeof(key), "%s_ns", probe->name);
	return !doctor_map_get(snap->deep, key, &ran_ns) &&
	       (doctor_first_found(diagnosis, probe->if_found) ||
		(probe->if_unexplained && diagnosis->nr_unexplained));
}
