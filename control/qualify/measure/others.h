/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What other programs, or the hypervisor, had of the CPUs while something was measured: by the
 * columns of /proc/stat, which tell the time of programs from that of interrupts, less what this
 * process, its children and the threads that receive took.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/fields.h"
#include "qualify.h"

/* In ticks. */
struct qualify_cpu_time {
	__u64 programs, idle, stolen, all;
};

struct qualify_thread_time {
	int tid, cpu; /* that it ran on last */
	bool ours, receives;
	char comm[16];
	__u64 ticks;
};

struct qualify_others {
	struct qualify_cpu_time cpu[QUALIFY_CPUS];
	RXAQM_LIST(struct qualify_thread_time) threads;
};

/* What all have had up to now, by the /proc that is at @proc; @self and its children are ours.
 * To be freed.
 */
void qualify_others_read(struct qualify_others *others, const char *proc, pid_t self);
void qualify_others_free(struct qualify_others *others);

/* Threads that receive end with the program that has them made, and nobody knows then what they
 * had: to be noted before, and added to what is read later.
 */
struct qualify_receivers {
	RXAQM_LIST(struct qualify_thread_time) threads;
};
void qualify_receivers_note(struct qualify_receivers *noted, const char *proc);
void qualify_receivers_add(const struct qualify_receivers *noted, struct qualify_others *to);

/* From @from to @to: who kept this host from measuring, in words; false: nobody. Packets were
 * received by the CPUs of @receives, this process may have run on those of @runs; both are arrays
 * of QUALIFY_CPUS.
 */
bool qualify_others_disturbed(const struct qualify_others *from, const struct qualify_others *to,
			      const __u8 *receives, const __u8 *runs, char words[160]);
