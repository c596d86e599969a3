/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded traces for replay: CSV with a header, one packet a line, in order of time.
 *
 *   now_ns,queue,sojourn_ns,len,ecn,kind,drained
 *   1000000,0,250000,1514,2,data,0
 *
 * now_ns: when XDP had the packet. queue: 0..4095. sojourn_ns: how long it stood, at most
 * 10 s, beyond which no sample is believed. len: bytes. ecn: codepoint 0..3. kind: data,
 * tcp (data of TCP), ack, exempt or syn (SYN, FIN, RST). drained: 1 if the packet ended a poll
 * that emptied the ring. Lines that begin with '#' and empty ones are skipped.
 */
#ifndef RXAQM_TRACE_H
#define RXAQM_TRACE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/log.h"

#define RXAQM_TRACE_HEADER "now_ns,queue,sojourn_ns,len,ecn,kind,drained"

struct rxaqm_trace_packet {
	__u64 now_ns;
	__u64 sojourn_ns;
	__u32 queue;
	__u32 len;
	__u8 ecn; /* RXAQM_IP_* (decide.h) */
	__u8 kind; /* enum rxaqm_kind */
	bool drained;
};

/* Parse @line, without its end. 0, or -EINVAL with @error naming field and value. */
int rxaqm_trace_parse(const char *line, struct rxaqm_trace_packet *packet,
		      struct rxaqm_error *error);

/* A trace being read; all zero but file and path at first. */
struct rxaqm_trace {
	FILE *file;
	const char *path; /* for messages */
	unsigned int line;
	bool begun; /* past the header */
	__u64 now_ns; /* of the packet before */
	char *buf;
	size_t buf_size;
};

/* The next packet: 1, or 0 at the end, or -errno with @error ("FILE:LINE: ..."). */
int rxaqm_trace_next(struct rxaqm_trace *trace, struct rxaqm_trace_packet *packet,
		     struct rxaqm_error *error);
/* Free what reading took. The file is the caller's. */
void rxaqm_trace_end(struct rxaqm_trace *trace);

#endif /* RXAQM_TRACE_H */
