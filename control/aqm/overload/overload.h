/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a queue overloaded, and should it be enforced: two state machines, fed with a copy
 * of the queue about once a second. Pure: no calls, time is passed in (CLOCK_MONOTONIC).
 *
 * Both collect evidence for a change of state, in ns: time that speaks for it is added, time that
 * speaks against it is subtracted four times, and a pause between calls counts as 5 s at most. So a
 * state lasts at least as long as is configured, and a dip of a second within a minute starts
 * nothing anew.
 */
#pragma once

#include "base/exempt.h"
#include "queue.h"

#define RXAQM_OVERLOAD_AGAINST 4
#define RXAQM_OVERLOAD_TICK_MAX_NS (5 * RXAQM_NSEC_PER_SEC)
#define RXAQM_OVERLOAD_RELAPSES_MAX 5

/* A law holds a queue near its target, not exactly at it: up to twice the target is normal. */
#define RXAQM_OVERLOAD_SLACK 2

/* What a look at a queue says. */
struct rxaqm_overload_look {
	bool judged; /* false: first look, nothing to compare with; the rest says nothing */
	/* Since the look before it has been over target, and hardly ever drained. */
	bool over;
	bool waiting; /* its packets wait in the ring of an AF_XDP socket behind it (wait.h) */
	bool drained; /* it neither stands nor waits, and hardly ever did since the look before */
	bool enforced;
	unsigned int exempt_percent; /* rxaqm_overload_exempt_percent(), if it is over target */
	char exempt[RXAQM_EXEMPT_WORDS]; /* which traffic that may be, if any */
	__u64 smooth_ns; /* averaged sojourn */
	__u64 target_ns;
	__u64 stood_ns; /* since it was drained, or, if it waits, under target; 0: it does neither */
};

/* Memory from look to look. All zero at first. */
struct rxaqm_overload_seen {
	bool valid;
	__u64 judged, polls_busy, polls_drained; /* counters then */
};

/* Look at a copy of a queue. */
void rxaqm_overload_look(struct rxaqm_overload_seen *seen, const struct rxaqm_queue *q,
			 __u64 now_ns, struct rxaqm_overload_look *look);

/* The share of exempt packets in @q, in percent, if they hold the queue over its target, so that no
 * law can help; else 0.
 */
unsigned int rxaqm_overload_exempt_percent(const struct rxaqm_queue *q, __u64 now_ns);

/* Evidence collected for a change of state. */
struct rxaqm_evidence {
	bool started;
	__u64 look_ns; /* the look before */
	__u64 for_ns;
};

#define RXAQM_OVERLOAD_TEXT 400

/* Overload: tells when it begins and when it is over, each once. */
struct rxaqm_overload_config {
	__u64 raise_ns; /* over target for as long */
	__u64 clear_ns; /* and gone for as long */
};

struct rxaqm_overload {
	bool raised;
	__u64 since_ns; /* when it was raised, or cleared */
	__u64 worst_ns; /* longest averaged sojourn while raised */
	struct rxaqm_evidence evidence;
};

enum rxaqm_overload_event {
	RXAQM_OVERLOAD_NOTHING,
	RXAQM_OVERLOAD_BEGAN,
	RXAQM_OVERLOAD_ENDED
};

/* @overload is all zero at first. @text is filled in with an event. */
enum rxaqm_overload_event rxaqm_overload_update(struct rxaqm_overload *overload,
						const struct rxaqm_overload_config *config,
						const struct rxaqm_overload_look *look,
						__u64 now_ns, char text[RXAQM_OVERLOAD_TEXT]);

/*
 * Automatic enforcement. From observe to enforce after overload for enforce_after; back
 * after the queue has been drained for observe_after. In either mode it stays for the least
 * dwell. When enforce was needed again within ten observe_after, that doubles, 32 times at
 * most; it takes back only what it has set, and nothing that the operator has.
 */
struct rxaqm_autoenforce_config {
	__u64 enforce_after_ns, observe_after_ns;
	__u64 dwell_enforce_ns, dwell_observe_ns;
};

struct rxaqm_autoenforce {
	bool enforcing; /* set by us */
	bool overruled; /* the operator has changed the mode meanwhile: hands off */
	__u32 relapses; /* that are remembered */
	bool switched; /* at all */
	__u64 switched_ns;
	struct rxaqm_evidence evidence;
};

enum rxaqm_autoenforce_do {
	RXAQM_AUTOENFORCE_NOTHING,
	RXAQM_AUTOENFORCE_ENFORCE, /* set mode=enforce */
	RXAQM_AUTOENFORCE_OBSERVE, /* set mode=observe */
	RXAQM_AUTOENFORCE_OVERRULED, /* to be logged: told once, nothing to do */
};

/* An earlier daemon has enforced automatically: go on from there at @now_ns. @ae is all zero. */
void rxaqm_autoenforce_adopt(struct rxaqm_autoenforce *ae, __u64 now_ns);

/* @mode is the one of the policy in effect (policy_map), @ae is all zero at first. The caller does
 * what is returned before it asks again, or makes @ae all zero if it cannot. @text is filled in
 * unless it is NOTHING.
 */
enum rxaqm_autoenforce_do rxaqm_autoenforce_update(struct rxaqm_autoenforce *ae,
						   const struct rxaqm_autoenforce_config *config,
						   const struct rxaqm_overload_look *look,
						   enum rxaqm_mode mode, __u64 now_ns,
						   char text[RXAQM_OVERLOAD_TEXT]);
