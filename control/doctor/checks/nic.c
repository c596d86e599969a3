/* SPDX-License-Identifier: GPL-2.0-only */
/* What NICs lost, at the worst interface; and whether anything came. */
#include <json-c/json.h>
#include <string.h>

#include "doctor/checks/ifaces.h"

/* A hang lasts 5 s: one is enough. */
DOCTOR_JUDGE(judge_hang)
{
	enum doctor_verdict verdict = doctor_judge_nic(snap, finding);

	finding->severity = finding->check->severity;
	return verdict == DOCTOR_BLIND ? verdict :
					 doctor_found_if(doctor_noted(finding, "events") > 0);
}

/* Allowances for a few kinds of packets are not to be compared with all packets. */
DOCTOR_JUDGE(judge_allowance)
{
	enum doctor_verdict verdict = doctor_judge_nic(snap, finding);

	if (finding->iface &&
	    (strstr(finding->counter, "linklocal") || strstr(finding->counter, "conntrack")))
		finding->severity = finding->check->severity;
	return verdict;
}

/* A few are always there, from odd peers, or from VLANs if a MAC does not allow for the tag. Some
 * MACs count every frame above 1518 bytes, though they accept it.
 */
DOCTOR_JUDGE(judge_long)
{
	enum doctor_verdict verdict = doctor_judge_nic(snap, finding);

	if (verdict != DOCTOR_FOUND)
		return verdict;
	if (doctor_or_0(finding->iface->mtu) > 1500 &&
	    strcmp(finding->counter, "rx_length_errors") != 0)
		finding->severity = DOCTOR_LOW;
	return verdict;
}

/* The driver's own pause time if it has one; otherwise many pauses count as long ones. */
DOCTOR_JUDGE(judge_paused)
{
	enum doctor_verdict verdict = doctor_judge_nic(snap, finding);
	const char *way = finding->check->place == DOCTOR_TX ? "rx_" : "tx_";
	double window = doctor_window_s(snap), share = -1;
	__u64 us;

	if (verdict != DOCTOR_FOUND)
		return verdict;
	json_object_object_foreach(finding->iface->ethtool, name, entry) {
		(void)entry;
		if (strstr(name, way) && strstr(name, "pause_duration") &&
		    doctor_iface_rise(snap, finding->iface, true, name, &us) &&
		    (double)us / 1e4 / window > share)
			share = (double)us / 1e4 / window;
	}
	if (share >= 0)
		doctor_note_share(finding, "paused", share, ETHTOOL);
	finding->severity = finding->check->severity;
	if (share >= 0 ? share < 5 : doctor_noted(finding, "events") < 100 * window)
		finding->severity = DOCTOR_LOW;
	return verdict;
}

DOCTOR_JUDGE(judge_xdp)
{
	enum doctor_verdict verdict = doctor_judge_nic(snap, finding);

	/* An AQM is there to drop, and other programs are, too: a filter may drop a part. */
	if (doctor_noted(finding, "events") <= doctor_noted(finding, "by_rxaqm") ||
	    doctor_noted(finding, "events") < doctor_noted(finding, "packets"))
		finding->severity = DOCTOR_LOW;
	return verdict;
}

/* What rises in rx_dropped of these is what nobody wants: the driver itself adds nothing, or lost
 * packets have a counter of their own (linux-6.12.117: igb_main.c, igc_main.c, ixgbe_main.c,
 * e1000e/netdev.c, qede_main.c, netvsc_drv.c, r8169_main.c, tg3.c, usbnet.c; bridges).
 */
#define COUNT_UNWANTED "e1000e igb igc ixgbe qede hv_netvsc r8169 tg3 smsc95xx bridge openvswitch"

DOCTOR_JUDGE(judge_dropped)
{
	enum doctor_verdict verdict = doctor_judge_nic(snap, finding);
	double events = doctor_noted(finding, "events"), packets = doctor_noted(finding, "packets");

	if (verdict != DOCTOR_FOUND)
		return verdict;
	/* A few packets of unknown protocols and VLANs arrive everywhere. So many, by a driver that
	 * may count losses there, nothing here explains.
	 */
	if (events < 20 * doctor_window_s(snap) || events * 1000 < packets ||
	    (events * 100 > packets && !doctor_is_one_of(finding->iface->driver, COUNT_UNWANTED)))
		return DOCTOR_CLEAR;
	return verdict;
}

