/* SPDX-License-Identifier: GPL-2.0-only */
#include "trial/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

static void add_pair(struct trial_pairs *pairs, double a, double b)
{
	/* A metric or a file may contain any number. */
	if (pairs->nr == TRIAL_PAIRS_MAX || !(a >= 0 && b >= 0 && isfinite(a) && isfinite(b)))
		return;
	pairs->a[pairs->nr] = a;
	pairs->b[pairs->nr++] = b;
}

/* The blocks of a round, by their arms. */
struct round {
	const struct trial_block *of[TRIAL_ARMS_MAX];
	bool whole, over, void_;
};

/* Read the round that begins with block *@at, and move *@at to the next round. */
static struct round next_round(const struct trial_record *record, size_t *at)
{
	const struct trial_block *block = &record->blocks.at[*at];
	__u32 number = block->round;
	struct round round = { .whole = true };
	size_t i;

	for (; *at < record->blocks.nr && block->round == number; block++, (*at)++) {
		round.of[block->arm] = block;
		round.over |= block->over;
		round.void_ |= *block->why_void;
	}
	for (i = 0; i < record->arms.nr; i++)
		round.whole &= round.of[i] != NULL;
	round.whole &= !round.void_;
	return round;
}

void trial_rounds_count(const struct trial_record *record, struct trial_rounds *rounds)
{
	size_t at = 0;

	*rounds = (struct trial_rounds){};
	while (at < record->blocks.nr) {
		struct round round = next_round(record, &at);

		rounds->over += round.whole && round.over;
		rounds->quiet += round.whole && !round.over;
		rounds->void_ += round.void_;
	}
}

void trial_collect(const struct trial_record *record, unsigned int arm, unsigned int outcome,
		   bool only_over, struct trial_pairs *pairs)
{
	size_t at = 0;

	pairs->nr = 0;
	while (at < record->blocks.nr) {
		struct round round = next_round(record, &at);

		if (round.whole && (round.over || !only_over))
			add_pair(pairs, round.of[0]->outcome[outcome],
				 round.of[arm]->outcome[outcome]);
	}
}

unsigned int trial_least(const struct trial_record *record)
{
	unsigned int nr = 0, i;

	for (i = 0; i < TRIAL_NR_OUTCOMES; i++)
		nr += trial_outcomes[i].better && (i != TRIAL_NUMBER || *record->metric);
	return trial_pairs_least(nr * (unsigned int)(record->arms.nr - 1));
}

/* One pair for each host; with too few hosts all their pairs, divided by the mean of their host. */
static void collect_hosts(const struct trial_record *records, unsigned int nr, unsigned int arm,
			  unsigned int outcome, struct trial_pairs *pairs)
{
	static struct trial_pairs of_host;
	unsigned int host, i, least = trial_least(records);

	pairs->nr = 0;
	for (host = 0; host < nr; host++) {
		double mean = 0, mean_b = 0;

		trial_collect(&records[host], arm, outcome, true, &of_host);
		for (i = 0; i < of_host.nr; i++)
			mean += of_host.a[i] / of_host.nr;
		for (i = 0; i < of_host.nr && mean > 0; i++) {
			mean_b += of_host.b[i] / of_host.nr / mean;
			if (nr < least)
				add_pair(pairs, of_host.a[i] / mean, of_host.b[i] / mean);
		}
		if (nr >= least && mean > 0)
			add_pair(pairs, 1, mean_b);
	}
}

static void add_result(struct trial_record *record, unsigned int arm,
		       const struct trial_outcome *kind, const struct trial_pairs *pairs)
{
	struct trial_effect effect;
	struct trial_result *result = pairs->nr ? rxaqm_list_add(&record->results) : NULL;

	if (!result)
		return;
	trial_effect_of(pairs, record->seed, &effect);
	*result = (struct trial_result){
		.arm = arm,
		.pairs = pairs->nr,
		.before = effect.mean_a,
		.after = effect.mean_b,
		.change = effect.ratio - 1,
		.low = effect.low - 1,
		.high = effect.high - 1,
		.p = effect.p,
		.p_holm = NAN,
		.pairs_for_5_percent = effect.pairs_for_5_percent,
	};
	snprintf(result->outcome, sizeof(result->outcome), "%s", kind->name);
	snprintf(result->unit, sizeof(result->unit), "%s", kind->unit);
}

