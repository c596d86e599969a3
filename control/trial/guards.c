/* SPDX-License-Identifier: GPL-2.0-only */
/* When a trial ends early because a policy does harm. */
#include <math.h>
#include <stdio.h>

#include "trial/judge.h"
#include "trial/run.h"

int trial_guard_parse(struct trial_record *record, const char *text, struct rxaqm_error *error)
{
	const struct trial_outcome *kind = NULL;
	char sign, percent, more;
	struct trial_guard guard = {};

	if (sscanf(text, "%31[a-z0-9_]%c%lf%c%c", guard.outcome, &sign, &guard.change, &percent,
		   &more) == 4 &&
	    percent == '%' && guard.change > -100 && guard.change < 1e6 &&
	    sign == (guard.change < 0 ? '<' : '>'))
		kind = trial_outcome(guard.outcome);
	if (!kind)
		return rxaqm_bad(
			error,
			"--stop-if=%.60s: must be off, or an outcome that \"man rxaqm\" names, < or >, "
			"and a change, such as bytes_received<-10%% or segments_again>100%%",
			text);
	guard.change /= 100;
	snprintf(guard.outcome, sizeof(guard.outcome), "%s", kind->name);
	return rxaqm_list_put(&record->guards, guard) ? 0 : rxaqm_no_memory(error);
}

bool trial_guards_look(struct trial_record *record,
		       struct trial_looks looks[TRIAL_GUARDS_MAX * TRIAL_ARMS_MAX])
{
	static struct trial_pairs pairs;
	const struct trial_guard *guard;
	unsigned int arm;

	rxaqm_list_each(guard, &record->guards) {
		const struct trial_outcome *kind = trial_outcome(guard->outcome);
		bool less = guard->change < 0;

		for (arm = 1; arm < record->arms.nr; arm++, looks++) {
			/* Use all rounds: harm counts whether the queue stands or not. */
			trial_collect(record, arm, (unsigned int)(kind - trial_outcomes), false,
				      &pairs);
			looks->looks = record->rounds;
			if (!trial_look(looks, &pairs, 1 + guard->change,
					less ? TRIAL_LESS : TRIAL_MORE, record->seed))
				continue;
			snprintf(record->ended, sizeof(record->ended),
				 "a guard ended it after %u pairs: under \"%.80s\" %s is surely over "
				 "%.3g %% %s",
				 pairs.nr, record->arms.at[arm].settings, kind->title,
				 fabs(guard->change) * 100, less ? "less" : "more");
			record->guarded = arm;
			return true;
		}
	}
	return false;
}
