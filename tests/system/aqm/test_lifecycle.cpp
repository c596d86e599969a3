// SPDX-License-Identifier: GPL-2.0-only
/* What may happen to an interface behind rxaqm's back, and whose the XDP slot is. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <memory>

#include "host.hpp"
#include "traffic.hpp"

namespace
{

struct Attached {
	Host host;
	std::unique_ptr<Wire> wire = std::make_unique<Wire>();
	std::string ifname = wire->rx_if;

	explicit Attached(const std::string &mode = "native")
	{
		CAPTURE(mode);
		REQUIRE(host.rxaqm(wire->rx, { "attach", ifname, "-m", mode }).exit_code == 0);
		host.note_maps();
	}
};

} // namespace

TEST_CASE("lifecycle: a renamed interface stays attached under its new name", "[lifecycle]")
{
	Attached a(GENERATE("native", "generic"));
	Netns &rx = a.wire->rx;

	rx.ip("link set dev " + a.ifname + " down");
	rx.ip("link set dev " + a.ifname + " name renamed0");
	rx.ip("link set dev renamed0 up");
	/* Down, it lost its IPv6 address; and up it may take a moment. */
	CHECK(eventually([&] { return udp_transfer(a.wire->tx, rx, Wire::RX_IP4, 1) == 1; }));
	CHECK(udp_transfer(a.wire->tx, rx, Wire::RX_IP4, 50) == 50);

	Json status = a.host.json(rx, { "status", "renamed0" });
	CHECK(status.text("/interfaces/0/interface") == "renamed0");
	CHECK(eventually([&] { return a.host.stat(rx, "renamed0", "packets") >= 50; }));
	CHECK(a.host.rxaqm(rx, { "policy", "set", "renamed0", "target=3ms" }).exit_code == 0);
	CHECK(a.host.rxaqm(rx, { "detach", a.ifname }).exit_code == 4);
	CHECK(a.host.rxaqm(rx, { "detach", "renamed0" }).exit_code == 0);
	CHECK(xdp_on(rx, "renamed0") == 0);
	CHECK(a.host.gone());
}

TEST_CASE("lifecycle: an interface deleted while attached leaves nothing behind",
	  "[lifecycle][oldest]")
{
	Attached a(GENERATE("native", "generic"));
	Netns &rx = a.wire->rx;

	rx.ip("link delete " + a.ifname);
	Result status = a.host.rxaqm(rx, { "status", "--all" });
	CAPTURE(status.text());
	CHECK(status.exit_code == 0);
	CHECK(status.out.find("taken off; detach") == std::string::npos);
	CHECK(a.host.rxaqm(rx, { "status", "--all", a.ifname }).exit_code == 4);
	CHECK(a.host.rxaqm({ "detach", "--all" }).exit_code == 0);
	CHECK(a.host.gone());
}

TEST_CASE("lifecycle: what is said of a deleted interface can be done", "[lifecycle]")
{
	Host host;
	Netns netns;

	/* Without the dispatcher, the program is gone with its interface. */
	netns.ip("link add gone0 type veth peer name gone1");
	netns.ip("link add stay0 type veth peer name stay1");
	REQUIRE(host.rxaqm(netns, { "attach", "gone0", "-m", "generic" }).exit_code == 0);
	netns.ip("link delete gone0");
	std::string trouble = host.json(netns, { "status" }).text("/interfaces/0/trouble");
	CHECK(trouble ==
	      "the interface is gone; the next attach, or detach --all, frees its place");
	CHECK(host.rxaqm(netns, { "detach", "gone0" }).exit_code == 4);
	REQUIRE(host.rxaqm(netns, { "attach", "stay0" }).exit_code == 0);
	CHECK(host.json(netns, { "status" }).size("/interfaces") == 1);
}

TEST_CASE("lifecycle: of an interface attached elsewhere is told that it is elsewhere",
	  "[lifecycle]")
{
	Host host;
	Netns there, here;

	there.ip("link add p0 type veth peer name p1");
	REQUIRE(host.rxaqm(there, { "attach", "p0" }).exit_code == 0);
	for (const Args &args :
	     { Args{ "detach", "p0" }, Args{ "policy", "set", "p0", "target=3ms" },
	       Args{ "policy", "show", "p0" }, Args{ "status", "p0" }, Args{ "hist", "p0" } }) {
		Result result = host.rxaqm(here, args);

		CAPTURE(result.text());
		CHECK(result.exit_code == 4);
		CHECK(result.err.find("not attached to \"p0\" in this network namespace, but in "
				      "another; use --netns NAME") != std::string::npos);
		CHECK(host.rxaqm(here, { args[0] == "policy" ? "hist" : args[0], "q0" })
			      .err.find("another") == std::string::npos);
	}
}

