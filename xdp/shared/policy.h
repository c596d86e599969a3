/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contract of policy_map: what the operator wants of each queue.
 *
 * Array of 2 x RXAQM_MAX_QUEUES: two banks. Written by control only, under the
 * lock, always into the bank that is not in use; then rxaqm_iface.policy_gen is
 * raised by one, whose lowest bit names the bank in use. So a change of any
 * number of queues takes effect at once or not at all. Read by XDP at the first
 * packet of a poll, into the queue's own copy (struct rxaqm_queue).
 */
#ifndef RXAQM_POLICY_H
#define RXAQM_POLICY_H

#include "types.h"

enum rxaqm_mode {
	RXAQM_MODE_OFF, /* measure nothing, pass everything */
	RXAQM_MODE_OBSERVE, /* count what enforcing would do */
	RXAQM_MODE_ENFORCE,
};

enum rxaqm_signal {
	RXAQM_SIGNAL_AUTO, /* the first of the following that is valid now */
	RXAQM_SIGNAL_HINT, /* Rx timestamp of the packet at hand, read in XDP */
	RXAQM_SIGNAL_STAMP, /* Rx timestamp seen by the tracing program */
	RXAQM_SIGNAL_BUSY, /* time since a poll last drained the queue */
};

enum rxaqm_law {
	RXAQM_LAW_AUTO, /* law.h */
	RXAQM_LAW_CODEL, /* codel.h */
};

enum rxaqm_ecn {
	RXAQM_ECN_OFF, /* ECT packets are treated like Not-ECT ones */
	RXAQM_ECN_ON,
};

/* Which packets ce_threshold marks. law=codel only; as tc-fq_codel's ce_threshold_selector. */
enum rxaqm_ce_selector {
	RXAQM_CE_SELECTOR_ANY,
	RXAQM_CE_SELECTOR_ECT1,
};

/* law=auto only. */
enum rxaqm_ack {
	RXAQM_ACK_KEEP, /* no ACK is dropped as redundant */
	RXAQM_ACK_THIN, /* redundant pure ACKs are dropped first */
};

/* Who has set a setting. For control only: packets do not care. */
enum rxaqm_source {
	RXAQM_SOURCE_DEFAULT,
	RXAQM_SOURCE_PROFILE,
	RXAQM_SOURCE_CONFIG, /* the section of rxaqm.conf */
	RXAQM_SOURCE_OPERATOR, /* a command */
};

#define RXAQM_MAX_EXEMPT_PORTS 8

/* The interval stays below 2^32 ns: the control law multiplies it by a Q32 number. */
#define RXAQM_INTERVAL_MIN_NS (100 * RXAQM_NSEC_PER_USEC)
#define RXAQM_INTERVAL_MAX_NS (4 * RXAQM_NSEC_PER_SEC)
#define RXAQM_TARGET_MIN_NS (1 * RXAQM_NSEC_PER_USEC)

struct rxaqm_policy {
	__u64 target_ns; /* acceptable standing sojourn, at most interval_ns */
	__u64 interval_ns; /* the longest RTT to be controlled */
	__u64 ce_threshold_ns; /* law=codel: mark ECT packets over this; 0: off */
	__u64 lease_until_ns; /* CLOCK_MONOTONIC; enforce lapses to observe then; 0: never */
	__u64 exempt_dscp; /* bit n: DSCP n is exempt */
	__u16 exempt_port[RXAQM_MAX_EXEMPT_PORTS]; /* host order, TCP or UDP, either end */
	__u16 max_drop_permille; /* most of any class of packets that may be dropped, 0..1000 */
	__u8 nr_exempt_ports;
	__u8 mode; /* enum rxaqm_mode */
	__u8 signal; /* enum rxaqm_signal */
	__u8 law; /* enum rxaqm_law */
	__u8 target_auto; /* the target is derived from measurements; target_ns is its least */
	__u8 ecn; /* enum rxaqm_ecn */
	__u8 ect0; /* accepted, and of no effect: law=auto has no use for it any more */
	__u8 ce_selector; /* enum rxaqm_ce_selector */
	__u8 ack; /* enum rxaqm_ack */
	__u8 pad[1];
	__u32 sources; /* two bits a setting, by its row in control's table: enum rxaqm_source */
};
RXAQM_ASSERT_SIZE(struct rxaqm_policy, 72);

/* True if polls may speak where no stamp does. */
rxaqm_always_inline bool rxaqm_policy_by_polls(const struct rxaqm_policy *policy)
{
	return policy->signal == RXAQM_SIGNAL_AUTO || policy->signal == RXAQM_SIGNAL_BUSY;
}

#endif /* RXAQM_POLICY_H */
