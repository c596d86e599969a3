/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A queue's target from what is known of it: a floor, below which batches would be
 * punished instead of queues, a ceiling, beyond which the NIC drops before CoDel acts,
 * and between them a rule by how completions reach the host.
 *
 *   floor F   = T_mod + 2 x T_cyc + 4 x e
 *   ceiling C = entries x time per packet / 4
 *
 * T_cyc is the time from one turn of the queue's NAPI to the next (a packet that comes
 * just behind a poll waits one, and then for its place in the next), T_mod the
 * interrupt's moderation, e the error of the clock. E.g. 64 packets of 20 us a poll: 2.6 ms.
 *
 * Pure: no calls, no time of its own.
 */
#ifndef RXAQM_TARGET_H
#define RXAQM_TARGET_H

#include "queue.h"

/* What the completion design asks for. */
enum rxaqm_target_rule {
	RXAQM_RULE_UNKNOWN, /* nothing known: as SPLIT */
	RXAQM_RULE_NONE, /* a software queue, nothing is completed: as SPLIT */
	RXAQM_RULE_SHARED, /* Tx completions stand behind Rx: F */
	RXAQM_RULE_ORDERED, /* own rings, served in order of notification, or Rx first: 1 to 1.5 F */
	RXAQM_RULE_SPLIT, /* own rings or done bits, Tx first: 2 F */
	RXAQM_RULE_OWN_NAPI, /* a NAPI for each direction, on one CPU: 2 F */
	RXAQM_RULE_OWN_CPU, /* the same on two CPUs: 2 to 4 F */
};

/* Why the target is what it is. */
enum rxaqm_target_why {
	RXAQM_WHY_DEFAULT, /* no round has been measured: nothing is derived */
	RXAQM_WHY_RULE,
	RXAQM_WHY_CEILING, /* the rule asks for more than the ceiling */
	RXAQM_WHY_FLOOR_OVER_CEILING, /* there is no room: the floor */
	RXAQM_WHY_MIN, /* the operator's least */
	RXAQM_WHY_MAX, /* the operator's most */
};

/* The longest round trip that is to be controlled, which the interval is at least. */
#define RXAQM_RTT_DC_NS (10 * RXAQM_NSEC_PER_MSEC)
#define RXAQM_RTT_WAN_NS (100 * RXAQM_NSEC_PER_MSEC)

/* Fewer polls than this in a ring leave no room between floor and ceiling. */
#define RXAQM_RING_POLLS_MIN 8

/* What is known of a queue. 0: unknown, unless said otherwise. */
struct rxaqm_target_facts {
	enum rxaqm_target_rule rule;
	/* Measured: rxaqm_target_measure(). */
	__u32 round_ns; /* T_cyc */
	__u32 packet_ns; /* of the round, by packet */
	__u64 clock_err_ns; /* 0: no clock in use */
	/* Of the NIC. */
	__u64 moderation_ns; /* 0: none */
	__u32 entries; /* of the ring, or of the backlog */
	__u32 poll_packets; /* most that a poll takes; 0: 64 */
	bool backlog; /* the queue is a CPU's backlog */
	/* Of the operator. */
	__u64 rtt_ns; /* 0: RXAQM_RTT_DC_NS */
	__u64 min_ns, max_ns; /* bounds of the target; 0: none */
	__u64 default_target_ns, default_interval_ns; /* to be kept while nothing is derived */
};

#define RXAQM_TARGET_TEXT 160

struct rxaqm_target {
	__u64 target_ns, interval_ns;
	__u64 floor_ns; /* 0: unknown */
	__u64 ceiling_ns; /* 0: unknown */
	enum rxaqm_target_why why;
	char text[RXAQM_TARGET_TEXT]; /* "2 x floor 310us (split completions)" */
	char advice[RXAQM_TARGET_TEXT]; /* what the operator could do about the ring; or "" */
};

/* Derive the target. All of @target is filled in, whatever the facts are. */
void rxaqm_target_derive(const struct rxaqm_target_facts *facts, struct rxaqm_target *target);

/* The interval that goes with @target_ns: at least 20 of it, 16 rounds, and the longest RTT. */
__u64 rxaqm_target_interval_ns(const struct rxaqm_target_facts *facts, __u64 target_ns);

/* The rtt_ns that an interval set by operator or profile stands for: itself from 100 ms on
 * (Internet), else RXAQM_RTT_DC_NS.
 */
__u64 rxaqm_target_rtt_ns(__u64 interval_ns);

/* Take what @q has measured: round_ns, packet_ns, clock_err_ns. */
void rxaqm_target_measure(struct rxaqm_target_facts *facts, const struct rxaqm_queue *q);

const char *rxaqm_target_rule_name(enum rxaqm_target_rule rule); /* "split", "own-cpu", ... */
/* By name; -EINVAL if there is none of it. */
int rxaqm_target_rule_parse(const char *name, enum rxaqm_target_rule *ret_rule);

#endif /* RXAQM_TARGET_H */
