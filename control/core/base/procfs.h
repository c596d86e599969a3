/* SPDX-License-Identifier: GPL-2.0-only */
/* What several programs read of /proc. */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

/* What a CPU did since boot, in ticks (proc_stat(5)). */
struct rxaqm_ticks {
	__u64 user, nice, system, idle, iowait, irq, softirq, steal;
};

/* Read a line of /proc/stat. False: it is not that of a single CPU. */
bool rxaqm_ticks_read(const char *line, unsigned int *ret_cpu, struct rxaqm_ticks *ticks);
__u64 rxaqm_ticks_all(const struct rxaqm_ticks *ticks);

/* Field @field, 3 or more, of a line of /proc/PID/stat (proc_pid_stat(5)), whose second one may
 * have blanks and brackets; "": there is none.
 */
const char *rxaqm_stat_field(const char *stat, int field);

/* Packets that the CPUs' backlogs had no room for, of all interfaces together, modulo 2^32;
 * -EINVAL if @path has not the form of this.
 */
#define RXAQM_SOFTNET_STAT "/proc/net/softnet_stat"
__s64 rxaqm_backlog_drops(const char *path);
