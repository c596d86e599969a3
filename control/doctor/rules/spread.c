/* SPDX-License-Identifier: GPL-2.0-only */
/* How traffic is spread over queues, and packets merged; whether counters mean something. */
#include <string.h>

#include "doctor/rules/ifaces.h"
#include "doctor/rules/load.h"

#define FLOWS "BPF iter/tcp"

bool doctor_is_sum(const struct doctor_iface *iface)
{
	return iface->link_type == DOCTOR_LOOPBACK || !strcmp(iface->driver, "bonding") ||
	       !strcmp(iface->driver, "team");
}

const struct doctor_iface *doctor_worst(const struct doctor_snapshot *snap,
					doctor_measure_fn measure, double *ret_value)
{
	const struct doctor_iface *iface, *most = NULL;
	double value;

	*ret_value = 0;
	rxaqm_list_each(iface, &snap->after.ifaces) {
		value = doctor_is_sum(iface) ? 0 : measure(snap, iface);
		if (value <= *ret_value)
			continue;
		*ret_value = value;
		most = iface;
	}
	return most;
}

__u64 doctor_packets_of(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u64 value;

	return doctor_iface_stat(snap, iface, "rx_packets", &value) ? value : 0;
}

/* How uneven: the busiest Rx queue over the mean; 0: not known, or too little traffic. */
static double skew(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	const struct doctor_queue *queue;
	__u64 total = 0, most = 0, rise;
	unsigned int nr = 0;

	rxaqm_list_each(queue, &iface->queues) {
		if (queue->tx)
			continue;
		rise = doctor_queue_rise(snap, iface, queue, packets);
		if (rise == ~0ULL)
			rise = doctor_queue_rise(snap, iface, queue, irq_count);
		if (rise == ~0ULL)
			continue;
		nr++;
		total += rise;
		most = rise > most ? rise : most;
	}
	if (nr < 2 || (double)total / doctor_window_s(snap) < 1000)
		return 0;
	return (double)most * nr / (double)total;
}

/* TCP sockets that a queue of an interface carries, and carried something. */
static __u64 flows_of(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		      __u64 *ret_most, __u32 *ret_queue)
{
	const struct doctor_group *group;
	__u64 total = 0;

	*ret_most = 0;
	rxaqm_list_each(group, &snap->sockets.groups) {
		if (group->ifindex != iface->ifindex || group->rx_queue == ~0U)
			continue;
		total += group->active;
		if (group->active <= *ret_most)
			continue;
		*ret_most = group->active;
		*ret_queue = group->rx_queue;
	}
	return total;
}

/* By flows: max over mean, where there are so many for each queue that chance makes no 2 of it. */
static double flow_skew(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u32 queues = iface->channels ?: iface->rx_queues, queue;
	__u64 most, total = flows_of(snap, iface, &most, &queue);

	if (queues < 2 || queues == ~0U || total < 32ULL * queues)
		return 0;
	return (double)most * queues / (double)total;
}

static bool some_cpu_receives(const struct doctor_snapshot *snap, double percent)
{
	struct doctor_load load[DOCTOR_MAX_CPUS];
	size_t nr = doctor_loads(snap, load);

	while (nr--) {
		if (load[nr].receiving >= percent)
			return true;
	}
	return false;
}

static enum doctor_verdict judge_skew(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding)
{
	double by_packets, by_flows;
	const struct doctor_iface *iface = doctor_worst(snap, skew, &by_packets);
	const struct doctor_iface *other = doctor_worst(snap, flow_skew, &by_flows);
	__u32 queue = 0;
	__u64 most, flows;

