/* SPDX-License-Identifier: GPL-2.0-only */
#include "trial/record.h"

#include <string.h>

#include "base/fields_rows.h"

#define ROW(constant, name, title, unit, better) { name, title, unit, better },
const struct trial_outcome trial_outcomes[TRIAL_NR_OUTCOMES] = { TRIAL_OUTCOMES(ROW) };

#define OUTCOME(constant, key, ...)                                               \
	,                                                                         \
	{                                                                         \
		.name = key, .kind = RXAQM_FIELD_DOUBLE, .size = sizeof(double),  \
		.offset = offsetof(struct trial_block, outcome[TRIAL_##constant]) \
	}
LAYOUT(trial_block,
       FIELDS(trial_block, round, arm, at_s, measured_s, over, why_void) TRIAL_OUTCOMES(OUTCOME));

LAYOUT(trial_arm, FIELD(trial_arm, settings));

LAYOUT(trial_guard, FIELDS(trial_guard, outcome, change));

LAYOUT(trial_result, FIELDS(trial_result, arm, outcome, unit, pairs, before, after, change, low),
       FIELDS(trial_result, high, p, p_holm, pairs_for_5_percent, shown));

const char *const trial_verdicts[] = {
	"helps", "hurts", "mixed", "no_difference", "nothing_to_learn", "too_few", NULL,
};

LAYOUT(trial_verdict, FIELD(trial_verdict, arm), NAME(trial_verdict, verdict, trial_verdicts),
       FIELD(trial_verdict, why));

LAYOUT(trial_record, FIELDS(trial_record, time, host, interface, rxaqm, kernel, seed, block_ns),
       FIELDS(trial_record, for_ns, rounds, metric, ended, guarded),
       LIST(trial_record, arms, trial_arm_type), LIST(trial_record, guards, trial_guard_type),
       LIST(trial_record, blocks, trial_block_type), LIST(trial_record, results, trial_result_type),
       LIST(trial_record, verdicts, trial_verdict_type));

const struct trial_outcome *trial_outcome(const char *name)
{
	const struct trial_outcome *kind = trial_outcomes;

	for (; *name && kind < trial_outcomes + TRIAL_NR_OUTCOMES; kind++)
		if (!strncmp(kind->name, name, strlen(name)))
			return kind;
	return NULL;
}

/* Check that indices are in range. */
static int check_indices(const void *at, struct rxaqm_error *error)
{
	const struct trial_record *record = at;
	const struct trial_block *block;
	const struct trial_guard *guard;

	if (record->arms.nr < 2 || record->arms.nr > TRIAL_ARMS_MAX)
		return rxaqm_bad(error, "record.arms: must be two or three");
	rxaqm_list_each(block, &record->blocks) {
		size_t nr = (size_t)(block - record->blocks.at);

		if (block->arm >= record->arms.nr)
			return rxaqm_bad(error, "record.blocks[%zu].arm: there is no such arm", nr);
		if (block->round > nr)
			return rxaqm_bad(error,
					 "record.blocks[%zu].round: rounds are numbered from 0 in "
					 "the order of blocks",
					 nr);
	}
	rxaqm_list_each(guard, &record->guards)
		if (!trial_outcome(guard->outcome))
			return rxaqm_bad(error, "record.guards: there is no outcome \"%s\"",
					 guard->outcome);
	return 0;
}

const struct rxaqm_record_kind trial_record_kind = {
	.format = { "rxaqm-trial", "record of \"rxaqm trial --out\"", TRIAL_VERSION },
	.type = &trial_record_type,
	.root = "record",
	.mode = 0644,
	.check = check_indices,
};
