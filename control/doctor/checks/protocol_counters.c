/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of IP, netfilter, neighbours and TCP by the sums of their loss counters. */
#include <string.h>

#include "doctor/checks/check.h"

struct fragments {
	__u64 pieces, packets, datagrams, failed;
	bool many; /* 1 % or more of what arrives */
};

/* Note the counters of fragments; false: the kernel has none. */
static bool note_fragments(const struct doctor_snapshot *snap, struct doctor_finding *finding,
			   struct fragments *ret)
{
	double share;

	if (!doctor_counters(snap, "Ip.ReasmReqds", &ret->pieces) ||
	    !doctor_counters(snap, "Ip.InReceives", &ret->packets)) {
		doctor_blind(finding, "no counters of fragments in /proc/net/snmp");
		return false;
	}
	share = ret->packets ? (double)ret->pieces * 100 / (double)ret->packets : 0;
	doctor_note_counter(snap, finding, "fragments", "Ip.ReasmReqds");
	doctor_note_counter(snap, finding, "packets", "Ip.InReceives");
	doctor_note_share(finding, "share", share, "Ip.ReasmReqds / Ip.InReceives");
	ret->datagrams = doctor_note_counter(snap, finding, "put_together", "Ip.ReasmOKs");
	ret->failed = doctor_note_counter(snap, finding, "failed", "Ip.ReasmFails");
	if (ret->datagrams)
		doctor_note_rise(finding, "pieces", (double)ret->pieces / (double)ret->datagrams,
				 DOCTOR_NUMBER, "Ip.ReasmReqds / Ip.ReasmOKs");
	ret->many = share >= 1 && (double)ret->pieces / doctor_window_s(snap) >= 10;
	return true;
}

DOCTOR_JUDGE(judge_fragments)
{
	struct fragments all;

	if (!note_fragments(snap, finding, &all))
		return DOCTOR_BLIND;
	/* A tunnel makes some: few that are all reassembled slow nothing. */
	if (all.pieces * 5 < all.packets && all.failed * 1000 < all.datagrams)
		finding->severity = DOCTOR_LOW;
	return doctor_found_if(all.many);
}

DOCTOR_JUDGE(judge_fails)
{
	struct fragments all;

	if (!note_fragments(snap, finding, &all))
		return DOCTOR_BLIND;
	return doctor_judge_lost(snap, finding, "Ip.ReasmFails", all.failed);
}

#define SMALLER_MESSAGES                                                                                    \
	.now = "send messages of at most MTU - 28 bytes (IPv6: MTU - 48), or set the same MTU on the path", \
	.keep = "the same, in the sender's configuration", .undo = "the old size",                          \
	.risk = "more datagrams for the same bytes"

DOCTOR_JUDGE(judge_checksums)
{
	enum doctor_verdict verdict = doctor_judge_rise(snap, finding);

	doctor_note_counter(snap, finding, "udp", "Udp.InCsumErrors");
	doctor_note_counter(snap, finding, "tcp", "Tcp.InCsumErrors");
	doctor_say_busiest(snap, finding);
	return verdict;
}

DOCTOR_JUDGE(judge_syns)
{
	__u64 limit = doctor_sysctl(snap, "net.ipv4.tcp_max_syn_backlog", 0, 0);

	/* With cookies, clients that answer get in. */
	if (!doctor_note_counter(snap, finding, "drops", "TcpExt.TCPReqQFullDrop"))
		finding->severity = DOCTOR_LOW;
	doctor_note_counter(snap, finding, "cookies", "TcpExt.TCPReqQFullDoCookies");
	doctor_note_counter(snap, finding, "overflows", "TcpExt.ListenOverflows");
	if (limit)
		doctor_note(finding, "limit", (double)limit, DOCTOR_NUMBER,
			    "net.ipv4.tcp_max_syn_backlog");
	doctor_say(finding, "larger", "%llu", (unsigned long long)(limit ? limit * 4 : 4096));
	return doctor_judge_rise(snap, finding);
}

