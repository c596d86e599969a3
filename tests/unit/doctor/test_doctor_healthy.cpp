// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: what looks like a cause and is none, and remedies that would make it worse. */
#include "doctor_case.hpp"

/* What is healthy, and the check that must acquit it. */
struct Healthy {
	const char *what, *id;
	std::function<void(Bundle &)> change;
};

static const char group[] = R"({"ifindex":2,"proto":"tcp","received":1,"acked":0,"slow_paced":0,
	"young":0,"young_no_bonus":0,"ect":0,"not_ect":0,"cwnd_limited":0,"pacing_median":0,
	"srtt_median_us":0,"min_rtt_median_us":0,"cwnd_median":0,"sockets":64,)";

static void four_queues(Bundle &b, unsigned most, unsigned other)
{
	b.set("/sockets/groups", "[]").set("/after/ifaces/1/channels", "0");
	for (unsigned i = 0; i < 4; i++)
		b.set("/sockets/groups/-", std::string(group) + R"("rx_queue":)" +
						   std::to_string(i) + R"(,"active":)" +
						   std::to_string(i ? other : most) + "}");
}

static const std::vector<Healthy> &healthy()
{
	static const std::vector<Healthy> all = {
		{ "page_pool_ethtool_stats_get: pages taken by the fast path", "nic-no-memory",
		  [](Bundle &b) {
			  b.rise_at("ifaces/1/ethtool/rx_pp_alloc_fast", 9000000);
			  b.rise_at("ifaces/1/ethtool/rx0_pp_alloc_fast", 9000000);
		  } },
		{ "a bond: its 16 queues carry nothing, those of its NICs do", "rx-skew",
		  [](Bundle &b) {
			  four_queues(b, 64, 64);
			  b.set("/after/ifaces/1/driver", "\"bonding\"");
			  b.set("/after/ifaces/1/rx_queues", "16");
		  } },
		{ "chance: 17 of 32 flows in one of 4 queues", "rx-skew",
		  [](Bundle &b) {
			  four_queues(b, 17, 5);
			  b.set("/after/ifaces/1/rx_queues", "4");
		  } },
		{ "a container was started in the window", "window-empty",
		  [](Bundle &b) {
			  b.set("/after/ifaces/-",
				R"({"name":"veth7","ifindex":77,"stats":{"rx_packets":9}})");
		  } },
		{ "a CPU that waits for a disk has time", "rx-cpu-busy",
		  [](Bundle &b) {
			  b.softirq(0, 82).rise_at("cpus/0/idle", 10);
			  b.rise_at("cpus/0/iowait", 170).softirq(1, 20);
		  } },
		{ "a busy CPU: its softirqs wait 20 ms once in 3 s", "softirq-late",
		  [](Bundle &b) {
			  b.set("/deep", R"({"late_ns":3000000000})");
			  b.set("/deep_late", R"([{"cpu":0,"waits":80000,"longest_ns":20000000,
				"p99_ns":65000,"held_by":"nginx"}])");
		  } },
		{ "0.03 % of datagrams found no room, once", "udp-reader-stopped",
		  [](Bundle &b) {
			  b.rise("Udp.RcvbufErrors", 48).rise("Udp.InErrors", 48);
			  b.rise("Udp.InDatagrams", 154928).owner(84, 1).socket(R"({"proto":"udp",
				"state":"","drops":48,"rcvbuf":212992,"rmem_alloc":0})");
		  } },
		{ "one segment of a million is sent again", "loss-on-long-path",
		  [](Bundle &b) {
			  b.socket(R"({"retrans":1,"srtt_us":144000,"segs_out":1000000})");
		  } },
		{ "a fast transfer: buffers that grow are full for moments", "tcp-window-stuck",
		  [](Bundle &b) {
			  b.socket(R"({"rcvbuf":20026520,"rmem_alloc":793056,
				"was_rmem_alloc":4421568,"rcv_wnd":19000000,
				"received":2000000000,"read":2000000000})");
			  b.rise("TcpExt.TCPWantZeroWindowAdv", 1179);
		  } },
		{ "a bulk sender: few ACKs come back for all that it sends", "reordering",
		  [](Bundle &b) {
			  b.rise("TcpExt.TCPSACKReorder", 18).rise("Tcp.OutSegs", 3300000);
			  b.rise("Tcp.InSegs", 10590).rise("TcpExt.TCPOFOQueue", 0);
		  } },
		{ "loopback: segments of what the sender writes at once", "small-mss",
		  [](Bundle &b) {
			  b.socket(
				  R"({"ifindex":1,"data_segs_in":20000,"rcv_mss":1448,"advmss":65483,
				"received":28960000,"read":28960000})");
		  } },
		{ "segments of half of a small window (tcp_bound_to_half_wnd)", "small-mss",
		  [](Bundle &b) {
			  b.socket(R"({"data_segs_in":20000,"rcv_mss":2048,"advmss":8948,
				"rcv_wnd":4096,"received":40960000,"read":40960000})");
		  } },
		{ "a program that writes as fast as it goes: twice of what is in flight",
		  "tcp-not-sent",
		  [](Bundle &b) {
			  b.socket(
				  R"({"not_sent":4000000,"acked":10000000,"cwnd":2600,"mss":1448})");
		  } },
		{ "a sender without timestamps: the receiver's round trip is the time of a window",
		  "tcp-rcvbuf-fixed",
		  [](Bundle &b) {
			  b.socket(R"({"rcvbuf_locked":true,"rcv_wnd":65536,"received":650000,
				"read":650000,"data_segs_in":450,"rcv_rtt_us":1000000,
				"srtt_us":20000})");
		  } },
		{ "queues of one NIC are uneven, and no CPU has much to do", "rx-skew",
		  [](Bundle &b) {
			  four_queues(b, 400, 5);
			  b.set("/after/ifaces/1/rx_queues", "4").softirq(0, 9).softirq(1, 8);
		  } },
		{ "a neighbour says once a second who it is, by a protocol that nobody here speaks",
		  "rx-dropped",
		  [](Bundle &b) {
			  b.rise_at("ifaces/1/stats/rx_packets", 2000);
			  b.rise_at("ifaces/1/stats/rx_dropped", 60);
		  } },
		{ "fq keeps the packets of flows that are paced", "tx-qdisc-standing",
		  [](Bundle &b) {
			  b.set("/standing/-", R"({"ifindex":2,"queue":3,"looks":99,"backlogged":98,
				"backlog_max":3000})");
			  b.set("/after/ifaces/1/qdisc", "\"fq\"");
		  } },
		{ "the same below mq", "tx-qdisc-standing",
		  [](Bundle &b) {
			  b.set("/standing/-", R"({"ifindex":2,"queue":3,"looks":99,"backlogged":98,
				"backlog_max":3000})");
			  b.set("/after/ifaces/1/qdisc", "\"mq\"");
			  b.set("/sysctl/net.core.default_qdisc", "\"fq\"");
		  } },
		{ "a veth has no GRO, since what comes has been through it", "gro-off",
		  [](Bundle &b) {
			  b.rise("IpExt.InNoECTPkts", 600000).rise("Ip.InReceives", 600000);
			  b.rise_at("ifaces/1/stats/rx_packets", 600000);
			  b.set("/after/ifaces/1/driver", "\"veth\"");
		  } },
		{ "a kernel before 6.2 does not tell the window by sock_diag", "tcp-reader-stopped",
		  [](Bundle &b) {
			  b.socket(R"({"rcv_wnd":4294967295,"recv_queue":8192,"was_recv_queue":8192,
				"rmem_alloc":16384,"rcvbuf":6291456})");
		  } },
	};

	return all;
}

