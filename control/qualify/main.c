/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm-qualify: the command "rxaqm qualify" */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/out.h"
#include "base/parse.h"
#include "command/options.h"
#include "command/program.h"
#include "qualify/judge/judge.h"
#include "qualify/print/print.h"
#include "qualify/qualify.h"

struct args {
	struct qualify_request request;
	struct qualify_report report;
	const char *rows, *required, *from, *serve;
	char required_ids[96];
	bool restore, compare, limits, list;
};

static const struct rxaqm_option options[] = {
	{ "peer", 'p', "HOST[/IFACE]", "measure; the other end, by ssh, has rxaqm",
	  RXAQM_WORD(request.host) },
	{ "loopback", 'L', "NETNS/IFACE", "measure; the other end is this interface of this host",
	  RXAQM_WORD(request.loopback) },
	{ "rows", 'r', "ROW,...", "measure only these, as in Q1,Q4 (all)", RXAQM_WORD(rows) },
	{ "require", 0, "ROW,...", "unknown without a verdict on these (on more than half)",
	  RXAQM_WORD(required) },
	{ "yes-disturb", 0, NULL, "measure although the interface is in use",
	  RXAQM_FLAG(request.disturb) },
	{ "restore", 0, NULL, "only restore what a killed run left changed", RXAQM_FLAG(restore) },
	{ "list", 0, NULL, "print the table of rows", RXAQM_FLAG(list) },
	{ "serve", 0, "IFACE", "be the other end, on standard input and output",
	  RXAQM_WORD(serve) },
	{ "from", 'f', "FILE", "report what was measured before (JSON)", RXAQM_WORD(from) },
	{ "compare", 'C', NULL, "print how a record differs from another, beyond noise",
	  RXAQM_FLAG(compare) },
	{ "limits", 'l', NULL, "print the table of limits", RXAQM_FLAG(limits) },
	{ "class", 'c', "CLASS", "judge for aqm or af_xdp (aqm)", RXAQM_WORD(report.nic_class) },
	{ "all", 'a', NULL, "print the figures of each row, too", RXAQM_FLAG(report.all) },
	{ "out", 'o', "FILE", "write the record (JSON)", RXAQM_WORD(report.out) },
	{ "html", 'H', "FILE", "write the report as one HTML file with pictures",
	  RXAQM_WORD(report.html) },
	{ "junit", 0, "FILE", "write one test case for each row, for CI (JUnit XML)",
	  RXAQM_WORD(report.junit) },
	{ "resume", 'R', "FILE", "a run takes two minutes, and --rows measures some rows only",
	  .kind = RXAQM_OPTION_GONE },
	{ "csv", 0, "FILE",
	  "jq makes a table of what --out writes; docs/qualify.md has the command",
	  .kind = RXAQM_OPTION_GONE },
	{ "profile-out", 'P', "FILE",
	  "jq makes a profile of what --out writes; docs/qualify.md has the command",
	  .kind = RXAQM_OPTION_GONE },
	{ "ktap", 'k', "FILE", "CI takes the output of the kernel's selftests as it is",
	  .kind = RXAQM_OPTION_GONE },
	{ 0 },
};

static void check_files(const struct args *args, char *const *words)
{
	const struct qualify_report *report = &args->report;

	if (report->nic_class && !qualify_class(report->nic_class)->name)
		rxaqm_usage_error("--class=%s: must be aqm or af_xdp%s", report->nic_class,
				  strcmp(report->nic_class, "ptp") ?
					  "" :
					  "; ptp is gone: ptp4l and phc2sys say how good a clock is");
	if (args->compare && !(words[0] && words[1] && !words[2]))
		rxaqm_usage_error("--compare takes two records, A.json B.json; compare others with "
				  "the first one by one");
	if (args->compare &&
	    (args->from || report->out || report->junit || report->all || args->required))
		rxaqm_usage_error(
			"--compare takes only --class, --color, --html and --json; the rest "
			"is of one record, --from=FILE");
	if (args->from && words[0])
		rxaqm_usage_error("--from reports what was measured before: leave out \"%s\"",
				  words[0]);
	if (!args->compare && words[0] && words[1])
		rxaqm_usage_error("files are arguments of --compare; one record is read with "
				  "--from=FILE");
}

/* Set @chosen from "Q1,Q4", the value of @option. */
static void choose_rows(const char *option, const char *at, bool chosen[QUALIFY_MAX_ROWS])
{
	const struct qualify_row_def *row;
	size_t len;

	for (; at; at = at[len] ? at + len + 1 : NULL) {
		len = strcspn(at, ",");
		for (row = qualify_row_defs; row->id; row++) {
			if (strlen(row->id) == len && !strncasecmp(row->id, at, len))
				break;
		}
		if (!row->id)
			rxaqm_usage_error("--%s: no such row: \"%.*s\"; \"rxaqm qualify --list\" "
					  "has them",
					  option, (int)len, at);
		chosen[row - qualify_row_defs] = true;
	}
}

static void check_rows(struct args *args)
{
	bool required[QUALIFY_MAX_ROWS] = {};
	const struct qualify_row_def *row;
	char *to = args->required_ids;

	choose_rows("rows", args->rows, args->request.wanted);
	choose_rows("require", args->required, required);
	for (row = qualify_row_defs; row->id; row++) {
		if (!args->rows)
			args->request.wanted[row - qualify_row_defs] = true;
		if (required[row - qualify_row_defs])
			to += sprintf(to, "%s%s", *args->required_ids ? "," : "", row->id);
	}
	args->report.required = args->required ? args->required_ids : NULL;
}

