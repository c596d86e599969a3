/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a queue overloaded: a state machine, fed with a copy of the queue about once a second. Pure:
 * no system calls, time is passed in (CLOCK_MONOTONIC).
 *
 * It collects evidence for a change of state, in ns: time that speaks for it is added, time that
 * speaks against it is subtracted four times, and a pause between calls counts as 5 s at most. So a
 * state lasts at least as long as configured, and a dip of a second within a minute does not start
 * it again.
 */
#pragma once

#include "base/exempt.h"
#include "queue.h"

#define RXAQM_OVERLOAD_AGAINST 4
#define RXAQM_OVERLOAD_TICK_MAX_NS (5 * RXAQM_NSEC_PER_SEC)

/* A law holds a queue near its target, not exactly at it: up to twice the target is normal. */
#define RXAQM_OVERLOAD_SLACK 2

/* The result of a look at a queue. */
struct rxaqm_overload_look {
	bool stands; /* rxaqm_queue_stands() */
	/* It stands over target or, if it is enforced, over RXAQM_OVERLOAD_SLACK targets. Not with
	 * mode=off, nor if nothing judges its packets.
	 */
	bool over;
	bool waiting; /* its packets wait in the ring of an AF_XDP socket behind it (wait.h) */
	bool enforced;
	unsigned int exempt_percent; /* rxaqm_overload_exempt_percent() */
	char exempt[RXAQM_EXEMPT_WORDS]; /* which traffic is exempt, if any */
	__u64 sojourn_ns; /* averaged over the last second in which it stood */
	__u64 target_ns;
	__u64 stood_ns; /* since it stands; 0: it does not */
};

/* Look at a copy of a queue. */
void rxaqm_overload_look(const struct rxaqm_queue *q, __u64 now_ns,
			 struct rxaqm_overload_look *look);

/* The share of exempt packets in @q, in percent, if they hold the queue over its target, so that no
 * law can help; else 0.
 */
unsigned int rxaqm_overload_exempt_percent(const struct rxaqm_queue *q, __u64 now_ns);

#define RXAQM_OVERLOAD_TEXT 400

/* Overload: reports when it begins and when it is over, each once. */
struct rxaqm_overload_config {
	__u64 raise_ns; /* this long over target */
	__u64 clear_ns; /* and this long not any more */
};

struct rxaqm_overload {
	bool raised;
	__u64 since_ns; /* when it was raised, or cleared */
	__u64 worst_ns; /* longest averaged sojourn while raised */
	bool started;
	__u64 look_ns; /* time of the previous look */
	__u64 for_ns; /* evidence for a change */
};

enum rxaqm_overload_event {
	RXAQM_OVERLOAD_NOTHING,
	RXAQM_OVERLOAD_BEGAN,
	RXAQM_OVERLOAD_ENDED
};

/* @overload is all zero at first. With an event, @text is filled in. */
enum rxaqm_overload_event rxaqm_overload_update(struct rxaqm_overload *overload,
						const struct rxaqm_overload_config *config,
						const struct rxaqm_overload_look *look,
						__u64 now_ns, char text[RXAQM_OVERLOAD_TEXT]);
