/* SPDX-License-Identifier: GPL-2.0-only */
/* How traffic is spread over queues, and how well packets are merged. */
#include <string.h>

#include "doctor/checks/ifaces.h"
#include "doctor/checks/load.h"

#define FLOWS "BPF iter/tcp"

const struct doctor_iface *doctor_worst_iface(const struct doctor_snapshot *snap,
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

/* The word for "ethtool -L": "rx" if receive queues have channels of their own. */
static const char *channels_word(const struct doctor_iface *iface)
{
	return doctor_known(iface->rx_channels) ? "rx" : "combined";
}

bool doctor_say_queues(struct doctor_finding *finding, const struct doctor_iface *iface)
{
	const char *word = channels_word(iface);

	if (!doctor_known(iface->channels) || !doctor_known(iface->rx_max_queues) ||
	    iface->channels >= iface->rx_max_queues)
		return false;
	doctor_say_ours(finding, "queues", "`ethtool -L ${iface} %s %u` gives it more queues; ",
			word, iface->rx_max_queues);
	doctor_say_ours(finding, "old_queues", "`ethtool -L ${iface} %s %u`", word,
			iface->channels);
	return true;
}

/* How the packets of @iface are spread over its Rx queues. */
struct rx_spread {
	__u64 total, most;
	unsigned int nr;
	__u32 queue; /* the queue with most */
};

static __u64 came_by(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		     const struct doctor_queue *queue)
{
	__u64 rise = doctor_queue_rise(snap, iface, queue, packets);

	return rise == ~0ULL ? doctor_queue_rise(snap, iface, queue, irq_count) : rise;
}

static struct rx_spread spread_of(const struct doctor_snapshot *snap,
				  const struct doctor_iface *iface)
{
	const struct doctor_queue *queue;
	struct rx_spread spread = {};
	__u64 rise;

	rxaqm_list_each(queue, &iface->queues) {
		rise = queue->tx ? ~0ULL : came_by(snap, iface, queue);
		if (rise == ~0ULL)
			continue;
		spread.nr++;
		spread.total += rise;
		if (rise <= spread.most)
			continue;
		spread.most = rise;
		spread.queue = queue->id;
	}
	return spread;
}

/* The busiest Rx queue over the mean; 0: not known, or too little traffic. */
static double skew(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	struct rx_spread spread = spread_of(snap, iface);

	if (spread.nr < 2 || (double)spread.total / doctor_window_s(snap) < 1000)
		return 0;
	return (double)spread.most * spread.nr / (double)spread.total;
}

/* Count the active TCP sockets of an interface that have a queue, and find the queue with most. */
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

/* Flows of the busiest queue over the mean; 0 if there are so few that chance can make it 2. */
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
	const struct doctor_load *load;
	struct doctor_loads loads;

	doctor_loads(snap, &loads, NULL);
	return rxaqm_list_find(load, &loads, load->receiving >= percent);
}

/* Note the queue, its share, and the fitting remedy: an even table cannot be made more even. */
static void say_skew(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		     const struct doctor_iface *iface, bool by_packets)
{
	__u32 queues = doctor_known(iface->channels) ? iface->channels : iface->rx_queues;
	__u32 table = doctor_or_0(iface->rss_share_max_permille);
	struct rx_spread spread = spread_of(snap, iface);
	__u64 most, flows;

	if (by_packets) {
		doctor_say(finding, "has", "%.0f %% of the packets",
			   (double)spread.most * 100 / (double)spread.total);
	} else {
		flows = flows_of(snap, iface, &most, &spread.queue);
		doctor_say(finding, "has", "%llu of %llu flows", (unsigned long long)most,
			   (unsigned long long)flows);
	}
	doctor_say_iface(finding, iface);
	doctor_note(finding, "queue", spread.queue, DOCTOR_NUMBER, FLOWS);
	doctor_note(finding, "queues", queues, DOCTOR_NUMBER, "ethtool -l");
	if (table)
		doctor_say(finding, "table", "%.1f %%", table / 10.0);
	doctor_say_cpus(snap, finding, -1);
	doctor_say_keep(finding, iface, NULL, NULL);
	if (table <= 1500 / (queues ?: 1) || queues < 2)
		return;
	doctor_say_ours(finding, "spread", "`ethtool -X ${iface} equal %u` else: ", queues);
	doctor_say_ours(finding, "old_table", "`ethtool -X ${iface} default` ");
}

