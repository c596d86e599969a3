// SPDX-License-Identifier: GPL-2.0-only
/* Attaching and detaching on real interfaces with traffic on them. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "host.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

TEST_CASE("attach: traffic flows before, while and after, and is counted", "[attach]")
{
	const std::string mode = GENERATE("native", "generic");
	Host host;
	Wire wire;

	CAPTURE(mode);
	REQUIRE(all_traffic(wire) == "");

	Result attached = host.rxaqm(wire.rx, { "attach", wire.rx_if, "--mode", mode });
	CAPTURE(attached.text());
	REQUIRE(attached.exit_code == 0);
	CHECK(attached.err == "");
	CHECK(attached.out.find(wire.rx_if + ": attached, " + mode + " mode") == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if));
	CHECK(!host.note_maps().empty());

	int64_t before = host.stat(wire.rx, wire.rx_if, "packets");
	REQUIRE(all_traffic(wire) == "");
	/* 2 x 50 datagrams and at least one segment and an ACK for each TCP connection. */
	CHECK(eventually(
		[&] { return host.stat(wire.rx, wire.rx_if, "packets") >= before + 104; }));

	Result detached = host.rxaqm(wire.rx, { "detach", wire.rx_if });
	CAPTURE(detached.text());
	REQUIRE(detached.exit_code == 0);
	CHECK(detached.out == wire.rx_if + ": detached\n");
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(host.gone());
	REQUIRE(all_traffic(wire) == "");
}

TEST_CASE("attach: a device without Ethernet headers is refused", "[attach][link]")
{
	const std::string mode = GENERATE("native", "generic");
	Host host;
	Netns netns;

	if (access("/dev/net/tun", F_OK))
		SKIP("no /dev/net/tun");
	netns.ip("tuntap add dev tun0 mode tun");
	netns.ip("link set tun0 up");
	Result attached = host.rxaqm(netns, { "attach", "--mode", mode, "tun0" });
	CAPTURE(mode, attached.text());
	CHECK(attached.exit_code == 3);
	CHECK(attached.err.find("link type 65534 (none") != std::string::npos);
	CHECK(xdp_on(netns, "tun0") == 0);
	CHECK(host.gone());
	CHECK(host.rxaqm(netns, { "attach", "--mode", "generic", "lo" }).exit_code == 0);
}

TEST_CASE("attach: native mode is refused where it does not see queues of the device's own",
	  "[attach][link]")
{
	Host host;
	Wire wire;

	wire.rx.ip("link add above0 link " + wire.rx_if + " type macvlan");
	Result above = host.rxaqm(wire.rx, { "attach", "above0" });
	CAPTURE(above.text());
	CHECK(above.exit_code == 3);
	CHECK(above.err.find("(\"" + wire.rx_if + "\")") != std::string::npos);
	if (!access("/dev/net/tun", F_OK)) {
		wire.rx.ip("tuntap add dev tap0 mode tap");
		Result tap = host.rxaqm(wire.rx, { "attach", "tap0" });
		CAPTURE(tap.text());
		CHECK(tap.exit_code == 3);
		CHECK(tap.err.find("use \"--mode generic\"") != std::string::npos);
		CHECK(xdp_on(wire.rx, "tap0") == 0);
		CHECK(host.rxaqm(wire.rx, { "attach", "--mode", "generic", "tap0" }).exit_code ==
		      0);
	}
}

/* As in a container: the sysctl is shown in the first namespace only. */
TEST_CASE("attach: the length of a CPU's backlog is known in any namespace", "[attach]")
{
	Host host;
	Wire wire;

	Result attached = run({ "nsenter", "--net=/run/netns/" + wire.rx.name(), rxaqm_path(),
				"attach", "--mode=generic", "--key=cpu", wire.rx_if },
			      host.with_environment());
	CAPTURE(attached.text());
	REQUIRE(attached.exit_code == 0);
	CHECK(host.status_number(wire.rx, wire.rx_if, "/ring_entries") > 0);
}

TEST_CASE("attach: every packet is counted once", "[attach][oldest]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 10) == 10);
	auto packets = [&] { return host.stat(wire.rx, wire.rx_if, "packets"); };
	/* A poll's are counted when it ends. */
	REQUIRE(eventually([&] { return packets() >= 10; }));
	int64_t before = packets(), counted = 0;

	REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 1000) == 1000);
	CHECK(eventually([&] {
		counted = packets() - before;
		return counted >= 1000;
	}));
	/* The kernel's own few (router solicitations, MLD reports) may come on top. */
	CHECK(counted <= 1010);
}

