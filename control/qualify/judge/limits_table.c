/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm qualify --limits": the limits as docs/qualify.md has them. */
#include <math.h>

#include "base/out.h"
#include "qualify/judge/judge.h"
#include "qualify/record/format.h"

static const struct {
	unsigned int bit;
	const char *name;
} classes[] = {
	{ QUALIFY_AQM, "aqm" },
	{ QUALIFY_PTP, "ptp" },
	{ QUALIFY_AF_XDP, "af_xdp" },
};

static void print_classes(FILE *file, unsigned int bits)
{
	const char *blank = "";
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (bits & classes[i].bit) {
			fprintf(file, "%s%s", blank, classes[i].name);
			blank = ", ";
		}
	}
}

static void print_words(FILE *file, const char *words)
{
	for (; words && *words; words++) {
		if (*words == '|')
			fputs(", ", file);
		else
			fputc(*words, file);
	}
}

static void print_bound(FILE *file, const struct qualify_limit *limit, double bound,
			const char *words)
{
	char number[QUALIFY_NUMBER_LEN];

	if (limit->statistic == QUALIFY_WORDS)
		print_words(file, words);
	else if (!isnan(bound))
		fprintf(file, "%s %s%s%s", limit->at_least ? "under" : "over",
			qualify_format(bound, limit->unit, number), limit->relative_to ? " x " : "",
			limit->relative_to ?: "");
}

void qualify_print_limits(FILE *file)
{
	const struct qualify_limit *limit;

	fputs("| row | figure | class | n | warn | fail | why | source |\n"
	      "|---|---|---|---|---|---|---|---|\n",
	      file);
	for (limit = qualify_limits; limit->row; limit++) {
		fprintf(file, "| %s | `%s`%s | ", limit->row, limit->figure,
			limit->statistic == QUALIFY_P99 ? " p99" : "");
		print_classes(file, limit->classes);
		if (limit->least)
			fprintf(file, " | %u | ", limit->least);
		else
			fputs(" | | ", file);
		print_bound(file, limit, limit->warn, limit->warn_words);
		fputs(" | ", file);
		print_bound(file, limit, limit->fail, limit->fail_words);
		fprintf(file, " | %s | %s |\n", limit->why, limit->source);
	}
}

static void put_bound(struct rxaqm_out *out, const char *key, const struct qualify_limit *limit,
		      double bound, const char *words)
{
	if (limit->statistic == QUALIFY_WORDS)
		rxaqm_out_str(out, key, NULL, words);
	else
		rxaqm_out_double(out, key, NULL, bound);
}

static void put_limit(struct rxaqm_out *out, const struct qualify_limit *limit)
{
	static const char *const statistics[] = { "median", "p99", "words" };
	size_t i;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "row", NULL, limit->row);
	rxaqm_out_str(out, "figure", NULL, limit->figure);
	rxaqm_out_array(out, "classes");
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (limit->classes & classes[i].bit)
			rxaqm_out_str(out, NULL, NULL, classes[i].name);
	}
	rxaqm_out_end(out);
	rxaqm_out_str(out, "statistic", NULL, statistics[limit->statistic]);
	rxaqm_out_str(out, "bad", NULL,
		      limit->statistic == QUALIFY_WORDS ? "word" :
		      limit->at_least			? "under" :
							  "over");
	rxaqm_out_str(out, "unit", NULL, limit->unit);
	rxaqm_out_str(out, "relative_to", NULL, limit->relative_to);
	rxaqm_out_u64(out, "least_n", NULL, limit->least);
	put_bound(out, "warn", limit, limit->warn, limit->warn_words);
	put_bound(out, "fail", limit, limit->fail, limit->fail_words);
	rxaqm_out_str(out, "why", NULL, limit->why);
	rxaqm_out_str(out, "source", NULL, limit->source);
	rxaqm_out_end(out);
}

void qualify_limits_json(FILE *file)
{
	const struct qualify_limit *limit;
	struct rxaqm_out out;

	rxaqm_out_open(&out, file, true);
	rxaqm_out_array(&out, "limits");
	for (limit = qualify_limits; limit->row; limit++)
		put_limit(&out, limit);
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}
