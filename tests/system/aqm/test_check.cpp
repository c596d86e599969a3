// SPDX-License-Identifier: GPL-2.0-only
/* check, of a machine that is well and of ones that are not. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "frames.hpp"
#include "host.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

namespace
{

/* One line, its exit code, and nothing else. */
void check_line(const Result &result, int exit_code, const std::string &what)
{
	CAPTURE(result.text());
	CHECK(result.exit_code == exit_code);
	CHECK(result.out.find(what) != std::string::npos);
	CHECK(result.out.find("RXAQM ") == 0);
	CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
	CHECK(result.err == "");
}

/* The figure called @label. */
double figure(const Result &result, const std::string &label)
{
	size_t at = result.out.find("'" + label + "'=");

	REQUIRE(at != std::string::npos);
	return std::stod(result.out.substr(at + label.size() + 3));
}

/* @n datagrams, as fast as can be, by CPU 0. */
void flood(const Wire &wire, unsigned n)
{
	int fd = flooding_socket(wire.tx);
	cpu_set_t before, cpu0;
	sockaddr_in to = {};
	char buf[64] = {};

	to.sin_family = AF_INET;
	to.sin_port = htons(9);
	inet_pton(AF_INET, Wire::RX_IP4, &to.sin_addr);
	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	sched_getaffinity(0, sizeof(before), &before);
	REQUIRE(sched_setaffinity(0, sizeof(cpu0), &cpu0) == 0);
	while (n--)
		sendto(fd, buf, sizeof(buf), MSG_DONTWAIT, reinterpret_cast<sockaddr *>(&to),
		       sizeof(to));
	sched_setaffinity(0, sizeof(before), &before);
	close(fd);
}

} // namespace

TEST_CASE("check: attached and well: OK, and what it measured", "[check]")
{
	Host host;
	Wire wire;

	check_line(host.rxaqm(wire.rx, { "check" }), 3, "UNKNOWN - not attached");
	check_line(host.rxaqm(wire.rx, { "check", wire.rx_if }), 2,
		   "CRITICAL - not attached to \"" + wire.rx_if + "\"");
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 100) == 100);

	Result result = host.rxaqm(wire.rx, { "check", "-i", "200ms" });
	check_line(result, 0, "OK - 1 interface, 1 queue");
	CHECK(figure(result, wire.rx_if + "_standing") == 0);
	CHECK(figure(result, wire.rx_if + "_overflow") == 0);
	check_line(host.rxaqm(wire.rx, { "check", "-i", "200ms", wire.tx_if }), 2,
		   "not attached to \"" + wire.tx_if + "\"");
	/* From another namespace the drops of its ring are not known. */
	result = host.rxaqm({ "check", "-i", "200ms" });
	check_line(result, 0, "OK - 1 interface");
	CHECK(result.out.find("_overflow") == std::string::npos);
	/* Someone took the program off. */
	xdp_off(wire.rx, wire.rx_if);
	check_line(host.rxaqm(wire.rx, { "check", "-i", "200ms" }), 2,
		   "is not guarded: its XDP program was taken off");
	CHECK(host.rxaqm({ "detach", "--all" }).exit_code == 0);
}

