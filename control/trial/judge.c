/* SPDX-License-Identifier: GPL-2.0-only */
#include "trial/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

/* Both values of each pair: of one outcome, under the first arm and another. */
struct values {
	double a[TRIAL_PAIRS_MAX], b[TRIAL_PAIRS_MAX];
	unsigned int nr;
};

static void add_pair(struct values *values, double a, double b)
{
	/* A metric, or a file, may say anything. */
	if (values->nr == TRIAL_PAIRS_MAX || !(a >= 0 && b >= 0 && isfinite(a) && isfinite(b)))
		return;
	values->a[values->nr] = a;
	values->b[values->nr++] = b;
}

static struct trial_pairs pairs_of(const struct values *values)
{
	return (struct trial_pairs){ values->a, values->b, values->nr };
}

/* The blocks of a round, by their arms. */
struct round {
	const struct trial_block *of[TRIAL_ARMS_MAX];
	bool whole, over, void_;
};

/* The round that begins with block *@at, which moves to the next. */
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

static void collect(const struct trial_record *record, unsigned int arm, unsigned int outcome,
		    bool only_over, struct values *values)
{
	size_t at = 0;

	values->nr = 0;
	while (at < record->blocks.nr) {
		struct round round = next_round(record, &at);

		if (round.whole && (round.over || !only_over))
			add_pair(values, round.of[0]->outcome[outcome],
				 round.of[arm]->outcome[outcome]);
	}
}

static struct trial_result *add_result(struct trial_record *record, unsigned int arm,
				       unsigned int outcome, const struct values *values)
{
	const struct trial_outcome *kind = &trial_outcomes[outcome];
	struct trial_pairs pairs = pairs_of(values);
	struct trial_result *result;
	struct trial_effect effect;

	if (!values->nr)
		return NULL;
	trial_effect_of(&pairs, record->seed, &effect);
	result = rxaqm_list_put(&record->results,
				(struct trial_result){
					.arm = arm,
					.pairs = values->nr,
					.before = effect.mean_a,
					.after = effect.mean_b,
					.change = effect.ratio - 1,
					.low = effect.low - 1,
					.high = effect.high - 1,
					.p = effect.p,
					.p_holm = NAN,
					.pairs_for_5_percent = effect.pairs_for_5_percent,
				});
	if (!result)
		return NULL;
	snprintf(result->outcome, sizeof(result->outcome), "%s", kind->name);
	snprintf(result->unit, sizeof(result->unit), "%s", kind->unit);
	return result;
}

/* Of all results that a verdict rests on; what never happened at all is not among them. */
static void correct(struct trial_record *record)
{
	double p[TRIAL_NR_OUTCOMES * TRIAL_ARMS_MAX];
	struct trial_result *result;
	unsigned int nr = 0, i = 0;

#define COUNTS(result)                                                   \
	(trial_outcomes[trial_outcome_find((result)->outcome)].better && \
	 ((result)->before > 0 || (result)->after > 0))
	rxaqm_list_each(result, &record->results)
		if (COUNTS(result))
			p[nr++] = result->p;
	trial_holm(p, nr);
	rxaqm_list_each(result, &record->results) {
		if (COUNTS(result))
			result->p_holm = p[i++];
		result->shown = (isnan(result->p_holm) ? result->p : result->p_holm) <= TRIAL_ALPHA;
	}
}

static void put_verdict(struct trial_record *record, unsigned int arm, const char *verdict,
			const char *why)
{
	struct trial_verdict *to = rxaqm_list_put(&record->verdicts,
						  (struct trial_verdict){ .arm = arm });

	if (!to)
		return;
	snprintf(to->verdict, sizeof(to->verdict), "%s", verdict);
	snprintf(to->why, sizeof(to->why), "%s", why);
}

/* Titles of what got better, or worse, by commas. */
struct titles {
	char text[180];
	unsigned int nr;
};

static void add_title(struct titles *titles, const char *title)
{
	size_t len = strlen(titles->text);

	snprintf(titles->text + len, sizeof(titles->text) - len, "%s%s", titles->nr ? ", " : "",
		 title);
	titles->nr++;
}