TEST_CASE("doctor: what looks like a cause and is none", "[doctor]")
{
	for (const Healthy &one : healthy()) {
		Bundle bundle;

		one.change(bundle);

		Diagnosis diagnosis(bundle.text());

		INFO(one.what << "\n" << diagnosis.printed(true));
		CHECK(!diagnosis.with(DOCTOR_FOUND).count(one.id));
	}
}

/* 12.5 MB/s; a full link, or a shaper, has something waiting at all times. */
TEST_CASE("doctor: what waits for less than 50 ms to be sent is a note", "[doctor]")
{
	static const struct {
		const char *bytes, *qdisc;
		unsigned refused;
		bool note;
	} rows[] = {
		{ "125000", "htb", 0, true },
		{ "6250000", "htb", 0, false },
		/* This queue's part of it is not known. */
		{ "125000", "mq", 0, false },
		{ "125000", "tbf", 90000, false },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		bundle.set("/standing/-", R"({"ifindex":2,"queue":0,"looks":99,"backlogged":98,
			"backlog_max":90})");
		bundle.set("/after/ifaces/1/queues", std::string(R"([{"id":0,"tx":true,)") +
							     R"("backlog_bytes":)" + row.bytes +
							     "}]");
		bundle.set("/after/ifaces/1/qdisc", std::string("\"") + row.qdisc + "\"");
		bundle.rise_at("ifaces/1/stats/tx_bytes", 125000000);
		bundle.rise("Udp.SndbufErrors", row.refused);

		Diagnosis diagnosis(bundle.text());

		INFO(diagnosis.printed(false));
		CHECK(diagnosis.is_note("tx-qdisc-standing") == row.note);
		CHECK(diagnosis.exit_code() == (row.note ? RXAQM_EXIT_OK : RXAQM_EXIT_FINDINGS));
	}
}

TEST_CASE("doctor: the listener that is full is named, not the longest queue", "[doctor]")
{
	Bundle bundle;

	bundle.socket(R"({"state":"listen","local":"10.0.0.1:80","recv_queue":50,
		"send_queue":4096})");
	bundle.socket(R"({"state":"listen","local":"10.0.0.1:99","recv_queue":3,"send_queue":2})");
	bundle.rise("TcpExt.ListenOverflows", 500);

	const std::string text = Diagnosis(bundle.text()).printed(false);

	INFO(text);
	CHECK(text.find("10.0.0.1:99") != text.npos);
	CHECK(text.find("10.0.0.1:80") == text.npos);
}

