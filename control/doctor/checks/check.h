/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A check is one row of data and one pure function over a snapshot. To add one, write both into the
 * file of its place here; everything else (text, JSON, "cannot see", the table of docs/doctor.md)
 * comes from the row.
 *
 * The texts of a row may use what the function noted: "${drops}" becomes the number with its unit.
 * "${ring|not known}" becomes the words behind "|" if it noted no ring.
 */
#pragma once

#include "doctor/snapshot/get.h"
#include "doctor/snapshot/loss_counters.h"
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

/* Why packets wait there. */
enum doctor_kind {
	DOCTOR_ARRIVAL, /* more comes than can be served */
	DOCTOR_SERVICE, /* each packet costs too much */
	DOCTOR_SHARED, /* something else has the CPU */
	DOCTOR_SKEWED, /* one queue or CPU has it all */
	DOCTOR_LOOP, /* the queue keeps itself up */
	DOCTOR_READER, /* the program does not read */
	DOCTOR_MEMORY, /* a limit of memory */
	DOCTOR_ELSEWHERE, /* the cause is not on this host */
	DOCTOR_SETTING,
};

enum doctor_severity {
	DOCTOR_LOW, /* worth knowing */
	DOCTOR_MEDIUM, /* slows */
	DOCTOR_HIGH, /* stops or loses */
};

enum doctor_confidence {
	DOCTOR_CONFIGURED, /* by a setting alone */
	DOCTOR_INFERRED,
	DOCTOR_MEASURED,
};

enum doctor_verdict {
	DOCTOR_CLEAR, /* acquitted, by the number in .clear */
	DOCTOR_FOUND,
	DOCTOR_BLIND, /* cannot be seen here; .reason says why */
};

enum doctor_unit {
	DOCTOR_COUNT,
	DOCTOR_BYTES,
	DOCTOR_BYTES_PER_S,
	DOCTOR_PER_S,
	DOCTOR_PERCENT,
	DOCTOR_US,
	DOCTOR_RATIO,
	DOCTOR_NUMBER, /* without a unit: of a queue, of a setting */
};

struct doctor_evidence {
	const char *name;
	double value;
	enum doctor_unit unit;
	const char *source;
	bool window; /* measured over the window, not at its end */
};

struct doctor_word {
	const char *name;
	char text[160];
	bool is_ours;
};

struct doctor_finding;

struct doctor_check {
	const char *id; /* never changes: people mute and verify by it */
	enum doctor_place place;
	enum doctor_kind kind;
	enum doctor_severity severity;
	enum doctor_confidence confidence;
	const char *reads; /* the sources, for the table of docs/doctor.md */
	const char *rule; /* when it is found, for the same table; NULL: its counters rise by 1/s or
			     more; a note by the rule of shares */
	const char *cause; /* one sentence in plain words */
	const char *because; /* what happens, and how the doctor knows */
	const char *clear; /* the number that acquits it */
	/* The remedy. A command stands between backticks, for example "`ss -tmp` shows who", and
	 * runs as it is printed; doctor_steps() takes steps whose values are not known out.
	 */
	const char *now, *expect;
	const char *keep, *undo, *risk; /* NULL: the same, nothing was changed, none */
	const char *after; /* ids, a blank between: it follows from the first that is found */
	const char *reference; /* kernel documentation, function, published investigation */
	/* What shows that hosts have it: a case of tests/unit/doctor/public.json in which it is
	 * found, "kernel commit HASH", or a figure of Meta's, Google's or Cloudflare's report.
	 */
	const char *shown;
	bool essential; /* if it is blind, the host cannot be called healthy */
	bool times; /* what it counts is no packet, and may explain any number of them */
	bool by_sockets; /* blind if no pass over the sockets was possible */
	bool by_rxaqm; /* blind if rxaqm is not attached */
	const char *by_probe; /* blind if this probe of --deep did not run; NULL: never */
	/* NULL: doctor_judge_rise(). */
	enum doctor_verdict (*judge)(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding);
};

