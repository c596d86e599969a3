// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: how much of what passed is lost, what follows from what, and who else is on the
 * host.
 */
#include "doctor_case.hpp"

/* Two interfaces: "eth0" and a "eth1" of the same kind, as index 1 and 2. */
static void add_eth1(Bundle &b)
{
	for (const char *when : { "/before", "/after" }) {
		const std::string eth0 = json_object_to_json_string(
			b.get(std::string(when) + "/ifaces/1"));

		b.set(std::string(when) + "/ifaces/-", eth0);
		b.set(std::string(when) + "/ifaces/2/name", "\"eth1\"");
		b.set(std::string(when) + "/ifaces/2/ifindex", "77");
	}
}

/* 40 million packets in the window. */
static void busy(Bundle &b)
{
	b.rise_at("ifaces/1/stats/rx_packets", 40000000);
	b.rise_at("ifaces/1/stats/tx_packets", 40000000);
	b.rise("Ip.InReceives", 13000000).rise("Tcp.InSegs", 13000000).rise("Tcp.OutSegs", 9000000);
	b.rise("Ip.OutRequests", 9000000).rise("Ip.ReasmReqds", 100000).rise("Ip.ReasmOKs", 50000);
	b.rise("Udp.InDatagrams", 4000000).rise("Tcp.PassiveOpens", 90000);
	b.rise("Udp.OutDatagrams", 4000000);
}

static const std::vector<std::string> lost_at_eth0 = {
	"stats/rx_missed_errors",  "stats/rx_over_errors",	     "stats/rx_crc_errors",
	"stats/rx_frame_errors",   "stats/rx_length_errors",	     "stats/rx_dropped",
	"stats/ingress_drops",	   "ethtool/rx_out_of_buffer",	     "ethtool/rx_discards_phy",
	"ethtool/rx_xdp_drop",	   "ethtool/tx_global_pause",	     "ethtool/rx_global_pause",
	"ethtool/rx_alloc_failed", "ethtool/pps_allowance_exceeded", "ethtool/rx_symbol_err_phy"
};

static const std::vector<std::string> lost_by_protocols = { "Tcp.InCsumErrors",
							    "Udp.InCsumErrors",
							    "Ip.ReasmFails",
							    "TcpExt.IPReversePathFilter",
							    "nf_conntrack.drop",
							    "nf_conntrack.insert_failed",
							    "nf_conntrack.early_drop",
							    "TcpExt.ListenOverflows",
							    "TcpExt.TCPReqQFullDrop",
							    "TcpExt.TCPRcvCollapsed",
							    "TcpExt.RcvPruned",
							    "TcpExt.OfoPruned",
							    "TcpExt.TCPRcvQDrop",
							    "TcpExt.TCPMemoryPressures",
							    "Udp.RcvbufErrors",
							    "Udp.MemErrors",
							    "Udp.SndbufErrors",
							    "arp_cache.table_fulls",
							    "TcpExt.TCPBacklogDrop",
							    "TcpExt.TCPOFODrop",
							    "Ip.InDiscards" };

static void has_conntrack(Bundle &b)
{
	for (const char *name : { "drop", "insert_failed", "early_drop" })
		b.rise(std::string("nf_conntrack.") + name, 0);
	b.set("/after/counters/nf_conntrack.count", "4000");
	b.set("/after/counters/nf_conntrack.max", "262144");
}

TEST_CASE("doctor: 15 events among 40 million packets are no cause", "[doctor][shares]")
{
	std::vector<std::string> all;

	for (const std::string &name : lost_at_eth0)
		all.push_back("ifaces/1/" + name);
	for (const std::string &name : lost_by_protocols)
		all.push_back("counters/" + name);
	for (const std::string &at : all) {
		Bundle bundle;

		busy(bundle);
		has_conntrack(bundle);
		bundle.rise_at(at, 15);

		Diagnosis diagnosis(bundle);

		INFO(at << "\n" << diagnosis.printed(false));
		CHECK(diagnosis.exit_code() == RXAQM_EXIT_OK);
	}
}

