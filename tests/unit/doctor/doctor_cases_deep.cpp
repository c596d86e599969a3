// SPDX-License-Identifier: GPL-2.0-only
/* Golden bundles of what the machine does to a CPU, and of what --deep measured. */
#include "doctor_case.hpp"

/* A NAPI of eth0 on CPU 0, whose probe lasted 3 s. */
static void polls(Bundle &bundle, const char *fields)
{
	bundle.set("/deep", R"({"polls_ns":3000000000})");
	bundle.set("/deep_napis",
		   std::string(R"([{"ifindex":2,"id":9,"cpu":0,"polls":2000,"busy":2000,
		"packets":128000,"poll_ns":2900000000,"longest_poll_ns":2000000,"wait_ns":50000000,
		"longest_wait_ns":900000)") +
			   fields + "}]");
}

static void fragments(Bundle &bundle)
{
	bundle.rise("Ip.InReceives", 20000).rise("Ip.ReasmReqds", 13500);
	bundle.rise("Ip.ReasmOKs", 3000);
}

/* In 3 s 1200 were refused by a rule of netfilter, 2 found no socket. */
static void drops(Bundle &bundle)
{
	bundle.set("/deep", R"({"drops_ns":3000000000})");
	bundle.set("/deep_drops",
		   R"([{"reason":"NETFILTER_DROP","place":"nf_hook_slow","drops":1200},
		{"reason":"NO_SOCKET","place":"__udp4_lib_rcv","drops":2}])");
}

/* clang-format off: a row a cause */
const std::vector<Case> &doctor_cases_deep()
{
	static const std::vector<Case> cases = {
		{ "app-window",
		  {},
		  [](Bundle &b) {
			  b.owner(5, 0).socket(R"({"acked":140000000,"srtt_us":144000,"mss":1448,
				"packets_out":1400,"was_packets_out":1398,"cwnd":9000,
				"app_limited":true,"received":90000,"read":90000})");
		  } },
		/* They have no ports to be spread by. */
		{ "ip-fragments",
		  { "rx-skew" },
		  [](Bundle &b) {
			  fragments(b);
			  b.softirq(0, 70);
			  b.set("/after/ifaces/1/rx_queues", "4");
			  for (int i = 10; i < 14; i++) {
				  const std::string at = R"({"id":)" + std::to_string(i) +
							 R"(,"tx":false,"packets":)";

				  b.set("/before/ifaces/1/queues/-", at + "0}");
				  b.set("/after/ifaces/1/queues/-",
					at + (i == 12 ? "19000}" : "300}"));
			  }
		  } },
		/* One BPF program makes packets dear, that fills the CPU, and the queue stands. */
		{ "bpf-dear",
		  { "packet-dear", "rx-cpu-busy", "rx-queue-standing" },
		  [](Bundle &b) {
			  b.softirq(0, 99).softirq(1, 20);
			  polls(b, "");
			  b.set("/deep/progs_ns", "3000000000");
			  b.set("/deep_progs",
				R"([{"id":7,"name":"slow","type":"sched_cls","runs":128000,
				"run_ns":2560000000},
				{"id":8,"name":"quick","type":"xdp","runs":128000,"run_ns":9000000}])");
		  } },
		/* The same where the CPU is not seen to be full, since others share it. */
		{ "bpf-dear",
		  { "packet-dear", "rx-queue-standing", "backlog-drops", "nic-ring-overflow",
		    "rx-dropped" },
		  [](Bundle &b) {
			  b.rise_at("cpus/0/dropped", 8000);
			  b.rise_at("ifaces/1/stats/rx_missed_errors", 900);
			  b.rise_at("ifaces/1/stats/rx_dropped", 3000);
			  polls(b, "");
			  b.set("/deep/progs_ns", "3000000000");
			  b.set("/deep_progs",
				R"([{"id":7,"name":"slow","type":"sched_cls","runs":128000,
				"run_ns":2560000000}])");
		  } },
		{ "packet-dear",
		  { "rx-cpu-busy", "rx-queue-standing" },
		  [](Bundle &b) {
			  b.softirq(0, 99).softirq(1, 20);
			  polls(b, "");
		  } },
		/* Two such queues of one CPU: each waits while the other is polled. */
		{ "packet-dear",
		  { "rx-cpu-busy", "rx-queue-standing" },
		  [](Bundle &b) {
			  b.softirq(0, 99).softirq(1, 20);
			  polls(b, R"(,"packets":64000,"poll_ns":1450000000,"wait_ns":1500000000},
				{"ifindex":2,"id":10,"cpu":0,"polls":1000,"busy":1000,
				"packets":64000,"poll_ns":1450000000,"longest_poll_ns":2000000,
				"wait_ns":1500000000,"longest_wait_ns":900000)");
		  } },
		/* The same queue, but its CPU is elsewhere. */
		{ "napi-starved",
		  { "rx-queue-standing" },
		  [](Bundle &b) {
			  polls(b, R"(,"poll_ns":200000000,"wait_ns":2700000000,
				"longest_wait_ns":90000000)");
		  } },
		{ "rx-queue-standing", {}, [](Bundle &b) { polls(b, R"(,"packets":900000)"); } },
		{ "udp-filtered",
		  {},
		  [](Bundle &b) {
			  b.rise("Udp.InErrors", 4000);
			  drops(b);
		  } },
		/* GitHub's: a reader of cgroups' statistics. */
		{ "softirq-late",
		  { "rx-late" },
		  [](Bundle &b) {
			  b.rise_at("threads/0/run_ns", 500000000);
			  b.set("/after/threads/0/longest_wait_ns", "120000000");
			  b.set("/deep", R"({"late_ns":3000000000})");
			  b.set("/deep_late", R"([{"cpu":1,"waits":90000,"longest_ns":9000000,
				"p99_ns":20000,"held_by":"nginx"},{"cpu":0,"waits":80000,
				"longest_ns":110000000,"p99_ns":65000,"held_by":"cadvisor"}])");
		  } },
	};

	return cases;
}
/* clang-format on */

