/* SPDX-License-Identifier: GPL-2.0-only */
/* What follows from the blocks of a trial. Pure. */
#pragma once

#include "trial/record.h"
#include "trial/stats.h"

/* What changes by less is told, but no verdict rests on it: where there is hardly any noise, what
 * nobody would notice is sure, too.
 */
#define TRIAL_RELEVANT 0.02

/* Fill in results and verdicts anew. A round counts if no block of it is void, and if the queue
 * stood in one of them: which policy that was under does not matter, so no policy is preferred.
 */
void trial_judge(struct trial_record *record);

/* Rounds that are whole: in which the queue stood, or did not; and those with a void block. */
struct trial_rounds {
	unsigned int over, quiet, void_;
};
void trial_rounds_count(const struct trial_record *record, struct trial_rounds *rounds);

/* After another round: does a guard end the trial? Then @record says so, and true is returned.
 * @looks: one for each guard and arm, zeroed at the beginning.
 */
bool trial_guards_look(struct trial_record *record,
		       struct trial_looks looks[TRIAL_GUARDS_MAX * TRIAL_ARMS_MAX]);

/* One over all hosts: the mean effect on each is one value there; with too few hosts all their
 * pairs, each in parts of its host's mean, which says nothing of other hosts. @combined, zeroed, is
 * to be freed: results and verdicts, and of the rest what all have in common. Records must be of
 * the same arms: -EINVAL with @error.
 */
int trial_combine(const struct trial_record *records, unsigned int nr,
		  struct trial_record *combined, struct rxaqm_error *error);
