/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm-doctor: the command "rxaqm doctor" */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_file.h"
#include "command/options.h"
#include "command/program.h"
#include "doctor/snapshot/snapshot.h"
#include "doctor/collect/collect.h"
#include "doctor/diagnose.h"
#include "doctor/deep/deep.h"
#include "ns.h"

#define WINDOW_DEFAULT_NS (10 * RXAQM_NSEC_PER_SEC)
/* The length of each probe of --deep. */
#define PROBE_NS (3 * RXAQM_NSEC_PER_SEC)
/* How many windows --watch remembers; a spike shows only against earlier ones. */
#define MAX_PAST 360

struct args {
	struct doctor_request request;
	const char *record, *metrics, *from, *verify;
	bool all, watch, checks, deep, mask;
};

static const struct rxaqm_option options[] = {
	{ "time", 't', "DURATION", "length of the window (10s; 1s to 10m)",
	  RXAQM_DURATION(request.window_ns, RXAQM_NSEC_PER_SEC, 600 * RXAQM_NSEC_PER_SEC) },
	{ "all", 'a', NULL, "every finding in full, and every check", RXAQM_FLAG(all) },
	{ "record", 'r', "FILE", "also write what was read as a bundle (JSON)",
	  RXAQM_WORD(record) },
	{ "metrics", 'M', "FILE", "also write the causes as metrics, for node_exporter",
	  RXAQM_WORD(metrics) },
	{ "from", 'f', "FILE", "diagnose a bundle instead of this host", RXAQM_WORD(from) },
	{ "mask", 'm', NULL, "replace addresses and names by words", RXAQM_FLAG(mask) },
	{ "deep", 'd', NULL, "then probe what is suspected, 3s each; prints what it does and costs",
	  RXAQM_FLAG(deep) },
	{ "verify", 'v', "ID", "only whether the finding ID is gone", RXAQM_WORD(verify) },
	{ "watch", 'w', NULL, "window after window, until interrupted", RXAQM_FLAG(watch) },
	{ "checks", 'c', NULL, "print the table of checks", RXAQM_FLAG(checks) },
	{ 0 },
};

static void check(struct args *args, char **words)
{
	const struct doctor_check *row = NULL;
	size_t i;

	for (i = 0; args->verify && (row = doctor_check_at(i)) && strcmp(row->id, args->verify);
	     i++)
		;
	args->request.interface = words[0];
	if (words[0] && words[1])
		rxaqm_usage_error("too many interfaces: \"%s\"", words[1]);
	if (args->verify && !row)
		rxaqm_usage_error("--verify=%s: no such check; \"rxaqm doctor --checks\" lists them",
				  args->verify);
	if (args->from && (args->record || args->request.window_ns || args->watch ||
			   args->request.interface || args->mask || args->deep))
		rxaqm_usage_error("--from stands alone: leave out IFACE, --time, --record, --mask, "
				  "--deep and --watch");
	args->request.window_ns = args->request.window_ns ?: WINDOW_DEFAULT_NS;
	if (args->watch && args->deep)
		rxaqm_usage_error("--watch excludes --deep: leave it out");
	if (args->watch && (args->record || args->verify))
		rxaqm_usage_error("--watch excludes --record and --verify: leave it out");
}

/* Run the probes that the diagnosis calls for. Diagnose anew before each: one finds what the next
 * is for.
 */
static void probe(struct doctor_snapshot *snap)
{
	struct doctor_deep deep = { snap, &rxaqm_stop, PROBE_NS };
	const struct doctor_probe *one;
	bool wanted, any = false;
	size_t i;

	for (i = 0; !rxaqm_stop && (one = doctor_probe_at(i)); i++) {
		struct doctor_diagnosis diagnosis;

		if (doctor_diagnose(snap, &diagnosis))
			return;
		wanted = doctor_probe_wanted(one, snap, &diagnosis);
		doctor_diagnosis_free(&diagnosis);
		if (!wanted)
			continue;
		any = true;
		rxaqm_log_notice("probe \"%s\", %llu s: %s; costs %s", one->name,
				 PROBE_NS / RXAQM_NSEC_PER_SEC, one->what, one->cost);
		/* Whether it succeeds or not, it is not wanted again. */
		doctor_deep_ran(&deep, one->name, 0);
		one->run(&deep);
	}
	if (!any && !rxaqm_stop)
		rxaqm_log_notice("no probe: none could settle what is suspected");
}

