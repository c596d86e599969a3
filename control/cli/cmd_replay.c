/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm replay */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "report/law_figures.h"
#include "cli/options.h"
#include "base/out.h"
#include "base/parse.h"
#include "cli/replay.h"
#include "config/settings.h"

#define RING_ENTRIES_MAX (1U << 20)

enum option_key {
	OPTION_SUMMARY = 0x100, /* no short names */
	OPTION_RING,
	OPTION_NO_GUARD,
};

struct replay_args {
	const char *path; /* NULL: standard input */
	bool summary;
	bool unguarded;
	__u32 ring_entries;
	struct rxaqm_policy policy;
};

static const char *const verdict_names[] = { "pass", "mark", "drop" };

static void parse_setting(struct replay_args *args, char *arg, struct argp_state *state)
{
	struct rxaqm_error error;

	if (!strncmp(arg, "lease=", strlen("lease=")))
		rxaqm_options_error(state, "a lease means nothing to a replay");
	if (rxaqm_setting_assign(&args->policy, arg, 0, &error))
		rxaqm_options_error(state, "%s", error.text);
}

static error_t parse_arg(int key, char *arg, struct argp_state *state)
{
	struct replay_args *args = state->input;
	struct rxaqm_error error;
	__u64 entries;

	switch (key) {
	case OPTION_SUMMARY:
		args->summary = true;
		return 0;
	case OPTION_RING:
		if (rxaqm_parse_u64(arg, 0, RING_ENTRIES_MAX, &entries))
			rxaqm_options_error(state,
					    "--ring=%s: must be a number of entries, 0 to %u", arg,
					    RING_ENTRIES_MAX);
		args->ring_entries = (__u32)entries;
		return 0;
	case OPTION_NO_GUARD:
		args->unguarded = true;
		return 0;
	case ARGP_KEY_ARG:
		/* A file whose name has a '=' can be given as ./NAME. */
		if (strchr(arg, '=') && !memchr(arg, '/', strcspn(arg, "=")))
			parse_setting(args, arg, state);
		else if (!args->path)
			args->path = arg;
		else
			return ARGP_ERR_UNKNOWN;
		return 0;
	case ARGP_KEY_END:
		if (rxaqm_policy_check(&args->policy, &error))
			rxaqm_options_error(state, "%s", error.text);
		if (args->unguarded && args->policy.law != RXAQM_LAW_CODEL)
			rxaqm_options_error(state, "--unguarded goes with law=codel");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option replay_options[] = {
	{ "summary", OPTION_SUMMARY, NULL, 0, "Print totals of each queue instead of each packet",
	  0 },
	{ "ring", OPTION_RING, "ENTRIES", 0, "Entries of the ring (default 0, unknown)", 0 },
	{ "unguarded", OPTION_NO_GUARD, NULL, 0,
	  "law=codel: as RFC 8289 and Linux have it, however few packets pay for the queue", 0 },
	{ 0 },
};

static const struct argp replay_argp = {
	.options = replay_options,
	.parser = parse_arg,
	.args_doc = "[FILE|-] [KEY=VALUE ...]",
	.doc = "Take the decisions that XDP would take, over a recorded trace"
	       "\v"
	       "FILE is CSV, in order of time, with the header\n"
	       "  " RXAQM_TRACE_HEADER "\n"
	       "KEY=VALUE changes the policy (see \"rxaqm policy --help\"); mode is enforce.\n"
	       "With --json each packet is an object on a line of its own.",
};

/* The columns behind the verdict. */
#define AUTO_HEADER "p_ppm,bad,goal_ns"
#define CODEL_HEADER "count,dropping,drop_next_ns"

static void out_auto(struct rxaqm_out *out, const struct rxaqm_law_vars *law)
{
	rxaqm_out_u64(out, "p_ppm", ",%llu", rxaqm_law_parts(law->p, 1000000));
	rxaqm_out_bool(out, "bad", ",1", ",0", law->bad);
	rxaqm_out_u64(out, "goal_ns", ",%llu", law->goal_ns);
}

static void out_codel(struct rxaqm_out *out, const struct rxaqm_codel_vars *codel)
{
	rxaqm_out_u64(out, "count", ",%llu", codel->count);
	rxaqm_out_bool(out, "dropping", ",1", ",0", codel->dropping);
	rxaqm_out_u64(out, "drop_next_ns", ",%llu", codel->drop_next_ns);
}

/* What became of a packet, and the state of the law after it. */
static int print_packet(const struct rxaqm_trace_packet *packet, int verdict,
			const struct rxaqm_queue *q)
{
	struct rxaqm_out out;

	rxaqm_out_open(&out, stdout, rxaqm_globals.json);
	rxaqm_out_u64(&out, "now_ns", "%llu", packet->now_ns);
	rxaqm_out_u64(&out, "queue", ",%llu", packet->queue);
	rxaqm_out_str(&out, "verdict", ",%s", verdict_names[verdict]);
	if (q->policy.law == RXAQM_LAW_CODEL)
		out_codel(&out, &q->codel);
	else
		out_auto(&out, &q->law);
	rxaqm_out_text(&out, "\n");
	if (out.json)
		return rxaqm_out_close(&out, true);
	return ferror(stdout) ? -EIO : 0;
}

static void out_queue(struct rxaqm_out *out, __u32 nr, struct rxaqm_replay_queue *queue)
{
	const __u64 *stat = queue->queue.stat;

	rxaqm_out_object(out, NULL);
	rxaqm_out_u64(out, "queue", "%5llu", nr);
	rxaqm_out_u64(out, "packets", " %10llu", queue->nr_packets);
	rxaqm_out_u64(out, "marked", " %9llu", queue->marked);
	rxaqm_out_u64(out, "dropped", " %9llu", queue->dropped);
	rxaqm_out_u64(out, "over_target", " %11llu",
		      stat[RXAQM_STAT_JUDGED] - stat[RXAQM_STAT_LOW]);
	rxaqm_out_ns(out, "sojourn_p50_ns", " %8s", rxaqm_replay_percentile(queue, 500));
	rxaqm_out_ns(out, "sojourn_p99_ns", " %8s", rxaqm_replay_percentile(queue, 990));
	rxaqm_out_ns(out, "sojourn_max_ns", " %8s", rxaqm_replay_percentile(queue, 1000));
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}

static int print_summary(struct rxaqm_replay *replay)
{
	struct rxaqm_out out;
	__u32 i;

	rxaqm_out_open(&out, stdout, rxaqm_globals.json);
	rxaqm_out_text(&out, "queue    packets    marked   dropped over_target      p50      p99"
			     "      max\n");
	rxaqm_out_array(&out, "queues");
	for (i = 0; i < RXAQM_MAX_QUEUES; i++)
		if (replay->queue[i])
			out_queue(&out, i, replay->queue[i]);
	rxaqm_out_end(&out);
	return rxaqm_out_close(&out, false);
}

static int run_trace(struct rxaqm_replay *replay, struct rxaqm_trace *trace, bool summary,
		     struct rxaqm_error *error)
{
	struct rxaqm_trace_packet packet;
	int ret, verdict;

	while ((ret = rxaqm_trace_next(trace, &packet, error)) > 0) {
		verdict = rxaqm_replay_packet(replay, &packet);
		if (verdict < 0)
			return rxaqm_error_set(error, RXAQM_EXIT_FAILED, -verdict, "out of memory");
		if (summary)
			continue;
		ret = print_packet(&packet, verdict, &replay->queue[packet.queue]->queue);
		if (ret)
			return rxaqm_error_set(error, RXAQM_EXIT_FAILED, -ret,
					       "cannot write to standard output");
	}
	return ret;
}

static int replay_file(struct replay_args *args, FILE *file, const char *path,
		       struct rxaqm_error *error)
{
	struct rxaqm_trace trace = { .file = file, .path = path };
	struct rxaqm_replay *replay;
	int err;

	replay = calloc(1, sizeof(*replay));
	if (!replay)
		return rxaqm_error_set(error, RXAQM_EXIT_FAILED, ENOMEM, "out of memory");
	replay->policy = args->policy;
	replay->ring_entries = args->ring_entries;
	replay->unguarded = args->unguarded;
	replay->keep_sojourns = args->summary;
	if (!args->summary && !rxaqm_globals.json)
		printf("now_ns,queue,verdict,%s\n",
		       args->policy.law == RXAQM_LAW_CODEL ? CODEL_HEADER : AUTO_HEADER);
	err = run_trace(replay, &trace, args->summary, error);
	if (!err && args->summary && print_summary(replay))
		err = rxaqm_error_set(error, RXAQM_EXIT_FAILED, EIO,
				      "cannot write to standard output");
	rxaqm_trace_end(&trace);
	rxaqm_replay_free(replay);
	free(replay);
	return err;
}

int rxaqm_cmd_replay(int argc, char **argv)
{
	struct replay_args args = { 0 };
	struct rxaqm_error error;
	FILE *file = stdin;
	int err;

	rxaqm_policy_init(&args.policy);
	args.policy.mode = RXAQM_MODE_ENFORCE;
	rxaqm_options_parse(&replay_argp, "replay", argc, argv, &args);
	if (!args.path || !strcmp(args.path, "-"))
		args.path = "<stdin>";
	else
		file = fopen(args.path, "re");
	if (!file) {
		rxaqm_log_error("cannot open \"%s\": %s", args.path, strerror(errno));
		return RXAQM_EXIT_FAILED;
	}
	err = replay_file(&args, file, args.path, &error);
	if (file != stdin)
		fclose(file);
	return err ? rxaqm_log_failure(&error) : RXAQM_EXIT_OK;
}
