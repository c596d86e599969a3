/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Explains the target that the data plane derives from what is known of a queue (floor.h), and says
 * what the operator can do about a ring that leaves the target no room.
 *
 * Pure: no system calls, no clock.
 */
#pragma once

#include "floor.h"

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

/* A ring of fewer polls than this leaves no room between floor and ceiling. */
#define RXAQM_RING_POLLS_MIN 8

/* What is known of a queue. 0: unknown, unless said otherwise. */
struct rxaqm_target_facts {
	enum rxaqm_target_rule rule;
	__u32 quarters; /* of the floor; the rule asks for them */
	/* Measured, as the queue has it. */
	__u32 round_ns; /* T_cyc */
	__u32 packet_ns; /* the round's time per packet */
	/* Of the NIC. */
	__u64 moderation_ns; /* 0: none */
	__u32 entries; /* of the ring, or of the backlog */
	__u32 poll_packets; /* most that a poll takes; 0: 64 */
	bool backlog; /* the queue is a CPU's backlog */
};

#define RXAQM_TARGET_TEXT 160

struct rxaqm_target {
	__u64 target_ns; /* derived; 0: unknown */
	__u64 floor_ns; /* 0: unknown */
	__u64 ceiling_ns; /* 0: unknown */
	char text[RXAQM_TARGET_TEXT]; /* why: "2 x floor 310us (split completions)" */
	char advice[RXAQM_TARGET_TEXT]; /* what the operator could do about the ring; or "" */
};

/* Derive the target. All of @target is filled in, whatever the facts are. */
void rxaqm_target_explain(const struct rxaqm_target_facts *facts, struct rxaqm_target *target);

/* Quarters of the floor that @rule asks for. */
__u32 rxaqm_target_rule_quarters(enum rxaqm_target_rule rule);
/* "split", "own-cpu", ... by rule, ends with NULL. */
extern const char *const rxaqm_target_rule_names[];
