/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that receive. */
#include <stdio.h>
#include <string.h>

#include "doctor/checks/ifaces.h"
#include "doctor/checks/load.h"

#define STAT "/proc/stat"
#define SCHEDSTAT "/proc/PID/schedstat"
#define BUSY_PERCENT 95.0
#define OTHERS_PERCENT 40.0
/* Busy as well: it mostly receives, and has no time left. */
#define MOST_PERCENT 80.0
#define NO_IDLE_PERCENT 3.0

/* A thread that receives should not wait that long at once. */
#define LATE_NS 50000000

static bool is_full(double busy, double idle)
{
	return busy >= BUSY_PERCENT || (busy >= MOST_PERCENT && idle <= NO_IDLE_PERCENT);
}

struct spread {
	struct doctor_loads loads;
	const struct doctor_load *busiest;
	bool full; /* of the busiest CPU */
	double most, others; /* of the busiest CPU, and the mean of all others */
};

static bool measure(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		    struct spread *spread)
{
	const struct doctor_load *load;
	double sum = 0;

	if (!doctor_loads(snap, &spread->loads, finding))
		return false;
	spread->busiest = spread->loads.at;
	rxaqm_list_each(load, &spread->loads) {
		sum += load->receiving;
		if (load->receiving >= spread->busiest->receiving)
			spread->busiest = load;
	}
	spread->most = spread->busiest->receiving;
	spread->full = is_full(spread->most, spread->busiest->idle);
	spread->others = spread->loads.nr > 1 ?
				 (sum - spread->most) / (double)(spread->loads.nr - 1) :
				 0;
	doctor_say_cpu(finding, spread->busiest->cpu, STAT);
	doctor_note_share(finding, "busiest", spread->most, STAT);
	doctor_note_share(finding, "others", spread->others, STAT);
	return true;
}

/* Softirq times are of the whole host. */
static void say_whose(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	__u64 seen, all = doctor_packets(snap, &seen);

	if (!snap->namespaces.nr || doctor_all_rose(snap, "rx_packets", true) * 10 >= all)
		return;
	finding->severity = DOCTOR_LOW;
	doctor_say(finding, "whose", ", with packets of other network namespaces");
}

DOCTOR_JUDGE(judge_one)
{
	const struct doctor_iface *iface;
	struct spread spread;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	if (spread.loads.nr < 2 || !spread.full || spread.others > OTHERS_PERCENT)
		return DOCTOR_CLEAR;
	iface = doctor_say_busiest(snap, finding);
	doctor_say_cpus(snap, finding, (__s32)spread.busiest->cpu);
	doctor_say_keep(finding, iface, NULL, NULL);
	say_whose(snap, finding);
	if (iface && doctor_say_queues(finding, iface))
		doctor_say_ours(finding, "resets",
				"; ethtool -L resets the NIC for some 100 ms, and a new hash hides a "
				"skew, it does not cure it");
	return DOCTOR_FOUND;
}

/* What a packet costs, at least, tells whether too many come or each takes too long. */
static void say_cost(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		     const struct spread *spread)
{
	__u64 seen, packets = doctor_packets(snap, &seen);
	const struct doctor_load *load;
	double percent = 0, cost_us;

	rxaqm_list_each(load, &spread->loads)
		percent += load->receiving;
	cost_us = packets ? percent * 1e4 * doctor_window_s(snap) / (double)packets : 0;
	doctor_note_rise(finding, "cost", cost_us, DOCTOR_US, STAT ", packets");
	doctor_say_ours(finding, "what", "%s",
			cost_us < DEAR_US ? "more comes than this host can take" :
					    "each packet takes ${cost}, where 1 to 3 us are usual");
	doctor_say_ours(finding, "first", "%s",
			cost_us < DEAR_US ? "" : "`perf top` names what makes packets expensive. ");
}

DOCTOR_JUDGE(judge_all)
{
	struct spread spread;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	doctor_say_busiest(snap, finding);
	finding->cpu = -1;
	say_cost(snap, finding, &spread);
	say_whose(snap, finding);
	return doctor_found_if(spread.full &&
			       (spread.loads.nr == 1 || spread.others > OTHERS_PERCENT));
}

