/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trial switches the policy of an interface again and again ("rxaqm trial"). The policy before it
 * is kept in a file, and the trial holds the lock of that file. So the next command can tell a
 * running trial from a killed one, and put that policy back.
 *
 * A policy that somebody else sets meanwhile is left alone, and ends the trial. Functions that
 * change something need the lock of the state.
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
	__u64 attached_ns; /* of the interface: is it still the same? */
	__u64 begun_ns, until_ns; /* CLOCK_MONOTONIC */
	/* The policy that the trial has set last, or is about to set: the end of its lease, which
	 * no other policy has, and its generation.
	 */
	__u64 lease_until_ns;
	__u32 policy_gen;
	__u32 nr_queues;
	__s32 pid;
	bool going_on; /* known by the lock; not in the file */
};

/* Is a trial running on @iface, or was one killed? */
bool rxaqm_trial_look(const struct rxaqm_iface *iface, struct rxaqm_trial_note *note);

/* Begin a trial that is to end at @until_ns. The policies from before a killed one are put back
 * first. -EBUSY with @error if one is running. Unless this fails, call rxaqm_trial_end().
 */
int rxaqm_trial_begin(struct rxaqm_trial *trial, struct rxaqm_state *state,
		      struct rxaqm_iface *iface, __u64 until_ns, struct rxaqm_error *error);

/* Put @policies in force, one for each queue, all at once, with a lease that no policy before had.
 * -ESTALE: the interface was detached, or somebody else has set a policy; nothing was done.
 */
int rxaqm_trial_put(struct rxaqm_trial *trial, const struct rxaqm_policy *policies);

/* Put back the policies from before the trial on @iface, running or not, unless somebody else has
 * set a policy since. A lease that the daemon renews gets the time that it had left. True if
 * something was put back.
 */
bool rxaqm_trial_undo(struct rxaqm_state *state, struct rxaqm_iface *iface);

/* The next interface after @after (NULL: the first) whose trial was killed; NULL: none. The second
 * function undoes all of them.
 */
struct rxaqm_iface *rxaqm_trial_killed(const struct rxaqm_state *state, struct rxaqm_iface *after);
void rxaqm_trial_undo_killed(struct rxaqm_state *state);

/* Put the policies back, and close the file. */
void rxaqm_trial_end(struct rxaqm_trial *trial);