/* Blind if no packet came, or an interface appeared, went or was reset. A veth may appear or go: it
 * does with its container.
 */
DOCTOR_JUDGE(judge_window)
{
	const struct doctor_iface *iface, *now;
	__u64 packets = 0, came;

	rxaqm_list_each(iface, &snap->after.ifaces) {
		if (doctor_iface_stat(snap, iface, "rx_packets", &came))
			packets += came;
		else if (doctor_iface_before(snap, iface))
			return doctor_blind(
				finding,
				"%s was reset: its counters started again and prove nothing, and a "
				"reset hides faults for a while; run the doctor again",
				iface->name);
		else if (strcmp(iface->driver, "veth"))
			return doctor_blind(finding,
					    "%s appeared within the window; run the doctor again",
					    iface->name);
	}
	rxaqm_list_each(iface, &snap->before.ifaces) {
		now = doctor_iface_at(snap, iface->ifindex);
		if (!now && strcmp(iface->driver, "veth"))
			return doctor_blind(finding,
					    "%s disappeared within the window; run the doctor again",
					    iface->name);
	}
	doctor_note_count(finding, "packets", packets, LINK);
	if ((double)packets < doctor_window_s(snap))
		return doctor_blind(finding,
				    "no packets came in the window: run the doctor while it is slow");
	return DOCTOR_CLEAR;
}

