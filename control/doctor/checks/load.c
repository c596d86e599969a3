/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/checks/load.h"

/* Is @pid a NAPI thread that polls for ever? */
static bool is_busy_polling(const struct doctor_snapshot *snap, __u32 pid)
{
	const struct doctor_iface *iface;
	const struct doctor_napi *napi;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		if (rxaqm_list_find(napi, &iface->napis,
				    napi->pid == pid && !strcmp(napi->threaded, "busy-poll")))
			return true;
	}
	return false;
}

static const struct doctor_thread *thread_before(const struct doctor_snapshot *snap,
						 const struct doctor_thread *thread)
{
	const struct doctor_thread *was;

	return rxaqm_list_find(was, &snap->before.threads,
			       was->pid == thread->pid && !strcmp(was->comm, thread->comm));
}

static double within(double value, double min, double max)
{
	return value < min ? min : value > max ? max : value;
}

/* A NAPI's thread only receives. ksoftirqd takes over when softirqs last long. Since 6.5, and
 * 6.1.y, it may wait while softirqs are handled at the end of interrupts instead: count it only if
 * it has a fifth of their time.
 */
static bool really_receives(const struct doctor_thread *is, __u64 run_ns, double softirq_ns)
{
	return strncmp(is->comm, "ksoftirqd/", 10) ||
	       (run_ns >= 1000000 && (double)run_ns >= softirq_ns / 5);
}

/* Is it ksoftirqd, or the thread of a NAPI of an interface here ("napi/eth0-8193")? Those of other
 * network namespaces are of the whole host.
 */
static bool is_ours(const struct doctor_snapshot *snap, const char *comm)
{
	const struct doctor_iface *iface;
	const struct doctor_napi *napi;
	const char *dash = strrchr(comm, '-');
	__u32 id = dash ? (__u32)strtoul(dash + 1, NULL, 10) : 0;

	if (strncmp(comm, "napi/", 5))
		return true;
	comm += 5;
	rxaqm_list_each(iface, &snap->after.ifaces) {
		size_t len = strlen(iface->name);

		/* Before Linux 5.17 its name has 15 characters at most. */
		if (strlen(comm) == 10 && (!dash || len > 10) && !strncmp(comm, iface->name, 10))
			return true;
		if (!strncmp(comm, iface->name, len) && comm[len] == '-')
			return !iface->napis.nr ||
			       rxaqm_list_find(napi, &iface->napis, napi->id == id);
	}
	return false;
}

/* A NAPI's thread runs outside of softirqs; /proc/stat counts it as system time. */
static void add_threads(const struct doctor_snapshot *snap, struct doctor_load *load)
{
	double window_ns = doctor_window_s(snap) * 1e9;
	const struct doctor_thread *is, *was;
	__u64 run_ns, wait_ns;

	rxaqm_list_each(is, &snap->after.threads) {
		was = thread_before(snap, is);
		if (!was || is->cpu != (__s32)load->cpu || is->run_ns < was->run_ns ||
		    is->wait_ns < was->wait_ns || !is_ours(snap, is->comm))
			continue;
		run_ns = is->run_ns - was->run_ns;
		wait_ns = is->wait_ns - was->wait_ns;
		if (strncmp(is->comm, "ksoftirqd/", 10) && !is_busy_polling(snap, is->pid))
			load->receiving += (double)run_ns * 100 / window_ns;
		if (!really_receives(is, run_ns, load->softirq * window_ns / 100))
			continue;
		load->starved += (double)wait_ns * 100 / window_ns;
		if (wait_ns <= load->late_ns)
			continue;
		load->late = is;
		load->late_ns = wait_ns;
		load->late_run_ns = run_ns;
	}
}

__u64 doctor_packets(const struct doctor_snapshot *snap, __u64 *ret_seen)
{
	__u64 came = doctor_all_rose(snap, "rx_packets", false);
	const struct doctor_cpu *was, *is;

	*ret_seen = 0;
	rxaqm_list_each(is, &snap->after.cpus) {
		was = doctor_cpu_before(snap, is->id);
		*ret_seen += was && is->processed > was->processed ?
				     is->processed - was->processed :
				     0;
	}
	return came > *ret_seen ? came : *ret_seen;
}

/* The most that NET_RX can take: each softirq ends after its time budget, or some budgets after a
 * slow poll; and no packet takes more than MOST_US. Few of them cannot fill a CPU: then other
 * softirqs do.
 */
#define MOST_US 1000
static double receiving_at_most(const struct doctor_snapshot *snap, const struct doctor_load *load)
{
	__u64 net_rx = doctor_since(load->was->net_rx, load->is->net_rx);
	__u64 packets = doctor_since(load->was->processed, load->is->processed);
	__u64 budget_us = doctor_sysctl(snap, "net.core.netdev_budget_usecs", 0, 8000);
	double by_runs, by_packets;
	__u64 seen, all = doctor_packets(snap, &seen);

	if (net_rx == ~0ULL || packets == ~0ULL || (!net_rx && packets))
		return 100;
	by_runs = (double)net_rx * (double)budget_us * 4 / 1e4 / doctor_window_s(snap);
	by_packets = (double)(packets + all - seen) * MOST_US / 1e4 / doctor_window_s(snap);
	return by_runs < by_packets ? by_runs : by_packets;
}

