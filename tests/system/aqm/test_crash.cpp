// SPDX-License-Identifier: GPL-2.0-only
/* kill -9 of attach and detach at every moment that matters: the machine stays usable and the
 * next command puts things right.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "hints.hpp"
#include "host.hpp"
#include "interrupt.hpp"
#include "traffic.hpp"

using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

namespace
{

constexpr unsigned MANY = 400; /* no command changes as many things */

/* The ways differ little: for those after the first every third place is enough. */
unsigned stride(const std::string &way)
{
	return way == "native" ? 1 : 3;
}

/* Arguments of attach. */
Args way_args(const std::string &way)
{
	return way == "hint" ? Args{ "signal=hint" } : Args{ "-m", way };
}

struct Victim {
	Host host;
	Wire wire;
	Args attach, detach;
	RunOptions options = host.with_environment();

	explicit Victim(const std::string &way = "native")
		: detach(host.command(wire.rx, { "detach", wire.rx_if }))
	{
		Args args = { "attach", wire.rx_if };

		if (way == "hint")
			need_hints();
		for (const std::string &arg : way_args(way))
			args.push_back(arg);
		attach = host.command(wire.rx, args);
	}

	/* Traffic must flow whatever state things are in; few packets, this is done often. */
	void check_flows()
	{
		CHECK(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 3) == 3);
		CHECK(tcp_transfer(wire.tx, wire.rx, Wire::RX_IP6, 3000) == 3000);
	}

	/* status must not fail on what was left: attached, or nothing, or told to be in trouble. */
	void check_status()
	{
		Result status = host.rxaqm(wire.rx, { "status", "-j" });
		CAPTURE(status.text());
		CHECK(status.signal == 0);
		CHECK(status.exit_code == (Json(status.out).size("/interfaces") ? 0 : 4));
	}

	void check_attached()
	{
		CHECK(xdp_on(wire.rx, wire.rx_if));
		Json status = host.json(wire.rx, { "status" });
		CHECK(status.size("/interfaces") == 1);
		CHECK_FALSE(status.has("/interfaces/0/trouble"));
	}

	void check_gone()
	{
		CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
		CHECK(host.gone());
	}

	/* After a command was killed, in turn: attach completes, detach cleans up, --all does. */
	void put_right(unsigned turn)
	{
		host.note_maps();
		check_flows();
		check_status();
		Result next;
		switch (turn % 3) {
		case 0:
			next = host.rxaqm(wire.rx, { "attach", wire.rx_if });
			{
				CAPTURE(next.text());
				/* In the other mode it may be attached already. */
				CHECK((next.exit_code == 0 ||
				       next.err.find("to change that") != std::string::npos));
			}
			host.note_maps();
			check_attached();
			check_flows();
			CHECK(run(detach, options).exit_code == 0);
			break;
		case 1: {
			next = run(detach, options);
			CAPTURE(next.text());
			CHECK((next.exit_code == 0 || next.exit_code == 4));
			CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
			/* What never became complete is left for the next attach or --all. */
			host.rxaqm({ "detach", "--all" });
			break;
		}
		default: {
			next = host.rxaqm({ "detach", "--all" });
			CAPTURE(next.text());
			CHECK(next.exit_code == 0);
		}
		}
		check_gone();
	}
};

} // namespace

TEST_CASE("crash: attach killed before any of its changes is completed or undone", "[crash]")
{
	const std::string way = GENERATE("native", "generic", "hint");
	Victim v(way);
	unsigned at = 0, turn = 0;

	for (; at < MANY; at += stride(way)) {
		CAPTURE(way, at);
		if (!run_until_change(v.attach, v.options, at))
			break;
		v.put_right(turn++);
	}
	CHECK(at > 20);
	CHECK(at < MANY);
	v.host.note_maps();
	v.check_attached();
	CHECK(run(v.detach, v.options).exit_code == 0);
	v.check_gone();
}

TEST_CASE("crash: detach killed before any of its changes is completed", "[crash]")
{
	const std::string way = GENERATE("native", "generic", "hint");
	Victim v(way);
	unsigned at = 0, turn = 0;

	for (; at < MANY; at += stride(way)) {
		CAPTURE(way, at);
		REQUIRE(run(v.attach, v.options).exit_code == 0);
		v.host.note_maps();
		if (!run_until_change(v.detach, v.options, at))
			break;
		v.put_right(turn++);
	}
	CHECK(at > 10);
	CHECK(at < MANY);
	v.check_gone();
}