/* The golden text: what nothing explains, and where it is dropped. */
TEST_CASE("doctor: beside what is not explained it is said where the kernel drops",
	  "[doctor][deep]")
{
	const std::string unexplained =
		"NOT EXPLAINED\n"
		"  400/s of Ip.InDiscards (packets that IP dropped: no memory, or a hook)\n";
	Bundle bundle;

	bundle.rise("Ip.InDiscards", 4000);

	std::string text = Diagnosis(bundle.text()).printed(false);

	INFO(text);
	CHECK(text.find(unexplained) != text.npos);
	CHECK(text.find("DROPPED BY THE KERNEL") == text.npos);
	CHECK(text.find("LOOK DEEPER  rxaqm doctor --deep measures\n"
			"  drops     which functions of the kernel drop packets, and why\n") !=
	      text.npos);
	CHECK(Diagnosis(bundle.text()).printed(false, true).find("\"dropped\": null") != text.npos);
	drops(bundle);
	text = Diagnosis(bundle.text()).printed(false);
	INFO(text);
	CHECK(text.find(unexplained + "DROPPED BY THE KERNEL  in 3.0 s of --deep\n"
				      "  400/s     NETFILTER_DROP in nf_hook_slow\n"
				      "NOT THE CAUSE\n") != text.npos);
	CHECK(text.find("LOOK DEEPER") == text.npos);
	CHECK(Diagnosis(bundle.text())
		      .printed(true)
		      .find("  0.7/s     NO_SOCKET in __udp4_lib_rcv\n") != text.npos);
	text = Diagnosis(bundle.text()).printed(false, true);
	CHECK(text.find("\"reason\": \"NO_SOCKET\"") != text.npos);
	bundle.set("/deep_drops", "[]");
	CHECK(Diagnosis(bundle.text()).printed(false).find("\n  nothing, or less than 1/s: ") !=
	      text.npos);
}

TEST_CASE("doctor: NAPIs of other network namespaces are not this one's trouble", "[doctor][deep]")
{
	Bundle bundle;

	polls(bundle, R"(,"ifindex":4294967295)");
	CHECK(Diagnosis(bundle.text()).primary() == "");
}

TEST_CASE("doctor: a probe is wanted for what is suspected, and once", "[doctor][deep]")
{
	struct {
		const char *probe;
		std::function<void(Bundle &)> suspect;
	} const rows[] = {
		{ "polls", [](Bundle &b) { b.softirq(0, 99).softirq(1, 20); } },
		{ "polls", [](Bundle &b) { b.rise_at("ifaces/1/stats/rx_missed_errors", 900); } },
		{ "progs", [](Bundle &b) { b.softirq(0, 99).softirq(1, 20); } },
		{ "late",
		  [](Bundle &b) {
			  b.rise_at("threads/0/run_ns", 500000000);
			  b.set("/after/threads/0/longest_wait_ns", "120000000");
		  } },
		{ "drops", [](Bundle &b) { b.rise("Ip.InDiscards", 4000); } },
		{ "drops", [](Bundle &b) { b.rise("Udp.InErrors", 4000); } },
	};

	{
		Bundle healthy;
		Diagnosis diagnosis(healthy.text());

		CHECK(diagnosis.wanted().empty());
		CHECK(diagnosis.printed(false).find("LOOK DEEPER") == std::string::npos);
	}
	for (const auto &row : rows) {
		Bundle bundle;

		INFO(row.probe);
		row.suspect(bundle);
		{
			Diagnosis diagnosis(bundle.text());

			CHECK(diagnosis.wanted().count(row.probe));
			CHECK(diagnosis.printed(false).find("LOOK DEEPER") != std::string::npos);
		}
		bundle.set("/deep", std::string("{\"") + row.probe + "_ns\":3000000000}");
		CHECK(!Diagnosis(bundle.text()).wanted().count(row.probe));
	}
}

TEST_CASE("doctor: rows of probes name checks", "[doctor][deep]")
{
	std::set<std::string> ids;
	const doctor_check *check;
	const doctor_probe *probe;

	for (size_t i = 0; (check = doctor_check_at(i)); i++)
		ids.insert(check->id);
	for (size_t i = 0; (probe = doctor_probe_at(i)); i++) {
		std::istringstream words(probe->if_found);
		std::string id;

		INFO(probe->name);
		while (words >> id) {
			INFO(id);
			CHECK(ids.count(id));
		}
	}
}
