/* SPDX-License-Identifier: GPL-2.0-only */
/* Traffic of rows: from the peer, through the probe. */
#ifndef RXAQM_QUALIFY_TRAFFIC_H
#define RXAQM_QUALIFY_TRAFFIC_H

#include "qualify/rows/row.h"

#define QUALIFY_SEND(...) ((struct qualify_send){ __VA_ARGS__ })

/* Many drivers reset the device when something is changed, and its link is down for seconds: if its
 * carrier has changed since frames came last, wait until they do again, for 10 s at most.
 */
void qualify_await_link(struct qualify_run *run);

/* Does the XDP program, which is on, see what comes? */
bool qualify_xdp_runs(struct qualify_run *run);

/* Begin with @send, to this interface and with new seqs, from send->first on; for 5 s at most, if
 * it says nothing else. The link is waited for, or not.
 */
int qualify_begin(struct qualify_run *run, struct qualify_send *send);
int qualify_begin_at_once(struct qualify_run *run, struct qualify_send *send);
/* Have it done, taking what @receiver (or NULL) gets; then wait for the last to arrive. */
int qualify_finish(struct qualify_run *run, struct qualify_receiver *receiver,
		   struct qualify_sent *sent);
/* Both. */
int qualify_traffic(struct qualify_run *run, struct qualify_send *send,
		    struct qualify_receiver *receiver, struct qualify_sent *sent);

/* Until all @sent have come, or nothing more has for a while; for a few seconds at most. */
void qualify_settle(struct qualify_run *run, struct qualify_receiver *receiver, __u64 sent);
void qualify_sleep_ms(const struct qualify_run *run, unsigned int ms);

/* How fast the peer can send, and which queue and CPU flow 0 comes by: the peer, if of this host,
 * and this process leave that CPU alone from then on. Once, then known.
 */
int qualify_calibrate(struct qualify_run *run);

struct qualify_backlog {
	__u64 sent; /* behind the frame that held it */
	__u64 held; /* of those, in a row from the first, that came: what there was room for */
	__u64 came; /* all that did */
	double drain_pps; /* at which those held were taken; NAN */
};
#define QUALIFY_BACKLOG_TRIES 3
/* Hold the receiving CPU, have the peer send @send, let go again; again if it could not be held for
 * as long.
 */
int qualify_backlog(struct qualify_run *run, struct qualify_send *send, bool drop,
		    struct qualify_backlog *backlog);
/* -ETIMEDOUT: it could not. */
int qualify_backlog_once(struct qualify_run *run, struct qualify_send *send, bool drop,
			 struct qualify_backlog *backlog);
/* The three steps of it, for orders that the caller gives the probe before: */
int qualify_hold(struct qualify_run *run, struct qualify_send *send);
/* To be called in any case. Was it held until now? */
bool qualify_let_go(struct qualify_run *run);
/* -ETIMEDOUT unless @held. */
int qualify_held(struct qualify_run *run, const struct qualify_send *send, bool held,
		 struct qualify_backlog *backlog);

/* Make each frame cost so much that the peer can send three times of what is taken; frames a second
 * that are then, by a short run. Ends with qualify_probe_clear().
 */
int qualify_slow_down(struct qualify_run *run, __u32 *ret_cost_ns, double *ret_capacity_pps);

/* A veth is received on the sender's CPU, in its time, so that nothing ever stands: have a thread
 * receive instead, on a CPU of its own. To be done whenever native XDP was put on: that makes its
 * NAPIs. Does nothing to other devices.
 */
void qualify_part_veth(struct qualify_run *run);

#endif /* RXAQM_QUALIFY_TRAFFIC_H */
