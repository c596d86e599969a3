/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows: what is measured. To add one, write a function, and a line in table.c; judge/limits.c lists
 * the names of figures and their limits.
 */
#pragma once

#include "nic/facts.h"
#include "qualify/measure/figure.h"
#include "qualify/measure/probe.h"
#include "qualify/measure/receiver.h"
#include "qualify/measure/nic_settings.h"
#include "qualify/peer/peer.h"

/* What rows work with. */
struct qualify_run {
	const char *ifname;
	const volatile int *stop; /* not 0: end soon */
	struct rxaqm_error error; /* of the last failure */
	struct qualify_record *record; /* has the rows before this one */
	struct qualify_journal journal;
	struct rxaqm_nic_facts facts;
	unsigned int ring; /* entries of the Rx ring, from the driver or its profile; 0: unknown */
	__u8 mac[ETH_ALEN];
	struct qualify_peer peer; /* pid 0: none */
	struct qualify_probe probe; /* skel NULL: could not be loaded, see no_probe */
	char no_probe[200];
	int rx_filter; /* of hardware stamps, in force; HWTSTAMP_FILTER_NONE: no stamps */
	__u32 seq; /* of the next frame */
	__u32 peer_pps; /* the peer's highest rate of the shortest frames; 0: not measured */
	unsigned int rx_queue; /* that receives flow 0 */
	__u32 rx_napi; /* its NAPI id; 0: not known */
	struct {
		const char *words; /* NULL: not asked yet */
		char detail[128];
		bool later;
	} stamp_point;
	char carrier_changes[16]; /* from sysfs, when frames last came */
};

/* What was seen of frame @seq; NULL: neither program saw it. */
#define qualify_seen(run, seq) qualify_probe_seen(&(run)->probe, seq)

#define qualify_failed(run, ...) rxaqm_failed(&(run)->error, __VA_ARGS__)

enum qualify_need { /* bits */
	QUALIFY_NEEDS_PEER = 1,
	QUALIFY_NEEDS_PROBE = 2, /* XDP and tc programs, on */
	QUALIFY_NEEDS_XDP_FREE = 4, /* both loaded, XDP off */
	QUALIFY_NEEDS_STAMPS = 8, /* of any packets */
	QUALIFY_NEEDS_ALL_STAMPS = 16,
	QUALIFY_NEEDS_PHC = 32,
	QUALIFY_NEEDS_QUIET = 64, /* other load on the same CPUs would falsify it */
};

typedef int qualify_row_fn(struct qualify_run *run, struct qualify_row *row);

struct qualify_row_def {
	const char *id; /* "Q4" */
	const char *question; /* the question that it answers */
	unsigned int needs, seconds;
	/* Add figures. 0: done, or nothing can be known and qualify_unknown() says why; -errno with
	 * run->error: it failed.
	 */
	qualify_row_fn *run;
};

/* In the order of running; the last one has no id. */
extern const struct qualify_row_def qualify_row_defs[];

qualify_row_fn qualify_row_design, qualify_row_coverage, qualify_row_stamps, qualify_row_to_xdp;
qualify_row_fn qualify_row_stamp_source, qualify_row_phc_read, qualify_row_phc_stability;
qualify_row_fn qualify_row_moderation, qualify_row_ring, qualify_row_burst, qualify_row_standing;
qualify_row_fn qualify_row_tx, qualify_row_rss, qualify_row_xdp, qualify_row_gro;
qualify_row_fn qualify_row_counters, qualify_row_truesize, qualify_row_reset;
qualify_row_fn qualify_row_profile;

struct qualify_samples;
/* Q1: judge rounds in which a frame was sent behind waiting packets. @completes: the device has
 * completions at all. @held: packets that waited; @shares: their sorted shares that were taken
 * before the frame was given back.
 */
void qualify_put_design(struct qualify_row *row, bool completes, struct qualify_samples *held,
			struct qualify_samples *shares);

/* Q19: put figure @key, what the profile says of it beside what row @id measured. @same: why
 * different words mean the same; NULL: they do not.
 */
void qualify_put_fact(struct qualify_row *row, const char *key, const char *said,
		      const char *measured, const char *same, const char *id);