DOCTOR_JUDGE(judge_skew)
{
	double by_packets, by_flows;
	const struct doctor_iface *iface = doctor_worst_iface(snap, skew, &by_packets);
	const struct doctor_iface *other = doctor_worst_iface(snap, flow_skew, &by_flows);

	doctor_note_rise(finding, "packets_skew", by_packets, DOCTOR_RATIO,
			 "packets by queue: qstats, " ETHTOOL ", /proc/interrupts");
	doctor_note(finding, "flows_skew", by_flows, DOCTOR_RATIO, FLOWS " by Rx queue");
	if ((by_packets <= 2 && by_flows <= 2) || !some_cpu_receives(snap, 50))
		return DOCTOR_CLEAR;
	say_skew(snap, finding, by_packets > by_flows ? iface : other, by_packets > by_flows);
	return DOCTOR_FOUND;
}

/* The percentage of @iface's packets that came by queues whose interrupts go to CPU @cpu; 0 if one
 * of those queues has most of them.
 */
static double comes_to(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       __s32 cpu, unsigned int *ret_queues)
{
	const struct doctor_queue *queue;
	__u64 total = spread_of(snap, iface).total, sum = 0, most = 0, rise;

	*ret_queues = 0;
	rxaqm_list_each(queue, &iface->queues) {
		rise = queue->tx || queue->cpu != cpu ? ~0ULL : came_by(snap, iface, queue);
		if (!doctor_known(rise))
			continue;
		sum += rise;
		most = rise > most ? rise : most;
		++*ret_queues;
	}
	return total && most * 4 <= sum * 3 ? (double)sum * 100 / (double)total : 0;
}

/* ${irqs}: the interrupts of the Rx queues of @iface; nothing if one of them is not known. */
static void say_irqs(const struct doctor_snapshot *snap, struct doctor_finding *finding,
		     const struct doctor_iface *iface)
{
	const struct doctor_queue *queue;
	char text[160] = "";
	size_t at = 0;

	rxaqm_list_each(queue, &iface->queues) {
		if (queue->tx)
			continue;
		if (!queue->irq || at > 145)
			return;
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u", at ? " " : "",
				       queue->irq);
	}
	doctor_say_ours(finding, "irqs", "%s", text);
	doctor_say(finding, "cpus", "%zu", snap->after.cpus.nr);
}

DOCTOR_JUDGE(judge_irqs)
{
	const struct doctor_load *load;
	const struct doctor_iface *iface;
	struct doctor_loads loads;
	double most = 0, share;
	unsigned int queues;

	doctor_loads(snap, &loads, NULL);
	rxaqm_list_each(iface, &snap->after.ifaces) {
		rxaqm_list_each(load, &loads) {
			if (load->receiving < 50 || doctor_known(iface->rps_queues))
				continue;
			share = comes_to(snap, iface, (__s32)load->cpu, &queues);
			if (share <= most)
				continue;
			most = share;
			doctor_say_iface(finding, iface);
			say_irqs(snap, finding, iface);
			doctor_say_cpu(finding, load->cpu, "/proc/interrupts");
			doctor_note(finding, "queues", queues, DOCTOR_NUMBER, "/proc/interrupts");
			doctor_note_share(finding, "receives", load->receiving, "/proc/stat");
		}
	}
	doctor_note_share(finding, "share", most, "packets by queue, /proc/interrupts");
	/* With two CPUs each has half of them. */
	return doctor_found_if(loads.nr > 1 && most >= 60);
}

static bool receives(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		     double per_s)
{
	return (double)doctor_iface_rose(snap, iface, "rx_packets") / doctor_window_s(snap) >=
	       per_s;
}