TEST_CASE("lifecycle: an interface deleted and made anew can be attached", "[lifecycle]")
{
	Attached a;
	Netns &rx = a.wire->rx;

	rx.ip("link delete " + a.ifname);
	rx.ip("link add " + a.ifname + " type veth peer name other0");
	rx.ip("link set dev " + a.ifname + " up");
	Result attached = a.host.rxaqm(rx, { "attach", a.ifname });
	CAPTURE(attached.text());
	REQUIRE(attached.exit_code == 0);
	CHECK(xdp_on(rx, a.ifname));
	CHECK(Json(a.host.rxaqm(rx, { "status", "-j" }).out).size("/interfaces") == 1);
	CHECK(a.host.rxaqm(rx, { "detach", a.ifname }).exit_code == 0);
	CHECK(a.host.gone());
}

TEST_CASE("lifecycle: the deleted one's place is taken over by the next attach", "[lifecycle]")
{
	Attached a;

	a.wire->rx.ip("link delete " + a.ifname); /* takes the peer along */
	for (int i = 0; i < 3; i++) {
		a.wire->rx.ip("link add again0 type veth peer name again1");
		REQUIRE(a.host.rxaqm(a.wire->rx, { "attach", "again0" }).exit_code == 0);
		CHECK(Json(a.host.rxaqm(a.wire->rx, { "status", "-j" }).out).size("/interfaces") ==
		      1);
		a.wire->rx.ip("link delete again0");
	}
}

TEST_CASE("lifecycle: an interface moved to another namespace is found there", "[lifecycle]")
{
	Attached a(GENERATE("native", "generic"));
	Netns other;

	a.wire->rx.ip("link set dev " + a.ifname + " netns " + other.name());
	bool kept = xdp_on(other, a.ifname) != 0;
	CAPTURE(kept);
	Result status = a.host.rxaqm(other, { "status", "--all", a.ifname });
	CAPTURE(status.text());
	if (kept) {
		CHECK(status.exit_code == 0);
		CHECK(a.host.rxaqm(a.wire->rx, { "status", "--all", a.ifname }).exit_code == 4);
		other.ip("address add 10.77.0.2/24 dev " + a.ifname);
		other.ip("link set dev " + a.ifname + " up");
		CHECK(udp_transfer(a.wire->tx, other, Wire::RX_IP4, 50) == 50);
		CHECK(a.host.rxaqm(other, { "detach", a.ifname }).exit_code == 0);
	} else {
		/* The kernel took the program off on the way. */
		CHECK(status.exit_code == 4);
		CHECK(a.host.rxaqm({ "detach", "--all" }).exit_code == 0);
	}
	CHECK(xdp_on(other, a.ifname) == 0);
	CHECK(a.host.gone());
}

