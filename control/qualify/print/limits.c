/* SPDX-License-Identifier: GPL-2.0-only */
/* "rxaqm qualify --limits": the limits as docs/qualify.md has them. */
#include <math.h>
#include <string.h>

#include "qualify/judge/judge.h"
#include "qualify/print/print.h"

/* Add a bound, such as "warn over 1 us", or at most two words. */
static void add_bound(char *line, const char *key, const struct qualify_limit *limit, double bound,
		      const char *words)
{
	size_t first = words ? strcspn(words, "|") : 0;
	const char *second = words && words[first] ? words + first + 1 : "";

	line += strlen(line);
	if (words)
		sprintf(line, ", %s %.*s%s%s", key, (int)first, words, *second ? " or " : "",
			second);
	else if (limit->statistic != QUALIFY_WORDS && !isnan(bound))
		sprintf(line, ", %s %s %s%s%s", key, limit->at_least ? "under" : "over",
			rxaqm_number(bound, limit->unit), limit->relative_to ? " x " : "",
			limit->relative_to ?: "");
}

void qualify_print_limits(FILE *file)
{
	const struct qualify_class_kind *class;
	const struct qualify_limit *limit;
	char line[512], classes[32], least[32];

	for (limit = qualify_limits; limit->row; limit++) {
		*classes = *least = '\0';
		for (class = qualify_classes; class->name; class ++)
			if (limit->classes & class->bit)
				sprintf(classes + strlen(classes), "%s%s", *classes ? " " : "",
					class->name);
		if (limit->least)
			sprintf(least, ", n at least %u", limit->least);
		sprintf(line, "%s%s (%s%s)", limit->figure,
			limit->statistic == QUALIFY_P99 ? " p99" : "", classes, least);
		add_bound(line, "warn", limit, limit->warn, limit->warn_words);
		add_bound(line, "fail", limit, limit->fail, limit->fail_words);
		sprintf(line + strlen(line), ": %s [%s]", limit->why, limit->source);
		fprintf(file, "%-4s ", limit->row);
		rxaqm_print_words(file, 5, 5, line);
	}
}
