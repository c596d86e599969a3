/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict on each row of a report: its figures against the limits of limits.c. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/record/record.h"

/* The verdict on a figure; for a row that on its worst figure. */
struct finding {
	enum qualify_verdict verdict; /* UNKNOWN: nothing was judged yet */
	const struct qualify_limit *limit;
	const struct qualify_figure *figure;
	const char *statistic; /* compared with the limit: " p99", "" */
	double value, part; /* in units of the figure, and of the limit */
	bool by_error; /* beyond "fail", but by less than its error */
};

/* The findings on all figures of a row. */
struct findings {
	struct finding worst;
	unsigned int limits, judged;
	const struct qualify_limit *missing; /* the first limit whose needed figure is missing */
	const char *missing_name;
	const struct qualify_figure *few; /* that figure, if it has too few samples */
};

const struct qualify_class_kind qualify_classes[] = {
	{ "aqm", "a host that must survive overload", QUALIFY_AQM },
	{ "af_xdp", "packets to user space without delay", QUALIFY_AF_XDP },
	{ NULL, "an unknown use", 0 },
};

const struct qualify_class_kind *qualify_class(const char *name)
{
	const struct qualify_class_kind *kind = qualify_classes;

	while (kind->name && strcmp(kind->name, name))
		kind++;
	return kind;
}

const struct qualify_row_kind *qualify_row_kind(const char *id)
{
	const struct qualify_row_kind *kind = qualify_row_kinds;

	while (kind->id && strcmp(kind->id, id))
		kind++;
	return kind;
}

