// SPDX-License-Identifier: GPL-2.0-only
/* Sockets under load: whoever is too slow, application or NIC queue, the wait stays short for
 * senders that respond, and drops are bounded for those that do not.
 */
#include <bpf/bpf.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <memory>
#include <sstream>

#include "redirect_burn.skel.h"
#include "xsk.hpp"

using namespace std::chrono_literals;

namespace
{

/* TCP with ECN through a consumer of @cost_us a packet. Returns what it says of the wait. */
Json forward_tcp(const Attached &a, unsigned cost_us, unsigned seconds)
{
	const std::string address = Wire::RX_IP4;

	for (const Netns *netns : { &a.wire.tx, &a.wire.rx })
		netns->shell("sysctl -qw net.ipv4.tcp_ecn=1 net.ipv4.conf.all.rp_filter=0 "
			     "net.ipv4.conf.default.rp_filter=0 net.ipv4.tcp_no_metrics_save=1 "
			     "net.ipv4.tcp_rmem='4096 131072 33554432' "
			     "net.ipv4.tcp_wmem='4096 131072 33554432'");
	/* Frames as they come from a wire: of a packet's size, with checksums. */
	a.wire.tx.shell("ethtool -K " + a.wire.tx_if + " tso off gso off tx off");
	/* Ahead of all other tasks, but for the 5 % of its time that the kernel keeps for them. */
	Child forwarder({ "chrt", "-f", "1", "taskset", "-c", "1", build_path("rig/xskfwd"),
			  a.wire.rx.name(), a.wire.rx_if, "fwd0", std::to_string(cost_us),
			  std::to_string(seconds), "2" },
			a.host.with_environment());
	Child server({ "ip", "netns", "exec", a.wire.rx.name(), "taskset", "-c", "0", "iperf3",
		       "-s", "-1" });

	REQUIRE(eventually([&] { return a.published().updated_ns != 0; }));
	REQUIRE(eventually([&] {
		return a.wire.rx.shell("ss -Hltn 'sport = :5201'").find("5201") !=
		       std::string::npos;
	}));
	Result client = run({ "ip", "netns", "exec", a.wire.tx.name(), "taskset", "-c", "0",
			      "iperf3", "-J", "-c", address, "-P", "4", "-C", "cubic", "-t",
			      std::to_string(seconds - 1) });
	Result result = forwarder.wait();

	CAPTURE(result.text(), client.text());
	REQUIRE(result.exit_code == 0);
	return Json(result.out);
}

void need_two_cpus()
{
	if (std::thread::hardware_concurrency() < 2)
		SKIP("needs two CPUs: one to send, one to receive");
}

} // namespace

TEST_CASE("xsk: TCP with ECN through a slow consumer waits about the target, not a ring",
	  "[xsk][load]")
{
	need_two_cpus();
	Attached a({ "target=10ms", "interval=100ms" });
	const unsigned cost_us = 60; /* a full ring: 120 ms, so marks are heeded after that */

	Json observed = forward_tcp(a, cost_us, 6);
	int64_t marks = a.stat("ecn_mark");

	REQUIRE(a.host.rxaqm(a.wire.rx, { "policy", "set", a.wire.rx_if, "mode=enforce" })
			.exit_code == 0);
	Json enforced = forward_tcp(a, cost_us, 8);

	CAPTURE(observed.number("/p50_ns"), observed.number("/p99_ns"), enforced.number("/p50_ns"),
		enforced.number("/p99_ns"), observed.number("/disturbed"),
		enforced.number("/disturbed"), observed.number("/counted"),
		enforced.number("/counted"), a.host.rxaqm(a.wire.rx, { "status", "--all" }).out);
	CHECK(marks == 0);
	if (observed.number("/counted") < 2000 || enforced.number("/counted") < 2000)
		SKIP("the machine is too busy: the consumer was hardly ever alone on its CPU");
	CHECK(observed.number("/p99_ns") > 50'000'000);
	CHECK(enforced.number("/p50_ns") <= 20'000'000);
	/* What is kept from its CPU for long waits longer, but not as long as before. */
	CHECK(enforced.number("/p99_ns") < observed.number("/p50_ns") / 2);
	CHECK(enforced.number("/marked") > 0);
	/* Marked, not dropped: but for what TCP sends anew, which is Not-ECT, and for a flow that
	 * is far over its limit because it could not hear its marks: where a CPU is taken away.
	 */
	CHECK(a.stat("over_not_ect") < a.stat("over_ect0") / 50);
	CHECK(a.stat("drop") < a.stat("over_ect0") / 50);
	/* Kept short, not idle. */
	CHECK(enforced.number("/packets") / 8 > observed.number("/packets") / 6 * 7 / 10);
}