static double missing_queues(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u32 queues = iface->channels, cpus = (__u32)snap->after.cpus.nr;

	if (!queues || !receives(snap, iface, 1000) || iface->rps_queues ||
	    queues >= iface->rx_max_queues || queues * 2 > cpus)
		return 0;
	return cpus - queues;
}

DOCTOR_JUDGE(judge_few)
{
	double missing;
	const struct doctor_iface *worst = doctor_worst_iface(snap, missing_queues, &missing),
				  *iface;
	__u32 queues = 0;

	rxaqm_list_each(iface, &snap->after.ifaces)
		queues = iface->channels > queues ? iface->channels : queues;
	doctor_note(finding, "queues", worst ? worst->channels : queues, DOCTOR_NUMBER,
		    "ethtool -l");
	doctor_note(finding, "cpus", (double)snap->after.cpus.nr, DOCTOR_NUMBER, "/proc/stat");
	if (!worst || !some_cpu_receives(snap, 90))
		return DOCTOR_CLEAR;
	doctor_say_iface(finding, worst);
	doctor_say(finding, "word", "%s", channels_word(worst));
	doctor_note(finding, "possible", worst->rx_max_queues, DOCTOR_NUMBER, "ethtool -l");
	doctor_say_keep(finding, worst, "ethtool.channels-${word} ${possible}",
			doctor_known(worst->rx_channels) ? "RxChannels=${possible}" :
							   "CombinedChannels=${possible}");
	return DOCTOR_FOUND;
}

static double without_gro(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	/* Packets from a veth went through a NIC's GRO, or were never cut. */
	if (!iface->gro_known || iface->gro || !strcmp(iface->driver, "veth") ||
	    !receives(snap, iface, 20000))
		return 0;
	return (double)doctor_iface_rose(snap, iface, "rx_packets");
}

DOCTOR_JUDGE(judge_gro)
{
	static const char wire_packets[] =
		"IpExt.InNoECTPkts|IpExt.InECT0Pkts|IpExt.InECT1Pkts|IpExt.InCEPkts";
	double packets;
	const struct doctor_iface *iface = doctor_worst_iface(snap, without_gro, &packets);
	__u64 segments = 0, received = 0;

	if (doctor_counters(snap, wire_packets, &segments) &&
	    doctor_counter(snap, "Ip.InReceives", &received) && received)
		doctor_note_rise(finding, "packets_merged", (double)segments / (double)received,
				 DOCTOR_RATIO, "IpExt.In*Pkts / Ip.InReceives");
	/* A neighbour on this host sends large pieces already. */
	if (!iface || (received && segments >= 2 * received))
		return DOCTOR_CLEAR;
	doctor_say_iface(finding, iface);
	doctor_say_keep(finding, iface, "ethtool.feature-gro on", "GenericReceiveOffload=yes");
	doctor_note_rise(finding, "packets", packets / doctor_window_s(snap), DOCTOR_PER_S, LINK);
	return DOCTOR_FOUND;
}

