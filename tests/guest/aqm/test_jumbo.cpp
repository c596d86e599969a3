// SPDX-License-Identifier: GPL-2.0-only
/* Jumbo frames: an attached program loses none, or rxaqm says so, and what helps. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "guest.hpp"
#include "jumbo.hpp"
#include "traffic.hpp"

namespace
{

struct Jumbo {
	Host host;
	std::unique_ptr<Wire> wire;

	explicit Jumbo(const std::string &driver)
	{
		in_guest();
		wire = driver == "veth" ? std::make_unique<Wire>() : wire_of(driver);
		set_mtu(*wire, 1500);
	}
	~Jumbo()
	{
		filter("unload");
		host.rxaqm(wire->rx, { "detach", wire->rx_if });
		set_mtu(*wire, 1500);
	}
	Result rxaqm(Args args) const
	{
		args.insert(args.begin() + 1, wire->rx_if);
		return host.rxaqm(wire->rx, args);
	}
	void must_rxaqm(const Args &args) const
	{
		Result result = rxaqm(args);

		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
	}
	/* Buffers that virtio_net posted before attach have no room for a program, and lose the
	 * frames that fill them: at most one ring (mergeable_xdp_get_buf()). Small frames pass. So
	 * use them up.
	 */
	void use_up_buffers() const
	{
		CHECK(udp_transfer(wire->tx, wire->rx, Wire::RX_IP4, 300) == 300);
	}
	/* Run @args in the receiver's namespace, with rxaqm's view of the file systems. */
	Result in_wire(Args args) const
	{
		args.insert(args.begin(), { "nsenter", "--net=/run/netns/" + wire->rx.name() });
		return run(args, host.with_environment());
	}
	Result filter(const std::string &what) const
	{
		return in_wire({ "xdp-filter", what, wire->rx_if });
	}
	/* What status and check say of too large frames, "" if nothing: both must say the same. */
	std::string said() const
	{
		const Json status = host.json(wire->rx, { "status" });
		const Result check = rxaqm({ "check", "-i", "100ms" });
		const std::string start = "frames over an MTU of";
		std::string note;

		for (size_t i = 0; i < status.size("/interfaces/0/notes"); i++) {
			const std::string at = "/interfaces/0/notes/" + std::to_string(i);

			if (status.text(at).find(start) == 0)
				note = status.text(at);
		}
		CAPTURE(check.text(), note);
		CHECK(check.exit_code == (note.empty() ? 0 : 2));
		CHECK((check.out.find(start) != std::string::npos) == !note.empty());
		CHECK((note.empty() || check.out.find(note) != std::string::npos));
		return note;
	}
	std::string dispatcher() const
	{
		return host.json(wire->rx, { "status" }).text("/interfaces/0/xdp_mode") +
		       (host.json(wire->rx, { "status" }).flag("/interfaces/0/dispatcher") ?
				" by dispatcher" :
				"");
	}
};

} // namespace

TEST_CASE("jumbo: frames of 8000 bytes arrive, the MTU set before or after attach", "[jumbo]")
{
	const std::string driver = GENERATE("veth", "virtio_net");
	const std::string mode = GENERATE("native", "generic");
	Jumbo j(driver);

	CAPTURE(driver, mode);
	/* virtio_net gives programs fragmented packets since 6.3. */
	if (driver == "virtio_net" && mode == "native" && kernel_version() < 603)
		return;
	j.must_rxaqm({ "attach", "--mode", mode });
	CHECK(j.dispatcher() == mode + " by dispatcher");
	j.use_up_buffers();
	set_mtu(*j.wire, 9000);
	CHECK(jumbo_traffic(*j.wire) == "");
	CHECK(j.said() == "");
	j.must_rxaqm({ "detach" });
	CHECK(jumbo_traffic(*j.wire) == "");
	j.must_rxaqm({ "attach", "--mode", mode });
	j.use_up_buffers();
	CHECK(jumbo_traffic(*j.wire) == "");
	CHECK(all_traffic(*j.wire) == "");
	CHECK(j.said() == "");
}

/* The largest MTU whose frames fit into a page; rxaqm recommends it. */
static const unsigned PAGE_MTU = 3494;

static bool largest_arrives(const Jumbo &j)
{
	const size_t bytes = PAGE_MTU - 28;

	return udp_transfer(j.wire->tx, j.wire->rx, Wire::RX_IP4, 5, 1, 0, bytes) == 5;
}