	doctor_note_rise(finding, "packets_skew", by_packets, DOCTOR_RATIO,
			 "packets by queue: qstats, " ETHTOOL ", /proc/interrupts");
	doctor_note(finding, "flows_skew", by_flows, DOCTOR_RATIO, FLOWS " by Rx queue");
	if ((by_packets <= 2 && by_flows <= 2) || !some_cpu_receives(snap, 50))
		return DOCTOR_CLEAR;
	iface = by_packets > by_flows ? iface : other;
	flows = flows_of(snap, iface, &most, &queue);
	doctor_say(finding, "iface", "%s", iface->name);
	doctor_note(finding, "flows", (double)flows, DOCTOR_COUNT, FLOWS);
	doctor_note(finding, "flows_there", (double)most, DOCTOR_COUNT, FLOWS);
	doctor_note(finding, "queue", queue, DOCTOR_NUMBER, FLOWS);
	doctor_note(finding, "queues", iface->channels ?: iface->rx_queues, DOCTOR_NUMBER,
		    "ethtool -l");
	doctor_note(finding, "rss_largest_share", iface->rss_share_max_permille / 10.0,
		    DOCTOR_PERCENT, "ethtool -x");
	return DOCTOR_FOUND;
}

static bool receives(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		     double per_s)
{
	return (double)doctor_packets_of(snap, iface) / doctor_window_s(snap) >= per_s;
}

static double missing_queues(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u32 queues = iface->channels, cpus = (__u32)snap->after.cpus.nr;

	if (!queues || !receives(snap, iface, 1000) || iface->rps_queues ||
	    queues >= iface->rx_max_queues || queues * 2 > cpus)
		return 0;
	return cpus - queues;
}

static enum doctor_verdict judge_few(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	double missing;
	const struct doctor_iface *worst = doctor_worst(snap, missing_queues, &missing), *iface;
	__u32 queues = 0;

	rxaqm_list_each(iface, &snap->after.ifaces)
		queues = iface->channels > queues ? iface->channels : queues;
	doctor_note(finding, "queues", worst ? worst->channels : queues, DOCTOR_NUMBER,
		    "ethtool -l");
	doctor_note(finding, "cpus", (double)snap->after.cpus.nr, DOCTOR_NUMBER, "/proc/stat");
	if (!worst || !some_cpu_receives(snap, 90))
		return DOCTOR_CLEAR;
	doctor_say(finding, "iface", "%s", worst->name);
	doctor_note(finding, "possible", worst->rx_max_queues, DOCTOR_NUMBER, "ethtool -l");
	return DOCTOR_FOUND;
}

static double without_gro(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	/* What comes by a veth has been through the GRO of a NIC, or was never cut. */
	if (!iface->gro_known || iface->gro || !strcmp(iface->driver, "veth") ||
	    !receives(snap, iface, 20000))
		return 0;
	return (double)doctor_packets_of(snap, iface);
}

static enum doctor_verdict judge_gro(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	static const char *const wire_packets[] = { "IpExt.InNoECTPkts", "IpExt.InECT0Pkts",
						    "IpExt.InECT1Pkts", "IpExt.InCEPkts", NULL };
	double packets;
	const struct doctor_iface *iface = doctor_worst(snap, without_gro, &packets);
	__u64 segments = 0, received = 0;

	if (doctor_counters(snap, wire_packets, &segments) &&
	    doctor_counter(snap, "Ip.InReceives", &received) && received)
		doctor_note_rise(finding, "packets_merged", (double)segments / (double)received,
				 DOCTOR_RATIO, "IpExt.In*Pkts / Ip.InReceives");
	else
		doctor_say(finding, "packets_merged", "not known");
	/* What a neighbour on this host sends comes in large pieces already. */
	if (!iface || (received && segments >= 2 * received))
		return DOCTOR_CLEAR;
	doctor_say(finding, "iface", "%s", iface->name);
	doctor_note_rise(finding, "packets", packets / doctor_window_s(snap), DOCTOR_PER_S, LINK);
	return DOCTOR_FOUND;
}

/* Queues of a NIC of one node that are served by CPUs of another cannot be told from here without
 * the CPUs' nodes: what can is a counter that went back.
 */
static enum doctor_verdict judge_reset(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	const struct doctor_iface *iface;
	unsigned int nr = 0;
	__u64 packets;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		/* Hosts of containers have new ones all the time. */
		if (!doctor_iface_before(snap, iface) ||
		    doctor_iface_stat(snap, iface, "rx_packets", &packets))
			continue;
		nr++;
		doctor_say(finding, "iface", "%s", iface->name);
	}
	doctor_note(finding, "resets", nr, DOCTOR_COUNT, LINK);
	return doctor_found_if(nr);
}

