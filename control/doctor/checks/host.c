/* SPDX-License-Identifier: GPL-2.0-only */
/* What slows a CPU that receives: its clock, its core, its memory node. */
#include "doctor/checks/ifaces.h"
#include "doctor/checks/load.h"

#define CPUFREQ "/sys/devices/system/cpu/cpuN/cpufreq"
#define SIBLINGS "thread_siblings_list"
#define BUSY_PERCENT 90.0

static bool known(__u64 value)
{
	return value && value != ~0ULL;
}

/* The lower clock of both samples, in percent of the base clock, or of the highest if no driver
 * tells the base. 0: not known.
 */
static double clock_of(const struct doctor_load *load)
{
	__u64 khz = load->was->khz < load->is->khz ? load->was->khz : load->is->khz;
	__u64 of = known(load->is->base_khz) ? load->is->base_khz : load->is->max_khz;

	return known(khz) && known(of) ? (double)khz * 100 / (double)of : 0;
}

DOCTOR_JUDGE(judge_clock)
{
	const struct doctor_load *load, *worst = NULL;
	struct doctor_loads loads;
	__u64 throttles = 0, rise;
	bool seen = false;
	double clock;

	doctor_loads(snap, &loads, NULL);
	rxaqm_list_each(load, &loads) {
		clock = clock_of(load);
		seen |= clock > 0;
		rise = doctor_since(load->was->throttles, load->is->throttles);
		throttles += rise == ~0ULL ? 0 : rise;
		/* A CPU that has time may lower its clock. */
		if (clock <= 0 || load->receiving < 20 || 100 - load->idle < BUSY_PERCENT)
			continue;
		if (!worst || clock < clock_of(worst))
			worst = load;
	}
	if (!seen)
		return doctor_blind(finding,
				    "no cpufreq: a hypervisor or firmware keeps the clock");
	doctor_note_count(finding, "throttled", throttles, "thermal_throttle/core_throttle_count");
	doctor_note(finding, "clock", worst ? clock_of(worst) : 100, DOCTOR_PERCENT, CPUFREQ);
	if (!worst)
		return DOCTOR_CLEAR;
	doctor_note(finding, "cpu", worst->cpu, DOCTOR_NUMBER, CPUFREQ);
	doctor_note(finding, "mhz", (double)worst->is->khz / 1000, DOCTOR_NUMBER, CPUFREQ);
	doctor_note_share(finding, "busy", 100 - worst->idle, "/proc/stat");
	if (!known(worst->is->base_khz))
		finding->confidence = DOCTOR_INFERRED;
	/* Boost is not guaranteed: half of the highest clock is often more than the base. */
	return doctor_found_if(clock_of(worst) < (known(worst->is->base_khz) ? 90 : 60));
}

static const struct doctor_load *load_of(const struct doctor_loads *loads, __u32 cpu)
{
	const struct doctor_load *load;

	return rxaqm_list_find(load, loads, load->cpu == cpu);
}

DOCTOR_JUDGE(judge_sibling)
{
	const struct doctor_load *load, *other;
	struct doctor_loads loads;
	double most = 0;

	doctor_loads(snap, &loads, NULL);
	rxaqm_list_each(load, &loads) {
		other = load_of(&loads, load->is->sibling);
		/* If both receive, the load is spread already. */
		if (!other || load->receiving < BUSY_PERCENT || other->receiving >= 50 ||
		    100 - other->idle <= most)
			continue;
		most = 100 - other->idle;
		doctor_note(finding, "cpu", load->cpu, DOCTOR_NUMBER, SIBLINGS);
		doctor_note(finding, "sibling", other->cpu, DOCTOR_NUMBER, SIBLINGS);
		doctor_note_share(finding, "receives", load->receiving, "/proc/stat");
	}
	doctor_note_share(finding, "sibling_busy", most, "/proc/stat");
	return doctor_found_if(most >= 80);
}

static __u32 node_of(const struct doctor_snapshot *snap, __s32 id)
{
	const struct doctor_cpu *cpu = rxaqm_list_find(cpu, &snap->after.cpus,
						       (__s32)cpu->id == id);

	return cpu ? cpu->numa_node : ~0U;
}

/* Count packets of @iface: those received on CPUs of another memory node, and all. */
static void count_remote(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
			 double *ret_remote, double *ret_all)
{
	const struct doctor_queue *queue;

	*ret_remote = *ret_all = 0;
	rxaqm_list_each(queue, &iface->queues) {
		__u64 rise = doctor_queue_rise(snap, iface, queue, packets);
		__u32 node = node_of(snap, queue->cpu);

		if (queue->tx || rise == ~0ULL || node == ~0U || iface->numa_node == ~0U)
			continue;
		*ret_all += (double)rise;
		*ret_remote += node != iface->numa_node ? (double)rise : 0;
	}
}