TEST_CASE("doctor: a small loss is a note until TCP waits for it", "[doctor][shares]")
{
	static const struct {
		unsigned lost, behind;
		bool note;
	} rows[] = {
		{ 39000, 0, true }, /* below 1 of 1000 */
		{ 41000, 0, false },
		{ 39000, 400000, false }, /* segments wait behind gaps */
		{ 3900, 400000, true }, /* below 1 of 10,000: too few for that */
	};

	for (const auto &row : rows) {
		Bundle bundle;

		busy(bundle);
		bundle.set("/before/ifaces/1/stats/rx_packets", "0");
		bundle.set("/after/ifaces/1/stats/rx_packets", "40000000");
		bundle.rise_at("ifaces/1/stats/rx_missed_errors", row.lost);
		bundle.rise("TcpExt.TCPOFOQueue", row.behind);
		INFO(row.lost << " " << row.behind);
		CHECK(Diagnosis(bundle).is_note("nic-ring-overflow") == row.note);
	}
}

TEST_CASE("doctor: UDP's wrong checksums are not few because TCP gets much", "[doctor][shares]")
{
	Bundle bundle;

	bundle.rise("Tcp.InSegs", 40000000).rise("Udp.InDatagrams", 30000);
	bundle.rise("Udp.InCsumErrors", 300).rise("Udp.InErrors", 300);
	CHECK(Diagnosis(bundle).primary() == "checksum-errors");
}

TEST_CASE("doctor: XDP drops are a note unless they are most of what comes", "[doctor][shares]")
{
	for (const auto &[drops, note] :
	     std::vector<std::pair<unsigned, bool>>{ { 300000, true }, { 900000, false } }) {
		Bundle bundle;

		bundle.rise_at("ifaces/1/ethtool/rx_xdp_drop", drops);
		INFO(drops);
		CHECK(Diagnosis(bundle).is_note("xdp-drops") == note);
	}
}

TEST_CASE("doctor: what other interfaces lose is said", "[doctor][shares]")
{
	Bundle bundle;

	add_eth1(bundle);
	bundle.rise_at("ifaces/1/stats/rx_missed_errors", 9000);
	bundle.rise_at("ifaces/2/stats/rx_missed_errors", 5000);

	Diagnosis diagnosis(bundle);

	CHECK(diagnosis.printed(false).find("5000 at") != std::string::npos);
	CHECK(diagnosis.unexplained().empty());
}

TEST_CASE("doctor: a finding explains no loss of another interface, nor a larger one",
	  "[doctor][shares]")
{
	Bundle there, here, more;

	for (Bundle *b : { &there, &here, &more }) {
		add_eth1(*b);
		b->rise_at("ifaces/1/stats/rx_missed_errors", 9000);
	}
	there.rise_at("ifaces/2/stats/tx_dropped", 9000);
	there.set("/after/ifaces/2/driver", "\"ixgbe\"");
	here.rise_at("ifaces/1/stats/tx_dropped", 9000);
	here.set("/after/ifaces/1/driver", "\"ixgbe\"");
	more.rise_at("ifaces/1/stats/tx_dropped", 90000);
	more.set("/after/ifaces/1/driver", "\"ixgbe\"");
	CHECK(Diagnosis(there).unexplained() == std::set<std::string>{ "tx_dropped" });
	CHECK(Diagnosis(here).unexplained().empty());
	CHECK(Diagnosis(more).unexplained() == std::set<std::string>{ "tx_dropped" });
	CHECK(Diagnosis(there).wanted().count("drops"));
	CHECK(Diagnosis(there).printed(false).find("NOT EXPLAINED") != std::string::npos);
}