const struct doctor_check doctor_checks_nic[] = {
	{ DOCTOR_CHECK("nic-allowance", NIC, ELSEWHERE, HIGH, MEASURED),
	  .reads = "ethtool -S: *_allowance_exceeded (ENA), ratelimit drops",
	  .cause =
		  "The cloud limits ${iface}: ${events} packets were over an allowance of this machine (${counter}${others}).",
	  .because =
		  "The hypervisor drops or delays packets over the allowance. Some allowances are by queue: there more "
		  "queues help.",
	  .clear = "${events} packets over the allowance of a hypervisor",
	  .now = "${queues|}${less}", .undo = "${old_queues|nothing was changed}",
	  .expect = "events from ${events} to 0", .risk = "price of a larger machine",
	  .shown = "p07_linklocal",
	  .reference = "Documentation/networking/device_drivers/ethernet/amazon/ena.rst",
	  .judge = judge_allowance },
	{ DOCTOR_CHECK("nic-port-discards", NIC, SERVICE, HIGH, MEASURED),
	  .reads = "ethtool -S: rx_discards_phy, *buf_discard, brb_discard; current_link_width",
	  .cause =
		  "${iface} loses packets before its rings: ${events} of ${packets} found no room behind the port${others}.",
	  .because =
		  "Rings and CPUs have room: the NIC itself or its PCIe bus (width: ${pcie|not known}) cannot take the packets.",
	  .clear = "${events} packets had no room behind the port of a NIC",
	  .now = "`lspci -vv` of the NIC: compare LnkSta with LnkCap, and use a slot of full width. `ethtool -S ${iface}` outbound_pci_stalled_wr; remove an XDP program that is not needed. `ethtool -A ${iface} rx on tx on` if the NIC's FIFO is too small, or a slower link",
	  .keep = "the slot, the firmware's PCIe settings",
	  .undo = "`ethtool -A ${iface} rx off tx off` if that was tried",
	  .expect = "events from ${events} to 0", .after = "nic-allowance",
	  .shown = "c13_cx6_discards",
	  .reference = "Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst",
	  .judge = doctor_judge_nic },
	{ DOCTOR_CHECK("wire-errors", WIRE, ELSEWHERE, HIGH, MEASURED),
	  .reads = "rx_crc_errors, rx_frame_errors; ethtool -S: *crc*, *fcs*, *symbol*, *align*",
	  .cause = "${iface} receives damaged frames: ${events} of ${packets}${others}.",
	  .because = "A cable, a transceiver or a port of the switch is faulty.",
	  .clear = "${events} damaged frames of ${packets}",
	  .now = "`ethtool -m ${iface}` shows light levels; change the cable, then the transceiver",
	  .expect = "events from ${events} to 0", .risk = "the link goes down meanwhile",
	  .after = "duplex-mismatch", .shown = "c09_duplex",
	  .reference = "Documentation/networking/statistics.rst", .judge = doctor_judge_nic },
	{ DOCTOR_CHECK("frames-too-long", WIRE, SETTING, MEDIUM, MEASURED),
	  .reads = "rx_length_errors; ethtool -S: *oversize*, *long*, *length_err*; MTU",
	  .rule = "1/s or more; low below 1 of 1000 packets, or where the MTU is above 1500 and only the driver counts",
	  .cause =
		  "${iface} receives frames longer than its MTU (${mtu|not known}): it dropped ${events} of ${packets}${others}.",
	  .because =
		  "The frames are not damaged (their CRC is right): a peer, a switch or a tunnel in the same network "
		  "has a larger MTU (${counter}). Small packets pass, full ones never do: connections begin, and then "
		  "hang.",
	  .clear = "${events} frames longer than the MTU",
	  .now = "one MTU in the whole network: ping -M do -s 1472, and -s 8972, to the others shows which sizes pass. `ip link set ${iface} mtu 9000` if the others have that, else 1500 at the others",
	  .keep = "${keep}", .undo = "`ip link set ${iface} mtu ${mtu}`",
	  .expect = "events from ${events} to 0", .risk = "many drivers reset the link for it",
	  .after = "wire-errors duplex-mismatch", .shown = "p16_long_frames",
	  .reference = "statistics.rst; RFC 4821", .judge = judge_long },
	{ DOCTOR_CHECK("nic-pauses", NIC, ARRIVAL, MEDIUM, MEASURED),
	  .reads = "ethtool -S: pause frames sent, PFC, *pause_duration*",
	  .rule = "1/s or more; low below 5 % of the time, or, where that is not known, below 100/s",
	  .cause =
		  "${iface} tells the switch to stop (${events} pause frames${others}): the queue now stands in the switch.",
	  .because = "Flow control hides the overflow of this NIC and slows others at the switch.",
	  .clear = "${events} pause frames sent",
	  .now = "${ring_first|}`ethtool -A ${iface} tx off` loses packets instead of pausing: only if other hosts suffer from the pauses",
	  .keep = "${keep}", .undo = "${ring_back|}`ethtool -A ${iface} tx on`",
	  .expect =
		  "pauses 0; packets that do not fit are dropped here, where that can be seen and marked",
	  .risk = "drops; leave it on for traffic that may lose nothing (RoCE, FCoE)",
	  .after = "nic-no-memory nic-port-discards rx-queue-standing " CPU_FULL " rx-starved",
	  .shown = "x4_mlx5_pfc", .reference = "ethtool(8) -A; IEEE 802.3x", .times = true,
	  .judge = judge_paused },
	{ DOCTOR_CHECK("nic-pauses-received", TX, ELSEWHERE, MEDIUM, MEASURED),
	  .reads = "ethtool -S: pause frames received, PFC, *pause_duration*",
	  .rule = "1/s or more; low below 5 % of the time, or, where that is not known, below 100/s",
	  .cause =
		  "${iface} is told to stop sending: ${events} pause frames came${others} (time paused: ${paused|not known}).",
	  .because = "The switch, or a host behind it, does not take what this host sends.",
	  .clear = "${events} pause frames received",
	  .now = "find the slow host behind the switch: the switch counts pauses by port",
	  .expect = "events from ${events} to 0", .after = "nic-pauses", .shown = "p03_paused",
	  .reference = "ethtool(8) -a; IEEE 802.3x, 802.1Qbb", .times = true,
	  .judge = judge_paused },
	{ DOCTOR_CHECK("nic-no-memory", NIC, MEMORY, HIGH, MEASURED),
	  .reads = "qstats rx-alloc-fail; ethtool -S: *alloc*fail*",
	  .cause =
		  "${iface} could not get memory for packets ${events} times${others}: its ring ran empty.",
	  .because = "The host lacks free memory, not CPU time.",
	  .clear = "${events} times there was no memory for a packet",
	  .now = "`sysctl -w vm.min_free_kbytes=${larger}` of ${memory}",
	  SYSCTL_KEPT("vm.min_free_kbytes", "${larger}", "${smaller}"),
	  .expect = "events from ${events} to 0", .risk = "programs have that much less memory",
	  .shown = "n09_mvneta_memory",
	  .reference = "Documentation/netlink/specs/netdev.yaml, rx-alloc-fail", .times = true,
	  .judge = doctor_judge_nic },
	{ DOCTOR_CHECK("nic-ring-overflow", NIC, ARRIVAL, HIGH, MEASURED),
	  .reads =
		  "qstats rx-hw-drop-overruns; rx_missed, rx_fifo, rx_over; ethtool -S of the driver",
	  .cause =
		  "The receive ring of ${iface} overflows: ${events} packets were lost in the NIC${others}.",
	  .because =
		  "${why} Entries of the ring: ${ring|not known}, possible: ${ring_max|not known}.",
	  .clear = "${events} packets lost in NICs of ${packets}",
	  .now = "${take}${grow|} ${coalesce|}${power|}", .keep = "${keep}",
	  .undo = "${undo}${shrink|}${slower|}", .expect = "events from ${events} to about 0",
	  .risk = "${risk}; a larger ring is a longer delay when it stands full",
	  .after =
		  "nic-no-memory nic-port-discards rx-queue-standing rx-starved rx-late cpu-steal softirq-other "
		  "irqs-on-one-cpu rx-cpu-busy rx-cpus-busy rx-skew bpf-dear packet-dear napi-starved nic-pauses",
	  .shown = "p15_ixgbe_missed",
	  .reference = "Meta: removed by an AQM at the receive queue; statistics.rst",
	  .essential = true, .judge = doctor_judge_nic },
	{ DOCTOR_CHECK("xdp-drops", NIC, SETTING, MEDIUM, MEASURED),
	  .reads = "ethtool -S: *xdp_drop*; drops that rxaqm counts",
	  .rule = "1/s or more; low unless more are dropped than pass, or if rxaqm drops them",
	  .cause =
		  "An XDP program on ${iface} drops packets: ${events}, of which ${by_rxaqm} by rxaqm${others}.",
	  .because =
		  "They never become skbs, so dropwatch, tcpdump and the stack's counters do not see them.",
	  .clear = "${events} packets dropped by XDP programs",
	  .now = "`bpftool net show dev ${iface}` `rxaqm status ${iface}` if it is rxaqm",
	  .keep = "the program's own configuration",
	  .expect = "events from ${events} to what the program is meant to drop",
	  .after = "cq-shared rx-queue-standing " CPU_FULL " rx-starved", .shown = "bug-xdpdrops",
	  .reference = "net/core/dev.c: XDP_DROP makes no kfree_skb event", .judge = judge_xdp },
	{ DOCTOR_CHECK("veth-drops", NIC, ARRIVAL, MEDIUM, MEASURED),
	  .reads = "tx_dropped of veth devices",
	  .cause =
		  "The other end of ${iface} does not take what is sent to it: ${events} packets were dropped${others}.",
	  .because =
		  "If the other end has XDP or GRO on, packets wait in a ring of 256 for its NAPI, whose CPU was late; "
		  "or the other end is down, or its MTU is smaller.",
	  .clear = "${events} packets dropped between two ends of a veth",
	  .now = "`tc qdisc replace dev ${iface} root fq_codel` from Linux 6.16 (use 6.17.10 or later) packets wait there while the ring is full; its other end is in another network namespace",
	  .keep = "the same in the configuration of the container's network",
	  .undo = "`tc qdisc del dev ${iface} root`", .expect = "events from ${events} to 0",
	  .risk = "a queue that stands is delay: fq_codel keeps it short",
	  .after = "backlog-drops xdp-drops rx-starved rx-late cpu-steal " CPU_FULL,
	  .shown = "n16_veth_ring",
	  .reference = "drivers/net/veth.c:veth_xmit; kernel commit dc82a33297fc",
	  .judge = doctor_judge_nic },
	{ DOCTOR_CHECK("tun-drops", NIC, READER, MEDIUM, MEASURED),
	  .reads = "tx_dropped of tun and tap devices",
	  .cause = "The program behind ${iface} (a guest's vhost, a VPN) does not take what is sent to it: ${events} of "
		   "${packets} packets were dropped${others}.",
	  .because =
		  "Packets wait for it in a ring of txqueuelen a queue. The guest or its vhost thread is out of CPU, or "
		  "bursts are longer than the ring, or nobody has the device open.",
	  .clear = "${events} packets dropped because a program behind a tun or tap device was slow",
	  .now = "`ip link set ${iface} txqueuelen 10000` for bursts; if `top -b -H -n 1` shows that a thread vhost-* or the "
		 "VPN has no time left, a CPU of its own or more queues (queues= in the guest's definition) help",
	  .keep = "${keep}", .undo = "`ip link set ${iface} txqueuelen 1000`",
	  .expect = "events from ${events} to 0", .risk = "a longer queue is a longer delay",
	  .after = "cpu-steal rx-starved backlog-drops xdp-drops", .shown = "g05_openstack_tap",
	  .reference = "drivers/net/tun.c:tun_net_xmit", .judge = doctor_judge_nic },
	{ DOCTOR_CHECK("ingress-drops", BACKLOG, SETTING, MEDIUM, MEASURED),
	  .reads = "RTM_GETQDISC drops of the qdiscs ingress and clsact",
	  .cause = "A filter of tc drops what ${iface} receives before the stack sees it: ${events} of ${packets} "
		   "packets${others}.",
	  .because =
		  "A policer that lets less pass than comes, or a rule or BPF program that drops. Clsact counts what it "
		  "drops at egress, too.",
	  .clear = "${events} packets dropped by filters of tc at ingress",
	  .now = "`tc -s filter show dev ${iface} ingress` shows which one drops; a larger rate and burst there, or "
		 "delete it",
	  .keep = "the same where the filter is configured (its script, the container network)",
	  .undo = "the old filter",
	  .expect = "events from ${events} to what is meant to be dropped",
	  .risk = "what the filter kept out comes in", .shown = "g01_mininet_policer",
	  .reference = "tc-police(8); net/core/dev.c:sch_handle_ingress",
	  .judge = doctor_judge_nic },
	{ DOCTOR_CHECK("tx-hangs", TX, ELSEWHERE, HIGH, MEASURED),
	  .reads = "queues/tx-N/tx_timeout of an interface; ethtool -S: *tx*timeout*",
	  .rule = "one or more",
	  .cause =
		  "The kernel's watchdog reset a Tx queue of ${iface} that hung (times: ${events}${others}).",
	  .because =
		  "It sent nothing for 5 s or more (dmesg: NETDEV WATCHDOG), and lost what it held. The NIC, its "
		  "driver or its link is faulty; often an offload does not work.",
	  .clear = "${events} Tx queues hung",
	  .now = "`dmesg | grep -A3 'NETDEV WATCHDOG'` tells more. Try these one by one, until it no longer hangs: `ethtool -K ${iface} tso off gso off` `ethtool -K ${iface} tx off` `ethtool --set-eee ${iface} eee off`",
	  .keep = "the one that helps: ${keep}; or another version of driver or firmware",
	  .undo = "`ethtool -K ${iface} tx on tso on gso on` `ethtool --set-eee ${iface} eee on`",
	  .expect = "events from ${events} to 0",
	  .risk = "offloads that are off cost some % of a CPU; EEE resets the link",
	  .after = "nic-pauses-received cpu-steal", .shown = "n03_r8169_tx_timeout",
	  .reference = "net/sched/sch_generic.c:dev_watchdog", .times = true, .judge = judge_hang },
	{ DOCTOR_CHECK("rx-dropped", NIC, ELSEWHERE, LOW, MEASURED),
	  .reads = "rx_dropped of the interface",
	  .rule = "20/s or more, and 1 of 1000 packets; above 1 of 100 it is not explained, unless the driver is known to count unwanted packets there",
	  .cause =
		  "${events} packets were dropped at ${iface} for other reasons (rx_dropped${others}).",
	  .because =
		  "They had protocols or VLANs that nobody here wants, a filter dropped them, or the driver could not "
		  "use them.",
	  .clear = "${events} packets dropped at an interface for other reasons",
	  .now = "`rxaqm doctor --deep` tells which functions dropped them, and why", .keep = "-",
	  .expect = "events from ${events} to 0",
	  .after = "nic-ring-overflow nic-no-memory nic-port-discards xdp-drops backlog-drops " CPU_FULL
		   " rx-starved rx-queue-standing",
	  .shown = "n14_r8169_broadcast", .reference = "statistics.rst", .judge = judge_dropped },
	{ DOCTOR_CHECK("window-empty", NIC, SETTING, LOW, MEASURED),
	  .reads = "rx_packets of each interface, twice; which interfaces there are",
	  .rule = "never: if no packet came, or an interface came, went or was reset, the doctor cannot judge",
	  .cause = "-", .because = "-", .now = "-", .keep = "-", .undo = "-", .expect = "-",
	  .clear = "${packets} packets came", .shown = "n01_bcmgenet_eee",
	  .reference = "statistics.rst; Meta: the fix by touching any setting", .essential = true,
	  .judge = judge_window },
	{}
};
