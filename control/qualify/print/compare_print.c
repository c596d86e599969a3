/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/compare.h"
#include "qualify/record/format.h"

static const char rule[] =
	"Changed: medians further apart than 3 standard errors of both and their own errors, or p99s "
	"whose intervals do not meet. Maybe: they differ, and how much they vary is not known. Better "
	"and worse: by the limits of B's class. Two runs of one NIC show what the set-up itself "
	"varies by.";

const char *qualify_change_name(enum qualify_change_kind kind)
{
	static const char *const names[] = { "same",  "maybe",	   "changed",  "better",
					     "worse", "only in A", "only in B" };

	return names[kind];
}

/* "+12.5 %", "x 63", or "" where that says nothing. */
static const char *percent_of(const struct qualify_change *change, char buf[32])
{
	double a, b;

	if (!change->a || !change->b || *change->a->words || *change->b->words ||
	    strcmp(change->a->unit, change->b->unit))
		return "";
	a = change->p99 ? change->a->p99 : change->a->median;
	b = change->p99 ? change->b->p99 : change->b->median;
	if (isnan(a) || isnan(b) || a == 0)
		return "";
	if (b / a >= 10)
		snprintf(buf, 32, "x %.3g", b / a);
	else
		snprintf(buf, 32, "%+.3g %%", (b - a) / fabs(a) * 100);
	return buf;
}

static const char *side(const struct qualify_change *change, const struct qualify_figure *figure,
			char buf[QUALIFY_NUMBER_LEN * 2])
{
	if (!figure)
		return "-";
	if (change->p99)
		return qualify_format(figure->p99, figure->unit, buf);
	return qualify_format_figure(figure, buf);
}

/* What is known of A, beside what is of B. */
struct facts {
	FILE *file;
	const struct qualify_record *other;
	const char *name; /* that is looked for in @other */
	char found[256]; /* its value there */
};

static void find_fact(const char *name, const char *value, void *arg)
{
	struct facts *facts = arg;

	if (!strcmp(name, facts->name))
		snprintf(facts->found, sizeof(facts->found), "%s", value);
}

static void print_fact(const char *name, const char *value, void *arg)
{
	struct facts *facts = arg;

	facts->name = name;
	strcpy(facts->found, "-");
	qualify_facts_each(facts->other, find_fact, facts);
	fprintf(facts->file, "%-12s %s%s%s\n", name, value,
		strcmp(value, facts->found) ? " -> " : "",
		strcmp(value, facts->found) ? facts->found : "");
}

static void print_row(FILE *file, const struct qualify_comparison *comparison, const char *id)
{
	const struct qualify_row *a = qualify_find_row(comparison->a, id);
	const struct qualify_row *b = qualify_find_row(comparison->b, id);

	fprintf(file, "%-4s %-37s %s -> %s\n", id, qualify_row_title(id),
		a ? qualify_verdict_name(a->verdict) : "-",
		b ? qualify_verdict_name(b->verdict) : "-");
}

void qualify_comparison_print(FILE *file, const struct qualify_comparison *comparison)
{
	char of_a[QUALIFY_NUMBER_LEN * 2], of_b[QUALIFY_NUMBER_LEN * 2], percent[32];
	struct facts facts = { .file = file, .other = comparison->b };
	const struct qualify_change *change;
	const char *row = "";
	unsigned int kind;

	qualify_facts_each(comparison->a, print_fact, &facts);
	rxaqm_list_each(change, &comparison->changes) {
		if (change->kind == QUALIFY_SAME)
			continue;
		if (strcmp(row, change->row))
			print_row(file, comparison, change->row);
		row = change->row;
		fprintf(file, "  %-9s %s%s: %s -> %s  %s\n", qualify_change_name(change->kind),
			(change->a ?: change->b)->name, change->p99 ? " p99" : "",
			side(change, change->a, of_a), side(change, change->b, of_b),
			percent_of(change, percent));
	}
	for (kind = 0; kind < QUALIFY_NR_CHANGES; kind++)
		fprintf(file, "%s%u %s", kind ? ", " : "", comparison->count[kind],
			qualify_change_name(kind));
	fprintf(file, "\n%s\n", rule);
}