/* Two checks of one table: it is full; or an entry was there already (insert_failed, which also
 * counts as a drop).
 */
DOCTOR_JUDGE(judge_conntrack)
{
	__u64 count, max, lost, raced;
	bool full;

	if (!doctor_map_get(snap->after.counters, "nf_conntrack.count", &count) ||
	    !doctor_map_get(snap->after.counters, "nf_conntrack.max", &max) || !max)
		return doctor_blind(finding, "no nf_conntrack here");
	full = count * 100 >= max * 95;
	raced = doctor_note_counter(snap, finding, "raced", "nf_conntrack.insert_failed");
	lost = doctor_note_counter(snap, finding, "lost", "nf_conntrack.drop");
	lost = lost > raced ? lost - raced : 0;
	lost += doctor_note_counter(snap, finding, "early", "nf_conntrack.early_drop");
	doctor_note_count(finding, "lost", lost, "/proc/net/stat/nf_conntrack");
	doctor_note(finding, "count", (double)count, DOCTOR_COUNT, "nf_conntrack_count");
	doctor_note(finding, "max", (double)max, DOCTOR_COUNT, "nf_conntrack_max");
	doctor_say(finding, "larger", "%llu", 4ULL * max);
	doctor_say(finding, "state", "%s",
		   !full ? "loses packets" :
		   !lost ? "is nearly full" :
			   "is full");
	if (!strcmp(finding->check->id, "conntrack-race"))
		lost = raced;
	else if (full && !lost) {
		/* It may stay there for ever. */
		finding->severity = DOCTOR_LOW;
		return DOCTOR_FOUND;
	}
	return doctor_judge_lost(snap, finding, "nf_conntrack.drop", lost);
}

/* Each new flow finds its path's MTU in this way: only many drops are more than that. */
DOCTOR_JUDGE(judge_big)
{
	enum doctor_verdict verdict = doctor_judge_rise(snap, finding);
	__u64 passed = doctor_note_counter(snap, finding, "forwarded",
					   "Ip.ForwDatagrams|Ip.OutForwDatagrams");

	doctor_say_busiest(snap, finding);
	if (verdict == DOCTOR_FOUND && doctor_noted(finding, "events") * 1000 < (double)passed)
		finding->severity = DOCTOR_LOW;
	return verdict;
}

/* Packets that conntrack does not know reach this host untranslated, and it answers by a reset. */
DOCTOR_JUDGE(judge_invalid)
{
	__u64 invalid, resets = doctor_note_counter(snap, finding, "resets", "Tcp.OutRsts");
	__u64 packets;

	if (!doctor_rise_of(snap, finding->check->id, &invalid, &packets))
		return doctor_blind(finding, "no nf_conntrack here");
	doctor_note_count(finding, "events", invalid, finding->check->reads);
	if (resets * 2 < invalid || invalid * 1000 < packets)
		return DOCTOR_CLEAR;
	return doctor_judge_share(snap, finding, (double)invalid, (double)packets);
}

