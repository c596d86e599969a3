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
	KEY_YES = 0x200,
	KEY_RESTORE,
	KEY_SERVE,
	KEY_LIST
};

static const struct argp_option options[] = {
	{ "peer", 'p', "HOST[/IFACE]", 0, "measure: the other end, by ssh; rxaqm is there", 0 },
	{ "loopback", 'L', "[NETNS/]IFACE", 0,
	  "measure: the other end is this interface of this host", 0 },
	{ "rows", 'r', "ROW,...", 0, "measure only these, as in Q1,Q4 (all)", 0 },
	{ "resume", 'R', "FILE", 0, "measure what this record lacks, and add it", 0 },
	{ "yes-disturb", KEY_YES, NULL, 0, "though the interface is in use", 0 },
	{ "restore", KEY_RESTORE, NULL, 0, "only put back what a killed run left", 0 },
	{ "list", KEY_LIST, NULL, 0, "print the table of rows", 0 },
	{ "serve", KEY_SERVE, "IFACE", 0, "be the other end, on standard input and output", 0 },
	{ "from", 'f', "FILE", 0, "report what was measured before (JSON)", 0 },
	{ "compare", 'C', NULL, 0, "what record B differs in from A beyond noise", 0 },
	{ "limits", 'l', NULL, 0, "print the table of limits", 0 },
	{ "class", 'c', "CLASS", 0, "judge for aqm, ptp or af_xdp (aqm)", 0 },
	{ "all", 'a', NULL, 0, "print the figures of each row, too", 0 },
	{ "out", 'o', "FILE", 0, "write the record (JSON)", 0 },
	{ "html", 'H', "FILE", 0, "write the report as one HTML file with pictures", 0 },
	{ "profile-out", 'P', "FILE", 0, "write a NIC profile of what was measured", 0 },
	{ "ktap", 'k', "FILE", 0, "add results of the kernel's NIC selftests", 0 },
	{}
};

static void check_files(const struct args *args, const struct argp_state *state)
{
	if (args->compare && args->nr_words != 2)
		rxaqm_options_error(state, "--compare needs two records: A.json B.json");
	if (args->compare && (args->from || args->report.out || args->report.profile ||
			      args->report.nr_ktap || args->report.all))
		rxaqm_options_error(state,
				    "of other options --compare takes --class, --html and --json");
	if (args->compare && rxaqm_globals.json && args->report.html &&
	    !strcmp(args->report.html, "-"))
		rxaqm_options_error(state, "--json and --html=-: one document on a stream");
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

/* Options that are only noted. */
static bool note(struct args *args, int key, const char *arg)
{
	const struct {
		int key;
		const char **word;
		bool *flag;
	} targets[] = {
		{ 'p', &args->measure.request.host, NULL },
		{ 'L', &args->measure.request.loopback, NULL },
		{ 'r', &args->measure.rows, NULL },
		{ 'R', &args->measure.resume, NULL },
		{ KEY_YES, NULL, &args->measure.request.disturb },
		{ KEY_RESTORE, NULL, &args->measure.restore },
		{ KEY_LIST, NULL, &args->list },
		{ KEY_SERVE, &args->serve, NULL },
		{ 'f', &args->from, NULL },
		{ 'C', NULL, &args->compare },
		{ 'l', NULL, &args->limits },
		{ 'c', &args->report.nic_class, NULL },
		{ 'a', NULL, &args->report.all },
		{ 'o', &args->report.out, NULL },
		{ 'H', &args->report.html, NULL },
		{ 'P', &args->report.profile, NULL },
	};
	size_t i, nr = sizeof(targets) / sizeof(targets[0]);

	for (i = 0; i < nr && targets[i].key != key; i++)
		;
	if (i < nr && targets[i].word)
		*targets[i].word = arg;
	else if (i < nr)
		*targets[i].flag = true;
	return i < nr;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	if (key == 'p' && (arg[0] == '-' || arg[0] == '/' || !*arg))
		rxaqm_options_error(state, "--peer=%s: must be HOST or HOST/IFACE", arg);
	if (key == 'c' && !qualify_class_bit(arg))
		rxaqm_options_error(state, "--class=%s: must be aqm, ptp or af_xdp", arg);
	if (note(args, key, arg))
		return 0;
	switch (key) {
	case 'k':
		if (args->report.nr_ktap == QUALIFY_KTAP_FILES)
			rxaqm_options_error(state, "--ktap: at most %d files", QUALIFY_KTAP_FILES);
		args->report.ktap[args->report.nr_ktap++] = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (args->nr_words == 2)
			return ARGP_ERR_UNKNOWN;
		args->word[args->nr_words++] = arg;
		return 0;
	case ARGP_KEY_END:
		return finish(args, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A record of an earlier run, or of one now: reported even if it ended early. */
static int get_record(struct args *args, struct qualify_record *record, struct rxaqm_error *error)
{
	int err = qualify_report_try(&args->report, error);

	if (err)
		return err;
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
		(rxaqm_globals.json ? qualify_limits_json : qualify_print_limits)(stdout);
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
