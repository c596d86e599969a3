/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "doctor/rules/load.h"

bool doctor_is_busy_polling(const struct doctor_snapshot *snap, __u32 pid)
{
	size_t i, k;

	for (i = 0; i < snap->after.ifaces.nr; i++) {
		const struct doctor_iface *iface = &snap->after.ifaces.at[i];

		for (k = 0; k < iface->napis.nr; k++) {
			if (iface->napis.at[k].pid == pid &&
			    !strcmp(iface->napis.at[k].threaded, "busy-poll"))
				return true;
		}
	}
	return false;
}

static const struct doctor_thread *thread_before(const struct doctor_snapshot *snap,
						 const struct doctor_thread *thread)
{
	size_t i;

	for (i = 0; i < snap->before.threads.nr; i++) {
		if (snap->before.threads.at[i].pid == thread->pid &&
		    !strcmp(snap->before.threads.at[i].comm, thread->comm))
			return &snap->before.threads.at[i];
	}
	return NULL;
}

static double within(double value, double min, double max)
{
	return value < min ? min : value > max ? max : value;
}

/* A NAPI's thread runs outside of softirqs, which is system time in /proc/stat. */
static void add_threads(const struct doctor_snapshot *snap, struct doctor_load *load)
{
	double window_ns = doctor_window_s(snap) * 1e9;
	size_t i;

	for (i = 0; i < snap->after.threads.nr; i++) {
		const struct doctor_thread *is = &snap->after.threads.at[i];
		const struct doctor_thread *was = thread_before(snap, is);

		if (!was || is->cpu != (__s32)load->cpu || is->run_ns < was->run_ns ||
		    is->wait_ns < was->wait_ns)
			continue;
		if (strncmp(is->comm, "ksoftirqd/", 10) && !doctor_is_busy_polling(snap, is->pid))
			load->receiving += (double)(is->run_ns - was->run_ns) * 100 / window_ns;
		load->starved += (double)(is->wait_ns - was->wait_ns) * 100 / window_ns;
	}
}

/* What a packet takes at most; they usually take a tenth of that. */
#define PACKET_US 50.0

static __u64 ticks_of(const struct doctor_cpu *cpu)
{
	return cpu->user + cpu->system + cpu->idle + cpu->iowait + cpu->irq + cpu->softirq +
	       cpu->steal;
}

/* A tick that comes late makes up for one: what else was missed is in no column. Nor are softirqs
 * of an idle CPU, whose tick is stopped, where the kernel has no IRQ_TIME_ACCOUNTING
 * (kernel/time/tick-sched.c:tick_nohz_irq_enter).
 */
static void add_missing(const struct doctor_snapshot *snap, struct doctor_load *load)
{
	const struct doctor_cpu *was = load->was, *is = load->is;
	double ticks = doctor_window_s(snap) * (snap->ticks_per_s ?: 100), counted;
	__u64 packets = doctor_since(was->processed, is->processed);

	/* Nothing at all: who emulates the file does not count. */
	if (ticks_of(is) <= ticks_of(was))
		return;
	counted = (double)(ticks_of(is) - ticks_of(was));
	load->missing = within((1 - counted / ticks) * 100, 0, 100);
	if (load->idle < 5 || packets == ~0ULL)
		return;
	load->hidden = within((double)packets * PACKET_US / 1e4 / doctor_window_s(snap), 0,
			      load->missing);
}

size_t doctor_loads(const struct doctor_snapshot *snap, struct doctor_load load[DOCTOR_MAX_CPUS])
{
	double ticks = doctor_window_s(snap) * (snap->ticks_per_s ?: 100) / 100;
	size_t i, k, nr = 0;

	for (i = 0; i < snap->after.cpus.nr && nr < DOCTOR_MAX_CPUS; i++) {
		const struct doctor_cpu *is = &snap->after.cpus.at[i], *was = NULL;

		for (k = 0; k < snap->before.cpus.nr; k++) {
			if (snap->before.cpus.at[k].id == is->id)
				was = &snap->before.cpus.at[k];
		}
		if (!was || is->softirq < was->softirq || is->idle < was->idle)
			continue;
		load[nr].was = was;
		load[nr].is = is;
		load[nr].cpu = is->id;
		load[nr].receiving = (double)(is->softirq - was->softirq) / ticks;
		/* Idle, too, and it may go back (proc(5)). */
		load[nr].idle = ((double)(is->idle - was->idle) +
				 (is->iowait > was->iowait ? (double)(is->iowait - was->iowait) :
							     0)) /
				ticks;
		load[nr].steal = is->steal > was->steal ? (double)(is->steal - was->steal) / ticks :
							  0;
		load[nr].starved = load[nr].missing = load[nr].hidden = 0;
		add_missing(snap, &load[nr]);
		load[nr].receiving += load[nr].hidden;
		add_threads(snap, &load[nr]);
		load[nr].receiving = within(load[nr].receiving, 0, 100);
		/* They wait for each other, too. */
		load[nr].starved = within(load[nr].starved, 0,
					  within(100 - load[nr].receiving - load[nr].idle, 0, 100));
		nr++;
	}
	return nr;
}
