/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that receive. */
#include <stdio.h>
#include <string.h>

#include "doctor/rules/load.h"

#define STAT "/proc/stat"
#define SCHEDSTAT "/proc/PID/schedstat"
#define BUSY_PERCENT 95.0
#define OTHERS_PERCENT 40.0
/* Also busy: most of it receiving, and nothing left for more. */
#define MOST_PERCENT 80.0
#define NO_IDLE_PERCENT 3.0

struct spread {
	size_t nr;
	const struct doctor_load *busiest;
	bool full; /* the busiest one */
	double most, others; /* others: the mean of all but the busiest */
	struct doctor_load load[DOCTOR_MAX_CPUS];
};

static bool measure(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		    struct spread *spread)
{
	const struct doctor_load *load;
	double sum = 0;

	*spread = (struct spread){ .busiest = spread->load };
	spread->nr = doctor_loads(snap, spread->load);
	for (load = spread->load; load < spread->load + spread->nr; load++) {
		sum += load->receiving;
		if (load->receiving >= spread->busiest->receiving)
			spread->busiest = load;
	}
	if (!spread->nr) {
		doctor_blind(finding, STAT " cannot be read");
		return false;
	}
	spread->most = spread->busiest->receiving;
	spread->full = spread->most >= BUSY_PERCENT ||
		       (spread->most >= MOST_PERCENT && spread->busiest->idle <= NO_IDLE_PERCENT);
	spread->others = spread->nr > 1 ? (sum - spread->most) / (double)(spread->nr - 1) : 0;
	doctor_note(finding, "cpu", spread->busiest->cpu, DOCTOR_NUMBER, STAT);
	doctor_note_rise(finding, "busiest", spread->most, DOCTOR_PERCENT, STAT);
	doctor_note_rise(finding, "others", spread->others, DOCTOR_PERCENT, STAT);
	return true;
}

static enum doctor_verdict judge_one(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	struct spread spread;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	return doctor_found_if(spread.nr > 1 && spread.full && spread.others <= OTHERS_PERCENT);
}

static enum doctor_verdict judge_all(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	struct spread spread;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	return doctor_found_if(spread.full && (spread.nr == 1 || spread.others > OTHERS_PERCENT));
}

static enum doctor_verdict judge_steal(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	const struct doctor_load *load;
	struct spread spread;
	double most = 0;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	for (load = spread.load; load < spread.load + spread.nr; load++) {
		if (load->steal < most)
			continue;
		most = load->steal;
		doctor_note(finding, "cpu", load->cpu, DOCTOR_NUMBER, STAT);
	}
	doctor_note_rise(finding, "stolen", most, DOCTOR_PERCENT, "/proc/stat steal");
	return doctor_found_if(most >= 10);
}

static enum doctor_verdict judge_starved(const struct doctor_snapshot *snap,
					 struct doctor_finding *finding)
{
	const struct doctor_load *load, *worst;
	struct spread spread;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	if (!snap->after.threads.nr)
		return doctor_blind(finding, "no schedstat of ksoftirqd or NAPI threads");
	worst = spread.load;
	for (load = spread.load; load < spread.load + spread.nr; load++) {
		if (load->starved >= worst->starved)
			worst = load;
	}
	doctor_note(finding, "cpu", worst->cpu, DOCTOR_NUMBER, SCHEDSTAT);
	doctor_note_rise(finding, "receives", worst->receiving, DOCTOR_PERCENT, STAT);
	doctor_note_rise(finding, "starved", worst->starved, DOCTOR_PERCENT, SCHEDSTAT);
	return doctor_found_if(worst->starved >= 50);
}

