/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A check: one row of data and one pure function over a snapshot. To add one, write both into
 * the file of its place here; everything else (text, JSON, "cannot see", the table of
 * docs/doctor.md) comes from the row.
 *
 * Words of a row may name what the function noted: "${drops}" becomes the number with its unit.
 */
#pragma once

#include "doctor/snapshot/get.h"
#include "doctor/snapshot/ledger.h"
#include "doctor/snapshot/snapshot.h"

/* Where packets wait or are lost, in the order they pass. */
enum doctor_place {
	DOCTOR_WIRE,
	DOCTOR_NIC,
	DOCTOR_CPU,
	DOCTOR_BACKLOG,
	DOCTOR_IP,
	DOCTOR_TCP,
	DOCTOR_UDP,
	DOCTOR_PROGRAM,
	DOCTOR_TX,
	DOCTOR_PATH,
	DOCTOR_SETTINGS,
	DOCTOR_NR_PLACES,
};

/* Why it waits there. */
enum doctor_kind {
	DOCTOR_ARRIVAL, /* more comes than can be served */
	DOCTOR_SERVICE, /* each packet costs too much */
	DOCTOR_SHARED, /* something else has the CPU */
	DOCTOR_SKEWED, /* one queue or CPU has it all */
	DOCTOR_LOOP, /* the queue keeps itself up */
	DOCTOR_READER, /* the program does not take it */
	DOCTOR_MEMORY, /* a limit of memory */
	DOCTOR_ELSEWHERE, /* not on this host */
	DOCTOR_SETTING,
};

enum doctor_severity {
	DOCTOR_LOW, /* worth knowing */
	DOCTOR_MEDIUM, /* slows */
	DOCTOR_HIGH, /* stops or loses */
};

enum doctor_confidence {
	DOCTOR_CONFIGURED, /* only a setting says so */
	DOCTOR_INFERRED,
	DOCTOR_MEASURED,
};

enum doctor_verdict {
	DOCTOR_CLEAR, /* acquitted, with the number that clears it */
	DOCTOR_FOUND,
	DOCTOR_BLIND, /* cannot be seen here; why is noted */
};

enum doctor_unit {
	DOCTOR_COUNT,
	DOCTOR_BYTES,
	DOCTOR_BYTES_PER_S,
	DOCTOR_PER_S,
	DOCTOR_PERCENT,
	DOCTOR_US,
	DOCTOR_RATIO,
	DOCTOR_NUMBER, /* as it is: of a queue, of a setting */
};

struct doctor_evidence {
	const char *name;
	double value;
	enum doctor_unit unit;
	const char *source;
	bool window; /* it is of the window, not of its end */
};

struct doctor_word {
	const char *name;
	char text[160];
	bool is_ours;
};

struct doctor_finding;

struct doctor_check {
	const char *id; /* words, for ever: people mute and verify by it */
	enum doctor_place place;
	enum doctor_kind kind;
	enum doctor_severity severity;
	enum doctor_confidence confidence;
	const char *reads; /* the sources, for the table */
	const char *rule; /* when it is found, for the table; NULL: its counters rise by 1/s */
	const char *cause; /* one sentence in plain words */
	const char *because; /* what happens, and how we know */
	const char *clear; /* the number that acquits it */
	/* The remedy: commands, what to expect, and what may go wrong. */
	const char *now, *expect;
	const char *keep, *undo, *risk; /* NULL: the same, nothing was changed, none */
	const char *after; /* ids, one blank between: a consequence of the first that is found */
	const char *reference; /* kernel documentation, function, published investigation */
	bool essential; /* not seeing it is not seeing enough */
	bool by_sockets; /* blind without a pass over the sockets */
	bool by_queues; /* blind where sock_diag tells of them, which knows no Rx queue */
	bool by_rxaqm; /* blind where rxaqm is not attached */
	const char *by_probe; /* blind where this one of --deep did not run; NULL: never */
	/* NULL: found if what the ledger puts down to it rises by 1/s or more. */
	enum doctor_verdict (*judge)(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding);
};

/* The function of a row; what it scores sockets by. */
#define DOCTOR_JUDGE(name)                                                  \
	static enum doctor_verdict name(const struct doctor_snapshot *snap, \
					struct doctor_finding *finding)

/* How a row begins; the words of its enums are without "DOCTOR_". */
#define DOCTOR_CHECK(i, p, k, s, c)                                                 \
	.id = (i), .place = DOCTOR_##p, .kind = DOCTOR_##k, .severity = DOCTOR_##s, \
	.confidence = DOCTOR_##c
#define SOCKET_CHECK(i, p, k, s, c) DOCTOR_CHECK(i, p, k, s, c), .by_sockets = true
/* Of a row that explains, and accuses nobody. */
#define NEVER_FOUND                                                                        \
	.cause = "-", .because = "-", .now = "-", .keep = "-", .undo = "-", .expect = "-", \
	.risk = "-"
