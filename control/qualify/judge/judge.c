/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/record/format.h"

/* The worst so far of a row, and what is to be said of it. */
struct finding {
	enum qualify_verdict verdict; /* UNKNOWN: nothing was judged yet */
	const char *missing; /* a needed figure that is not there */
	const struct qualify_limit *limit;
	const struct qualify_figure *figure;
	bool by_error; /* beyond "fail", but not by more than its error */
	unsigned int judged;
	char is[160]; /* the value, and the limit it was held against */
};

unsigned int qualify_class_bit(const char *name)
{
	if (!strcmp(name, "aqm"))
		return QUALIFY_AQM;
	if (!strcmp(name, "ptp"))
		return QUALIFY_PTP;
	return strcmp(name, "af_xdp") ? 0 : QUALIFY_AF_XDP;
}

const struct qualify_row_kind *qualify_row_kind(const char *id)
{
	const struct qualify_row_kind *kind;

	for (kind = qualify_row_kinds; kind->id; kind++) {
		if (!strcmp(kind->id, id))
			return kind;
	}
	return NULL;
}

static bool matches(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (len && pattern[len - 1] == '*')
		return !strncmp(pattern, name, len - 1);
	return !strcmp(pattern, name);
}

/* Is the first word of @words one of @list, "a|b"? */
static bool is_one_of(const char *words, const char *list)
{
	size_t len = strcspn(words, " :,;");

	while (list && *list) {
		size_t each = strcspn(list, "|");

		if (each == len && !strncmp(words, list, len))
			return true;
		list += each + (list[each] == '|');
	}
	return false;
}

static double statistic_of(const struct qualify_limit *limit, const struct qualify_figure *figure,
			   const char **ret_name)
{
	*ret_name = "";
	if (limit->statistic == QUALIFY_P99) {
		if (!isnan(figure->p99)) {
			*ret_name = " p99";
			return figure->p99;
		}
		if (!isnan(figure->max)) {
			*ret_name = " maximum";
			return figure->max;
		}
	}
	return figure->median;
}

static bool beyond(const struct qualify_limit *limit, double value, double bound)
{
	return limit->at_least ? value < bound : value > bound;
}

static void say(const struct qualify_limit *limit, const struct qualify_figure *figure,
		const char *statistic, double value, double part, enum qualify_verdict verdict,
		char is[160])
{
	char number[QUALIFY_NUMBER_LEN], bound[QUALIFY_NUMBER_LEN], quotient[96] = "";
	double of = verdict == QUALIFY_FAIL ? limit->fail : limit->warn;
	const char *word = verdict == QUALIFY_PASS ? (limit->at_least ? "at least" : "at most") :
			   limit->at_least	   ? "under" :
						     "over";
	char buf[QUALIFY_NUMBER_LEN];

	if (limit->relative_to)
		snprintf(quotient, sizeof(quotient), ", %s times %s", qualify_format(part, "", buf),
			 limit->relative_to);
	if (isnan(of))
		of = limit->fail;
	snprintf(is, 160, "%s%s %s%s, %s %s", figure->name, statistic,
		 qualify_format(value, figure->unit, number), quotient, word,
		 qualify_format(of, limit->unit, bound));
}

/* What a limit is relative to: a figure of @row, or of the first row that has it; NULL: none. */
static const struct qualify_figure *base_of(const struct qualify_record *record,
					    const struct qualify_row *row, const char *name)
{
	const struct qualify_figure *figure = qualify_find_figure(row, name);

	rxaqm_list_each(row, &record->rows)
		figure = figure ?: qualify_find_figure(row, name);
	return figure && figure->median > 0 ? figure : NULL;
}

/* false: the figure says nothing. */
static bool judge_number(const struct qualify_record *record, const struct qualify_row *row,
			 const struct qualify_limit *limit, const struct qualify_figure *figure,
			 struct finding *found)
{
	double error = isnan(figure->error) ? 0 : fabs(figure->error), value, part, spare;
	const struct qualify_figure *base = NULL;
	const char *name;

	value = statistic_of(limit, figure, &name);
	part = fabs(value);
	if (limit->relative_to) {
		base = base_of(record, row, limit->relative_to);
		if (!base)
			return false;
		part /= base->median;
		error /= base->median;
	}
	if (isnan(part) || (!base && strcmp(limit->unit, figure->unit)))
		return false;
	spare = limit->at_least ? part + error : part - error;
	found->verdict = QUALIFY_PASS;
	if (beyond(limit, part, limit->warn) || beyond(limit, part, limit->fail))
		found->verdict = QUALIFY_WARN;
	if (beyond(limit, spare, limit->fail))
		found->verdict = QUALIFY_FAIL;
	found->by_error = found->verdict == QUALIFY_WARN && beyond(limit, part, limit->fail);
	say(limit, figure, name, value, part, found->by_error ? QUALIFY_FAIL : found->verdict,
	    found->is);
	return true;
}

