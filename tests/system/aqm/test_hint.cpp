// SPDX-License-Identifier: GPL-2.0-only
/* signal=hint on veth, whose driver can be asked for stamps and has none unless the sender's skb
 * brought one: all there is to it but the stamps themselves.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "frames.hpp"
#include "hints.hpp"
#include "host.hpp"
#include "text.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

TEST_CASE("hint: attached, counted, fallen back from, detached", "[hint]")
{
	Host host;
	Wire wire;

	need_hints();
	Result attached = host.rxaqm(wire.rx, { "attach", wire.rx_if, "signal=hint" });
	CAPTURE(attached.text());
	REQUIRE(attached.exit_code == 0);
	CHECK(attached.err == "");
	CHECK(has(attached.out, "stamps: hint"));
	CHECK(has(attached.out, "bound to \"" + wire.rx_if + "\""));
	CHECK(has(attached.out, "does not say that it stamps all packets"));
	host.note_maps();
	REQUIRE(all_traffic(wire) == "");
	CHECK(host.stat(wire.rx, wire.rx_if, "packets") > 100);
	CHECK(host.stat(wire.rx, wire.rx_if, "stamp_missing") > 0);

	Json status = host.json(wire.rx, { "status" });
	CHECK(status.text("/interfaces/0/stamp") == "hint");
	CHECK(status.text("/interfaces/0/hook") == "none"); /* nothing to trace */
	CHECK_FALSE(status.flag("/interfaces/0/dispatcher"));
	CHECK(status.size("/interfaces/0/notes") == 2);
	CHECK(status.text("/interfaces/0/queues/0/signal") == "none");

	REQUIRE(host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, "signal=auto" }).exit_code == 0);
	REQUIRE(all_traffic(wire) == "");
	CHECK(host.json(wire.rx, { "status" }).text("/interfaces/0/queues/0/signal") == "busy");

	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(host.gone());
	REQUIRE(all_traffic(wire) == "");
}

TEST_CASE("hint: without stamps a queue that stands passes everything; in auto, busy acts",
	  "[hint]")
{
	Host host;
	Wire wire;
	Frames frames(wire);

	need_hints();
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "signal=hint", "mode=enforce",
				      "target=1ms", "interval=20ms" })
			.exit_code == 0);
	if (!make_slow(wire, 20))
		SKIP("needs two CPUs: one to send, one to receive");
	frames.trickle(20);
	frames.run(30000);
	for (const FrameCounts &count : frames.counts) {
		CHECK(count.received == count.sent);
		CHECK(count.marked == 0);
	}
	CHECK(host.stat(wire.rx, wire.rx_if, "pass_no_signal") > 100);
	CHECK(host.stat(wire.rx, wire.rx_if, "judged") == 0);

	REQUIRE(host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, "signal=auto" }).exit_code == 0);
	frames.run(30000);
	CHECK(host.stat(wire.rx, wire.rx_if, "judged") > 100);
	CHECK(host.stat(wire.rx, wire.rx_if, "drop") > 0);
	Result status = host.rxaqm(wire.rx, { "status", "--all" });
	CAPTURE(status.text());
	CHECK(has(status.out, "signal busy"));
}

TEST_CASE("hint: refused where it cannot be, and nothing changed", "[hint]")
{
	Host host;
	Wire wire;

	Result generic = host.rxaqm(wire.rx,
				    { "attach", wire.rx_if, "-m", "generic", "signal=hint" });
	CAPTURE(generic.text());
	CHECK(generic.exit_code == 3);
	CHECK(has(generic.err, "needs native mode"));
	CHECK(has(generic.err, "signal=auto"));
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(host.gone());

	if (!kernel_has_hints()) {
		Result old = host.rxaqm(wire.rx, { "attach", wire.rx_if, "signal=hint" });
		CAPTURE(old.text());
		CHECK(old.exit_code == 3);
		CHECK(has(old.err, "came with 6.3"));
		CHECK(host.gone());
		return;
	}

	/* A driver that cannot be asked. */
	wire.rx.ip("link add bridge0 type bridge");
	Result bridge = host.rxaqm(wire.rx, { "attach", "bridge0", "signal=hint" });
	CAPTURE(bridge.text());
	CHECK(bridge.exit_code == 3);
	CHECK(has(bridge.err, "\"bridge\""));
	CHECK(xdp_on(wire.rx, "bridge0") == 0);
	CHECK(host.gone());

	uint32_t foreign = put_foreign_xdp(wire.rx, wire.rx_if);
	Result taken = host.rxaqm(wire.rx, { "attach", wire.rx_if, "signal=hint" });
	CAPTURE(taken.text());
	CHECK(taken.exit_code == 3);
	CHECK(has(taken.err, "id " + std::to_string(foreign)));
	CHECK(has(taken.err, "\"ip link set dev " + wire.rx_if + " xdp off\""));
	CHECK(xdp_on(wire.rx, wire.rx_if) == foreign);
	CHECK(host.gone());
}

