/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the operator should know of an attachment beyond its figures: why it goes by no
 * timestamps, why they are missing, what it keeps others from, what it cannot shorten.
 */
#pragma once

#include "attach/fragments.h"
#include "base/exempt.h"
#include "nic/ethtool.h"
#include "base/out.h"
#include "state/state.h"

/* Queues of which something is true: how many, and the number of the first. */
struct rxaqm_note_queues {
	unsigned int nr, first;
};

/* What is known of one interface. What stands behind queues is true of the first. */
struct rxaqm_note_facts {
	const char *ifname;
	struct rxaqm_iface iface;
	/* Policies that want stamps, which without them */
	bool lenient; /* go by busy */
	bool strict; /* let everything pass */
	enum rxaqm_coverage coverage; /* of the NIC's stamps */
	struct hwtstamp_config config; /* now; rx_filter -1: the device has none */
	bool missing; /* packets come, but no stamps */
	__u64 missing_ns; /* the last one is this old; 0: there was none */
	struct rxaqm_note_queues exempt; /* held over target by exempt packets */
	unsigned int exempt_percent; /* how much of it that is, */
	char exempt_words[RXAQM_EXEMPT_WORDS]; /* and what that may be */
	struct rxaqm_note_queues acks; /* stand, mostly by ACKs over target */
	unsigned int ack_percent; /* how much of it that is */
	bool ack_kept; /* its policy drops none as redundant */
	struct rxaqm_note_queues standing; /* stand now, and are only observed */
	bool sockets; /* queues go to sockets, */
	struct rxaqm_note_queues strict_sockets; /* and want stamps, which are not to be had */
	struct rxaqm_note_queues inexact; /* the clock's error is over half the target */
	__u64 inexact_ns, inexact_target_ns; /* that error, that target */
	bool no_sockets; /* there are none in this kernel */
	bool no_fragments, no_stamps; /* this kernel is before 5.18, before 5.13 */
	char lost[RXAQM_FRAGMENTS_TEXT]; /* frames that are too large; "": none are */
	const char *outgrown; /* how the interface has changed since attach; or NULL */
};

/* Put into words what is worth saying of @facts: entries of the array that is open, or lines
 * "  note: ...".
 */
void rxaqm_notes_write(const struct rxaqm_note_facts *facts, struct rxaqm_out *out);

/* The array "notes" of @iface; empty if the interface is not @here. */
void rxaqm_notes_out(struct rxaqm_out *out, const struct rxaqm_state *state,
		     const struct rxaqm_iface *iface, const char *ifname, bool here);