/* Where the kernel lets libxdp use its dispatcher: it pins, swaps, unpins. The test above covers
 * that and more, but is too long for an emulated guest.
 */
TEST_CASE("crash: attach and detach killed among libxdp's pins", "[crash][pins]")
{
	constexpr unsigned NEAR = 9; /* changes from the first pin on that are libxdp's */
	const bool attaching = GENERATE(true, false);
	Victim v;

	REQUIRE(run(v.attach, v.options).exit_code == 0);
	if (v.host.dispatchers().empty())
		SKIP("this kernel takes no dispatcher: rxaqm attaches directly");
	REQUIRE(run(v.detach, v.options).exit_code == 0);
	/* Between them, they meet each. */
	for (unsigned at = attaching ? 0 : 1; at < NEAR; at += 2) {
		CAPTURE(attaching, at);
		if (!attaching)
			REQUIRE(run(v.attach, v.options).exit_code == 0);
		v.host.note_maps();
		REQUIRE(run_until_change(attaching ? v.attach : v.detach, v.options, at,
					 "/xdp/dispatch-"));
		v.put_right(at + at / 3); /* not the same after the same step of libxdp's */
	}
}

TEST_CASE("crash: a second attach that is killed leaves the first interface alone", "[crash]")
{
	Victim v;
	Netns netns;
	unsigned at = 0;

	netns.ip("link add second0 type veth peer name second1");
	REQUIRE(run(v.attach, v.options).exit_code == 0);
	uint32_t program = xdp_on(v.wire.rx, v.wire.rx_if);
	for (; at < MANY; at++) {
		CAPTURE(at);
		if (!run_until_change(v.host.command(netns, { "attach", "second0" }), v.options,
				      at))
			break;
		CHECK(xdp_on(v.wire.rx, v.wire.rx_if) == program);
		v.check_flows();
		CHECK(v.host.status_number(v.wire.rx, v.wire.rx_if, "/nr_queues") == 1);
		Result next = v.host.rxaqm(netns, { "detach", "second0" });
		CAPTURE(next.text());
		CHECK((next.exit_code == 0 || next.exit_code == 4));
		CHECK(xdp_on(netns, "second0") == 0);
	}
	CHECK(at > 3);
	CHECK(v.host.rxaqm(netns, { "detach", "second0" }).exit_code == 0);
	v.host.note_maps();
	CHECK(run(v.detach, v.options).exit_code == 0);
	v.check_gone();
}

TEST_CASE("crash: attach and detach killed at any time", "[crash]")
{
	Victim v;
	constexpr int STEPS = 8;
	auto started = Clock::now();

	REQUIRE(run(v.attach, v.options).exit_code == 0);
	auto attach_time = std::chrono::duration_cast<microseconds>(Clock::now() - started);
	started = Clock::now();
	REQUIRE(run(v.detach, v.options).exit_code == 0);
	auto detach_time = std::chrono::duration_cast<microseconds>(Clock::now() - started);
	unsigned killed = 0;

	for (int i = 0; i < STEPS; i++) {
		CAPTURE(i);
		killed += run_for(v.attach, v.options, attach_time * i / STEPS);
		v.put_right(unsigned(i));
		REQUIRE(run(v.attach, v.options).exit_code == 0);
		v.host.note_maps();
		killed += run_for(v.detach, v.options, detach_time * i / STEPS);
		v.put_right(unsigned(i) + 1);
	}
	CHECK(killed > STEPS / 2);
}

TEST_CASE("crash: policy set killed at any change leaves the old policy or the new", "[crash]")
{
	Victim v;
	unsigned at = 0;

	REQUIRE(run(v.attach, v.options).exit_code == 0);
	for (; at < MANY; at++) {
		CAPTURE(at);
		bool killed = run_until_change(v.host.command(v.wire.rx,
							      { "policy", "set", v.wire.rx_if,
								"target=3ms", "interval=60ms" }),
					       v.options, at);
		Json status = v.host.json(v.wire.rx, { "status" });
		int64_t target = status.number("/interfaces/0/queues/0/target_ns"),
			interval = status.number("/interfaces/0/queues/0/interval_ns");

		CHECK(((target == 500000 && interval == 40000000) ||
		       (target == 3000000 && interval == 60000000)));
		if (!killed)
			break;
		REQUIRE(v.host.rxaqm(v.wire.rx, { "policy", "set", v.wire.rx_if,
						  "target=auto:500us", "interval=40ms" })
				.exit_code == 0);
	}
	CHECK(at > 1);
}
