/* SPDX-License-Identifier: GPL-2.0-only */
/* More packets than are taken: how much the peer sends, and packets that wait. */
#pragma once

#include "qualify/rows/row.h"

/* Measure how fast the peer can send, and find the queue and CPU of flow 0. From then on this
 * process, and a peer on this host, avoid that CPU. Only the first call measures.
 */
int qualify_calibrate(struct qualify_run *run);

struct qualify_backlog {
	__u64 sent; /* frames after the one that held the CPU */
	__u64 held; /* of those, how many came without a gap from the first: the room there was */
	__u64 came; /* all that came */
	double drain_pps; /* rate at which the held ones were taken; NAN: unknown */
};
#define QUALIFY_BACKLOG_TRIES 3
/* Hold the receiving CPU, have the peer send @send, let go; retry if the CPU could not be held long
 * enough.
 */
int qualify_backlog(struct qualify_run *run, struct qualify_send *send, bool drop,
		    struct qualify_backlog *backlog);
/* One try. -ETIMEDOUT: it could not be held. */
int qualify_backlog_once(struct qualify_run *run, struct qualify_send *send, bool drop,
			 struct qualify_backlog *backlog);
/* The three steps of a try, for a caller that has given the probe its orders: */
int qualify_hold(struct qualify_run *run, struct qualify_send *send);
/* Call it in any case. True: it was held until now. */
bool qualify_let_go(struct qualify_run *run);
/* -ETIMEDOUT if @held is false. */
int qualify_held(struct qualify_run *run, const struct qualify_send *send, bool held,
		 struct qualify_backlog *backlog);

/* Make each frame so expensive that the peer can send three times of what is taken.
 * *ret_capacity_pps: frames a second that are then taken, by a short run. Clears the probe at the
 * end.
 */
int qualify_slow_down(struct qualify_run *run, __u32 *ret_cost_ns, double *ret_capacity_pps);

/* Ring entries needed to tell one poll, of 64, from all that waits. */
#define QUALIFY_RING_WANTED 512U

/* A number of frames larger than the ring. */
__u32 qualify_overflowing(const struct qualify_run *run);

/* Make the row unknown because none of @nr frames was lost, and say what to do. */
void qualify_not_overrun(struct qualify_row *row, double nr);

/* Put ring_entries, if known. */
void qualify_put_entries(const struct qualify_run *run, struct qualify_row *row);