/* True if a verdict rests on it. An outcome that never happened proves nothing. */
static bool counts(const struct trial_result *result)
{
	return trial_outcome(result->outcome)->better && (result->before > 0 || result->after > 0);
}

static void correct(struct trial_record *record)
{
	double p[TRIAL_NR_OUTCOMES * TRIAL_ARMS_MAX];
	struct trial_result *result;
	unsigned int nr = 0, i = 0;

	rxaqm_list_each(result, &record->results)
		if (counts(result))
			p[nr++] = result->p;
	trial_holm(p, nr);
	record->tests = nr;
	rxaqm_list_each(result, &record->results) {
		if (counts(result))
			result->p_holm = p[i++];
		result->shown = (isnan(result->p_holm) ? result->p : result->p_holm) <= TRIAL_ALPHA;
	}
}

static void __attribute__((format(printf, 4, 5))) put_verdict(struct trial_record *record,
							      unsigned int arm,
							      enum trial_verdict_kind verdict,
							      const char *form, ...)
{
	struct trial_verdict *to = rxaqm_list_add(&record->verdicts);
	va_list args;

	if (!to)
		return;
	to->arm = arm;
	to->verdict = verdict;
	va_start(args, form);
	vsnprintf(to->why, sizeof(to->why), form, args);
	va_end(args);
}

/* Say how many pairs it would have taken: to show anything at all, or a change of 5 % in what
 * matters to users.
 */
static void say_none(struct trial_record *record, unsigned int arm, unsigned int pairs)
{
	unsigned int tests = record->tests ?: 1, least = trial_pairs_least(tests);
	const struct trial_result *result;
	char would[96] = "";
	double most = 0;

	rxaqm_list_each(result, &record->results) {
		if (result->arm != arm || isnan(result->p_holm))
			continue;
		pairs = result->pairs < pairs ? result->pairs : pairs;
		if (trial_outcome(result->outcome)->better <= 0 ||
		    !(result->pairs_for_5_percent > most))
			continue;
		most = result->pairs_for_5_percent;
		snprintf(would, sizeof(would), "; to show 5 %% of %s would take %.0f pairs",
			 trial_outcome(result->outcome)->title, most);
	}
	if (pairs < least)
		put_verdict(record, arm, TRIAL_TOO_FEW,
			    "%llu %s%s in which the queue stood can show nothing; at least %u are "
			    "needed for %llu %s%s; try again with a longer --for",
			    RXAQM_COUNTED(pairs, "pair"), least, RXAQM_COUNTED(tests, "outcome"));
	else
		put_verdict(record, arm, TRIAL_NO_DIFFERENCE, "%u pairs show no difference%s",
			    pairs, would);
}

static void decide(struct trial_record *record, unsigned int arm, unsigned int pairs)
{
	char better[TRIAL_NR_OUTCOMES * 32] = "", worse[TRIAL_NR_OUTCOMES * 32] = "", *to;
	const struct trial_result *result;

	rxaqm_list_each(result, &record->results) {
		const struct trial_outcome *kind = trial_outcome(result->outcome);

		if (result->arm != arm || !result->shown || !kind->better ||
		    fabs(result->change) < TRIAL_RELEVANT)
			continue;
		to = (result->change > 0) == (kind->better > 0) ? better : worse;
		sprintf(to + strlen(to), "%s%s", *to ? ", " : "", kind->title);
	}
	if (*better && *worse)
		put_verdict(record, arm, TRIAL_MIXED, "better: %s; worse: %s", better, worse);
	else if (*better)
		put_verdict(record, arm, TRIAL_HELPS, "better: %s", better);
	else if (*worse)
		put_verdict(record, arm, TRIAL_HURTS, "worse: %s", worse);
	else
		say_none(record, arm, pairs);
}

