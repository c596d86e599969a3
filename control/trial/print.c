/* SPDX-License-Identifier: GPL-2.0-only */
#include "trial/print.h"

#include <math.h>
#include <string.h>

#include "base/out.h"
#include "base/parse.h"
#include "trial/judge.h"

#define NUMBER_LEN 48

static const char *number(double value, const char *unit, char buf[NUMBER_LEN])
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T" };
	unsigned int thousands = 0;

	if (!strcmp(unit, "ns"))
		return rxaqm_format_duration((__u64)(value + 0.5), buf);
	if (!strcmp(unit, "share")) {
		snprintf(buf, NUMBER_LEN, "%.3g %%", value * 100);
		return buf;
	}
	for (; fabs(value) >= 999.5 && thousands < 4; thousands++)
		value /= 1000;
	snprintf(buf, NUMBER_LEN, "%.3g%s%s%s", value, *unit == 'B' || thousands ? " " : "",
		 prefixes[thousands], unit);
	return buf;
}

static const char *percent(double share, char buf[NUMBER_LEN])
{
	if (!isfinite(share))
		snprintf(buf, NUMBER_LEN, "?");
	else
		snprintf(buf, NUMBER_LEN, fabs(share) < 0.0995 ? "%+.1f" : "%+.0f", share * 100);
	return buf;
}

/* "p99 of the sojourn fell from 84ms to 12ms (-86 %, 95 %: -88 to -83)"; over hosts there are no
 * means to be told, but the change.
 */
static void print_result(struct rxaqm_out *out, const struct trial_result *result, bool means)
{
	const struct trial_outcome *kind = &trial_outcomes[trial_outcome_find(result->outcome)];
	char before[NUMBER_LEN], after[NUMBER_LEN], change[NUMBER_LEN], low[NUMBER_LEN],
		high[NUMBER_LEN];

	number(result->before, kind->unit, before);
	number(result->after, kind->unit, after);
	rxaqm_out_text(out, "  %s%s", kind->title,
		       !result->before && !result->after ? ": none" :
		       !result->shown			 ? ": no change shown" :
		       result->change < 0		 ? " fell" :
							   " rose");
	if (means && (result->before || result->after))
		rxaqm_out_text(out, result->shown ? " from %s to %s" : ", %s and %s", before,
			       after);
	if (result->before)
		rxaqm_out_text(out, " (%s %%, 95 %%: %s to %s)", percent(result->change, change),
			       percent(result->low, low), percent(result->high, high));
	rxaqm_out_text(out, "\n");
}

static const struct {
	const char *verdict, *words;
	enum rxaqm_paint paint;
} verdicts[] = {
	{ "helps", "It helps", RXAQM_GREEN },
	{ "hurts", "It hurts", RXAQM_RED },
	{ "mixed", "It helps and it hurts", RXAQM_YELLOW },
	{ "no_difference", "No difference", RXAQM_PLAIN },
	{ "nothing_to_learn", "Nothing to learn", RXAQM_PLAIN },
	{ "too_few", "Too short", RXAQM_PLAIN },
};

static size_t find_verdict(const char *verdict)
{
	size_t i = sizeof(verdicts) / sizeof(verdicts[0]);

	/* Those of judge.c only. */
	while (--i && strcmp(verdicts[i].verdict, verdict))
		;
	return i;
}

const char *trial_verdict_words(const char *verdict)
{
	return verdicts[find_verdict(verdict)].words;
}

static void print_results(struct rxaqm_out *out, const struct trial_record *record,
			  unsigned int arm)
{
	const struct trial_result *result;
	int shown;

	/* What is shown first. */
	for (shown = 1; shown >= 0; shown--)
		rxaqm_list_each(result, &record->results)
			if (result->arm == arm && result->shown == shown)
				print_result(out, result, record->block_ns);
}

static void print_verdicts(struct rxaqm_out *out, const struct trial_record *record)
{
	const struct trial_verdict *verdict;

	rxaqm_list_each(verdict, &record->verdicts) {
		if (verdict->arm >= record->arms.nr)
			continue;
		rxaqm_out_paint(out, verdicts[find_verdict(verdict->verdict)].paint);
		rxaqm_out_text(out, "%s", trial_verdict_words(verdict->verdict));
		rxaqm_out_paint(out, RXAQM_PLAIN);
		rxaqm_out_text(out, ", \"%s\" against \"%s\": %s.\n",
			       record->arms.at[verdict->arm].settings, record->arms.at[0].settings,
			       verdict->why);
		print_results(out, record, verdict->arm);
	}
}

void trial_print(const struct trial_record *record)
{
	struct trial_rounds rounds;
	struct rxaqm_out out;

	trial_rounds_count(record, &rounds);
	rxaqm_out_begin(&out, "trial", false);
	rxaqm_out_text(&out, "Trial on %s of %s, %s, blocks of %s, seed %llu\n", record->interface,
		       record->host, record->time, rxaqm_duration(record->block_ns), record->seed);
	rxaqm_out_text(&out, "%u of %u pairs in which the queue stood; in %u it did not, %u void\n",
		       rounds.over, record->rounds, rounds.quiet, rounds.void_);
	if (*record->ended)
		rxaqm_out_text(&out, "It ended before its time: %s\n", record->ended);
	print_verdicts(&out, record);
	rxaqm_out_close(&out, false);
}

void trial_print_many(const struct trial_record *records, unsigned int nr,
		      const struct trial_record *combined)
{
	const struct trial_verdict *verdict;
	struct rxaqm_out out;
	unsigned int i;

	rxaqm_out_begin(&out, "trial", false);
	for (i = 0; i < nr; i++)
		rxaqm_list_each(verdict, &records[i].verdicts)
			rxaqm_out_text(&out, "%s %s: %s, %s\n", records[i].host,
				       records[i].interface, trial_verdict_words(verdict->verdict),
				       verdict->why);
	if (nr >= TRIAL_PAIRS_LEAST)
		rxaqm_out_text(&out, "Over %u hosts, of which each counts once:\n", nr);
	else
		rxaqm_out_text(&out,
			       "%u records are too few to speak of other hosts, for which it takes %d; of "
			       "these, in parts of the mean of each:\n",
			       nr, TRIAL_PAIRS_LEAST);
	print_verdicts(&out, combined);
	rxaqm_out_close(&out, false);
}

void trial_print_outcomes(bool json)
{
	static const char *const better[] = { "less is better", "only told", "more is better" };
	struct rxaqm_out out;
	unsigned int i;

	rxaqm_out_open(&out, stdout, json);
	if (json)
		rxaqm_out_head(&out, "trial-outcomes");
	rxaqm_out_array(&out, "outcomes");
	for (i = 0; i < TRIAL_NR_OUTCOMES; i++) {
		rxaqm_out_object(&out, NULL);
		rxaqm_out_str(&out, "name", "%-17s ", trial_outcomes[i].name);
		rxaqm_out_str(&out, "title", "%-29s ", trial_outcomes[i].title);
		rxaqm_out_str(&out, "better", "%s\n", better[trial_outcomes[i].better + 1]);
		rxaqm_out_end(&out);
	}
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}
