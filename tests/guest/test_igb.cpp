// SPDX-License-Identifier: GPL-2.0-only
/* A driver of real hardware: igb, on two 82576 of QEMU's that share a wire. They stamp PTP
 * packets only, so queues are known by NAPI polls.
 */
#include <catch2/catch_test_macros.hpp>

#include <filesystem>

#include "guest.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

namespace
{

struct Igb {
	Host host;
	std::unique_ptr<Wire> wire;

	Igb()
	{
		wire = wire_of("igb");
		for (const char *what : { "-L IF combined 2", "-G IF rx 4096" }) {
			std::string command = "ethtool " + std::string(what);

			command.replace(command.find("IF"), 2, wire->rx_if);
			wire->rx.shell(command);
		}
		await_carrier();
	}
	/* Resetting an igb takes its link down for a moment. */
	void await_carrier() const
	{
		const Netns &rx = wire->rx, &tx = wire->tx;

		REQUIRE(eventually(
			[&] {
				return rx.ip("-br link show dev " + wire->rx_if).find(" UP ") !=
					       std::string::npos &&
				       tx.ip("-br link show dev " + wire->tx_if).find(" UP ") !=
					       std::string::npos;
			},
			20s));
		REQUIRE(eventually([&] { return udp_transfer(tx, rx, Wire::RX_IP4, 1) == 1; },
				   20s));
	}
	void attach() const
	{
		Result result = host.rxaqm(wire->rx, { "attach", wire->rx_if });

		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
		await_carrier();
	}
};

} // namespace

TEST_CASE("igb: attached in native mode with its profile, rings and queues", "[igb]")
{
	in_guest();
	Igb igb;

	igb.attach();
	Json status = igb.host.json(igb.wire->rx, { "status" });
	CHECK(status.text("/interfaces/0/mode") == "native");
	CHECK(status.flag("/interfaces/0/dispatcher"));
	CHECK(status.text("/interfaces/0/profile").compare(0, 3, "igb") == 0);
	CHECK(status.number("/interfaces/0/nr_queues") == 2);
	CHECK(status.number("/interfaces/0/ring_entries") == 4096);
	/* It cannot stamp all packets, so none are waited for. */
	CHECK(status.text("/interfaces/0/stamp") == "none");
	CHECK_FALSE(status.has("/interfaces/0/trouble"));
}

TEST_CASE("igb: all traffic passes and is counted, polls and all", "[igb]")
{
	in_guest();
	Igb igb;
	const Netns &rx = igb.wire->rx;
	const std::string &ifname = igb.wire->rx_if;

	igb.attach();
	int64_t before = igb.host.stat(rx, ifname, "packets");
	CHECK(udp_transfer(igb.wire->tx, rx, Wire::RX_IP4, 300) == 300);
	int64_t counted = igb.host.stat(rx, ifname, "packets") - before;
	CHECK(counted >= 300);
	CHECK(counted <= 320);
	CHECK(igb.host.stat(rx, ifname, "polls_drained") > 100);
	CHECK(igb.host.stat(rx, ifname, "polls_lost") == 0);
	CHECK(all_traffic(*igb.wire).empty());
}

TEST_CASE("igb: top and clock have something to say, detach leaves it as it was", "[igb]")
{
	in_guest();
	Igb igb;
	const Netns &rx = igb.wire->rx;
	const std::string &ifname = igb.wire->rx_if;

	set_hwtstamp(rx, ifname, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_PTP_V2_EVENT);
	struct hwtstamp_config before = hwtstamp_of(rx, ifname);
	CHECK(before.rx_filter == HWTSTAMP_FILTER_PTP_V2_EVENT);
	igb.attach();
	{
		Background traffic(*igb.wire);
		Result top = igb.host.rxaqm(rx, { "top", ifname, "-n", "2", "-i", "500ms" });

		CAPTURE(top.text());
		CHECK(top.exit_code == 0);
		CHECK(lines_with(top.out, ifname) >= 2);
	}
	Result clock = igb.host.rxaqm(rx, { "clock", ifname });
	CAPTURE(clock.text());
	CHECK(clock.exit_code == 0);
	CHECK(hwtstamp_of(rx, ifname).rx_filter == before.rx_filter);

	Result detach = igb.host.rxaqm(rx, { "detach", ifname });
	CAPTURE(detach.text());
	CHECK(detach.exit_code == 0);
	CHECK(detach.err.empty());
	CHECK(hwtstamp_of(rx, ifname).rx_filter == before.rx_filter);
	CHECK(xdp_on(rx, ifname) == 0);
	CHECK(igb.host.gone());
	igb.await_carrier();
}

TEST_CASE("igb: it has a clock of its own", "[igb]")
{
	in_guest();
	Igb igb;

	CHECK(std::filesystem::exists("/dev/ptp0"));
	CHECK(igb.wire->rx.shell("ethtool -T " + igb.wire->rx_if).find("ptpv2-event") !=
	      std::string::npos);
}
