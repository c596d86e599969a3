/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded traces, and the decisions of xdp/shared/decide.h over them, as XDP would take them.
 *
 * A trace is CSV with a header, one packet a line, in order of time.
 *
 *   now_ns,queue,sojourn_ns,len,ecn,kind,drained,flow
 *   1000000,0,250000,1514,2,data,0,3171526
 *
 * now_ns: when XDP had the packet. queue: 0..4095. sojourn_ns: how long it stood, at most
 * 10 s, beyond which no sample is believed. len: bytes. ecn: codepoint 0..3. kind: data,
 * tcp (data of TCP), ack, exempt or syn (SYN, FIN, RST). drained: 1 if the packet ended a poll
 * that emptied the ring. flow: a 32-bit hash of the packet's flow, or any number that the flow has
 * for itself; without it all packets of a queue are of one flow. Lines that begin with '#' and
 * empty ones are skipped.
 */
#ifndef RXAQM_REPLAY_H
#define RXAQM_REPLAY_H

#include <stdio.h>

#include "base/fields.h"
#include "decide.h"

#define RXAQM_TRACE_HEADER_OLD "now_ns,queue,sojourn_ns,len,ecn,kind,drained"
#define RXAQM_TRACE_HEADER RXAQM_TRACE_HEADER_OLD ",flow"

struct rxaqm_trace_packet {
	__u64 now_ns;
	__u64 sojourn_ns;
	__u32 queue;
	__u32 len;
	__u8 ecn; /* RXAQM_IP_* (decide.h) */
	__u8 kind; /* enum rxaqm_kind */
	bool drained;
	__u32 flow;
};

/* Parse @line, without its end, which is taken apart. 0, or -EINVAL with @error naming field and
 * value.
 */
int rxaqm_trace_parse(char *line, struct rxaqm_trace_packet *packet, struct rxaqm_error *error);

/* A trace being read; all zero but file and path at first. */
struct rxaqm_trace {
	FILE *file;
	const char *path; /* for messages */
	unsigned int line;
	bool begun; /* past the header */
	__u64 now_ns; /* of the packet before */
	char *buf; /* to be freed by the caller, who closes the file, too */
	size_t buf_size;
};

/* The next packet: 1, or 0 at the end, or -errno with @error ("FILE:LINE: ..."). */
int rxaqm_trace_next(struct rxaqm_trace *trace, struct rxaqm_trace_packet *packet,
		     struct rxaqm_error *error);

struct rxaqm_replay_queue {
	struct rxaqm_queue queue;
	RXAQM_LIST(__u64) sojourns; /* in ns, of each packet, if they are kept */
	__u64 marked, dropped;
};

struct rxaqm_replay {
	struct rxaqm_policy policy; /* of every queue */
	__u32 ring_entries; /* 0: unknown */
	bool unguarded; /* law=codel without its guard */
	bool keep_sojourns; /* for totals and percentiles */
	struct rxaqm_replay_queue *queue[RXAQM_MAX_QUEUES]; /* NULL: no packet yet */
	struct rxaqm_flow_set flows[RXAQM_FLOW_SETS]; /* of all queues */
};

/* Judge @packet. RXAQM_PASS, _MARK or _DROP, or -ENOMEM. */
int rxaqm_replay_packet(struct rxaqm_replay *replay, const struct rxaqm_trace_packet *packet);

/* The least sojourn that @permille of the packets do not exceed. Sorts the sojourns. */
__u64 rxaqm_replay_percentile(struct rxaqm_replay_queue *queue, unsigned int permille);

void rxaqm_replay_free(struct rxaqm_replay *replay);

#endif /* RXAQM_REPLAY_H */
