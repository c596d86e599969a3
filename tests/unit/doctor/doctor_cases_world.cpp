// SPDX-License-Identifier: GPL-2.0-only
/* Golden bundles of what other people's hosts had: links, filters, tables, loss, late CPUs. */
#include "doctor_case.hpp"

/* Rx queues 10 to 13 of eth0 got as much each, with interrupts to CPU 0. */
static void queues_on_cpu_0(Bundle &bundle)
{
	for (int i = 10; i < 14; i++) {
		const std::string at = R"({"id":)" + std::to_string(i) +
				       R"(,"tx":false,"cpu":0,"packets":)";

		bundle.set("/before/ifaces/1/queues/-", at + "0}");
		bundle.set("/after/ifaces/1/queues/-", at + "250000}");
	}
}

static void link(Bundle &bundle, int speed, uint64_t bytes)
{
	bundle.set("/after/ifaces/1/driver", "\"igb\"");
	bundle.set("/after/ifaces/1/speed_mbit", std::to_string(speed));
	bundle.rise_at("ifaces/1/stats/rx_bytes", bytes);
	bundle.rise_at("ifaces/1/stats/tx_bytes", 1000);
}

/* clang-format off: a row a cause */
const std::vector<Case> &doctor_cases_world()
{
	static const std::vector<Case> cases = {
		{ "duplex-mismatch",
		  { "wire-errors" },
		  [](Bundle &b) {
			  b.rise_at("ifaces/1/stats/collisions", 500);
			  b.rise_at("ifaces/1/stats/rx_frame_errors", 700);
		  } },
		{ "link-slow", {}, [](Bundle &b) { link(b, 100, 110000000); } },
		{ "link-slow",
		  {},
		  [](Bundle &b) {
			  link(b, 1000, 900000000);
			  b.set("/after/ifaces/1/speed_max_mbit", "10000");
		  } },
		{ "link-full",
		  { "tx-qdisc-drops", "tcp-loss" },
		  [](Bundle &b) {
			  link(b, 1000, 1210000000);
			  b.rise_at("ifaces/1/queues/0/qdisc_drops", 400000);
			  b.set("/before/ifaces/1/queues/0/tx", "true");
			  b.set("/after/ifaces/1/queues/0/tx", "true");
			  b.rise("Tcp.RetransSegs", 5000).rise("Tcp.OutSegs", 100000);
		  } },
		{ "nic-port-discards",
		  {},
		  [](Bundle &b) { b.rise_at("ifaces/1/ethtool/rx_discards_phy", 700); } },
		{ "nic-pauses-received",
		  {},
		  [](Bundle &b) { b.rise_at("ifaces/1/ethtool/rx_prio3_pause", 700); } },
		{ "nic-pauses-received",
		  {},
		  [](Bundle &b) {
			  b.rise_at("ifaces/1/ethtool/rx_prio3_pause", 700);
			  b.rise_at("ifaces/1/ethtool/rx_prio3_pause_duration", 600000);
		  } },
		{ "nic-allowance",
		  {},
		  [](Bundle &b) {
			  b.rise_at("ifaces/1/ethtool/linklocal_allowance_exceeded", 700);
		  } },
		{ "frames-too-long",
		  {},
		  [](Bundle &b) {
			  b.rise_at("ifaces/1/stats/rx_length_errors", 7000);
			  b.set("/after/ifaces/1/mtu", "1500");
		  } },
		{ "frames-too-long",
		  {},
		  [](Bundle &b) {
			  b.rise_at("ifaces/1/ethtool/rx_oversize_packets", 7000);
			  b.set("/after/ifaces/1/mtu", "9000");
		  } },
		/* Half of both directions. */
		{ "link-slow",
		  {},
		  [](Bundle &b) {
			  link(b, 1000, 400000000);
			  b.rise_at("ifaces/1/stats/tx_bytes", 400000000);
			  b.rise_at("ifaces/1/stats/collisions", 5000);
			  b.set("/after/ifaces/1/duplex", "\"half\"");
		  } },
		{ "irqs-on-one-cpu",
		  { "rx-cpu-busy" },
		  [](Bundle &b) {
			  queues_on_cpu_0(b);
			  b.softirq(0, 98).softirq(1, 3);
		  } },
		/* Longest wait known, and only the sum. */
		{ "rx-late",
		  {},
		  [](Bundle &b) {
			  b.rise_at("threads/0/run_ns", 500000000);
			  b.set("/after/threads/0/longest_wait_ns", "120000000");
		  } },
		{ "rx-late",
		  {},
		  [](Bundle &b) {
			  b.rise_at("threads/0/run_ns", 150000000).softirq(0, 5);
			  b.rise_at("threads/0/wait_ns", 400000000);
		  } },
		{ "softirq-other",
		  {},
		  [](Bundle &b) {
			  b.softirq(0, 98).rise_at("cpus/0/net_rx", 90);
			  b.rise_at("cpus/0/timer", 90000);
		  } },
		{ "checksum-errors", {}, [](Bundle &b) { b.rise("Udp6.InCsumErrors", 300); } },
		{ "rp-filter", {}, [](Bundle &b) { b.rise("TcpExt.IPReversePathFilter", 300); } },
		{ "conntrack-full",
		  {},
		  [](Bundle &b) {
			  b.set("/after/counters/nf_conntrack.count", "262100");
			  b.set("/after/counters/nf_conntrack.max", "262144");
		  } },
		{ "conntrack-full",
		  {},
		  [](Bundle &b) {
			  b.set("/after/counters/nf_conntrack.count", "100");
			  b.set("/after/counters/nf_conntrack.max", "262144");
			  b.rise("nf_conntrack.drop", 300);
		  } },
		{ "conntrack-race",
		  {},
		  [](Bundle &b) {
			  b.set("/after/counters/nf_conntrack.count", "100");
			  b.set("/after/counters/nf_conntrack.max", "262144");
			  b.rise("nf_conntrack.insert_failed", 300);
			  b.rise("nf_conntrack.drop", 300);
		  } },
		{ "neighbour-full", {}, [](Bundle &b) { b.rise("arp_cache.table_fulls", 300); } },
		{ "conntrack-invalid",
		  {},
		  [](Bundle &b) {
			  b.rise("nf_conntrack.invalid", 90000).rise("Tcp.OutRsts", 60000);
		  } },
		{ "too-big-to-forward",
		  {},
		  [](Bundle &b) { b.rise("Ip.ForwDatagrams", 9000).rise("Ip.FragFails", 300); } },
		/* By which each new flow finds its path. */
		{ "too-big-to-forward",
		  {},
		  [](Bundle &b) {
			  b.rise("Ip.ForwDatagrams", 900000).rise("Ip6.FragFails", 300);
		  } },
		{ "veth-drops",
		  {},
		  [](Bundle &b) {
			  b.set("/after/ifaces/1/driver", "\"veth\"");
			  b.rise_at("ifaces/1/stats/tx_dropped", 9000);
		  } },
		{ "tun-drops",
		  {},
		  [](Bundle &b) {
			  b.set("/after/ifaces/1/driver", "\"tun\"");
			  b.rise_at("ifaces/1/stats/tx_dropped", 9000);
		  } },
		{ "ingress-drops",
		  { "tcp-gaps" },
		  [](Bundle &b) {
			  b.rise_at("ifaces/1/stats/ingress_drops", 180000);
			  b.rise("TcpExt.TCPOFOQueue", 90000);
		  } },
		{ "ip-undelivered",
		  {},
		  [](Bundle &b) { b.rise_at("counters/Ip.InReceives", 480000); } },
		{ "tcp-gaps", {}, [](Bundle &b) { b.rise("TcpExt.TCPOFOQueue", 90000); } },
		{ "tx-hangs",
		  {},
		  [](Bundle &b) { b.rise_at("ifaces/1/ethtool/tx_timeout_count", 1); } },
		{ "syn-queue-full",
		  {},
		  [](Bundle &b) {
			  b.rise("TcpExt.TCPReqQFullDrop", 300).rise("TcpExt.ListenDrops", 300);
		  } },
		/* Cookies answer all. */
		{ "syn-queue-full",
		  {},
		  [](Bundle &b) { b.rise("TcpExt.TCPReqQFullDoCookies", 300); } },
		{ "udp-filtered",
		  {},
		  [](Bundle &b) {
			  b.rise("Udp.InErrors", 300);
			  b.socket(R"({"proto":"udp","state":"","drops":300,"rcvbuf":212992})");
		  } },
		{ "tcp-loss",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(
				  R"({"retrans":900,"srtt_us":84000,"min_rtt_us":5500,
				"segs_out":15000})");
			  b.rise("Tcp.OutSegs", 15000).rise("Tcp.RetransSegs", 900);
			  b.rise("TcpExt.TCPTimeouts", 200);
		  } },
		{ "tcp-loss",
		  {},
		  [](Bundle &b) {
			  b.rise("Tcp.OutSegs", 900000).rise("Tcp.RetransSegs", 300);
			  b.rise("TcpExt.TCPSynRetrans", 300).rise("Tcp.ActiveOpens", 1000);
		  } },
		{ "tcp-sndbuf-limited",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(R"({"acked":8000000,"sndbuf_limited_ms":9800,
				"sndbuf":32768})");
		  } },
		{ "tcp-rwnd-limited",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(R"({"acked":8000000,"rwnd_limited_ms":9800})");
		  } },
		{ "tx-qdisc-drops",
		  {},
		  [](Bundle &b) {
			  b.set("/before/ifaces/1/queues/-",
				R"({"id":7,"tx":true,"qdisc_drops":0})");
			  b.set("/after/ifaces/1/queues/-",
				R"({"id":7,"tx":true,"qdisc_drops":900000})");
			  b.rise_at("ifaces/1/stats/tx_dropped", 900000);
		  } },
		{ "reader-waits-for-cpu",
		  { "tcp-reader-slow" },
		  [](Bundle &b) {
			  b.owner(10, 85).socket(R"({"recv_queue":900000,"was_recv_queue":900000,
				"received":9000000,"read":9000000,"rcvbuf":2000000})");
		  } },
		/* A socket that came within the window, and that nobody reads. */
		{ "udp-reader-stopped",
		  { "udp-overflow" },
		  [](Bundle &b) {
			  b.socket(R"({"proto":"udp","state":"","drops":5000,"rcvbuf":212992,
				"rmem_alloc":212000,"was_rmem_alloc":0,"seen_before":false})");
			  b.rise("Udp.RcvbufErrors", 5000);
		  } },
		/* A quota that the kernel does not count as waiting. */
		{ "reader-waits-for-cpu",
		  { "tcp-reader-slow" },
		  [](Bundle &b) {
			  b.owner(30, 1, 0, "S", 69)
				  .socket(R"({"recv_queue":900000,"was_recv_queue":900000,
				"received":9000000,"read":9000000,"rcvbuf":2000000})");
		  } },
		{ "reader-waits-for-cpu",
		  { "udp-overflow" },
		  [](Bundle &b) {
			  b.socket(R"({"proto":"udp","state":"","drops":50000,"rcvbuf":212992,
				"rmem_alloc":212000,"was_rmem_alloc":200000})");
			  b.rise("Udp.RcvbufErrors", 50000).rise("Udp.InDatagrams", 90000);
			  b.owner(80, 1, 0, "S", 25).softirq(0, 5);
		  } },
		{ "reader-waits-for-cpu",
		  { "udp-overflow" },
		  [](Bundle &b) {
			  b.socket(R"({"proto":"udp","state":"","drops":50000,"rcvbuf":212992,
				"rmem_alloc":212000,"was_rmem_alloc":200000})");
			  b.rise("Udp.RcvbufErrors", 50000).rise("Udp.InDatagrams", 90000);
			  b.owner(10, 85).softirq(0, 5);
		  } },
	};

	return cases;
}
/* clang-format on */
