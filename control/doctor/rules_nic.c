/* SPDX-License-Identifier: GPL-2.0-only */
/* NICs: what they lost, and how they spread. A check names the worst interface. */
#include <string.h>

#include "doctor/check.h"

#define LINK "RTM_GETLINK"
#define ETHTOOL "ethtool -S"
#define LOOPBACK 772 /* ARPHRD_LOOPBACK */

/* The interface with the highest value of @measure above 0. */
static const struct doctor_iface *worst(const struct doctor_snapshot *snap,
					double (*measure)(const struct doctor_snapshot *snap,
							  const struct doctor_iface *iface),
					double *ret_value)
{
	const struct doctor_iface *most = NULL;
	size_t i;

	*ret_value = 0;
	for (i = 0; i < snap->after.ifaces.nr; i++) {
		const struct doctor_iface *iface = &snap->after.ifaces.at[i];
		double value = iface->link_type == LOOPBACK ? 0 : measure(snap, iface);

		if (value <= *ret_value)
			continue;
		*ret_value = value;
		most = iface;
	}
	return most;
}

static __u64 packets_of(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u64 value;

	return doctor_iface_stat(snap, iface, "rx_packets", &value) ? value : 0;
}

static __u64 all_packets(const struct doctor_snapshot *snap)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < snap->after.ifaces.nr; i++) {
		if (snap->after.ifaces.at[i].link_type != LOOPBACK)
			sum += packets_of(snap, &snap->after.ifaces.at[i]);
	}
	return sum;
}

static double stats(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		    const char *const *names)
{
	__u64 sum = 0, value;

	for (; *names; names++)
		sum += doctor_iface_stat(snap, iface, *names, &value) ? value : 0;
	return (double)sum;
}

static double wire(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	static const char *const names[] = { "rx_crc_errors", "rx_frame_errors", "rx_length_errors",
					     NULL };

	return stats(snap, iface, names);
}

/* Overflow has other names in each driver; these are sums of the kernel, and not all have them. */
static double overflow(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	static const char *const names[] = { "rx_missed_errors", "rx_over_errors", "rx_fifo_errors",
					     NULL };
	static const char *const parts[] = { "rx_out_of_buffer", "rx_no_dma",	    "rx_hw_drop",
					     "rx_buf_discard",	 "rx_discards_phy", "rx_missed",
					     "rx_overrun",	 "out_of_buffer",   NULL };
	double sums = stats(snap, iface, names), queues = 0, driver;
	size_t i;

	for (i = 0; i < iface->queues.nr; i++) {
		const struct doctor_queue *is = &iface->queues.at[i];
		const struct doctor_queue *was = doctor_queue_before(snap, iface, is);
		__u64 rise = was && !is->tx ? doctor_since(was->drops, is->drops) : ~0ULL;

		queues += rise == ~0ULL ? 0 : (double)rise;
	}
	driver = (double)doctor_ethtool_sum(snap, iface, parts, NULL, 0);
	sums = queues > sums ? queues : sums;
	return driver > sums ? driver : sums;
}

static double no_memory(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	static const char *const parts[] = { "alloc_f", "buff_alloc_err", "alloc_rx_buff",
					     "alloc_err", NULL };
	double sum = (double)doctor_ethtool_sum(snap, iface, parts, NULL, 0);
	size_t i;

	for (i = 0; i < iface->queues.nr; i++) {
		const struct doctor_queue *is = &iface->queues.at[i];
		const struct doctor_queue *was = doctor_queue_before(snap, iface, is);
		__u64 rise = was && !is->tx ? doctor_since(was->alloc_fails, is->alloc_fails) :
					      ~0ULL;

		sum += rise == ~0ULL ? 0 : (double)rise;
	}
	return sum;
}

static double pauses(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	static const char *const parts[] = { "tx_pause", "tx_flow_control_xon",
					     "tx_flow_control_xoff", "tx_pfc", NULL };

	return (double)doctor_ethtool_sum(snap, iface, parts, NULL, 0);
}

static double allowance(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	static const char *const parts[] = { "allowance_exceeded", "rx_hw_drop_ratelimit", NULL };

	return (double)doctor_ethtool_sum(snap, iface, parts, NULL, 0);
}

/* Native XDP drops make no skb: dropwatch and the like never see them. Drivers count them under
 * names with "xdp" and "drop"; rxaqm counts its own.
 */
