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
	bool compare, limits, list;
};

static const struct rxaqm_option options[] = {
	{ "peer", 'p', "HOST[/IFACE]", "measure: the other end, by ssh; rxaqm is there",
	  RXAQM_WORD(measure.request.host) },
	{ "loopback", 'L', "[NETNS/]IFACE", "measure: the other end is this interface of this host",
	  RXAQM_WORD(measure.request.loopback) },
	{ "rows", 'r', "ROW,...", "measure only these, as in Q1,Q4 (all)",
	  RXAQM_WORD(measure.rows) },
	{ "resume", 'R', "FILE", "measure what this record lacks, and add it",
	  RXAQM_WORD(measure.resume) },
	{ "yes-disturb", 0, NULL, "though the interface is in use",
	  RXAQM_FLAG(measure.request.disturb) },
	{ "restore", 0, NULL, "only put back what a killed run left", RXAQM_FLAG(measure.restore) },
	{ "list", 0, NULL, "print the table of rows", RXAQM_FLAG(list) },
	{ "serve", 0, "IFACE", "be the other end, on standard input and output",
	  RXAQM_WORD(serve) },
	{ "from", 'f', "FILE", "report what was measured before (JSON)", RXAQM_WORD(from) },
	{ "compare", 'C', NULL, "what record B differs in from A beyond noise",
	  RXAQM_FLAG(compare) },
	{ "limits", 'l', NULL, "print the table of limits", RXAQM_FLAG(limits) },
	{ "class", 'c', "CLASS", "judge for aqm, ptp or af_xdp (aqm)",
	  RXAQM_WORD(report.nic_class) },
	{ "all", 'a', NULL, "print the figures of each row, too", RXAQM_FLAG(report.all) },
	{ "out", 'o', "FILE", "write the record (JSON)", RXAQM_WORD(report.out) },
	{ "html", 'H', "FILE", "write the report as one HTML file with pictures",
	  RXAQM_WORD(report.html) },
	{ "profile-out", 'P', "FILE", "write a NIC profile of what was measured",
	  RXAQM_WORD(report.profile) },
	{ "ktap", 'k', "FILE", "add results of the kernel's NIC selftests",
	  RXAQM_WORDS(report.ktap, QUALIFY_KTAP_FILES) },
	{ 0 },
};

static void check_files(const struct args *args, char *const *words)
{
	const struct qualify_report *report = &args->report;

	if (report->nic_class && !qualify_class_bit(report->nic_class))
		rxaqm_usage_error("--class=%s: must be aqm, ptp or af_xdp", report->nic_class);
	if (args->compare && !(words[0] && words[1]))
		rxaqm_usage_error("--compare needs two records: A.json B.json");
	if (args->compare &&
	    (args->from || report->out || report->profile || *report->ktap || report->all))
		rxaqm_usage_error("of other options --compare takes --class, --html and --json");
	if (args->compare && rxaqm_globals.json && report->html && !strcmp(report->html, "-"))
		rxaqm_usage_error("--json and --html=-: one document on a stream");
	if (args->from && words[0])
		rxaqm_usage_error("--from reports what was measured before: leave out \"%s\"",
				  words[0]);
	if (!args->compare && words[0] && words[1])
		rxaqm_usage_error("files are arguments of --compare; one record is read with "
				  "--from=FILE");
}

static void check(struct args *args, char *const *words)
{
	check_files(args, words);
	if (!args->compare)
		args->measure.request.ifname = words[0];
	qualify_measure_check(&args->measure);
	if (!words[0] && !args->from && !args->limits && !args->list && !args->serve)
		rxaqm_usage_error("an interface to measure is missing, or --from, --compare, "
				  "--limits or --list");
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
	static const struct rxaqm_command command = {
		.name = "rxaqm qualify",
		.args = "[IFACE | A B]",
		.help = "Measure how good a NIC is for a host that must survive overload, and "
			"report it.",
		.options = options,
		.max_words = 2,
	};
	struct qualify_record record = {};
	struct rxaqm_error error = {};
	struct args args = {};
	int exit_code = RXAQM_EXIT_OK;
	char **words = rxaqm_options_read(&command, argc, argv, &args);

	check(&args, words);
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
		return qualify_report_compare(&args.report, words[0], words[1]);
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