TEST_CASE("doctor: datagrams of IPv6 are datagrams", "[doctor]")
{
	Bundle bundle;

	bundle.socket(R"({"proto":"udp","state":"","drops":50000,"rcvbuf":212992,
		"rmem_alloc":1000,"was_rmem_alloc":0})");
	bundle.owner(20, 0).rise("Udp6.InDatagrams", 950000);
	bundle.rise("Udp6.RcvbufErrors", 50000);

	const std::string text = Diagnosis(bundle.text()).printed(false);

	INFO(text);
	CHECK(text.find("datagrams=99989/s") != text.npos);
}

TEST_CASE("doctor: datagrams dropped for udp_mem want no larger buffer", "[doctor]")
{
	Bundle bundle;

	bundle.socket(R"({"proto":"udp","state":"","drops":50000,"rcvbuf":212992,
		"rmem_alloc":1000,"was_rmem_alloc":0})");
	bundle.owner(20, 0).rise("Udp.InDatagrams", 90000).rise("Udp.MemErrors", 50000);

	Diagnosis diagnosis(bundle.text());

	INFO(diagnosis.printed(false));
	CHECK(diagnosis.primary() == "udp-memory");
	CHECK(diagnosis.consequence_of("udp-burst") == "udp-memory");
}

/* A remedy may not set less than there is, nor what there is. */
TEST_CASE("doctor: remedies start from what is set", "[doctor]")
{
	static const struct {
		const char *sysctl, *value, *now, *undo;
		std::function<void(Bundle &)> change;
	} rows[] = {
		{ "net.core.netdev_max_backlog", "30000", "netdev_max_backlog=60000",
		  "netdev_max_backlog=30000",
		  [](Bundle &b) { b.rise_at("cpus/0/dropped", 8000); } },
		{ "net.ipv4.tcp_rmem", "4096 131072 134217728", "tcp_rmem='4096 131072 268435456'",
		  "tcp_rmem='4096 131072 134217728'",
		  [](Bundle &b) {
			  b.socket(R"({"rcvbuf":134217728,"rcv_wnd":67108864,
				"rcv_rtt_us":121000,"srtt_us":121000,"received":5200000000,
				"read":5200000000})");
		  } },
		/* The default before 6.16. */
		{ "net.ipv4.tcp_rmem", "4096 131072 6291456", "tcp_rmem='4096 131072 3145728'",
		  "tcp_rmem='4096 131072 6291456'",
		  [](Bundle &b) { b.rise("TcpExt.TCPRcvCollapsed", 4000); } },
		{ "net.core.rmem_max", "16777216", "rmem_max=33554432", "rmem_max=16777216",
		  [](Bundle &b) {
			  b.socket(R"({"proto":"udp","state":"","drops":50000,"rcvbuf":212992,
				"rmem_alloc":1000,"was_rmem_alloc":0})");
			  b.owner(20, 0).rise("Udp.InDatagrams", 90000);
			  b.rise("Udp.RcvbufErrors", 50000);
		  } },
		{ "net.core.somaxconn", "65535", "somaxconn (65535)", "smaller backlog",
		  [](Bundle &b) { b.rise("TcpExt.ListenOverflows", 500); } },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		bundle.set(std::string("/sysctl/") + row.sysctl,
			   std::string("\"") + row.value + "\"");
		row.change(bundle);

		const std::string text = Diagnosis(bundle.text()).printed(false, true);

		INFO(row.sysctl << "\n" << text);
		CHECK(text.find(row.now) != text.npos);
		CHECK(text.find(row.undo) != text.npos);
	}
}

/* All remedies append to one file: one may not take the lines of another. */
TEST_CASE("doctor: no remedy overwrites or removes a file", "[doctor]")
{
	const doctor_check *check;

	for (size_t i = 0; (check = doctor_check_at(i)); i++) {
		const doctor_remedy remedy = doctor_remedy_of(check);

		INFO(check->id);
		for (const std::string text : { remedy.now, remedy.keep, remedy.undo }) {
			size_t at = text.find(">/etc");

			CHECK((at == text.npos || (at && text[at - 1] == '>')));
			CHECK(text.find("rm /") == text.npos);
		}
	}
}

TEST_CASE("doctor: a CPU that mostly receives is full only if it has no time left", "[doctor]")
{
	static const struct {
		unsigned receiving, idle;
		bool full;
	} rows[] = {
		{ 96, 4, true },  { 94, 6, false }, /* with some time left */
		{ 81, 2, true },  { 79, 2, false }, /* other work has the rest */
		{ 81, 4, false },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		bundle.softirq(0, row.receiving).softirq(1, 20);
		bundle.rise_at("cpus/0/idle", row.idle * 10).rise_at("cpus/0/system", 0);
		bundle.rise_at("cpus/0/user", 1000 - (row.receiving + row.idle) * 10);
		INFO(row.receiving << " " << row.idle);
		CHECK(Diagnosis(bundle).with(DOCTOR_FOUND).count("rx-cpu-busy") == row.full);
	}
}