/* Is @words one of @list, "a|b"? */
static bool is_one_of(const char *words, const char *list)
{
	size_t len = strlen(words);

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

/* The figure that a limit is relative to, of @row or of the first row that has it; NULL: none. */
static const struct qualify_figure *base_of(const struct qualify_record *record,
					    const struct qualify_row *row, const char *name)
{
	const struct qualify_figure *figure = qualify_find_figure(row, name);

	rxaqm_list_each(row, &record->rows)
		figure = figure ?: qualify_find_figure(row, name);
	return figure && figure->median > 0 ? figure : NULL;
}

static void judge_number(const struct qualify_record *record, const struct qualify_row *row,
			 struct finding *found)
{
	const struct qualify_limit *limit = found->limit;
	const struct qualify_figure *figure = found->figure, *base = NULL;
	double error = isnan(figure->error) ? 0 : fabs(figure->error), spare;

	found->value = statistic_of(limit, figure, &found->statistic);
	found->part = fabs(found->value);
	if (limit->relative_to) {
		base = base_of(record, row, limit->relative_to);
		if (!base)
			return;
		found->part /= base->median;
		error /= base->median;
	}
	if (isnan(found->part) || (!base && strcmp(limit->unit, figure->unit)))
		return;
	spare = limit->at_least ? found->part + error : found->part - error;
	found->verdict = beyond(limit, spare, limit->fail) ? QUALIFY_FAIL :
			 beyond(limit, found->part, limit->warn) ||
					 beyond(limit, found->part, limit->fail) ?
							     QUALIFY_WARN :
							     QUALIFY_PASS;
	found->by_error = found->verdict == QUALIFY_WARN && beyond(limit, found->part, limit->fail);
}

enum qualify_verdict qualify_judge_words(const struct qualify_limit *limit, const char *words)
{
	if (!*words || is_one_of(words, "unknown"))
		return QUALIFY_UNKNOWN;
	return is_one_of(words, limit->fail_words) ? QUALIFY_FAIL :
	       is_one_of(words, limit->warn_words) ? QUALIFY_WARN :
						     QUALIFY_PASS;
}

/* Compare every figure of @row that @limit is for with it. */
static void hold(const struct qualify_record *record, const struct qualify_row *row,
		 const struct qualify_limit *limit, struct findings *findings)
{
	const struct qualify_figure *figure, *few = NULL;
	const char *missing = limit->figure;
	unsigned int judged = 0;

	findings->limits++;
	rxaqm_list_each(figure, &row->figures) {
		struct finding found = { .limit = limit, .figure = figure };

		if (fnmatch(limit->figure, figure->name, 0))
			continue;
		if (qualify_known(figure->of) && figure->n < limit->least) {
			few = figure;
			continue;
		}
		if (limit->relative_to && !base_of(record, row, limit->relative_to))
			missing = limit->relative_to;
		if (limit->statistic == QUALIFY_WORDS)
			found.verdict = qualify_judge_words(limit, figure->words);
		else
			judge_number(record, row, &found);
		judged += found.verdict != QUALIFY_UNKNOWN;
		if (found.verdict > findings->worst.verdict)
			findings->worst = found;
	}
	findings->judged += judged;
	if (judged || !limit->needed || findings->missing)
		return;
	findings->missing = limit;
	findings->missing_name = missing;
	findings->few = few;
}

/* For example "floor 1.2 ms, over 1 ms": the bound that decided the verdict. */
static void say_number(const struct finding *found, char is[QUALIFY_FIGURE_LEN])
{
	const struct qualify_limit *limit = found->limit;
	bool pass = found->verdict == QUALIFY_PASS;
	bool failed = found->verdict == QUALIFY_FAIL || found->by_error || isnan(limit->warn);
	char quotient[96] = "";

	if (limit->relative_to)
		snprintf(quotient, sizeof(quotient), ", %s times %s", rxaqm_number(found->part, ""),
			 limit->relative_to);
	snprintf(is, QUALIFY_FIGURE_LEN, "%s%s %s%s, %s %s%s", found->figure->name,
		 found->statistic, rxaqm_number(found->value, found->figure->unit), quotient,
		 limit->at_least ? (pass ? "at least" : "under") : (pass ? "at most" : "over"),
		 rxaqm_number(failed ? limit->fail : limit->warn, limit->unit),
		 found->by_error ? " by less than its error" : "");
}

static void say_missing(struct qualify_row *row, const struct findings *findings)
{
	const struct qualify_figure *few = findings->few;

	if (few)
		snprintf(row->why, sizeof(row->why), "%s: %llu of %llu came, %u are needed",
			 few->name, few->n, few->of, findings->missing->least);
	else
		snprintf(row->why, sizeof(row->why), "\"%s\" was not measured",
			 findings->missing_name);
}

/* Set the verdict and its words; no other function sets them. */
static void conclude(struct qualify_row *row, const struct findings *findings, const char *class)
{
	const struct finding *worst = &findings->worst;
	char is[QUALIFY_FIGURE_LEN + 130] = "", words[QUALIFY_FIGURE_LEN];

	row->verdict = worst->verdict;
	if (*row->disturbed || (worst->verdict == QUALIFY_PASS && findings->missing))
		row->verdict = QUALIFY_UNKNOWN;
	if (worst->figure && worst->limit->statistic == QUALIFY_WORDS)
		snprintf(is, sizeof(is), "%s: %s", worst->figure->name,
			 qualify_format_figure(worst->figure, words));
	else if (worst->figure)
		say_number(worst, is);
	snprintf(row->meaning, sizeof(row->meaning), "%s",
		 row->verdict >= QUALIFY_WARN ? worst->limit->why : "");
	if (!findings->limits) {
		row->verdict = QUALIFY_NONE;
		snprintf(row->why, sizeof(row->why), "no limit for class %s: not judged", class);
	} else if (row->verdict != QUALIFY_UNKNOWN)
		snprintf(row->why, sizeof(row->why),
			 row->verdict == QUALIFY_PASS && findings->judged > 1 ? "%s; %u more" :
										"%s",
			 is, findings->judged - 1);
	else if (*row->reason || *row->disturbed)
		snprintf(row->why, sizeof(row->why), "%s",
			 *row->reason ? row->reason : row->disturbed);
	else if (findings->missing)
		say_missing(row, findings);
}

const struct qualify_limit *qualify_limit_of(const char *nic_class, const char *row,
					     const struct qualify_figure *figure)
{
	const struct qualify_limit *limit;

	for (limit = qualify_limits; limit->row; limit++) {
		if (!strcmp(limit->row, row) && limit->classes & qualify_class(nic_class)->bit &&
		    !fnmatch(limit->figure, figure->name, 0))
			return limit;
	}
	return NULL;
}

bool qualify_judge_figure(const struct qualify_record *record, const struct qualify_row *row,
			  const char *name, struct qualify_judged *judged)
{
	const struct qualify_figure *figure = qualify_find_figure(row, name), *base;
	struct finding found = { .figure = figure };
	double unit = 1;

	*judged = (struct qualify_judged){ .figure = figure, .warn = NAN, .fail = NAN };
	found.limit = figure ? qualify_limit_of(record->nic_class, row->id, figure) : NULL;
	if (!found.limit || *row->disturbed)
		return false;
	if (found.limit->statistic == QUALIFY_WORDS) {
		judged->verdict = qualify_judge_words(found.limit, figure->words);
		qualify_format_figure(figure, judged->words);
		return judged->verdict != QUALIFY_UNKNOWN;
	}
	judge_number(record, row, &found);
	judged->verdict = found.verdict;
	if (found.verdict == QUALIFY_UNKNOWN)
		return false;
	say_number(&found, judged->words);
	if (found.limit->relative_to) {
		base = base_of(record, row, found.limit->relative_to);
		unit = base->median;
	}
	judged->warn = found.limit->warn * unit;
	judged->fail = found.limit->fail * unit;
	return true;
}

void qualify_lacking(const struct qualify_record *record, char list[QUALIFY_LACKING_LEN])
{
	const char *at = record->required;
	const struct qualify_row *row;
	size_t len, to = 0;
	char id[8];

	for (list[0] = '\0'; *at; at += len + (at[len] == ',')) {
		len = strcspn(at, ",");
		snprintf(id, sizeof(id), "%.*s", (int)len, at);
		row = qualify_find_row(record, id);
		if (!row || row->verdict == QUALIFY_UNKNOWN || row->verdict == QUALIFY_NONE)
			to += (size_t)snprintf(list + to, QUALIFY_LACKING_LEN - to, "%s%s",
					       to ? ", " : "", id);
	}
}

static enum qualify_verdict overall(const struct qualify_record *record)
{
	const __u32 *count = record->count, judged = count[QUALIFY_WARN] + count[QUALIFY_PASS];
	char lacking[QUALIFY_LACKING_LEN];

	qualify_lacking(record, lacking);
	if (count[QUALIFY_FAIL])
		return QUALIFY_FAIL;
	if (*lacking || !judged || (!*record->required && count[QUALIFY_UNKNOWN] > judged))
		return QUALIFY_UNKNOWN;
	return count[QUALIFY_WARN] ? QUALIFY_WARN : QUALIFY_PASS;
}

void qualify_judge(struct qualify_record *record)
{
	unsigned int class = qualify_class(record->nic_class)->bit;
	const struct qualify_limit *limit;
	struct qualify_row *row;

	memset(record->count, 0, sizeof(record->count));
	rxaqm_list_each(row, &record->rows) {
		struct findings findings = {};

		for (limit = qualify_limits; limit->row; limit++) {
			if (!strcmp(limit->row, row->id) && limit->classes & class)
				hold(record, row, limit, &findings);
		}
		conclude(row, &findings, record->nic_class);
		record->count[row->verdict]++;
	}
	record->verdict = overall(record);
}
