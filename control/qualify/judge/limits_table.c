/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm qualify --limits": the limits as docs/qualify.md has them. */
#include <math.h>
#include <string.h>

#include "base/out.h"
#include "qualify/judge/judge.h"
#include "qualify/record/format.h"

static const char *bound_words(const struct qualify_limit *limit, double bound, const char *words,
			       char buf[160])
{
	char number[QUALIFY_NUMBER_LEN], *bar;

	buf[0] = '\0';
	if (limit->statistic == QUALIFY_WORDS) {
		snprintf(buf, 160, "%s", words ?: "");
		bar = strchr(buf, '|'); /* two words at most */
		if (bar)
			snprintf(buf, 160, "%.*s, %s", (int)(bar - buf), words,
				 words + (bar - buf) + 1);
	} else if (!isnan(bound)) {
		snprintf(buf, 160, "%s %s%s%s", limit->at_least ? "under" : "over",
			 qualify_format(bound, limit->unit, number),
			 limit->relative_to ? " x " : "", limit->relative_to ?: "");
	}
	return buf;
}

static void put_bound(struct rxaqm_out *out, const char *key, const struct qualify_limit *limit,
		      double bound, const char *words)
{
	char buf[160];

	rxaqm_out_text(out, " | %s", bound_words(limit, bound, words, buf));
	if (limit->statistic == QUALIFY_WORDS)
		rxaqm_out_str(out, key, NULL, words);
	else
		rxaqm_out_double(out, key, NULL, bound);
}

/* A row of a Markdown table, or an object. */
static void put_limit(struct rxaqm_out *out, const struct qualify_limit *limit)
{
	static const char *const statistics[] = { "median", "p99", "words" };
	const struct qualify_class_kind *class;
	const char *before = " | ";

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "row", "| %s", limit->row);
	rxaqm_out_str(out, "figure", " | `%s`", limit->figure);
	rxaqm_out_text(out, "%s", limit->statistic == QUALIFY_P99 ? " p99" : "");
	rxaqm_out_array(out, "classes");
	for (class = qualify_classes; class->name; class ++) {
		if (!(limit->classes & class->bit))
			continue;
		rxaqm_out_text(out, "%s", before);
		rxaqm_out_str(out, NULL, "%s", class->name);
		before = ", ";
	}
	rxaqm_out_end(out);
	rxaqm_out_text(out, " | ");
	rxaqm_out_u64(out, "least_n", limit->least ? "%llu" : NULL, limit->least);
	rxaqm_out_str(out, "statistic", NULL, statistics[limit->statistic]);
	rxaqm_out_str(out, "bad", NULL,
		      limit->statistic == QUALIFY_WORDS ? "word" :
		      limit->at_least			? "under" :
							  "over");
	rxaqm_out_str(out, "unit", NULL, limit->unit);
	rxaqm_out_str(out, "relative_to", NULL, limit->relative_to);
	put_bound(out, "warn", limit, limit->warn, limit->warn_words);
	put_bound(out, "fail", limit, limit->fail, limit->fail_words);
	rxaqm_out_str(out, "why", " | %s", limit->why);
	rxaqm_out_str(out, "source", " | %s |\n", limit->source);
	rxaqm_out_end(out);
}

void qualify_print_limits(FILE *file, bool json)
{
	const struct qualify_limit *limit;
	struct rxaqm_out out;

	rxaqm_out_open(&out, file, json);
	rxaqm_out_text(&out, "| row | figure | class | n | warn | fail | why | source |\n"
			     "|---|---|---|---|---|---|---|---|\n");
	qualify_json_head(&out, "rxaqm-qualify-limits");
	rxaqm_out_array(&out, "limits");
	for (limit = qualify_limits; limit->row; limit++)
		put_limit(&out, limit);
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}
