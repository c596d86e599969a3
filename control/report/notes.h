/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the operator should know of an attachment beyond its figures: why it goes by no
 * timestamps, why they are missing, what it keeps others from, what it cannot shorten.
 */
#ifndef RXAQM_NOTES_H
#define RXAQM_NOTES_H

#include "base/exempt.h"
#include "nic/ethtool.h"
#include "base/out.h"
#include "attach/state.h"

/* What is known of one interface. */
struct rxaqm_note_facts {
	const char *ifname;
	const char *profile;
	bool hint; /* the program that is bound to the interface */
	enum rxaqm_stamp stamp; /* that it goes by */
	bool wanted; /* by a policy */
	bool lenient; /* a policy that wants stamps goes by busy without them */
	bool strict; /* a policy lets everything pass without them */
	bool stamps_all; /* the NIC can stamp all packets */
	bool stamps_some; /* or some, PTP ones as a rule */
	struct hwtstamp_config config; /* now; rx_filter -1: the device has none */
	__s32 filter; /* its rx_filter as attach left it */
	bool missing; /* packets come, but no stamps */
	bool missed_ever; /* there were stamps before: */
	__u64 missing_ns; /* the last one is this old */
	/* How many queues are so, the number of the first, and what is true of that. */
	unsigned int exempt_queues, exempt_queue; /* held over target by exempt packets */
	unsigned int exempt_percent; /* how much of it that is, */
	char exempt[RXAQM_EXEMPT_WORDS]; /* and what that may be */
	unsigned int ack_queues, ack_queue; /* stand, mostly by ACKs over target */
	unsigned int ack_percent; /* how much of it that is */
	bool ack_kept; /* its policy drops none as redundant */
	unsigned int standing_queues, standing_queue; /* stand now, and are only observed */
	unsigned int socket_queues; /* go to sockets */
	unsigned int strict_queues,
		strict_queue; /* these, and want stamps, which are not to be had */
	unsigned int inexact_queues, inexact_queue; /* the clock's error is over half the target */
	__u64 inexact_ns, inexact_target_ns; /* that error, that target */
	bool generic; /* XDP in generic mode */
	bool no_sockets; /* there are none in this kernel */
	bool bare; /* the program puts no metadata in front of packets */
};

#define RXAQM_NOTES_MAX 8

struct rxaqm_notes {
	unsigned int nr;
	char text[RXAQM_NOTES_MAX][400];
};

/* Put into words what is worth saying of @facts. */
void rxaqm_notes_write(const struct rxaqm_note_facts *facts, struct rxaqm_notes *notes);

/* Print them: lines "  note: ...", or an array "notes". None if the interface is not @here. */
void rxaqm_notes_out(struct rxaqm_out *out, const struct rxaqm_state *state,
		     const struct rxaqm_iface *iface, const char *ifname, bool here);

#endif /* RXAQM_NOTES_H */
