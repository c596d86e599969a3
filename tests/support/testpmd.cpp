// SPDX-License-Identifier: GPL-2.0-only
#include "testpmd.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "afxdp.hpp"

using namespace std::chrono_literals;

void need_testpmd()
{
	if (run({ "sh", "-c", "command -v dpdk-testpmd" }).exit_code)
		SKIP("no dpdk-testpmd: packaging/install-deps.sh bench installs it");
}

Testpmd::Testpmd(const Wire &wire, unsigned cpu)
	: wire_(wire)
	, log_("/tmp/rxaqm-t-" + std::to_string(getpid()) + ".testpmd")
{
	const std::string id = "rxaqm-t-" + std::to_string(getpid());
	const std::string command =
		"exec nice -n 19 dpdk-testpmd --no-huge -m 256 --no-pci --no-shconf -l 0,1 --main-lcore " +
		std::to_string(1 - cpu) + " --file-prefix " + id +
		" --vdev=net_af_xdp0,iface=" + wire.rx_if +
		" -- --forward-mode=rxonly --total-num-mbufs=8192 --stats-period 1 --auto-start >" +
		log_ + " 2>&1";
	const RunOptions options = { 120s, { "RUNTIME_DIRECTORY=" + log_ + ".dpdk" }, {}, {} };

	child_ = std::make_unique<Child>(Args{ "ip", "netns", "exec", wire.rx.name(), "sh", "-c",
					       command },
					 options);
}

Testpmd::~Testpmd()
{
	std::filesystem::remove(log_);
	std::filesystem::remove_all(log_ + ".dpdk");
}

std::string Testpmd::log() const
{
	std::ifstream in(log_);

	return { std::istreambuf_iterator<char>(in), {} };
}

long Testpmd::received() const
{
	const std::string text = log();
	const size_t at = text.rfind("RX-packets: ");

	return at == std::string::npos ? 0 : atol(text.c_str() + at + 12);
}

void Testpmd::make_room() const
{
	const bool runs = eventually([&] { return xdp_on(wire_.rx, wire_.rx_if) != 0; }, 60s) &&
			  eventually([&] { return log().find("Rx-pps") != std::string::npos; },
				     60s);

	CAPTURE(log());
	REQUIRE(runs);
	xdp_off(wire_.rx, wire_.rx_if);
}

void Testpmd::end()
{
	child_->kill(SIGINT);
	child_->wait();
}

Args adopt(const Wire &wire, const Testpmd &testpmd)
{
	return { build_path("rxaqm-xsk"),	"--netns", wire.rx.name(), "--adopt",
		 std::to_string(testpmd.pid()), wire.rx_if };
}
