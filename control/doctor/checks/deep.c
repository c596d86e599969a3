/* SPDX-License-Identifier: GPL-2.0-only */
/* What only the probes of --deep tell: by its polls and programs, why a queue stands. */

#include "doctor/checks/ifaces.h"

#define POLLS "napi:napi_poll, irq:softirq_entry"
#define STATS "BPF_ENABLE_STATS"
#define RAISED "irq:softirq_raise, irq:softirq_entry"
/* As for threads that receive: rx-late. */
#define SOFTIRQ_LATE_NS 50000000

static double share_of(__u64 ns, __u64 window_ns)
{
	return window_ns ? (double)ns * 100 / (double)window_ns : 0;
}

/* For example "Receive queue 3 of eth0", "The backlog of CPU 1". */
void doctor_probed_say(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		       const struct doctor_deep_napi *napi)
{
	const struct doctor_iface *iface = doctor_iface_at(snap, napi->ifindex);
	const struct doctor_queue *queue;

	doctor_say_cpu(finding, napi->cpu, POLLS);
	if (!napi->ifindex)
		doctor_say(finding, "where", "The backlog of CPU %u", napi->cpu);
	else
		doctor_say(finding, "where", "NAPI %u of %s", napi->id,
			   doctor_iface_name(snap, napi->ifindex));
	if (!iface)
		return;
	queue = rxaqm_list_find(queue, &iface->queues,
				!queue->tx && queue->napi && queue->napi == napi->id);
	if (!queue)
		return;
	doctor_say(finding, "where", "Receive queue %u of %s", queue->id, iface->name);
	if (queue->irq)
		doctor_say(finding, "irq", "%u", queue->irq);
}

const struct doctor_deep_napi *doctor_probed_worst(const struct doctor_snapshot *snap,
						   doctor_napi_fn measure, double *ret_value)
{
	const struct doctor_deep_napi *napi, *worst = NULL;
	__u64 window_ns = doctor_probed(snap, "polls");
	double value;

	*ret_value = 0;
	if (!window_ns)
		return NULL;
	rxaqm_list_each(napi, &snap->deep_napis) {
		value = napi->ifindex == ~0U ? 0 : measure(snap, napi, window_ns);
		if (value <= *ret_value)
			continue;
		*ret_value = value;
		worst = napi;
	}
	return worst;
}

/* The time of polls of other queues on its CPU. */
static __u64 others_ns(const struct doctor_snapshot *snap, const struct doctor_deep_napi *napi)
{
	const struct doctor_deep_napi *other;
	__u64 sum_ns = 0;

	rxaqm_list_each(other, &snap->deep_napis) {
		if (other->cpu == napi->cpu && other != napi)
			sum_ns += other->poll_ns;
	}
	return sum_ns;
}

/* How long the queue waited for work that is not receiving, in percent of the time that it had
 * packets; 0 if it hardly ever had any. Polls of other queues on the CPU do not count: a CPU busy
 * with them is another cause.
 */
static double waits(const struct doctor_snapshot *snap, const struct doctor_deep_napi *napi,
		    __u64 window_ns)
{
	__u64 others = others_ns(snap, napi);
	__u64 wait_ns = napi->wait_ns > others ? napi->wait_ns - others : 0;

	if (share_of(wait_ns, window_ns) < 20 || napi->busy < 5)
		return 0;
	return share_of(wait_ns, napi->wait_ns + napi->poll_ns);
}

DOCTOR_JUDGE(judge_starved)
{
	const struct doctor_deep_napi *napi;
	__u64 window_ns = doctor_probed(snap, "polls");
	double waited;

	napi = doctor_probed_worst(snap, waits, &waited);
	doctor_note(finding, "waits", waited, DOCTOR_PERCENT, POLLS);
	if (!napi || waited < 50)
		return DOCTOR_CLEAR;
	doctor_probed_say(snap, finding, napi);
	doctor_say_cpus(snap, finding, (__s32)napi->cpu);
	doctor_note(finding, "polled", share_of(napi->poll_ns, window_ns), DOCTOR_PERCENT, POLLS);
	doctor_note(finding, "other_queues", share_of(others_ns(snap, napi), window_ns),
		    DOCTOR_PERCENT, POLLS);
	doctor_note(finding, "longest_wait", (double)napi->longest_wait_ns / 1000, DOCTOR_US,
		    POLLS);
	return DOCTOR_FOUND;
}

