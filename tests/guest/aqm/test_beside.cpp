// SPDX-License-Identifier: GPL-2.0-only
/* Programs that take all packets of an interface to AF_XDP sockets of their own. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "guest.hpp"
#include "testpmd.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

namespace
{

class Suricata
{
    public:
	Suricata(const Host &host, const Wire &wire)
		: dir_(host.bpffs() + "-suricata")
	{
		std::filesystem::create_directory(dir_);
		std::ofstream(dir_ + "/suricata.yaml")
			<< "%YAML 1.1\n---\n"
			<< "stats: { enabled: yes, interval: 1 }\n"
			<< "outputs:\n"
			<< "  - stats: { enabled: yes, filename: stats.log, append: no, "
			   "totals: yes, threads: no, null-values: yes }\n"
			<< "af-xdp:\n"
			<< "  - interface: " << wire.rx_if << "\n"
			<< "    threads: 1\n"
			<< "    enable-busy-poll: no\n"
			<< "    force-xdp-mode: drv\n"
			<< "    force-bind-mode: copy\n"
			<< "unix-command: { enabled: no }\n";
		const std::string command = "exec ip netns exec " + wire.rx.name() +
					    " suricata -c " + dir_ + "/suricata.yaml -l " + dir_ +
					    " --af-xdp=" + wire.rx_if + " >" + dir_ + "/log 2>&1";
		RunOptions options = host.with_environment();

		options.timeout = 600s;
		child_ = std::make_unique<Child>(Args{ "sh", "-c", command }, options);
		INFO(log());
		REQUIRE(eventually([&] { return log().find("Engine started") != std::string::npos; },
				   120s));
	}
	~Suricata()
	{
		child_.reset();
		std::filesystem::remove_all(dir_);
	}
	std::string log() const
	{
		return std::filesystem::exists(dir_ + "/log") ? slurp(dir_ + "/log") : "";
	}
	/* Packets that it has seen, by its last statistics. */
	long packets() const
	{
		const std::string stats = std::filesystem::exists(dir_ + "/stats.log") ?
						  slurp(dir_ + "/stats.log") :
						  "";
		const size_t row = stats.rfind("\ndecoder.pkts ");
		const size_t at = row == std::string::npos ?
					  row :
					  stats.find_last_of('|', stats.find('\n', row + 1));

		return at == std::string::npos ? 0 : std::stol(stats.substr(at + 1));
	}
	void end()
	{
		child_->kill(SIGINT);
		CHECK(child_->wait().exit_code == 0);
	}

    private:
	const std::string dir_;
	std::unique_ptr<Child> child_;
};

} // namespace

/* It keeps the packets that it takes from the stack. rxaqm must change neither. */
TEST_CASE("beside: suricata and rxaqm share an interface, in any order", "[virtio]")
{
	in_guest();
	if (run({ "sh", "-c", "command -v suricata" }).exit_code)
		SKIP("no suricata: packaging/unpack-daemons.sh build/daemons");
	const bool rxaqm_comes_first = GENERATE(true, false);
	const bool rxaqm_goes_first = GENERATE(true, false);
	Host host;
	/* A veth does not tell it how many queues there are; then it uses none. */
	std::unique_ptr<Wire> devices = wire_of("virtio_net");
	const Wire &wire = *devices;
	auto rxaqm = [&](const std::string &what) {
		Result result = host.rxaqm(wire.rx, { what, wire.rx_if });

		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
	};
	auto reaches_suricata = [&](const Suricata &suricata) {
		const long before = suricata.packets();

		CHECK(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 3) == 0);
		CAPTURE(suricata.log());
		CHECK(eventually([&] { return suricata.packets() >= before + 3; }, 20s));
	};

	CAPTURE(rxaqm_comes_first, rxaqm_goes_first);
	if (rxaqm_comes_first)
		rxaqm("attach");
	Suricata suricata(host, wire);
	if (!rxaqm_comes_first)
		rxaqm("attach");
	const int64_t before = host.stat(wire.rx, wire.rx_if, "packets");
	reaches_suricata(suricata);
	CHECK(host.stat(wire.rx, wire.rx_if, "packets") >= before + 3);
	CHECK_FALSE(host.json(wire.rx, { "status" }).has("/interfaces/0/trouble"));

	if (rxaqm_goes_first) {
		rxaqm("detach");
		reaches_suricata(suricata);
		suricata.end();
	} else {
		suricata.end();
		CHECK(all_traffic(wire) == "");
		CHECK(host.rxaqm(wire.rx, { "check", "-i", "100ms" }).exit_code == 0);
		rxaqm("detach");
	}
	CHECK(all_traffic(wire) == "");
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(host.gone());
}

TEST_CASE("beside: testpmd by AF_XDP takes rxaqm off as it ends, which is told and mended",
	  "[virtio]")
{
	in_guest();
	need_testpmd();
	Host host;
	std::unique_ptr<Wire> devices = wire_of("virtio_net");
	const Wire &wire = *devices;

	/* suricata inherits this: without a BPF file system libxdp uses no dispatcher. */
	REQUIRE(setenv("LIBXDP_BPFFS", host.bpffs().c_str(), 1) == 0);

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	Testpmd testpmd(wire);
	testpmd.wait_ready();
	CAPTURE(testpmd.log());
	const int64_t before = host.stat(wire.rx, wire.rx_if, "packets");
	CHECK(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 3) == 0);
	CHECK(eventually([&] { return testpmd.received() >= 3; }, 60s));
	CHECK(host.stat(wire.rx, wire.rx_if, "packets") >= before + 3);
	testpmd.end();
	unsetenv("LIBXDP_BPFFS");
	CHECK(all_traffic(wire) == "");
	Result check = host.rxaqm(wire.rx, { "check", "-i", "100ms" });
	CAPTURE(check.text());
	if (check.exit_code) {
		CHECK(check.exit_code == 2);
		CHECK(check.out.find("was taken off") != std::string::npos);
		REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
		CHECK(host.rxaqm(wire.rx, { "check", "-i", "100ms" }).exit_code == 0);
	}
	CHECK(all_traffic(wire) == "");
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
}
