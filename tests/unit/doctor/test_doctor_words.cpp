// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: what it says, beside the cause itself. */
#include "doctor_case.hpp"

/* Lines may be broken anywhere. */
static bool has(const std::string &text, const std::string &part)
{
	std::istringstream words(text);
	std::string word, line;

	while (words >> word)
		line += word + " ";
	return line.find(part) != line.npos;
}

/* Nothing came to any interface. */
static void idle(Bundle &bundle)
{
	for (const char *iface : { "0", "1" })
		bundle.rise_at(std::string("ifaces/") + iface + "/stats/rx_packets", 0);
}

TEST_CASE("doctor: a remedy for a program has its pid", "[doctor]")
{
	Bundle tcp, udp, unknown;
	const char stopped[] = R"({"recv_queue":60000,"was_recv_queue":20000,"received":40000,
		"rmem_alloc":90000,"was_rmem_alloc":30000})";

	tcp.owner(0, 0).socket(stopped);
	unknown.socket(stopped);
	udp.owner(40, 55, 1).softirq(1, 45).rise("Udp.InDatagrams", 90000);
	udp.rise("Udp.RcvbufErrors", 50000);
	udp.socket(R"({"proto":"udp","state":"","drops":50000,"rcvbuf":212992,
		"rmem_alloc":200000,"was_rmem_alloc":1000})");

	const std::string text = Diagnosis(tcp.text()).printed(false);

	INFO(text);
	CHECK(has(text, "cat /proc/4711/stack gdb -p 4711 "));
	CHECK(has(Diagnosis(udp.text()).printed(false), "taskset -acp 0 4711"));
	CHECK(has(Diagnosis(udp.text()).printed(false), "taskset -acp 0-1 4711"));
	CHECK(has(Diagnosis(unknown.text()).printed(false),
		  "now look at what the program does instead. to keep"));
}

TEST_CASE("doctor: --verify does not say that something is gone where nothing came", "[doctor]")
{
	Bundle busy, nothing, still;

	idle(nothing);
	idle(still);
	still.rise("TcpExt.TCPRcvCollapsed", 4000);
	CHECK(Diagnosis(busy.text()).verdict("tcp-collapse") ==
	      "GONE      0 receive buffers repacked\n  tcp-collapse, in 10.0 s\n");
	CHECK(Diagnosis(nothing.text()).verdict("tcp-collapse") ==
	      "NOT FOUND 0 receive buffers repacked\n"
	      "  tcp-collapse, in 10.0 s; too few packets came to tell whether it is gone\n");
	CHECK(Diagnosis(still.text()).verdict("tcp-collapse").find("STILL     Receive ") == 0);
	/* A setting needs no packets. */
	CHECK(Diagnosis(nothing.text()).verdict("tcp-features-off").find("GONE ") == 0);
	busy.set("/sockets", R"({"source":""})");
	CHECK(Diagnosis(busy.text()).verdict("tcp-reader-stopped") ==
	      "CANNOT SEE no pass over the sockets was possible\n"
	      "  tcp-reader-stopped, in 10.0 s\n");
}

TEST_CASE("doctor: the verdict of --verify is in JSON, too", "[doctor]")
{
	Bundle busy, nothing, still;

	idle(nothing);
	still.rise("TcpExt.TCPRcvCollapsed", 4000);
	for (const auto &[bundle, verdict] : std::vector<std::pair<Bundle *, std::string>>{
		     { &busy, "gone" }, { &nothing, "not found" }, { &still, "still" } }) {
		const std::string text = Diagnosis(bundle->text()).verdict("tcp-collapse", true);
		json_object *json = json_tokener_parse(text.c_str()), *found = nullptr;

		INFO(text);
		REQUIRE(json_pointer_get(json, "/verify/verdict", &found) == 0);
		CHECK(json_object_get_string(found) == verdict);
		REQUIRE(json_pointer_get(json, "/verify/id", &found) == 0);
		CHECK(std::string(json_object_get_string(found)) == "tcp-collapse");
		json_object_put(json);
	}
	CHECK(!has(Diagnosis(busy.text()).printed(false, true), "\"verify\""));
}

TEST_CASE("doctor: what GRO merges may not be known", "[doctor]")
{
	Bundle bundle;

	bundle.rise("Ip.InReceives", 0);
	CHECK(has(Diagnosis(bundle.text()).printed(true),
		  "packets merged into one by GRO: not known"));
}

TEST_CASE("doctor: nothing carries more than its speed", "[doctor]")
{
	/* What is sent, for 10 s at 10 Gbit/s. */
	for (const auto &[driver, bytes, full] :
	     std::vector<std::tuple<std::string, uint64_t, bool>>{
		     { "igb", 12200000000, true },
		     { "igb", 9000000000, false },
		     { "igb", 20000000000, false },
		     { "veth", 12200000000, false } }) {
		Bundle bundle;

		bundle.set("/after/ifaces/1/driver", "\"" + driver + "\"");
		bundle.set("/after/ifaces/1/speed_mbit", "10000");
		bundle.rise_at("ifaces/1/stats/rx_bytes", 1000);
		bundle.rise_at("ifaces/1/stats/tx_bytes", bytes);
		INFO(driver << " " << bytes);
		CHECK(Diagnosis(bundle.text()).with(DOCTOR_FOUND).count("link-full") == full);
	}
}

TEST_CASE("doctor: what follows from another cause than the first says from which", "[doctor]")
{
	Bundle bundle;

	bundle.rise_at("threads/0/wait_ns", 7000000000).rise_at("threads/0/run_ns", 500000000);
	bundle.rise_at("cpus/0/user", 900).rise_at("cpus/0/idle", 20);
	bundle.socket(R"({"proto":"udp","state":"","drops":50000,"rcvbuf":212992,
		"rmem_alloc":212000,"was_rmem_alloc":212000})");
	bundle.rise("Udp.RcvbufErrors", 50000);

	Diagnosis diagnosis(bundle.text());
	const std::string text = diagnosis.printed(false);

	INFO(text);
	REQUIRE(diagnosis.primary() == "rx-starved");
	REQUIRE(diagnosis.consequence_of("udp-overflow") == "udp-reader-stopped");
	CHECK(has(text, "50000 datagrams found a full receive buffer. Follows from "
			"udp-reader-stopped."));
}