static void judge_arm(struct trial_record *record, unsigned int arm,
		      const struct trial_rounds *rounds)
{
	const struct trial_block *block;

	block = rxaqm_list_find(block, &record->blocks, *block->why_void);
	if (record->guarded == arm)
		put_verdict(record, arm, TRIAL_HURTS, "%s", record->ended);
	else if (rounds->over < trial_pairs_least(1) && block &&
		 rounds->void_ > rounds->over + rounds->quiet)
		put_verdict(record, arm, TRIAL_TOO_FEW,
			    "most of %llu %s%s are void (%s); fix that, then try again",
			    RXAQM_COUNTED(rounds->void_ + rounds->over + rounds->quiet, "pair"),
			    block->why_void);
	else if (!rounds->over && rounds->quiet)
		put_verdict(record, arm, TRIAL_NOTHING_TO_LEARN,
			    "the queue never stood over target: no policy had anything to do, and there is "
			    "nothing to learn; try again under load");
	else
		decide(record, arm, rounds->over);
}

/* Judge the blocks of the @nr @records, one of which may be @record itself. */
static void judge(struct trial_record *record, const struct trial_record *records, unsigned int nr,
		  const struct trial_rounds *rounds)
{
	static struct trial_pairs pairs;
	unsigned int arm, i;

	free(record->results.at);
	free(record->verdicts.at);
	memset(&record->results, 0, sizeof(record->results));
	memset(&record->verdicts, 0, sizeof(record->verdicts));
	for (arm = 1; arm < record->arms.nr; arm++) {
		for (i = 0; i < TRIAL_NR_OUTCOMES; i++) {
			/* If the queue never stood, still report the outcomes of all rounds. */
			if (nr == 1)
				trial_collect(records, arm, i, rounds->over, &pairs);
			else
				collect_hosts(records, nr, arm, i, &pairs);
			add_result(record, arm, &trial_outcomes[i], &pairs);
		}
	}
	correct(record);
	for (arm = 1; arm < record->arms.nr; arm++)
		judge_arm(record, arm, rounds);
}

void trial_judge(struct trial_record *record)
{
	struct trial_rounds rounds;

	trial_rounds_count(record, &rounds);
	judge(record, record, 1, &rounds);
}

int trial_combine(const struct trial_record *records, unsigned int nr,
		  struct trial_record *combined, struct rxaqm_error *error)
{
	struct trial_rounds all = {}, rounds;
	const struct trial_arm *arm;
	unsigned int host;
	bool same = true;

	combined->seed = records->seed;
	rxaqm_list_each(arm, &records->arms)
		same &= rxaqm_list_put(&combined->arms, (struct trial_arm){}) &&
			strcpy(combined->arms.at[combined->arms.nr - 1].settings, arm->settings);
	if (!same)
		return rxaqm_no_memory(error);
	for (host = 0; host < nr; host++) {
		rxaqm_list_each(arm, &records[host].arms)
			same &= records[host].arms.nr == records->arms.nr &&
				!strcmp(arm->settings,
					records->arms.at[arm - records[host].arms.at].settings);
		if (!same)
			return rxaqm_bad(error,
					 "record %u has other policies than the first one, \"%s\" against "
					 "\"%s\": they cannot be combined",
					 host + 1, records->arms.at[1].settings,
					 records->arms.at[0].settings);
		trial_rounds_count(&records[host], &rounds);
		all.over += nr < trial_least(records) ? rounds.over : rounds.over > 0;
		all.quiet += rounds.quiet;
	}
	judge(combined, records, nr, &all);
	return 0;
}

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