const struct doctor_check doctor_checks_spread[] = {
	{
		DOCTOR_CHECK("rx-skew", NIC, SKEWED, MEDIUM, MEASURED),
		.reads =
			"packets by Rx queue (qstats, ethtool -S, interrupts); flows by Rx queue; ethtool -x; /proc/stat",
		.rule = "max over mean above 2, with 1000 packets/s, or 32 flows a queue; a CPU receives half of the time",
		.cause = "Traffic of ${iface} is not spread: one queue has ${packets_skew} times the mean of packets, "
			 "${flows_skew} times of flows.",
		.because =
			"Queue ${queue} of ${queues} has ${flows_there} of ${flows} flows; the largest share of the RSS "
			"table is ${rss_largest_share}.",
		.clear =
			"busiest queue ${packets_skew} times the mean of packets, ${flows_skew} of flows (0: one queue, or idle)",
		.remedy = { .now = "ethtool -X ${iface} equal ${queues}; for a single flow: ethtool -N ${iface} flow-type "
				   "tcp4 ... action QUEUE, or RPS",
			    .keep = "the same in the interface's configuration",
			    .undo = "ethtool -X ${iface} default",
			    .expect = "max over mean below 1.5",
			    .risk = "a new hash moves flows: it clears a standing queue and hides its cause" },
		.after = "ip-fragments-one-queue",
		.reference = "scaling.rst; Meta: a changed setting reshuffled the key",
		.judge = judge_skew,
	},
	{
		DOCTOR_CHECK("rx-queues-few", NIC, SKEWED, MEDIUM, INFERRED),
		.reads = "ethtool -l, number of CPUs, softirq by CPU",
		.rule = "1000 packets/s, queues for at most half of the CPUs, more are possible, no RPS, and a CPU is 90 % in "
			"softirqs",
		.cause =
			"${iface} uses ${queues} receive queues on ${cpus} CPUs, and a CPU of them is full.",
		.because = "The driver could have ${possible}.",
		.clear = "${queues} receive queues on ${cpus} CPUs",
		.remedy = { .now = "ethtool -L ${iface} combined ${possible}",
			    .keep = "the same in the interface's configuration",
			    .undo = "ethtool -L ${iface} combined ${queues}",
			    .expect = "the load of the full CPU divided by the new queues",
			    .risk = "the NIC is reset for some 100 ms; flows move" },
		.reference = "scaling.rst; Meta: 8 queues, later 4, then 2",
		.judge = judge_few,
	},
	{
		DOCTOR_CHECK("gro-off", NIC, SERVICE, MEDIUM, INFERRED),
		.reads = "ethtool -k; IpExt.In*Pkts / Ip.InReceives",
		.rule = "GRO is off where 20,000 packets/s or more arrive, fewer than 2 in one; not of a veth",
		.cause =
			"GRO is off on ${iface}: the stack handles each of ${packets} packets alone.",
		.because = "Packets merged into one here: ${packets_merged}.",
		.clear = "packets merged into one by GRO: ${packets_merged}",
		.remedy = { .now = "ethtool -K ${iface} gro on",
			    .keep = "the same in the interface's configuration",
			    .undo = "ethtool -K ${iface} gro off",
			    .expect = "up to 40 times fewer packets above the driver for bulk TCP",
			    .risk = "routers of other people's packets may want it off" },
		.reference = "Documentation/networking/segmentation-offloads.rst",
		.judge = judge_gro,
	},
	{
		DOCTOR_CHECK("counters-reset", NIC, SETTING, LOW, MEASURED),
		.reads = "rx_packets of each interface, twice",
		.rule = "a counter went back",
		.cause = "${iface} was reset: its counters started again, and prove nothing.",
		.because =
			"A changed setting resets a NIC and reshuffles flows: that clears a standing queue for a while and "
			"looks like a cure.",
		.clear = "${resets} interfaces were reset in the window",
		.remedy = { .now = "wait, and run the doctor again",
			    .keep = "-",
			    NOTHING_CHANGED,
			    .expect = "figures that mean something",
			    .risk = "none" },
		.reference = "Meta: the fix by touching any setting",
		.judge = judge_reset,
	},
	{}
};