/* The CPU of the cause, and of what may follow from it. */
TEST_CASE("doctor: what happens on one CPU follows from nothing on another", "[doctor][shares]")
{
	for (const char *cpu : { "0", "1" }) {
		Bundle reader, busy_cpu, starved, ring;

		/* A reader shares CPU 1 with softirqs. */
		reader.rise("Udp.RcvbufErrors", 8000).rise("Udp.InErrors", 8000);
		reader.socket(R"({"proto":"udp","state":"","drops":8000,"rcvbuf":212992,
			"rmem_alloc":200000,"was_rmem_alloc":1000})");
		reader.rise("Udp.InDatagrams", 90000).owner(40, 55, 1).softirq(1, 45).softirq(0, 0);
		busy_cpu.softirq(1, 99).softirq(0, 20);
		starved.rise_at("threads/1/wait_ns", 7000000000);
		starved.rise_at("threads/1/run_ns", 500000000);
		starved.rise_at("cpus/1/user", 900).rise_at("cpus/1/idle", 20);
		for (const auto &[bundle, cause] : std::vector<std::pair<Bundle *, std::string>>{
			     { &reader, "udp-reader-shares-cpu" },
			     { &busy_cpu, "rx-cpu-busy" },
			     { &starved, "rx-starved" } }) {
			bundle->rise_at(std::string("cpus/") + cpu + "/dropped", 8000);

			Diagnosis diagnosis(*bundle);

			INFO(cause << ", backlog of CPU " << cpu << "\n"
				   << diagnosis.printed(false));
			CHECK(diagnosis.with(DOCTOR_FOUND).count(cause));
			CHECK(diagnosis.consequence_of("backlog-drops") ==
			      (*cpu == '1' ? cause : ""));
		}
		/* Interrupts of eth0's queue go to @cpu, and CPU 1 is full. */
		ring.softirq(1, 99).softirq(0, 20);
		ring.set("/after/ifaces/1/queues/1/cpu", cpu);
		ring.rise_at("ifaces/1/stats/rx_missed_errors", 9000);
		CHECK(Diagnosis(ring).consequence_of("nic-ring-overflow") ==
		      (*cpu == '1' ? "rx-cpu-busy" : ""));
	}
}

TEST_CASE("doctor: what happens at one interface follows from nothing at another, nor a large loss "
	  "from a small one",
	  "[doctor][shares]")
{
	static const struct {
		const char *discards;
		unsigned lost;
		bool follows;
	} rows[] = {
		{ "ifaces/1/ethtool/rx_discards_phy", 9000, true },
		{ "ifaces/2/ethtool/rx_discards_phy", 9000, false },
		{ "ifaces/1/ethtool/rx_discards_phy", 4000, false },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		add_eth1(bundle);
		bundle.rise_at(row.discards, row.lost);
		bundle.rise_at("ifaces/1/stats/rx_missed_errors", 9000);
		INFO(row.discards << " " << row.lost);
		CHECK((Diagnosis(bundle).consequence_of("nic-ring-overflow") ==
		       "nic-port-discards") == row.follows);
	}
}

TEST_CASE("doctor: NAPI threads of other network namespaces accuse nobody here", "[doctor][shares]")
{
	static const struct {
		const char *comm, *napis;
		bool ours;
	} rows[] = {
		{ "napi/eth0-8193", "[]", true },
		{ "napi/eth0-8193", R"([{"id":8193,"pid":99}])", true },
		{ "napi/eth0-8193", R"([{"id":8194,"pid":98}])", false },
		{ "napi/eth07-8193", "[]", false },
		{ "napi/veth3f-97", "[]", false },
		{ "ksoftirqd/0", "[]", true },
	};

	for (const auto &row : rows) {
		Bundle bundle;
		const std::string thread = std::string(R"({"comm":")") + row.comm +
					   R"(","pid":99,"cpu":0,"run_ns":)";

		bundle.set("/before/threads", "[" + thread + R"(0,"wait_ns":0}])");
		bundle.set("/after/threads", "[" + thread + R"(500000000,"wait_ns":7000000000}])");
		bundle.set("/after/ifaces/1/napis", row.napis);
		bundle.rise_at("cpus/0/user", 900).rise_at("cpus/0/idle", 20);

		Diagnosis diagnosis(bundle);

		INFO(row.comm << " " << row.napis);
		CHECK((diagnosis.primary() == "rx-starved") == row.ours);
		CHECK((diagnosis.printed(false).find(row.comm) != std::string::npos) == row.ours);
	}
}

TEST_CASE("doctor: the backlogs of other network namespaces are a note", "[doctor][shares]")
{
	for (const char *here : { "0", "7000" }) {
		Bundle bundle;

		bundle.rise_at("cpus/0/dropped", 8000);
		bundle.rise_at("ifaces/1/stats/rx_dropped", strtoul(here, nullptr, 10));
		bundle.set("/namespaces", R"([{"pid":4711,"comm":"redis","programs":3}])");
		CHECK(Diagnosis(bundle).is_note("backlog-drops") == (*here == '0'));
	}
}

