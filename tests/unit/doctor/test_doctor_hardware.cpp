// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor: what is true of drivers, of the kernel and of CPUs. */
#include "doctor_case.hpp"

static bool has(const std::string &text, const std::string &part)
{
	std::istringstream words(text);
	std::string word, line;

	while (words >> word)
		line += word + " ";
	return line.find(part) != line.npos;
}

/* What the driver @driver counts as @name rose by @by. */
static void driver(Bundle &bundle, const std::string &driver, const std::string &name, unsigned by)
{
	for (const char *when : { "/before", "/after" })
		bundle.set(std::string(when) + "/ifaces/1/driver", "\"" + driver + "\"");
	bundle.rise_at("ifaces/1/ethtool/" + name, by);
}

TEST_CASE("doctor: a packet that waited for a ring entry of igb is not lost", "[doctor][hardware]")
{
	for (const char *name : { "e1000e", "igb", "igc" }) {
		Bundle waited, lost;

		driver(waited, name, "rx_no_buffer_count", 5000);
		INFO(name);
		CHECK(Diagnosis(waited.text()).primary() == "");
		CHECK(Diagnosis(waited.text()).exit_code() == RXAQM_EXIT_OK);

		/* Missed, though entries were free: no ring is too short. */
		driver(lost, name, "rx_no_buffer_count", 0);
		lost.rise_at("ifaces/1/stats/rx_missed_errors", 5000);
		for (const char *when : { "/before", "/after" })
			lost.set(std::string(when) + "/ifaces/1/rx_ring", "256")
				.set(std::string(when) + "/ifaces/1/rx_ring_max", "4096")
				.set(std::string(when) + "/ifaces/1/pcie_width", "1");

		const std::string text = Diagnosis(lost.text()).printed(false);

		INFO(text);
		CHECK(has(text, "PCIe or its power saving"));
		CHECK(has(text, "pcie_aspm/parameters/policy"));
		CHECK(!has(text, "ethtool -G"));
		lost.rise_at("ifaces/1/ethtool/rx_no_buffer_count", 5000);
		CHECK(has(Diagnosis(lost.text()).printed(false), "ethtool -G eth0 rx 4096"));
	}
}

TEST_CASE("doctor: interrupts that come late fill a ring while CPUs idle", "[doctor][hardware]")
{
	for (const auto &[usecs, says] : std::vector<std::pair<const char *, const char *>>{
		     { "60", "interrupts may come 60 us late" },
		     { "4294967295", "shows how late interrupts come" } }) {
		Bundle bundle;

		bundle.rise_at("ifaces/1/stats/rx_missed_errors", 5000);
		bundle.set("/after/ifaces/1/rx_usecs", usecs);

		const std::string text = Diagnosis(bundle.text()).printed(false);

		INFO(text);
		CHECK(has(text, says));
		CHECK(has(text, "ethtool -C eth0 rx-usecs 8"));
		CHECK(has(text, "ethtool -C eth0 rx-usecs 60") == (std::string(usecs) == "60"));
	}
}

TEST_CASE("doctor: what keeps a ring is what configures its interface", "[doctor][remedies]")
{
	for (const auto &[manager, says] : std::vector<std::pair<const char *, const char *>>{
		     { "NetworkManager", "device show eth0) ethtool.ring-rx 4096" },
		     { "systemd-networkd", "RxBufferSize=4096 in [Link]" },
		     { "", "/etc/udev/rules.d/90-rxaqm-doctor.rules" } }) {
		Bundle bundle;

		bundle.rise_at("ifaces/1/stats/rx_missed_errors", 5000);
		bundle.set("/after/ifaces/1/managed_by", std::string("\"") + manager + "\"");
		bundle.set("/after/ifaces/1/rx_ring", "256")
			.set("/after/ifaces/1/rx_ring_max", "4096");

		const std::string text = Diagnosis(bundle.text()).printed(false);

		INFO(text);
		CHECK(has(text, says));
	}
}

TEST_CASE("doctor: memory for interrupts follows the memory", "[doctor][remedies]")
{
	for (const auto &[memory, is, wanted] : std::vector<std::array<const char *, 3>>{
		     { "536870912", "2000", "=8192" }, { "68719476736", "67584", "=1048576" } }) {
		Bundle bundle;

		bundle.rise_at("ifaces/1/ethtool/rx_buff_alloc_err", 700);
		bundle.set("/memory_bytes", memory);
		bundle.set("/sysctl/vm.min_free_kbytes", std::string("\"") + is + "\"");

		const std::string text = Diagnosis(bundle.text()).printed(false);

		INFO(text);
		CHECK(has(text, std::string("min_free_kbytes") + wanted));
		CHECK(has(text, std::string("sysctl -w vm.min_free_kbytes=") + is + " and remove"));
	}
}

