/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm-trial: the command "rxaqm trial" */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/json_file.h"
#include "base/parse.h"
#include "base/version.h"
#include "command/options.h"
#include "command/program.h"
#include "ns.h"
#include "trial/judge.h"
#include "trial/run.h"

#define BLOCK_MIN_NS (100 * RXAQM_NSEC_PER_MSEC)
#define BLOCK_MAX_NS (12 * 3600 * RXAQM_NSEC_PER_SEC) /* a lease lasts at most a day */
#define FOR_MAX_NS (30 * 24 * 3600 * RXAQM_NSEC_PER_SEC)

struct args {
	__u64 for_ns, block_ns, seed;
	const char *arms, *metric, *out, *html;
	const char *json; /* "-": --json prints more than --out does; NULL: it does not */
	const char *stop_if[TRIAL_GUARDS_MAX];
	bool from, restore;
	char **words;
};

static const struct rxaqm_option options[] = {
	{ "for", 'f', "TIME", "length of the trial (30m)",
	  RXAQM_DURATION(for_ns, 2 * BLOCK_MIN_NS, FOR_MAX_NS) },
	{ "block", 'b', "TIME", "length of a block, under one policy (1m)",
	  RXAQM_DURATION(block_ns, BLOCK_MIN_NS, BLOCK_MAX_NS) },
	{ "seed", 's', "NUMBER", "draw the order of blocks from it, to repeat a trial",
	  RXAQM_NUMBER(seed, 1, ~0U) },
	{ "arms", 'a', "POLICY/POLICY[/POLICY]",
	  "compare these policies, as in \"observe / target=5ms\"", RXAQM_WORD(arms) },
	{ "metric", 'm', "COMMAND", "must print one number >= 0; smaller is better",
	  RXAQM_WORD(metric) },
	{ "stop-if", 'S', "OUTCOME<-N%",
	  "end the trial if that is surely so; up to 8 times; off: never", RXAQM_WORDS(stop_if) },
	{ "out", 'o', "FILE", "write the record (JSON)", RXAQM_WORD(out) },
	{ "html", 'H', "FILE", "write it as one HTML file with pictures", RXAQM_WORD(html) },
	{ "from", 'F', NULL, "report earlier records: one, or those of many hosts",
	  RXAQM_FLAG(from) },
	{ "restore", 0, NULL, "only restore the policy from before a trial", RXAQM_FLAG(restore) },
	{ 0 },
};

static void check_words(struct args *args)
{
	bool tries = args->for_ns || args->block_ns || args->seed || args->arms || args->metric ||
		     args->stop_if[0];

	if (!args->words[0])
		rxaqm_usage_error(args->from ? "--from needs a record: A.json" :
					       "an interface is missing, or --from");
	if (args->from && (tries || args->restore))
		rxaqm_usage_error("--from takes only --color, --html, --json and --out");
	if (args->restore && (tries || args->out || args->html || args->words[1]))
		rxaqm_usage_error("--restore takes an interface, and nothing else");
	if (args->metric && !*args->metric)
		rxaqm_usage_error("--metric takes a command");
	if (args->from && args->html && args->words[1])
		rxaqm_usage_error("--html takes one record");
	if (args->arms && args->words[1])
		rxaqm_usage_error("--arms has the policies: leave out \"%s\"", args->words[1]);
	args->json = rxaqm_json && !rxaqm_is_stdout(args->out) ? "-" : NULL;
	args->block_ns = args->block_ns ?: 60 * RXAQM_NSEC_PER_SEC;
	args->for_ns = args->for_ns ?: 30 * args->block_ns;
}

static int set_guards(const struct args *args, struct trial_record *record,
		      struct rxaqm_error *error)
{
	static const char *const standard[] = { "bytes_received<-20%", "segments_again>100%",
						"metric>50%", NULL };
	const char *const *guard = args->stop_if[0] ? args->stop_if : standard;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < TRIAL_GUARDS_MAX && guard[i] && strcmp(guard[i], "off"); i++)
		err = trial_guard_parse(record, guard[i], error);
	return err;
}

