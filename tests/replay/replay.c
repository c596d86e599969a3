/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "sample.h"

static const char *const kind_names[] = { "tcp", "data", "ack", "syn", "exempt", NULL };

static const struct field {
	const char *name;
	__u64 max;
	const char *const *choices; /* by value, instead of a number */
} fields[] = {
	{ "now_ns", LLONG_MAX, NULL },
	{ "queue", RXAQM_MAX_QUEUES - 1, NULL },
	{ "sojourn_ns", RXAQM_SOJOURN_MAX_NS, NULL },
	{ "len", UINT_MAX, NULL },
	{ "ecn", RXAQM_IP_CE, NULL },
	{ "kind", RXAQM_KIND_EXEMPT, kind_names },
	{ "drained", 1, NULL },
	{ "flow", UINT_MAX, NULL },
};
#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

static int parse_field(const struct field *field, const char *text, __u64 *ret_value,
		       struct rxaqm_error *error)
{
	__u64 i;

	if (!field->choices) {
		if (!rxaqm_parse_u64(text, 0, field->max, ret_value))
			return 0;
		return rxaqm_bad(error, "%s \"%s\" is not a number from 0 to %llu", field->name,
				 text, field->max);
	}
	for (i = 0; field->choices[i]; i++) {
		if (!strcmp(field->choices[i], text)) {
			*ret_value = i;
			return 0;
		}
	}
	return rxaqm_bad(error, "%s \"%s\" is not data, tcp, ack, exempt or syn", field->name,
			 text);
}

int rxaqm_trace_parse(char *line, struct rxaqm_trace_packet *packet, struct rxaqm_error *error)
{
	__u64 value[NR_FIELDS];
	const char *text;
	size_t i;

	for (i = 0; i < NR_FIELDS; i++) {
		bool last = i + 1 == NR_FIELDS;

		text = strsep(&line, ",");
		if (last ? !!line : !text || (!line && i + 2 < NR_FIELDS))
			return rxaqm_bad(error, "too %s fields; expected %s", last ? "many" : "few",
					 RXAQM_TRACE_HEADER);
		if (!text) /* a recording without flows */
			text = "0";
		if (parse_field(&fields[i], text, &value[i], error))
			return -EINVAL;
	}
	*packet = (struct rxaqm_trace_packet){
		.now_ns = value[0],
		.queue = (__u32)value[1],
		.sojourn_ns = value[2],
		.len = (__u32)value[3],
		.ecn = (__u8)value[4],
		.kind = (__u8)value[5],
		.drained = value[6],
		.flow = (__u32)value[7],
	};
	return 0;
}

static int parse_line(struct rxaqm_trace *trace, char *line, struct rxaqm_trace_packet *packet,
		      struct rxaqm_error *error)
{
	int err;

	if (!trace->begun) {
		if (strcmp(line, RXAQM_TRACE_HEADER) && strcmp(line, RXAQM_TRACE_HEADER_OLD))
			return rxaqm_bad(error, "the header is missing; expected %s",
					 RXAQM_TRACE_HEADER);
		trace->begun = true;
		return 0;
	}
	err = rxaqm_trace_parse(line, packet, error);
	if (err)
		return err;
	if (rxaqm_ns_after(trace->now_ns, packet->now_ns))
		return rxaqm_bad(error, "now_ns \"%llu\" goes back behind %llu; sort by time",
				 packet->now_ns, trace->now_ns);
	trace->now_ns = packet->now_ns;
	return 1;
}

int rxaqm_trace_next(struct rxaqm_trace *trace, struct rxaqm_trace_packet *packet,
		     struct rxaqm_error *error)
{
	struct rxaqm_error reason;
	ssize_t bytes;
	int ret = 0;

