// SPDX-License-Identifier: GPL-2.0-only
/* DPDK's testpmd behind rxaqm, and in front of it. */
#include <catch2/catch_test_macros.hpp>

#include <thread>

#include "frames.hpp"
#include "testpmd.hpp"
#include "traffic.hpp"
#include "xsk.hpp"

using namespace std::chrono_literals;

namespace
{

/* By rxaqm's program, which rxaqm-xsk has told of its socket; then it ends. */
void receive_all(const Host &host, const Wire &wire, Testpmd &testpmd)
{
	Child adopter(adopt(wire, testpmd), host.with_environment());

	REQUIRE(eventually([&] { return published(host).pid == unsigned(testpmd.pid()); }));
	const long before = testpmd.received();

	send_some(wire, 500);
	CAPTURE(testpmd.log(), host.rxaqm(wire.rx, { "status", "--all" }).out);
	CHECK(eventually([&] { return testpmd.received() >= before + 500; }, 60s));
	CHECK(host.stat(wire.rx, wire.rx_if, "redirect") >= 500);
	testpmd.end();
	CHECK(adopter.wait().exit_code == 0);
}

} // namespace

TEST_CASE("dpdk: testpmd receives through rxaqm, and its packets are judged", "[xsk][dpdk]")
{
	need_testpmd();
	Host host;
	Wire wire;
	Testpmd testpmd(wire);

	/* As docs/af_xdp.md says: its own program makes room. */
	testpmd.make_room();
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	receive_all(host, wire, testpmd);
}

TEST_CASE("dpdk: testpmd with a map of its own receives by rxaqm's program", "[xsk][dpdk]")
{
	need_testpmd("24.07");
	Attached a;
	const std::string map = a.host.bpffs() + "/unused";
	const uint32_t program = xdp_on(a.wire.rx, a.wire.rx_if);

	/* As docs/af_xdp.md says. */
	must({ "bpftool", "map", "create", map, "type", "xskmap", "key", "4", "value", "4",
	       "entries", "64", "name", "unused" });
	Testpmd testpmd(a.wire, 1, Testpmd::RECEIVES, ",use_pinned_map=1,dp_path=" + map);
	testpmd.wait_ready();
	receive_all(a.host, a.wire, testpmd);
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10);
	/* 24.11 takes it off when it ends. */
	if (xdp_on(a.wire.rx, a.wire.rx_if) == program)
		return;
	CHECK(a.host.rxaqm(a.wire.rx, { "check" }).out.find("was taken off") != std::string::npos);
	CHECK(a.host.rxaqm(a.wire.rx, { "attach", a.wire.rx_if }).exit_code == 0);
	CHECK(a.host.rxaqm(a.wire.rx, { "check" }).exit_code == 0);
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10);
}

TEST_CASE("dpdk: testpmd receives by packet sockets beside rxaqm, and leaves it be", "[xsk][dpdk]")
{
	need_testpmd();
	Attached a;
	const uint32_t program = xdp_on(a.wire.rx, a.wire.rx_if);
	const int64_t before = a.stat("packets");
	Testpmd testpmd(a.wire, 1, Testpmd::RECEIVES, "", "net_af_packet");

	testpmd.wait_ready();
	/* It sees copies: all goes to the stack as well. */
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 100) == 100);
	CAPTURE(testpmd.log());
	CHECK(eventually([&] { return testpmd.received() >= 100; }, 60s));
	testpmd.end();
	CHECK(xdp_on(a.wire.rx, a.wire.rx_if) == program);
	CHECK(a.stat("packets") >= before + 100);
	CHECK(a.host.rxaqm(a.wire.rx, { "check", "-i", "100ms" }).exit_code == 0);
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10);
}

/* Refused, and on its way out it takes off what is there. */
TEST_CASE("dpdk: testpmd that is refused the slot may take rxaqm off; attach mends that",
	  "[xsk][dpdk]")
{
	need_testpmd();
	Attached a;
	const uint32_t program = xdp_on(a.wire.rx, a.wire.rx_if);
	Testpmd testpmd(a.wire);

	testpmd.wait_end();
	CAPTURE(testpmd.log());
	CHECK(testpmd.received() == 0);
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10);
	Result check = a.host.rxaqm(a.wire.rx, { "check" });
	CAPTURE(check.text());
	if (xdp_on(a.wire.rx, a.wire.rx_if) == program) {
		CHECK(check.exit_code == 0);
		return;
	}
	CHECK(check.out.find("was taken off") != std::string::npos);
	CHECK(a.host.rxaqm(a.wire.rx, { "attach", a.wire.rx_if }).exit_code == 0);
	CHECK(a.host.rxaqm(a.wire.rx, { "check" }).exit_code == 0);
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10);
}

/* Nobody is told to slow down: the queue stands, and on a fast machine it overflows. */
TEST_CASE("dpdk: what testpmd sends is all accounted for, and no more than max_drop dropped",
	  "[xsk][dpdk]")
{
	need_testpmd();
	Attached a(
		{ "mode=enforce", "signal=busy", "target=1ms", "interval=20ms", "max_drop=20%" });
	if (!make_slow(a.wire, 20))
		SKIP("needs two CPUs: one to send, one to receive");
	const int64_t packets_before = a.stat("packets");
	const auto lost_before = int64_t(a.wire.tx_dropped());
	Testpmd testpmd(a.wire, 0, Testpmd::SENDS);

	testpmd.wait_ready();
	/* Until it is at the ceiling: a sender that has to share its CPU lets the queue drain. */
	const bool stood = eventually(
		[&] {
			const int64_t packets = a.stat("packets") - packets_before;

			return packets > 50000 && a.stat("drop") > packets / 20;
		},
		20s);
	if (!stood && a.stat("polls_drained") > a.stat("polls_left") / 20)
		SKIP("the machine is too busy: testpmd hardly ever has a CPU to itself");
	REQUIRE(stood);
	testpmd.end();
	/* What it has sent last is on its way. */
	REQUIRE(eventually([&] {
		const int64_t packets = a.stat("packets");

		std::this_thread::sleep_for(200ms);
		return a.stat("packets") == packets;
	}));
	const int64_t packets = a.stat("packets") - packets_before;
	const int64_t lost = int64_t(a.wire.tx_dropped()) - lost_before;
	const int64_t sent = testpmd.sent(), dropped = a.stat("drop");

	CAPTURE(testpmd.log(), sent, packets, lost, dropped,
		a.host.rxaqm(a.wire.rx, { "status", "--all" }).out);
	CHECK(sent > 50000);
	/* Less what was in its ring at the end, and more by the kernel's own few. */
	CHECK(packets + lost > sent - 4096);
	CHECK(packets + lost < sent + 100);
	CHECK(dropped > packets / 20);
	CHECK(dropped < packets * 21 / 100);
	std::this_thread::sleep_for(100ms);
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 100) == 100);
	CHECK(a.stat("drop") == dropped);
}
