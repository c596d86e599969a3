/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qualify/record/record.h"

#define MAX_DEPTH 8
#define MAX_LINE 512
#define WHY_LEN 152 /* of a figure's words, after "xfail: " */

/* The results of one depth, since the last result of the level above. */
struct level {
	unsigned int indent; /* columns before the lines */
	unsigned long planned; /* 0: no plan */
	unsigned int seen, failed;
};

struct ktap {
	struct qualify_row *row;
	const char *path;
	unsigned int results;
	unsigned int depth; /* open levels */
	struct level level[MAX_DEPTH];
	char diagnostic[WHY_LEN]; /* the last one, for a failure that follows it */
};

/* Make the name unique in the row. */
static void name_figure(const struct qualify_row *row, struct qualify_figure *figure,
			const char *wanted)
{
	unsigned int i = (unsigned int)row->figures.nr;

	snprintf(figure->name, sizeof(figure->name), "%s", wanted);
	for (; qualify_find_figure(row, figure->name) != figure; i++)
		snprintf(figure->name, sizeof(figure->name), "%.*s %u",
			 (int)(sizeof(figure->name) - sizeof(" 4294967295")), wanted, i);
}

static int add(struct ktap *ktap, const char *name, const char *verdict, const char *why,
	       struct rxaqm_error *error)
{
	struct qualify_figure *figure;

	if (ktap->results >= QUALIFY_KTAP_MAX)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, E2BIG, "%s: more than %d results",
				       ktap->path, QUALIFY_KTAP_MAX);
	figure = rxaqm_list_add(&ktap->row->figures);
	if (!figure)
		return rxaqm_no_memory(error);
	ktap->results++;
	figure->n = 1;
	figure->median = figure->p99 = figure->min = figure->max = NAN;
	figure->cv = figure->error = NAN;
	snprintf(figure->words, sizeof(figure->words), "%s%s%.*s", verdict, *why ? ": " : "",
		 WHY_LEN - 1, why);
	snprintf(figure->method, sizeof(figure->method), "%.180s", ktap->path);
	name_figure(ktap->row, figure, name);
	return 0;
}

/* End the levels deeper than @indent. A level with fewer results than planned has failed. */
static int close_levels(struct ktap *ktap, unsigned int indent, unsigned int *ret_seen,
			unsigned int *ret_failed, struct rxaqm_error *error)
{
	char why[80];
	int err = 0;

	*ret_seen = *ret_failed = 0;
	while (!err && ktap->depth && ktap->level[ktap->depth - 1].indent > indent) {
		struct level *level = &ktap->level[--ktap->depth];

		*ret_seen += level->seen;
		*ret_failed += level->failed;
		if (level->planned <= level->seen)
			continue;
		snprintf(why, sizeof(why), "%u of %lu results", level->seen, level->planned);
		*ret_failed += 1;
		err = add(ktap, "plan", "fail", why, error);
	}
	return err;
}

/* The level of lines at @indent; if there is no room, the deepest one. */
static struct level *level_at(struct ktap *ktap, unsigned int indent)
{
	struct level *level = ktap->depth ? &ktap->level[ktap->depth - 1] : NULL;

	if (level && (level->indent >= indent || ktap->depth == MAX_DEPTH))
		return level;
	level = &ktap->level[ktap->depth++];
	*level = (struct level){ .indent = indent };
	return level;
}

/* Split "- name # SKIP why" into its parts, in place. */
static void split(char *line, char **ret_name, char **ret_directive)
{
	char *mark = strstr(line, " # ");
	size_t len;

	line += strspn(line, " -");
	*ret_name = line;
	*ret_directive = line + strlen(line);
	if (mark && mark >= line) {
		*mark = '\0';
		*ret_directive = mark + 3;
	}
	len = strlen(line);
	while (len && line[len - 1] == ' ')
		line[--len] = '\0';
}

/* A directive ("# SKIP why") overrides "ok" and "not ok": such a result is neither. */
static const char *verdict_of(char **directive)
{
	static const struct {
		const char *word, *verdict;
	} directives[] = { { "skip", "skip" }, { "todo", "skip" }, { "xfail", "xfail" } };
	size_t i, len;

	for (i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
		len = strlen(directives[i].word);
		if (strncasecmp(*directive, directives[i].word, len))
			continue;
		*directive += len;
		*directive += strspn(*directive, " :");
		return directives[i].verdict;
	}
	return NULL;
}

