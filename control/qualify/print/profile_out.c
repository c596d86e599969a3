/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/json_file.h"
#include "base/parse.h"
#include "profile/profile.h"
#include "qualify/print/print.h"
#include "qualify/record/record.h"

/* For comments: a line of a profile has at most 197 characters. */
#define MAX_LINE 190

/* The keys of [Nic] and their figures. @words lists the words that a figure may have; "": any one
 * word; NULL: the figure is a number of ns.
 */
static const struct fact {
	const char *key, *row, *figure, *words;
} facts[] = {
	{ "CompletionDesign", "Q1", "design", "|shared|split|writeback|none|" },
	{ "Napi", "Q1", "napi", "|joint|apart|" },
	{ "NapiPoll", "Q1", "poll", "" },
	{ "Moderation", "Q8", "moderation", NULL },
};

/* Clean what a driver says: its line ends would begin lines of their own. */
static void print_comment(FILE *file, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void print_comment(FILE *file, const char *fmt, ...)
{
	char line[MAX_LINE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	rxaqm_clean(line);
	fprintf(file, "# %s\n", line);
}

/* Two comment lines: who measured, and how. */
static void cite(FILE *file, const struct qualify_record *record, const char *row,
		 const struct qualify_figure *figure)
{
	fputc('\n', file);
	print_comment(file, "Measured: rxaqm qualify of %s, row %s (%s).", record->time, row,
		      figure->name);
	if (*figure->method)
		print_comment(file, "%s.", figure->method);
}

/* False: the figure has no value for @fact. */
static bool value_of(const struct fact *fact, const struct qualify_figure *figure, char value[96])
{
	char quoted[100];

	if (fact->words) {
		snprintf(value, 96, "%.95s", figure->words);
		snprintf(quoted, sizeof(quoted), "|%s|", value);
		return *value && (*fact->words ? strstr(fact->words, quoted) != NULL :
						 !strchr(figure->words, ' '));
	}
	if (!(figure->median >= 1 && figure->median <= 1e9))
		return false;
	if (strcmp(figure->unit, "ns"))
		snprintf(value, 96, "%.0f", figure->median);
	else
		snprintf(value, 96, "%s", rxaqm_duration_exact((__u64)llround(figure->median)));
	return true;
}

static unsigned int write_facts(FILE *file, const struct qualify_record *record)
{
	unsigned int nr = 0;
	char value[96];
	size_t i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const struct qualify_figure *figure = qualify_figure(record, facts[i].row,
								     facts[i].figure);

		if (!figure || !value_of(&facts[i], figure, value))
			continue;
		cite(file, record, facts[i].row, figure);
		fprintf(file, "%s=%s\n", facts[i].key, value);
		nr++;
	}
	return nr;
}

/* "rxaqm attach" warns of stamps that must not be trusted. */
static void write_warnings(FILE *file, const struct qualify_record *record)
{
	static const struct {
		const char *row, *figure, *what;
	} bad[] = {
		{ "Q3", "duplicates", "stamps were given twice" },
		{ "Q3", "backward", "stamps went back within a queue" },
		{ "Q4", "stamp_point", "stamps were not taken at arrival" },
		{ "Q4", "after_xdp", "stamps were later than their packets" },
		{ "Q7", "steps", "the PHC stepped" },
	};
	char is[QUALIFY_FIGURE_LEN];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct qualify_figure *figure = qualify_figure(record, bad[i].row,
								     bad[i].figure);

		if (!figure || !(figure->median > 0 || !strcmp(figure->words, "later")))
			continue;
		cite(file, record, bad[i].row, figure);
		fprintf(file, "Warning=%s when this NIC was qualified: %s\n", bad[i].what,
			qualify_format_figure(figure, is));
	}
}

static unsigned int write_all(FILE *file, const struct qualify_record *record)
{
	unsigned int nr;

	print_comment(file, "%s, firmware %s.", record->driver,
		      *record->firmware ? record->firmware : "unknown");
	print_comment(file, "By \"rxaqm qualify %s\" (rxaqm %s) of %s.", record->interface,
		      record->rxaqm, record->time);
	print_comment(file, "On %s, %s, %s, %s.", record->kernel, record->cpu,
		      *record->bus ? record->bus : "no bus",
		      *record->pcie ? record->pcie : "no PCIe");
	print_comment(file,
		      "Keys that were not measured are missing: nic-profiles/README.md has them.");
	fprintf(file, "\n[Match]\nDriver=%s\n\n[Nic]", record->driver);
	nr = write_facts(file, record);
	write_warnings(file, record);
	return nr;
}

static int check_profile(char *text, size_t len, struct rxaqm_error *error)
{
	struct rxaqm_profile profile;
	FILE *file = fmemopen(text, len, "r");
	int err;

	if (!file)
		return rxaqm_failed(error, errno, "no memory");
	err = rxaqm_profile_parse(file, "the profile of this record", &profile, error);
	fclose(file);
	return err;
}

int qualify_write_profile(const struct qualify_record *record, const char *path,
			  struct rxaqm_error *error)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file;
	unsigned int nr;
	int err;

	if (!*record->driver)
		return rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENODATA,
				       "a profile needs a driver, and the record has none");
	file = open_memstream(&text, &len);
	if (!file)
		return rxaqm_no_memory(error);
	nr = write_all(file, record);
	if (fclose(file))
		err = rxaqm_no_memory(error);
	else if (!nr)
		err = rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENODATA,
				      "no fact of a profile was measured; rows Q1, Q2, Q8 and Q9 "
				      "give them");
	else
		err = check_profile(text, len, error);
	if (!err)
		err = rxaqm_file_replace(path, text, 0644, error);
	free(text);
	return err;
}