DOCTOR_JUDGE(judge_steal)
{
	const struct doctor_load *load;
	struct spread spread;
	double most = 0;
	__u64 packets;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	rxaqm_list_each(load, &spread.loads) {
		packets = doctor_since(load->was->processed, load->is->processed);
		/* Of a CPU that does not receive nothing waits. */
		if (load->steal < most || (double)packets < 100 * doctor_window_s(snap))
			continue;
		most = load->steal;
		doctor_say_cpu(finding, load->cpu, STAT);
	}
	doctor_note_share(finding, "stolen", most, "/proc/stat steal");
	return doctor_found_if(most >= 10);
}

DOCTOR_JUDGE(judge_starved)
{
	const struct doctor_load *load, *worst;
	struct spread spread;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	if (!snap->after.threads.nr)
		return doctor_blind(finding, "no schedstat of ksoftirqd or NAPI threads");
	worst = spread.loads.at;
	rxaqm_list_each(load, &spread.loads) {
		if (load->starved >= worst->starved)
			worst = load;
	}
	doctor_say_cpu(finding, worst->cpu, SCHEDSTAT);
	doctor_note_share(finding, "receives", worst->receiving, STAT);
	doctor_note_share(finding, "starved", worst->starved, SCHEDSTAT);
	doctor_say(finding, "thread", "%s", worst->late ? worst->late->comm : "ksoftirqd");
	doctor_say_hogs(snap, finding, (__s32)worst->cpu);
	doctor_say_cpus(snap, finding, (__s32)worst->cpu);
	if (worst->late)
		doctor_say(finding, "thread_pid", "%u", worst->late->pid);
	return doctor_found_if(worst->starved >= 50);
}

/* The longest wait of a receiving thread, at least, in us; 0: it is usual. If the longest wait is
 * not known: the sum of its waits, if the CPU has time left and the thread waits longer than it
 * runs.
 */
static double late_us(const struct doctor_snapshot *snap, const struct doctor_load *load)
{
	const struct doctor_thread *late = load->late;

	if (!late || (double)load->late_run_ns < doctor_window_s(snap) * 1e7)
		return 0;
	if (late->longest_wait_ns != ~0ULL)
		return late->longest_wait_ns >= LATE_NS ? (double)late->longest_wait_ns / 1000 : 0;
	if (load->idle < 10 || load->late_ns < 2 * load->late_run_ns ||
	    (double)load->late_ns < doctor_window_s(snap) * 2e7)
		return 0;
	return (double)load->late_ns / 1000;
}

DOCTOR_JUDGE(judge_late)
{
	const struct doctor_load *load, *worst = NULL;
	struct spread spread;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	rxaqm_list_each(load, &spread.loads) {
		if (late_us(snap, load) > (worst ? late_us(snap, worst) : 0))
			worst = load;
	}
	doctor_note_rise(finding, "waited", worst ? (double)worst->late_ns / 1000 : 0, DOCTOR_US,
			 SCHEDSTAT);
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_say_cpu(finding, worst->cpu, SCHEDSTAT);
	doctor_say(finding, "thread", "%s", worst->late->comm);
	if (worst->late->longest_wait_ns != ~0ULL)
		doctor_say(finding, "longest", "%.0f ms at once",
			   (double)worst->late->longest_wait_ns / 1e6);
	doctor_note_rise(finding, "ran", (double)worst->late_run_ns / 1000, DOCTOR_US, SCHEDSTAT);
	doctor_note_share(finding, "idle", worst->idle, STAT);
	doctor_say_hogs(snap, finding, (__s32)worst->cpu);
	return DOCTOR_FOUND;
}

/* Other kinds of softirqs by their number: nobody counts their times. */
static void say_kinds(struct doctor_finding *finding, const struct doctor_load *load)
{
	const struct doctor_softirq *kind = doctor_softirqs + 1; /* the first is NET_RX */
	char text[160] = "";

	for (; kind->name; kind++) {
		__u64 rise = doctor_since(*(const __u64 *)((const char *)load->was + kind->at),
					  *(const __u64 *)((const char *)load->is + kind->at));
		size_t at = strlen(text);

		if (doctor_known(rise))
			snprintf(text + at, sizeof(text) - at, "%s%s %llu", at ? ", " : "",
				 kind->name, (unsigned long long)rise);
	}
	doctor_say(finding, "kinds", "%s", *text ? text : "not known");
}