/* The function of a row. */
#define DOCTOR_JUDGE(name)                                                  \
	static enum doctor_verdict name(const struct doctor_snapshot *snap, \
					struct doctor_finding *finding)

/* The begin of a row; the enums are given without "DOCTOR_". */
#define DOCTOR_CHECK(i, p, k, s, c)                                                 \
	.id = (i), .place = DOCTOR_##p, .kind = DOCTOR_##k, .severity = DOCTOR_##s, \
	.confidence = DOCTOR_##c
#define SOCKET_CHECK(i, p, k, s, c) DOCTOR_CHECK(i, p, k, s, c), .by_sockets = true
#define SYSCTL_FILE "/etc/sysctl.d/60-rxaqm-doctor.conf"
/* Parts of a remedy that sets a sysctl. */
#define SET(setting) "`sysctl -w " setting "`"
#define KEEP(setting) "`echo " setting " >>" SYSCTL_FILE "`"
#define UNSET(setting) SET(setting) " and remove the line from " SYSCTL_FILE
/* A remedy that sets one sysctl. */
#define SYSCTL(name, value, old) .now = SET(name "=" value), SYSCTL_KEPT(name, value, old)
#define SYSCTL_KEPT(name, value, old) .keep = KEEP(name "=" value), .undo = UNSET(name "=" old)
/* For .after: a CPU that receives has no time left, or something else uses it. */
#define CPU_FULL \
	"rx-cpu-busy rx-cpus-busy bpf-dear packet-dear napi-starved softirq-other irqs-on-one-cpu"
/* Enforce for ten minutes first, as README does. */
#define ENFORCE_FOR(iface) \
	"`rxaqm attach " iface "` `rxaqm policy set " iface " mode=enforce lease=10m`"
/* RPS of all queues of ${iface}. */
#define RPS(mask) \
	"`for q in /sys/class/net/${iface}/queues/rx-*/rps_cpus; do echo " mask " >$q; done`"
#define ENFORCE_RISK                                                                                     \
	"many drivers reset their rings for an XDP program; marks and drops tell senders to slow down: " \
	"rxaqm(8)"

#define DOCTOR_MAX_EVIDENCE 16
#define DOCTOR_MAX_WORDS 24

struct doctor_finding {
	const struct doctor_check *check;
	enum doctor_verdict verdict;
	enum doctor_severity severity; /* of the row, unless the function changes it */
	enum doctor_confidence confidence;
	const char *after; /* of the row, unless the function changes it */
	struct doctor_evidence evidence[DOCTOR_MAX_EVIDENCE];
	unsigned int nr_evidence;
	struct doctor_word words[DOCTOR_MAX_WORDS];
	unsigned int nr_words;
	char reason[200]; /* why it is DOCTOR_BLIND */
	const struct doctor_iface *iface; /* where it is; NULL: of the whole host, or not known */
	__s32 cpu; /* the same; -1 */
	const char *counter; /* the one that tells most of it; NULL: there is none */
	double lost; /* packets; 0: it is no loss, or not known */
	const struct doctor_finding *consequence_of; /* NULL: a cause of its own */
};

/* Check the row's conditions, then call its function. */
enum doctor_verdict doctor_judge(const struct doctor_snapshot *snap,
				 struct doctor_finding *finding);
/* The rule of shares, for @lost of the @passed packets that came by there (0: not known). Fewer
 * than one a second slow nothing: the number acquits. Below 1 of 1000 it is a note, unless TCP
 * waits for what was lost; below 1 of 10,000 it is one in any case.
 */
enum doctor_verdict doctor_judge_share(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding, double lost, double passed);
/* The same, where the protocol counter @name is counted. */
static inline enum doctor_verdict doctor_judge_lost(const struct doctor_snapshot *snap,
						    struct doctor_finding *finding,
						    const char *name, __u64 lost)
{
	return doctor_judge_share(snap, finding, (double)lost, (double)doctor_passes(snap, name));
}
/* How many of the TCP segments received came behind a gap, without those that came twice: then the
 * path only reorders. In percent; 0 if it is less than one a second.
 */
