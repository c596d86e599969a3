/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUs did in the window. */
#pragma once

#include "doctor/rules/check.h"

#define DOCTOR_MAX_CPUS 1024

/* In percent of the window. */
struct doctor_load {
	const struct doctor_cpu *was, *is;
	__u32 cpu;
	double softirq; /* all kinds of them */
	double receiving; /* of them NET_RX, and threads of NAPIs that do not poll for ever */
	double missing; /* in no column of /proc/stat */
	double hidden; /* of that: at most what packets took that came while it was idle */
	double idle, steal; /* idle: with waiting for disks */
	double starved; /* threads that receive waited for it while something else had it */
	const struct doctor_thread *late; /* of them, the one that waited longest; NULL: none */
	__u64 late_ns, late_run_ns; /* how long that one waited in all, and ran */
};

/* Of each CPU in both samples. */
struct doctor_loads {
	struct doctor_load at[DOCTOR_MAX_CPUS];
	size_t nr;
};

/* False: there are none, or /proc/stat is emulated, so that all CPUs miss the same; says so in
 * @finding, which may be NULL.
 */
bool doctor_loads(const struct doctor_snapshot *snap, struct doctor_loads *loads,
		  struct doctor_finding *finding);

/* ${hogs}: the programs that took most of CPU @cpu. */
void doctor_say_hogs(const struct doctor_snapshot *snap, struct doctor_finding *finding, __s32 cpu);

/* Is @pid the thread of a NAPI that polls for ever? */
bool doctor_is_busy_polling(const struct doctor_snapshot *snap, __u32 pid);
