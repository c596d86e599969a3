/* SPDX-License-Identifier: GPL-2.0-only */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "doctor/snapshot/ledger.h"

#define COUNTER .in = DOCTOR_IN_COUNTERS
#define STAT .in = DOCTOR_IN_STATS
#define ETHTOOL .in = DOCTOR_IN_ETHTOOL
#define LOST "tcp-loss loss-on-long-path"
#define READERS "tcp-reader-stopped tcp-reader-slow reader-waits-for-cpu"
#define UDP_READERS                                                                                \
	"udp-reader-stopped udp-reader-slow udp-reader-shares-cpu reader-waits-for-cpu udp-burst " \
	"udp-memory"
#define RING "nic-ring-overflow nic-no-memory"
#define FRAGMENTS "ip-reassembly-fails ip-fragments"

/* The first row that fits is it. What drivers call it: their ethtool.c in drivers/net. */
static const struct doctor_loss ledger[] = {
	/* NIC, by the kernel's names (Documentation/networking/statistics.rst). */
	{ STAT, "rx_crc_errors", "damaged frames", "wire-errors duplex-mismatch" },
	{ STAT, "rx_frame_errors", "damaged frames", "wire-errors duplex-mismatch" },
	{ STAT, "rx_length_errors", "frames of a wrong length", "wire-errors" },
	{ STAT, "rx_missed_errors", "packets lost in the NIC", RING " nic-port-discards" },
	{ STAT, "rx_over_errors", "packets lost in the NIC", RING " nic-port-discards" },
	{ STAT, "rx_fifo_errors", "packets lost in the NIC", RING " nic-port-discards" },
	/* Their rx_dropped is the ring; of most others it is what nobody wants. */
	{ STAT, "rx_dropped", "packets that a ring had no room for", RING " backlog-drops",
	  .drivers = "ena be2net sfc i40e iavf ice" },
	{ STAT, "rx_dropped", "packets dropped between driver and stack",
	  "rx-dropped nic-ring-overflow nic-no-memory backlog-drops xdp-drops", 1, 20 },
	{ STAT, "rx_errors", "packets received with an error",
	  "- wire-errors duplex-mismatch nic-port-discards xdp-drops " RING, 1 },
	{ STAT, "rx_nohandler", NULL },
	{ STAT, "collisions", "collisions, which only half duplex has", "duplex-mismatch", 1 },
	{ STAT, "tx_dropped", "packets that were not sent",
	  "tx-qdisc-drops tx-qdisc-standing backlog-drops xdp-drops " RING, 1 },
	{ STAT, "tx_errors", "packets that could not be sent", "duplex-mismatch", 1 },
	{ STAT, "tx_carrier_errors", "packets that a lost carrier cut", "duplex-mismatch", 1 },
	{ STAT, "tx_aborted_errors", "packets given up after collisions", "duplex-mismatch", 1 },
	{ STAT, "tx_window_errors", "late collisions", "duplex-mismatch", 1 },
	{ STAT, "tx_fifo_errors", "packets that the NIC sent too late", "", 1 },
	{ STAT, "tx_heartbeat_errors", NULL },

	/* NIC, by its driver's. */
	{ ETHTOOL, "steer_missed|pp_alloc|cache_|_corrected|alloc_fast|smbus", NULL },
	{ ETHTOOL, "allowance_exceeded|drop_ratelimit", "packets over an allowance of the cloud",
	  "nic-allowance" },
	{ ETHTOOL, "xdp drop", "packets that an XDP program dropped", "xdp-drops" },
	{ ETHTOOL, "discards_phy|buf_discard|brb_discard",
	  "packets that the NIC had no room for behind its port", "nic-port-discards" },
	{ ETHTOOL, "pci_stalled|pci_buffer_overflow", "times that the PCIe bus held the NIC up",
	  "- nic-port-discards", 10 },
	{ ETHTOOL, "alloc fail|alloc_err|buff_alloc|no_memory|no_skb",
	  "times that there was no memory for a packet", "nic-no-memory" },
	{ ETHTOOL,
	  "out_of_buffer|rx oob|no_dma|hw_drop|rx_miss|rx missed|rx overrun|no_frags|nodesc|no_buf|"
	  "nobuf|bds_empty|fw_discard|rx total_discard|rx_drops|rx queue drops|port.rx_dropped|"
	  "rx_discards|rx_fifo_err|rx_over_err",
	  "packets that a ring had no room for", RING " xdp-drops" },
	{ ETHTOOL, "rx drop", "packets dropped in the NIC or its driver",
	  "rx-dropped nic-ring-overflow nic-no-memory xdp-drops", 1, 20 },
	{ ETHTOOL, "tx pause|tx flow_control|tx xoff|tx xon|tx pfc", "pause frames sent",
	  "nic-pauses" },
	{ ETHTOOL, "rx pause|rx flow_control|rx xoff|rx xon|rx pfc", "pause frames received",
	  "nic-pauses-received" },
	{ ETHTOOL, "crc|symbol_err|frame_err|align_err|jabber|uncorrectable", "damaged frames",
	  "wire-errors duplex-mismatch" },
	{ ETHTOOL, "coll", "collisions, which only half duplex has", "duplex-mismatch", 1 },
	{ ETHTOOL, "csum err|csum_bad|bad_csum", "packets with a wrong checksum", "checksum-errors",
	  1 },
	{ ETHTOOL, "rx err|length_err", "packets received with an error",
	  "- wire-errors duplex-mismatch xdp-drops " RING, 1 },
	{ ETHTOOL, "tx drop|tx err|tx_timeout|carrier_err|tx abort|fifo_err",
	  "packets that were not sent", "tx-qdisc-drops duplex-mismatch xdp-drops", 1 },

	/* IP, netfilter, neighbours (Documentation/networking/snmp_counter.rst). */
	{ COUNTER, "Ip.ReasmFails", "datagrams not put together", FRAGMENTS },
	{ COUNTER, "Ip.ReasmTimeout", "datagrams not put together", FRAGMENTS },
	{ COUNTER, "IpExt.InCsumErrors", "packets with a wrong checksum", "checksum-errors" },
	{ COUNTER, "Ip.InHdrErrors", "packets with a wrong IP header", "", 1 },
	{ COUNTER, "Ip.InAddrErrors", "packets for an address that is not here", "", 10 },
	{ COUNTER, "Ip.InDiscards", "packets that IP dropped for want of memory, or by a hook", "",
	  1 },
	{ COUNTER, "Ip.OutDiscards", "packets not sent: no memory, no neighbour, or a rule",
	  "tx-qdisc-drops tx-qdisc-standing neighbour-full conntrack-full udp-send-buffer", 1 },
	{ COUNTER, "Ip.InNoRoutes", "packets that no route takes on", "", 1 },
	{ COUNTER, "IpExt.InNoRoutes", "packets that no route takes on", "", 1 },
	{ COUNTER, "Ip.OutNoRoutes", "packets not sent: no route", "", 1 },
	{ COUNTER, "Ip.InTruncatedPkts", "packets shorter than they say", "", 1 },
	{ COUNTER, "IpExt.InTruncatedPkts", "packets shorter than they say", "", 1 },
	{ COUNTER, "Ip.InTooBigErrors", "packets too large to be passed on", "", 1 },
	{ COUNTER, "Ip.FragFails", "packets too large that must not be cut", "", 1 },
	{ COUNTER, "TcpExt.IPReversePathFilter",
	  "packets that came by another interface than answers go", "rp-filter" },
	{ COUNTER, "nf_conntrack.drop", "packets of connections that had no room",
	  "conntrack-full" },
	{ COUNTER, "nf_conntrack.early_drop", "connections forgotten for want of room",
	  "conntrack-full" },
	{ COUNTER, "nf_conntrack.insert_failed", "connections that two packets opened at once",
	  "conntrack-full" },
	{ COUNTER, "arp_cache.table_fulls", "neighbours that had no room", "neighbour-full" },
	{ COUNTER, "ndisc_cache.table_fulls", "neighbours that had no room", "neighbour-full" },
	{ COUNTER, "arp_cache.unresolved_discards", "packets for a neighbour that did not answer",
	  "" },
	{ COUNTER, "ndisc_cache.unresolved_discards", "packets for a neighbour that did not answer",
	  "" },

	/* TCP. */
	{ COUNTER, "Tcp.InCsumErrors", "segments with a wrong checksum", "checksum-errors" },
	{ COUNTER, "Tcp.InErrs", "segments with an error", "- checksum-errors", 1 },
	{ COUNTER, "Tcp.RetransSegs", "segments sent again", LOST, 10 },
	{ COUNTER, "TcpExt.TCPTimeouts", "times that no answer came in time", LOST, 10 },
	{ COUNTER, "TcpExt.TCPSynRetrans", "SYNs sent again", LOST, 10 },
	{ COUNTER, "TcpExt.TCPAbortOnTimeout", "connections that no answer ended", LOST, 10 },
	{ COUNTER, "TcpExt.TCPRetransFail", "segments that could not be sent again",
	  LOST " tx-qdisc-drops tx-qdisc-standing", 1 },
	{ COUNTER, "TcpExt.TCPReqQFullDrop", "SYNs that found the SYN queue full",
	  "syn-queue-full" },
	{ COUNTER, "TcpExt.TCPReqQFullDoCookies", "SYNs answered by cookies", "syn-queue-full" },
	{ COUNTER, "TcpExt.ListenOverflows", "connections that found the accept queue full",
	  "listen-overflow" },
	{ COUNTER, "TcpExt.ListenDrops", "connections that a listener turned away",
	  "listen-overflow syn-queue-full" },
	{ COUNTER, "TcpExt.TCPFastOpenListenOverflow", "connections turned away",
	  "listen-overflow" },
	{ COUNTER, "TcpExt.TCPRcvCollapsed", "receive buffers repacked", "tcp-collapse" },
	{ COUNTER, "TcpExt.RcvPruned", "times that received data was thrown away", "tcp-pruned" },
	{ COUNTER, "TcpExt.OfoPruned", "times that received data was thrown away", "tcp-pruned" },
	{ COUNTER, "TcpExt.TCPOFODrop", "segments thrown away", "tcp-pruned" },
	{ COUNTER, "TcpExt.TCPRcvQDrop", "segments dropped inside the window", "tcp-queue-drop" },
	{ COUNTER, "TcpExt.TCPWantZeroWindowAdv", NULL, "tcp-window-stuck" },
	{ COUNTER, "TcpExt.TCPZeroWindowDrop", "segments outside of a shut window",
	  "tcp-zero-window " READERS, 10 },
	{ COUNTER, "TcpExt.BeyondWindow", "segments outside of the window",
	  "tcp-zero-window " READERS, 10 },
	{ COUNTER, "TcpExt.PruneCalled", "times that a receive buffer was full",
	  "- tcp-pruned tcp-collapse tcp-zero-window tcp-window-stuck tcp-queue-drop " READERS, 10 },
	{ COUNTER, "TcpExt.TCPMemoryPressuresChrono", NULL },
	{ COUNTER, "TcpExt.TCPMemoryPressures", "times that TCP was short of memory",
	  "tcp-memory" },
	{ COUNTER, "TcpExt.TCPAbortOnMemory", "connections ended for want of memory",
	  "tcp-memory" },
	{ COUNTER, "TcpExt.TCPBacklogDrop", "segments for sockets that a program held too long",
	  "tcp-memory " READERS },
	{ COUNTER, "TcpExt.PFMemallocDrop", "packets from the last reserve of memory",
	  "tcp-memory" },
	{ COUNTER, "TcpExt.TCPTimeWaitOverflow", "connections ended without TIME_WAIT", "", 1 },
	{ COUNTER, "TcpExt.PAWSEstab", "segments with an old timestamp", "", 10 },
	{ COUNTER, "TcpExt.TCPWqueueTooBig", "segments too many to be cut up", "", 1 },
	/* What peers and programs do, and what follows from the above. */
	{ COUNTER, "Tcp.AttemptFails", NULL },
	{ COUNTER, "TcpExt.TCPAbort*", NULL },
	{ COUNTER, "TcpExt.SyncookiesFailed", NULL },
	{ COUNTER, "TcpExt.TCPDeferAcceptDrop", NULL },
	{ COUNTER, "TcpExt.TCPMTUPFail", NULL },
	{ COUNTER, "TcpExt.TCPSACKDiscard", NULL },
	{ COUNTER, "TcpExt.TcpTimeoutRehash", NULL },
	{ COUNTER, "TcpExt.LockDroppedIcmps", NULL },
	{ COUNTER, "TcpExt.TCPAODroppedIcmps", NULL },
	{ COUNTER, "TcpExt.TCPLossFailures", NULL },
	{ COUNTER, "TcpExt.TCPRenoFailures", NULL },
	{ COUNTER, "TcpExt.TCPSackFailures", NULL },
	{ COUNTER, "TcpExt.TCPSackRecoveryFail", NULL },
	{ COUNTER, "TcpExt.TCPRenoRecoveryFail", NULL },
	{ COUNTER, "TcpExt.TCPFullUndo", NULL },

	/* UDP. */
	{ COUNTER, "Udp.InCsumErrors", "datagrams with a wrong checksum", "checksum-errors" },
	{ COUNTER, "Udp.RcvbufErrors", "datagrams that found a full buffer",
	  "udp-overflow " UDP_READERS },
	{ COUNTER, "Udp.MemErrors", "datagrams dropped for udp_mem", "udp-memory" },
	{ COUNTER, "Udp.InErrors", "datagrams that no program got",
	  "udp-filtered checksum-errors udp-overflow " UDP_READERS, 1 },
	{ COUNTER, "Udp.SndbufErrors", "datagrams that did not fit into what sends them",
	  "udp-send-buffer" },
	{ COUNTER, "Icmp.InCsumErrors", "ICMP messages with a wrong checksum", "checksum-errors" },
	{ COUNTER, "cgroup.*", "times that a cgroup's sockets were throttled", "cgroup-memory" },
	{ COUNTER, "Icmp.*", NULL },
	{ COUNTER, "IcmpMsg.*", NULL },
	{ COUNTER, "sockstat.*", NULL },
	{}
};