TEST_CASE("lifecycle: --all finds an interface that was moved", "[lifecycle]")
{
	Attached a;
	Netns other;

	a.wire->rx.ip("link set dev " + a.ifname + " netns " + other.name());
	Result result = a.host.rxaqm({ "detach", "--all" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(xdp_on(other, a.ifname) == 0);
	CHECK(a.host.gone());
}

TEST_CASE("lifecycle: a namespace deleted while attached leaves nothing behind",
	  "[lifecycle][oldest]")
{
	Attached a;
	bool with_other = GENERATE(false, true);

	CAPTURE(with_other);
	if (with_other) {
		Netns second;

		second.ip("link add sec0 type veth peer name sec1");
		REQUIRE(a.host.rxaqm(second, { "attach", "sec0" }).exit_code == 0);
		a.wire.reset();
		Result status = a.host.rxaqm(second, { "status", "--all" });
		CAPTURE(status.text());
		CHECK(status.exit_code == 0);
		CHECK(a.host.rxaqm(second, { "detach", "sec0" }).exit_code == 0);
	} else {
		a.wire.reset();
	}
	Result all = a.host.rxaqm({ "detach", "--all" });
	CAPTURE(all.text());
	CHECK(all.exit_code == 0);
	CHECK(a.host.gone());
}

TEST_CASE("lifecycle: XDP taken off behind rxaqm's back is told, and mended", "[lifecycle]")
{
	Attached a;
	Netns &rx = a.wire->rx;

	xdp_off(rx, a.ifname);
	CHECK(all_traffic(*a.wire) == "");
	Json status = a.host.json(rx, { "status" });
	CHECK(status.text("/interfaces/0/trouble").find("was taken off") != std::string::npos);

	SECTION("by detach")
	{
		CHECK(a.host.rxaqm(rx, { "detach", a.ifname }).exit_code == 0);
		CHECK(a.host.gone());
	}
	SECTION("by attach")
	{
		Result result = a.host.rxaqm(rx, { "attach", a.ifname });
		CAPTURE(result.text());
		CHECK(result.exit_code == 0);
		CHECK(xdp_on(rx, a.ifname));
		Json after = a.host.json(rx, { "status" });
		CHECK(after.size("/interfaces") == 1);
		CHECK_FALSE(after.has("/interfaces/0/trouble"));
		CHECK(a.host.rxaqm(rx, { "detach", a.ifname }).exit_code == 0);
		CHECK(a.host.gone());
	}
	SECTION("by detach --all")
	{
		CHECK(a.host.rxaqm({ "detach", "--all" }).exit_code == 0);
		CHECK(a.host.gone());
	}
	CHECK(all_traffic(*a.wire) == "");
}

TEST_CASE("lifecycle: a foreign XDP program is neither replaced nor harmed", "[lifecycle]")
{
	Host host;
	Wire wire;
	uint32_t foreign = put_foreign_xdp(wire.rx, wire.rx_if);
	Result result = host.rxaqm(wire.rx, { "attach", wire.rx_if });

	CAPTURE(result.text());
	CHECK(result.exit_code == 1);
	CHECK(result.out == "");
	CHECK(result.err.find("\"foreign\", id " + std::to_string(foreign)) != std::string::npos);
	CHECK(result.err.find("ip link set dev " + wire.rx_if + " xdp off") != std::string::npos);
	CHECK(xdp_on(wire.rx, wire.rx_if) == foreign);
	CHECK(host.gone());
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 4);
	CHECK(host.rxaqm({ "detach", "--all" }).exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) == foreign);

	/* The remedy it names helps. */
	xdp_off(wire.rx, wire.rx_if);
	CHECK(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
}

TEST_CASE("lifecycle: a foreign program put in our place survives our detach",
	  "[lifecycle][oldest]")
{
	Attached a;

	xdp_off(a.wire->rx, a.ifname);
	uint32_t foreign = put_foreign_xdp(a.wire->rx, a.ifname);
	Result again = a.host.rxaqm(a.wire->rx, { "attach", a.ifname });
	CAPTURE(again.text());
	CHECK(again.exit_code == 1);
	CHECK(xdp_on(a.wire->rx, a.ifname) == foreign);
	CHECK(a.host.rxaqm({ "detach", "--all" }).exit_code == 0);
	CHECK(xdp_on(a.wire->rx, a.ifname) == foreign);
	CHECK(a.host.gone());
}

TEST_CASE("lifecycle: many interfaces, attached and detached in any order", "[lifecycle]")
{
	Host host;
	Netns netns;

	for (int i = 0; i < 6; i++) {
		std::string n = std::to_string(i);

		netns.ip("link add m" + n + " numrxqueues 3 numtxqueues 3 type veth peer name p" +
			 n + " numrxqueues 3 numtxqueues 3");
		REQUIRE(host.rxaqm(netns, { "attach", "m" + n }).exit_code == 0);
	}
	for (int i : { 1, 4, 2 })
		REQUIRE(host.rxaqm(netns, { "detach", "m" + std::to_string(i) }).exit_code == 0);
	CHECK(Json(host.rxaqm(netns, { "status", "-j" }).out).size("/interfaces") == 3);
	/* Their places are used again, and policies do not get mixed up. */
	REQUIRE(host.rxaqm(netns, { "attach", "m4", "target=7ms" }).exit_code == 0);
	for (int i : { 0, 3, 4, 5 }) {
		int64_t target = host.status_number(netns, "m" + std::to_string(i),
						    "/queues/2/target_ns");

		CAPTURE(i);
		CHECK(target == (i == 4 ? 7000000 : 500000));
	}
}
