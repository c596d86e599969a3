/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the operator should know of an attachment beyond its figures: why it uses no timestamps, why
 * they are missing, what it keeps others from, what it cannot shorten.
 */
#pragma once

#include "attach/fragments.h"
#include "base/exempt.h"
#include "nic/ethtool.h"
#include "base/out.h"
#include "nic/way_out.h"
#include "state/state.h"

/* Queues for which something is true: how many, and the number of the first. */
struct rxaqm_note_queues {
	unsigned int nr, first;
};

/* What is known of one interface. Figures after a group of queues are of the first one. */
struct rxaqm_note_facts {
	const char *ifname;
	struct rxaqm_iface iface;
	/* Policies that want stamps. Without stamps */
	bool lenient; /* they use busy */
	bool strict; /* everything passes */
	enum rxaqm_coverage coverage; /* of the NIC's stamps */
	struct hwtstamp_config config; /* now; rx_filter -1: the device has none */
	bool missing; /* packets come, but no stamps */
	__u64 missing_ns; /* age of the last one; 0: there was none */
	struct rxaqm_note_queues exempt; /* held over target by exempt packets */
	unsigned int exempt_percent; /* their share of the packets, */
	char exempt_words[RXAQM_EXEMPT_WORDS]; /* and which traffic is exempt */
	struct rxaqm_note_queues acks; /* stand, and most packets over target are ACKs */
	unsigned int ack_percent; /* their share */
	bool ack_kept; /* the policy drops none as redundant */
	struct rxaqm_note_queues standing; /* stand now, and are only observed */
	bool sockets; /* sockets serve queues, */
	struct rxaqm_note_queues strict_sockets; /* whose policy wants stamps, in vain */
	struct rxaqm_note_queues inexact; /* the clock's error is over half of the target */
	__u64 inexact_ns, inexact_target_ns; /* that error, that target */
	bool no_sockets; /* this kernel has no AF_XDP sockets */
	bool no_fragments, no_stamps; /* this kernel is before 5.18, before 5.13 */
	char lost[RXAQM_FRAGMENTS_TEXT]; /* why frames are lost that are too large; "": none are */
	char way_out[RXAQM_WAY_OUT_LEN]; /* why merge=on does nothing; "": it does, or is off */
	bool before_rps; /* native mode, and RPS hands its packets to backlogs behind that */
	__u64 unseen; /* packets that were received lately, while the program saw none */
	const char *outgrown; /* how the interface has changed since attach; or NULL */
};

/* Print the notes about @facts: entries of the open array, or lines " note: ...". */
void rxaqm_notes_write(const struct rxaqm_note_facts *facts, struct rxaqm_out *out);

/* Find the facts of @iface, which is called @ifname in the namespace entered, but for unseen. */
void rxaqm_notes_look(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		      const char *ifname, struct rxaqm_note_facts *facts);

/* Print the array "notes" of @iface, called @ifname. @facts: NULL if it is not in the namespace
 * entered.
 */
void rxaqm_notes_out(struct rxaqm_out *out, const struct rxaqm_iface *iface, const char *ifname,
		     const struct rxaqm_note_facts *facts);
