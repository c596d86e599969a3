// SPDX-License-Identifier: GPL-2.0-only
/* A golden bundle for each cause: the healthy host, with what that cause changes. */
#include "doctor_case.hpp"

/* Most of 16 flows of queue 3 are paced below two segments a ms; those of queue 1 are not. */
static void slow_flows(Bundle &bundle, const char *bad)
{
	bundle.set("/sockets/groups/-", std::string(R"({"ifindex":2,"rx_queue":3,"proto":"tcp",
		"sockets":16,"active":16,"received":0,"acked":100000000,"slow_paced":14,"young":0,
		"young_no_bonus":0,"ect":0,"not_ect":16,"cwnd_limited":0,"pacing_median":786432,
		"srtt_median_us":98304,"min_rtt_median_us":49152,"cwnd_median":48)") +
						bad + "}");
	bundle.rise("Tcp.OutSegs", 1000000).rise("Ip.OutRequests", 1000000);
}

static std::string attached(const char *fields)
{
	return std::string(R"({"ifindex":2,"queue":3,"signal":"busy","completion":"split",
		"mode":"observe","busy_polls":9000,"drained_polls":0,"packets":600000,"acks":0,
		"over_target":0,"over_target_acks":0,"marked":0,"dropped":0,
		"sojourn_p50_ns":80000000,"target_ns":5000000)") +
	       fields + "}";
}