/* A counter that no row knows and that is called like this counts a loss. */
static const char *const loss_words[] = { "drop",    "discard",	 "miss",   "err",   "fail",
					  "overrun", "overflow", "no_buf", "nobuf", "exceed",
					  "abort",   "timeout",	 "out_of", "prune", "full" };

static bool has_loss_word(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(loss_words) / sizeof(loss_words[0]); i++) {
		if (strcasestr(name, loss_words[i]))
			return true;
	}
	return false;
}

/* Does @name have all words of one of @sets? */
static bool has_words(const char *name, const char *sets)
{
	char copy[256], *next = copy, *set, *word;

	snprintf(copy, sizeof(copy), "%s", sets);
	while ((set = strsep(&next, "|"))) {
		while ((word = strsep(&set, " ")) && strcasestr(name, word))
			;
		if (!word)
			return true;
	}
	return false;
}

/* "Udp6.InErrors" is "Udp.InErrors" as well; "Icmp.*" is all that begin so. */
static bool is_counter(const char *name, const char *row)
{
	size_t prefix = strcspn(row, "."), len;

	if (strncmp(name, row, prefix))
		return false;
	name += prefix + (name[prefix] == '6');
	row += prefix;
	len = strlen(row);
	return row[len - 1] == '*' ? !strncmp(name, row, len - 1) : !strcmp(name, row);
}

