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
		.if_found = QUEUE_STANDS "rx-late cpu-pauses cpu-steal udp-burst",
		.run = doctor_probe_late,
	},
	{
		.name = "progs",
		.what = "what BPF programs cost (kernel.bpf_stats_enabled)",
		.cost = "two clock reads a run of any BPF program, some 50 ns",
		.if_found = CPU_IS_BUSY QUEUE_STANDS "packet-dear rx-extras",
		.run = doctor_probe_progs,
	},
	{
		.name = "frames",
		.what = "the size of TCP frames sent",
		.cost = "some 200 ns a frame sent",
		.if_found = "tso-self-throttled tso-bonus-decayed acks-dominate tx-qdisc-standing",
		.run = doctor_probe_frames,
	},
	{
		.name = "collapse",
		.what = "how long the kernel takes to collapse a receive queue",
		.cost = "a kprobe on tcp_collapse, which is called when a receive buffer is full",
		.if_found = "tcp-collapse tcp-pruned",
		.run = doctor_probe_collapse,
	},
	{
		.name = "drops",
		.what = "which functions of the kernel drop packets, and why",
		.cost = "some 100 ns a packet that is dropped",
		.if_found = "udp-filtered rx-dropped",
		.if_unexplained = true,
		.run = doctor_probe_drops,
	},
	{
		.name = "stalls",
		.what = "stalls of Tx completions, by the detector of BQL, which is on meanwhile",
		.cost = "some 10 ns a completion; stall_thrs of Tx queues is 40 meanwhile, then 0 again",
		.if_found =
			"tx-qdisc-standing tso-self-throttled rx-queue-standing cq-shared rx-starved rx-cpu-busy "
			"rx-cpus-busy napi-starved",
		.if_blind = "tx-stalls",
		.possible = doctor_stalls_possible,
		.run = doctor_probe_stalls,
	},
	{}
};

const struct doctor_probe *doctor_probe_at(size_t index)
{
	return index < sizeof(probes) / sizeof(probes[0]) - 1 ? &probes[index] : NULL;
}

static bool tried(const struct doctor_probe *probe, const struct doctor_snapshot *snap,
		  char key[32])
{
	__u64 ran_ns;

	snprintf(key, 32, "%s_ns", probe->name);
	return doctor_map_get(snap->deep, key, &ran_ns);
}

void doctor_probe_tried(const struct doctor_probe *probe, struct doctor_snapshot *snap)
{
	char key[32];

	if (!tried(probe, snap, key))
		doctor_map_set(&snap->deep, key, 0);
}

bool doctor_probe_wanted(const struct doctor_probe *probe, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis)
{
	char key[32];

	return !tried(probe, snap, key) && (!probe->possible || probe->possible(snap)) &&
	       (doctor_first_of(diagnosis, probe->if_found, DOCTOR_FOUND, false) ||
		(probe->if_unexplained && diagnosis->nr_unexplained)) &&
	       (!probe->if_blind ||
		doctor_first_of(diagnosis, probe->if_blind, DOCTOR_BLIND, false));
}
