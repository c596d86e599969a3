/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What rxaqm-xsk counts and prints each interval, for its own and for adopted sockets. */
#pragma once

#include <sys/types.h>

#include "base/log.h"
#include "hist.h"
#include "rxaqm-xsk.h"

#define MAX_SOCKETS 64

/* One queue, since the last report. */
struct report {
	unsigned int queue;
	__u64 packets, bytes;
	__u64 with_meta, marked;
	__u64 sojourn[RXAQM_HIST_BUCKETS]; /* in the NIC's queue, by rxaqm */
	__u64 wait[RXAQM_HIST_BUCKETS]; /* in the socket's Rx ring */
	__u64 total[RXAQM_HIST_BUCKETS]; /* the sum of both, if both are known */
	__u64 ring_full, ring_full_before; /* packets dropped, since the begin */
	__u64 wait_ns; /* as last published */
};

/* Count a packet that was taken at @now_ns. */
void report_packet(struct report *r, const struct rxaqm_xsk_packet *packet, __u64 now_ns);

/* Print the @nr reports of an interval of @interval_ns, and start new ones. */
void report_print(struct report *reports, unsigned int nr, __u64 interval_ns, bool json);

/*
 * Adopted sockets belong to programs that do not know rxaqm, such as DPDK's. Their packets are
 * redirected to them, and their wait is measured from outside, by the indices of the Rx ring
 * (adopt.c).
 */

/* Adopt the socket that process @pid has on @queue of @ifname. All must belong to one process. 0,
 * or -errno with @error; call adopt_end() in either case.
 */
int adopt_begin(pid_t pid, const char *ifname, unsigned int queue, struct report *report,
		struct rxaqm_error *error);

/* Wait a moment, then look at all of them. 1: their process has ended, else 0. */
int adopt_look(void);

/* Check what changes rarely, of adopted socket @i (from 0). -ESTALE: rxaqm was detached. */
int adopt_check(unsigned int i);

void adopt_end(void);