TEST_CASE("attach: a flow goes on through attach, policy changes and detach", "[attach]")
{
	const std::string mode = GENERATE("native", "generic");
	Host host;
	Wire wire;
	Background background(wire);

	CAPTURE(mode);
	for (int i = 0; i < 2; i++) {
		CHECK(host.rxaqm(wire.rx, { "attach", wire.rx_if, "-m", mode }).exit_code == 0);
		/* A busy machine's queue may stand for longer than the default target. */
		CHECK(host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, "mode=enforce",
					    "target=100ms", "interval=1s" })
			      .exit_code == 0);
		CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	}
	Background::Outcome outcome = background.stop();
	CAPTURE(outcome.sent, outcome.received, outcome.interruptions);
	CHECK(outcome.sent > 100);
	/* When native XDP is taken off, a veth drops what comes during an RCU grace period. */
	if (mode == "native")
		CHECK(outcome.interruptions <= 2 * 2);
	else
		CHECK(outcome.received == outcome.sent);
}

TEST_CASE("attach: attaching again changes what is asked for, or nothing, and says so", "[attach]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "target=3ms" }).exit_code == 0);
	uint32_t program = xdp_on(wire.rx, wire.rx_if);

	Result again = host.rxaqm(wire.rx, { "attach", wire.rx_if });
	CAPTURE(again.text());
	CHECK(again.exit_code == 0);
	CHECK(again.err.find("attached already; nothing changed") != std::string::npos);
	CHECK(host.status_number(wire.rx, wire.rx_if, "/queues/0/target_ns") == 3000000);

	Result other = host.rxaqm(wire.rx, { "attach", "target=4ms", wire.rx_if, "mode=enforce" });
	CAPTURE(other.text());
	CHECK(other.exit_code == 0);
	CHECK(other.err.find("attached already; the settings given are in force") !=
	      std::string::npos);
	CHECK(xdp_on(wire.rx, wire.rx_if) == program);
	Json status = host.json(wire.rx, { "status", wire.rx_if });
	CHECK(status.number("/interfaces/0/queues/0/target_ns") == 4000000);
	CHECK(status.text("/interfaces/0/queues/0/mode") == "enforce");

	Result refused = host.rxaqm(wire.rx, { "attach", wire.rx_if, "target=5ms", "signal=hint" });
	CAPTURE(refused.text());
	CHECK(refused.exit_code == 1);
	CHECK(host.status_number(wire.rx, wire.rx_if, "/queues/0/target_ns") == 4000000);

	Result other_mode = host.rxaqm(wire.rx, { "attach", wire.rx_if, "-m", "generic" });
	CHECK(other_mode.exit_code == 1);
	CHECK(other_mode.err.find("to change that") != std::string::npos);
	CHECK(xdp_on(wire.rx, wire.rx_if) == program);
}

TEST_CASE("attach: detaching twice says that nothing is attached", "[attach]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 4);
	CHECK(host.rxaqm(wire.rx, { "detach", "--all" }).exit_code == 0);
}

TEST_CASE("attach: what is attached again starts afresh", "[attach]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "target=3ms", "mode=enforce" })
			.exit_code == 0);
	REQUIRE(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 200) == 200);
	REQUIRE(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);

	Json status = host.json(wire.rx, { "status", wire.rx_if });
	CHECK(status.text("/interfaces/0/queues/0/mode") == "observe");
	CHECK(status.number("/interfaces/0/queues/0/target_ns") == 500000);
	CHECK(status.number("/interfaces/0/queues/0/stats/packets") < 200);
}