TEST_CASE("doctor: where CPUs have time, a larger ring comes before losses", "[doctor][remedies]")
{
	for (bool busy : { false, true }) {
		Bundle bundle;

		bundle.rise_at("ifaces/1/ethtool/tx_pause_ctrl_phy", 70000);
		bundle.set("/after/ifaces/1/rx_ring", "256")
			.set("/after/ifaces/1/rx_ring_max", "4096");
		if (busy)
			bundle.softirq(0, 70);

		const std::string text = Diagnosis(bundle.text()).printed(true);

		INFO(text);
		CHECK(has(text, "ethtool -G eth0 rx 4096") == !busy);
		CHECK(has(text, "ethtool -A eth0 tx off"));
	}
}

TEST_CASE("doctor: a table of connections that loses nothing is not full", "[doctor][hardware]")
{
	Bundle bundle;

	bundle.rise("nf_conntrack.drop", 0).rise("nf_conntrack.insert_failed", 0);
	bundle.rise("nf_conntrack.early_drop", 0);
	bundle.set("/after/counters/nf_conntrack.count", "62800");
	bundle.set("/after/counters/nf_conntrack.max", "65536");
	CHECK(Diagnosis(bundle.text()).exit_code() == RXAQM_EXIT_OK);
	CHECK(Diagnosis(bundle.text()).is_note("conntrack-full"));
	CHECK(has(Diagnosis(bundle.text()).printed(true), "connections is nearly full: 62800"));
	bundle.rise("nf_conntrack.drop", 900);
	CHECK(Diagnosis(bundle.text()).primary() == "conntrack-full");
}

TEST_CASE("doctor: few packets cannot fill a CPU", "[doctor][hardware]")
{
	for (unsigned packets : { 400U, 100000U }) {
		Bundle bundle;

		bundle.softirq(1, 97).softirq(0, 3);
		bundle.rise_at("cpus/0/processed", 20000).rise_at("cpus/1/processed", packets);
		bundle.rise_at("cpus/1/net_rx", 400);
		bundle.rise_at("ifaces/1/stats/rx_packets", 2000);
		bundle.rise_at("ifaces/0/stats/rx_packets", 0);
		INFO(packets);
		CHECK(Diagnosis(bundle.text()).primary() ==
		      (packets == 400 ? "softirq-other" : "rx-cpu-busy"));
	}
}

TEST_CASE("doctor: what is stolen from a CPU without packets slows no packet", "[doctor][hardware]")
{
	for (unsigned packets : { 50U, 50000U }) {
		Bundle bundle;

		bundle.rise_at("cpus/1/steal", 500).rise_at("cpus/1/idle", 490);
		bundle.rise_at("cpus/1/processed", packets);
		INFO(packets);
		CHECK(Diagnosis(bundle.text()).with(DOCTOR_FOUND).count("cpu-steal") ==
		      (packets > 1000));
	}
}

TEST_CASE("doctor: where packets are expensive, not too many come", "[doctor][hardware]")
{
	for (const auto &[packets, says] : std::vector<std::pair<unsigned, const char *>>{
		     { 2000000, "more comes than this host can take" },
		     { 30000, "each packet takes 315 us" } }) {
		Bundle bundle;

		bundle.softirq(0, 99).softirq(1, 90);
		bundle.rise_at("cpus/0/processed", packets).rise_at("cpus/1/processed", packets);
		for (const char *iface : { "0", "1" })
			bundle.rise_at(std::string("ifaces/") + iface + "/stats/rx_packets", 1000);

		const std::string text = Diagnosis(bundle.text()).printed(false);

		INFO(text);
		CHECK(Diagnosis(bundle.text()).primary() == "rx-cpus-busy");
		if (packets > 100000)
			CHECK(has(text, says));
		else
			CHECK(has(text, "where 1 to 3 us are usual"));
	}
}

TEST_CASE("doctor: nothing waits for more than all of the time", "[doctor]")
{
	Bundle bundle;

	/* Threads wait at once. */
	bundle.owner(20, 160).socket(R"({"recv_queue":900000,"was_recv_queue":900000,
		"received":9000000,"read":9000000,"rcvbuf":2000000})");

	const std::string text = Diagnosis(bundle.text()).printed(false);

	INFO(text);
	CHECK(has(text, "it waits 100 % of the time"));
}