#define SYSCTL_FILE "/etc/sysctl.d/60-rxaqm-doctor.conf"
/* A remedy that is a line of it. */
#define SYSCTL(name, value, old)                                                              \
	.now = "sysctl -w " name "=" value, .keep = "echo " name "=" value " >>" SYSCTL_FILE, \
	.undo = "sysctl -w " name "=" old ", and remove the line"
/* In .after: a CPU that receives has no time left, or something else has it. */
#define CPU_FULL \
	"rx-cpu-busy rx-cpus-busy bpf-dear packet-dear napi-starved softirq-other irqs-on-one-cpu"
/* First for a while, as README has it. */
#define ENFORCE_FOR(iface) \
	"rxaqm attach " iface " && rxaqm policy set " iface " mode=enforce lease=10m"
#define ENFORCE_RISK                                                                                  \
	"many drivers reset their rings for an XDP program; marks and drops are what tells senders: " \
	"rxaqm(8)"

#define DOCTOR_MAX_EVIDENCE 16
#define DOCTOR_MAX_WORDS 16

struct doctor_finding {
	const struct doctor_check *check;
	enum doctor_verdict verdict;
	enum doctor_severity severity; /* the row's, unless the function changes it */
	enum doctor_confidence confidence;
	const char *after; /* the row's, unless the function changes it */
	struct doctor_evidence evidence[DOCTOR_MAX_EVIDENCE];
	unsigned int nr_evidence;
	struct doctor_word words[DOCTOR_MAX_WORDS];
	unsigned int nr_words;
	char reason[200]; /* DOCTOR_BLIND: why */
	const struct doctor_finding *consequence_of; /* NULL: a cause of its own */
};

/* As the row says. */
enum doctor_verdict doctor_judge(const struct doctor_snapshot *snap,
				 struct doctor_finding *finding);
/* Found if what the ledger puts down to the check, @finding's "events", rises by 1/s or more. */
enum doctor_verdict doctor_judge_rise(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding);

/* For how many ns the probe @name of --deep ran; 0: it did not. */
__u64 doctor_probed(const struct doctor_snapshot *snap, const char *name);

/* For judge(). A second number of the same name replaces the first. */
void doctor_note(struct doctor_finding *finding, const char *name, double value,
		 enum doctor_unit unit, const char *source);
/* The same of a counter's rise in the window. */
void doctor_note_rise(struct doctor_finding *finding, const char *name, double value,
		      enum doctor_unit unit, const char *source);
/* The same, in percent. */
void doctor_note_share(struct doctor_finding *finding, const char *name, double percent,
		       const char *source);
void doctor_note_count(struct doctor_finding *finding, const char *name, __u64 events,
		       const char *source);
/* A fact; 0 and ~0 are said to be "not known". */
void doctor_note_known(struct doctor_finding *finding, const char *name, __u64 value,
		       const char *source);
/* And of the counters (as doctor_counters() has them) that are its source; returns their rise, 0 if
 * that is not known.
 */
__u64 doctor_note_counter(const struct doctor_snapshot *snap, struct doctor_finding *finding,
			  const char *name, const char *counters);
/* The number that was noted by that name; 0: there is none. */
double doctor_noted(const struct doctor_finding *finding, const char *name);
void doctor_say(struct doctor_finding *finding, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same of what may be part of a command as it is: nothing in it is from the snapshot but
 * numbers, and what "${name}" in it is replaced by.
 */
void doctor_say_ours(struct doctor_finding *finding, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
enum doctor_verdict doctor_blind(struct doctor_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static inline enum doctor_verdict doctor_found_if(bool found)
{
	return found ? DOCTOR_FOUND : DOCTOR_CLEAR;
}

/* Fewer than one a second slow nothing: the number is printed, and acquits. */
static inline enum doctor_verdict doctor_found_if_often(const struct doctor_snapshot *snap,
							__u64 events)
{
	return doctor_found_if((double)events >= doctor_window_s(snap));
}

/* ${socket}: "10.0.0.1:5001 from 10.0.0.2:4711"; ${program}: "nc (pid 17)", or "a program that is
 * not known"; ${pid}: 17, or PID. Also notes what its CPU does.
 */
void doctor_say_socket(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_socket *socket);

/* All rows, by place: up to one without id. */
extern const struct doctor_check doctor_checks_nic[], doctor_checks_cpu[], doctor_checks_tcp[],
	doctor_checks_reader[], doctor_checks_udp[], doctor_checks_tx[], doctor_checks_path[],
	doctor_checks_settings[], doctor_checks_attached[], doctor_checks_window[],
	doctor_checks_send[], doctor_checks_spread[], doctor_checks_backlog[],
	doctor_checks_probed[], doctor_checks_host[], doctor_checks_txqueue[], doctor_checks_link[],
	doctor_checks_counted[], doctor_checks_seen[];

/* The row at @index of all; NULL: the end. */
const struct doctor_check *doctor_check_at(size_t index);