TEST_CASE("attach: two interfaces share the tracing programs, and part in any order",
	  "[attach][oldest]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	std::set<uint32_t> maps = host.note_maps();
	REQUIRE(host.rxaqm(wire.tx, { "attach", wire.tx_if, "-m", "generic", "-p",
				      source_path("tests/rig/veth-simclock.conf") })
			.exit_code == 0);
	CHECK(host.note_maps() == maps);
	CHECK(std::filesystem::exists(host.state_dir() + "/link_generic"));
	REQUIRE(all_traffic(wire) == "");

	Json all = Json(host.rxaqm({ "status", "-j" }).out);
	CHECK(all.size("/interfaces") == 2);

	bool generic_first = GENERATE(false, true);
	CAPTURE(generic_first);
	if (generic_first) {
		REQUIRE(host.rxaqm(wire.tx, { "detach", wire.tx_if }).exit_code == 0);
		/* Nothing generic is left to serve. */
		CHECK(!std::filesystem::exists(host.state_dir() + "/link_generic"));
	} else {
		REQUIRE(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	}
	REQUIRE(all_traffic(wire) == "");
	if (generic_first)
		REQUIRE(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	else
		REQUIRE(host.rxaqm(wire.tx, { "detach", wire.tx_if }).exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("attach: packets are watched only while an interface has stamps to see", "[attach]")
{
	Host host;
	Wire wire;

	/* veth has no stamps, but for those that the rig makes. */
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	Json none = host.json(wire.rx, { "status", wire.rx_if });
	CHECK(none.text("/interfaces/0/hook") == "none");
	REQUIRE(host.rxaqm(wire.tx, { "attach", wire.tx_if, "-p",
				      source_path("tests/rig/veth-simclock.conf") })
			.exit_code == 0);
	Json some = host.json(wire.tx, { "status", wire.tx_if });
	CHECK(some.text("/interfaces/0/hook") != "none");
	REQUIRE(all_traffic(wire) == "");
	REQUIRE(host.rxaqm(wire.tx, { "detach", wire.tx_if }).exit_code == 0);
	REQUIRE(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("attach: with signal=busy nothing that sees stamps is loaded, until a policy wants them",
	  "[attach]")
{
	const std::string mode = GENERATE("native", "generic");
	const std::string words = GENERATE("set", "load", "of the first queue only");
	Host host;
	Wire wire;
	auto pinned = [&] {
		std::set<std::string> names;

		for (const auto &entry : std::filesystem::directory_iterator(host.state_dir()))
			if (entry.path().filename().string().starts_with("link_"))
				names.insert(entry.path().filename());
		return names;
	};
	const std::set<std::string> polls = { "link_napi_poll" };

	CAPTURE(mode, words);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "-m", mode, "signal=busy", "-p",
				      source_path("tests/rig/veth-simclock.conf") })
			.exit_code == 0);
	CHECK(pinned() == polls);
	CHECK(host.json(wire.rx, { "status" }).text("/interfaces/0/hook") == "none");
	REQUIRE(all_traffic(wire) == "");
	/* What wants no stamps, here and elsewhere, changes nothing. */
	REQUIRE(host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, "target=3ms" }).exit_code == 0);
	REQUIRE(host.rxaqm(wire.tx, { "attach", wire.tx_if, "-m", "generic" }).exit_code == 0);
	REQUIRE(host.rxaqm(wire.tx, { "detach", wire.tx_if }).exit_code == 0);
	CHECK(pinned() == polls);

	Args args = { "policy", "set", wire.rx_if, "signal=auto" };
	RunOptions options;
	if (words == "load") {
		args = { "policy", "load", wire.rx_if, "-" };
		options.input = "[interface]\nsignal=stamp\n";
	} else if (words != "set") {
		args.insert(args.end(), { "--queue", "0" });
	}
	Result changed = host.rxaqm(wire.rx, args, options);
	CAPTURE(changed.text());
	REQUIRE(changed.exit_code == 0);
	CHECK(pinned() != polls);
	if (mode == "native")
		CHECK(host.json(wire.rx, { "status" }).text("/interfaces/0/hook") != "none");
	else
		CHECK(pinned().count("link_generic"));
	REQUIRE(all_traffic(wire) == "");
	/* It is still wanted when another interface comes and goes. */
	const std::set<std::string> wanted = pinned();
	REQUIRE(host.rxaqm(wire.tx, { "attach", wire.tx_if, "-m", "generic" }).exit_code == 0);
	REQUIRE(host.rxaqm(wire.tx, { "detach", wire.tx_if }).exit_code == 0);
	CHECK(pinned() == wanted);
	REQUIRE(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("attach: --all detaches in every namespace", "[attach]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	REQUIRE(host.rxaqm(wire.tx, { "attach", wire.tx_if }).exit_code == 0);
	host.note_maps();
	Result result = host.rxaqm({ "detach", "--all" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(result.out == "2 interfaces detached\n");
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(xdp_on(wire.tx, wire.tx_if) == 0);
	CHECK(host.gone());
}