/* A name of the driver's that ends so is no number of packets. */
static bool is_time(const char *name)
{
	size_t len = strlen(name);

	return (len > 3 && (!strcmp(name + len - 3, "_ns") || !strcmp(name + len - 3, "_us"))) ||
	       strcasestr(name, "duration");
}

static bool is_one_of(const char *word, const char *words)
{
	size_t len = strlen(word);
	const char *at = len ? strstr(words, word) : NULL;

	return at && (at == words || at[-1] == ' ') && (!at[len] || at[len] == ' ');
}

const struct doctor_loss *doctor_loss_of(enum doctor_loss_in in, const char *name,
					 const char *driver)
{
	static const struct doctor_loss unknown = { .what = "a loss, by its name",
						    .by = "",
						    .permille = 1 };
	const struct doctor_loss *row;

	if (in == DOCTOR_IN_ETHTOOL && is_time(name))
		return NULL;
	for (row = ledger; row->name; row++) {
		if (row->in != in || (row->drivers && !is_one_of(driver, row->drivers)))
			continue;
		if (in == DOCTOR_IN_COUNTERS ? is_counter(name, row->name) :
		    in == DOCTOR_IN_STATS    ? !strcmp(name, row->name) :
					       has_words(name, row->name))
			return row;
	}
	return has_loss_word(name) ? &unknown : NULL;
}