/* A live snapshot goes through a bundle, too, so that live and recorded diagnoses cannot differ. */
static int take(const struct args *args, struct doctor_snapshot *snap, struct rxaqm_error *error)
{
	struct doctor_snapshot live = {};
	int err;

	if (args->from)
		return rxaqm_record_read(&doctor_bundle_kind, snap, args->from, error);
	err = doctor_collect(&live, &args->request, error);
	if (!err && args->deep)
		probe(&live);
	if (!err && args->mask)
		doctor_mask(&live);
	if (err) {
		doctor_snapshot_free(&live);
		return err;
	}
	return doctor_bundle_pass(&live, snap, error);
}

static int report(const struct args *args, const struct doctor_snapshot *snap,
		  const struct doctor_diagnosis *diagnosis)
{
	if (args->verify && !rxaqm_json)
		return doctor_print_verdict(stdout, snap, diagnosis, args->verify);
	if (rxaqm_json)
		doctor_print_json(stdout, snap, diagnosis, args->verify);
	else
		doctor_print(stdout, snap, diagnosis, args->all);
	return args->verify ? doctor_verdict_code(diagnosis, args->verify) :
			      doctor_exit_code(diagnosis);
}

/* Print one line for each window, and the whole diagnosis when the cause changes. */
static int report_change(const struct args *args, const struct doctor_snapshot *snap,
			 const struct doctor_diagnosis *diagnosis)
{
	const char *id = diagnosis->primary ? diagnosis->primary->check->id : "nothing found";
	static const char *last = "";
	time_t now = time(NULL);
	struct tm local;
	char clock[16];

	if (rxaqm_json) {
		doctor_print_json(stdout, snap, diagnosis, NULL);
	} else {
		localtime_r(&now, &local);
		strftime(clock, sizeof(clock), "%H:%M:%S", &local);
		printf("%s %s\n", clock, id);
		if (strcmp(last, id))
			doctor_print(stdout, snap, diagnosis, args->all);
	}
	last = id;
	fflush(stdout);
	return doctor_exit_code(diagnosis);
}

/* Give @snap the summaries of all windows up to it. */
static void remember(struct doctor_snapshot *snap)
{
	static struct doctor_past past[MAX_PAST];
	static size_t nr;
	size_t i;

	if (nr == MAX_PAST)
		memmove(past, past + 1, --nr * sizeof(*past));
	past[nr++] = doctor_past_of(snap);
	for (i = 0; i < nr; i++)
		rxaqm_list_put(&snap->past, past[i]);
}

/* Read, diagnose and report one window. Return an exit code, or -errno with @error. */
static int examine(const struct args *args, struct rxaqm_error *error)
{
	struct doctor_diagnosis diagnosis = {};
	struct doctor_snapshot snap = {};
	int ret = take(args, &snap, error);

	if (!ret && args->watch)
		remember(&snap);
	if (!ret && doctor_diagnose(&snap, &diagnosis))
		ret = rxaqm_no_memory(error);
	if (!ret && (rxaqm_is_stdout(args->record) || rxaqm_is_stdout(args->metrics)))
		ret = doctor_exit_code(&diagnosis);
	else if (!ret)
		ret = (args->watch ? report_change : report)(args, &snap, &diagnosis);
	/* After the report, which is printed even if a file cannot be written. */
	if (ret >= 0 && args->record &&
	    rxaqm_record_write(&doctor_bundle_kind, &snap, args->record, error))
		ret = -1;
	if (ret >= 0 && args->metrics &&
	    doctor_write_metrics(args->metrics, &snap, &diagnosis, error))
		ret = -1;
	doctor_diagnosis_free(&diagnosis);
	doctor_snapshot_free(&snap);
	return ret;
}

static int run(int argc, char **argv, struct rxaqm_error *error)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm doctor",
		.args = "[IFACE]",
		.help = "Name what slows receiving on this host, and what to do.",
		.options = options,
		.max_words = 2,
	};
	struct args args = { .request = { .stop = &rxaqm_stop } };
	int ret;

	check(&args, rxaqm_options_read(&command, argc, argv, &args));
	if (args.checks) {
		doctor_print_checks(stdout);
		return RXAQM_EXIT_OK;
	}
	rxaqm_stop_at(SIGINT);
	rxaqm_stop_at(SIGTERM);
	/* Fail before a window that may last minutes. */
	if (rxaqm_files_try((const char *[]){ args.record, args.metrics, rxaqm_json ? "-" : NULL },
			    3, error))
		return -1;
	if (args.deep && doctor_deep_lock(error))
		return -1;
	do
		ret = examine(&args, error);
	while (args.watch && ret >= 0 && !rxaqm_stop);
	return ret;
}

int main(int argc, char **argv)
{
	return rxaqm_program_main(argc, argv, run);
}