DOCTOR_JUDGE(judge_other)
{
	const struct doctor_load *load, *worst;
	struct spread spread;
	__u64 net_rx;

	if (!measure(snap, finding, &spread))
		return DOCTOR_BLIND;
	worst = spread.loads.at;
	rxaqm_list_each(load, &spread.loads) {
		if (load->softirq - load->receiving > worst->softirq - worst->receiving)
			worst = load;
	}
	net_rx = doctor_since(worst->was->net_rx, worst->is->net_rx);
	doctor_say_cpu(finding, worst->cpu, STAT);
	doctor_note_share(finding, "softirqs", worst->softirq, STAT);
	doctor_note_share(finding, "receiving", worst->receiving, "/proc/softirqs");
	doctor_note_count(finding, "net_rx", doctor_or_0(net_rx), "/proc/softirqs");
	say_kinds(finding, worst);
	return doctor_found_if(is_full(worst->softirq, worst->idle) &&
			       worst->receiving < worst->softirq / 2);
}

const struct doctor_check doctor_checks_cpu[] = {
	{ DOCTOR_CHECK("cpu-steal", CPU, ELSEWHERE, HIGH, MEASURED), .reads = "/proc/stat steal",
	  .rule = "10 % or more of a CPU that takes 100 packets/s or more",
	  .cause = "The hypervisor takes ${stolen} of CPU ${cpu} away from this machine.",
	  .because =
		  "Meanwhile nobody empties the queues of that CPU: all of them stand for that long.",
	  .clear = "the hypervisor takes at most ${stolen} of a CPU",
	  .now = "ask for dedicated (pinned) CPUs, or a larger machine",
	  .expect = "stolen from ${stolen} to below 1 %", .risk = "price", .shown = "p10_steal",
	  .reference = "proc(5), steal", .judge = judge_steal },
	{ DOCTOR_CHECK("rx-starved", CPU, SHARED, HIGH, MEASURED),
	  .reads = "/proc/PID/schedstat of ksoftirqd/N, napi/IF-N, backlog_napi/N",
	  .rule = "such a thread, of an interface here, waits 50 % of the time for its CPU, and not for another such "
		  "thread",
	  .cause = "${thread}, which receives on CPU ${cpu}, waits ${starved} of the time for that CPU. Programs that "
		   "use it: ${hogs}.",
	  .because =
		  "Receiving there takes ${receives}. The thread wanted to run and did not get the CPU: the queue "
		  "stands because nobody polls it, not because packets are expensive.",
	  .clear = "threads that receive wait ${starved} of the time for a CPU",
	  .now = "move the programs on CPU ${cpu} to other CPUs. `taskset -acp ${free_cpus} ${hog}` moves the one that uses most of it. `chrt -f -p 10 ${thread_pid}` raises the thread instead",
	  .keep = "CPUAffinity= in units, isolcpus= or cpusets for the CPUs of the NIC",
	  .undo = "`taskset -acp ${all_cpus} ${hog}` `chrt -o -p 0 ${thread_pid}`",
	  .expect = "starved from ${starved} to below 5 %",
	  .risk = "a real-time thread that never sleeps starves the rest of its CPU",
	  .shown = "kernel commit d15121be7485", .reference = "sched-stats.rst; scaling.rst",
	  .judge = judge_starved },
	{ DOCTOR_CHECK("rx-late", CPU, SHARED, MEDIUM, INFERRED),
	  .reads = "/proc/PID/schedstat of threads that receive, each 100 ms",
	  .rule = "such a thread runs 1 % of the time or more (ksoftirqd: a fifth of the softirqs), and waits 50 ms at "
		  "once; if only the sum of its waits is known: 2 % of the time, twice as long as it runs, on a CPU "
		  "that has time",
	  .cause =
		  "Receiving on CPU ${cpu} is held off at times: ${thread} waited ${waited} for the CPU, ${longest|how long at once is not known}.",
	  .because =
		  "It ran ${ran}, and the CPU was ${idle} idle: an average does not show such waits. Programs that "
		  "stay in the kernel for long are not interrupted (reading statistics of cgroups or /proc, many "
		  "timers). Programs that use the CPU: ${hogs}.",
	  .clear = "threads that receive waited ${waited} in all, in waits of 50 ms or more",
	  .now = "`perf sched timehist -C ${cpu}` finds the longest wait, or --deep; then move or fix the program that had the CPU",
	  .keep = "CPUAffinity= in units, isolcpus= or cpusets for the CPUs of the NIC",
	  .expect = "waits below 10 ms",
	  .after = "rx-starved cpu-steal napi-starved rx-cpu-busy rx-cpus-busy softirq-late",
	  .shown = "c01_github_cadvisor",
	  .reference = "sched-stats.rst; GitHub 2019, debugging network stalls on Kubernetes",
	  .judge = judge_late },
	{ DOCTOR_CHECK("softirq-other", CPU, SHARED, HIGH, INFERRED),
	  .reads = "/proc/stat softirq, /proc/softirqs by kind",
	  .rule = "a CPU is full of softirqs as for rx-cpu-busy, and NET_RX can be at most half of them",
	  .cause = "CPU ${cpu} is full of softirqs (${softirqs}) that do not receive.",
	  .because =
		  "NET_RX ran ${net_rx} times there, which is at most ${receiving} of the time. Other kinds, and how "
		  "often they ran: ${kinds}. Packets in the queues of that CPU wait meanwhile.",
	  .clear =
		  "the CPU with most softirqs that do not receive: ${softirqs}, of which ${receiving} receive",
	  .now = "`perf record -a -g -C ${cpu} -- sleep 3` `perf report` the function belongs to a timer (IPVS, conntrack), a disk or RCU",
	  .keep = "remove what perf shows; until then move the queue's interrupt (smp_affinity_list)",
	  .expect = "softirqs from ${softirqs} to the part that receives", .after = "cpu-steal",
	  .shown = "c03b_softirq_not_net",
	  .reference = "proc(5), /proc/softirqs; net/core/dev.c:net_rx_action",
	  .judge = judge_other },
	{ DOCTOR_CHECK("rx-cpu-busy", CPU, SKEWED, HIGH, MEASURED),
	  .reads = "/proc/stat softirq, schedstat of NAPI threads, by CPU",
	  .rule = "one CPU 95 % or more, or 80 % and not idle; the mean of the others 40 % or less; low if nine of ten packets are of other network namespaces",
	  .cause =
		  "CPU ${cpu} spends ${busiest} of its time receiving, the others ${others}: it is the bottleneck${whose|}.",
	  .because = "The CPU of one queue is full, not the NIC and not the host.",
	  .clear = "busiest CPU ${busiest} receiving, the others ${others}",
	  .now = "spread what it receives. ${queues|}" RPS("${mask}") " spreads it by RPS",
	  .keep = "${keep}", .undo = RPS("0") " ${old_queues|}",
	  .expect = "the busiest CPU from ${busiest} to somewhat above the ${others} of the others",
	  .risk = "RPS costs the CPUs that it uses${resets|}",
	  .after = "rx-starved cpu-steal bpf-dear rx-overload-sticks rx-queue-standing irqs-on-one-cpu rx-skew rx-queues-few "
		   "ip-fragments gro-off packet-dear napi-starved",
	  .shown = "n19_one_of_four",
	  .reference = "Meta: bad core 100 %, others 20 to 40 %; scaling.rst", .essential = true,
	  .judge = judge_one },
	{ DOCTOR_CHECK("rx-cpus-busy", CPU, ARRIVAL, HIGH, MEASURED),
	  .reads = "/proc/stat softirq, schedstat of NAPI threads, by CPU",
	  .rule = "as for rx-cpu-busy, but the mean of the others is above 40 %",
	  .cause =
		  "CPUs are full of receiving (${busiest}, the others ${others}): ${what}${whose|}.",
	  .because = "The load is spread; there is no idle CPU to move it to.",
	  .clear = "busiest CPU ${busiest} receiving",
	  .now = "${first}larger MTU, GRO and fewer senders lower the cost; an AQM keeps the delay short: " ENFORCE_FOR(
		  "${iface}"),
	  .keep = "mode=enforce in rxaqm.conf(5)", .undo = "`rxaqm detach ${iface}`",
	  .expect = "the same bytes, and queues of some ms instead of full rings",
	  .risk = ENFORCE_RISK,
	  .after = "rx-starved cpu-steal bpf-dear rx-overload-sticks rx-queue-standing ip-fragments gro-off "
		   "packet-dear napi-starved",
	  .shown = "w1_all_cores", .reference = "scaling.rst", .essential = true,
	  .judge = judge_all },
	{}
};
