// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: what it could not see, or may not believe. */
#include "doctor_case.hpp"

TEST_CASE("doctor: what was not seen is said, and is not healthy", "[doctor][loss]")
{
	static const struct {
		const char *reason;
		std::function<void(Bundle &)> change;
	} rows[] = {
		{ "no packets came in the window",
		  [](Bundle &b) {
			  for (const char *iface : { "0", "1" })
				  b.rise_at(std::string("ifaces/") + iface + "/stats/rx_packets",
					    0);
		  } },
		{ "eth7 appeared within the window",
		  [](Bundle &b) {
			  b.set("/after/ifaces/-",
				R"({"name":"eth7","ifindex":77,"driver":"igb","stats":{"rx_packets":9}})");
		  } },
		{ "eth7 disappeared within the window",
		  [](Bundle &b) {
			  b.set("/before/ifaces/-",
				R"({"name":"eth7","ifindex":77,"driver":"igb","stats":{"rx_packets":9}})");
		  } },
		{ "eth0 was reset",
		  [](Bundle &b) { b.set("/after/ifaces/1/stats/rx_packets", "0"); } },
		{ "all CPUs miss",
		  [](Bundle &b) {
			  for (const char *cpu : { "0", "1" })
				  for (const char *column : { "user", "system", "softirq", "idle" })
					  b.rise_at(std::string("cpus/") + cpu + "/" + column, 100);
			  b.rise_at("cpus/0/processed", 20000).rise_at("cpus/1/processed", 20000);
		  } },
		{ "44 of 300",
		  [](Bundle &b) {
			  b.set("/cannot_see/-",
				R"({"what":"interfaces","why":"44 of 300 are beyond",
				"essential":true})");
		  } },
	};

	for (const auto &row : rows) {
		Bundle bundle;

		row.change(bundle);

		Diagnosis diagnosis(bundle.text());
		const std::string text = diagnosis.printed(false);

		INFO(text);
		CHECK(diagnosis.exit_code() == RXAQM_EXIT_UNSUPPORTED);
		CHECK(text.find(row.reason) != text.npos);
		CHECK(text.find("Nothing slows") == text.npos);
	}
}

TEST_CASE("doctor: an interface is the same after it was renamed", "[doctor][loss]")
{
	Bundle bundle;

	bundle.set("/after/ifaces/1/name", "\"lan0\"");
	bundle.rise_at("ifaces/1/stats/rx_missed_errors", 900);
	CHECK(Diagnosis(bundle.text()).primary() == "nic-ring-overflow");
}

TEST_CASE("doctor: a counter of 32 bits comes round, one that was reset does not", "[doctor][loss]")
{
	Bundle round, reset;

	round.set("/before/ifaces/1/ethtool/rx_out_of_buffer", "4294967000");
	round.set("/after/ifaces/1/ethtool/rx_out_of_buffer", "800");
	reset.set("/before/ifaces/1/ethtool/rx_out_of_buffer", "94967000");
	reset.set("/after/ifaces/1/ethtool/rx_out_of_buffer", "800");
	CHECK(Diagnosis(round.text()).printed(false).find("1096 packets were lost") !=
	      std::string::npos);
	CHECK(Diagnosis(reset.text()).primary() == "");
}

TEST_CASE("doctor: other network namespaces are named with what to do", "[doctor][loss]")
{
	Bundle bundle;

	bundle.set("/namespaces", R"([{"pid":4711,"comm":"redis","programs":3}])");

	const std::string text = Diagnosis(bundle.text()).printed(false);

	INFO(text);
	CHECK(text.find("in this network namespace") != text.npos);
	CHECK(text.find("nsenter --net=/proc/4711/ns/net rxaqm doctor") != text.npos);
}

TEST_CASE("doctor: --verify does not call gone what another cause hides", "[doctor][loss]")
{
	Bundle bundle;

	bundle.rise_at("cpus/1/steal", 300);

	const std::string text = Diagnosis(bundle.text()).verdict("nic-ring-overflow");

	INFO(text);
	CHECK(text.find("NOT FOUND ") == 0);
	CHECK(text.find("cpu-steal is found, which may hide it") != text.npos);
	CHECK(Diagnosis(bundle.text())
		      .verdict("nic-ring-overflow", true)
		      .find("\"since\": \"cpu-steal is found") != std::string::npos);
}

/* ksoftirqd waits in vain while interrupts end with softirqs. */
TEST_CASE("doctor: a ksoftirqd that receives nothing is not starved", "[doctor][loss]")
{
	Bundle bundle;

	bundle.softirq(0, 14).rise_at("cpus/0/idle", 0).rise_at("cpus/0/user", 850);
	bundle.rise_at("threads/0/wait_ns", 7000000000).rise_at("threads/0/run_ns", 400000);
	CHECK(Diagnosis(bundle.text()).primary() == "");
}

TEST_CASE("doctor: the document for programs says what it is", "[doctor][loss]")
{
	Bundle bundle;

	bundle.set("/time_s", "1795646505").rise("TcpExt.TCPRcvCollapsed", 4000);

	const std::string text = Diagnosis(bundle.text()).printed(false, true);

	for (const char *part : { R"("format": "rxaqm-doctor-diagnosis")", R"("version": 1)",
				  R"("time": "2026-11-25T22:41:45Z")", R"("host": "masked")",
				  R"("place": "TCP")", R"("note": false)" })
		CHECK(text.find(part) != text.npos);
}
