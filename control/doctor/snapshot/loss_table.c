/* SPDX-License-Identifier: GPL-2.0-only */
/* What each counter of a loss means, by driver, and the checks that explain it. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/snapshot/loss_counters.h"

#define COUNTER .in = DOCTOR_IN_COUNTERS
#define STAT .in = DOCTOR_IN_STATS
#define ETHTOOL .in = DOCTOR_IN_ETHTOOL
#define LOST "tcp-loss loss-on-long-path"
#define READERS "tcp-reader-stopped tcp-reader-slow reader-waits-for-cpu"
#define UDP_READERS                                                                                \
	"udp-reader-stopped udp-reader-slow udp-reader-shares-cpu reader-waits-for-cpu udp-burst " \
	"udp-memory"
#define RING "nic-ring-overflow nic-no-memory"
#define LONG "frames longer than the MTU", "frames-too-long wire-errors duplex-mismatch"

/* The first row that matches counts. Drivers' names come from their ethtool.c in drivers/net. */
static const struct doctor_loss loss_counters[] = {
	/* NIC, by the kernel's names (Documentation/networking/statistics.rst). */
	{ STAT, "rx_crc_errors|rx_frame_errors", "damaged frames", "wire-errors duplex-mismatch" },
	{ STAT, "rx_length_errors", LONG },
	{ STAT, "rx_missed_errors|rx_over_errors|rx_fifo_errors", "packets lost in the NIC",
	  RING " nic-port-discards" },
	/* Drivers put different things into rx_dropped, and the kernel adds packets that nobody
	 * wants (net/core/dev.c:dev_get_stats). For ena (ena_netdev.c:ena_get_stats64, with drops
	 * of XDP) and idpf (idpf_virtchnl.c:idpf_send_get_stats_msg: rx_discards) it is the only
	 * count of the ring. be2net, sfc, ice, iavf, atlantic and nicvf also count the ring by
	 * ethtool -S: see the rows below. i40e counts errors there
	 * (i40e_main.c:i40e_update_vsi_stats: rx_discards_other), bnxt_en memory, tg3 and hns3
	 * damage, cxgb4 and, in 6.1, mlx5 the port; virtio_net, veth, mana and stmmac XDP and
	 * memory; igb, igc, ixgbe, e1000e, qede and hv_netvsc nothing. All in Linux 6.12.117.
	 */
	{ STAT, "rx_dropped", "packets that a ring had no room for",
	  RING " xdp-drops backlog-drops", .drivers = "ena idpf" },
	{ STAT, "rx_dropped", "packets dropped between driver and stack",
	  "rx-dropped backlog-drops xdp-drops nic-port-discards " RING, 1, 20 },
	{ STAT, "rx_errors", "packets received with an error",
	  "- wire-errors frames-too-long duplex-mismatch nic-port-discards xdp-drops " RING, 1 },
	{ STAT, "ingress_drops", "packets that filters of tc dropped", "ingress-drops" },
	{ STAT, "rx_nohandler|tx_heartbeat_errors", NULL },
	/* veth.c:veth_xmit: NET_RX_DROP of the other end. */
	{ STAT, "tx_dropped", "packets that the other end of a veth did not take",
	  "veth-drops backlog-drops xdp-drops tx-qdisc-drops tx-qdisc-standing", 1,
	  .drivers = "veth" },
	/* tun.c:tun_net_xmit: the ring of txqueuelen packets is full, or nobody has it open. */
	{ STAT, "tx_dropped", "packets that the program behind a tun or tap device did not take",
	  "tun-drops tx-qdisc-drops", 1, .drivers = "tun" },
	{ STAT, "tx_dropped", "packets that were not sent",
	  "tx-qdisc-drops tx-qdisc-standing backlog-drops xdp-drops " RING, 1 },
	{ STAT, "collisions|tx_errors|tx_carrier_errors|tx_aborted_errors|tx_window_errors",
	  "packets cut while they were sent", "duplex-mismatch link-slow", 1 },

	/* Drivers' names for the NIC. The first rows are only named like a loss: the stack verifies
	 * checksums again, and counts bad ones. gve's NIC does drop them. What cpsw's switch (ale)
	 * does not forward is for others.
	 */
	/* RNBC: no ring entry was free, so the packet waited in the NIC; MPC counts the lost ones
	 * (e1000e/ethtool.c, igb_ethtool.c, igc_ethtool.c: rx_no_buffer_count, rx_missed_errors).
	 */
	{ ETHTOOL, "rx_no_buffer_count", NULL, .drivers = "e1000e igb igc" },
	{ ETHTOOL, "rx_drops_invalid_checksum", "packets with a wrong checksum",
	  "- checksum-errors", 1 },
	{ ETHTOOL,
	  "steer_missed|pp_alloc|pp_recycle|cache_|_corrected|err_lane|alloc_fast|smbus|interrupt|"
	  "ferred|fdir_|filter|eee_wakeup|csum|chksum|checksum_err|"
	  "_correctable|port_mask|portmask|ale_rate|ale_vid|ale_da|ale_block|ale_secure|ale_auth|"
	  "ale_mcast|ale_dual|ale_ip",
	  NULL },
	{ ETHTOOL, "pause_duration|pause_transition", "microseconds of pauses", "-", 0, 2000000 },
	{ ETHTOOL, "allowance_exceeded|drop_ratelimit", "packets over an allowance of the cloud",
	  "nic-allowance" },
	{ ETHTOOL, "xdp drop|xdp abort", "packets that an XDP program dropped", "xdp-drops" },
	/* The FIFO of a MAC comes before the DMA: stmmac's, be2net's, cpsw's, mvpp2's, fec's (its
	 * manual on IEEE_R_MACERR). otx2 numbers its names: rvu_debugfs.c calls 6 "Packets dropped
	 * due to RX FIFO full".
	 */
	{ ETHTOOL,
	  "rx discards_phy|buf_discard|cong_discard|brb_discard|rx prio discards|rx stat_discard|"
	  "discard_packets_cos|rx_pm_|bg frames_|fifo_overflow|rx overflow_irq|rx overflow_cntr|"
	  "cgx_rxstat6|overflow_error|rx fifo_drop|fifo_or_parser|rx_macerr",
	  "packets that the NIC had no room for behind its port", "nic-port-discards" },
	{ ETHTOOL, "pci_stalled|pci_buffer_overflow", "times that the PCIe bus held the NIC up",
	  "- nic-port-discards", 10 },
	{ ETHTOOL, "alloc fail|alloc_err|alloc_discard|buff_alloc|oom_|no_memory|no_skb|noskb",
	  "times that there was no memory for a packet", "nic-no-memory" },
	/* The VSI's rx_discards (ice_ethtool.c:ice_gstrings_vsi_stats), and missing descriptors
	 * (igb_main.c, igc_main.c: RQDPC). veth and virtio_net count XDP and memory by the same
	 * names.
	 */
	{ ETHTOOL, "rx_dropped", "packets that a ring had no room for", RING, .drivers = "ice" },
	{ ETHTOOL, "rx queue drops", "packets that a ring had no room for", RING " xdp-drops",
	  .drivers = "igb igc" },
	{ ETHTOOL,
	  "crc|rx fcs|check_sequence|symbol_err|frame_err|align_err|rx align|code_err|jabber|jbr|"
	  "uncorrectable|char_err|disp_err|short_len|short_err",
	  "damaged frames", "wire-errors duplex-mismatch" },
	{ ETHTOOL,
	  "oversize|ovrsz|too_long|too_big_discard|long_len|long_err|mtu_err|over_mru|gtjumbo|length_err|len_err",
	  LONG },
	{ ETHTOOL,
	  "out_of_buffer|rx oob|no_dma|rx hw_drop|queue_drop_cnt|rx_miss|rx missed|rx overrun|no_frags|nodesc|no_buf|"
	  "nobuf|no buffer|bds_empty|empty_rx|fw_discard|rx total_discard|rx ring_discard|rx_discard|"
	  "rx_drops|rx_drop_red|rx drop frame|droppeddma|port.rx_dropped|rx overflow|ovflow|"
	  "rx_resource_err|rx_fifo_err|rx_over_err|rxq full_drop|rxq early_drop|rxq bm_drop",
	  "packets that a ring had no room for", RING " xdp-drops" },
	/* stmmac counts interrupts. */
	{ ETHTOOL, "rx buf_unav", "times that a ring ran empty", "- nic-port-discards " RING, 1 },
	{ ETHTOOL, "rx drop", "packets dropped in the NIC or its driver",
	  "rx-dropped xdp-drops " RING, 1, 20 },
	{ ETHTOOL, "tx pause|tx flow_control|tx xoff|tx xon|tx pfc", "pause frames sent",
	  "nic-pauses" },
	{ ETHTOOL, "rx pause|rx flow_control|rx xoff|rx xon|rx pfc", "pause frames received",
	  "nic-pauses-received" },
	{ ETHTOOL, "rx err", "packets received with an error",
	  "- wire-errors frames-too-long duplex-mismatch xdp-drops " RING, 1 },
	/* The kernel's watchdog, 5 s after the queue stopped (net/sched/sch_generic.c). */
	{ ETHTOOL, "tx timeout", "times that a Tx queue hung, and was reset", "tx-hangs" },
	{ ETHTOOL, "coll|tx drop|tx discard|tx err|carrier_err|tx abort|fifo_err",
	  "packets that were not sent", "tx-qdisc-drops duplex-mismatch link-slow xdp-drops", 1 },

	/* IP, netfilter, neighbours (Documentation/networking/snmp_counter.rst). */
	{ COUNTER, "Ip.ReasmFails|Ip.ReasmTimeout", "datagrams not reassembled",
	  "ip-reassembly-fails ip-fragments" },
	{ COUNTER, "Ip.InHdrErrors|Ip.InTruncatedPkts|IpExt.InTruncatedPkts",
	  "packets with a wrong IP header", "", 1 },
	{ COUNTER, "Ip.InAddrErrors", "packets for an address that this host does not have", "",
	  10 },
	{ COUNTER, "Ip.InDiscards", "packets that IP dropped: no memory, or a hook", "", 1 },
	{ COUNTER, "Ip.OutDiscards", "packets not sent: no memory, no neighbour, or a rule",
	  "tx-qdisc-drops tx-qdisc-standing neighbour-full conntrack-full udp-send-buffer", 1 },
	{ COUNTER, "Ip.InNoRoutes|IpExt.InNoRoutes|Ip.OutNoRoutes", "packets without a route", "",
	  10 },
	{ COUNTER, "Ip.FragFails", "packets too large to be forwarded", "too-big-to-forward", 1 },
	{ COUNTER, "Ip.InTooBigErrors", "packets too large to be forwarded", "- too-big-to-forward",
	  1 },
	{ COUNTER, "TcpExt.IPReversePathFilter",
	  "packets that came by another interface than answers would use", "rp-filter" },
	{ COUNTER, "nf_conntrack.drop|nf_conntrack.early_drop|nf_conntrack.insert_failed",
	  "connections that conntrack dropped", "conntrack-full conntrack-race" },
	/* Many are late packets of peers, and scans. */
	{ COUNTER, "nf_conntrack.invalid", NULL, "conntrack-invalid" },
	{ COUNTER, "arp_cache.table_fulls|ndisc_cache.table_fulls",
	  "neighbours that found no room in their table", "neighbour-full" },
	{ COUNTER, "arp_cache.unresolved_discards|ndisc_cache.unresolved_discards",
	  "packets for a neighbour that did not answer", "neighbour-full" },

	/* TCP. */
	{ COUNTER, "Tcp.InCsumErrors|Udp.InCsumErrors|Icmp.InCsumErrors|IpExt.InCsumErrors",
	  "packets with a wrong checksum", "checksum-errors" },
	{ COUNTER, "Tcp.InErrs", "segments with an error", "- checksum-errors", 1 },
	{ COUNTER,
	  "Tcp.RetransSegs|TcpExt.TCPTimeouts|TcpExt.TCPSynRetrans|TcpExt.TCPAbortOnTimeout|"
	  "TcpExt.TCPRetransFail",
	  "segments sent again, or in vain", LOST " tx-qdisc-drops tx-qdisc-standing", 10 },
	{ COUNTER, "TcpExt.TCPReqQFullDrop|TcpExt.TCPReqQFullDoCookies",
	  "SYNs that found the SYN queue full", "syn-queue-full" },
	{ COUNTER, "TcpExt.ListenOverflows|TcpExt.ListenDrops|TcpExt.TCPFastOpenListenOverflow",
	  "connections that a listener turned away", "listen-overflow syn-queue-full" },
	{ COUNTER, "TcpExt.TCPRcvCollapsed", "receive buffers repacked", "tcp-collapse" },
	{ COUNTER, "TcpExt.RcvPruned|TcpExt.OfoPruned|TcpExt.TCPOFODrop",
	  "times that received data was dropped", "tcp-pruned" },
	{ COUNTER, "TcpExt.TCPRcvQDrop", "segments dropped inside the window", "tcp-queue-drop" },
	{ COUNTER, "TcpExt.TCPWantZeroWindowAdv", NULL, "tcp-window-stuck" },
	{ COUNTER, "TcpExt.TCPZeroWindowDrop|TcpExt.BeyondWindow|TcpExt.PruneCalled",
	  "segments that found a shut window or a full buffer",
	  "- tcp-zero-window tcp-pruned tcp-collapse tcp-window-stuck tcp-queue-drop " READERS,
	  10 },
	{ COUNTER, "TcpExt.TCPMemoryPressures|TcpExt.TCPAbortOnMemory|TcpExt.PFMemallocDrop",
	  "times that TCP was short of memory", "tcp-memory" },
	{ COUNTER, "TcpExt.TCPBacklogDrop", "segments for sockets that a program held too long",
	  "- tcp-memory " READERS },
	{ COUNTER, "TcpExt.PAWSEstab", "segments with an old timestamp", "", 10 },
	/* What peers and programs do, and what follows from the above. */
	{ COUNTER,
	  "Tcp.AttemptFails|TcpExt.TCPAbort*|TcpExt.Syncookies*|TcpExt.TCPDeferAcceptDrop|"
	  "TcpExt.TCPTimeWaitOverflow|TcpExt.TCPMTUPFail|TcpExt.TCPSACKDiscard|TcpExt.TcpTimeoutRehash|TcpExt.LockDroppedIcmps|"
	  "TcpExt.TCPAODroppedIcmps|TcpExt.TCPLossFailures|TcpExt.TCPReno*|TcpExt.TCPSack*|"
	  "TcpExt.TCPFullUndo|TcpExt.TCPMemoryPressuresChrono|Icmp.*|IcmpMsg.*|sockstat.*",
	  NULL },

	/* UDP. */
	{ COUNTER, "Udp.RcvbufErrors", "datagrams that found a full buffer",
	  "udp-overflow " UDP_READERS },
	{ COUNTER, "Udp.MemErrors", "datagrams dropped for udp_mem", "udp-memory" },
	{ COUNTER, "Udp.InErrors", "datagrams that no program got",
	  "udp-filtered checksum-errors udp-overflow " UDP_READERS, 1 },
	{ COUNTER, "Udp.SndbufErrors",
	  "datagrams that did not fit into a send buffer or a device queue", "udp-send-buffer" },
	{}
};