TEST_CASE("check: a queue that stands: WARNING, then CRITICAL unless it is enforced", "[check]")
{
	Host host;
	Wire wire;
	Frames frames(wire);
	Args check = { "check", "-i", "300ms", "--warn=0ms" };
	Result result;

	REQUIRE(host.rxaqm(wire.rx,
			   { "attach", wire.rx_if, "target=1ms", "interval=20ms", "signal=busy" })
			.exit_code == 0);
	if (!make_slow(wire, 20))
		SKIP("needs two CPUs: one to send, one to receive");
	frames.mix = { NOT_ECT };
	{
		Load load(frames);
		/* Where others want the CPUs as well, the queue may be drained for a moment. */
		auto becomes = [&](int exit_code) {
			return eventually(
				[&] {
					result = host.rxaqm(wire.rx, check);
					return result.exit_code == exit_code;
				},
				30s);
		};

		CHECK(becomes(1));
		check_line(result, 1, "WARNING - " + wire.rx_if + " queue 0 has stood for ");
		CHECK(result.out.find("target 1ms, not enforced") != std::string::npos);
		CHECK(figure(result, wire.rx_if + "_standing") == 1);
		CHECK(figure(result, wire.rx_if + "_sojourn") > 0.001);
		CHECK(figure(result, wire.rx_if + "_stood") > 0);

		check.push_back("--crit=0ms");
		CHECK(becomes(2));
		/* Under steady overload all that ask are told the same, whenever they ask. */
		for (int i = 0; i < 8; i++) {
			result = host.rxaqm(wire.rx, check);
			CAPTURE(result.text());
			CHECK(result.exit_code == 2);
			CHECK(host.rxaqm(wire.rx, { "status", "--all" })
				      .out.find(": 1 stands (" + wire.rx_if) != std::string::npos);
			CHECK(Json(host.rxaqm(wire.rx, { "top", "-n1", "-i100ms", "-j" }).out)
				      .flag("/queues/0/standing"));
		}
		check_line(result, 2, "CRITICAL - " + wire.rx_if + " queue 0 has stood for ");
		REQUIRE(host.rxaqm(wire.rx,
				   { "policy", "set", wire.rx_if, "mode=enforce", "max_drop=0%" })
				.exit_code == 0);
		/* It stands as before, but what can be done is done. */
		CHECK(becomes(1));
		check_line(result, 1, "target 1ms, although enforced");
	}
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
}

TEST_CASE("check: stamps that are wanted and do not come: WARNING", "[check]")
{
	Host host;
	Wire wire;
	Args check = { "check", "-i", "200ms" };

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if,
				      "--profile=" + source_path("tests/rig/veth-simclock.conf") })
			.exit_code == 0);
	for (int i = 0; i < 8; i++) {
		REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 20) == 20);
		std::this_thread::sleep_for(200ms);
	}
	check_line(host.rxaqm(wire.rx, check), 1, "queue 0: packets come without stamps");
	/* By signal=busy none are wanted. */
	REQUIRE(host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, "signal=busy" }).exit_code == 0);
	REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 20) == 20);
	check_line(host.rxaqm(wire.rx, check), 0, "OK");
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
}

TEST_CASE("check: a backlog that overflows: CRITICAL", "[check]")
{
	/* Native mode stands before that queue, and says so. */
	const bool native = GENERATE(false, true);
	Host host;
	Wire wire;

	if (std::thread::hardware_concurrency() < 2)
		SKIP("needs two CPUs: one to send, one to receive");
	wire.rx.shell("echo 2 >/sys/class/net/" + wire.rx_if + "/queues/rx-0/rps_cpus");
	Result attached = host.rxaqm(wire.rx,
				     { "attach", native ? "--mode=native" : "--mode=generic",
				       wire.rx_if });
	REQUIRE(attached.exit_code == 0);
	CHECK((attached.out.find("note: RPS is on") != std::string::npos) == native);
	must({ build_path("rig/rigctl"), "--netns", wire.rx.name(), "burn", "attach", wire.rx_if,
	       "cost=100us" });

	Child check(host.command(wire.rx, { "check", "-i", "3s" }), host.with_environment());
	/* More than the backlog holds, which hosts raise, and what is worked off meanwhile. Again
	 * and again: when it looks first is not known.
	 */
	unsigned backlog;
	std::ifstream("/proc/sys/net/core/netdev_max_backlog") >> backlog;
	CHECK(eventually([&] {
		siginfo_t ended = {};

		flood(wire, 2 * backlog + 5000);
		return waitid(P_PID, id_t(check.pid()), &ended, WEXITED | WNOWAIT | WNOHANG) ||
		       ended.si_pid;
	}));
	Result result = check.wait();
	check_line(result, 2,
		   wire.rx_if + (native ? " the CPUs' backlogs behind RPS lost " : " overflows: "));
	if (!native)
		CHECK(figure(result, wire.rx_if + "_overflow") > 0);
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
}
