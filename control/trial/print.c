/* SPDX-License-Identifier: GPL-2.0-only */
#include "trial/judge.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/out.h"
#include "base/parse.h"

const char *trial_percent(double share, char buf[RXAQM_NUMBER_LEN])
{
	if (!isfinite(share))
		snprintf(buf, RXAQM_NUMBER_LEN, "?");
	else
		snprintf(buf, RXAQM_NUMBER_LEN, fabs(share) < 0.0995 ? "%+.1f" : "%+.0f",
			 share * 100);
	return buf;
}

/* "p99 of the sojourn fell from 84 ms to 12 ms (-86 %, 95 %: -88 to -83)"; without means of many
 * hosts.
 */
static void print_result(struct rxaqm_out *out, const struct trial_record *record,
			 const struct trial_result *result)
{
	char change[RXAQM_NUMBER_LEN], low[RXAQM_NUMBER_LEN], high[RXAQM_NUMBER_LEN];
	const struct trial_outcome *kind = trial_outcome(result->outcome);
	bool none = !result->before && !result->after;

	rxaqm_out_text(out, "  %s%s", kind->title,
		       none				   ? ": none" :
		       result->shown && result->change < 0 ? " fell" :
		       result->shown			   ? " rose" :
		       result->p > TRIAL_ALPHA		   ? ": no change shown" :
							     ": not shown");
	if (!none && !result->shown && result->p <= TRIAL_ALPHA)
		rxaqm_out_text(out, " after correction for %llu %s%s",
			       RXAQM_COUNTED(record->tests, "outcome"));
	if (record->block_ns && !none)
		rxaqm_out_text(out, result->shown ? " from %s to %s" : ", %s and %s",
			       rxaqm_number(result->before, kind->unit),
			       rxaqm_number(result->after, kind->unit));
	if (result->before)
		rxaqm_out_text(out, " (%s %%, 95 %%: %s to %s)",
			       trial_percent(result->change, change),
			       trial_percent(result->low, low), trial_percent(result->high, high));
	rxaqm_out_text(out, "\n");
}

const struct trial_verdict_words trial_verdict_words[] = {
	[TRIAL_HELPS] = { "It helps", RXAQM_GREEN, 1 },
	[TRIAL_HURTS] = { "It hurts", RXAQM_RED, 3 },
	[TRIAL_MIXED] = { "It helps and it hurts", RXAQM_YELLOW, 2 },
	[TRIAL_NO_DIFFERENCE] = { "No difference shown", RXAQM_PLAIN, 0 },
	[TRIAL_NOTHING_TO_LEARN] = { "Nothing to learn", RXAQM_PLAIN, 0 },
	[TRIAL_TOO_FEW] = { "Too short", RXAQM_PLAIN, 0 },
};

/* What decides or, if @told, the rest; first the differences that are shown. */
static void print_results(struct rxaqm_out *out, const struct trial_record *record,
			  unsigned int arm, bool told)
{
	const struct trial_result *result;
	int shown;

	for (shown = 1; shown >= 0; shown--)
		rxaqm_list_each(result, &record->results)
			if (result->arm == arm && result->shown == shown &&
			    isnan(result->p_holm) == told)
				print_result(out, record, result);
}

static void print_verdicts(struct rxaqm_out *out, const struct trial_record *record)
{
	const struct trial_verdict *verdict;

	rxaqm_list_each(verdict, &record->verdicts) {
		const struct trial_verdict_words *words = &trial_verdict_words[verdict->verdict];

		rxaqm_out_paint(out, words->paint);
		rxaqm_out_text(out, "%s", words->words);
		rxaqm_out_paint(out, RXAQM_PLAIN);
		rxaqm_out_text(out, ", \"%s\" against \"%s\": %s.\n",
			       record->arms.at[verdict->arm].settings, record->arms.at[0].settings,
			       verdict->why);
		print_results(out, record, verdict->arm, false);
		rxaqm_out_text(out, "These decide nothing; each was tested alone:\n");
		print_results(out, record, verdict->arm, true);
	}
}

static void print_one(struct rxaqm_out *out, const struct trial_record *record)
{
	struct trial_rounds rounds;

	trial_rounds_count(record, &rounds);
	rxaqm_out_text(out, "Trial on %s of %s, %s, blocks of %s, seed %llu\n", record->interface,
		       record->host, record->time, rxaqm_duration(record->block_ns), record->seed);
	rxaqm_out_text(out, "The queue stood in %u of %u pairs; in %u it did not; %u are void\n",
		       rounds.over, record->rounds, rounds.quiet, rounds.void_);
	if (*record->ended)
		rxaqm_out_text(out, "It ended early: %s\n", record->ended);
}

static void print_many(struct rxaqm_out *out, const struct trial_record *records, unsigned int nr)
{
	const struct trial_verdict *verdict;
	unsigned int i;

	for (i = 0; i < nr; i++)
		rxaqm_list_each(verdict, &records[i].verdicts)
			rxaqm_out_text(out, "%s %s: %s, %s\n", records[i].host,
				       records[i].interface,
				       trial_verdict_words[verdict->verdict].words, verdict->why);
	if (nr >= trial_least(records))
		rxaqm_out_text(out, "Over %u hosts; each counts once:\n", nr);
	else
		rxaqm_out_text(out,
			       "%u records are too few to tell about other hosts: that takes %u. For these "
			       "hosts, each relative to its own mean:\n",
			       nr, trial_least(records));
}

void trial_print(const struct trial_record *record, const struct trial_record *records,
		 unsigned int nr)
{
	struct rxaqm_out out;

	rxaqm_out_begin(&out, "trial", false);
	if (nr)
		print_many(&out, records, nr);
	else
		print_one(&out, record);
	print_verdicts(&out, record);
	rxaqm_out_close(&out, false);
}
