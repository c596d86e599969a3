/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUs did in the window. */
#ifndef RXAQM_DOCTOR_RULES_LOAD_H
#define RXAQM_DOCTOR_RULES_LOAD_H

#include "doctor/rules/check.h"

#define DOCTOR_MAX_CPUS 1024

/* In percent of the window. */
struct doctor_load {
	const struct doctor_cpu *was, *is;
	__u32 cpu;
	double receiving; /* softirqs, and threads of NAPIs that do not poll for ever */
	double missing; /* in no column of /proc/stat */
	double hidden; /* of that: at most what packets took that came while it was idle */
	double idle, steal; /* idle: with waiting for disks */
	double starved; /* threads that receive waited for it while something else had it */
};

/* Of each CPU in both samples; returns how many. */
size_t doctor_loads(const struct doctor_snapshot *snap, struct doctor_load load[DOCTOR_MAX_CPUS]);

/* Is @pid the thread of a NAPI that polls for ever? */
bool doctor_is_busy_polling(const struct doctor_snapshot *snap, __u32 pid);

#endif /* RXAQM_DOCTOR_RULES_LOAD_H */