/* A counter that no row knows counts a loss if its name has one of these words. */
static const char *const loss_words[] = { "drop",    "discard",	 "err",	   "fail",
					  "overrun", "overflow", "exceed", "timeout" };

static bool has_loss_word(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(loss_words) / sizeof(loss_words[0]); i++) {
		if (strcasestr(name, loss_words[i]))
			return true;
	}
	return false;
}

/* Does @name contain all of @words? */
static bool has_words(const char *name, char *words)
{
	char *word;

	while ((word = strsep(&words, " ")) && strcasestr(name, word))
		;
	return !word;
}

/* "Udp.InErrors" also matches "Udp6.InErrors"; "Icmp.*" matches all that begin so. */
static bool is_counter(const char *name, const char *row)
{
	size_t prefix = strcspn(row, "."), len;

	if (strncmp(name, row, prefix))
		return false;
	name += prefix + (name[prefix] == '6');
	row += prefix;
	len = strlen(row);
	return len && row[len - 1] == '*' ? !strncmp(name, row, len - 1) : !strcmp(name, row);
}

static bool fits(enum doctor_loss_in in, const char *name, const char *names)
{
	char one[64];

	while (doctor_next_name(&names, one)) {
		if (in == DOCTOR_IN_COUNTERS ? is_counter(name, one) :
		    in == DOCTOR_IN_STATS    ? !strcmp(name, one) :
					       has_words(name, one))
			return true;
	}
	return false;
}