/* What each packet passes besides the stack, while a CPU is busy. */
static enum doctor_verdict judge_dear(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding)
{
	__u64 taps = 0, tables = 0, conntrack = 0;
	const struct doctor_iface *iface;
	char names[160] = "";
	struct spread spread;
	unsigned int nr = 0;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	doctor_map_get(snap->taps, "packet_sockets", &taps);
	doctor_map_get(snap->taps, "iptables_tables", &tables);
	doctor_map_get(snap->taps, "conntrack", &conntrack);
	if (taps) {
		nr++;
		snprintf(names, sizeof(names), "%llu AF_PACKET sockets (tcpdump, dhcp)",
			 (unsigned long long)taps);
	}
	rxaqm_list_each(iface, &snap->after.ifaces) {
		if (!iface->xdp_generic || strlen(names) > 100)
			continue;
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 "%sgeneric XDP on %s", nr++ ? ", " : "", iface->name);
	}
	doctor_note(finding, "extras", nr, DOCTOR_COUNT, "/proc/net/packet, RTM_GETLINK");
	doctor_note(finding, "iptables_tables", (double)tables, DOCTOR_COUNT,
		    "/proc/net/ip_tables_names");
	doctor_note(finding, "conntrack", (double)conntrack, DOCTOR_NUMBER,
		    "/proc/sys/net/netfilter");
	doctor_say(finding, "extra", "%s", nr ? names : "nothing");
	return doctor_found_if(nr && spread.full);
}

static enum doctor_verdict judge_busy_poll(const struct doctor_snapshot *snap,
					   struct doctor_finding *finding)
{
	const struct doctor_thread *thread;
	unsigned int nr = 0;

	rxaqm_list_each(thread, &snap->after.threads)
		nr += doctor_is_busy_polling(snap, thread->pid);
	doctor_note(finding, "pollers", nr, DOCTOR_COUNT, "netdev netlink, napi threaded");
	doctor_note(finding, "sockets", (double)doctor_sysctl(snap, "net.core.busy_poll", 0, 0),
		    DOCTOR_NUMBER, "net.core.busy_poll");
	/* It always has a core: that is what it was asked for, and no overload. */
	return DOCTOR_CLEAR;
}