/* What @pairs would have taken to see 5 % in what users have. */
static void say_none(const struct trial_record *record, unsigned int arm, unsigned int pairs,
		     char *why, size_t size)
{
	const char *title = "";
	const struct trial_result *result;
	double most = 0;

	rxaqm_list_each(result, &record->results) {
		const struct trial_outcome *kind =
			&trial_outcomes[trial_outcome_find(result->outcome)];

		if (result->arm == arm && kind->better > 0 && result->pairs_for_5_percent > most) {
			most = result->pairs_for_5_percent;
			title = kind->title;
		}
	}
	snprintf(why, size, "no difference that %u pairs can show", pairs);
	if (most > 0)
		snprintf(why + strlen(why), size - strlen(why),
			 "; 5 %% of %s would take %.0f pairs", title, most);
}

static void decide(struct trial_record *record, unsigned int arm, unsigned int pairs)
{
	struct titles better = {}, worse = {}, costs = {};
	const struct trial_result *result;
	char why[400];

	rxaqm_list_each(result, &record->results) {
		const struct trial_outcome *kind =
			&trial_outcomes[trial_outcome_find(result->outcome)];

		if (result->arm != arm || !result->shown || !kind->better)
			continue;
		if ((result->change > 0) == (kind->better > 0))
			add_title(&better, kind->title);
		else
			add_title(kind->is_cost ? &costs : &worse, kind->title);
	}
	if (better.nr && worse.nr)
		snprintf(why, sizeof(why), "better: %.120s; worse: %.120s%s%.120s", better.text,
			 worse.text, costs.nr ? ", " : "", costs.text);
	else if (better.nr)
		snprintf(why, sizeof(why), "better: %s%s%s", better.text,
			 costs.nr ? "; it costs: " : "", costs.text);
	else if (worse.nr + costs.nr)
		snprintf(why, sizeof(why), "worse: %s%s%s", worse.text,
			 worse.nr && costs.nr ? ", " : "", costs.text);
	else
		say_none(record, arm, pairs, why, sizeof(why));
	put_verdict(record, arm,
		    better.nr && worse.nr ? "mixed" :
		    better.nr		  ? "helps" :
		    worse.nr + costs.nr	  ? "hurts" :
					    "no_difference",
		    why);
}

static void judge_arm(struct trial_record *record, unsigned int arm,
		      const struct trial_rounds *rounds)
{
	char why[200];

	if (record->guarded == arm)
		put_verdict(record, arm, "hurts", record->ended);
	else if (!rounds->over && rounds->quiet) {
		put_verdict(record, arm, "nothing_to_learn",
			    "the queue never stood over target, so there was nothing to do for a "
			    "policy, and nothing to learn; try again under load");
	} else if (rounds->over < TRIAL_PAIRS_LEAST) {
		snprintf(why, sizeof(why),
			 "%llu %s%s in which the queue stood can show nothing; it takes %d at "
			 "least, and 10 for all that is looked at; try again with a longer --for",
			 RXAQM_COUNTED(rounds->over, "pair"), TRIAL_PAIRS_LEAST);
		put_verdict(record, arm, "too_few", why);
	} else {
		decide(record, arm, rounds->over);
	}
}

static void forget(struct trial_record *record)
{
	free(record->results.at);
	free(record->verdicts.at);
	memset(&record->results, 0, sizeof(record->results));
	memset(&record->verdicts, 0, sizeof(record->verdicts));
}

void trial_judge(struct trial_record *record)
{
	struct trial_rounds rounds;
	struct values values;
	unsigned int arm, i;

	forget(record);
	trial_rounds_count(record, &rounds);
	for (arm = 1; arm < record->arms.nr; arm++) {
		for (i = 0; i < TRIAL_NR_OUTCOMES; i++) {
			/* A trial that had nothing to learn still says what there was. */
			collect(record, arm, i, rounds.over, &values);
			add_result(record, arm, i, &values);
		}
	}
	correct(record);
	for (arm = 1; arm < record->arms.nr; arm++)
		judge_arm(record, arm, &rounds);
}

bool trial_guards_look(struct trial_record *record,
		       struct trial_looks looks[TRIAL_GUARDS_MAX * TRIAL_ARMS_MAX])
{
	const struct trial_guard *guard;
	struct values values;
	unsigned int arm;