/* clang-format off: a row a cause */
static const std::vector<Case> &host_cases()
{
	static const std::vector<Case> cases = {
		{ "ip-fragments",
		  { "ip-reassembly-fails" },
		  [](Bundle &b) {
			  b.rise("Ip.InReceives", 2000000).rise("Ip.ReasmReqds", 1350000);
			  b.rise("Ip.ReasmOKs", 30000).rise("Ip.ReasmFails", 40);
		  } },
		{ "ip-reassembly-fails", {}, [](Bundle &b) { b.rise("Ip6.ReasmFails", 40); } },
		{ "cpu-steal", {}, [](Bundle &b) { b.rise_at("cpus/1/steal", 300); } },
		{ "rx-starved",
		  {},
		  [](Bundle &b) {
			  b.rise_at("threads/0/wait_ns", 7000000000)
				  .rise_at("threads/0/run_ns", 500000000);
			  b.rise_at("cpus/0/user", 900).rise_at("cpus/0/idle", 20);
		  } },
		/* Threads of two queues wait for each other: nobody else has their CPU. */
		{ "rx-cpu-busy",
		  {},
		  [](Bundle &b) {
			  for (const char *thread : { "threads/0/", "threads/1/" })
				  b.rise_at(std::string(thread) + "wait_ns", 5000000000)
					  .rise_at(std::string(thread) + "run_ns", 4950000000)
					  .set("/after/" + std::string(thread) + "cpu", "0")
					  .set("/after/" + std::string(thread) + "comm",
					       "\"napi/eth0-1\"")
					  .set("/before/" + std::string(thread) + "comm",
					       "\"napi/eth0-1\"");
			  b.rise_at("cpus/0/system", 990).rise_at("cpus/0/idle", 10);
			  b.rise_at("cpus/0/softirq", 0);
		  } },
		/* The rest of its time goes to programs, and there is none left. */
		{ "rx-cpu-busy",
		  { "nic-ring-overflow" },
		  [](Bundle &b) {
			  b.softirq(0, 92).rise_at("cpus/0/idle", 10).rise_at("cpus/0/user", 70);
			  b.softirq(1, 20).rise_at("ifaces/1/stats/rx_missed_errors", 900);
		  } },
		{ "rx-cpu-busy", {}, [](Bundle &b) { b.softirq(0, 99).softirq(1, 20); } },
		/* A program that reads on that CPU comes to it rarely. */
		{ "rx-cpu-busy",
		  { "tcp-reader-slow" },
		  [](Bundle &b) {
			  b.softirq(0, 99).softirq(1, 20).owner(1, 1).socket(R"({
				"recv_queue":900000,"was_recv_queue":900000,"received":9000000,
				"read":9000000,"rcvbuf":2000000})");
		  } },
		{ "rx-cpu-busy",
		  { "backlog-drops" },
		  [](Bundle &b) {
			  b.softirq(0, 99).softirq(1, 20).rise_at("cpus/0/dropped", 8000);
		  } },
		{ "rx-cpus-busy",
		  { "nic-ring-overflow" },
		  [](Bundle &b) {
			  b.softirq(0, 99).softirq(1, 90).rise_at("ifaces/1/stats/rx_missed_errors",
								  900);
		  } },
		{ "rx-overload-sticks",
		  { "rx-cpu-busy" },
		  [](Bundle &b) {
			  b.softirq(0, 99).softirq(1, 20);
			  b.set("/past", R"([
				{"rx_bytes_per_s":500000000,"busiest_permille":500,"standing":false},
				{"rx_bytes_per_s":900000000,"busiest_permille":999,"standing":false},
				{"rx_bytes_per_s":400000000,"busiest_permille":990,"standing":false}])");
		  } },
		{ "backlog-drops", {}, [](Bundle &b) { b.rise_at("cpus/0/dropped", 8000); } },
		{ "nic-allowance",
		  {},
		  [](Bundle &b) { b.rise_at("ifaces/1/ethtool/bw_in_allowance_exceeded", 700); } },
		{ "wire-errors",
		  {},
		  [](Bundle &b) { b.rise_at("ifaces/1/stats/rx_crc_errors", 700); } },
		{ "nic-pauses",
		  {},
		  [](Bundle &b) { b.rise_at("ifaces/1/ethtool/tx_pause_ctrl_phy", 700); } },
		{ "nic-no-memory",
		  { "nic-ring-overflow" },
		  [](Bundle &b) {
			  b.rise_at("ifaces/1/ethtool/rx_buff_alloc_err", 700);
			  b.rise_at("ifaces/1/stats/rx_missed_errors", 900);
		  } },
		{ "nic-ring-overflow",
		  {},
		  [](Bundle &b) { b.rise_at("ifaces/1/stats/rx_missed_errors", 900); } },
		/* Its NAPI is late with what was sent, too. */
		{ "rx-skew",
		  { "tx-qdisc-standing" },
		  [](Bundle &b) {
			  b.softirq(0, 70);
			  b.set("/standing/-", R"({"ifindex":2,"queue":3,"looks":99,"backlogged":98,
				"backlog_max":3000})");
			  for (const char *when : { "/before", "/after" }) {
				  bool after = *(when + 1) == 'a';

				  for (int i = 0; i < 4; i++)
					  b.set(std::string(when) + "/ifaces/1/queues/-",
						R"({"id":)" + std::to_string(10 + i) +
							R"(,"tx":false,"packets":)" +
							(after ? i ? "10000" : "900000" : "0") +
							"}");
			  }
		  } },
		{ "rx-queues-few",
		  { "rx-cpu-busy" },
		  [](Bundle &b) {
			  b.softirq(0, 99).softirq(1, 20);
			  b.set("/after/ifaces/1/rx_max_queues", "8");
		  } },
		{ "gro-off",
		  {},
		  [](Bundle &b) {
			  b.rise("IpExt.InNoECTPkts", 600000).rise("Ip.InReceives", 600000);
			  b.rise_at("ifaces/1/stats/rx_packets", 600000);
			  b.set("/after/ifaces/1/driver", "\"igb\"");
		  } },
		{ "xdp-drops",
		  {},
		  [](Bundle &b) { b.rise_at("ifaces/1/ethtool/rx_queue_0_xdp_drops", 700); } },
		{ "rx-dropped",
		  {},
		  [](Bundle &b) { b.rise_at("ifaces/1/stats/rx_dropped", 3000); } },
		{ "tso-self-throttled", {}, [](Bundle &b) { slow_flows(b, ""); } },
		{ "tx-qdisc-standing",
		  {},
		  [](Bundle &b) {
			  b.set("/standing/-", R"({"ifindex":2,"queue":3,"looks":99,"backlogged":98,
				"backlog_max":3000})");
			  /* Without BQL: what is in flight is not known. */
			  b.set("/after/ifaces/1/queues/-", R"({"id":3,"tx":true,"bql_limit":0})");
		  } },
		{ "reordering",
		  {},
		  [](Bundle &b) {
			  b.rise("TcpExt.TCPSACKReorder", 9000).rise("TcpExt.TCPOFOQueue", 9000);
		  } },
		/* It sends little, and what it receives has nothing to do with that. */
		{ "reordering",
		  {},
		  [](Bundle &b) {
			  b.rise("TcpExt.TCPSACKReorder", 20).rise("Tcp.OutSegs", 10000);
			  b.rise("Tcp.InSegs", 1000000);
		  } },
		{ "loss-on-long-path",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(
				  R"({"retrans":40,"srtt_us":150000,"min_rtt_us":144000,
				"segs_out":90000})");
			  b.rise("Tcp.RetransSegs", 40);
		  } },
		{ "small-mss",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(R"({"data_segs_in":20000,"rcv_mss":536,"advmss":8948,
				"received":10720000,"read":10720000})");
		  } },
		{ "tcp-features-off",
		  {},
		  [](Bundle &b) { b.set("/sysctl/net.ipv4.tcp_window_scaling", "\"0\""); } },
		{ "cq-shared",
		  { "rx-queue-standing", "acks-dominate" },
		  [](Bundle &b) {
			  b.set("/attached/-",
				attached(R"(,"completion":"shared","over_target":100000,
				"over_target_acks":85000)"));
		  } },
		{ "rx-queue-standing",
		  { "acks-dominate", "rx-cpu-busy" },
		  [](Bundle &b) {
			  b.set("/attached/-", attached(R"(,"over_target":100000,
				"over_target_acks":85000)"));
			  b.softirq(0, 99).softirq(1, 20);
		  } },
	};

	return cases;
}
/* clang-format on */

const std::vector<Case> &doctor_cases()
{
	static const std::vector<Case> cases = [] {
		std::vector<Case> all = doctor_cases_sockets();

		all.insert(all.end(), host_cases().begin(), host_cases().end());
		all.insert(all.end(), doctor_cases_deep().begin(), doctor_cases_deep().end());
		all.insert(all.end(), doctor_cases_world().begin(), doctor_cases_world().end());
		return all;
	}();

	return cases;
}