const struct doctor_check doctor_checks_spread[] = {
	{ DOCTOR_CHECK("rx-skew", NIC, SKEWED, MEDIUM, MEASURED),
	  .reads =
		  "packets by Rx queue (qstats, ethtool -S, interrupts); flows by Rx queue; ethtool -x; /proc/stat",
	  .rule = "max over mean above 2, with 1000 packets/s, or 32 flows a queue; a CPU receives half of the time",
	  .cause = "Traffic of ${iface} is spread unevenly: one queue has ${packets_skew} times the mean of packets, "
		   "and ${flows_skew} times the mean of flows.",
	  .because =
		  "Receive queue ${queue} (of ${queues}) has ${has}; the largest share of a queue in the RSS table: "
		  "${table|not known}.",
	  .clear =
		  "busiest queue ${packets_skew} times the mean of packets, ${flows_skew} of flows (0: one queue, or idle)",
	  .now = "${spread|}`echo ${mask} >/sys/class/net/${iface}/queues/rx-${queue}/rps_cpus` for a tunnel or a single flow, which has only one hash. `ethtool -N ${iface} rx-flow-hash udp4 sdfn` hashes more fields of UDP",
	  .keep = "${keep}",
	  .undo = "${old_table|}`echo 0 >/sys/class/net/${iface}/queues/rx-${queue}/rps_cpus` `ethtool -N ${iface} rx-flow-hash udp4 sd`",
	  .expect = "max over mean below 1.5",
	  .risk = "a new hash moves flows: it clears a standing queue and hides its cause",
	  .after = "irqs-on-one-cpu ip-fragments", .shown = "x1_skew_udp",
	  .reference = "scaling.rst; Meta: a changed setting reshuffled the key",
	  .judge = judge_skew },
	{ DOCTOR_CHECK("irqs-on-one-cpu", CPU, SKEWED, HIGH, MEASURED),
	  .reads = "/proc/interrupts, effective_affinity_list; packets by Rx queue; /proc/stat",
	  .rule = "interrupts of two or more queues with 60 % of the packets go to one of several CPUs, which receives half "
		  "of the time; no RPS",
	  .cause = "The interrupts of ${queues} receive queues of ${iface} all go to CPU ${cpu}.",
	  .because =
		  "That CPU has ${share} of the packets of ${iface}, and receives ${receives} of the time; more or "
		  "fewer queues do not help.",
	  .clear =
		  "${share} of the packets of an interface come by interrupts of several queues to one busy CPU",
	  .now = "give the interrupt of each queue a CPU of its own (smp_affinity_list). `systemctl stop irqbalance` if it runs. `n=0; for i in ${irqs}; do echo $((n % ${cpus})) >/proc/irq/$i/smp_affinity_list; n=$((n + 1)); done`",
	  .keep = "irqbalance's configuration, or set_irq_affinity at boot",
	  .undo = "`systemctl start irqbalance`",
	  .expect = "receives from ${receives} to its share",
	  .risk = "caches are cold for a moment", .after = "rx-starved",
	  .shown = "p02_vmxnet3_cpu0",
	  .reference = "scaling.rst; Documentation/core-api/irq/irq-affinity.rst",
	  .judge = judge_irqs },
	{ DOCTOR_CHECK("rx-queues-few", NIC, SKEWED, MEDIUM, INFERRED),
	  .reads = "ethtool -l, number of CPUs, softirq by CPU",
	  .rule = "1000 packets/s, queues for at most half of the CPUs, more are possible, no RPS, and a CPU is 90 % in "
		  "softirqs",
	  .cause =
		  "${iface} uses ${queues} receive queues on ${cpus} CPUs, and one of these CPUs is full.",
	  .because = "The driver could have ${possible}.",
	  .clear = "${queues} receive queues on ${cpus} CPUs",
	  .now = "`ethtool -L ${iface} ${word} ${possible}`", .keep = "${keep}",
	  .undo = "`ethtool -L ${iface} ${word} ${queues}`",
	  .expect = "the load of the full CPU divided by the new queues",
	  .risk = "the NIC is reset for some 100 ms; flows move",
	  .shown = "Meta: 8 queues, later 4, then 2", .reference = "scaling.rst",
	  .judge = judge_few },
	{ DOCTOR_CHECK("gro-off", NIC, SERVICE, MEDIUM, INFERRED),
	  .reads = "ethtool -k; IpExt.In*Pkts / Ip.InReceives",
	  .rule = "GRO is off on an interface, not a veth, that receives 20,000 packets/s or more, with fewer than 2 "
		  "merged into one",
	  .cause = "GRO is off on ${iface}: the stack handles each of ${packets} packets alone.",
	  .because = "Packets merged into one here: ${packets_merged|not known}.",
	  .clear = "packets merged into one by GRO: ${packets_merged|not known}",
	  .now = "`ethtool -K ${iface} gro on`", .keep = "${keep}",
	  .undo = "`ethtool -K ${iface} gro off`",
	  .expect = "up to 40 times fewer packets above the driver for bulk TCP",
	  .risk = "routers that forward other people's packets may want it off",
	  .shown = "bug-ring0", .reference = "Documentation/networking/segmentation-offloads.rst",
	  .judge = judge_gro },
	{}
};
