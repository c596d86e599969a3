// SPDX-License-Identifier: GPL-2.0-only
/* A driver of real hardware: igb, on two 82576 of QEMU's that share a wire. They stamp only PTP
 * packets, so the signal is polls (busy).
 */
#include <catch2/catch_test_macros.hpp>

#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "afxdp.hpp"
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
	void await_link() const
	{
		REQUIRE(eventually(
			[&] {
				return wire->rx.ip("-br link show dev " + wire->rx_if)
						       .find(" UP ") != std::string::npos &&
				       wire->tx.ip("-br link show dev " + wire->tx_if)
						       .find(" UP ") != std::string::npos;
			},
			20s));
	}
	void await_carrier() const
	{
		await_link();
		REQUIRE(eventually(
			[&] { return udp_transfer(wire->tx, wire->rx, Wire::RX_IP4, 1) == 1; },
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

/* The sum of figure @name over both queues in all that "rxaqm-xsk --json" printed. */
int64_t total(const std::string &said, const std::string &name)
{
	std::istringstream lines(said);
	int64_t sum = 0;

	for (std::string line; std::getline(lines, line);)
		for (const char *queue : { "/queues/0/", "/queues/1/" })
			sum += Json(line).number(queue + name);
	return sum;
}

} // namespace

TEST_CASE("igb: attached in native mode with its profile, rings and queues", "[igb]")
{
	in_guest();
	Igb igb;

	igb.attach();
	Json status = igb.host.json(igb.wire->rx, { "status" });
	CHECK(status.text("/interfaces/0/xdp_mode") == "native");
	CHECK(status.flag("/interfaces/0/dispatcher"));
	CHECK(status.text("/interfaces/0/profile").compare(0, 3, "igb") == 0);
	CHECK(status.number("/interfaces/0/nr_queues") == 2);
	CHECK(status.number("/interfaces/0/ring_entries") == 4096);
	/* It cannot stamp all packets, so no stamps are expected. */
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

TEST_CASE("igb: top has something to say, detach leaves it as it was", "[igb]")
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
	CHECK(hwtstamp_of(rx, ifname).rx_filter == before.rx_filter);

	Result detach = igb.host.rxaqm(rx, { "detach", ifname });
	CAPTURE(detach.text());
	CHECK(detach.exit_code == 0);
	CHECK(detach.err.find("timestamp") == std::string::npos);
	CHECK(hwtstamp_of(rx, ifname).rx_filter == before.rx_filter);
	CHECK(xdp_on(rx, ifname) == 0);
	CHECK(igb.host.gone());
	igb.await_carrier();
}

/* Interrupt counts since boot still point to the old CPU. */
TEST_CASE("igb: doctor knows to which CPU a queue's interrupts go now", "[igb]")
{
	in_guest();
	Igb igb;
	const std::string &ifname = igb.wire->rx_if;
	/* The interrupt and CPU of the first Rx queue that has an interrupt. */
	auto look = [&] {
		Result result = igb.host.rxaqm(igb.wire->rx,
					       { "doctor", "--time=1s", "--record=-", ifname });
		Json bundle(result.out);
		std::pair<int64_t, int64_t> irq_cpu{ 0, -1 };

		for (int i = 0; !irq_cpu.first; i++) {
			const std::string at = "/after/ifaces/0/queues/" + std::to_string(i) + "/";

			if (!bundle.has(at + "id"))
				break;
			if (!bundle.flag(at + "tx"))
				irq_cpu = { bundle.number(at + "irq"), bundle.number(at + "cpu") };
		}
		return irq_cpu;
	};
	auto [irq, cpu] = look();

	REQUIRE(irq);
	REQUIRE((cpu == 0 || cpu == 1));
	igb.wire->rx.shell("echo " + std::to_string(1 - cpu) + " >/proc/irq/" +
			   std::to_string(irq) + "/smp_affinity_list");
	CHECK(look() == std::pair{ irq, 1 - cpu });
}

TEST_CASE("igb: an interface whose driver is unbound is gone, and check says so", "[igb]")
{
	in_guest();
	Igb igb;
	const std::string driver = "/sys/bus/pci/drivers/igb/";
	std::string device = igb.wire->rx.shell("basename $(readlink -f /sys/class/net/" +
						igb.wire->rx_if + "/device)");

	device.erase(device.find_last_not_of('\n') + 1);
	CAPTURE(device);
	REQUIRE(igb.host.rxaqm(igb.wire->rx, { "attach", igb.wire->rx_if }).exit_code == 0);
	std::ofstream(driver + "unbind") << device << std::flush;
	CHECK(eventually([&] { return !igb.wire->rx.ifindex(igb.wire->rx_if); }));
	Json status = igb.host.json(igb.wire->rx, { "status" });
	CHECK(status.text("/interfaces/0/trouble").find("the interface is gone") == 0);
	Result check = igb.host.rxaqm(igb.wire->rx, { "check", "-i", "100ms" });
	CAPTURE(check.text());
	CHECK(check.exit_code == 2);
	CHECK(check.out.find("is not guarded: the interface is gone") != std::string::npos);
	CHECK(igb.host.rxaqm({ "detach", "--all" }).exit_code == 0);
	CHECK(igb.host.gone());
	/* It returns to the first namespace, for the tests that follow. */
	std::ofstream(driver + "bind") << device << std::flush;
	CHECK(eventually([&] { return std::filesystem::exists(driver + device + "/net"); }));
}

/* The NIC writes into the consumer's memory. Metadata is there, unless rxaqm has noted that this
 * libxdp's dispatcher allows none.
 */
TEST_CASE("igb: zero-copy sockets get all packets, and the stack does afterwards", "[zerocopy]")
{
	in_guest();
	if (kernel_version() < 614)
		SKIP("igb has zero-copy since Linux 6.14");
	Igb igb;
	const std::string &ifname = igb.wire->rx_if;

	igb.attach();
	Child consumer({ build_path("rxaqm-xsk"), "--netns", igb.wire->rx.name(), "--json",
			 "--copy=never", "--queue=0-1", "--seconds=60", ifname },
		       igb.host.with_environment());
	{
		WaitMap consumers(igb.host);

		CHECK(eventually([&] { return consumers[1].pid == unsigned(consumer.pid()); },
				 20s));
	}
	igb.await_link();
	Datagrams datagrams(*igb.wire, 8);
	for (int i = 0; i < 100; i++) {
		datagrams.send(4);
		std::this_thread::sleep_for(10ms);
	}
	CHECK(datagrams.received_by_stack().empty());
	/* In a slow guest the last ones are still in the ring. */
	std::this_thread::sleep_for(2s);
	consumer.kill(SIGTERM);
	Result result = consumer.wait();
	const std::string status = igb.host.rxaqm(igb.wire->rx, { "status", "--all" }).out;
	const int64_t packets = total(result.out, "packets");
	CAPTURE(result.text(), status);
	CHECK(result.exit_code == 0);
	CHECK(packets >= 400);
	const bool none = status.find("note: no metadata") != std::string::npos;
	CHECK(total(result.out, "with_meta") == (none ? 0 : packets));
	CHECK(igb.host.stat(igb.wire->rx, ifname, "redirect") >= 400);

	igb.await_carrier();
	CHECK(all_traffic(*igb.wire).empty());
}
