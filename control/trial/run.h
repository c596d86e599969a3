/* SPDX-License-Identifier: GPL-2.0-only */
/* A trial, from the first block to the last. */
#pragma once

#include "trial/record.h"

struct rxaqm_iface;
struct rxaqm_state;
struct rxaqm_policy;

/* Run the trial in @record, which has interface, metric, arms, guards, seed, block_ns and for_ns,
 * until its end or rxaqm_stop. The old policies are restored in any case. 0: done, or ended early
 * as record->ended says. -errno with @error: it did not begin.
 */
int trial_run(struct trial_record *record, struct rxaqm_error *error);

/* Restore the policies that were in force before a trial; a running trial ends. 1: restored, 0:
 * nothing to restore, -errno.
 */
int trial_restore(const char *ifname, struct rxaqm_error *error);

/* Apply @arm to the policies in force, for each queue. -EINVAL with @error. */
int trial_arm_policies(const struct trial_arm *arm, const struct rxaqm_policy *before,
		       unsigned int nr_queues, struct rxaqm_policy *policies,
		       struct rxaqm_error *error);

/* Parse arms like "off / target=5ms / law=codel". If @text is NULL they are "mode=observe", and
 * enforcing with @words. -EINVAL with @error.
 */
int trial_arms_parse(struct trial_record *record, const char *text, char *const *words,
		     struct rxaqm_error *error);

/* Draw the order of the arms in the next round from *@random. */
void trial_shuffle(unsigned int order[TRIAL_ARMS_MAX], unsigned int nr, __u64 *random);

/* Begin and end the measured window of a block on @iface, called @ifname. The end fills in @block.
 */
void trial_window_begin(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			const char *ifname);
void trial_window_end(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		      const char *ifname, struct trial_block *block);

/* The median round trip of TCP sockets on @ifindex, in ns; NAN: there are none. */
double trial_rtt_ns(unsigned int ifindex);

/* Run @command by sh and return the number that it prints, or NAN with *@why (@size bytes).
 * Processes that it leaves behind are killed. If it takes longer than the rest of a block, the next
 * block begins later.
 */
#define TRIAL_ASK_MS 5000
double trial_ask(const char *command, char *why, size_t size);
