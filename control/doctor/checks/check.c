/* SPDX-License-Identifier: GPL-2.0-only */
/* What a check notes: numbers that prove or acquit, words, and why it is blind. */
#include "doctor/checks/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor/checks/ifaces.h"

/* The index of the evidence @name; nr_evidence: there is none. */
static unsigned int find_evidence(const struct doctor_finding *finding, const char *name)
{
	unsigned int i;

	for (i = 0; i < finding->nr_evidence && strcmp(finding->evidence[i].name, name); i++)
		;
	return i;
}

double doctor_noted(const struct doctor_finding *finding, const char *name)
{
	unsigned int i = find_evidence(finding, name);

	return i < finding->nr_evidence ? finding->evidence[i].value : 0;
}

static void note(struct doctor_finding *finding, struct doctor_evidence evidence)
{
	unsigned int i = find_evidence(finding, evidence.name);

	if (i == DOCTOR_MAX_EVIDENCE)
		return;
	finding->nr_evidence += i == finding->nr_evidence;
	finding->evidence[i] = evidence;
}

void doctor_note(struct doctor_finding *finding, const char *name, double value,
		 enum doctor_unit unit, const char *source)
{
	note(finding, (struct doctor_evidence){ name, value, unit, source, false });
}

void doctor_note_rise(struct doctor_finding *finding, const char *name, double value,
		      enum doctor_unit unit, const char *source)
{
	note(finding, (struct doctor_evidence){ name, value, unit, source, true });
}

void doctor_note_share(struct doctor_finding *finding, const char *name, double percent,
		       const char *source)
{
	doctor_note_rise(finding, name, percent, DOCTOR_PERCENT, source);
}

void doctor_note_count(struct doctor_finding *finding, const char *name, __u64 events,
		       const char *source)
{
	doctor_note_rise(finding, name, (double)events, DOCTOR_COUNT, source);
}

__u64 doctor_note_counter(const struct doctor_snapshot *snap, struct doctor_finding *finding,
			  const char *name, const char *counters)
{
	__u64 value = 0;

	doctor_counters(snap, counters, &value);
	doctor_note_count(finding, name, value, counters);
	return value;
}

static void say(struct doctor_finding *finding, const char *name, bool is_ours, const char *fmt,
		va_list args)
{
	unsigned int i;

	for (i = 0; i < finding->nr_words && strcmp(finding->words[i].name, name); i++)
		;
	if (i == DOCTOR_MAX_WORDS)
		return;
	finding->nr_words += i == finding->nr_words;
	finding->words[i].name = name;
	finding->words[i].is_ours = is_ours;
	vsnprintf(finding->words[i].text, sizeof(finding->words[i].text), fmt, args);
}

void doctor_say(struct doctor_finding *finding, const char *name, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(finding, name, false, fmt, args);
	va_end(args);
}

void doctor_say_ours(struct doctor_finding *finding, const char *name, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(finding, name, true, fmt, args);
	va_end(args);
}

enum doctor_verdict doctor_blind(struct doctor_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(finding->reason, sizeof(finding->reason), fmt, args);
	va_end(args);
	return DOCTOR_BLIND;
}

void doctor_say_iface(struct doctor_finding *finding, const struct doctor_iface *iface)
{
	finding->iface = iface;
	doctor_say(finding, "iface", "%s", iface->name);
}

void doctor_say_cpu(struct doctor_finding *finding, __u32 cpu, const char *source)
{
	finding->cpu = (__s32)cpu;
	doctor_note(finding, "cpu", cpu, DOCTOR_NUMBER, source);
}

double doctor_gap_percent(const struct doctor_snapshot *snap)
{
	__u64 behind = 0, twice, came = 0;

	doctor_counter(snap, "TcpExt.TCPOFOQueue", &behind);
	doctor_counter(snap, "Tcp.InSegs", &came);
	doctor_counters(snap, "TcpExt.TCPDSACKOldSent|TcpExt.TCPDSACKOfoSent", &twice);
	if (behind <= twice || (double)(behind - twice) < doctor_window_s(snap) || !came)
		return 0;
	return (double)(behind - twice) * 100 / (double)came;
}

bool doctor_tcp_waits(const struct doctor_snapshot *snap)
{
	__u64 again = 0, sent = 0;

	doctor_counter(snap, "Tcp.RetransSegs", &again);
	doctor_counter(snap, "Tcp.OutSegs", &sent);
	return doctor_gap_percent(snap) >= 1 ||
	       ((double)again >= doctor_window_s(snap) && again * 100 >= sent);
}

enum doctor_verdict doctor_judge_share(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding, double lost, double passed)
{
	finding->lost = lost;
	if (lost * 1000 < passed && (lost * 10000 < passed || !doctor_tcp_waits(snap)))
		finding->severity = DOCTOR_LOW;
	return doctor_found_if(lost >= doctor_window_s(snap));
}

enum doctor_verdict doctor_judge_rise(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding)
{
	__u64 events, passed;

	if (!doctor_rise_of(snap, finding->check->id, &events, &passed))
		return doctor_blind(finding, "the kernel does not count that here");
	doctor_note_count(finding, "events", events, finding->check->reads);
	return doctor_judge_share(snap, finding, (double)events, (double)passed);
}

__u64 doctor_probed(const struct doctor_snapshot *snap, const char *name)
{
	char key[32];
	__u64 ns = 0;

	snprintf(key, sizeof(key), "%s_ns", name);
	doctor_map_get(snap->deep, key, &ns);
	return ns;
}

enum doctor_verdict doctor_judge(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	const struct doctor_check *check = finding->check;
	enum doctor_verdict verdict;

	if (check->by_sockets && !*snap->sockets.source)
		return doctor_blind(finding, "no pass over the sockets was possible");
	if (check->by_rxaqm && !snap->attached.nr)
		return doctor_blind(finding, "rxaqm is not attached");
	if (check->by_probe && !doctor_probed(snap, check->by_probe))
		return doctor_blind(finding, "only the probe \"%s\" of --deep tells",
				    check->by_probe);
	verdict = (check->judge ?: doctor_judge_rise)(snap, finding);
	if (check->times)
		finding->lost = 0;
	return verdict;
}

static void say_owner(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		      const struct doctor_owner *owner)
{
	double window_ns = doctor_window_s(snap) * 1e9;

	if (!owner) {
		doctor_say(finding, "program", "a program (the holder of the socket is not known)");
		return;
	}
	doctor_say(finding, "pid", "%u", owner->pid);
	doctor_say(finding, "program", "%s (pid %u%s)", owner->comm, owner->pid,
		   owner->state[0] == 'T' ? ", stopped by a signal" : "");
	if (owner->run_ns == ~0ULL)
		return;
	doctor_note_share(finding, "program_cpu", (double)owner->run_ns * 100 / window_ns,
			  "/proc/PID/schedstat");
	doctor_note_share(finding, "program_waits_for_cpu",
			  (double)owner->wait_ns * 100 / window_ns, "/proc/PID/schedstat");
}

void doctor_say_socket(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_socket *socket)
{
	bool connected = !strcmp(socket->proto, "tcp") && strcmp(socket->state, "listen") != 0;

	doctor_say(finding, "socket", "%s%s%s", socket->local, connected ? " from " : "",
		   connected ? socket->remote : "");
	say_owner(snap, finding, doctor_owner_of(snap, socket));
}
