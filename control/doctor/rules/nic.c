/* SPDX-License-Identifier: GPL-2.0-only */
/* NICs: what they lost, and how they spread. A check names the worst interface. */
#include <string.h>

#include "doctor/rules/ifaces.h"

static __u64 all_packets(const struct doctor_snapshot *snap)
{
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < snap->after.ifaces.nr; i++) {
		if (snap->after.ifaces.at[i].link_type != DOCTOR_LOOPBACK)
			sum += doctor_packets_of(snap, &snap->after.ifaces.at[i]);
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
	static const char *const parts[] = { "alloc_fail", "buff_alloc_err", "alloc_rx_buff",
					     "alloc_err", NULL };
	double driver = (double)doctor_ethtool_sum(snap, iface, parts, NULL, 0), queues = 0;
	size_t i;

	for (i = 0; i < iface->queues.nr; i++) {
		const struct doctor_queue *is = &iface->queues.at[i];
		const struct doctor_queue *was = doctor_queue_before(snap, iface, is);
		__u64 rise = was && !is->tx ? doctor_since(was->alloc_fails, is->alloc_fails) :
					      ~0ULL;

		queues += rise == ~0ULL ? 0 : (double)rise;
	}
	return driver > queues ? driver : queues;
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
	iface = doctor_worst(snap, measure, &value);
	doctor_note_rise(finding, "events", value, DOCTOR_COUNT, source);
	doctor_note_rise(finding, "packets",
			 (double)(iface ? doctor_packets_of(snap, iface) : all_packets(snap)),
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
	    (finding->evidence[0].value < 20 * doctor_window_s(snap) ||
	     finding->evidence[0].value * 1000 < finding->evidence[1].value))
		return DOCTOR_CLEAR;
	return verdict;
}

const struct doctor_check doctor_checks_nic[] = {
	{
		DOCTOR_CHECK("nic-allowance", NIC, ELSEWHERE, HIGH, MEASURED),
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
		DOCTOR_CHECK("wire-errors", WIRE, ELSEWHERE, HIGH, MEASURED),
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
		DOCTOR_CHECK("nic-pauses", NIC, ARRIVAL, MEDIUM, MEASURED),
		.reads = "ethtool -S: pause frames sent, PFC",
		.rule = "they rise by 1/s or more",
		.cause =
			"${iface} tells the switch to stop (${events} pause frames): the queue now stands in the switch.",
		.because =
			"Flow control hides the overflow of this NIC and slows others at the switch.",
		.clear = "${events} pause frames sent",
		.remedy = { .now = "ethtool -A ${iface} tx off",
			    .keep = "the same in the interface's configuration",
			    .undo = "ethtool -A ${iface} tx on",
			    .expect =
				    "pauses 0; what does not fit is dropped here, where it can be seen and marked",
			    .risk = "drops where nothing (RoCE, FCoE) may be lost: leave it on there" },
		.after = "nic-no-memory rx-queue-standing " CPU_FULL " rx-starved",
		.reference = "ethtool(8) -A; IEEE 802.3x",
		.judge = judge_pause,
	},
	{
		DOCTOR_CHECK("nic-no-memory", NIC, MEMORY, HIGH, MEASURED),
		.reads = "qstats rx-alloc-fail; ethtool -S: *alloc*fail*",
		.rule = "they rise by 1/s or more",
		.cause =
			"${iface} could not get memory for packets ${events} times: its ring ran empty.",
		.because = "That is the host's free memory, not its CPU.",
		.clear = "${events} times no memory for a packet",
		.remedy = { .now = "sysctl vm.min_free_kbytes; sysctl -w twice that, 262144 at least",
			    .keep = "the same line in " SYSCTL_FILE,
			    .undo = "remove the line and set the old value",
			    .expect = "events from ${events} to 0",
			    .risk = "as much less for programs" },
		.reference = "Documentation/netlink/specs/netdev.yaml, rx-alloc-fail",
		.judge = judge_memory,
	},
	{
		DOCTOR_CHECK("nic-ring-overflow", NIC, ARRIVAL, HIGH, MEASURED),
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
			"nic-no-memory rx-queue-standing rx-starved cpu-steal cpu-pauses rx-cpu-busy rx-cpus-busy rx-skew bpf-dear packet-dear napi-starved nic-pauses",
		.reference = "Meta: removed by an AQM at the receive queue; statistics.rst",
		.essential = true,
		.judge = judge_overflow,
	},
	{
		DOCTOR_CHECK("xdp-drops", NIC, SETTING, MEDIUM, MEASURED),
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
		.after = "cq-shared rx-queue-standing " CPU_FULL " rx-starved cc-mix",
		.reference = "net/core/dev.c: XDP_DROP makes no kfree_skb event",
		.judge = judge_xdp,
	},
	{
		DOCTOR_CHECK("rx-dropped", NIC, ELSEWHERE, LOW, MEASURED),
		.reads = "rx_dropped of the interface",
		.rule = "20/s or more, and 1 of 1000 packets",
		.cause =
			"${events} packets were dropped at ${iface} for other reasons (rx_dropped).",
		.because = "Protocols or VLANs that nobody here wants, or a filter.",
		.clear = "${events} packets dropped at an interface for other reasons",
		.remedy = { .now = "perf trace -e skb:kfree_skb shows the reason of each",
			    .keep = "-",
			    NOTHING_CHANGED,
			    .expect = "events from ${events} to 0",
			    .risk = "none" },
		.after = "nic-ring-overflow nic-no-memory backlog-drops " CPU_FULL
			 " rx-starved rx-queue-standing flow-limit-drops",
		.reference = "statistics.rst",
		.judge = judge_dropped,
	},
	{}
};
