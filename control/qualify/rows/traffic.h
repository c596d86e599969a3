/* SPDX-License-Identifier: GPL-2.0-only */
/* Traffic of rows: from the peer, through the probe. */
#pragma once

#include "qualify/rows/row.h"
#include "clock/phc_fit.h"

#define QUALIFY_SEND(...) ((struct qualify_send){ __VA_ARGS__ })

/* Many drivers reset the device when something is changed, and its link is down for seconds: if its
 * carrier has changed since frames came last, wait until they do again, for 10 s at most.
 */
void qualify_await_link(struct qualify_run *run);

bool qualify_has_carrier(const struct qualify_run *run);

/* Does the XDP program, which is on, see what comes? */
bool qualify_xdp_runs(struct qualify_run *run);

/* For each of the @nr frames from seq @first on that came, in the order they were sent: @seen is
 * what saw it, @i its number.
 */
#define qualify_each_seen(i, seen, run, first, nr)        \
	for ((i) = 0; (i) < (nr) && !*(run)->stop; (i)++) \
		if (((seen) = qualify_seen(run, (first) + (i))))

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

/* Put XDP on, unless it is. -errno with run->error. */
int qualify_xdp_on(struct qualify_run *run);

/* A veth is received on the sender's CPU, in its time, so that nothing ever stands: have a thread
 * receive instead, on a CPU of its own. To be done whenever native XDP was put on: that makes its
 * NAPIs. Does nothing to other devices.
 */
void qualify_part_veth(struct qualify_run *run);

/* Frames, more than the ring holds. */
__u32 qualify_overflowing(const struct qualify_run *run);

/* The row is unknown, for of @nr frames none was lost, and what to do about it. */
void qualify_not_overrun(struct qualify_row *row, double nr);

/* ring_entries, if they are known. */
void qualify_put_entries(const struct qualify_run *run, struct qualify_row *row);

/* All counters that the kernel and the driver have of an interface. */
struct qualify_counter {
	char name[64]; /* "rtnl rx_packets", "ethtool rx_missed" */
	__u64 value;
};

struct qualify_counters {
	RXAQM_LIST(struct qualify_counter) list;
};

/* What there is. Free it in any case. */
void qualify_counters_read(const char *ifname, struct qualify_counters *counters);
void qualify_counters_free(struct qualify_counters *counters);
/* By how much each that is in both has risen since @before, in place. */
void qualify_counters_since(struct qualify_counters *counters,
			    const struct qualify_counters *before);
/* Of memory for received packets, by the driver's counters that have risen: those of single queues
 * are in that of all, so the most of one.
 */
__u64 qualify_alloc_failures(const struct qualify_counters *moved);

/* Frames are waited for so long. */
#define QUALIFY_AGAIN_S 35

struct qualify_gap {
	double gap_ns; /* the longest between two frames that came, or since the last up to now */
	double error_ns; /* of that: the peer did not send for as long */
	__u64 lost, sent;
	bool again; /* traffic went on */
};

/* Frames, 2000 a second, for @ms; in the middle @change is called. If they do not come again by
 * then, more are sent, for QUALIFY_AGAIN_S at most. -errno of @change, or with @error.
 */
int qualify_gap(struct qualify_run *run, unsigned int ms,
		int (*change)(struct qualify_run *run, void *arg), void *arg,
		struct qualify_gap *gap);

/* gap_ring, gap_channels, gap_stamps: of -G, -L and switching stamps. */
int qualify_put_gaps(struct qualify_run *run, struct qualify_row *row);

/* Entries of a ring to tell a poll, of 64, from all that stands. */
#define QUALIFY_RING_WANTED 512U

struct qualify_tx {
	struct qualify_samples ns, polls; /* how long each took; polls that ended meanwhile */
	bool pended; /* a frame was ever still the device's when send() returned */
	double lost; /* of what the peer sent meanwhile, a share */
};

/* All CPUs send by the Tx queue that belongs to the Rx queue in use (XPS). */
void qualify_tx_queue(struct qualify_run *run);

/* A frame at a time: for as long as the peer sends if @loaded, else 200. */
int qualify_completions(struct qualify_run *run, bool loaded, struct qualify_tx *tx);

/* As figure @name; @load: in words. Sorts the samples. */
void qualify_put_tx(struct qualify_row *row, const char *name, const char *load,
		    struct qualify_tx *tx);

/* The NIC's clock as CLOCK_MONOTONIC between two readings. */
struct qualify_phc_line {
	struct rxaqm_phc_sample from, to;
};

/* The other programs that have @file open, or "none". */
void qualify_opened_by(const char *file, char words[96]);

int qualify_phc_now(struct qualify_run *run, struct rxaqm_phc_sample *sample);

/* Find out, once, whether stamps are taken when packets are taken out of the ring, not when they
 * arrive: run->stamp_point. Such stamps do not tell how long these stood.
 */
void qualify_find_stamp_point(struct qualify_run *run);
void qualify_put_stamp_point(struct qualify_run *run, struct qualify_row *row);

struct qualify_latency {
	struct qualify_samples samples; /* ns; to be freed */
	double error_ns;
	__u64 of; /* frames sent, each of which there could be a sample of */
	const char *from; /* "stamp" or "sender"; what it is counted from */
	__u64 stamps; /* what follows is of so many */
	__u64 after_xdp; /* that are later than when XDP saw the packet */
	__u64 before_sent; /* that are earlier than when it was sent, if that is known */
	double late_ns; /* at most so much later than arrival were they taken; NAN */
	double clock_ns; /* error of the clock's readings */
};

/* Send and see: from stamps, if all frames get one, else, or if these are late, from the sender's
 * clock, if that is this host's. The probe's orders stay as they are. -EOPNOTSUPP with @error:
 * there is neither.
 */
int qualify_latency(struct qualify_run *run, struct qualify_send *send, unsigned int one_in,
		    struct qualify_latency *latency);