TEST_CASE("xsk: senders that do not respond lose max_drop at most, and the rest arrives",
	  "[xsk][load]")
{
	need_two_cpus();
	Attached a({ "mode=enforce", "target=1ms", "interval=10ms", "max_drop=30%" });
	Child consumer(a.consumer({ "--cost=100us", "--json", a.wire.rx_if }),
		       a.host.with_environment());

	REQUIRE(eventually([&] { return a.published().updated_ns != 0; }));
	Flood flood(a.wire, 0);

	std::this_thread::sleep_for(2s);
	eventually([&] { return a.stat("drop") > 100; });
	flood.stop();
	consumer.kill(SIGTERM);
	Result result = consumer.wait();

	CAPTURE(result.text(), a.host.rxaqm(a.wire.rx, { "status", "--all" }).out);
	REQUIRE(result.exit_code == 0);
	CHECK(a.stat("drop") > 100);
	/* By lot: a few more or less. */
	CHECK(a.stat("drop") <= a.stat("judged") * 32 / 100 + 64);
	CHECK(a.stat("ecn_mark") == 0);
	/* The rest keeps the consumer busy, and overflows its ring, as without rxaqm. */
	int64_t packets = 0, ring_full = 0;
	std::istringstream lines(result.out);

	for (std::string line; std::getline(lines, line);) {
		packets += Json(line).number("/queues/0/packets");
		ring_full += Json(line).number("/queues/0/ring_full");
	}
	CHECK(packets > 1000);
	CHECK(ring_full > 0);
}

TEST_CASE("xsk: a fast consumer behind a slow NIC queue: packets are judged by the queue",
	  "[xsk][load]")
{
	need_two_cpus();
	Attached a({ "mode=enforce", "target=500us", "interval=10ms" });
	Socket socket;

	REQUIRE(socket.open(a.wire.rx, a.wire.rx_if) == 0);
	std::unique_ptr<redirect_burn, decltype(&redirect_burn__destroy)>
		burn(redirect_burn__open(), redirect_burn__destroy);
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int map = bpf_obj_get((a.host.state_dir() + "/xsk_map").c_str());

	REQUIRE(burn);
	REQUIRE(bpf_obj_get_info_by_fd(map, &info, &len) == 0);
	close(map);
	burn->rodata->burn_map_id = info.id;
	burn->rodata->burn_ns = 20000;
	REQUIRE(redirect_burn__load(burn.get()) == 0);
	REQUIRE(redirect_burn__attach(burn.get()) == 0);
	a.wire.pin_napi(1);

	const unsigned ect0 = GENERATE(0U, 2U);
	unsigned received;
	{
		Flood flood(a.wire, ect0);

		received = socket.drain(2000ms);
	}
	received += socket.drain(200ms);
	CAPTURE(ect0, received, socket.longest_wait_ns, socket.longest_sojourn_ns,
		a.host.rxaqm(a.wire.rx, { "status", "--all" }).out);
	CHECK(received > 5000);
	CHECK(socket.with_meta == received);
	CHECK(socket.standing > 1000);
	CHECK(socket.longest_sojourn_ns > 500'000);
	CHECK(a.stat("polls_left") > 50);
	if (ect0) {
		rxaqm_xsk_stats stats = {};

		stats.size = sizeof(stats);
		REQUIRE(rxaqm_xsk_get_stats(socket.get(), &stats) == 0);
		CHECK(socket.marked > 100);
		CHECK(socket.marked <= a.stat("ecn_mark"));
		/* This thread may have to wait for a CPU, while its ring overflows. */
		CHECK(socket.marked + stats.ring_full >= uint64_t(a.stat("ecn_mark")));
		/* Marks are ignored here. What else goes came without ECT: hardly any. */
		CHECK(a.stat("drop_ect") > 0);
		CHECK(a.stat("drop") - a.stat("drop_ect") <= a.stat("over_not_ect"));
		CHECK(a.stat("over_not_ect") <= a.stat("over_ect0") / 100);
	} else {
		CHECK(a.stat("drop") > 100);
		CHECK(a.stat("ecn_mark") == 0);
	}
}