	rxaqm_list_each(guard, &record->guards) {
		int outcome = trial_outcome_find(guard->outcome);

		for (arm = 1; arm < record->arms.nr; arm++, looks++) {
			struct trial_pairs pairs;

			/* All rounds: harm is harm, whether the queue stands or not. */
			collect(record, arm, (unsigned int)outcome, false, &values);
			pairs = pairs_of(&values);
			looks->looks = record->rounds;
			if (!trial_look(looks, &pairs, 1 + guard->change,
					guard->change < 0 ? TRIAL_LESS : TRIAL_MORE, record->seed))
				continue;
			snprintf(record->ended, sizeof(record->ended),
				 "a guard ended it after %u pairs: under \"%.80s\" %s is surely over "
				 "%.3g %% %s",
				 values.nr, record->arms.at[arm].settings,
				 trial_outcomes[outcome].title, fabs(guard->change) * 100,
				 guard->change < 0 ? "less" : "more");
			record->guarded = arm;
			return true;
		}
	}
	return false;
}

/* By host, or of all pairs in parts of the mean of their host. */
static void collect_hosts(const struct trial_record *records, unsigned int nr, unsigned int arm,
			  unsigned int outcome, struct values *values)
{
	static struct values of_host;
	unsigned int host, i;

	values->nr = 0;
	for (host = 0; host < nr; host++) {
		double mean = 0, mean_b = 0;

		collect(&records[host], arm, outcome, true, &of_host);
		for (i = 0; i < of_host.nr; i++)
			mean += of_host.a[i] / of_host.nr;
		if (mean <= 0)
			continue;
		for (i = 0; i < of_host.nr; i++) {
			mean_b += of_host.b[i] / of_host.nr;
			if (nr < TRIAL_PAIRS_LEAST)
				add_pair(values, of_host.a[i] / mean, of_host.b[i] / mean);
		}
		if (nr >= TRIAL_PAIRS_LEAST)
			add_pair(values, 1, mean_b / mean);
	}
}

static int check_same(const struct trial_record *records, unsigned int nr,
		      struct rxaqm_error *error)
{
	unsigned int host;
	size_t arm;

	for (host = 1; host < nr; host++) {
		if (records[host].arms.nr != records[0].arms.nr)
			return rxaqm_bad(error, "record %u has other policies than the first one",
					 host + 1);
		for (arm = 0; arm < records[0].arms.nr; arm++)
			if (strcmp(records[host].arms.at[arm].settings,
				   records[0].arms.at[arm].settings))
				return rxaqm_bad(error,
						 "record %u is of \"%s\", where the first one has "
						 "\"%s\": they cannot be put together",
						 host + 1, records[host].arms.at[arm].settings,
						 records[0].arms.at[arm].settings);
	}
	return 0;
}

int trial_combine(const struct trial_record *records, unsigned int nr,
		  struct trial_record *combined, struct rxaqm_error *error)
{
	static struct values values;
	unsigned int arm, i, host;
	struct trial_rounds all = {};
	int err = check_same(records, nr, error);

	if (err)
		return err;
	combined->seed = records[0].seed;
	for (arm = 0; arm < records[0].arms.nr; arm++) {
		struct trial_arm *to = rxaqm_list_add(&combined->arms);

		if (!to)
			return rxaqm_no_memory(error);
		strcpy(to->settings, records[0].arms.at[arm].settings);
	}
	for (host = 0; host < nr; host++) {
		struct trial_rounds rounds;

		trial_rounds_count(&records[host], &rounds);
		all.over += nr < TRIAL_PAIRS_LEAST ? rounds.over : rounds.over > 0;
		all.quiet += rounds.quiet;
	}
	for (arm = 1; arm < combined->arms.nr; arm++) {
		for (i = 0; i < TRIAL_NR_OUTCOMES; i++) {
			collect_hosts(records, nr, arm, i, &values);
			add_result(combined, arm, i, &values);
		}
	}
	correct(combined);
	for (arm = 1; arm < combined->arms.nr; arm++)
		judge_arm(combined, arm, &all);
	return 0;
}
