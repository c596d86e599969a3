// SPDX-License-Identifier: GPL-2.0-only
/* The ways to watch packets on their way to the stack: each attaches where it should on each
 * kernel, and all of them see the same.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "frames.hpp"
#include "guest.hpp"

using namespace std::chrono_literals;

namespace
{

const char *const KPROBES = "/sys/kernel/debug/kprobes/list";
const char *const TRACED = "/sys/kernel/tracing/enabled_functions";

/* By the sources of Linux: net/core/gro.c has gro_receive_skb() from 6.15 on. Before, and
 * without it, napi_gro_receive().
 */
std::string gro_function()
{
	return kernel_version() >= 615 ? "gro_receive_skb" : "napi_gro_receive";
}

std::vector<std::string> watched_functions()
{
	return { gro_function(), "napi_gro_frags", "netif_receive_skb", "netif_receive_skb_list" };
}

/* The number behind @word. */
double number_after(const std::string &text, const std::string &word)
{
	std::istringstream words(text);
	std::string one;
	double value = -1;

	while (words >> one)
		if (one == word && words >> value)
			return value;
	throw std::runtime_error("no " + word + " in: " + text);
}

/* Has process @pid attached a tracing program? */
bool watches(pid_t pid)
{
	std::error_code error;

	for (const auto &fd :
	     std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fdinfo", error))
		/* Some are gone by now. */
		if (std::ifstream file(fd.path());
		    std::string(std::istreambuf_iterator<char>(file), {}).find("link_type") !=
		    std::string::npos)
			return true;
	return false;
}

struct Ladder {
	Host host;
	Wire wire;
	Frames frames{ wire };

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
	int64_t stat(const std::string &name)
	{
		return host.stat(wire.rx, wire.rx_if, name);
	}
	std::string clock_map()
	{
		std::string shown = must({ build_path("rig/rigctl"), "--netns", wire.tx.name(),
					   "clock", "show", wire.tx_if });

		return std::to_string(long(number_after(shown, "map")));
	}
};

} // namespace

TEST_CASE("ladder: each hook is where it should be, and nowhere else", "[ladder]")
{
	in_guest();
	const std::string hook = GENERATE("tp", "fentry", "kprobe");
	const std::string kprobes_before = slurp(KPROBES), traced_before = slurp(TRACED);

	CAPTURE(hook);
	{
		Ladder l(hook);
		const std::string kprobes = slurp(KPROBES), traced = slurp(TRACED);

		CAPTURE(kprobes, traced);
		for (const std::string &function : watched_functions()) {
			CAPTURE(function);
			CHECK(lines_with(kprobes, function) == (hook == "kprobe"));
			/* kprobes at a function's entry go by ftrace, too. */
			CHECK(lines_with(traced, function) == (hook != "tp"));
		}
		CHECK(l.host.rxaqm(l.wire.rx, { "detach", l.wire.rx_if }).exit_code == 0);
	}
	CHECK(eventually([&] {
		return slurp(KPROBES) == kprobes_before && slurp(TRACED) == traced_before;
	}));
}

/* Against the truth (tests/rig/truth), which the stamps tell to whoever knows the simulated
 * clock's own parameters.
 */
TEST_CASE("ladder: each hook counts all packets and measures what they stood", "[ladder]")
{
	in_guest();
	const std::string hook = GENERATE("tp", "fentry", "kprobe");
	Ladder l(hook);

	CAPTURE(hook);
	if (!make_slow(l.wire, 50))
		SKIP("needs two CPUs: one to send, one to receive");
	l.frames.trickle(400);
	Sojourns before(l.host, l.wire.rx, l.wire.rx_if);
	const int64_t packets_before = l.stat("packets");
	Child truth(
		{ build_path("rig/truth"), "ring", l.wire.rx_if, l.clock_map(), "1", "300000" });
	REQUIRE(eventually([&] { return watches(truth.pid()); }, 30s));
	l.frames.run(6000ms);
	truth.kill(SIGINT); /* it reports, and ends */
	Result seen = truth.wait();
	Sojourns after(l.host, l.wire.rx, l.wire.rx_if);
	CAPTURE(seen.text(), l.host.rxaqm(l.wire.rx, { "status" }).out);

	REQUIRE(seen.exit_code == 0);
	REQUIRE(l.frames.received_last() > 200);
	/* The kernel's own few may come on top. */
	int64_t packets = l.stat("packets") - packets_before;
	CHECK(packets >= l.frames.received_last());
	CHECK(packets <= l.frames.received_last() + 20);
	CHECK(number_after(seen.out, "packets") >= double(l.frames.received_last()));
	CHECK(number_after(seen.out, "packets") <= double(packets));
	/* The sender stamps in software: where the host takes its CPU away between stamp and
	 * ring, the packet is older than the queue. A wrong clock would speak in thousands.
	 */
	CHECK(l.stat("stamp_negative") + l.stat("stamp_absurd") <= 1 + packets / 1000);

	double p50_ms = after.median_ns_since(before) / 1e6;
	double true_p50_ms = number_after(seen.out, "p50_us") / 1e3;
	/* Not those of polls that drained the queue, but one. */
	CHECK(double(after.packets_since(before)) > 0.5 * double(packets));
	CHECK(p50_ms > true_p50_ms / 1.3);
	CHECK(p50_ms < true_p50_ms * 1.3);
	CHECK(true_p50_ms > 2); /* else no queue stood, and this proves nothing */
}
