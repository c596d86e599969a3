/* SPDX-License-Identifier: GPL-2.0-only */
/* How long frames take from the wire, or from the peer of this host, to XDP. */
#ifndef RXAQM_QUALIFY_LATENCY_H
#define RXAQM_QUALIFY_LATENCY_H

#include "clock/phc_fit.h"
#include "qualify/rows/traffic.h"

/* The NIC's clock as CLOCK_MONOTONIC between two readings. */
struct qualify_phc_line {
	struct rxaqm_phc_sample from, to;
};

int qualify_phc_now(struct qualify_run *run, struct rxaqm_phc_sample *sample);
double qualify_phc_to_host(const struct qualify_phc_line *line, __u64 phc_ns);
/* +-, in ns. */
double qualify_phc_error(const struct qualify_phc_line *line);
/* It went farther than a clock drifts that can be followed. */
bool qualify_phc_stepped(const struct qualify_phc_line *line);

/* Find out, once, whether stamps are taken when packets are taken out of the ring, not when they
 * arrive: run->stamp_point. Such stamps do not tell how long these stood.
 */
void qualify_find_stamp_point(struct qualify_run *run);
void qualify_put_stamp_point(struct qualify_run *run, struct qualify_row *row);

struct qualify_latency {
	struct qualify_samples samples; /* ns */
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
void qualify_latency_free(struct qualify_latency *latency);

#endif /* RXAQM_QUALIFY_LATENCY_H */
