/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces: read in order and in range, and decided without harm whatever they say. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../replay/replay.h"
#include "sample.h"
#include "policy/settings.h"

static void check_packet(const struct rxaqm_trace_packet *packet, __u64 before_ns)
{
	assert(packet->now_ns >= before_ns);
	assert(packet->queue < RXAQM_MAX_QUEUES);
	assert(packet->sojourn_ns <= RXAQM_SOJOURN_MAX_NS);
	assert(packet->ecn <= RXAQM_IP_CE && packet->kind <= RXAQM_KIND_EXEMPT);
}

static void check_verdict(const struct rxaqm_trace_packet *packet, int verdict)
{
	assert(verdict == RXAQM_PASS || verdict == RXAQM_MARK || verdict == RXAQM_DROP);
	assert(verdict == RXAQM_PASS || packet->kind != RXAQM_KIND_EXEMPT);
	assert(verdict != RXAQM_MARK || packet->ecn == RXAQM_IP_ECT0 ||
	       packet->ecn == RXAQM_IP_ECT1);
	assert(verdict != RXAQM_MARK || packet->kind == RXAQM_KIND_DATA ||
	       packet->kind == RXAQM_KIND_TCP);
}

/* A line at a time, without a header or an order to keep to. */
static void check_lines(const uint8_t *data, size_t size)
{
	struct rxaqm_trace_packet packet;
	char *text = malloc(size + 1), *line, *rest = text;
	struct rxaqm_error error;

	memcpy(text, data, size);
	text[size] = '\0';
	while ((line = strsep(&rest, "\n")))
		if (!rxaqm_trace_parse(line, &packet, &error))
			check_packet(&packet, 0);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rxaqm_replay replay;
	struct rxaqm_trace trace = { .path = "t.csv" };
	struct rxaqm_trace_packet packet;
	struct rxaqm_error error = { 0 };
	__u64 before_ns = 0;
	int ret;

	if (!size)
		return 0;
	check_lines(data, size);
	rxaqm_policy_init(&replay.policy);
	replay.policy.mode = RXAQM_MODE_ENFORCE;
	replay.policy.law = data[0] & 1 ? RXAQM_LAW_CODEL : RXAQM_LAW_AUTO;
	replay.policy.target_auto = data[0] >> 1 & 1;
	replay.ring_entries = size % 300;
	replay.unguarded = data[0] >> 2 & 1;
	replay.keep_sojourns = true;
	trace.file = fmemopen((void *)data, size, "r");
	while ((ret = rxaqm_trace_next(&trace, &packet, &error)) > 0) {
		check_packet(&packet, before_ns);
		before_ns = packet.now_ns;
		check_verdict(&packet, rxaqm_replay_packet(&replay, &packet));
	}
	assert(!ret || !strncmp(error.text, "t.csv:", 6));
	free(trace.buf);
	rxaqm_replay_free(&replay);
	fclose(trace.file);
	return 0;
}
