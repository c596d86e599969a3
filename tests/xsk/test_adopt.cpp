// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm-xsk --adopt: sockets of programs that know nothing of rxaqm. */
#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <fstream>
#include <thread>

#include "afxdp.hpp"
#include "traffic.hpp"
#include "xsk.hpp"

using namespace std::chrono_literals;

static bool is_stopped(pid_t pid)
{
	std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
	std::string nr, name, state;

	file >> nr >> name >> state;
	return state == "T";
}

/* How often a process has gone to sleep, which the adopter does between two looks. */
static long sleeps_of(pid_t pid)
{
	std::ifstream file("/proc/" + std::to_string(pid) + "/status");
	std::string word;

	while (file >> word && word != "voluntary_ctxt_switches:")
		;
	file >> word;
	return std::stol(word);
}

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
	const int64_t before = a.stat("redirect");
	const auto sent = std::chrono::steady_clock::now();
	send_some(a.wire, 20);
	REQUIRE(eventually([&] { return a.stat("redirect") >= before + 20; }));
	/* It looks when it gets a CPU, and sleeps for other reasons, too: it has looked for sure,
	 * and again 30 ms later.
	 */
	for (auto pause : { 0ms, 30ms }) {
		std::this_thread::sleep_for(pause);
		const long sleeps = sleeps_of(adopter.pid());

		REQUIRE(eventually([&] { return sleeps_of(adopter.pid()) >= sleeps + 20; }));
	}
	REQUIRE(socket.receive(10).size() == 10);
	/* Ten are there yet, the tenth of those taken has waited for 30 ms. */
	CHECK(eventually([&] { return a.published().wait_ns > 20'000'000; }));
	CHECK(std::chrono::nanoseconds(a.published().wait_ns) <
	      std::chrono::steady_clock::now() - sent);
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
	/* A packet of the kernel's own that a stopped program does not take would say that it
	 * hangs, and nothing would be published. What came before is taken by the time that it has
	 * said twice how long packets wait.
	 */
	a.wire.tx.ip("link set " + a.wire.tx_if + " down");
	uint64_t said_ns = 0;
	for (int i = 0; i < 2; i++) {
		said_ns = a.published().updated_ns;
		REQUIRE(eventually([&] { return a.published().updated_ns != said_ns; }));
	}
	/* It says nothing more: the next that does is the other. */
	consumer.kill(SIGSTOP);
	REQUIRE(eventually([&] { return is_stopped(consumer.pid()); }));
	said_ns = a.published().updated_ns;
	Child adopter(a.consumer({ "--adopt", std::to_string(consumer.pid()), a.wire.rx_if }),
		      a.host.with_environment());

	REQUIRE(eventually([&] { return a.published().updated_ns != said_ns; }));
	consumer.kill(SIGKILL);
	CHECK(adopter.wait().exit_code == 0);
	a.wire.tx.ip("link set " + a.wire.tx_if + " up");
	CHECK(eventually(
		[&] { return udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10; }));
}
