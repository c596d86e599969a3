/* SPDX-License-Identifier: GPL-2.0-only */
/* Between selftest.bpf.c and simtool: what the programs count, and what they are told. */
#ifndef SIMTOOL_COUNTERS_H
#define SIMTOOL_COUNTERS_H

#include <linux/types.h>

struct simtool_counters {
	__u64 packets;
	__u64 stamped;
	__u64 bad; /* stamps and times that cannot be */
	__u64 cpu_packets[8];
	/* set by simtool */
	__s64 phc_offset_ns; /* PHC - MONOTONIC */
	__s32 ifindex;
	__u32 pad;
};

#endif
