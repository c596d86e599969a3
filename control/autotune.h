/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moves the target of a queue after what its measured rounds ask for (target.h): slowly,
 * and never to and fro.
 *
 *  - Measurements that are news go through a median of 31, one every 2 s: outliers and bursts
 *    of up to 15 of them leave no trace. What the median asks for is the wish.
 *  - A change needs a wish that has been off by over a quarter, to the same side, for hold
 *    (60 s), and gap (60 s) since the last change.
 *  - It goes towards the wish, by half at most, and never past it. So the sum of all
 *    changes, as ratios, is bounded by how much the wish itself moves, and their number
 *    by that over log(1.25).
 *  - Each change against the direction of the last doubles the hold for the next such change, up
 *    to 32 times (32 min); one doubling is forgotten for each hour without. What goes up and
 *    down for good ends up as one reversal in 32 minutes, or none if it is faster.
 *
 * Pure: no calls, time is passed in (CLOCK_MONOTONIC). One struct rxaqm_autotune a queue.
 */
#ifndef RXAQM_AUTOTUNE_H
#define RXAQM_AUTOTUNE_H

#include "target.h"

#define RXAQM_AUTOTUNE_SAMPLES 31
#define RXAQM_AUTOTUNE_SAMPLES_MIN 16 /* fewer give no wish */
#define RXAQM_AUTOTUNE_SAMPLE_NS (2 * RXAQM_NSEC_PER_SEC)
/* Without news for as long, what was known is of another time. */
#define RXAQM_AUTOTUNE_SILENCE_NS (60 * RXAQM_NSEC_PER_SEC)
#define RXAQM_AUTOTUNE_REVERSALS_MAX 5
#define RXAQM_AUTOTUNE_FORGET_NS (3600 * RXAQM_NSEC_PER_SEC)

struct rxaqm_autotune_config {
	__u64 hold_ns; /* the wish must differ for as long */
	__u64 gap_ns; /* least time between changes */
	__u32 differ_permille; /* by how much, 250: a quarter */
	__u32 step_permille; /* most that a change adds, 500: by half */
	bool pinned; /* never change anything */
};

/* A queue's state. */
struct rxaqm_autotune {
	__u64 target_ns, interval_ns; /* in effect */
	struct rxaqm_target wish; /* floor, ceiling and text for status; why DEFAULT: none yet */
	/* The newest measurements, a ring. */
	__u32 round_ns[RXAQM_AUTOTUNE_SAMPLES];
	__u32 packet_ns[RXAQM_AUTOTUNE_SAMPLES];
	__u32 clock_err_ns[RXAQM_AUTOTUNE_SAMPLES];
	__u32 nr_samples, next_sample;
	__u64 sample_ns; /* of the newest; valid if there are any */
	/* What was measured at the last call. Without change it is no news: a queue that does not
	 * stand keeps what it measured when it last did, and one that drops measures nothing.
	 */
	__u32 last_round_ns, last_packet_ns;
	/* The wish is off to this side (-1 below, 1 above) since then. */
	int side;
	__u64 side_since_ns;
	/* Changes. */
	int direction; /* of the last; 0: none yet */
	__u32 reversals; /* that are remembered */
	__u64 changed_ns; /* valid if direction is set */
	__u64 reversed_ns; /* valid if reversals is set */
	bool overruled; /* the operator has set another target: hands off */
};

struct rxaqm_autotune_change {
	__u64 from_ns, target_ns, interval_ns;
	char reason[256]; /* for the log, without interface and queue */
};

/* hold 60 s, gap 60 s, a quarter, by half. */
void rxaqm_autotune_config_init(struct rxaqm_autotune_config *config);

/* Begin at what is in effect. */
void rxaqm_autotune_init(struct rxaqm_autotune *tune, __u64 target_ns, __u64 interval_ns);

/* To be called about once a second, with a copy of the queue. Returns true if the target is to be changed now, to what @change says; the caller
 * does so, or calls rxaqm_autotune_init() again if it cannot. All of @facts is to be filled in
 * but for what is measured; rtt_ns by rxaqm_target_rtt_ns().
 */
bool rxaqm_autotune_update(struct rxaqm_autotune *tune, const struct rxaqm_autotune_config *config,
			   const struct rxaqm_target_facts *facts, const struct rxaqm_queue *q,
			   __u64 now_ns, struct rxaqm_autotune_change *change);

/* @target_ns is what the policy says now. If that is not what autotune has set, someone else
 * did: it stays as it is until rxaqm_autotune_init(). Returns true when that is first seen.
 */
bool rxaqm_autotune_overruled(struct rxaqm_autotune *tune, __u64 target_ns, __u64 interval_ns);

#endif /* RXAQM_AUTOTUNE_H */
