// SPDX-License-Identifier: GPL-2.0-only
/* The hooks that watch packets on their way to the stack: each attaches as it should on each
 * kernel. test_simnic.cpp tests that all of them see the same.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "frames.hpp"
#include "guest.hpp"

namespace
{

const char *const KPROBES = "/sys/kernel/debug/kprobes/list";
const char *const TRACED = "/sys/kernel/tracing/enabled_functions";

/* In Linux's sources net/core/gro.c has gro_receive_skb() from 6.15 on. Before, and without it, it
 * is napi_gro_receive().
 */
std::string gro_function()
{
	return kernel_version() >= 615 ? "gro_receive_skb" : "napi_gro_receive";
}

std::vector<std::string> watched_functions()
{
	return { gro_function(), "napi_gro_frags", "netif_receive_skb", "netif_receive_skb_list" };
}

struct Ladder {
	Host host;
	Wire wire;

	explicit Ladder(const std::string &hook)
	{
		stamp_frames(wire);
		Result result = host.rxaqm(wire.rx,
					   { "attach", wire.rx_if, "--hook=" + hook, "target=1ms",
					     "interval=200ms", "signal=stamp",
					     "--profile=" +
						     source_path("tests/rig/veth-simclock.conf") });
		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
		CHECK(host.json(wire.rx, { "status" }).text("/interfaces/0/hook") == hook);
	}
};

} // namespace

TEST_CASE("ladder: each hook is where it should be, and nowhere else", "[ladder]")
{
	in_guest();
	const std::string hook = GENERATE("tp", "kprobe");
	const std::string kprobes_before = slurp(KPROBES), traced_before = slurp(TRACED);

	CAPTURE(hook);
	{
		Ladder l(hook);
		const std::string kprobes = slurp(KPROBES), traced = slurp(TRACED);

		CAPTURE(kprobes, traced);
		for (const std::string &function : watched_functions()) {
			CAPTURE(function);
			CHECK(lines_with(kprobes, function) == (hook == "kprobe"));
			/* kprobes at the entry of a function use ftrace, too. */
			CHECK(lines_with(traced, function) == (hook != "tp"));
		}
		CHECK(l.host.rxaqm(l.wire.rx, { "detach", l.wire.rx_if }).exit_code == 0);
	}
	CHECK(eventually([&] {
		return slurp(KPROBES) == kprobes_before && slurp(TRACED) == traced_before;
	}));
}
