/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm qualify */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "cli/qualify_measure.h"
#include "cli/qualify_report.h"
#include "qualify/judge/judge.h"

struct args {
	struct qualify_measure measure;
	struct qualify_report report;
	const char *from, *serve;
	const char *word[2]; /* IFACE, or the files of --compare */
	unsigned int nr_words;
	bool compare, limits, list;
};

enum {
	KEY_SERVE = 0x300,
	KEY_LIST
};

static const struct argp_option options[] = {
	QUALIFY_MEASURE_OPTIONS,
	{ "list", KEY_LIST, NULL, 0, "print the table of rows", 0 },
	{ "serve", KEY_SERVE, "IFACE", 0, "be the other end, on standard input and output", 0 },
	{ "from", 'f', "FILE", 0, "report what was measured before (JSON)", 0 },
	{ "compare", 'C', NULL, 0, "what record B differs in from A beyond noise", 0 },
	{ "limits", 'l', NULL, 0, "print the table of limits", 0 },
	QUALIFY_REPORT_OPTIONS,
	{}
};

static void check_files(const struct args *args, const struct argp_state *state)
{
	if (args->compare && args->nr_words != 2)
		rxaqm_options_error(state, "--compare needs two records: A.json B.json");
	if (args->compare && (args->from || args->report.out || args->report.profile ||
			      args->report.nr_ktap || args->report.all || rxaqm_globals.json))
		rxaqm_options_error(state, "of other options --compare takes --class and --html");
	if (args->from && args->nr_words)
		rxaqm_options_error(state,
				    "--from reports what was measured before: leave out \"%s\"",
				    args->word[0]);
	if (!args->compare && args->nr_words > 1)
		rxaqm_options_error(state, "files are arguments of --compare; one record is read "
					   "with --from=FILE");
}

static error_t finish(struct args *args, const struct argp_state *state)
{
	check_files(args, state);
	if (!args->compare)
		args->measure.request.ifname = args->word[0];
	qualify_measure_check(&args->measure, state);
	if (!args->nr_words && !args->from && !args->limits && !args->list && !args->serve)
		rxaqm_options_error(state,
				    "an interface to measure is missing, or --from, --compare, "
				    "--limits or --list");
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	error_t err;

	switch (key) {
	case 'f':
		args->from = arg;
		return 0;
	case 'C':
		args->compare = true;
		return 0;
	case 'l':
		args->limits = true;
		return 0;
	case KEY_SERVE:
		args->serve = arg;
		return 0;
	case KEY_LIST:
		args->list = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->nr_words == 2)
			return ARGP_ERR_UNKNOWN;
		args->word[args->nr_words++] = arg;
		return 0;
	case ARGP_KEY_END:
		return finish(args, state);
	default:
		err = qualify_measure_option(key, arg, state, &args->measure);
		return err ? qualify_report_option(key, arg, state, &args->report) : 0;
	}
}

/* A record of an earlier run, or of one now: reported even if it ended early. */
static int get_record(struct args *args, struct qualify_record *record, struct rxaqm_error *error)
{
	if (args->from)
		return qualify_record_read(record, args->from, error);
	args->measure.request.nic_class = args->report.nic_class ?: "aqm";
	/* To standard output it goes once, at the end. */
	if (args->report.out && strcmp(args->report.out, "-"))
		args->measure.request.out = args->report.out;
	return qualify_measure_run(&args->measure, record, error);
}

int rxaqm_cmd_qualify(int argc, char **argv)
{
	static const char doc[] =
		"Measure how good a NIC is for a host that must survive overload, and "
		"report it.";
	static const struct argp argp = { options, parse, "[IFACE | A B]", doc, NULL, NULL, NULL };
	struct qualify_record record = {};
	struct rxaqm_error error = {};
	struct args args = {};
	int exit_code = RXAQM_EXIT_OK;

	rxaqm_options_parse(&argp, "qualify", argc, argv, &args);
	if (args.limits) {
		qualify_print_limits(stdout);
		return RXAQM_EXIT_OK;
	}
	if (args.list) {
		qualify_measure_list(stdout);
		return RXAQM_EXIT_OK;
	}
	if (args.serve)
		return qualify_serve(args.serve, STDIN_FILENO, stdout);
	if (args.compare)
		return qualify_report_compare(&args.report, args.word[0], args.word[1]);
	if (get_record(&args, &record, &error)) {
		if (!args.from && record.rows.nr)
			qualify_report_make(&args.report, &record);
		exit_code = rxaqm_log_failure(&error);
	} else if (!args.measure.restore) {
		exit_code = qualify_report_make(&args.report, &record);
	}
	qualify_record_free(&record);
	return exit_code;
}
