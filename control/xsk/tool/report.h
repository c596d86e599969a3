/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What rxaqm-xsk counts and prints, once an interval. */
#ifndef RXAQM_XSK_REPORT_H
#define RXAQM_XSK_REPORT_H

#include "hist.h"
#include "rxaqm-xsk.h"

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

#endif /* RXAQM_XSK_REPORT_H */