TEST_CASE("doctor: a CPU that the packets of other network namespaces fill is a note",
	  "[doctor][shares]")
{
	for (const bool all : { false, true }) {
		for (const unsigned here : { 40U, 300000U }) {
			Bundle bundle;

			bundle.softirq(0, 97).rise_at("cpus/0/idle", 10);
			bundle.softirq(1, all ? 97 : 2).rise_at("cpus/1/idle", all ? 10 : 900);
			for (const char *cpu : { "0", "1" })
				bundle.rise_at(std::string("cpus/") + cpu + "/processed", 900000)
					.rise_at(std::string("cpus/") + cpu + "/net_rx", 90000);
			bundle.rise_at("ifaces/0/stats/rx_packets", 0);
			bundle.rise_at("ifaces/1/stats/rx_packets", here);
			bundle.set("/namespaces", R"([{"pid":4711,"comm":"redis","programs":3}])");

			const Diagnosis diagnosis(bundle);
			const std::string id = all ? "rx-cpus-busy" : "rx-cpu-busy";

			INFO(diagnosis.printed(true));
			CHECK(diagnosis.with(DOCTOR_FOUND).count(id));
			CHECK(diagnosis.is_note(id) == (here == 40));
		}
	}
}

TEST_CASE("doctor: a reader counts by how long data waits and whether its window is shut",
	  "[doctor][shares]")
{
	static const struct {
		const char *socket, *id; /* "": no cause */
	} rows[] = {
		/* 60 kB/s on a host that gets 16 Gbit/s by 200 sockets. */
		{ R"({"recv_queue":65000,"was_recv_queue":61000,"rcv_wnd":0,"received":620000,
			"read":600000})",
		  "tcp-reader-slow" },
		{ R"({"recv_queue":65000,"was_recv_queue":61000,"rcv_wnd":90000,"received":620000,
			"read":600000})",
		  "tcp-reader-slow" },
		/* Data waits 60 ms: only if the sender waits, too. */
		{ R"({"recv_queue":65000,"was_recv_queue":61000,"rcv_wnd":0,"received":10000000,
			"read":10000000})",
		  "tcp-reader-slow" },
		{ R"({"recv_queue":65000,"was_recv_queue":61000,"rcv_wnd":90000,
			"received":10000000,"read":10000000})",
		  "" },
		/* It stops while data comes; or was stopped before, by a user perhaps. */
		{ R"({"recv_queue":65000,"was_recv_queue":31000,"rcv_wnd":0,"received":34000})",
		  "tcp-reader-stopped" },
		{ R"({"recv_queue":65000,"was_recv_queue":65000,"rcv_wnd":0})", "" },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		bundle.set("/sockets/nr_tcp", "200").owner(97, 1).socket(row.socket);
		INFO(row.socket);
		CHECK(Diagnosis(bundle).primary() == row.id);
	}
}

TEST_CASE("doctor: packets that IP took and nobody got", "[doctor][shares]")
{
	static const struct {
		const char *what;
		unsigned came, delivered, behind;
		const char *other;
		const char *id;
	} rows[] = {
		{ "a limit of netfilter stops TCP", 546, 401, 41, "", "ip-undelivered" },
		{ "a firewall drops a part that nobody waits for", 90000, 86000, 0, "", "" },
		{ "a firewall drops scans, while segments overtake each other", 90000, 89500, 4000,
		  "", "" },
		{ "half of UDP", 90000, 45000, 0, "", "ip-undelivered" },
		{ "what is forwarded", 90000, 45000, 0, "Ip.ForwDatagrams", "" },
		{ "counted as an error", 90000, 45000, 0, "Ip.InHdrErrors", "" },
		{ "loss on the way of a host that only receives", 90000, 90000, 40000, "",
		  "tcp-gaps" },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		bundle.set("/before/counters", "{}").set("/after/counters", "{}");
		bundle.rise_at("counters/Ip.InReceives", row.came);
		bundle.rise_at("counters/Ip.InDelivers", row.delivered);
		bundle.rise_at("counters/Tcp.InSegs", row.delivered);
		bundle.rise("TcpExt.TCPOFOQueue", row.behind);
		if (*row.other)
			bundle.rise(row.other, row.came - row.delivered);

		Diagnosis diagnosis(bundle);

		INFO(row.what << "\n" << diagnosis.printed(false));
		CHECK(diagnosis.primary() ==
		      (*row.other && !*row.id ? diagnosis.primary() : row.id));
		CHECK(diagnosis.with(DOCTOR_FOUND).count("ip-undelivered") ==
		      (row.delivered < row.came && !*row.other));
		CHECK((!*row.id || diagnosis.wanted().count("drops")));
	}
}
