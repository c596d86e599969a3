/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Contract of iface_map: the registry of attached interfaces, and what attach
 * changed on them, so that any later command can undo it.
 *
 * Array of RXAQM_MAX_IFACES. Written by control only, under the lock. Read by the
 * BPF programs (policy_gen, the facts) and by control. An entry of state FREE means
 * nothing; one of state ATTACHING that is seen under the lock was left by a command
 * that died, and the next attach or detach undoes it.
 */
#ifndef RXAQM_IFACE_H
#define RXAQM_IFACE_H

#include "types.h"

enum rxaqm_iface_state {
	RXAQM_IFACE_FREE,
	RXAQM_IFACE_ATTACHING,
	RXAQM_IFACE_ATTACHED,
	RXAQM_IFACE_DETACHING,
};

/* Which time an skb carries (rx_stamp.bpf.c). */
enum rxaqm_stamp {
	RXAQM_STAMP_NONE,
	RXAQM_STAMP_HWTSTAMP, /* skb_shinfo(skb)->hwtstamps */
	RXAQM_STAMP_TSTAMP, /* skb->tstamp */
};

#define RXAQM_IFACE_GENERIC (1U << 0) /* XDP in generic mode */
#define RXAQM_IFACE_BY_CPU (1U << 1) /* the queues are the CPUs' backlogs */
#define RXAQM_IFACE_DISPATCHER (1U << 2) /* under libxdp's dispatcher */
#define RXAQM_IFACE_HWTSTAMP_SAVED (1U << 3) /* the timestamp config was changed */
#define RXAQM_IFACE_HINT (1U << 4) /* the program asks the driver for stamps (rxaqm_hint) */
#define RXAQM_IFACE_BY_WORK (1U << 5) /* work == budget says that a poll left packets */
#define RXAQM_IFACE_BARE (1U << 6) /* nothing is put in front of packets for sockets (rxaqm_bare) */
#define RXAQM_IFACE_CLOCK_RESETS (1U << 7) /* its driver resets the PHC as XDP comes and goes */
#define RXAQM_IFACE_ONE_PAGE (1U << 8) /* the program takes no packets in fragments */

#define RXAQM_IFNAMSIZ 16
#define RXAQM_PROFILE_NAME_LEN 32

struct rxaqm_iface {
	__u32 state; /* enum rxaqm_iface_state */
	__u32 flags; /* RXAQM_IFACE_* */
	__u32 policy_gen; /* lowest bit: bank of policy_map in use (policy.h) */
	__u32 queue_base; /* first entry of queue_map and of a bank of policy_map */
	__u32 nr_queues;
	__u32 ring_entries; /* length of each queue; 0: unknown */
	__u32 poll_packets; /* packets a poll may take; 0: as the NAPI budget says */
	__u32 stamp; /* enum rxaqm_stamp */
	__u32 ifindex; /* at attach; it may change later */
	__u32 prog_id; /* the XDP program, which identifies the interface for good */
	__u32 netns_ino; /* at attach */
	__u32 config_digest; /* of the section of rxaqm.conf applied last; 0: none */
	__u64 attached_ns; /* CLOCK_MONOTONIC */
	__s32 hwtstamp_flags; /* struct hwtstamp_config before it was changed */
	__s32 hwtstamp_tx_type;
	__s32 hwtstamp_rx_filter;
	__s32 hwtstamp_granted; /* rx_filter as the driver granted it, which is not always all */
	/* What the NIC profile says of targets (floor.h). */
	__u16 target_rule; /* enum rxaqm_target_rule; for status */
	__u16 target_quarters; /* of the floor */
	__u32 moderation_ns;
	char name[RXAQM_IFNAMSIZ]; /* at attach */
	char profile[RXAQM_PROFILE_NAME_LEN];
};
RXAQM_ASSERT_SIZE(struct rxaqm_iface, 128);

#endif /* RXAQM_IFACE_H */
