/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm qualify --limits": the limits as docs/qualify.md has them. */
#include <math.h>

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

	fputs("| row | figure | class | warn | fail | why | source |\n"
	      "|---|---|---|---|---|---|---|\n",
	      file);
	for (limit = qualify_limits; limit->row; limit++) {
		fprintf(file, "| %s | `%s`%s | ", limit->row, limit->figure,
			limit->statistic == QUALIFY_P99 ? " p99" : "");
		print_classes(file, limit->classes);
		fputs(" | ", file);
		print_bound(file, limit, limit->warn, limit->warn_words);
		fputs(" | ", file);
		print_bound(file, limit, limit->fail, limit->fail_words);
		fprintf(file, " | %s | %s |\n", limit->why, limit->source);
	}
}