static double xdp_drops(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	static const char *const parts[] = { "xdp_drop", "xdp_packets_drop", "xdp_tx_drop", NULL };
	double sum = (double)doctor_ethtool_sum(snap, iface, parts, NULL, 0), own = 0;
	size_t i;

	for (i = 0; i < snap->attached.nr; i++) {
		if (snap->attached.at[i].ifindex == iface->ifindex)
			own += (double)snap->attached.at[i].dropped;
	}
	return own > sum ? own : sum;
}

static double dropped(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	static const char *const names[] = { "rx_dropped", NULL };

	return stats(snap, iface, names);
}

static enum doctor_verdict judge(const struct doctor_snapshot *snap, struct doctor_finding *finding,
				 double (*measure)(const struct doctor_snapshot *snap,
						   const struct doctor_iface *iface),
				 const char *source)
{
	const struct doctor_iface *iface;
	double value;

	if (!snap->after.ifaces.nr)
		return doctor_blind(finding, "no interface is up");
	iface = worst(snap, measure, &value);
	doctor_note_rise(finding, "events", value, DOCTOR_COUNT, source);
	doctor_note_rise(finding, "packets",
			 (double)(iface ? packets_of(snap, iface) : all_packets(snap)),
			 DOCTOR_COUNT, LINK);
	if (!iface || value < doctor_window_s(snap))
		return DOCTOR_CLEAR;
	doctor_say(finding, "iface", "%s", iface->name);
	doctor_note(finding, "ring", iface->rx_ring, DOCTOR_NUMBER, "ethtool -g");
	doctor_note(finding, "ring_max", iface->rx_ring_max, DOCTOR_NUMBER, "ethtool -g");
	return DOCTOR_FOUND;
}

static enum doctor_verdict judge_wire(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding)
{
	return judge(snap, finding, wire, LINK " rx_crc_errors, rx_frame_errors");
}

static enum doctor_verdict judge_overflow(const struct doctor_snapshot *snap,
					  struct doctor_finding *finding)
{
	return judge(snap, finding, overflow, LINK ", qstats, " ETHTOOL);
}

static enum doctor_verdict judge_memory(const struct doctor_snapshot *snap,
					struct doctor_finding *finding)
{
	return judge(snap, finding, no_memory, "qstats rx-alloc-fail, " ETHTOOL);
}

static enum doctor_verdict judge_pause(const struct doctor_snapshot *snap,
				       struct doctor_finding *finding)
{
	return judge(snap, finding, pauses, ETHTOOL);
}

static enum doctor_verdict judge_allowance(const struct doctor_snapshot *snap,
					   struct doctor_finding *finding)
{
	return judge(snap, finding, allowance, ETHTOOL);
}

static enum doctor_verdict judge_xdp(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	enum doctor_verdict verdict;
	__u64 own = 0;
	size_t i;

	for (i = 0; i < snap->attached.nr; i++)
		own += snap->attached.at[i].dropped;
	doctor_note_rise(finding, "by_rxaqm", (double)own, DOCTOR_COUNT, "rxaqm, its counters");
	verdict = judge(snap, finding, xdp_drops, ETHTOOL ", rxaqm");
	/* An AQM that drops does what it is there for. */
	if (verdict == DOCTOR_FOUND && finding->evidence[1].value <= (double)own)
		finding->severity = DOCTOR_LOW;
	return verdict;
}

static enum doctor_verdict judge_dropped(const struct doctor_snapshot *snap,
					 struct doctor_finding *finding)
{
	enum doctor_verdict verdict = judge(snap, finding, dropped, LINK " rx_dropped");

	/* Of unknown protocols and VLANs a few are everywhere. */
	if (verdict == DOCTOR_FOUND &&
	    finding->evidence[0].value * 1000 < finding->evidence[1].value)
		return DOCTOR_CLEAR;
	return verdict;
}

/* How uneven: the busiest Rx queue over the mean; 0: not known, or too little traffic. */
static double skew(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u64 total = 0, most = 0;
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < iface->queues.nr; i++) {
		const struct doctor_queue *is = &iface->queues.at[i];
		const struct doctor_queue *was = doctor_queue_before(snap, iface, is);
		__u64 rise;

		if (is->tx || !was)
			continue;
		rise = doctor_since(was->packets, is->packets);
		if (rise == ~0ULL)
			rise = doctor_since(was->irq_count, is->irq_count);
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
	__u64 total = 0;
	size_t i;

	*ret_most = 0;
	for (i = 0; i < snap->sockets.groups.nr; i++) {
		const struct doctor_group *group = &snap->sockets.groups.at[i];

		if (group->ifindex != iface->ifindex || group->rx_queue == ~0U)
			continue;
		total += group->active;
		if (group->active > *ret_most) {
			*ret_most = group->active;
			*ret_queue = group->rx_queue;
		}
	}
	return total;
}