/* Report a bad policy or guard before a missing interface. */
static int plan(const struct args *args, struct trial_record *record, struct rxaqm_error *error)
{
	time_t now = time(NULL);
	struct utsname host = {};
	struct tm tm;
	int err = trial_arms_parse(record, args->arms, args->words + 1, error);

	err = err ?: set_guards(args, record, error);
	if (err)
		return err;
	record->seed = args->seed;
	/* Short enough to be typed. */
	while (!record->seed && getrandom(&record->seed, sizeof(record->seed), 0))
		record->seed >>= 32;
	uname(&host);
	strftime(record->time, sizeof(record->time), "%FT%TZ", gmtime_r(&now, &tm));
	snprintf(record->host, sizeof(record->host), "%.63s", host.nodename);
	snprintf(record->kernel, sizeof(record->kernel), "%.64s", host.release);
	snprintf(record->rxaqm, sizeof(record->rxaqm), "%s", rxaqm_version());
	snprintf(record->interface, sizeof(record->interface), "%.127s", args->words[0]);
	if (args->metric && strlen(args->metric) >= sizeof(record->metric))
		return rxaqm_bad(error, "--metric: at most %zu characters; make it a script",
				 sizeof(record->metric) - 1);
	strcpy(record->metric, args->metric ?: "");
	record->block_ns = args->block_ns;
	record->for_ns = args->for_ns;
	record->rounds = (__u32)(args->for_ns / (args->block_ns * record->arms.nr));
	if (!record->rounds || record->rounds > TRIAL_PAIRS_MAX)
		return rxaqm_bad(error,
				 "--for=%s holds %u rounds of %zu blocks of %s: must be 1 to %d; "
				 "choose another --block",
				 rxaqm_duration_exact(args->for_ns), record->rounds,
				 record->arms.nr, rxaqm_duration_exact(args->block_ns),
				 TRIAL_PAIRS_MAX);
	if (record->rounds < trial_least(record))
		rxaqm_log_notice("--for=%s holds %llu %s%s of blocks, which can show nothing: a "
				 "verdict needs %u, and the queue to stand in them (--for=%s)",
				 rxaqm_duration_exact(args->for_ns),
				 RXAQM_COUNTED(record->rounds, "round"), trial_least(record),
				 rxaqm_duration_exact(trial_least(record) * args->block_ns *
						      record->arms.nr));
	return 0;
}

/* @nr: how many @records it combines; 0: it is a single trial. */
static int report(const struct args *args, const struct trial_record *record,
		  const struct trial_record *records, unsigned int nr, struct rxaqm_error *error)
{
	const struct trial_verdict *verdict;
	int err = args->out ? rxaqm_record_write(&trial_record_kind, record, args->out, error) : 0;

	/* Write each file that can be written; @error keeps the first failure. */
	if (args->json)
		err |= rxaqm_record_write(&trial_record_kind, record, args->json,
					  err ? NULL : error);
	if (args->html)
		err |= rxaqm_file_print(args->html, trial_print_html, record, 0644,
					err ? NULL : error);
	if (!args->json && !rxaqm_is_stdout(args->out) && !rxaqm_is_stdout(args->html))
		trial_print(record, records, nr);
	if (err)
		return err;
	verdict = rxaqm_list_find(verdict, &record->verdicts, verdict->verdict == TRIAL_HURTS);
	return verdict ? RXAQM_EXIT_FINDINGS : RXAQM_EXIT_OK;
}

static int try(const struct args *args, struct trial_record *record, struct rxaqm_error *error)
{
	int err = plan(args, record, error);

	if (err)
		return err;
	rxaqm_stop_at(SIGINT);
	rxaqm_stop_at(SIGTERM);
	rxaqm_stop_at(SIGHUP);
	err = trial_run(record, error);
	if (err)
		return err;
	trial_judge(record);
	return report(args, record, NULL, 0, error);
}

static int report_again(const struct args *args, struct trial_record *combined,
			struct rxaqm_error *error)
{
	static struct trial_record records[TRIAL_RECORDS_MAX];
	unsigned int nr = 0, i;
	int err = 0;

	for (; !err && args->words[nr]; nr++) {
		err = rxaqm_record_read(&trial_record_kind, &records[nr], args->words[nr], error);
		if (!err)
			trial_judge(&records[nr]);
	}
	if (!err && nr == 1)
		err = report(args, records, NULL, 0, error);
	else if (!err)
		err = trial_combine(records, nr, combined, error) ?:
			      report(args, combined, records, nr, error);
	for (i = 0; i < nr; i++)
		trial_record_free(&records[i]);
	return err;
}

static int restore(const char *ifname, struct rxaqm_error *error)
{
	int done = trial_restore(ifname, error);

	if (done >= 0)
		rxaqm_log_notice(done ? "\"%s\" had the policy of a trial that was killed: put back" :
					"nothing to put back at \"%s\"",
				 ifname);
	return done < 0 ? done : RXAQM_EXIT_OK;
}

static int run(int argc, char **argv, struct rxaqm_error *error)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm trial",
		.args = "IFACE [KEY=VALUE ...] | --from RECORD...",
		.help = "Find out by an experiment what a policy does to this host: blocks with it and "
			"blocks without it, in random order.",
		.options = options,
		.max_words = TRIAL_RECORDS_MAX,
	};
	struct trial_record record = {};
	struct args args = {};
	int ret;

	args.words = rxaqm_options_read(&command, argc, argv, &args);
	check_words(&args);
	if (args.restore)
		return restore(args.words[0], error);
	ret = rxaqm_files_try((const char *[]){ args.out, args.json, args.html }, 3, error);
	if (!ret)
		ret = args.from ? report_again(&args, &record, error) : try(&args, &record, error);
	trial_record_free(&record);
	return ret;
}

int main(int argc, char **argv)
{
	return rxaqm_program_main(argc, argv, run);
}