static bool sums_up(const struct doctor_loss *row, const char *id)
{
	size_t len = strlen(id);

	return row && row->by && !strncmp(row->by, id, len) &&
	       (!row->by[len] || row->by[len] == ' ');
}

bool doctor_rise_of(const struct doctor_snapshot *snap, const char *id, __u64 *ret_sum)
{
	const struct doctor_loss *row;
	bool any = false;
	char six[64];
	__u64 value;

	*ret_sum = 0;
	for (row = ledger; row->name; row++) {
		size_t prefix = strcspn(row->name, ".");

		if (row->in != DOCTOR_IN_COUNTERS || !sums_up(row, id))
			continue;
		snprintf(six, sizeof(six), "%.*s6%s", (int)prefix, row->name, row->name + prefix);
		if (doctor_counter(snap, row->name, &value)) {
			*ret_sum += value;
			any = true;
		}
		*ret_sum += doctor_counter(snap, six, &value) ? value : 0;
	}
	return any;
}

static void add_losses(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		       enum doctor_loss_in in, const char *id, __u64 sum[3])
{
	doctor_map map = in == DOCTOR_IN_STATS ? iface->stats : iface->ethtool;
	__u64 rise;

	if (!map)
		return;
	json_object_object_foreach(map, name, entry) {
		(void)entry;
		if (!doctor_iface_rise(snap, iface, in == DOCTOR_IN_ETHTOOL, name, &rise) ||
		    !rise || !sums_up(doctor_loss_of(in, name, iface->driver), id))
			continue;
		sum[in == DOCTOR_IN_STATS ? 0 : strpbrk(name, "0123456789") ? 1 : 2] += rise;
	}
}

