/* SPDX-License-Identifier: GPL-2.0-only */
/* A trial, from the first block to the last. */
#pragma once

#include "trial/record.h"

struct rxaqm_iface;
struct rxaqm_state;
struct rxaqm_policy;

/* Run the trial that @record is of, until rxaqm_stop: its interface, metric, arms, guards, seed,
 * block_ns and for_ns are set. What was in force before is put back in any case. 0, also if it
 * ended early: record->ended says why. -errno with @error if it did not begin.
 */
int trial_run(struct trial_record *record, struct rxaqm_error *error);

/* Only put back what was there before a trial, which ends if it goes on. 1: it was, 0: there was
 * nothing, -errno.
 */
int trial_restore(const char *ifname, struct rxaqm_error *error);

/* The policy of @arm for each queue, from those in force. -EINVAL with @error. */
int trial_arm_policies(const struct trial_arm *arm, const struct rxaqm_policy *before,
		       unsigned int nr_queues, struct rxaqm_policy *policies,
		       struct rxaqm_error *error);

/* Arms from "off / target=5ms / law=codel", or (NULL) "mode=observe" and what enforcing by @words
 * is. -EINVAL with @error.
 */
int trial_arms_parse(struct trial_record *record, const char *text, char *const *words,
		     struct rxaqm_error *error);

/* A guard from "bytes<-10%" or "segments_again>100%". */
int trial_guard_parse(struct trial_record *record, const char *text, struct rxaqm_error *error);

/* The order of the arms in the next round, from *@random. */
void trial_shuffle(unsigned int order[TRIAL_ARMS_MAX], unsigned int nr, __u64 *random);

/* A window of a block, on @iface, called @ifname. Its end fills in @block, and adds what was seen
 * to @hist, of RXAQM_HIST_BUCKETS.
 */
void trial_window_begin(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
			const char *ifname);
void trial_window_end(const struct rxaqm_state *state, const struct rxaqm_iface *iface,
		      const char *ifname, struct trial_block *block, __u64 *hist);

/* Median round trip of TCP by the interface @ifindex, in ns; NAN: there is none. */
double trial_rtt_ns(unsigned int ifindex);

/* The number that @command, of sh, prints; NAN, and *@why in @size bytes. What it has started and
 * left behind is killed. If it takes long, a block ends meanwhile, and the next begins later.
 */
#define TRIAL_ASK_MS 5000
double trial_ask(const char *command, char *why, size_t size);
