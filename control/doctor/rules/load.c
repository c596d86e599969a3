/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "doctor/rules/load.h"

bool doctor_is_busy_polling(const struct doctor_snapshot *snap, __u32 pid)
{
	const struct doctor_iface *iface;
	const struct doctor_napi *napi;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		rxaqm_list_each(napi, &iface->napis) {
			if (napi->pid == pid && !strcmp(napi->threaded, "busy-poll"))
				return true;
		}
	}
	return false;
}

static const struct doctor_thread *thread_before(const struct doctor_snapshot *snap,
						 const struct doctor_thread *thread)
{
	const struct doctor_thread *was;

	rxaqm_list_each(was, &snap->before.threads) {
		if (was->pid == thread->pid && !strcmp(was->comm, thread->comm))
			return was;
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
	const struct doctor_thread *is, *was;

	rxaqm_list_each(is, &snap->after.threads) {
		was = thread_before(snap, is);
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
	double ticks = doctor_window_s(snap) * (snap->ticks_per_s ?: 100) / 100, idle;
	const struct doctor_cpu *was, *is;
	struct doctor_load *to = load;

	rxaqm_list_each(is, &snap->after.cpus) {
		was = doctor_cpu_before(snap, is->id);
		if (!was || is->softirq < was->softirq || is->idle < was->idle)
			continue;
		if (to == load + DOCTOR_MAX_CPUS)
			break;
		/* Waiting for disks is idle, too, and may go back (proc(5)). */
		idle = (double)(is->idle - was->idle);
		idle += is->iowait > was->iowait ? (double)(is->iowait - was->iowait) : 0;
		*to = (struct doctor_load){
			.was = was,
			.is = is,
			.cpu = is->id,
			.receiving = (double)(is->softirq - was->softirq) / ticks,
			.idle = idle / ticks,
		};
		if (is->steal > was->steal)
			to->steal = (double)(is->steal - was->steal) / ticks;
		add_missing(snap, to);
		to->receiving += to->hidden;
		add_threads(snap, to);
		to->receiving = within(to->receiving, 0, 100);
		/* They wait for each other, too. */
		to->starved = within(to->starved, 0,
				     within(100 - to->receiving - to->idle, 0, 100));
		to++;
	}
	return (size_t)(to - load);
}
