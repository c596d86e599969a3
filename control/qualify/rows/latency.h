/* SPDX-License-Identifier: GPL-2.0-only */
/* Delays by the NIC's stamps, and what the stamps are worth. */
#pragma once

#include "clock/phc_fit.h"
#include "qualify/rows/row.h"

/* Two readings, which map the NIC's clock to CLOCK_MONOTONIC. */
struct qualify_phc_line {
	struct rxaqm_phc_sample from, to;
};

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
	bool by_stamps; /* delays begin with the NIC's stamp; else with the sender's clock */
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
int qualify_latency(struct qualify_run *run, struct qualify_send *send,
		    struct qualify_latency *latency);
