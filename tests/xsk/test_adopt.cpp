// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm-xsk --adopt: sockets of programs that know nothing of rxaqm. */
#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "afxdp.hpp"
#include "traffic.hpp"
#include "xsk.hpp"

using namespace std::chrono_literals;

namespace
{

std::string read_file(const std::string &path)
{
	std::ifstream in(path);

	return { std::istreambuf_iterator<char>(in), {} };
}

/* DPDK's testpmd on an interface, receiving only. What it prints goes to a file. */
class Testpmd
{
    public:
	explicit Testpmd(const Wire &wire)
		: log_("/tmp/rxaqm-t-" + std::to_string(getpid()) + ".testpmd")
		, child_({ "ip", "netns", "exec", wire.rx.name(), "sh", "-c",
			   "exec dpdk-testpmd --no-huge -m 256 --no-pci --no-shconf -l 0,1 "
			   "--file-prefix rxaqm-t-" +
				   std::to_string(getpid()) +
				   " --vdev=net_af_xdp0,iface=" + wire.rx_if +
				   " -- --forward-mode=rxonly --total-num-mbufs=8192 "
				   "--stats-period 1 --auto-start >" +
				   log_ + " 2>&1" },
			 { 60s, { "RUNTIME_DIRECTORY=" + log_ + ".dpdk" }, {}, {} })
	{
	}
	~Testpmd()
	{
		std::filesystem::remove(log_);
		std::filesystem::remove_all(log_ + ".dpdk");
	}
	pid_t pid() const
	{
		return child_.pid();
	}
	std::string log() const
	{
		return read_file(log_);
	}
	/* Packets received, by its last statistics. */
	long received() const
	{
		std::string text = log();
		size_t at = text.rfind("RX-packets: ");

		return at == std::string::npos ? 0 : atol(text.c_str() + at + 12);
	}
	void end()
	{
		child_.kill(SIGINT);
		child_.wait();
	}

    private:
	std::string log_;
	Child child_;
};

} // namespace

TEST_CASE("adopt: a socket gets its packets, and what it takes is timed from outside", "[xsk]")
{
	Attached a;
	AfXdp socket(a.wire.rx, a.wire.rx_if, 0, 256);
	const std::string self = std::to_string(getpid());
	Child adopter(a.consumer({ "--adopt", self, "--json", a.wire.rx_if }),
		      a.host.with_environment());

	REQUIRE(eventually([&] { return a.published().pid == unsigned(getpid()); }));
	CHECK(a.published().ring_entries == 256);
	CHECK(eventually([&] { return a.published().updated_ns != 0; }));
	send_some(a.wire, 20);
	std::this_thread::sleep_for(30ms);
	REQUIRE(socket.receive(10).size() == 10);
	/* Ten are there yet, the tenth of those taken has waited for 30 ms. */
	CHECK(eventually([&] { return a.published().wait_ns > 20'000'000; }));
	CHECK(a.published().wait_ns < 20'000'000'000);
	CHECK(socket.receive(64).size() >= 10);
	CHECK(eventually([&] { return a.published().wait_ns == 0; }));
	adopter.kill(SIGTERM);
	Result result = adopter.wait();

	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(a.published().pid == 0);
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10);
}

TEST_CASE("adopt: it ends with the process, and is refused what is not there", "[xsk]")
{
	Attached a({}, 2);
	AfXdp socket(a.wire.rx, a.wire.rx_if, 1);
	const std::string self = std::to_string(getpid());
	Result result;

	/* Of this process, but of another queue. */
	result = run(a.consumer({ "--adopt", self, a.wire.rx_if }), a.host.with_environment());
	CHECK(result.exit_code == 1);
	CHECK(result.err == "rxaqm-xsk: process " + self +
				    " has no AF_XDP socket on queue 0 of \"" + a.wire.rx_if +
				    "\"; start it first\n");
	result = run(a.consumer({ "--adopt", self, "-q", "0-1", a.wire.rx_if }),
		     a.host.with_environment());
	CHECK(result.exit_code == 1);
	result = run(a.consumer({ "--adopt", "4194304", a.wire.rx_if }), a.host.with_environment());
	CHECK(result.exit_code == 1);
	CHECK(result.err.find("there is no process 4194304") != std::string::npos);

	/* rxaqm-xsk itself is one that ends. */
	Child consumer(a.consumer({ a.wire.rx_if }), a.host.with_environment());
	REQUIRE(eventually([&] { return a.published().pid == unsigned(consumer.pid()); }));
	Child adopter(a.consumer({ "--adopt", std::to_string(consumer.pid()), a.wire.rx_if }),
		      a.host.with_environment());

	std::this_thread::sleep_for(500ms);
	consumer.kill(SIGKILL);
	CHECK(adopter.wait().exit_code == 0);
	CHECK(eventually(
		[&] { return udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10; }));
}

TEST_CASE("adopt: DPDK's testpmd receives through rxaqm, and its packets are judged", "[xsk][dpdk]")
{
	if (run({ "sh", "-c", "command -v dpdk-testpmd" }).exit_code)
		SKIP("no dpdk-testpmd: packaging/install-deps.sh bench installs it");
	Host host;
	Wire wire;
	Testpmd testpmd(wire);

	/* As docs/af_xdp.md says: its own program makes room. */
	CHECKED_ELSE(eventually([&] { return xdp_on(wire.rx, wire.rx_if) != 0; }, 30s))
	{
		FAIL(testpmd.log());
	}
	REQUIRE(eventually([&] { return testpmd.log().find("Rx-pps") != std::string::npos; }, 30s));
	xdp_off(wire.rx, wire.rx_if);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	Args adopt = { build_path("rxaqm-xsk"),	      "--netns", wire.rx.name(), "--adopt",
		       std::to_string(testpmd.pid()), wire.rx_if };
	Child adopter(adopt, host.with_environment());

	REQUIRE(eventually([&] { return published(host).pid == unsigned(testpmd.pid()); }));
	long before = testpmd.received();

	send_some(wire, 500);
	CAPTURE(testpmd.log(), host.rxaqm(wire.rx, { "status" }).out);
	CHECK(eventually([&] { return testpmd.received() >= before + 500; }, 15s));
	CHECK(host.stat(wire.rx, wire.rx_if, "redirect") >= 500);
	testpmd.end();
	CHECK(adopter.wait().exit_code == 0);
}