DOCTOR_JUDGE(judge_numa)
{
	double remote, all, most = 0, window = doctor_window_s(snap);
	const struct doctor_iface *iface;
	bool seen = false;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		count_remote(snap, iface, &remote, &all);
		seen |= all > 0;
		if (all / window < 10000 || remote * 100 / all <= most)
			continue;
		most = remote * 100 / all;
		doctor_say(finding, "iface", "%s", iface->name);
		doctor_note(finding, "node", iface->numa_node, DOCTOR_NUMBER, "device/numa_node");
		doctor_note_rise(finding, "rate", all / window, DOCTOR_PER_S, "packets by queue");
	}
	if (!seen)
		return doctor_blind(finding, "no Rx queue whose packets, CPU and node are known");
	doctor_note_share(finding, "remote", most,
			  "packets by queue, /proc/interrupts, device/numa_node");
	return doctor_found_if(most >= 50);
}

const struct doctor_check doctor_checks_host[] = {
	{ DOCTOR_CHECK("cpu-clock", CPU, SHARED, HIGH, MEASURED),
	  .reads =
		  "cpufreq: scaling_cur_freq, base_frequency, cpuinfo_max_freq; thermal_throttle; /proc/stat",
	  .rule = "a CPU that receives and is 90 % busy runs below 90 % of its base clock (60 % of the highest, if "
		  "no driver tells the base)",
	  .cause =
		  "CPU ${cpu} receives at ${clock} of its clock, ${mhz} MHz, while it is ${busy} busy.",
	  .because =
		  "Each packet takes longer in proportion. Heat, a power limit or a governor keeps the clock low "
		  "(throttled ${throttled} times for heat in the window).",
	  .clear = "CPUs that are busy receiving run at ${clock} of their clock or more",
	  .now = "cpupower frequency-set -g performance; cpupower frequency-info; ipmitool sensor",
	  .keep = "the governor in the boot configuration; cooling; the firmware's power profile",
	  .undo = "cpupower frequency-set -g schedutil", .expect = "clock from ${clock} to 100 %",
	  .risk = "power", .reference = "Documentation/admin-guide/pm/cpufreq.rst",
	  .judge = judge_clock },
	{ DOCTOR_CHECK("cpu-sibling", CPU, SHARED, MEDIUM, INFERRED),
	  .reads = "/proc/stat, topology/thread_siblings_list",
	  .rule = "a CPU is 90 % busy receiving, and the other CPU of its core is 80 % busy with something else",
	  .cause = "CPU ${cpu} is ${receives} busy receiving and shares its core with CPU ${sibling}, which is "
		   "${sibling_busy} busy.",
	  .because = "Two threads of a core have about 60 % of its speed each.",
	  .clear = "CPUs that are full of receiving have siblings that are ${sibling_busy} busy",
	  .now = "taskset the programs on CPU ${sibling} to other cores",
	  .keep = "CPUAffinity= in units, or cpusets", .undo = "taskset -cp 0-N PID",
	  .expect = "up to 1.6 times the packets", .risk = "the other cores have more to do",
	  .after = "rx-starved",
	  .reference = "Documentation/admin-guide/cputopology.rst, thread_siblings_list",
	  .judge = judge_sibling },
	{ DOCTOR_CHECK("numa-remote", CPU, SERVICE, LOW, INFERRED),
	  .reads = "packets by queue, /proc/interrupts, device/numa_node, /sys/devices/system/node",
	  .rule = "half of 10,000 packets/s or more are received on CPUs of another node than the NIC's",
	  .cause =
		  "${remote} of the packets of ${iface} are handled on CPUs of another node than the NIC's (${node}).",
	  .because =
		  "The NIC writes descriptors and buffers into the memory of its own node, and for each packet a CPU "
		  "fetches them from there (${rate} packets).",
	  .clear = "${remote} of packets are handled on another node than their NIC's",
	  .now = "echo CPUs of node ${node} >/proc/irq/IRQ/smp_affinity_list for its interrupts",
	  .keep = "irqbalance, or set_irq_affinity at boot", .undo = "the old list",
	  .expect = "up to half the time a packet",
	  .risk = "the programs may then be on the other node",
	  .reference = "scaling.rst; Documentation/mm/numa.rst", .judge = judge_numa },
	{}
};
