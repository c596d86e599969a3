/* SPDX-License-Identifier: GPL-2.0-only */
/* build/replay: the decisions of the data plane over a recorded trace, for who works on a law. */
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "command/options.h"
#include "command/program.h"
#include "figures/figures.h"
#include "policy/settings.h"
#include "replay.h"

struct args {
	struct rxaqm_trace trace;
	struct rxaqm_replay replay;
};

static const struct rxaqm_option replay_options[] = {
	{ "summary", 0, NULL, "Print totals of each queue instead of each packet",
	  RXAQM_FLAG(replay.keep_sojourns) },
	{ "ring", 0, "ENTRIES", "Entries of the ring (default 0, unknown)",
	  RXAQM_NUMBER(replay.ring_entries, 0, 1 << 20) },
	{ "unguarded", 0, NULL,
	  "law=codel: as RFC 8289 and Linux have it, however few packets pay for the queue",
	  RXAQM_FLAG(replay.unguarded) },
	{ 0 },
};

static const struct rxaqm_command command = {
	.name = "replay",
	.args = "[FILE|-] [KEY=VALUE ...]",
	.help = "Take the decisions that XDP would take, over a recorded trace"
		"\v"
		"FILE is CSV, in order of time, with the header\n"
		"  " RXAQM_TRACE_HEADER "\n"
		"KEY=VALUE changes the policy (see \"rxaqm policy --help\"); mode is enforce.\n"
		"With --json each packet is an object on a line of its own.",
	.options = replay_options,
	.max_words = RXAQM_SETTING_WORDS,
};

static const char *const verdict_names[] = { "pass", "mark", "drop" };

static void parse_words(struct args *args, char **words)
{
	struct rxaqm_error error;
	int err = rxaqm_setting_once(words, &error);

	if (err)
		rxaqm_usage_error("%s", error.text);
	for (; *words; words++) {
		/* A file whose name has a '=' can be given as ./NAME. */
		if (strchr(*words, '=') && !memchr(*words, '/', strcspn(*words, "="))) {
			if (!strncmp(*words, "lease=", strlen("lease=")))
				rxaqm_usage_error("a lease means nothing to a replay");
			err = rxaqm_setting_assign(&args->replay.policy, *words, 0, &error);
		} else if (!args->trace.path) {
			args->trace.path = *words;
		} else {
			rxaqm_usage_error("too many arguments: \"%s\"", *words);
		}
		if (err)
			rxaqm_usage_error("%s", error.text);
	}
	if (rxaqm_policy_check(&args->replay.policy, &error))
		rxaqm_usage_error("%s", error.text);
	if (args->replay.unguarded && args->replay.policy.law != RXAQM_LAW_CODEL)
		rxaqm_usage_error("--unguarded goes with law=codel");
}

static void print_header(const struct rxaqm_replay *replay)
{
	if (!rxaqm_json)
		printf("now_ns,queue,verdict,%s\n", replay->policy.law == RXAQM_LAW_CODEL ?
							    "count,dropping,drop_next_ns" :
							    "limit_pps,bad,goal_ns");
}

/* What became of a packet, and the state of the law after it. */
static int print_packet(const struct rxaqm_trace_packet *packet, int verdict,
			const struct rxaqm_queue *q)
{
	struct rxaqm_out out;

	rxaqm_out_open(&out, stdout, rxaqm_json);
	rxaqm_out_u64(&out, "now_ns", "%llu", packet->now_ns);
	rxaqm_out_u64(&out, "queue", ",%llu", packet->queue);
	rxaqm_out_str(&out, "verdict", ",%s", verdict_names[verdict]);
	if (q->policy.law == RXAQM_LAW_CODEL) {
		rxaqm_out_u64(&out, "count", ",%llu", q->codel.count);
		rxaqm_out_bool(&out, "dropping", ",1", ",0", q->codel.dropping);
		rxaqm_out_u64(&out, "drop_next_ns", ",%llu", q->codel.drop_next_ns);
	} else {
		rxaqm_out_u64(&out, "limit_pps", ",%llu",
			      q->law.x ? rxaqm_level_pps(&q->law, q->law.limit) : 0);
		rxaqm_out_bool(&out, "bad", ",1", ",0", q->law.bad);
		rxaqm_out_u64(&out, "goal_ns", ",%llu", q->law.goal_ns);
	}
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
	rxaqm_out_u64(out, "packets", " %10llu", queue->sojourns.nr);
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

static void print_summary(struct rxaqm_replay *replay)
{
	struct rxaqm_out out;
	__u32 i;

	rxaqm_out_open(&out, stdout, rxaqm_json);
	rxaqm_out_text(&out, "queue    packets    marked   dropped over_target      p50      p99"
			     "      max\n");
	rxaqm_out_array(&out, "queues");
	for (i = 0; i < RXAQM_MAX_QUEUES; i++)
		if (replay->queue[i])
			out_queue(&out, i, replay->queue[i]);
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, false);
}

static int run_trace(struct rxaqm_replay *replay, struct rxaqm_trace *trace,
		     struct rxaqm_error *error)
{
	bool summary = replay->keep_sojourns;
	struct rxaqm_trace_packet packet;
	int ret, verdict;

	ret = rxaqm_trace_next(trace, &packet, error);
	if (ret >= 0 && !summary)
		print_header(replay);
	for (; ret > 0; ret = rxaqm_trace_next(trace, &packet, error)) {
		verdict = rxaqm_replay_packet(replay, &packet);
		if (verdict < 0)
			return rxaqm_no_memory(error);
		if (summary)
			continue;
		/* Nobody reads it, as the program's end tells. */
		if (print_packet(&packet, verdict, &replay->queue[packet.queue]->queue))
			return 0;
	}
	if (!ret && summary)
		print_summary(replay);
	return ret;
}

int main(int argc, char **argv)
{
	static struct args args; /* of 49 kB */
	struct rxaqm_replay *replay = &args.replay;
	struct rxaqm_trace *trace = &args.trace;
	struct rxaqm_error error = {};
	int err;

	rxaqm_program_begin();
	rxaqm_policy_init(&replay->policy);
	replay->policy.mode = RXAQM_MODE_ENFORCE;
	parse_words(&args, rxaqm_options_read(&command, argc, argv, &args));
	if (!trace->path || !strcmp(trace->path, "-")) {
		trace->path = "<stdin>";
		trace->file = stdin;
	} else {
		trace->file = fopen(trace->path, "re");
	}
	if (trace->file)
		err = run_trace(replay, trace, &error);
	else
		err = rxaqm_failed(&error, errno, "cannot open \"%s\": %s", trace->path,
				   strerror(errno));
	rxaqm_replay_free(replay);
	free(trace->buf);
	if (trace->file && trace->file != stdin)
		fclose(trace->file);
	return err < 0 ? rxaqm_log_failure(&error) : RXAQM_EXIT_OK;
}
