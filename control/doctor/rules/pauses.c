/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that do nothing at all for a while, which no column of /proc/stat has. */
#include "doctor/rules/check.h"

/* Columns are of 10 ms, and an emulated CPU that waits for its turn misses some 10 %. */
#define MISSING_PERCENT 25.0

static double ticks_of(const struct doctor_cpu *cpu)
{
	return (double)(cpu->user + cpu->system + cpu->idle + cpu->iowait + cpu->irq +
			cpu->softirq + cpu->steal);
}

/* Of the window, in percent. A tick that comes late makes up for one: what else was missed is lost. */
static double missing(const struct doctor_snapshot *snap, const struct doctor_cpu *is)
{
	double ticks = doctor_window_s(snap) * (snap->ticks_per_s ?: 100), counted;
	size_t i;

	for (i = 0; i < snap->before.cpus.nr; i++) {
		if (snap->before.cpus.at[i].id != is->id)
			continue;
		counted = ticks_of(is) - ticks_of(&snap->before.cpus.at[i]);
		/* Nothing at all: who emulates the file does not count. */
		return counted <= 0 || counted > ticks ? 0 : (1 - counted / ticks) * 100;
	}
	return 0;
}

static enum doctor_verdict judge(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	double most = 0;
	size_t i;

	if (!snap->after.cpus.nr || !(doctor_window_s(snap) > 0))
		return doctor_blind(finding, "/proc/stat cannot be read");
	doctor_note(finding, "cpu", snap->after.cpus.at[0].id, DOCTOR_NUMBER, "/proc/stat");
	for (i = 0; i < snap->after.cpus.nr; i++) {
		double share = missing(snap, &snap->after.cpus.at[i]);

		if (share <= most)
			continue;
		most = share;
		doctor_note(finding, "cpu", snap->after.cpus.at[i].id, DOCTOR_NUMBER, "/proc/stat");
	}
	doctor_note_rise(finding, "missing", most, DOCTOR_PERCENT, "/proc/stat, sum of columns");
	return doctor_found_if(most >= MISSING_PERCENT);
}

const struct doctor_check doctor_checks_pauses[] = {
	{
		.id = "cpu-pauses",
		.place = DOCTOR_CPU,
		.kind = DOCTOR_ELSEWHERE,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "/proc/stat, all columns of a CPU, and the clock",
		.rule = "25 % or more of the window is in no column",
		.cause =
			"CPU ${cpu} pauses: for ${missing} of the time it did nothing, not even count it.",
		.because =
			"Its timer's interrupts came late or not: interrupts were off for many ms, by a driver, firmware "
			"(SMI), or a hypervisor that does not report steal. Its queues stand meanwhile.",
		.clear = "${missing} of the time of a CPU is not accounted for at most",
		.remedy = { .now = "perf trace -e irq:*,irq_vectors:* -C ${cpu}; turbostat shows SMIs; ask the hypervisor's host",
			    .keep = "the BIOS, the driver or the host that does it",
			    .undo = "nothing was changed",
			    .expect = "missing from ${missing} to below 1 %",
			    .risk = "none" },
		.reference = "kernel/sched/cputime.c:account_process_tick; proc(5), /proc/stat",
		.judge = judge,
	},
	{}
};