/* IPv6 drops multicasts that nobody joined without a count. */
DOCTOR_JUDGE(judge_undelivered)
{
	static const char ends[] =
		"Ip.InDelivers|Ip.ForwDatagrams|Ip.OutForwDatagrams|Ip.InHdrErrors|Ip.InAddrErrors|"
		"Ip.InUnknownProtos|Ip.InDiscards|Ip.InNoRoutes|IpExt.InNoRoutes|Ip.InTruncatedPkts|"
		"IpExt.InTruncatedPkts|Ip.InTooBigErrors|Ip.FragFails|Ip.ReasmReqds|"
		"TcpExt.IPReversePathFilter|Ip6.InMcastPkts|nf_conntrack.drop";
	__u64 all, ended, delivered, merged, segments;
	enum doctor_verdict verdict;
	double lost;

	doctor_counters(snap, "Tcp.InSegs", &segments);
	if (!doctor_counters(snap, "Ip.InReceives", &all) ||
	    !doctor_counters(snap, "Ip.InDelivers", &delivered) || (!delivered && segments))
		return doctor_blind(finding, "/proc/net/snmp has no InDelivers");
	doctor_counters(snap, ends, &ended);
	doctor_counters(snap, "Ip.ReasmOKs", &merged);
	lost = all + merged > ended ? (double)(all + merged - ended) : 0;
	doctor_note_rise(finding, "events", lost, DOCTOR_COUNT, "Ip.InReceives less InDelivers");
	doctor_note_count(finding, "packets", all, "Ip.InReceives");
	verdict = doctor_judge_share(snap, finding, lost, (double)all);
	/* Firewalls are there to drop, and some networks have much that nobody wants. */
	if (lost * (doctor_tcp_waits(snap) ? 100 : 10) < (double)all ||
	    (!doctor_tcp_waits(snap) && lost < 10 * doctor_window_s(snap)))
		finding->severity = DOCTOR_LOW;
	return verdict;
}

DOCTOR_JUDGE(judge_filtered)
{
	__u64 errors, told;

	if (!doctor_counters(snap, "Udp.InErrors", &errors))
		return doctor_blind(finding, "/proc/net/snmp has no UDP counters");
	doctor_counters(snap, "Udp.RcvbufErrors|Udp.InCsumErrors|Udp.MemErrors", &told);
	errors = errors > told ? errors - told : 0;
	doctor_note_count(finding, "events", errors,
			  "Udp.InErrors less RcvbufErrors, InCsumErrors, MemErrors");
	return doctor_judge_lost(snap, finding, "Udp.InErrors", errors);
}

