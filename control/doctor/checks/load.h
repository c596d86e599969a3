/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUs did in the window, in percent of it. */
#pragma once

#include "doctor/checks/check.h"

#define DOCTOR_MAX_CPUS 1024

/* In percent of the window. */
struct doctor_load {
	const struct doctor_cpu *was, *is;
	__u32 cpu;
	double softirq; /* all kinds of softirqs */
	double receiving; /* NET_RX, and NAPI threads that do not poll for ever */
	double missing; /* in no column of /proc/stat */
	double hidden; /* the part of missing that packets may explain, at most */
	double idle, steal; /* idle: includes waiting for disks */
	double starved; /* receiving threads waited while something else had the CPU */
	const struct doctor_thread *late; /* the receiving thread that waited longest; NULL: none */
	__u64 late_ns, late_run_ns; /* how long it waited in all, and ran */
};

/* The CPUs that are in both samples. */
struct doctor_loads {
	struct doctor_load at[DOCTOR_MAX_CPUS];
	size_t nr;
};

/* False: there are none, or /proc/stat is emulated (all CPUs miss the same); @finding then says so.
 * With @finding NULL neither is checked, and the result is true.
 */
bool doctor_loads(const struct doctor_snapshot *snap, struct doctor_loads *loads,
		  struct doctor_finding *finding);

/* The packets that came, or those that CPUs handed to the stack (@ret_seen) if these are more: XDP
 * drops or redirects the others.
 */
__u64 doctor_packets(const struct doctor_snapshot *snap, __u64 *ret_seen);

/* Note ${hogs}: the programs that used most of CPU @cpu; ${hog}: the pid of the first. */
void doctor_say_hogs(const struct doctor_snapshot *snap, struct doctor_finding *finding, __s32 cpu);
