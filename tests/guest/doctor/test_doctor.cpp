// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on faults that need a NIC. Each is made on the simulated one, and must be the only
 * cause found. Virtual time (tests/vm/groups), as else the doctor would find the pauses that other
 * load on the machine causes in the guest's CPUs.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include "patient.hpp"

using namespace std::chrono_literals;

TEST_CASE("doctor: a link that is full is no illness", "[doctor]")
{
	in_guest();
	Patient nic(2);

	write_knob(nic.wire->tx_if, "rate_mbps", "50");
	Transfer transfer(nic.wire->tx, nic.rx(), Wire::RX_IP4, 4);
	await_rise(nic, "rx_packets", 2000);
	check_healthy(diagnose(nic));
}

TEST_CASE("doctor: one CPU that receives all the time", "[doctor]")
{
	in_guest();
	const bool threaded = GENERATE(false, true);
	Patient nic(2);

	CAPTURE(threaded);
	if (threaded)
		nic.rx().shell("echo 1 >/sys/class/net/" + nic.name() +
			       "/threaded;"
			       "for pid in $(pgrep napi/" +
			       nic.name() + "-); do taskset -cp 1 $pid; done");
	nic.set("rx_cost_ns", 200000);
	Bursts bursts(nic.wire->tx, Wire::RX_IP4, 16, 2000us);
	await_rise(nic, "rx_missed", 100);
	check_names(diagnose(nic), "rx-cpu-busy", { "nic-ring-overflow" });
}

TEST_CASE("doctor: too few queues, and the CPU of one is full", "[doctor]")
{
	in_guest();
	Patient nic(1);

	nic.set("rx_cost_ns", 200000);
	Bursts bursts(nic.wire->tx, Wire::RX_IP4, 16, 2000us);
	await_rise(nic, "rx_missed", 100);
	check_names(diagnose(nic), "rx-queues-few", { "rx-cpu-busy", "nic-ring-overflow" });
}

TEST_CASE("doctor: all flows in one queue of four", "[doctor]")
{
	in_guest();
	const bool table = GENERATE(true, false);
	Patient nic(4);

	CAPTURE(table);
	if (table)
		nic.rx().shell("ethtool -X " + nic.name() + " weight 0 0 0 1");
	else
		nic.set("rx_queue", 3);
	/* An idle CPU can receive well by one queue. */
	nic.set("rx_cost_ns", 200000);
	Bursts bursts(nic.wire->tx, Wire::RX_IP4, 16, 2000us);
	await_rise(nic, "rx_missed", 100);
	check_names(diagnose(nic), "rx-skew", { "rx-cpu-busy", "nic-ring-overflow" });
}

TEST_CASE("doctor: bursts that a ring has no room for", "[doctor]")
{
	in_guest();
	Patient nic(2);

	nic.rx().shell("ethtool -G " + nic.name() + " rx 64");
	nic.set("rx_cost_ns", 200000);
	Bursts bursts(nic.wire->tx, Wire::RX_IP4, 1000, 300ms);
	await_rise(nic, "rx_missed", 1000);
	const int64_t before = nic.nic_stat("rx_missed");
	Diagnosis diagnosis = diagnose(nic);
	const int64_t lost = nic.nic_stat("rx_missed") - before;
	check_names(diagnosis, "nic-ring-overflow");

	/* Each lost packet is counted in several places, but is one loss. */
	CHECK(diagnosis.evidence("nic-ring-overflow", "events") <= double(lost));
}

TEST_CASE("doctor: a foreign XDP program that drops", "[doctor]")
{
	in_guest();
	Patient nic(2);

	put_foreign_xdp(nic.rx(), nic.name(), XDP_DROP);
	Bursts bursts(nic.wire->tx, Wire::RX_IP4, 16, 10ms);
	await_rise(nic, "xdp_drop", 100);
	const int64_t before = nic.nic_stat("xdp_drop");
	Diagnosis diagnosis = diagnose(nic);
	const int64_t dropped = nic.nic_stat("xdp_drop") - before;
	check_names(diagnosis, "xdp-drops");

	CHECK(diagnosis.evidence("xdp-drops", "events") <= double(dropped));
}

TEST_CASE("doctor: Tx completions behind a receive queue that stands", "[doctor]")
{
	in_guest();
	Patient nic(2);

	nic.rx().shell("ethtool --set-priv-flags " + nic.name() + " shared-cq on");
	nic.set("napi_weight", 16);
	nic.attach({ "mode=observe" });
	nic.set("rx_cost_ns", 200000);
	/* The ACKs of what it sends come back and wait with the rest. */
	Transfer transfer(nic.rx(), nic.wire->tx, Wire::TX_IP4, 16);
	Bursts bursts(nic.wire->tx, Wire::RX_IP4, 16, 2000us);
	await_rise(nic, "rx_missed", 100);
	check_names(diagnose(nic), "cq-shared", { "rx-queue-standing" });
}

TEST_CASE("doctor: a program that polls for its packets is no overload", "[doctor]")
{
	in_guest();
	Patient nic(2);
	sockaddr_in address = address_of(Wire::RX_IP4, CLOSED_PORT);
	const timeval patience = { 0, 100000 };
	const int fd = nic.rx().socket(AF_INET, SOCK_DGRAM), us = 50000;

	REQUIRE(!bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)));
	REQUIRE(!setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &us, sizeof(us)));
	REQUIRE(!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)));
	{
		std::atomic<int> received{ 0 };
		Meanwhile reader(
			[&] {
				char data[64];

				if (recv(fd, data, sizeof(data), 0) > 0)
					received++;
			},
			1);
		Bursts bursts(nic.wire->tx, Wire::RX_IP4, 4, 2000us);

		REQUIRE(eventually([&] { return received > 100; }));
		check_healthy(diagnose(nic));
	}
	close(fd);
}