/* Names that end or read like this count time or bytes, not packets. */
static bool is_amount(const char *name)
{
	size_t len = strlen(name);

	return (len > 3 && (!strcmp(name + len - 3, "_ns") || !strcmp(name + len - 3, "_us"))) ||
	       strcasestr(name, "byte") || strcasestr(name, "octet");
}

static void free_key(struct lh_entry *entry)
{
	free(lh_entry_k(entry));
}

static const struct doctor_loss *find(enum doctor_loss_in in, const char *name, const char *driver)
{
	static const struct doctor_loss unknown = { .what = "a loss, by its name",
						    .by = "",
						    .permille = 1 };
	const struct doctor_loss *row;

	if (in == DOCTOR_IN_ETHTOOL && is_amount(name))
		return NULL;
	for (row = loss_counters; row->name; row++) {
		if (row->in != in || (row->drivers && !doctor_is_one_of(driver, row->drivers)))
			continue;
		if (fits(in, name, row->name))
			return row;
	}
	return has_loss_word(name) ? &unknown : NULL;
}

const struct doctor_loss *doctor_loss_of(enum doctor_loss_in in, const char *name,
					 const char *driver)
{
	static struct lh_table *found; /* a container host asks for the same names 200 times */
	const struct doctor_loss *loss;
	char key[160];
	void *known;

	snprintf(key, sizeof(key), "%d %s %s", in, driver, name);
	if (!found)
		found = lh_kchar_table_new(256, free_key);
	if (found && lh_table_lookup_ex(found, key, &known))
		return known;
	loss = find(in, name, driver);
	if (found && lh_table_length(found) < 4096) /* a bundle may have any names */
		lh_table_insert(found, strdup(key), loss);
	return loss;
}