/* By flows: max over mean, where there are eight for each queue. */
static double flow_skew(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u32 queues = iface->channels ?: iface->rx_queues, queue;
	__u64 most, total = flows_of(snap, iface, &most, &queue);

	if (queues < 2 || queues == ~0U || total < 8ULL * queues)
		return 0;
	return (double)most * queues / (double)total;
}

static enum doctor_verdict judge_skew(const struct doctor_snapshot *snap,
				      struct doctor_finding *finding)
{
	double by_packets, by_flows;
	const struct doctor_iface *iface = worst(snap, skew, &by_packets);
	const struct doctor_iface *other = worst(snap, flow_skew, &by_flows);
	__u32 queue = 0;
	__u64 most;

	doctor_note_rise(finding, "packets_skew", by_packets, DOCTOR_RATIO,
			 "packets by queue: qstats, " ETHTOOL ", /proc/interrupts");
	doctor_note(finding, "flows_skew", by_flows, DOCTOR_RATIO, "BPF iter/tcp by Rx queue");
	if (by_packets <= 2 && by_flows <= 2)
		return DOCTOR_CLEAR;
	iface = by_packets > by_flows ? iface : other;
	doctor_say(finding, "iface", "%s", iface->name);
	doctor_note(finding, "flows", (double)flows_of(snap, iface, &most, &queue), DOCTOR_COUNT,
		    "BPF iter/tcp");
	doctor_note(finding, "flows_there", (double)most, DOCTOR_COUNT, "BPF iter/tcp");
	doctor_note(finding, "queue", queue, DOCTOR_NUMBER, "BPF iter/tcp");
	doctor_note(finding, "queues", iface->channels ?: iface->rx_queues, DOCTOR_NUMBER,
		    "ethtool -l");
	doctor_note(finding, "rss_largest_share", iface->rss_share_max_permille / 10.0,
		    DOCTOR_PERCENT, "ethtool -x");
	return DOCTOR_FOUND;
}

static bool receives_much(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	return (double)packets_of(snap, iface) / doctor_window_s(snap) >= 20000;
}

static double missing_queues(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	__u32 queues = iface->channels, cpus = (__u32)snap->after.cpus.nr;

	if (!queues || !receives_much(snap, iface) || iface->rps_queues ||
	    queues >= iface->rx_max_queues || queues * 2 > cpus)
		return 0;
	return cpus - queues;
}

static bool some_cpu_is_full(const struct doctor_snapshot *snap)
{
	double ticks = doctor_window_s(snap) * (snap->ticks_per_s ?: 100) / 100;
	size_t i;

	for (i = 0; i < snap->after.cpus.nr && i < snap->before.cpus.nr; i++) {
		if ((double)(snap->after.cpus.at[i].softirq - snap->before.cpus.at[i].softirq) /
			    ticks >=
		    90)
			return true;
	}
	return false;
}

static enum doctor_verdict judge_few(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	double missing;
	const struct doctor_iface *iface = worst(snap, missing_queues, &missing);
	__u32 queues = 0;
	size_t i;

	for (i = 0; i < snap->after.ifaces.nr; i++) {
		if (snap->after.ifaces.at[i].channels > queues)
			queues = snap->after.ifaces.at[i].channels;
	}
	doctor_note(finding, "queues", iface ? iface->channels : queues, DOCTOR_NUMBER,
		    "ethtool -l");
	doctor_note(finding, "cpus", (double)snap->after.cpus.nr, DOCTOR_NUMBER, "/proc/stat");
	if (!iface || !some_cpu_is_full(snap))
		return DOCTOR_CLEAR;
	doctor_say(finding, "iface", "%s", iface->name);
	doctor_note(finding, "possible", iface->rx_max_queues, DOCTOR_NUMBER, "ethtool -l");
	return DOCTOR_FOUND;
}

static double without_gro(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	return iface->gro_known && !iface->gro && receives_much(snap, iface) ?
		       (double)packets_of(snap, iface) :
		       0;
}

static enum doctor_verdict judge_gro(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	static const char *const wire_packets[] = { "IpExt.InNoECTPkts", "IpExt.InECT0Pkts",
						    "IpExt.InECT1Pkts", "IpExt.InCEPkts", NULL };
	double packets;
	const struct doctor_iface *iface = worst(snap, without_gro, &packets);
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
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < snap->after.ifaces.nr; i++) {
		const struct doctor_iface *iface = &snap->after.ifaces.at[i];
		__u64 packets;

		if (doctor_iface_stat(snap, iface, "rx_packets", &packets))
			continue;
		nr++;
		doctor_say(finding, "iface", "%s", iface->name);
	}
	doctor_note(finding, "resets", nr, DOCTOR_COUNT, LINK);
	return doctor_found_if(nr);
}