TEST_CASE("hint: auto takes it only where stamps are to be had", "[hint]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	CHECK(host.json(wire.rx, { "status" }).text("/interfaces/0/stamp") == "none");
}

TEST_CASE("hint: which program runs is settled by attach", "[hint]")
{
	const bool hint = GENERATE(false, true);
	const std::string is = hint ? "signal=hint" : "signal=stamp",
			  other = hint ? "signal=stamp" : "signal=hint";
	Host host;
	Wire wire;

	need_hints();
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, is }).exit_code == 0);
	uint32_t program = xdp_on(wire.rx, wire.rx_if);

	for (const Args &args : { Args{ "policy", "set", wire.rx_if, other, "target=3ms" },
				  Args{ "attach", wire.rx_if, other } }) {
		Result result = host.rxaqm(wire.rx, args);
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(has(result.err, "rxaqm detach " + wire.rx_if));
		CHECK(has(result.err, "rxaqm attach " + wire.rx_if + " " + other));
	}
	CHECK(xdp_on(wire.rx, wire.rx_if) == program);
	CHECK(host.status_number(wire.rx, wire.rx_if, "/queues/0/target_ns") == 500000);
	for (const std::string &setting :
	     { is, std::string("signal=auto"), std::string("signal=busy") })
		CHECK(host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, setting }).exit_code == 0);
	CHECK(host.rxaqm(wire.rx, { "attach", wire.rx_if, is }).exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) == program);
}

TEST_CASE("hint: an interface that is renamed and moved is still known", "[hint]")
{
	Host host;
	Wire wire;
	Netns away;

	need_hints();
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "signal=hint" }).exit_code == 0);
	host.note_maps();
	wire.rx.ip("link set dev " + wire.rx_if + " down");
	wire.rx.ip("link set dev " + wire.rx_if + " name moved netns " + away.name());
	Json status = host.json(away, { "status", "moved" });
	CHECK(status.text("/interfaces/0/interface") == "moved");
	CHECK_FALSE(status.has("/interfaces/0/trouble"));
	Result detached = host.rxaqm(away, { "detach", "moved" });
	CAPTURE(detached.text());
	CHECK(detached.exit_code == 0);
	CHECK(xdp_on(away, "moved") == 0);
	CHECK(host.gone());
}

TEST_CASE("hint: a program taken off by others, or gone with its interface, is let go of", "[hint]")
{
	const bool deleted = GENERATE(false, true);
	Host host;
	Wire wire;

	need_hints();
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "signal=hint" }).exit_code == 0);
	host.note_maps();
	if (deleted) {
		wire.rx.ip("link del dev " + wire.rx_if);
		CHECK(host.rxaqm({ "detach", "--all" }).exit_code == 0);
	} else {
		xdp_off(wire.rx, wire.rx_if);
		Result again = host.rxaqm(wire.rx, { "attach", wire.rx_if, "signal=hint" });
		CAPTURE(again.text());
		CHECK(again.exit_code == 0);
		CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	}
	CHECK(host.gone());
}

TEST_CASE("stamps: that stop coming are missed, and status says so", "[hint]")
{
	Host host;
	Wire wire;
	Frames frames(wire);

	stamp_frames(wire);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "--profile",
				      source_path("tests/rig/veth-simclock.conf") })
			.exit_code == 0);
	frames.trickle(400);
	Json before = host.json(wire.rx, { "status" });
	CHECK(before.text("/interfaces/0/queues/0/signal") == "stamp");
	CHECK(before.size("/interfaces/0/notes") == 0);

	wire.tx.shell("tc qdisc del dev " + wire.tx_if + " clsact");
	std::this_thread::sleep_for(1100ms);
	frames.trickle(20);
	Json after = host.json(wire.rx, { "status" });
	REQUIRE(after.size("/interfaces/0/notes") == 1);
	const std::string note = after.text("/interfaces/0/notes/0");
	CAPTURE(note);
	CHECK(has(note, "stamps missing for "));
	CHECK(has(note, "acting on busy"));
	CHECK(has(host.rxaqm(wire.rx, { "status", "--all" }).out, "  note: stamps missing for "));
}
