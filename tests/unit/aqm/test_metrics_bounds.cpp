// SPDX-License-Identifier: GPL-2.0-only
/* How large a page of metrics becomes, and that nothing in the maps can break it. */
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <random>

#include "metrics_maps.hpp"

TEST_CASE("metrics: queues are added up when they are not shown one by one", "[metrics]")
{
	Maps maps;
	unsigned slot = maps.attach("eth0", 4);

	for (unsigned i = 0; i < 4; i++) {
		maps.queue(slot, i).stat[RXAQM_STAT_PACKETS] = 10 + i;
		maps.queue(slot, i).hist[i] = 2;
		maps.policy(slot, i).mode = i ? RXAQM_MODE_ENFORCE : RXAQM_MODE_OBSERVE;
		maps.policy(slot, i).target_ns = (i + 1) * RXAQM_NSEC_PER_MSEC;
	}
	maps.view().by_interface = true;
	Exposition page = maps.page();
	CHECK(page.value("rxaqm_rx_packets_total", { { "queue", "all" } }) == 46);
	CHECK(page.value("rxaqm_rx_sojourn_seconds_count") == 8);
	CHECK(page.value("rxaqm_rx_mode", { { "mode", "enforce" } }) == 3);
	CHECK(page.value("rxaqm_rx_mode", { { "mode", "observe" } }) == 1);
	CHECK(page.value("rxaqm_rx_target_seconds") == 0.004);
}

TEST_CASE("metrics: the number of series has a bound", "[metrics]")
{
	Maps maps;

	/* As many as the maps hold: 256 interfaces, 4096 queues. */
	for (unsigned i = 0; i < RXAQM_MAX_IFACES; i++)
		maps.attach("eth" + std::to_string(i), RXAQM_MAX_QUEUES / RXAQM_MAX_IFACES);
	for (unsigned i = 0; i < RXAQM_MAX_QUEUES; i++) {
		maps.queue(0, i).flags |= RXAQM_QUEUE_SOCKET;
		maps.wait(0, i).updated_ns = maps.view().now_ns;
	}
	maps.queue(0, 0).stat[RXAQM_STAT_PACKETS] = 3;
	maps.queue(255, 0).stat[RXAQM_STAT_PACKETS] = 4;
	maps.queue(255, 15).stat[RXAQM_STAT_PACKETS] = 5;
	std::string text = maps.text();
	Exposition page(text);

	CHECK(page.find("rxaqm_rx_packets_total").size() ==
	      RXAQM_METRICS_QUEUES_MAX + 256 - RXAQM_METRICS_QUEUES_MAX / 16);
	CHECK(page.value("rxaqm_rx_packets_total", { { "interface", "eth0" }, { "queue", "0" } }) ==
	      3);
	CHECK(page.value("rxaqm_rx_packets_total", { { "interface", "eth255" } }) == 9);
	CHECK(page.find("rxaqm_rx_packets_total", { { "interface", "eth255" } })[0].labels.at(
		      "queue") == "all");
	size_t series = 0;
	for (const Family &family : page.families())
		series += family.samples.size();
	/* docs/fleet.md states these. */
	CHECK(series <= 45000);
	CHECK(text.size() <= 7 << 19);
}

TEST_CASE("metrics: queues of a large interface appear once they are polled", "[metrics]")
{
	Maps maps;
	unsigned slot = maps.attach("eth0", 16);

	for (unsigned i = 0; i < 16; i++)
		if (i != 3)
			maps.queue(slot, i).flags &= ~RXAQM_QUEUE_POLLED;
	CHECK(maps.page().find("rxaqm_rx_packets_total").size() == 1);
	CHECK(maps.page().value("rxaqm_rx_packets_total", { { "queue", "3" } }) == 0);
	CHECK(maps.page().value("rxaqm_interface_queues") == 16);
}

TEST_CASE("metrics: whatever the maps hold, the page keeps the rules", "[metrics]")
{
	std::mt19937_64 random(4);

	for (int round = 0; round < 20; round++) {
		Maps maps;

		for (unsigned slot = 0; slot < 3; slot++) {
			unsigned nr = 1 + unsigned(random() % 40);

			maps.attach("eth" + std::to_string(slot), nr);
			for (unsigned i = 0; i < nr; i++) {
				auto *bytes = reinterpret_cast<unsigned char *>(
					&maps.queue(slot, i));

				for (size_t at = 0; at < sizeof(rxaqm_queue); at++)
					bytes[at] = (unsigned char)random();
				/* Counts that a queue reaches in its life. */
				for (__u64 &n : maps.queue(slot, i).hist)
					n >>= 40;
				for (__u64 &n : maps.queue(slot, i).stat)
					n >>= 16;
			}
			auto *clock = reinterpret_cast<unsigned char *>(&maps.clock(slot));
			for (size_t at = 0; at < sizeof(rxaqm_clock_entry); at++)
				clock[at] = (unsigned char)random();
			maps.iface(slot).stamp = RXAQM_STAMP_TSTAMP;
		}
		maps.view().by_interface = round % 2;
		CHECK_NOTHROW(maps.page());
	}
}