bool doctor_loss_sums_up(const struct doctor_loss *row, const char *id)
{
	size_t len = strlen(id);

	return row && row->by && !strncmp(row->by, id, len) &&
	       (!row->by[len] || row->by[len] == ' ');
}

/* Of the rows that match, the first one that rose counts. */
__u64 doctor_passes(const struct doctor_snapshot *snap, const char *name)
{
	static const struct {
		const char *name, *passed;
		unsigned int packets; /* for each that @name counts */
	} places[] = {
		{ "Ip.Reasm*", "Ip.ReasmReqds", 1 },
		{ "Ip.OutDiscards", "Ip.OutRequests|Ip.ForwDatagrams|Ip.OutForwDatagrams", 1 },
		{ "arp_cache.*", "Ip.OutRequests|Ip.ForwDatagrams|Ip.OutForwDatagrams", 1 },
		{ "ndisc_cache.*", "Ip.OutRequests|Ip.ForwDatagrams|Ip.OutForwDatagrams", 1 },
		{ "TcpExt.IPReversePathFilter", "Ip.InReceives", 1 },
		{ "nf_conntrack.invalid", "Ip.InReceives", 1 },
		/* It counts connections, of some 100 packets. */
		{ "nf_conntrack.*", "Ip.InReceives", 100 },
		{ "Ip.*", "Ip.InReceives", 1 },
		{ "IpExt.*", "Ip.InReceives", 1 },
		{ "TcpExt.Listen*", "Tcp.PassiveOpens", 1 },
		{ "TcpExt.TCPReqQ*", "Tcp.PassiveOpens", 1 },
		{ "Tcp.*", "Tcp.InSegs|Tcp.OutSegs", 1 },
		{ "TcpExt.*", "Tcp.InSegs|Tcp.OutSegs", 1 },
		{ "Udp.Sndbuf*", "Udp.OutDatagrams", 1 },
		{ "Udp.*", "Udp.InDatagrams|Udp.InErrors", 1 },
	};
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]) && !sum; i++) {
		if (is_counter(name, places[i].name))
			doctor_counters(snap, places[i].passed, &sum);
		sum /= places[i].packets;
	}
	return sum;
}

bool doctor_rise_of(const struct doctor_snapshot *snap, const char *id, __u64 *ret_sum,
		    __u64 *ret_passed)
{
	const struct doctor_loss *row = loss_counters;
	double share, most = 0;
	const char *names;
	__u64 rise, all;
	char name[64];

	*ret_sum = 0;
	*ret_passed = 0;
	while (row->name && (row->in != DOCTOR_IN_COUNTERS || !doctor_loss_sums_up(row, id)))
		row++;
	names = row->name;
	if (!names || !doctor_counters(snap, names, ret_sum))
		return false;
	/* UDP's wrong checksums are many among datagrams, however many segments TCP gets. */
	while (doctor_next_name(&names, name)) {
		if (!doctor_counters(snap, name, &rise) || !rise)
			continue;
		all = doctor_passes(snap, name);
		share = all ? (double)rise / (double)all : 1;
		if (share <= most)
			continue;
		most = share;
		*ret_passed = (__u64)((double)*ret_sum / share);
	}
	return true;
}