TEST_CASE("jumbo: where the driver gives no fragments that is said, and what helps", "[jumbo]")
{
	Jumbo j("virtio_net");

	if (kernel_version() >= 603)
		return;
	j.must_rxaqm({ "attach" });
	CHECK(j.said() == "");
	set_mtu(*j.wire, 9000);
	CHECK(jumbo_traffic(*j.wire) != "");
	const std::string said = j.said();
	CAPTURE(said);
	CHECK(said.find("set an MTU of at most 3494") != std::string::npos);
	CHECK(said.find("attach with --mode generic") != std::string::npos);

	set_mtu(*j.wire, PAGE_MTU);
	CHECK(j.said() == "");
	CHECK(largest_arrives(j));
	j.must_rxaqm({ "detach" });
	set_mtu(*j.wire, 9000);
	Result refused = j.rxaqm({ "attach" });
	CAPTURE(refused.text());
	CHECK(refused.exit_code == 3);
	CHECK(refused.err.find("--mode generic") != std::string::npos);
	j.must_rxaqm({ "attach", "--mode", "generic" });
	CHECK(jumbo_traffic(*j.wire) == "");
	CHECK(j.said() == "");
}

/* xdp-filter's programs take no fragments. */
TEST_CASE("jumbo: what a second program without fragments costs is said, and what helps", "[jumbo]")
{
	Jumbo j("virtio_net");

	if (kernel_version() < 603)
		return;
	j.must_rxaqm({ "attach" });
	j.use_up_buffers();
	REQUIRE(j.filter("load").exit_code == 0);
	CHECK(j.said() == "");
	set_mtu(*j.wire, 9000);
	CHECK(jumbo_traffic(*j.wire) != "");
	const std::string said = j.said();
	CAPTURE(said);
	CHECK(said.find("another program") != std::string::npos);
	CHECK(said.find("xdp-loader status") != std::string::npos);
	CHECK(said.find("MTU of at most 3494") != std::string::npos);

	set_mtu(*j.wire, PAGE_MTU);
	CHECK(j.said() == "");
	CHECK(largest_arrives(j));
	set_mtu(*j.wire, 9000);
	CHECK(j.said() == said);
	REQUIRE(j.filter("unload").exit_code == 0);
	CHECK(jumbo_traffic(*j.wire) == "");
	CHECK(j.said() == "");
}

TEST_CASE("jumbo: attach beside a program without fragments says what keeps it out", "[jumbo]")
{
	const std::string driver = GENERATE("veth", "virtio_net");
	Jumbo j(driver);

	CAPTURE(driver);
	if (driver == "virtio_net") {
		REQUIRE(j.filter("load").exit_code == 0);
		set_mtu(*j.wire, 9000);
		Result refused = j.rxaqm({ "attach" });
		CAPTURE(refused.text());
		CHECK(refused.exit_code == 3);
		CHECK(refused.err.find("MTU of 3494") != std::string::npos);
		CHECK(refused.err.find("unload it") != std::string::npos);
		set_mtu(*j.wire, PAGE_MTU);
	} else {
		REQUIRE(j.filter("load").exit_code == 0);
	}
	j.must_rxaqm({ "attach" });
	CHECK(j.said() == "");
	CHECK(all_traffic(*j.wire) == "");
	REQUIRE(j.filter("unload").exit_code == 0);
	CHECK(all_traffic(*j.wire) == "");
	/* Some kernels' veth keeps the limit of the first program, 6.12.95's and not 6.12.117's. */
	const Json link(
		must({ "ip", "-n", j.wire->tx.name(), "-d", "-j", "link", "show", j.wire->tx_if }));
	const bool fragments = driver == "veth" || kernel_version() >= 603;
	set_mtu(*j.wire, fragments && link.number("/0/max_mtu") >= 9000 ? 9000 : PAGE_MTU);
	CHECK(j.said() == "");
}

TEST_CASE("jumbo: a dispatcher as former versions loaded it is told, and attached anew", "[jumbo]")
{
	const std::string library = "/tmp/no_frags.so";
	RunOptions former;
	Jumbo j("virtio_net");

	if (kernel_version() < 603)
		return;
	/* libxdp uses this setting and the program's flags: preload a library that ignores both. */
	must({ "sh", "-c",
	       "echo 'int xdp_program__set_xdp_frags_support(void *p, int f) { return 0; }"
	       " int bpf_program__set_flags(void *p, unsigned f) { return 0; }' |"
	       "gcc -w -shared -fPIC -x c -o " +
		       library + " -" });
	former.environment = { "LD_PRELOAD=" + library };
	REQUIRE(j.host.rxaqm(j.wire->rx, { "attach", j.wire->rx_if }, former).exit_code == 0);
	j.use_up_buffers();
	set_mtu(*j.wire, 9000);
	CHECK(jumbo_traffic(*j.wire) != "");
	const std::string said = j.said();
	CAPTURE(said);
	CHECK(said.find("detach, and attach again") != std::string::npos);
	j.must_rxaqm({ "detach" });
	j.must_rxaqm({ "attach" });
	j.use_up_buffers();
	CHECK(jumbo_traffic(*j.wire) == "");
	CHECK(j.said() == "");
}
