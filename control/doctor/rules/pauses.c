/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that do nothing at all for a while, which no column of /proc/stat has. */
#include "doctor/rules/load.h"

/* Columns are of 10 ms, and an emulated CPU that waits for its turn misses some 10 %. */
#define MISSING_PERCENT 25.0

static enum doctor_verdict judge(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	struct doctor_load load[DOCTOR_MAX_CPUS];
	size_t nr = doctor_window_s(snap) > 0 ? doctor_loads(snap, load) : 0, worst = 0, i;
	double most;

	if (!nr)
		return doctor_blind(finding, "/proc/stat cannot be read");
	if (doctor_loads_emulated(load, nr, finding))
		return DOCTOR_BLIND;
	for (i = 1; i < nr; i++) {
		if (load[i].missing - load[i].hidden > load[worst].missing - load[worst].hidden)
			worst = i;
	}
	most = load[worst].missing - load[worst].hidden;
	doctor_note(finding, "cpu", load[worst].cpu, DOCTOR_NUMBER, "/proc/stat");
	doctor_note_rise(finding, "missing", most, DOCTOR_PERCENT,
			 "/proc/stat, sum of columns; softnet_stat");
	if (most >= MISSING_PERCENT)
		return DOCTOR_FOUND;
	for (i = 0; i < nr; i++) {
		if (load[i].missing >= MISSING_PERCENT)
			return doctor_blind(
				finding,
				"%.0f %% of the time of CPU %u is not accounted for; packets that came "
				"while it was idle may have taken it (no IRQ_TIME_ACCOUNTING)",
				load[i].missing, load[i].cpu);
	}
	return DOCTOR_CLEAR;
}

const struct doctor_check doctor_checks_pauses[] = {
	{
		DOCTOR_CHECK("cpu-pauses", CPU, ELSEWHERE, HIGH, MEASURED),
		.reads = "/proc/stat, all columns of a CPU, and the clock; packets of softnet_stat",
		.rule = "25 % or more of the window is in no column, nor taken by packets (50 us each) that found the CPU idle",
		.cause =
			"CPU ${cpu} pauses: for ${missing} of the time it did nothing, not even count it.",
		.because =
			"Its timer's interrupts came late or not: interrupts were off for many ms, by a driver, firmware "
			"(SMI), or a hypervisor that does not report steal. Its queues stand meanwhile.",
		.clear = "${missing} of the time of a CPU is not accounted for at most",
		.remedy = { .now = "perf trace -e irq:*,irq_vectors:* -C ${cpu}; turbostat shows SMIs; ask the hypervisor's host",
			    .keep = "the BIOS, the driver or the host that does it",
			    NOTHING_CHANGED,
			    .expect = "missing from ${missing} to below 1 %",
			    .risk = "none" },
		.reference = "kernel/sched/cputime.c:account_process_tick; proc(5), /proc/stat",
		.judge = judge,
	},
	{}
};
