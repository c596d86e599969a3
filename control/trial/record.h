/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of a trial: its blocks in order, and the verdicts drawn from them. run.c fills in the
 * blocks. judge.c computes everything else, also for a record that is read again, so that its
 * sentences are those of the program that prints them.
 *
 * What is not known is NAN, and absent in the file.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#include "base/json_file.h"

/* Version of the file. Raise it when a member changes its meaning; a new member needs no raise. */
#define TRIAL_VERSION 1

#define TRIAL_ARMS_MAX 3
#define TRIAL_GUARDS_MAX 8
#define TRIAL_RECORDS_MAX 256

/* X(constant, name in JSON and for --stop-if, title, unit, better: 1 if more is better, -1 if less,
 * 0 if it is only told). Verdicts rest on those that are better: on few, since each of them costs
 * pairs, by the correction for testing all.
 */
#define TRIAL_OUTCOMES(X)                                                          \
	X(SOJOURN_P50, "sojourn_p50_ns", "median of the sojourn", "ns", -1)        \
	X(SOJOURN_P99, "sojourn_p99_ns", "p99 of the sojourn", "ns", -1)           \
	X(BYTES_RECEIVED, "bytes_received_per_s", "bytes received", "B/s", 1)      \
	X(BYTES_SENT, "bytes_sent_per_s", "bytes sent", "B/s", 1)                  \
	X(NUMBER, "metric", "the number of --metric", "", -1)                      \
	X(PACKETS_RECEIVED, "packets_received_per_s", "packets received", "/s", 0) \
	X(PACKETS_SENT, "packets_sent_per_s", "packets sent", "/s", 0)             \
	X(RTT, "rtt_ns", "round trip of TCP", "ns", 0)                             \
	X(SEGMENTS_AGAIN, "segments_again_per_s", "segments sent again", "/s", 0)  \
	X(TIMEOUTS, "timeouts_per_s", "timeouts of TCP", "/s", 0)                  \
	X(OVERFLOW, "overflow_per_s", "packets that overflowed", "/s", 0)          \
	X(PACKET_CPU, "packet_cpu_ns", "CPU time of a packet", "ns", 0)            \
	X(SOFTIRQ, "softirq_share", "softirq of the receiving CPU", "share", 0)    \
	X(DROPPED, "dropped_per_s", "packets dropped by rxaqm", "/s", 0)           \
	X(MARKED, "marked_per_s", "packets marked", "/s", 0)                       \
	X(ACKS_THINNED, "acks_thinned_per_s", "ACKs thinned", "/s", 0)

#define TRIAL_OUTCOME_ENUM(constant, ...) TRIAL_##constant,
enum {
	TRIAL_OUTCOMES(TRIAL_OUTCOME_ENUM) TRIAL_NR_OUTCOMES
};

struct trial_outcome {
	const char *name, *title, *unit;
	int better;
};
extern const struct trial_outcome trial_outcomes[TRIAL_NR_OUTCOMES];

struct trial_block {
	__u32 round; /* has as many blocks as there are arms */
	__u32 arm;
	double at_s; /* its begin, since the trial began */
	double measured_s; /* without the first part, in which the queue settles */
	bool over; /* at least a hundredth of the packets was over target */
	char why_void[96]; /* "": the block counts */
	double outcome[TRIAL_NR_OUTCOMES];
};

struct trial_arm {
	char settings[200]; /* as they were given; "mode=observe" */
};

/* An outcome under an arm, compared with the first arm. Changes are shares: -0.86 is 86 % less. */
struct trial_result {
	__u32 arm;
	char outcome[32], unit[8];
	__u32 pairs;
	double before, after; /* means */
	double change, low, high; /* with the 95 % interval; NAN: no bound */
	double p, p_holm; /* alone; corrected, NAN if no verdict rests on it */
	double pairs_for_5_percent;
	bool shown; /* the difference is significant at 5 % */
};

enum trial_verdict_kind {
	TRIAL_HELPS,
	TRIAL_HURTS,
	TRIAL_MIXED,
	TRIAL_NO_DIFFERENCE,
	TRIAL_NOTHING_TO_LEARN,
	TRIAL_TOO_FEW,
};
extern const char *const trial_verdicts[]; /* their names, up to NULL */

struct trial_verdict {
	__u32 arm, verdict;
	char why[400];
};

struct trial_guard {
	char outcome[32];
	double change; /* -0.1: end the trial if it is surely over 10 % less */
};

struct trial_record {
	char time[32], host[64]; /* time: of the begin, UTC, RFC 3339 */
	char interface[128], rxaqm[32], kernel[96];
	__u64 seed, block_ns, for_ns;
	__u32 rounds; /* planned */
	char metric[1000]; /* the user's command; "": none */
	char ended[200]; /* why it ended early; "": it did not */
	__u32 tests; /* results that verdicts rest on: so many are corrected for; not in the file */
	__u32 guarded; /* the arm that a guard stopped; 0: none */
	RXAQM_LIST(struct trial_arm) arms;
	RXAQM_LIST(struct trial_guard) guards;
	RXAQM_LIST(struct trial_block) blocks;
	RXAQM_LIST(struct trial_result) results;
	RXAQM_LIST(struct trial_verdict) verdicts;
};

/* For rxaqm_record_write() and the like (base/json_file.h). */
extern const struct rxaqm_record_kind trial_record_kind;
static inline void trial_record_free(struct trial_record *record)
{
	rxaqm_fields_free(trial_record_kind.type, record);
}

/* The first outcome whose name begins with @name; NULL: none. */
const struct trial_outcome *trial_outcome(const char *name);
