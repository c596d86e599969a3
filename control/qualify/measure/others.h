/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU time that other programs, or the hypervisor, used during a measurement. It is what /proc/stat
 * counts for programs (not for interrupts), less the time of this process, its children and the
 * threads that receive.
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
	int tid, cpu; /* the CPU it ran on last */
	bool ours, receives;
	char comm[16];
	__u64 ticks;
};

struct qualify_others {
	struct qualify_cpu_time cpu[QUALIFY_CPUS];
	RXAQM_LIST(struct qualify_thread_time) threads;
};

/* Read what all threads used so far, from the /proc at @proc. @self and its children are ours. Call
 * qualify_others_free() after it.
 */
void qualify_others_read(struct qualify_others *others, const char *proc, pid_t self);
void qualify_others_free(struct qualify_others *others);

/* Receiving threads end with the program that created them, and their times are lost. So note them
 * before, and add them to what is read later.
 */
struct qualify_receivers {
	RXAQM_LIST(struct qualify_thread_time) threads;
};
void qualify_receivers_note(struct qualify_receivers *noted, const char *proc);
void qualify_receivers_add(const struct qualify_receivers *noted, struct qualify_others *to);

/* Did others keep this host from measuring between @from and @to? Then @words says who; false: no.
 * @receives marks the CPUs that received packets, @runs those that this process may have used; both
 * are arrays of QUALIFY_CPUS.
 */
bool qualify_others_disturbed(const struct qualify_others *from, const struct qualify_others *to,
			      const __u8 *receives, const __u8 *runs, char words[160]);
