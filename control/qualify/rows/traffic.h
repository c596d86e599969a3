/* SPDX-License-Identifier: GPL-2.0-only */
/* Traffic for rows: from the peer, seen by the probe. */
#pragma once

#include "qualify/rows/row.h"

#define QUALIFY_SEND(...) ((struct qualify_send){ __VA_ARGS__ })

/* Many drivers reset the device on a change, and its link is down for seconds. If the carrier has
 * changed since frames last came, wait until they come again, for at most 10 s.
 */
void qualify_await_link(struct qualify_run *run);

bool qualify_has_carrier(const struct qualify_run *run);

/* Does the attached XDP program see packets? */
bool qualify_xdp_runs(struct qualify_run *run);

/* Loop over the frames that came, of @nr from seq @first on, in sending order: @seen is what saw a
 * frame, @i its number.
 */
#define qualify_each_seen(i, seen, run, first, nr)        \
	for ((i) = 0; (i) < (nr) && !*(run)->stop; (i)++) \
		if (((seen) = qualify_seen(run, (first) + (i))))

/* Start sending @send to this interface with new seqs, from send->first on, for at most 5 s unless
 * it says otherwise; return at once. The second one does not wait for the link.
 */
int qualify_begin(struct qualify_run *run, struct qualify_send *send);
int qualify_begin_at_once(struct qualify_run *run, struct qualify_send *send);
/* Wait until it is sent, while @receiver (or NULL) takes frames. */
int qualify_await_sent(struct qualify_run *run, struct qualify_receiver *receiver,
		       struct qualify_sent *sent);
/* The same, and then until the last frame has arrived. */
int qualify_finish(struct qualify_run *run, struct qualify_receiver *receiver,
		   struct qualify_sent *sent);
/* qualify_begin() and qualify_finish(). */
int qualify_traffic(struct qualify_run *run, struct qualify_send *send,
		    struct qualify_receiver *receiver, struct qualify_sent *sent);

/* Wait until all @sent frames have come, or none has come for a while; at most a few seconds. */
void qualify_settle(struct qualify_run *run, struct qualify_receiver *receiver, __u64 sent);
void qualify_sleep_ms(const struct qualify_run *run, unsigned int ms);

/* Attach XDP unless it is attached. -errno with run->error. */
int qualify_xdp_on(struct qualify_run *run);

/* A veth receives on the sender's CPU, within send(), so that nothing ever waits. Let a thread
 * receive on a CPU of its own. Call it whenever native XDP was attached, which creates the NAPIs.
 * Other devices are left alone.
 */
void qualify_part_veth(struct qualify_run *run);
