/* SPDX-License-Identifier: GPL-2.0-only */
/* NICs: what they lost. A check names the worst interface. */
#include <string.h>

#include "doctor/rules/ifaces.h"

/* Losses have other names in each driver: the largest of all that may count the same is taken. */
static const struct loss {
	const char *id; /* of the check */
	const char *stats[4]; /* sums of the kernel, which not all drivers have */
	const char *parts[9]; /* of names of the driver's counters */
	size_t by_queue; /* a field of the Rx queues; 0: none */
	const char *source;
} losses[] = {
	{ .id = "wire-errors",
	  .stats = { "rx_crc_errors", "rx_frame_errors", "rx_length_errors" },
	  .source = LINK " rx_crc_errors, rx_frame_errors" },
	{ .id = "nic-ring-overflow",
	  .stats = { "rx_missed_errors", "rx_over_errors", "rx_fifo_errors" },
	  .parts = { "rx_out_of_buffer", "rx_no_dma", "rx_hw_drop", "rx_buf_discard",
		     "rx_discards_phy", "rx_missed", "rx_overrun", "out_of_buffer" },
	  .by_queue = offsetof(struct doctor_queue, drops),
	  .source = LINK ", qstats, " ETHTOOL },
	{ .id = "nic-no-memory",
	  .parts = { "alloc_fail", "buff_alloc_err", "alloc_rx_buff", "alloc_err" },
	  .by_queue = offsetof(struct doctor_queue, alloc_fails),
	  .source = "qstats rx-alloc-fail, " ETHTOOL },
	{ .id = "nic-pauses",
	  .parts = { "tx_pause", "tx_flow_control_xon", "tx_flow_control_xoff", "tx_pfc" },
	  .source = ETHTOOL },
	{ .id = "nic-allowance",
	  .parts = { "allowance_exceeded", "rx_hw_drop_ratelimit" },
	  .source = ETHTOOL },
	/* Native XDP drops make no skb: dropwatch and the like never see them. */
	{ .id = "xdp-drops",
	  .parts = { "xdp_drop", "xdp_packets_drop", "xdp_tx_drop" },
	  .source = ETHTOOL ", rxaqm" },
	{ .id = "rx-dropped", .stats = { "rx_dropped" }, .source = LINK " rx_dropped" },
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* What rxaqm counts itself; of all interfaces if @iface is NULL. */
static __u64 dropped_by_rxaqm(const struct doctor_snapshot *snap, const struct doctor_iface *iface)
{
	const struct doctor_attached *queue;
	__u64 sum = 0;

	rxaqm_list_each(queue, &snap->attached) {
		if (!iface || queue->ifindex == iface->ifindex)
			sum += queue->dropped;
	}
	return sum;
}

static double lost(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		   const struct loss *loss)
{
	const struct doctor_queue *queue;
	double sum = 0, queues = 0;
	__u64 value;
	size_t i;

	for (i = 0; loss->stats[i]; i++)
		sum += doctor_iface_stat(snap, iface, loss->stats[i], &value) ? (double)value : 0;
	rxaqm_list_each(queue, &iface->queues) {
		value = loss->by_queue && !queue->tx ?
				doctor_queue_rise_at(snap, iface, queue, loss->by_queue) :
				~0ULL;
		queues += value == ~0ULL ? 0 : (double)value;
	}
	sum = larger(sum, queues);
	if (loss->parts[0])
		sum = larger(sum, (double)doctor_ethtool_sum(snap, iface, loss->parts));
	if (!strcmp(loss->id, "xdp-drops"))
		sum = larger(sum, (double)dropped_by_rxaqm(snap, iface));
	return sum;
}

static __u64 all_packets(const struct doctor_snapshot *snap)
{
	const struct doctor_iface *iface;
	__u64 sum = 0;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		if (iface->link_type != DOCTOR_LOOPBACK)
			sum += doctor_packets_of(snap, iface);
	}
	return sum;
}

static enum doctor_verdict judge(const struct doctor_snapshot *snap, struct doctor_finding *finding)
{
	const struct doctor_iface *at, *iface = NULL;
	const struct loss *loss = losses;
	double events, most = 0;

	if (!snap->after.ifaces.nr)
		return doctor_blind(finding, "no interface is up");
	while (strcmp(loss->id, finding->check->id))
		loss++;
	rxaqm_list_each(at, &snap->after.ifaces) {
		events = doctor_is_sum(at) ? 0 : lost(snap, at, loss);
		if (events <= most)
			continue;
		most = events;
		iface = at;
	}
	doctor_note_rise(finding, "events", most, DOCTOR_COUNT, loss->source);
	doctor_note_count(finding, "packets",
			  iface ? doctor_packets_of(snap, iface) : all_packets(snap), LINK);
	if (!iface || most < doctor_window_s(snap))
		return DOCTOR_CLEAR;
	doctor_say(finding, "iface", "%s", iface->name);
	doctor_note(finding, "ring", iface->rx_ring, DOCTOR_NUMBER, "ethtool -g");
	doctor_note(finding, "ring_max", iface->rx_ring_max, DOCTOR_NUMBER, "ethtool -g");
	return DOCTOR_FOUND;
}

static enum doctor_verdict judge_xdp(const struct doctor_snapshot *snap,
				     struct doctor_finding *finding)
{
	__u64 own = dropped_by_rxaqm(snap, NULL);
	enum doctor_verdict verdict;

	doctor_note_count(finding, "by_rxaqm", own, "rxaqm, its counters");
	verdict = judge(snap, finding);
	/* An AQM that drops does what it is there for. */
	if (verdict == DOCTOR_FOUND && finding->evidence[1].value <= (double)own)
		finding->severity = DOCTOR_LOW;
	return verdict;
}

static enum doctor_verdict judge_dropped(const struct doctor_snapshot *snap,
					 struct doctor_finding *finding)
{
	enum doctor_verdict verdict = judge(snap, finding);

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
		.judge = judge,
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
		.judge = judge,
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
		.judge = judge,
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
		.judge = judge,
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
		.judge = judge,
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