const struct doctor_check doctor_checks_cpu[] = {
	{
		DOCTOR_CHECK("cpu-steal", CPU, ELSEWHERE, HIGH, MEASURED),
		.reads = "/proc/stat steal",
		.rule = "10 % or more of a CPU",
		.cause = "The hypervisor takes ${stolen} of CPU ${cpu} away from this machine.",
		.because =
			"While it does, nobody empties the queues of that CPU: every queue there stands for as long.",
		.clear = "the hypervisor takes ${stolen} of a CPU at most",
		.remedy = { .now = "ask for CPUs of its own (dedicated, pinned), or a larger machine",
			    .keep = "the same",
			    NOTHING_CHANGED,
			    .expect = "stolen from ${stolen} to below 1 %",
			    .risk = "price" },
		.reference = "proc(5), steal",
		.judge = judge_steal,
	},
	{
		DOCTOR_CHECK("rx-starved", CPU, SHARED, HIGH, MEASURED),
		.reads = "/proc/PID/schedstat of ksoftirqd/N, napi/IF-N, backlog_napi/N",
		.rule = "such a thread waits 50 % of the time for its CPU, and not for another of them",
		.cause =
			"What receives on CPU ${cpu} waits ${starved} of the time for that CPU: other programs have it.",
		.because =
			"Receiving there takes ${receives}. It wanted to run and was not let: the queue stands because "
			"nobody polls it, not because packets are dear.",
		.clear = "threads that receive wait ${starved} of the time for a CPU",
		.remedy = { .now = "taskset -cp the programs on CPU ${cpu} to others, or "
				   "chrt -f -p 10 PID of the thread",
			    .keep = "CPUAffinity= in units, isolcpus= or cpusets for the CPUs of the NIC",
			    .undo = "taskset -cp 0-N PID; chrt -o -p 0 PID",
			    .expect = "starved from ${starved} to below 5 %",
			    .risk = "a real-time thread that never sleeps starves the rest of its CPU" },
		.reference = "sched-stats.rst; scaling.rst",
		.judge = judge_starved,
	},
	{
		DOCTOR_CHECK("rx-extras", CPU, SERVICE, MEDIUM, INFERRED),
		.reads = "/proc/net/packet, RTM_GETLINK (XDP mode), netfilter tables; /proc/stat",
		.rule = "a CPU is full as for rx-cpu-busy, and AF_PACKET sockets or generic XDP see each packet",
		.cause =
			"Each packet passes more than the stack while CPU ${cpu} is full: ${extra}.",
		.because =
			"Each copy or program costs every packet some hundred ns; at ${busiest} of a CPU there is no time "
			"left for it.",
		.clear = "on each packet besides the stack: ${extra}; busiest CPU ${busiest}",
		.remedy = { .now = "stop what captures (ss -0p shows it), attach XDP in native mode",
			    .keep = "the same",
			    .undo = "start it again",
			    .expect = "some 10 % to 50 % less time a packet",
			    .risk = "what captured sees nothing" },
		.reference = "packet(7); net/core/dev.c:__netif_receive_skb_core",
		.judge = judge_dear,
	},
	{
		DOCTOR_CHECK("rx-cpu-busy", CPU, SKEWED, HIGH, MEASURED),
		.reads = "/proc/stat softirq, schedstat of NAPI threads, by CPU",
		.rule = "one CPU 95 % or more, or 80 % and not idle; the mean of the others 40 % or less",
		.cause =
			"CPU ${cpu} spends ${busiest} of its time receiving, the others ${others}: it is the bottleneck.",
		.because = "Not the NIC and not the host is full, but one queue's CPU.",
		.clear = "busiest CPU ${busiest} receiving, the others ${others}",
		.remedy = { .now = "more queues: ethtool -L IFACE combined N; an even spread: ethtool -X IFACE equal N; "
				   "or RPS: echo MASK >/sys/class/net/IFACE/queues/rx-N/rps_cpus",
			    .keep = "the same in the interface's configuration",
			    .undo = "the old numbers of ethtool -l and -x",
			    .expect =
				    "the busiest CPU from ${busiest} to about ${others} more than now",
			    .risk = "ethtool -L resets the NIC for some 100 ms; a new hash hides a skew, it does not cure it" },
		.after =
			"rx-starved cpu-steal bpf-dear rx-overload-sticks rx-queue-standing rx-skew rx-queues-few "
			"rx-extras ip-fragments gro-off cpu-clock cpu-sibling packet-dear napi-starved",
		.reference = "Meta: bad core 100 %, others 20 to 40 %; scaling.rst",
		.essential = true,
		.judge = judge_one,
	},
	{
		DOCTOR_CHECK("rx-cpus-busy", CPU, ARRIVAL, HIGH, MEASURED),
		.reads = "/proc/stat softirq, schedstat of NAPI threads, by CPU",
		.rule = "the busiest CPU as for rx-cpu-busy, the mean of the others above 40 %",
		.cause =
			"CPUs are full of receiving (${busiest}, the others ${others}): more comes than this host can take.",
		.because = "The load is spread; there is no idle CPU to move it to.",
		.clear = "busiest CPU ${busiest} receiving",
		.remedy = { .now = "rxaqm attach IFACE mode=enforce keeps the delay short; larger MTU, GRO, fewer senders "
				   "lower the cost",
			    .keep = "rxaqm.conf(5)",
			    .undo = "rxaqm detach IFACE",
			    .expect = "the same bytes, and queues of some ms instead of full rings",
			    .risk = "see rxaqm(8): drops and marks are what tells senders" },
		.after = "rx-starved cpu-steal bpf-dear rx-overload-sticks rx-queue-standing rx-extras ip-fragments gro-off "
			 "cpu-clock cpu-sibling packet-dear napi-starved",
		.reference = "scaling.rst",
		.essential = true,
		.judge = judge_all,
	},
	{
		DOCTOR_CHECK("busy-poll", CPU, SETTING, LOW, MEASURED),
		.reads = "netdev netlink: threaded of each NAPI; busy_poll",
		.rule = "never: it only explains CPUs at 100 %, which it is asked for",
		NEVER_FOUND,
		.clear =
			"${pollers} NAPI threads poll for ever: their CPUs are full and not overloaded",
		.reference = "napi.rst, threaded busy polling (7.x)",
		.judge = judge_busy_poll,
	},
	{}
};