const struct doctor_check doctor_checks_protocol_counters[] = {
	{ DOCTOR_CHECK("ip-fragments", IP, SERVICE, HIGH, MEASURED),
	  .reads = "Ip.ReasmReqds, ReasmOKs, ReasmFails, InReceives; the same of Ip6",
	  .rule = "fragments are 1 % or more of the packets received, and 10/s or more; low below 20 % while 999 of "
		  "1000 datagrams are reassembled",
	  .cause =
		  "${share} of all packets are fragments: one lost fragment loses the whole datagram.",
	  .because =
		  "Datagrams come in ${pieces|many} fragments. Each lost fragment loses its datagram, and later fragments "
		  "have no ports: RSS puts all of a host onto one queue.",
	  .clear = "${fragments} of ${packets} packets are fragments", SMALLER_MESSAGES,
	  .expect = "fragments from ${fragments} to 0; loss falls by the number of fragments",
	  .shown = "f07_vpn_fragments",
	  .reference =
		  "RFC 8900; Google, benchmarking UDP bulk flows: 45 pieces make 0.01 % into 0.45 %",
	  .judge = judge_fragments },
	{ DOCTOR_CHECK("ip-reassembly-fails", IP, MEMORY, HIGH, MEASURED),
	  .reads = "Ip.ReasmFails, Ip6.ReasmFails",
	  .cause = "${failed} datagrams could not be reassembled.",
	  .because = "Fragments were lost, or more waited than ipfrag_high_thresh allows.",
	  .clear = "${failed} datagrams could not be reassembled", SMALLER_MESSAGES,
	  .expect = "failed from ${failed} to 0", .after = "ip-fragments",
	  .shown = "Google: 45 pieces make 0.01 % into 0.45 %",
	  .reference = "ipfrag_high_thresh in ip-sysctl.rst; snmp_counter.rst",
	  .judge = judge_fails },
	{ DOCTOR_CHECK("checksum-errors", PATH, ELSEWHERE, HIGH, MEASURED),
	  .reads =
		  "Tcp.InCsumErrors, Udp.InCsumErrors, IpExt.InCsumErrors, Icmp.InCsumErrors, Ip6's",
	  .cause =
		  "${events} packets came with a wrong checksum, and were dropped (UDP ${udp}, TCP ${tcp}).",
	  .because =
		  "They were not damaged on the wire (its own checksum is right): a sender, mostly a virtual one "
		  "behind a tunnel, left the checksum to an offload that did not compute it, or something on the path "
		  "changed the packets.",
	  .clear = "${events} packets with a wrong checksum",
	  .now = "tx-checksum-ip-generic off (ethtool -K) for the tunnel, at the sender. `tcpdump -c 1000 -vvni ${iface}` here shows the senders",
	  .keep = "the same in the configuration of the tunnel", .undo = "switch it on again",
	  .expect = "events from ${events} to 0",
	  .risk = "the sender computes checksums: some % of a CPU", .after = "wire-errors",
	  .shown = "c05_flannel_csum",
	  .reference = "Documentation/networking/checksum-offloads.rst; snmp_counter.rst",
	  .judge = judge_checksums },
	{ DOCTOR_CHECK("rp-filter", IP, SETTING, HIGH, MEASURED),
	  .reads = "TcpExt.IPReversePathFilter",
	  .cause = "Strict rp_filter drops ${events} packets: they came by another interface than the one that answers "
		   "would use.",
	  .because =
		  "Several interfaces, tunnels or policy routes make paths that differ by direction; 1 is strict, 2 loose.",
	  .clear = "${events} packets dropped by rp_filter",
	  .now = SET(
		  "net.ipv4.conf.all.rp_filter=2") " the larger of all and of the interface counts",
	  SYSCTL_KEPT("net.ipv4.conf.all.rp_filter", "2", "1"),
	  .expect = "events from ${events} to 0, if there is a route to the sources at all",
	  .risk = "forged addresses of networks that are routed elsewhere pass",
	  .shown = "c30_rp_filter", .reference = "rp_filter in ip-sysctl.rst; RFC 3704" },
	{ DOCTOR_CHECK("ip-undelivered", IP, SETTING, MEDIUM, INFERRED),
	  .reads = "Ip.InReceives less InDelivers, ForwDatagrams and errors; the same of Ip6",
	  .rule = "1/s or more; low below 1 of 100, or, unless TCP waits, below 1 of 10 or 10/s",
	  .cause =
		  "${events} of ${packets} packets were dropped after IP took them and before a protocol or a way out got them.",
	  .because =
		  "No error of IP counts them: a rule of netfilter dropped them (nft, iptables; a limit of its rate, too), "
		  "or IPsec, or they were for a multicast group that nobody joined.",
	  .clear =
		  "${events} of ${packets} packets neither delivered, forwarded nor counted as an error",
	  .now = "`nft list ruleset` shows rules that drop (of iptables, too); counters in them tell which one does; "
		 "`rxaqm doctor --deep` tells the function and the reason",
	  .keep = "the same in the firewall's configuration", .undo = "the old rules",
	  .expect = "events from ${events} to what is meant to be dropped",
	  .risk = "what the rule kept out comes in",
	  .after = "conntrack-full conntrack-race rp-filter", .shown = "l15_nft_limit",
	  .reference = "net/ipv4/ip_input.c:ip_rcv, ip_local_deliver_finish",
	  .judge = judge_undelivered },
	{ DOCTOR_CHECK("conntrack-full", IP, MEMORY, HIGH, MEASURED),
	  .reads =
		  "nf_conntrack_count, nf_conntrack_max; /proc/net/stat/nf_conntrack: drop, early_drop",
	  .rule = "95 % of the table or more (low while it loses nothing), or the counters, less insert_failed, rise "
		  "by 1/s or more",
	  .cause = "The table of connections ${state}: ${count} of ${max}, ${lost} lost.",
	  .because =
		  "Packets that find no room are dropped: new connections fail, those of UDP, too.",
	  .clear = "${count} of ${max} connections tracked, ${lost} lost for want of room",
	  SYSCTL("net.netfilter.nf_conntrack_max", "${larger}", "${max}"),
	  .expect = "lost from ${lost} to 0", .risk = "some 320 bytes of memory for each",
	  .shown = "p11_conntrack_full",
	  .reference = "Documentation/networking/nf_conntrack-sysctl.rst",
	  .judge = judge_conntrack },
	{ DOCTOR_CHECK("conntrack-race", IP, SERVICE, HIGH, MEASURED),
	  .reads = "/proc/net/stat/nf_conntrack: insert_failed",
	  .cause =
		  "Connections that begin at the same time collide: ${raced} packets were dropped (insert_failed).",
	  .because =
		  "The table has room (${count} of ${max}). Two packets of one socket, as the two queries of a DNS "
		  "lookup, or two sockets that NAT gave the same port, are inserted at the same time, and the second "
		  "is dropped; its program tries again after 1, 3 or 5 s.",
	  .clear = "${raced} packets dropped because two connections began at the same time",
	  .now = "for DNS: 'options single-request-reopen' in resolv.conf, or a DNS cache on this host; for NAT: --random-fully in the rules with MASQUERADE",
	  .keep = "the same in the configuration of the resolver and the firewall",
	  .undo = "the line and the rule as they were", .expect = "raced from ${raced} to 0",
	  .after = "conntrack-full", .shown = "p06_dns_race",
	  .reference = "net/netfilter/nf_conntrack_core.c:__nf_conntrack_confirm",
	  .judge = judge_conntrack },
	{ DOCTOR_CHECK("conntrack-invalid", IP, SETTING, MEDIUM, INFERRED),
	  .reads = "/proc/net/stat/nf_conntrack: invalid; Tcp.OutRsts",
	  .rule = "1/s or more, 1 of 1000 packets received, and half as many resets sent",
	  .cause =
		  "conntrack finds no connection for ${events} packets, and ${resets} were answered by a reset.",
	  .because =
		  "Such packets are not translated: behind NAT they reach this host instead of their container, and "
		  "its reset ends the connection. It happens to segments that come late, out of the window or by "
		  "another path.",
	  .clear = "${events} packets unknown to conntrack, ${resets} resets sent",
	  .now = SET(
		  "net.netfilter.nf_conntrack_tcp_be_liberal=1") " or drop them: `iptables -I INPUT -m conntrack --ctstate INVALID -j DROP`",
	  .keep = KEEP("net.netfilter.nf_conntrack_tcp_be_liberal=1"),
	  .undo = UNSET(
		  "net.netfilter.nf_conntrack_tcp_be_liberal=0") " `iptables -D INPUT -m conntrack --ctstate INVALID -j DROP`",
	  .expect = "resets from ${resets} to those of closed ports",
	  .risk = "segments out of the window pass: TCP itself checks them again",
	  .after = "conntrack-full conntrack-race", .shown = "n10_conntrack_invalid",
	  .reference =
		  "Documentation/networking/nf_conntrack-sysctl.rst, nf_conntrack_tcp_be_liberal",
	  .judge = judge_invalid },
	{ DOCTOR_CHECK("too-big-to-forward", IP, SETTING, MEDIUM, MEASURED),
	  .reads = "Ip.FragFails, Ip6.FragFails; Ip.ForwDatagrams, Ip6.OutForwDatagrams",
	  .rule = "1/s or more; low below 1 of 1000 packets forwarded",
	  .cause = "${events} packets are too large for the link that they should go to, and may not be fragmented: "
		   "they were dropped.",
	  .because =
		  "ICMP tells their senders, which send smaller ones if it reaches them; if it does not, connections "
		  "begin, and then hang. The MTU of a tunnel is smaller, or LRO merged packets that are forwarded.",
	  .clear = "${events} packets too large for the link that they should go to",
	  .now = "`iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu` `ethtool -K ${iface} lro off`",
	  .keep = "the same in the firewall's and the interface's configuration; one MTU on both sides",
	  .undo = "`iptables -t mangle -D FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu` `ethtool -K ${iface} lro on`",
	  .expect = "events from ${events} to below 1 of 1000 packets forwarded",
	  .risk = "LRO off costs some CPU; GRO does the same work", .shown = "n21_mss_router",
	  .reference = "net/ipv4/ip_forward.c:ip_forward; RFC 2923; RFC 4821", .judge = judge_big },
	{ DOCTOR_CHECK("neighbour-full", IP, MEMORY, HIGH, MEASURED),
	  .reads = "/proc/net/stat/arp_cache, ndisc_cache: table_fulls",
	  .cause = "The table of neighbours (ARP, NDP) is full: ${events} found no room.",
	  .because =
		  "The network has more hosts than gc_thresh3: packets for new neighbours are dropped.",
	  .clear = "${events} neighbours found no room in their table",
	  .now = SET("net.ipv4.neigh.default.gc_thresh3=8192") " " SET(
		  "net.ipv6.neigh.default.gc_thresh3=8192"),
	  .keep = KEEP("net.ipv4.neigh.default.gc_thresh3=8192") " " KEEP(
		  "net.ipv6.neigh.default.gc_thresh3=8192"),
	  .undo = SET("net.ipv4.neigh.default.gc_thresh3=1024") " " UNSET(
		  "net.ipv6.neigh.default.gc_thresh3=1024") "; 1024 is the kernel's value",
	  .expect = "events from ${events} to 0", .risk = "some MB of memory", .shown = "p14_neigh",
	  .reference = "neigh/default/gc_thresh3 in ip-sysctl.rst" },
	{ DOCTOR_CHECK("syn-queue-full", TCP, MEMORY, HIGH, MEASURED),
	  .reads =
		  "TcpExt.TCPReqQFullDrop, TCPReqQFullDoCookies, ListenOverflows; tcp_max_syn_backlog",
	  .rule = "they rise by 1/s or more; low where cookies answer all of them",
	  .cause = "The SYN queue is full: ${drops} connections were dropped before they began, ${cookies} answered by "
		   "cookies.",
	  .because =
		  "More clients send a SYN than answer within a round trip: a flood of SYNs, or a path that loses the "
		  "answers. The accept queue overflowed ${overflows} times.",
	  .clear = "${drops} SYNs dropped for a full SYN queue",
	  .now = SET("net.ipv4.tcp_syncookies=1") " " SET(
		  "net.ipv4.tcp_max_syn_backlog=${larger}") " and a larger backlog in the program, which also limits the queue",
	  .keep = KEEP("net.ipv4.tcp_syncookies=1") " " KEEP(
		  "net.ipv4.tcp_max_syn_backlog=${larger}"),
	  .undo = UNSET("net.ipv4.tcp_max_syn_backlog=${limit}"),
	  .expect = "drops from ${drops} to 0",
	  .risk = "connections by cookies have no SACK or scaling without timestamps",
	  .after = "listen-overflow", .shown = "c23_syn_queue_full",
	  .reference = "snmp_counter.rst, TcpExtTCPReqQFullDrop; tcp_syncookies in ip-sysctl.rst",
	  .judge = judge_syns },
	{ DOCTOR_CHECK("udp-filtered", UDP, SETTING, LOW, INFERRED),
	  .reads = "Udp.InErrors less RcvbufErrors, InCsumErrors, MemErrors; the same of Udp6",
	  .rule = "1/s or more are left",
	  .cause =
		  "${events} datagrams were refused by a filter of their socket, or by a policy of IPsec.",
	  .because =
		  "No buffer was full and no checksum wrong: the remaining reasons are SO_ATTACH_FILTER, BPF and xfrm.",
	  .clear = "${events} datagrams refused by a filter",
	  .now = "nothing, if the program wants that. `ss -uamp` names the socket (d: drops). `rxaqm doctor --deep` tells the reason",
	  .keep = "the program's own configuration",
	  .expect = "the same: what a filter refuses counts as an error",
	  .shown = "live_udp_filter", .reference = "net/ipv4/udp.c:udp_queue_rcv_one_skb",
	  .judge = judge_filtered },
	{}
};