	while (!ret) {
		errno = 0;
		bytes = getline(&trace->buf, &trace->buf_size, trace->file);
		if (bytes < 0 && errno)
			return rxaqm_failed(error, errno, "%s: %s", trace->path, strerror(errno));
		if (bytes < 0 && !trace->begun)
			return rxaqm_bad(error, "%s: no trace; expected a header %s", trace->path,
					 RXAQM_TRACE_HEADER);
		if (bytes < 0)
			return 0;
		trace->line++;
		trace->buf[strcspn(trace->buf, "\r\n")] = '\0';
		if (trace->buf[0] == '#' || !trace->buf[0])
			continue;
		ret = parse_line(trace, trace->buf, packet, &reason);
	}
	if (ret > 0)
		return ret;
	return rxaqm_error_set(error, reason.exit_code, -ret, "%s:%u: %s", trace->path, trace->line,
			       reason.text);
}

/* A trace has no numbers of ACKs, so none of them is known to be redundant. */
static enum rxaqm_verdict judge(struct rxaqm_replay *replay, struct rxaqm_queue *q, __u32 judged,
				const struct rxaqm_trace_packet *packet)
{
	__u32 id = rxaqm_flow_of(packet->flow, packet->queue);

	if (rxaqm_decide_ask(q, judged, packet->kind, packet->ecn, packet->now_ns) ==
	    RXAQM_ASK_NOTHING)
		return RXAQM_PASS;
	if (q->policy.law == RXAQM_LAW_CODEL)
		return (enum rxaqm_verdict)rxaqm_decide_codel(q, judged, packet->kind, packet->ecn,
							      packet->now_ns);
	return rxaqm_decide_flow(q, &replay->flows[rxaqm_flow_set_of(id)], id,
				 rxaqm_decide_kind(packet->kind), packet->ecn, RXAQM_PSH_NONE,
				 packet->now_ns);
}

int rxaqm_replay_packet(struct rxaqm_replay *replay, const struct rxaqm_trace_packet *packet)
{
	struct rxaqm_replay_queue *queue = replay->queue[packet->queue];
	enum rxaqm_verdict verdict = RXAQM_PASS;
	__u64 *sojourn_ns;
	__u32 judged;

	if (!queue) {
		queue = calloc(1, sizeof(*queue));
		if (!queue)
			return -ENOMEM;
		queue->queue.policy = replay->policy;
		queue->queue.flags = RXAQM_QUEUE_REPLAYED |
				     (replay->unguarded ? RXAQM_QUEUE_UNGUARDED : 0);
		if (rxaqm_policy_enforced(&replay->policy, packet->now_ns))
			queue->queue.flags |= RXAQM_QUEUE_ENFORCED;
		rxaqm_target_update(&queue->queue, replay->ring_entries);
		rxaqm_decide_reset(&queue->queue);
		replay->queue[packet->queue] = queue;
	}
	if (replay->keep_sojourns) {
		sojourn_ns = rxaqm_list_add(&queue->sojourns);
		if (!sojourn_ns)
			return -ENOMEM;
		*sojourn_ns = packet->sojourn_ns;
	}

	queue->queue.stat[RXAQM_STAT_POLLS_LEFT]++; /* a trace has no polls: each packet is one */
	judged = rxaqm_decide_sojourn(&queue->queue, packet->sojourn_ns, packet->drained,
				      replay->ring_entries, packet->now_ns);
	if (judged)
		verdict = judge(replay, &queue->queue, judged, packet);
	if (!(queue->queue.flags & RXAQM_QUEUE_ENFORCED))
		verdict = RXAQM_PASS;
	queue->marked += verdict == RXAQM_MARK;
	queue->dropped += verdict == RXAQM_DROP;
	return verdict;
}

static int by_value(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

__u64 rxaqm_replay_percentile(struct rxaqm_replay_queue *queue, unsigned int permille)
{
	size_t rank = (queue->sojourns.nr * permille + 999) / 1000;

	if (!queue->sojourns.nr)
		return 0;
	qsort(queue->sojourns.at, queue->sojourns.nr, sizeof(*queue->sojourns.at), by_value);
	return queue->sojourns.at[rank ? rank - 1 : 0];
}

void rxaqm_replay_free(struct rxaqm_replay *replay)
{
	size_t i;

	for (i = 0; i < RXAQM_MAX_QUEUES; i++) {
		if (replay->queue[i])
			free(replay->queue[i]->sojourns.at);
		free(replay->queue[i]);
		replay->queue[i] = NULL;
	}
}
