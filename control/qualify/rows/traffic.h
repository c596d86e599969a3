/* SPDX-License-Identifier: GPL-2.0-only */
/* Traffic for rows: from the peer, seen by the probe. */
#pragma once

#include "qualify/rows/row.h"
#include "clock/phc_fit.h"

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
/* Wait until it is sent, while @receiver (or NULL) takes frames; then until the last one has
 * arrived.
 */
int qualify_finish(struct qualify_run *run, struct qualify_receiver *receiver,
		   struct qualify_sent *sent);
/* qualify_begin() and qualify_finish(). */
int qualify_traffic(struct qualify_run *run, struct qualify_send *send,
		    struct qualify_receiver *receiver, struct qualify_sent *sent);

/* Wait until all @sent frames have come, or none has come for a while; at most a few seconds. */
void qualify_settle(struct qualify_run *run, struct qualify_receiver *receiver, __u64 sent);
void qualify_sleep_ms(const struct qualify_run *run, unsigned int ms);

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

/* Attach XDP unless it is attached. -errno with run->error. */
int qualify_xdp_on(struct qualify_run *run);

/* A veth receives on the sender's CPU, within send(), so that nothing ever waits. Let a thread
 * receive on a CPU of its own. Call it whenever native XDP was attached, which creates the NAPIs.
 * Other devices are left alone.
 */
void qualify_part_veth(struct qualify_run *run);

/* A number of frames larger than the ring. */
__u32 qualify_overflowing(const struct qualify_run *run);

/* Make the row unknown because none of @nr frames was lost, and say what to do. */
void qualify_not_overrun(struct qualify_row *row, double nr);

/* Put ring_entries, if known. */
void qualify_put_entries(const struct qualify_run *run, struct qualify_row *row);

/* All counters that the kernel and the driver have of an interface. */
struct qualify_counter {
	char name[64]; /* "rtnl rx_packets", "ethtool rx_missed" */
	__u64 value;
};

struct qualify_counters {
	RXAQM_LIST(struct qualify_counter) list;
};

/* Read all counters there are. Free it in any case. */
void qualify_counters_read(const char *ifname, struct qualify_counters *counters);
void qualify_counters_free(struct qualify_counters *counters);
/* Replace each counter that is in both by its rise since @before. */
void qualify_counters_since(struct qualify_counters *counters,
			    const struct qualify_counters *before);
/* Failed memory allocations for received packets, by the driver's counters that rose: the largest
 * one, as the device's counter includes those of its queues.
 */
__u64 qualify_alloc_failures(const struct qualify_counters *moved);

/* How long to wait for frames to come again. */
#define QUALIFY_AGAIN_S 35

struct qualify_gap {
	double gap_ns; /* longest between two frames that came, or from the last until now */
	double error_ns; /* of gap_ns: the peer did not send for that long */
	__u64 lost, sent;
	bool again; /* frames came again */
};

/* Send 2000 frames a second for @ms, and call @change in between. If they have not come again by
 * then, send more, for at most QUALIFY_AGAIN_S. -errno of @change, or with @error.
 */
int qualify_gap(struct qualify_run *run, unsigned int ms,
		int (*change)(struct qualify_run *run, void *arg), void *arg,
		struct qualify_gap *gap);

/* Put gap_ring, gap_channels and gap_stamps: for -G, -L and for switching stamps. */
int qualify_put_gaps(struct qualify_run *run, struct qualify_row *row);

/* Ring entries needed to tell one poll, of 64, from all that waits. */
#define QUALIFY_RING_WANTED 512U

struct qualify_tx {
	struct qualify_samples ns, polls; /* duration of each; polls that ended during it */
	bool pended; /* some frame was still in the device when send() returned */
	double lost; /* share lost of what the peer sent meanwhile */
};

/* Let all CPUs send by the Tx queue that belongs to the Rx queue in use (XPS). */
void qualify_tx_queue(struct qualify_run *run);

/* Time one frame after the other: while the peer sends if @loaded, else 200 of them. */
int qualify_completions(struct qualify_run *run, bool loaded, struct qualify_tx *tx);

/* Put @tx as figure @name; @load says how busy. Sorts the samples. */
void qualify_put_tx(struct qualify_row *row, const char *name, const char *load,
		    struct qualify_tx *tx);

/* Two readings, which map the NIC's clock to CLOCK_MONOTONIC. */
struct qualify_phc_line {
	struct rxaqm_phc_sample from, to;
};

/* The names of other programs that have @file open, or "none". */
void qualify_opened_by(const char *file, char words[96]);

int qualify_phc_now(struct qualify_run *run, struct rxaqm_phc_sample *sample);

/* Find out, once, whether stamps are taken when packets leave the ring instead of when they arrive:
 * run->stamp_point. Such stamps do not show how long packets waited.
 */
void qualify_find_stamp_point(struct qualify_run *run);
void qualify_put_stamp_point(struct qualify_run *run, struct qualify_row *row);

struct qualify_latency {
	struct qualify_samples samples; /* ns; to be freed */
	double error_ns;
	__u64 of; /* frames sent that could give a sample */
	const char *from; /* "stamp" or "sender": where delays begin */
	__u64 stamps; /* the following counts are out of these */
	__u64 after_xdp; /* later than XDP saw the packet */
	__u64 before_sent; /* earlier than the packet was sent, if that is known */
	double late_ns; /* the most that stamps may be later than the arrival; NAN: unknown */
	double clock_ns; /* error of the clock readings */
};

/* Send @send and measure delays: from stamps if all frames get one; if not, or if these are late,
 * from the sender's clock if it is this host's. The probe's orders stay. -EOPNOTSUPP with @error:
 * neither is possible.
 */
int qualify_latency(struct qualify_run *run, struct qualify_send *send, unsigned int one_in,
		    struct qualify_latency *latency);
