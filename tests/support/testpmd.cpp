// SPDX-License-Identifier: GPL-2.0-only
#include "testpmd.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "afxdp.hpp"

using namespace std::chrono_literals;

namespace
{

/* For example "24.07"; "": not known. */
std::string installed_version()
{
	const std::string word = "RTE Version: 'DPDK ";
	const std::string text = run({ "dpdk-testpmd", "-v", "--no-huge", "-m", "64", "--no-pci",
				       "--no-shconf", "--", "--help" })
					 .text();
	const size_t at = text.find(word);

	return at == std::string::npos ? "" : text.substr(at + word.size(), 5);
}

} // namespace

void need_testpmd(const std::string &version)
{
	if (run({ "sh", "-c", "command -v dpdk-testpmd" }).exit_code)
		SKIP("no dpdk-testpmd: packaging/install-deps.sh bench installs it");
	if (version.empty())
		return;
	const std::string installed = installed_version();

	REQUIRE(installed.size() == 5);
	if (installed < version)
		SKIP("DPDK " << installed << " is too old, " << version << " is wanted");
}

Testpmd::Testpmd(const Wire &wire, unsigned cpu, Role role, const std::string &device_options,
		 const std::string &driver)
	: netns_(role == SENDS ? wire.tx : wire.rx)
	, ifname_(role == SENDS ? wire.tx_if : wire.rx_if)
	, log_("/tmp/rxaqm-t-" + std::to_string(getpid()) +
	       (role == SENDS ? ".sends" : ".receives"))
{
	const std::string id = std::filesystem::path(log_).filename();
	const std::string command =
		"exec nice -n 19 dpdk-testpmd --no-huge -m 256 --no-pci --no-shconf -l 0,1 --main-lcore " +
		std::to_string(1 - cpu) + " --file-prefix " + id + " --vdev=" + driver +
		"0,iface=" + ifname_ + device_options +
		" -- --forward-mode=" + (role == SENDS ? "txonly" : "rxonly") +
		" --total-num-mbufs=8192 --stats-period 1 --auto-start >" + log_ + " 2>&1";
	const RunOptions options = { 120s, { "RUNTIME_DIRECTORY=" + log_ + ".dpdk" }, {}, {} };

	/* As systemd would do it: DPDK does not create parent directories. */
	std::filesystem::create_directories(log_ + ".dpdk");
	child_ = std::make_unique<Child>(Args{ "ip", "netns", "exec", netns_.name(), "sh", "-c",
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

long Testpmd::last_figure(const std::string &name) const
{
	const std::string text = log();
	const size_t at = text.rfind(name);

	return at == std::string::npos ? 0 : atol(text.c_str() + at + name.size());
}

long Testpmd::received() const
{
	return last_figure("RX-packets: ");
}

long Testpmd::sent() const
{
	return last_figure("TX-packets: ");
}

void Testpmd::wait_ready() const
{
	const bool runs = eventually([&] { return xdp_on(netns_, ifname_) != 0; }, 180s) &&
			  eventually([&] { return log().find("Rx-pps") != std::string::npos; },
				     180s);

	CAPTURE(log());
	REQUIRE(runs);
}

void Testpmd::make_room() const
{
	wait_ready();
	xdp_off(netns_, ifname_);
}

void Testpmd::wait_end()
{
	child_->wait();
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