static int take_result(struct ktap *ktap, char *line, unsigned int indent, bool ok,
		       struct rxaqm_error *error)
{
	unsigned int seen, failed;
	char *name, *directive, *diagnostic = ktap->diagnostic;
	const char *expected;
	struct level *level;
	int err = close_levels(ktap, indent, &seen, &failed, error);

	if (err)
		return err;
	line += strspn(line, "0123456789");
	split(line, &name, &directive);
	expected = verdict_of(&directive);
	level = level_at(ktap, indent);
	level->seen++;
	level->failed += !ok && !expected;
	if (!seen || (!ok && !expected && !failed)) /* else its subtests have told it */
		err = add(ktap, *name ? name : "test",
			  expected   ?:
				  ok ? "pass" :
				       "fail",
			  /* The last diagnostic line of a test tells more than its exit code. */
			  *directive && !(*diagnostic && !strncmp(directive, "exit=", 5)) ?
				  directive :
			  ok && !expected ? "" :
					    diagnostic,
			  error);
	*diagnostic = '\0';
	return err;
}

/* The columns before the line itself: blanks, and the "# " that a runner puts before a test's
 * output.
 */
static unsigned int indent_of(const char *line)
{
	unsigned int at = 0;

	while (line[at] == ' ' || (line[at] == '#' && line[at + 1] == ' '))
		at++;
	return at;
}

static int take_line(struct ktap *ktap, char *line, struct rxaqm_error *error)
{
	unsigned int indent = indent_of(line), seen, failed;
	char *end, *at, *directive;
	int err;

	for (at = line; *at; at++) {
		if (iscntrl((unsigned char)*at))
			*at = ' ';
	}
	line += indent;
	if (!strncmp(line, "ok ", 3))
		return take_result(ktap, line + 3, indent, true, error);
	if (!strncmp(line, "not ok ", 7))
		return take_result(ktap, line + 7, indent, false, error);
	if (!strncmp(line, "Bail out!", 9))
		return add(ktap, "bail out", "fail", line + 9 + strspn(line + 9, " "), error);
	if (!strncmp(line, "1..", 3) && isdigit((unsigned char)line[3])) {
		unsigned long planned = strtoul(line + 3, &end, 10);

		err = close_levels(ktap, indent, &seen, &failed, error);
		if (!err && (!*end || *end == ' '))
			level_at(ktap, indent)->planned = planned;
		/* "1..0 # SKIP why": no result follows it. */
		directive = end + strspn(end, " #");
		if (!err && verdict_of(&directive))
			snprintf(ktap->diagnostic, sizeof(ktap->diagnostic), "%.*s", WHY_LEN - 1,
				 directive);
		return err;
	}
	if (!strncmp(line, "selftests: ", 11)) /* the runner begins another test */
		ktap->diagnostic[0] = '\0';
	else if (indent && *line && strncmp(line, "Totals:", 7))
		snprintf(ktap->diagnostic, sizeof(ktap->diagnostic), "%.*s", WHY_LEN - 1, line);
	return 0;
}

static struct qualify_row *row_of(struct qualify_record *record)
{
	struct qualify_row *row = (struct qualify_row *)qualify_find_row(record, QUALIFY_KTAP_ROW);

	if (row)
		return row;
	row = rxaqm_list_add(&record->rows);
	if (row)
		snprintf(row->id, sizeof(row->id), "%s", QUALIFY_KTAP_ROW);
	return row;
}

int qualify_ktap_parse(struct qualify_record *record, const char *text, size_t len,
		       const char *path, struct rxaqm_error *error)
{
	struct ktap ktap = { .row = row_of(record), .path = path };
	const char *end = text + len, *next;
	unsigned int seen, failed;
	char line[MAX_LINE];
	int err = 0;

	if (!ktap.row)
		return rxaqm_no_memory(error);
	for (; !err && text < end; text = next + 1) {
		next = memchr(text, '\n', (size_t)(end - text)) ?: end;
		snprintf(line, sizeof(line), "%.*s",
			 next - text < MAX_LINE ? (int)(next - text) : MAX_LINE - 1, text);
		err = take_line(&ktap, line, error);
	}
	/* Results that are missing because the run was cut off; close level 0, too. */
	if (!err && ktap.depth) {
		ktap.level[0].indent += 1;
		err = close_levels(&ktap, 0, &seen, &failed, error);
	}
	if (!err && !ktap.results)
		err = rxaqm_bad(error,
				"%s: no results; KTAP is needed, as \"make -C "
				"tools/testing/selftests run_tests\" prints it",
				path);
	return err;
}