__u64 doctor_loss_by(const struct doctor_snapshot *snap, const struct doctor_iface *iface,
		     const char *id)
{
	__u64 sum[3] = {};

	add_losses(snap, iface, DOCTOR_IN_STATS, id, sum);
	add_losses(snap, iface, DOCTOR_IN_ETHTOOL, id, sum);
	sum[0] = sum[1] > sum[0] ? sum[1] : sum[0];
	return sum[2] > sum[0] ? sum[2] : sum[0];
}

/* What passes where @name is counted; 0: not known. */
static __u64 passes(const struct doctor_snapshot *snap, const char *name)
{
	static const struct {
		const char *prefix, *names[6];
	} places[] = {
		{ "Ip", { "Ip.InReceives", "Ip6.InReceives" } },
		{ "Tcp", { "Tcp.InSegs", "Tcp.OutSegs" } },
		{ "Udp",
		  { "Udp.InDatagrams", "Udp6.InDatagrams", "Udp.InErrors", "Udp6.InErrors",
		    "Udp.OutDatagrams" } },
	};
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!strncmp(name, places[i].prefix, strlen(places[i].prefix)))
			doctor_counters(snap, places[i].names, &sum);
	}
	return sum;
}

struct walk {
	const struct doctor_snapshot *snap;
	void (*each)(void *arg, const struct doctor_risen *risen);
	void *arg;
};

static void look_at(const struct walk *walk, const struct doctor_iface *iface,
		    enum doctor_loss_in in, const char *name, __u64 rise)
{
	const struct doctor_loss *loss = rise ? doctor_loss_of(in, name,
							       iface ? iface->driver : "") :
						NULL;
	double window = doctor_window_s(walk->snap);
	__u64 all = 0, value;

	if (!loss || !loss->what || (double)rise < (loss->per_s ?: 1) * window)
		return;
	if (!iface)
		all = passes(walk->snap, name);
	else if (doctor_iface_stat(walk->snap, iface, "rx_packets", &all) &&
		 doctor_iface_stat(walk->snap, iface, "tx_packets", &value))
		all += value;
	if (rise * 1000 >= all * loss->permille)
		walk->each(walk->arg, &(struct doctor_risen){ loss, name, iface, rise });
}

static void look_into(const struct walk *walk, const struct doctor_iface *iface,
		      enum doctor_loss_in in, doctor_map map)
{
	__u64 rise;

	if (!map)
		return;
	json_object_object_foreach(map, name, entry) {
		(void)entry;
		if (iface ? doctor_iface_rise(walk->snap, iface, in == DOCTOR_IN_ETHTOOL, name,
					      &rise) :
			    doctor_counter(walk->snap, name, &rise))
			look_at(walk, iface, in, name, rise);
	}
}

void doctor_each_risen(const struct doctor_snapshot *snap,
		       void (*each)(void *arg, const struct doctor_risen *risen), void *arg)
{
	const struct walk walk = { snap, each, arg };
	const struct doctor_iface *iface;

	look_into(&walk, NULL, DOCTOR_IN_COUNTERS, snap->after.counters);
	rxaqm_list_each(iface, &snap->after.ifaces) {
		if (doctor_is_sum(iface))
			continue;
		look_into(&walk, iface, DOCTOR_IN_STATS, iface->stats);
		look_into(&walk, iface, DOCTOR_IN_ETHTOOL, iface->ethtool);
	}
}
