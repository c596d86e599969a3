/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trial switches the policy of an interface again and again ("rxaqm trial"). What was in force
 * before it is kept in a file, whose lock the trial holds: so whoever comes next can tell a trial
 * that goes on from one that was killed, and put back what was there.
 *
 * A policy that somebody else has set meanwhile is left alone, and ends the trial. What
 * changes something needs the lock of the state.
 */
#pragma once

#include "state/state.h"

struct rxaqm_trial {
	struct rxaqm_state *state;
	struct rxaqm_iface *iface;
	int fd; /* of the file, and its lock; -1: none */
};

/* What is known of a trial on an interface. */
struct rxaqm_trial_note {
	__u64 attached_ns; /* of the interface: it is still that one */
	__u64 begun_ns, until_ns; /* CLOCK_MONOTONIC */
	/* Of what the trial put in force last, or is about to: how many changes there were, and the
	 * end of its lease, which no other policy has.
	 */
	__u64 lease_until_ns;
	__u32 policy_gen;
	__u32 nr_queues;
	__s32 pid;
	bool going_on; /* told by the lock; not in the file */
};

/* Is there one on @iface, or has one been killed? */
bool rxaqm_trial_look(const struct rxaqm_iface *iface, struct rxaqm_trial_note *note);

/* Begin one that is to end at @until_ns. What another has left behind is put back before. -EBUSY
 * with @error if one goes on. @trial is to be ended, unless this fails.
 */
int rxaqm_trial_begin(struct rxaqm_trial *trial, struct rxaqm_state *state,
		      struct rxaqm_iface *iface, __u64 until_ns, struct rxaqm_error *error);

/* Put @policies in force, one for each queue, all at once, with a lease that no policy before had.
 * -ESTALE: the interface was detached, or somebody else has set a policy; nothing was done.
 */
int rxaqm_trial_put(struct rxaqm_trial *trial, const struct rxaqm_policy *policies);

/* Put back what was there before the trial on @iface, going on or not, unless somebody else has set
 * a policy since. A lease that the daemon renews has as long to run as it had. True if something
 * was put back.
 */
bool rxaqm_trial_undo(struct rxaqm_state *state, struct rxaqm_iface *iface);

/* The next interface behind @after (NULL: the first) whose trial was killed, NULL: none; and undo
 * all of them.
 */
struct rxaqm_iface *rxaqm_trial_killed(const struct rxaqm_state *state, struct rxaqm_iface *after);
void rxaqm_trial_undo_killed(struct rxaqm_state *state);

/* Put back, and let go of the file. */
void rxaqm_trial_end(struct rxaqm_trial *trial);
