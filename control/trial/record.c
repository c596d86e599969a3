/* SPDX-License-Identifier: GPL-2.0-only */
#include "trial/record.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields_rows.h"
#include "base/json_file.h"

#define ROW(constant, name, title, unit, better, is_cost) { name, title, unit, better, is_cost },
const struct trial_outcome trial_outcomes[TRIAL_NR_OUTCOMES] = { TRIAL_OUTCOMES(ROW) };

static const struct rxaqm_json_format record_format = {
	.format = "rxaqm-trial",
	.what = "record of \"rxaqm trial --out\"",
	.version = TRIAL_VERSION,
};

#define OUTCOME(constant, key, ...)                                               \
	,                                                                         \
	{                                                                         \
		.name = key, .kind = RXAQM_FIELD_DOUBLE, .size = sizeof(double),  \
		.offset = offsetof(struct trial_block, outcome[TRIAL_##constant]) \
	}
LAYOUT(trial_block,
       FIELDS(trial_block, round, arm, at_s, measured_s, over, why_void) TRIAL_OUTCOMES(OUTCOME));

LAYOUT(trial_point, FIELDS(trial_point, ns, share));

LAYOUT(trial_arm, FIELD(trial_arm, settings), LIST(trial_arm, cdf, trial_point_type));

LAYOUT(trial_guard, FIELDS(trial_guard, outcome, change));

LAYOUT(trial_result, FIELDS(trial_result, arm, outcome, unit, pairs, before, after, change, low),
       FIELDS(trial_result, high, p, p_holm, pairs_for_5_percent, shown));

LAYOUT(trial_verdict, FIELDS(trial_verdict, arm, verdict, why));

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

int trial_record_write(const struct trial_record *record, const char *path,
		       struct rxaqm_error *error)
{
	return rxaqm_json_write(rxaqm_fields_encode(&trial_record_type, record), &record_format,
				path, 0644, error);
}

/* What indexes something is within it. */
static int check(const struct trial_record *record, struct rxaqm_error *error)
{
	const struct trial_block *block;
	const struct trial_guard *guard;

	if (record->arms.nr < 2 || record->arms.nr > TRIAL_ARMS_MAX)
		return rxaqm_bad(error, "record.arms: must be two or three");
	rxaqm_list_each(block, &record->blocks) {
		size_t at = (size_t)(block - record->blocks.at);

		if (block->arm >= record->arms.nr)
			return rxaqm_bad(error, "record.blocks[%zu].arm: there is no such arm", at);
		if (block->round > at)
			return rxaqm_bad(error,
					 "record.blocks[%zu].round: rounds are numbered from 0 in "
					 "the order of blocks",
					 at);
	}
	rxaqm_list_each(guard, &record->guards)
		if (!trial_outcome(guard->outcome))
			return rxaqm_bad(error, "record.guards: there is no outcome \"%s\"",
					 guard->outcome);
	return 0;
}

int trial_record_read(struct trial_record *record, const char *path, struct rxaqm_error *error)
{
	struct rxaqm_error inner = {};
	struct json_object *object;
	size_t len;
	char *text;
	int err = rxaqm_file_read(path, &text, &len, error);

	if (err)
		return err;
	err = rxaqm_json_parse(text, len, &record_format, path, &object, error);
	free(text);
	if (err)
		return err;
	err = rxaqm_fields_decode(&trial_record_type, record, object, "record", &inner) ?:
		      check(record, &inner);
	if (err)
		rxaqm_error_set(error, inner.exit_code, -err, "%s: %s", path, inner.text);
	json_object_put(object);
	return err;
}

void trial_record_free(struct trial_record *record)
{
	rxaqm_fields_free(&trial_record_type, record);
	memset(record, 0, sizeof(*record));
}
