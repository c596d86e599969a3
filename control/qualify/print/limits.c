/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm qualify --limits": the limits as docs/qualify.md has them. */
#include <math.h>
#include <string.h>

#include "base/out.h"
#include "qualify/judge/judge.h"
#include "qualify/print/print.h"

/* Print a bound: in JSON a number or a word; in text "warn over 1 us", at most two words. */
static void put_bound(struct rxaqm_out *out, const char *key, const struct qualify_limit *limit,
		      double bound, const char *words, char *line)
{
	size_t len = strlen(line), first = words ? strcspn(words, "|") : 0;
	const char *second = words && words[first] ? words + first + 1 : "";

	if (limit->statistic == QUALIFY_WORDS)
		rxaqm_out_str(out, key, NULL, words);
	else
		rxaqm_out_double(out, key, NULL, bound);
	if (words)
		sprintf(line + len, ", %s %.*s%s%s", key, (int)first, words, *second ? " or " : "",
			second);
	else if (limit->statistic != QUALIFY_WORDS && !isnan(bound))
		sprintf(line + len, ", %s %s %s%s%s", key, limit->at_least ? "under" : "over",
			rxaqm_number(bound, limit->unit), limit->relative_to ? " x " : "",
			limit->relative_to ?: "");
}

static void put_limit(struct rxaqm_out *out, const struct qualify_limit *limit)
{
	static const char *const statistics[] = { "median", "p99", "words" };
	const struct qualify_class_kind *class;
	char line[512];
	size_t len;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "row", "%-4s ", limit->row);
	rxaqm_out_str(out, "figure", NULL, limit->figure);
	sprintf(line, "%s%s (", limit->figure, limit->statistic == QUALIFY_P99 ? " p99" : "");
	rxaqm_out_array(out, "classes");
	for (class = qualify_classes; class->name; class ++) {
		if (!(limit->classes & class->bit))
			continue;
		rxaqm_out_str(out, NULL, NULL, class->name);
		sprintf(line + strlen(line), "%s ", class->name);
	}
	rxaqm_out_end(out);
	len = strlen(line);
	if (limit->least)
		sprintf(line + len - 1, ", n at least %u)", limit->least);
	else
		line[len - 1] = ')';
	rxaqm_out_u64(out, "least_n", NULL, limit->least);
	rxaqm_out_str(out, "statistic", NULL, statistics[limit->statistic]);
	rxaqm_out_str(out, "bad", NULL,
		      limit->statistic == QUALIFY_WORDS ? "word" :
		      limit->at_least			? "under" :
							  "over");
	rxaqm_out_str(out, "unit", NULL, limit->unit);
	rxaqm_out_str(out, "relative_to", NULL, limit->relative_to);
	put_bound(out, "warn", limit, limit->warn, limit->warn_words, line);
	put_bound(out, "fail", limit, limit->fail, limit->fail_words, line);
	sprintf(line + strlen(line), ": %s [%s]", limit->why, limit->source);
	rxaqm_out_str(out, "why", NULL, limit->why);
	rxaqm_out_str(out, "source", NULL, limit->source);
	rxaqm_out_end(out);
	if (!out->json)
		rxaqm_print_words(out->file, 5, 5, line);
}

void qualify_print_limits(FILE *file, bool json)
{
	const struct qualify_limit *limit;
	struct rxaqm_out out;

	rxaqm_out_open(&out, file, json);
	rxaqm_out_head(&out, "qualify-limits");
	rxaqm_out_array(&out, "limits");
	for (limit = qualify_limits; limit->row; limit++)
		put_limit(&out, limit);
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}