static bool are_real(const struct doctor_loads *loads, struct doctor_finding *finding)
{
	double least = 100, most = 0, missing;
	const struct doctor_load *load;

	if (!loads->nr) {
		doctor_blind(finding, "/proc/stat cannot be read");
		return false;
	}
	rxaqm_list_each(load, loads) {
		missing = load->missing - load->hidden;
		least = missing < least ? missing : least;
		most = missing > most ? missing : most;
	}
	if (loads->nr < 2 || least < 25 || most - least > 10)
		return true;
	doctor_blind(finding,
		     "all CPUs miss %.0f %% of their time alike: /proc/stat is emulated (lxcfs), or a "
		     "hypervisor stops the whole machine; ask on its host",
		     least);
	return false;
}

void doctor_say_hogs(const struct doctor_snapshot *snap, struct doctor_finding *finding, __s32 cpu)
{
	const struct doctor_hog *hog;
	char text[160] = "";

	rxaqm_list_each(hog, &snap->hogs) {
		size_t at = strlen(text);

		if (hog->cpu == cpu && !at)
			doctor_say(finding, "hog", "%u", hog->pid);
		if (hog->cpu == cpu && at < 100)
			snprintf(text + at, sizeof(text) - at, "%s%s (pid %u, %.0f %%)",
				 at ? ", " : "", hog->comm, hog->pid,
				 (double)hog->run_ns / 1e7 / doctor_window_s(snap));
	}
	doctor_say(finding, "hogs", "%s", *text ? text : "not known");
}

/* The most that a packet takes; usual is a tenth of that. */
#define PACKET_US 50.0

static __u64 ticks_of(const struct doctor_cpu *cpu)
{
	return cpu->user + cpu->system + cpu->idle + cpu->iowait + cpu->irq + cpu->softirq +
	       cpu->steal;
}

/* A late tick makes up for one tick; further missed ticks are in no column. Without
 * IRQ_TIME_ACCOUNTING neither are softirqs of an idle CPU, whose tick is stopped
 * (kernel/time/tick-sched.c:tick_nohz_irq_enter).
 */
static void add_missing(const struct doctor_snapshot *snap, struct doctor_load *load)
{
	const struct doctor_cpu *was = load->was, *is = load->is;
	double ticks = doctor_window_s(snap) * (snap->ticks_per_s ?: 100), counted;
	__u64 packets = doctor_since(was->processed, is->processed);

	/* No ticks at all: the file is emulated, and does not count. */
	if (ticks_of(is) <= ticks_of(was))
		return;
	counted = (double)(ticks_of(is) - ticks_of(was));
	load->missing = within((1 - counted / ticks) * 100, 0, 100);
	if (load->idle < 5 || packets == ~0ULL)
		return;
	load->hidden = within((double)packets * PACKET_US / 1e4 / doctor_window_s(snap), 0,
			      load->missing);
}

bool doctor_loads(const struct doctor_snapshot *snap, struct doctor_loads *loads,
		  struct doctor_finding *finding)
{
	double ticks = doctor_window_s(snap) * (snap->ticks_per_s ?: 100) / 100, idle;
	const struct doctor_cpu *was, *is;
	struct doctor_load *to;

	loads->nr = 0;
	rxaqm_list_each(is, &snap->after.cpus) {
		was = doctor_cpu_before(snap, is->id);
		if (!was || is->softirq < was->softirq || is->idle < was->idle)
			continue;
		if (loads->nr == DOCTOR_MAX_CPUS)
			break;
		to = &loads->at[loads->nr++];
		/* Waiting for disks is idle time; it may go back (proc(5)). */
		idle = (double)(is->idle - was->idle);
		idle += is->iowait > was->iowait ? (double)(is->iowait - was->iowait) : 0;
		*to = (struct doctor_load){
			.was = was,
			.is = is,
			.cpu = is->id,
			.softirq = (double)(is->softirq - was->softirq) / ticks,
			.idle = idle / ticks,
		};
		if (is->steal > was->steal)
			to->steal = (double)(is->steal - was->steal) / ticks;
		add_missing(snap, to);
		to->receiving = within(to->softirq, 0, receiving_at_most(snap, to)) + to->hidden;
		add_threads(snap, to);
		to->receiving = within(to->receiving, 0, 100);
		/* The threads also wait for each other: count only time that something else had. */
		to->starved = within(to->starved, 0,
				     within(100 - to->receiving - to->idle, 0, 100));
	}
	return !finding || are_real(loads, finding);
}