/* Time in us a packet, if the queue was hardly ever empty and polls had its CPU. */
static double dear(const struct doctor_snapshot *snap, const struct doctor_deep_napi *napi,
		   __u64 window_ns)
{
	if (!napi->packets || napi->busy * 10 < napi->polls * 8 ||
	    share_of(napi->poll_ns + others_ns(snap, napi), window_ns) < 50)
		return 0;
	return (double)napi->poll_ns / (double)napi->packets / 1000;
}

DOCTOR_JUDGE(judge_dear)
{
	const struct doctor_deep_napi *napi;
	__u64 window_ns = doctor_probed(snap, "polls");
	double cost_us;

	napi = doctor_probed_worst(snap, dear, &cost_us);
	doctor_note(finding, "cost", cost_us, DOCTOR_US, POLLS);
	if (!napi || cost_us < DEAR_US)
		return DOCTOR_CLEAR;
	doctor_probed_say(snap, finding, napi);
	doctor_note(finding, "polled", share_of(napi->poll_ns, window_ns), DOCTOR_PERCENT, POLLS);
	doctor_note(finding, "rate", (double)napi->packets * 1e9 / (double)window_ns, DOCTOR_PER_S,
		    POLLS);
	doctor_note(finding, "longest_poll", (double)napi->longest_poll_ns / 1000, DOCTOR_US,
		    POLLS);
	return DOCTOR_FOUND;
}

/* In percent of the time that all CPUs spent in polls; 100 if that is not known. */
static double share_of_polls(const struct doctor_snapshot *snap, double cpu_percent)
{
	const struct doctor_deep_napi *napi;
	__u64 window_ns = doctor_probed(snap, "polls"), polls_ns = 0;

	rxaqm_list_each(napi, &snap->deep_napis)
		polls_ns += napi->poll_ns;
	return polls_ns ? cpu_percent * 100 / share_of(polls_ns, window_ns) : 100;
}

DOCTOR_JUDGE(judge_progs)
{
	const struct doctor_deep_prog *prog, *worst = NULL;
	__u64 window_ns = doctor_probed(snap, "progs");
	double share;

	rxaqm_list_each(prog, &snap->deep_progs) {
		if (!worst || prog->run_ns > worst->run_ns)
			worst = prog;
	}
	share = worst ? share_of(worst->run_ns, window_ns) : 0;
	doctor_note(finding, "time", share, DOCTOR_PERCENT, STATS);
	doctor_say(finding, "program", "%s", worst ? worst->name : "none");
	if (!worst || !worst->runs || share < 20 || share_of_polls(snap, share) < 25)
		return DOCTOR_CLEAR;
	doctor_say(finding, "type", "%s", worst->type);
	doctor_note(finding, "id", worst->id, DOCTOR_NUMBER, "BPF_PROG_GET_NEXT_ID");
	doctor_note(finding, "run", (double)worst->run_ns / (double)worst->runs / 1000, DOCTOR_US,
		    STATS);
	doctor_note(finding, "runs", (double)worst->runs * 1e9 / (double)window_ns, DOCTOR_PER_S,
		    STATS);
	return DOCTOR_FOUND;
}

/* The longest wait, which a mean hides. */
DOCTOR_JUDGE(judge_late)
{
	const struct doctor_deep_late *cpu, *worst = NULL;

	rxaqm_list_each(cpu, &snap->deep_late) {
		if (!worst || cpu->longest_ns > worst->longest_ns)
			worst = cpu;
	}
	doctor_note(finding, "longest", worst ? (double)worst->longest_ns / 1000 : 0, DOCTOR_US,
		    RAISED);
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_note(finding, "p99", (double)worst->p99_ns / 1000, DOCTOR_US, RAISED);
	doctor_note(finding, "waits", (double)worst->waits, DOCTOR_COUNT, RAISED);
	doctor_say_cpu(finding, worst->cpu, RAISED);
	doctor_say(finding, "task", "%s",
		   *worst->held_by ? worst->held_by : "a task without a name");
	return doctor_found_if(worst->longest_ns >= SOFTIRQ_LATE_NS);
}

