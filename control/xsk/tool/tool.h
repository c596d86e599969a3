/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What rxaqm-xsk counts and prints, once an interval, of sockets of its own and adopted ones. */
#pragma once

#include <sys/types.h>

#include "base/log.h"
#include "hist.h"
#include "rxaqm-xsk.h"

#define MAX_SOCKETS 64

/* Of one queue, since the last report. */
struct report {
	unsigned int queue;
	__u64 packets, bytes;
	__u64 with_meta, marked;
	__u64 sojourn[RXAQM_HIST_BUCKETS]; /* in the NIC's queue, as rxaqm has it */
	__u64 wait[RXAQM_HIST_BUCKETS]; /* in the socket's Rx ring */
	__u64 total[RXAQM_HIST_BUCKETS]; /* both, where both are known */
	__u64 ring_full, ring_full_before; /* packets dropped, since the beginning */
	__u64 wait_ns; /* as published last */
};

/* Count a packet that was taken out at @now_ns. */
void report_packet(struct report *r, const struct rxaqm_xsk_packet *packet, __u64 now_ns);

/* Print the @nr reports of an interval of @interval_ns, and begin new ones. */
void report_print(struct report *reports, unsigned int nr, __u64 interval_ns, bool json);

/*
 * Sockets of programs that know nothing of rxaqm, such as DPDK's: their packets are sent to them,
 * and how long they wait is measured from outside, by the indices of the Rx ring (adopt.c).
 */

/* Adopt the socket that process @pid has on @queue of @ifname. 0, or -errno with @error;
 * adopt_end() is to follow either way. All are of one process.
 */
int adopt_begin(pid_t pid, const char *ifname, unsigned int queue, struct report *report,
		struct rxaqm_error *error);

/* Wait a moment, then look at all of them. 1 if their process has ended, else 0. */
int adopt_look(void);

/* Look at what changes seldom, of the socket that was adopted as number @i, from 0 on. -ESTALE:
 * rxaqm was detached.
 */
int adopt_check(unsigned int i);

void adopt_end(void);
