// SPDX-License-Identifier: GPL-2.0-only
/* Queues of the simulated NIC that AF_XDP sockets serve: what a packet's metadata says against the
 * truth, and DPDK behind an overloaded queue. No skb is made, so hint is the signal.
 */
#include <catch2/catch_test_macros.hpp>

#include <csignal>

#include "hints.hpp"
#include "simnic.hpp"
#include "testpmd.hpp"

using namespace std::chrono_literals;

namespace
{

/* What "rxaqm-xsk --json" said last. */
Json last_line(const std::string &text)
{
	const size_t end = text.find_last_not_of('\n');
	const size_t begin = text.rfind('\n', end);

	REQUIRE(end != std::string::npos);
	return Json(text.substr(begin == std::string::npos ? 0 : begin + 1));
}

} // namespace

TEST_CASE("simnic: a consumer's packets say how long they stood in the NIC's queue",
	  "[simnic][afxdp]")
{
	in_guest();
	need_hints();
	SimNic nic;

	nic.attach({ "signal=hint" });
	nic.trickle(4000ms);
	nic.overload();

	Child consumer({ build_path("rxaqm-xsk"), "--netns", nic.rx().name(), "--json",
			 "--seconds=10", nic.name() },
		       nic.host.with_environment());
	Window window = loaded(nic, 0, 4s);
	consumer.kill(SIGTERM);
	Result result = consumer.wait();

	CAPTURE(window.text(), result.text(), nic.rxaqm({ "status" }).out);
	REQUIRE(window.truth.quantile_ns(0.5) > 10e6);
	CHECK(nic.signal() == "hint");
	CHECK(nic.stat("redirect") > 1000);
	Json said = last_line(result.out);
	const double nic_ns = double(said.number("/queues/0/sojourn_p50_ns"));
	CHECK(nic_ns > 0.8 * window.truth.quantile_ns(0.5));
	CHECK(nic_ns < 1.25 * window.truth.quantile_ns(0.5));
}

TEST_CASE("simnic: DPDK's testpmd behind rxaqm has a short queue, overloaded or not",
	  "[simnic][afxdp][dpdk]")
{
	in_guest();
	need_hints();
	need_testpmd();
	SimNic nic;
	Testpmd testpmd(*nic.wire, 0); /* CPU 1 is that of the queue */

	nic.rx().shell("ethtool -G " + nic.name() + " rx 2048");
	testpmd.make_room();
	nic.attach({ "signal=hint", "target=20ms", "interval=40ms" });
	RunOptions patient = nic.host.with_environment();
	patient.timeout = 120s;
	Child adopter(adopt(*nic.wire, testpmd), patient);
	nic.trickle(4000ms);
	nic.set("rx_cost_ns", 100000);

	/* As much as can be sent, and then an eighth more than was taken. Nobody responds. A poll of 64 is
	 * 8 ms, so 20 is a low target.
	 */
	const Window before = loaded(nic, 0, 4s);
	const auto pps = unsigned(before.truth.packets / 4 * 9 / 8);
	const long received = testpmd.received();
	const int64_t dropped = nic.stat("drop");
	REQUIRE(nic.rxaqm({ "policy", "set", nic.name(), "mode=enforce" }).exit_code == 0);
	const Window after = loaded(nic, pps, 4s);

	CAPTURE(pps, before.text(), after.text(), testpmd.log(), nic.rxaqm({ "status" }).out);
	CHECK(nic.signal() == "hint");
	CHECK(nic.stat("redirect") > 10000);
	CHECK(testpmd.received() > received + 10000);
	/* The ring stood full, and does not any more. */
	CHECK(before.truth.quantile_ns(0.5) > 100e6);
	CHECK(after.truth.quantile_ns(0.5) < 40e6);
	CHECK(nic.stat("drop") > dropped + 100);
	testpmd.end();
	CHECK(adopter.wait().exit_code == 0);
}