const struct doctor_check doctor_checks_deep[] = {
	{ DOCTOR_CHECK("bpf-dear", CPU, SERVICE, HIGH, MEASURED), .by_probe = "progs",
	  .reads = "--deep: run time of all BPF programs (BPF_ENABLE_STATS)",
	  .rule = "one takes 20 % of a CPU or more, and a quarter of the time in NAPI polls",
	  .cause = "The BPF program ${program} takes ${time} of a CPU, ${run} each run.",
	  .because =
		  "It has type ${type} and id ${id}, and runs ${runs}. Receiving gets only the rest of the CPU.",
	  .clear = "the most expensive BPF program, ${program}, takes ${time} of a CPU",
	  .now = "`bpftool prog show id ${id}` `bpftool net` tells where it is attached; detach it if it is not needed, or make it cheaper",
	  .keep = "the configuration of the program that loads it", .undo = "attach it again",
	  .expect = "${run} less a packet, so ${time} of a CPU less",
	  .risk = "its work is no longer done", .shown = "kernel commit 492ecee892c2",
	  .reference = "Documentation/admin-guide/sysctl/kernel.rst, bpf_stats_enabled",
	  .judge = judge_progs },
	{ DOCTOR_CHECK("packet-dear", CPU, SERVICE, HIGH, MEASURED), .by_probe = "polls",
	  .reads = "--deep: napi:napi_poll, irq:softirq_entry, NAPI threads switched in",
	  .rule = "polls of a NAPI have half of a CPU or more, 80 % use the budget, and a packet takes 10 us",
	  .cause = "${where} is slow, not starved: each packet takes ${cost}.",
	  .because = "Its polls have ${polled} of CPU ${cpu} and bring ${rate} packets; a stack "
		     "without extras takes 1 to 3 us. Longest poll: ${longest_poll}.",
	  .clear = "a packet takes ${cost} where polls use their budget",
	  .now = "`perf top -C ${cpu}` names the function; usually it is a filter, a tap, a program, or missing GRO",
	  .keep = "remove what perf shows", .expect = "rate grows as the cost falls",
	  .after = "cpu-steal bpf-dear tcp-collapse ip-fragments gro-off",
	  .shown = "Meta: 16 to 19 us a packet on the bad CPU",
	  .reference = "net/core/dev.c:napi_poll", .judge = judge_dear },
	{ DOCTOR_CHECK("napi-starved", CPU, SHARED, HIGH, MEASURED), .by_probe = "polls",
	  .reads = "--deep: napi:napi_poll, irq:softirq_entry, NAPI threads switched in",
	  .rule = "a NAPI that left packets behind waits longer than it polls (other queues of its CPU do not count as "
		  "waiting), and 20 % of the time or more",
	  .cause =
		  "${where} is starved, not slow: ${waits} of the time that it has packets it waits for CPU ${cpu}.",
	  .because =
		  "Its own polls need ${polled} of that CPU; programs or other softirqs use it meanwhile (other "
		  "queues: ${other_queues}). Longest wait: ${longest_wait}.",
	  .clear = "queues that have packets wait ${waits} of the time for other work of their CPU",
	  .now = "move its interrupt, or the other work, to another CPU. `echo ${idlest} >/proc/irq/${irq}/smp_affinity_list` moves the interrupt",
	  .keep = "irqbalance's or the unit's configuration (CPUAffinity=)",
	  .undo = "`echo ${cpu} >/proc/irq/${irq}/smp_affinity_list`",
	  .expect = "waits from ${waits} to below 5 %", .risk = "caches are cold for a moment",
	  .after = "rx-starved cpu-steal bpf-dear", .shown = "kernel commit d15121be7485",
	  .reference = "scaling.rst; net/core/dev.c:net_rx_action", .judge = judge_starved },
	{ DOCTOR_CHECK("softirq-late", CPU, SHARED, MEDIUM, MEASURED), .by_probe = "late",
	  .reads = "--deep: irq:softirq_raise, irq:softirq_entry of NET_RX",
	  .rule = "one waits 50 ms or more to begin",
	  .cause =
		  "Receiving on CPU ${cpu} began up to ${longest} late; 99 of 100 times within ${p99}.",
	  .because =
		  "Packets were waiting, and ${task} had the CPU when the longest wait began. A program that stays in "
		  "the kernel for long (statistics of cgroups, /proc, timers) is not interrupted for them.",
	  .clear = "the softirq that receives begins at most ${longest} late",
	  .now = "`perf record -a -g -C ${cpu} -- sleep 3` shows what ${task} does there; move or fix it",
	  .keep = "CPUAffinity= in units, isolcpus= or cpusets for the CPUs of the NIC",
	  .expect = "longest from ${longest} to below 10 ms",
	  .after = "rx-starved cpu-steal napi-starved rx-cpu-busy rx-cpus-busy",
	  .shown = "c01_github_deep",
	  .reference =
		  "kernel/softirq.c:wakeup_softirqd; GitHub 2019, debugging network stalls on Kubernetes",
	  .judge = judge_late },
	{}
};