enum qualify_verdict qualify_judge_words(const struct qualify_limit *limit, const char *words)
{
	if (!*words || is_one_of(words, "skip|unknown"))
		return QUALIFY_UNKNOWN;
	return is_one_of(words, limit->fail_words) ? QUALIFY_FAIL :
	       is_one_of(words, limit->warn_words) ? QUALIFY_WARN :
						     QUALIFY_PASS;
}

static bool judge_words(const struct qualify_limit *limit, const struct qualify_figure *figure,
			struct finding *found)
{
	found->verdict = qualify_judge_words(limit, figure->words);
	snprintf(found->is, sizeof(found->is), "%s: %s", figure->name, figure->words);
	return found->verdict != QUALIFY_UNKNOWN;
}

/* Hold every figure of @row that @limit is for against it; keep the worst in @worst. */
static void hold(const struct qualify_record *record, const struct qualify_row *row,
		 const struct qualify_limit *limit, struct finding *worst)
{
	const char *missing = limit->figure;
	const struct qualify_figure *figure;
	unsigned int judged = 0;

	rxaqm_list_each(figure, &row->figures) {
		struct finding found = { .limit = limit, .figure = figure };

		if (!matches(limit->figure, figure->name))
			continue;
		if (limit->relative_to && !base_of(record, row, limit->relative_to))
			missing = limit->relative_to;
		if (!(limit->statistic == QUALIFY_WORDS ?
			      judge_words(limit, figure, &found) :
			      judge_number(record, row, limit, figure, &found)))
			continue;
		judged++;
		if (found.verdict > worst->verdict) {
			found.missing = worst->missing;
			found.judged = worst->judged;
			*worst = found;
		}
	}
	worst->judged += judged;
	if (!judged && limit->needed && !worst->missing)
		worst->missing = missing;
}

/* Begins like that, so that it is not taken for the row's own reason in another class. */
#define NO_LIMIT "no limit for class "

static void conclude(struct qualify_row *row, const struct finding *worst, const char *class)
{
	bool had_reason = row->verdict == QUALIFY_UNKNOWN && *row->why &&
			  strncmp(row->why, NO_LIMIT, strlen(NO_LIMIT)) != 0;

	row->verdict = worst->verdict;
	if (worst->verdict == QUALIFY_PASS && worst->missing)
		row->verdict = QUALIFY_UNKNOWN;
	if (row->verdict == QUALIFY_UNKNOWN && had_reason)
		return;
	if (row->verdict == QUALIFY_UNKNOWN && worst->missing)
		snprintf(row->why, sizeof(row->why), "\"%s\" was not measured", worst->missing);
	else if (row->verdict == QUALIFY_UNKNOWN)
		snprintf(row->why, sizeof(row->why), NO_LIMIT "%s", class);
	else if (row->verdict == QUALIFY_PASS)
		snprintf(row->why, sizeof(row->why), worst->judged > 1 ? "%s; %u more" : "%s",
			 worst->is, worst->judged - 1);
	else
		snprintf(row->why, sizeof(row->why), "%s%s: %s", worst->is,
			 worst->by_error ? " by less than its error" : "", worst->limit->why);
}

const struct qualify_limit *qualify_limit_of(const char *nic_class, const char *row,
					     const struct qualify_figure *figure)
{
	const struct qualify_limit *limit;

	for (limit = qualify_limits; limit->row; limit++) {
		if (!strcmp(limit->row, row) && limit->classes & qualify_class_bit(nic_class) &&
		    matches(limit->figure, figure->name))
			return limit;
	}
	return NULL;
}

void qualify_judge(struct qualify_record *record)
{
	unsigned int class = qualify_class_bit(record->nic_class);
	const struct qualify_limit *limit;
	struct qualify_row *row;

	rxaqm_list_each(row, &record->rows) {
		struct finding worst = {};

		for (limit = qualify_limits; limit->row; limit++) {
			if (!strcmp(limit->row, row->id) && limit->classes & class)
				hold(record, row, limit, &worst);
		}
		conclude(row, &worst, record->nic_class);
	}
}
