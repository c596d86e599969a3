// SPDX-License-Identifier: GPL-2.0-only
/* Queues of the simulated NIC that AF_XDP sockets serve: the metadata of packets against the truth,
 * and DPDK behind an overloaded queue. No skb is made, so the signal is hint.
 */
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "hints.hpp"
#include "simnic.hpp"
#include "testpmd.hpp"

using namespace std::chrono_literals;

namespace
{

/* The smallest and the largest of the median delays in the ring that "rxaqm-xsk --json" printed,
 * one line a second, in the last @seconds; the first line may be missing, if it began late. The
 * median of that whole time lies between them.
 */
std::pair<double, double> medians_of(const std::string &text, size_t seconds)
{
	std::vector<double> medians;
	std::istringstream lines(text);

	for (std::string line; std::getline(lines, line);)
		medians.push_back(double(Json(line).number("/queues/0/sojourn_p50_ns")));
	REQUIRE(medians.size() + 1 >= seconds);
	seconds = std::min(seconds, medians.size());
	const auto [least, most] = std::minmax_element(medians.end() - long(seconds),
						       medians.end());
	return { *least, *most };
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

	CAPTURE(window.text(), result.text(), nic.rxaqm({ "status", "--all" }).out);
	REQUIRE(window.truth.quantile_ns(0.5) > 10e6);
	CHECK(nic.signal() == "hint");
	CHECK(nic.stat("redirect") > 1000);
	/* The lines of the window; the window need not begin with a line. */
	const auto [least, most] = medians_of(result.out, 5);
	CHECK(most > 0.8 * window.truth.quantile_ns(0.5));
	CHECK(least < 1.25 * window.truth.quantile_ns(0.5));
}

TEST_CASE("simnic: DPDK's testpmd behind rxaqm has a short queue, overloaded or not",
	  "[simnic][afxdp][dpdk]")
{
	in_guest();
	need_hints();
	need_testpmd();
	SimNic nic;
	Testpmd testpmd(*nic.wire, 0); /* the queue uses CPU 1 */

	nic.rx().shell("ethtool -G " + nic.name() + " rx 2048");
	testpmd.make_room();
	nic.attach({ "signal=hint", "target=20ms", "interval=40ms" });
	RunOptions patient = nic.host.with_environment();
	patient.timeout = 120s;
	Child adopter(adopt(*nic.wire, testpmd), patient);
	nic.trickle(4000ms);
	nic.set("rx_cost_ns", 100000);

	/* First as much as can be sent, then an eighth more than was taken. The senders do not
	 * respond. A poll of 64 packets takes 8 ms, so 20 ms is a low target.
	 */
	const Window before = loaded(nic, 0, 4s);
	const auto pps = unsigned(before.truth.packets / 4 * 9 / 8);
	const long received = testpmd.received();
	const int64_t dropped = nic.stat("drop");
	REQUIRE(nic.rxaqm({ "policy", "set", nic.name(), "mode=enforce" }).exit_code == 0);
	const Window after = loaded(nic, pps, 4s);

	CAPTURE(pps, before.text(), after.text(), testpmd.log(),
		nic.rxaqm({ "status", "--all" }).out);
	CHECK(nic.signal() == "hint");
	CHECK(nic.stat("redirect") > 10000);
	CHECK(testpmd.received() > received + 10000);
	/* The ring was full before, and is not now. */
	CHECK(before.truth.quantile_ns(0.5) > 100e6);
	CHECK(after.truth.quantile_ns(0.5) < 40e6);
	CHECK(nic.stat("drop") > dropped + 100);
	testpmd.end();
	CHECK(adopter.wait().exit_code == 0);
}