#define NOTHING_CHANGED .undo = "nothing was changed"

const struct doctor_check doctor_checks_nic[] = {
	{
		.id = "nic-allowance",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_ELSEWHERE,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "ethtool -S: *_allowance_exceeded (ENA), ratelimit drops",
		.rule = "they rise by 1/s or more",
		.cause =
			"The cloud limits ${iface}: ${events} packets were over the allowance of this machine type.",
		.because =
			"The hypervisor drops or delays what is over it. Nothing on this host can change that.",
		.clear = "${events} packets over the allowance of a hypervisor",
		.remedy = { .now = "a larger machine type, or less traffic",
			    .keep = "the same",
			    NOTHING_CHANGED,
			    .expect = "events from ${events} to 0",
			    .risk = "price" },
		.reference = "Documentation/networking/device_drivers/ethernet/amazon/ena.rst",
		.judge = judge_allowance,
	},
	{
		.id = "wire-errors",
		.place = DOCTOR_WIRE,
		.kind = DOCTOR_ELSEWHERE,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "rx_crc_errors, rx_frame_errors, rx_length_errors",
		.rule = "they rise by 1/s or more",
		.cause = "${iface} receives damaged frames: ${events} of ${packets}.",
		.because = "A cable, a transceiver or a port of the switch.",
		.clear = "${events} damaged frames of ${packets}",
		.remedy = { .now = "ethtool -m ${iface} (light levels); change the cable, then the transceiver",
			    .keep = "the same",
			    NOTHING_CHANGED,
			    .expect = "events from ${events} to 0",
			    .risk = "the link goes down meanwhile" },
		.reference = "Documentation/networking/statistics.rst",
		.judge = judge_wire,
	},
	{
		.id = "nic-pauses",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_ARRIVAL,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_MEASURED,
		.reads = "ethtool -S: pause frames sent, PFC",
		.rule = "they rise by 1/s or more",
		.cause =
			"${iface} tells the switch to stop (${events} pause frames): the queue now stands in the switch.",
		.because =
			"Flow control hides the overflow of this NIC and slows others at the switch.",
		.clear = "${events} pause frames sent",
		.remedy = { .now = "ethtool -A ${iface} rx off tx off",
			    .keep = "the same in the interface's configuration",
			    .undo = "ethtool -A ${iface} rx on tx on",
			    .expect =
				    "pauses 0; what does not fit is dropped here, where it can be seen and marked",
			    .risk = "drops where nothing (RoCE, FCoE) may be lost: leave it on there" },
		.after = "nic-no-memory rx-queue-standing rx-cpu-busy rx-cpus-busy rx-starved",
		.reference = "ethtool(8) -A; IEEE 802.3x",
		.judge = judge_pause,
	},
	{
		.id = "nic-no-memory",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_MEMORY,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads = "qstats rx-alloc-fail; ethtool -S: *alloc*fail*",
		.rule = "they rise by 1/s or more",
		.cause =
			"${iface} could not get memory for packets ${events} times: its ring ran empty.",
		.because = "That is the host's free memory, not its CPU.",
		.clear = "${events} times no memory for a packet",
		.remedy = { .now = "sysctl -w vm.min_free_kbytes=262144",
			    .keep = "echo vm.min_free_kbytes=262144 >>/etc/sysctl.d/60-rxaqm-doctor.conf",
			    .undo = "remove the line and set the old value",
			    .expect = "events from ${events} to 0",
			    .risk = "256 MB less for programs" },
		.reference = "Documentation/netlink/specs/netdev.yaml, rx-alloc-fail",
		.judge = judge_memory,
	},
	{
		.id = "nic-ring-overflow",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_ARRIVAL,
		.severity = DOCTOR_HIGH,
		.confidence = DOCTOR_MEASURED,
		.reads =
			"qstats rx-hw-drop-overruns; rx_missed, rx_fifo, rx_over; ethtool -S of the driver",
		.rule = "they rise by 1/s or more",
		.cause =
			"The receive ring of ${iface} overflows: ${events} packets were lost in the NIC.",
		.because =
			"The CPU of a queue did not take them in time; the ring has ${ring} entries of ${ring_max} "
			"possible.",
		.clear = "${events} packets lost in NICs of ${packets}",
		.remedy = { .now = "rxaqm attach ${iface} mode=enforce; for bursts only: ethtool -G ${iface} rx ${ring_max}",
			    .keep = "rxaqm.conf(5), or the interface's configuration",
			    .undo = "rxaqm detach ${iface}; ethtool -G ${iface} rx ${ring}",
			    .expect = "events from ${events} to about 0",
			    .risk = "a larger ring is a longer delay when it stands full" },
		.after =
			"nic-no-memory rx-queue-standing rx-starved cpu-steal rx-cpu-busy rx-cpus-busy nic-pauses",
		.reference = "Meta: removed by an AQM at the receive queue; statistics.rst",
		.essential = true,
		.judge = judge_overflow,
	},
	{
		.id = "rx-skew",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_SKEWED,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_MEASURED,
		.reads =
			"packets by Rx queue (qstats, ethtool -S, interrupts); flows by Rx queue; ethtool -x",
		.rule = "max over mean above 2, with 1000 packets/s, or 8 flows a queue",
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
		.reference = "scaling.rst; Meta: a changed setting reshuffled the key",
		.judge = judge_skew,
	},
	{
		.id = "rx-queues-few",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_SKEWED,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_INFERRED,
		.reads = "ethtool -l, number of CPUs, softirq by CPU",
		.rule = "queues for at most half of the CPUs, more are possible, no RPS, and a CPU is 90 % in softirqs",
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
		.id = "gro-off",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_SERVICE,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_INFERRED,
		.reads = "ethtool -k; IpExt.In*Pkts / Ip.InReceives",
		.rule = "GRO is off where 20,000 packets/s or more arrive, fewer than 2 in one",
		.cause =
			"GRO is off on ${iface}: the stack handles each of ${packets} packets alone.",
		.because = "${packets_merged} packets are merged into one here.",
		.clear = "${packets_merged} packets merged into one by GRO",
		.remedy = { .now = "ethtool -K ${iface} gro on",
			    .keep = "the same in the interface's configuration",
			    .undo = "ethtool -K ${iface} gro off",
			    .expect = "up to 40 times fewer packets above the driver for bulk TCP",
			    .risk = "routers of other people's packets may want it off" },
		.reference = "Documentation/networking/segmentation-offloads.rst",
		.judge = judge_gro,
	},
	{
		.id = "xdp-drops",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_SETTING,
		.severity = DOCTOR_MEDIUM,
		.confidence = DOCTOR_MEASURED,
		.reads = "ethtool -S: *xdp_drop*; drops that rxaqm counts",
		.rule = "they rise by 1/s or more",
		.cause =
			"An XDP program on ${iface} drops packets: ${events}, of which ${by_rxaqm} by rxaqm.",
		.because =
			"They never become skbs, so dropwatch, tcpdump and the stack's counters do not see them.",
		.clear = "${events} packets dropped by XDP programs",
		.remedy = { .now = "bpftool net show dev ${iface}; if it is rxaqm: rxaqm status ${iface}",
			    .keep = "the program's own configuration",
			    NOTHING_CHANGED,
			    .expect = "events from ${events} to what the program is meant to drop",
			    .risk = "none" },
		.after = "cq-shared rx-queue-standing rx-cpu-busy rx-cpus-busy rx-starved cc-mix",
		.reference = "net/core/dev.c: XDP_DROP makes no kfree_skb event",
		.judge = judge_xdp,
	},
	{
		.id = "rx-dropped",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_ELSEWHERE,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_MEASURED,
		.reads = "rx_dropped of the interface",
		.rule = "1 of 1000 packets or more",
		.cause =
			"${events} packets were dropped at ${iface} for other reasons (rx_dropped).",
		.because = "Protocols or VLANs that nobody here wants, or a filter.",
		.clear = "${events} packets dropped at an interface for other reasons",
		.remedy = { .now = "perf trace -e skb:kfree_skb shows the reason of each",
			    .keep = "-",
			    NOTHING_CHANGED,
			    .expect = "events from ${events} to 0",
			    .risk = "none" },
		.after = "nic-ring-overflow nic-no-memory backlog-drops rx-cpu-busy rx-cpus-busy rx-starved "
			 "rx-queue-standing flow-limit-drops",
		.reference = "statistics.rst",
		.judge = judge_dropped,
	},
	{
		.id = "counters-reset",
		.place = DOCTOR_NIC,
		.kind = DOCTOR_SETTING,
		.severity = DOCTOR_LOW,
		.confidence = DOCTOR_MEASURED,
		.reads = "rx_packets of each interface, twice",
		.rule = "a counter went back, or the interface is new",
		.cause =
			"${iface} was reset or is new: its counters started again, and prove nothing.",
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