static void check_measurement(const struct args *args)
{
	const struct qualify_request *request = &args->request;
	const char *host = request->host;

	if (host && (host[0] == '-' || host[0] == '/' || !*host))
		rxaqm_usage_error("--peer=%s: must be HOST or HOST/IFACE", host);
	if (!request->ifname &&
	    (host || request->loopback || args->rows || request->disturb || args->restore))
		rxaqm_usage_error("an interface is missing");
	if (host && request->loopback)
		rxaqm_usage_error("--peer and --loopback exclude each other");
}

static void check_words(struct args *args, char *const *words)
{
	check_files(args, words);
	args->report.json = rxaqm_json && !rxaqm_is_stdout(args->report.out) ? "-" : NULL;
	if (!args->compare)
		args->request.ifname = words[0];
	check_measurement(args);
	check_rows(args);
	if (!words[0] && !args->from && !args->limits && !args->list && !args->serve)
		rxaqm_usage_error("an interface to measure is missing, or --from, --compare, "
				  "--limits or --list");
}

static void print_rows(void)
{
	const struct qualify_row_def *row;
	struct rxaqm_out out;

	rxaqm_out_open(&out, stdout, rxaqm_json);
	rxaqm_out_head(&out, "qualify-rows");
	rxaqm_out_array(&out, "rows");
	for (row = qualify_row_defs; row->id; row++) {
		rxaqm_out_object(&out, NULL);
		rxaqm_out_str(&out, "id", "%-4s ", row->id);
		rxaqm_out_u64(&out, "seconds", "%3llu s  ", row->seconds);
		rxaqm_out_str(&out, "question", "%s\n", row->question);
		rxaqm_out_end(&out);
	}
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}

static void judged(const struct qualify_row *row)
{
	qualify_print_row(stderr, row, false);
}

static void progress(const struct qualify_request *request, const struct qualify_row_def *row,
		     unsigned int nr, unsigned int of, unsigned int left_s)
{
	if (nr == 1)
		rxaqm_log_notice("%llu %s%s, about %u s together; traffic of \"%s\" is "
				 "disturbed, settings are changed and put back",
				 RXAQM_COUNTED(of, "row"), left_s, request->ifname);
	rxaqm_log_notice("%u of %u, about %u s left: %s, %s", nr, of, left_s, row->id,
			 row->question);
}

static int restore(const struct args *args, struct rxaqm_error *error)
{
	int done = qualify_restore(args->request.ifname, error);

	if (done > 0)
		rxaqm_log_notice("\"%s\" was left changed by a run that was killed: put back",
				 args->request.ifname);
	else if (!done && args->restore)
		rxaqm_log_notice("nothing to put back at \"%s\"", args->request.ifname);
	return done < 0 ? done : 0;
}

/* Measure into @record; after an error it has what was measured before. */
static int measure(struct args *args, struct qualify_record *record, struct rxaqm_error *error)
{
	struct qualify_request *request = &args->request;
	int err;

	rxaqm_stop_at(SIGINT);
	rxaqm_stop_at(SIGTERM);
	rxaqm_stop_at(SIGHUP);
	rxaqm_stop_at(SIGPIPE);
	err = restore(args, error);
	if (err || args->restore)
		return err;
	request->stop = &rxaqm_stop;
	request->progress = progress;
	request->judged = judged;
	request->nic_class = args->report.nic_class ?: "aqm";
	/* Standard output gets the record once, at the end. */
	if (args->report.out && strcmp(args->report.out, "-"))
		request->out = args->report.out;
	return qualify_rows_run(request, record, error);
}

/* Report a record, of an earlier run or of this one, even if this run ended early. */
static int make_report(struct args *args, struct rxaqm_error *error)
{
	struct qualify_record record = {};
	int ret = RXAQM_EXIT_OK;
	int err = qualify_report_try(&args->report, error);

	if (!err)
		err = args->from ? qualify_record_read(&record, args->from, error) :
				   measure(args, &record, error);
	if (err ? !args->from && record.rows.nr : !args->restore)
		ret = qualify_report_make(&args->report, &record);
	qualify_record_free(&record);
	return err ?: ret;
}

static int run(int argc, char **argv, struct rxaqm_error *error)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm qualify",
		.args = "[IFACE | A B]",
		.help = "Measure how good a NIC is for a host that must survive overload, and "
			"report it.",
		.options = options,
		.max_words = 64, /* --compare says that it takes two */
	};
	struct args args = {};
	char **words = rxaqm_options_read(&command, argc, argv, &args);

	check_words(&args, words);
	if (args.limits)
		qualify_print_limits(stdout);
	else if (args.list)
		print_rows();
	else if (args.serve)
		return qualify_serve(args.serve, STDIN_FILENO, stdout);
	else if (args.compare)
		return qualify_report_compare(&args.report, words, error);
	else
		return make_report(&args, error);
	return RXAQM_EXIT_OK;
}

int main(int argc, char **argv)
{
	return rxaqm_program_main(argc, argv, run);
}