double doctor_gap_percent(const struct doctor_snapshot *snap);
/* Does TCP wait for lost packets? One of 100 segments is sent again, or comes behind a gap. */
bool doctor_tcp_waits(const struct doctor_snapshot *snap);
/* doctor_judge_share() of the loss counters of this check ("events"). */
enum doctor_verdict doctor_judge_rise(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding);

/* How long the probe @name of --deep ran, in ns; 0: it did not run. */
__u64 doctor_probed(const struct doctor_snapshot *snap, const char *name);

/* Note a number. A second one of the same name replaces the first. */
void doctor_note(struct doctor_finding *finding, const char *name, double value,
		 enum doctor_unit unit, const char *source);
/* Note how much something rose in the window. */
void doctor_note_rise(struct doctor_finding *finding, const char *name, double value,
		      enum doctor_unit unit, const char *source);
/* As doctor_note_rise(), in percent. */
void doctor_note_share(struct doctor_finding *finding, const char *name, double percent,
		       const char *source);
void doctor_note_count(struct doctor_finding *finding, const char *name, __u64 events,
		       const char *source);
/* Note the rise of @counters, as doctor_counters() takes them, and return it; 0: not known. */
__u64 doctor_note_counter(const struct doctor_snapshot *snap, struct doctor_finding *finding,
			  const char *name, const char *counters);
/* The number noted by that name; 0: there is none. */
double doctor_noted(const struct doctor_finding *finding, const char *name);
void doctor_say(struct doctor_finding *finding, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Note text that may go into a command unquoted: it has only numbers from the snapshot, and
 * "${name}", which is quoted when it is filled in.
 */
void doctor_say_ours(struct doctor_finding *finding, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
enum doctor_verdict doctor_blind(struct doctor_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static inline enum doctor_verdict doctor_found_if(bool found)
{
	return found ? DOCTOR_FOUND : DOCTOR_CLEAR;
}

/* Note where it is: ${iface}, ${cpu}. */
void doctor_say_iface(struct doctor_finding *finding, const struct doctor_iface *iface);
void doctor_say_cpu(struct doctor_finding *finding, __u32 cpu, const char *source);

/* ${socket}: "10.0.0.1:5001 from 10.0.0.2:4711"; ${program}: "nc (pid 17)", or "a program that is
 * not known"; ${pid}: 17, if it is known. Also notes what its CPU does.
 */
void doctor_say_socket(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_socket *socket);

/* What commands need: ${free_cpus}, ${mask} (hexadecimal) and ${all_cpus} are the CPUs but @cpu
 * (-1: all of them); ${idlest} the one with most time. Nothing is noted of a host with one CPU.
 */
void doctor_say_cpus(const struct doctor_snapshot *snap, struct doctor_finding *finding, __s32 cpu);
/* ${iface}: the interface that receives most; NULL: none receives. */
const struct doctor_iface *doctor_say_busiest(const struct doctor_snapshot *snap,
					      struct doctor_finding *finding);
/* ${keep}: how a setting of @iface stays, by what is known to configure it. @nm: the property of
 * NetworkManager and its value, @link: the line of systemd.link(5); NULL: there is none.
 */
void doctor_say_keep(struct doctor_finding *finding, const struct doctor_iface *iface,
		     const char *nm, const char *link);

/* The rows of each place; the last one has no id. */
extern const struct doctor_check doctor_checks_nic[], doctor_checks_cpu[], doctor_checks_tcp[],
	doctor_checks_reader[], doctor_checks_udp[], doctor_checks_tx[], doctor_checks_path[],
	doctor_checks_attached[], doctor_checks_window[], doctor_checks_send[],
	doctor_checks_spread[], doctor_checks_backlog[], doctor_checks_deep[],
	doctor_checks_txqueue[], doctor_checks_link[], doctor_checks_protocol_counters[];

/* The row at @index of all tables; NULL: the end. */
const struct doctor_check *doctor_check_at(size_t index);
