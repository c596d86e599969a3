// SPDX-License-Identifier: GPL-2.0-only
/* qualify must find out how the simulated NIC was set, without being told. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cmath>
#include <memory>
#include <vector>

#include <unistd.h>

#include "qualify_lab.hpp"

TEST_CASE("the design of completions, by behaviour", "[qualify]")
{
	Lab lab;
	const bool shared = GENERATE_COPY(false, true);

	lab.shell("ethtool --set-priv-flags " + lab.name() + " shared-cq " +
		  (shared ? "on" : "off"));
	const Record record = lab.measure("Q1");
	CHECK(record.words("Q1", "design") == (shared ? "shared" : "split"));
	CHECK(record.words("Q1", "napi") == "joint");
	lab.shell("ethtool --set-priv-flags " + lab.name() + " shared-cq off");
}

TEST_CASE("a NIC whose frames are back before send() returns is as its profile says",
	  "[qualify][82576]")
{
	in_guest();
	Host host;
	const auto wire = wire_of("igb");

	/* While the receiving CPU is held, the peer's interrupts may be held, too. */
	wire->tx.shell("ethtool -G " + wire->tx_if + " tx 4096");
	const Record record = qualify(host, *wire, "Q1,Q19");
	CAPTURE(record.why("Q1"), record.why("Q19"));
	CHECK(record.words("Q1", "design") == "split");
	CHECK(record.words("Q19", "completion").rfind("agrees: ", 0) == 0);
}

TEST_CASE("Tx completions in polls: few if they go first, all that stands if shared",
	  "[qualify][tx]")
{
	Lab lab;
	const bool shared = GENERATE(false, true);

	CAPTURE(shared);
	lab.shell("ethtool --set-priv-flags " + lab.name() + " shared-cq " +
		  (shared ? "on" : "off"));
	lab.shell("ethtool -G " + lab.name() + " rx 512");
	const Record record = lab.measure("Q12");
	CHECK(record.median("Q12", "tx_load") > 0);
	/* Eight polls are waiting. */
	CHECK((record.median("Q12", "tx_load_polls") > 3) == shared);
	CHECK(record.median("Q12", "tx_load_polls") < 12);
	CHECK((record.verdict("Q12") == PASS) == !shared);
	lab.shell("ethtool --set-priv-flags " + lab.name() + " shared-cq off");
}

TEST_CASE("how many rings a NAPI serves", "[qualify][rings]")
{
	Lab lab;
	const int rings = GENERATE(1, 3);

	CAPTURE(rings);
	lab.set("rings_per_napi", rings);
	lab.shell("ethtool -L " + lab.name() + " combined 4");
	const Record record = lab.measure("Q1,Q13");
	CHECK(record.median("Q1", "rings_per_napi") == rings);
	/* About this it says the same as before. */
	CHECK(record.words("Q1", "design") == "split");
	CHECK(record.words("Q13", "known_answer").rfind("match", 0) == 0);
}

TEST_CASE("which packets have stamps", "[qualify]")
{
	Lab lab;

	SECTION("all")
	{
		const Record record = lab.measure("Q2,Q3");
		CHECK(record.words("Q2", "coverage") == "all");
		CHECK(record.median("Q2", "stamped") == 1);
		CHECK(record.median("Q3", "duplicates") == 0);
		CHECK(record.median("Q3", "backward") == 0);
		CHECK(record.median("Q3", "wrap_errors") == 0);
	}
	SECTION("those of PTP only")
	{
		lab.set("stamp_coverage", "ptp");
		const Record record = lab.measure("Q2,Q3,Q4");
		CHECK(record.words("Q2", "coverage") == "ptp");
		CHECK(record.words("Q2", "filter") == "ptp");
		CHECK(record.median("Q2", "stamped") == 0);
		CHECK(record.median("Q2", "stamped_ptp") == 1);
		CHECK(record.median("Q2", "stamped_ptp_udp") == 1);
		CHECK(record.why("Q4").find("needs stamps of all packets") != std::string::npos);
	}
	SECTION("none")
	{
		lab.set("stamp_coverage", "none");
		const Record record = lab.measure("Q2,Q5");
		CHECK(record.words("Q2", "coverage") == "none");
		CHECK(record.words("Q2", "filter") == "none");
		CHECK(record.words("Q5", "source") == "none");
	}
	SECTION("one in five, though all are promised")
	{
		lab.set("stamp_one_in", 5);
		const Record record = lab.measure("Q2");
		CHECK(record.words("Q2", "filter") == "all");
		CHECK(record.words("Q2", "coverage") == "some");
		/* Other packets (IPv6) get some of the stamps. */
		CHECK(std::abs(record.median("Q2", "stamped") - 0.2) < 0.02);
	}
}

TEST_CASE("stamps that come twice", "[qualify]")
{
	Lab lab;

	lab.set("stamp_repeat_one_in", 4);
	const Record record = lab.measure("Q3");
	CHECK(std::abs(record.median("Q3", "duplicates") - 0.25) < 0.01);
	CHECK(record.median("Q3", "backward") == 0);
	CHECK(record.verdict("Q3") == FAIL);
}

TEST_CASE("stamps that are late", "[qualify]")
{
	Lab lab;

	SECTION("none is")
	{
		const Record record = lab.measure("Q4");
		CHECK(record.words("Q4", "stamp_point") == "arrival");
		CHECK(record.median("Q4", "after_xdp") == 0);
		CHECK(record.median("Q4", "stamp_late") < 2e6);
		CHECK(record.verdict("Q4") != FAIL);
	}
	SECTION("none is, but the stamp of the packet before is early")
	{
		lab.set("stamp_repeat_one_in", 2);
		const Record record = lab.measure("Q4");
		CHECK(record.median("Q4", "after_xdp") == 0);
		CHECK(std::abs(record.median("Q4", "stamp_late")) < 2e6);
		CHECK(record.median("Q4", "stamp_to_xdp_idle") < 2e6);
	}
	SECTION("later than XDP")
	{
		lab.set("stamp_late_ns", 5000000);
		const Record record = lab.measure("Q4");
		CHECK(record.median("Q4", "after_xdp") > 0.9);
		CHECK(record.median("Q4", "stamp_late") >=
		      5e6 - record.median("Q4", "clock_error"));
		CHECK(record.median("Q4", "stamp_late") < 7e6);
		CHECK(record.verdict("Q4") == FAIL);
	}
	SECTION("before XDP, but when NAPI polls: what stands in the ring they do not tell")
	{
		lab.set("stamp_at_poll", 1);
		lab.shell("ethtool -C " + lab.name() + " rx-usecs 9000");
		const Record record = lab.measure("Q4,Q8");
		CHECK(record.words("Q4", "stamp_point").rfind("later", 0) == 0);
		CHECK(record.verdict("Q4") == FAIL);
		/* Such stamps are not used. */
		CHECK(record.median("Q8", "latency_idle") >= 8.9e6);
		lab.shell("ethtool -C " + lab.name() + " rx-usecs 0");
	}
}

TEST_CASE("offset, drift and steps of the clock", "[qualify]")
{
	Lab lab;

	SECTION("drift")
	{
		lab.set("phc_drift_ppb", 50000);
		const Record record = lab.measure("Q6,Q7");
		CHECK(std::abs(record.median("Q7", "drift") - 50) <
		      record.error("Q7", "drift") + 0.5);
		CHECK(record.median("Q7", "steps") == 0);
		CHECK(record.has("Q6", "read_best"));
		CHECK(record.median("Q6", "read_failures") == 0);
	}
	SECTION("steps")
	{
		EachSecond step([&lab] { lab.set("phc_step_ns", 3000000); });
		const Record record = lab.measure("Q7");
		CHECK(record.median("Q7", "steps") >= 2);
		CHECK(std::abs(record.median("Q7", "step_largest") - 3e6) < 1e5);
		/* Steps do not count as drift. */
		CHECK(std::abs(record.median("Q7", "drift")) < record.error("Q7", "drift") + 5);
	}
}

TEST_CASE("how many packets a ring holds, and how fast it is drained", "[qualify][xsk]")
{
	Lab lab;

	const int ring = GENERATE(64, 1000);

	lab.shell("ethtool -G " + lab.name() + " rx " + std::to_string(ring));
	lab.set("xdp_cost_ns", 100000);
	const Record first = lab.measure("Q9");
	CHECK(std::abs(first.median("Q9", "depth") - ring) <= 1);
	CHECK(first.median("Q9", "ring_entries") == ring);
	/* Not faster than the cost allows. */
	CHECK(first.median("Q9", "drain_drop") <= 10000);
	CHECK(first.median("Q9", "drain_drop") >= 2000);
}

TEST_CASE("what a packet costs behind XDP is seen behind XDP", "[qualify][xsk]")
{
	Lab lab;

	lab.shell("ethtool -G " + lab.name() + " rx 1000");
	lab.set("rx_cost_ns", 200000);
	const Record record = lab.measure("Q9");
	CHECK(record.median("Q9", "drain_pass") <= 5000);
	CHECK(record.median("Q9", "drain_pass") >= 1000);
	CHECK(record.median("Q9", "drain_drop") > record.median("Q9", "drain_pass"));
}

TEST_CASE("bursts, to one queue and to all", "[qualify][burst]")
{
	Lab lab;
	const bool hashed = GENERATE(true, false);

	CAPTURE(hashed);
	lab.shell("ethtool -G " + lab.name() + " rx 512");
	lab.shell("ethtool -L " + lab.name() + " combined 4");
	/* If all flows go to one queue, only its room counts. */
	lab.set("rx_queue", hashed ? "hash" : "2");
	const Record record = lab.measure("Q10");
	const double one = record.median("Q10", "burst_queue");
	CHECK(one >= 512);
	/* A poll returns its pages at its end. */
	CHECK(record.median("Q10", "buffer_queue") >= 512 * 0.8 - 64);
	CHECK(record.median("Q10", "buffer_queue") <= 512 * 1.2);
	CHECK((record.median("Q10", "burst_all") > 2 * one) == hashed);
}

TEST_CASE("which queue a flow comes by", "[qualify]")
{
	Lab lab;

	lab.shell("ethtool -L " + lab.name() + " combined 4");
	SECTION("as the hash says, whose fields the driver does not tell")
	{
		const Record record = lab.measure("Q13");
		CHECK(record.words("Q13", "known_answer").rfind("match", 0) == 0);
		CHECK(record.median("Q13", "queues") == 4);
		CHECK(record.median("Q13", "table_size") == 128);
		CHECK(record.median("Q13", "spread") < 1.3);
	}
	SECTION("by a table with weights")
	{
		lab.shell("ethtool -X " + lab.name() + " weight 5 1 1 1");
		const Record record = lab.measure("Q13");
		CHECK(record.words("Q13", "known_answer").rfind("match", 0) == 0);
		CHECK(std::abs(record.median("Q13", "spread") - 2.5) < 0.3);
	}
	SECTION("whatever the hash says")
	{
		lab.set("rx_queue", 2);
		const Record record = lab.measure("Q13");
		CHECK(record.words("Q13", "known_answer").rfind("mismatch", 0) == 0);
		CHECK(record.median("Q13", "spread") == 4);
		CHECK(record.verdict("Q13") == FAIL);
	}
}

TEST_CASE("which headers of a tunnel are hashed", "[qualify][tunnel]")
{
	Lab lab;
	const std::string truth = GENERATE("outer", "inner");

	CAPTURE(truth);
	lab.shell("ethtool -L " + lab.name() + " combined 4");
	lab.set("rss_tunnel", truth);
	const Record record = lab.measure("Q13");
	for (const char *figure : { "hash_vxlan", "hash_gre", "hash_ipip" }) {
		CAPTURE(figure);
		CHECK(record.words("Q13", figure).rfind(truth + ":", 0) == 0);
	}
	CHECK(record.median("Q13", "spread_vlan") < 2);
	CHECK(record.median("Q13", "spread_fragment") < 2);
}

TEST_CASE("who counts what was lost", "[qualify]")
{
	Lab lab;
	const int64_t missed = lab.nic_stat("rx_missed");
	const Record record = lab.measure("Q16");

	CHECK(record.median("Q16", "lost") > 0);
	CHECK(double(lab.nic_stat("rx_missed") - missed) >= record.median("Q16", "lost"));
	CHECK(record.median("Q16", "lost_counted") >= 0.999);
	CHECK(record.words("Q16", "counter").find("missed") != std::string::npos);
	CHECK(record.median("Q16", "received_counted") >= 0.999);
}

TEST_CASE("a counter of losses that lies", "[qualify]")
{
	Lab lab;
	const int one_in = GENERATE(0, 4);

	CAPTURE(one_in);
	lab.set("missed_one_in", one_in);
	const Record record = lab.measure("Q16");
	const double lost = record.median("Q16", "lost");
	CHECK(lost > 100);
	CHECK(std::abs(record.median("Q16", "lost_counted") - (one_in ? 1.0 / one_in : 0)) <
	      2 / lost);
	CHECK((record.words("Q16", "counter").find("missed") != std::string::npos) == (one_in > 0));
	CHECK(record.median("Q16", "received_counted") >= 0.999);
	CHECK(record.verdict("Q16") == FAIL);
}

TEST_CASE("a device that takes long to come back", "[qualify]")
{
	Lab lab;
	const int ms = GENERATE(0, 1500);

	CAPTURE(ms);
	lab.set("reset_ms", ms);
	lab.without_addresses();
	const Record record = lab.measure("Q9,Q18");
	for (const char *figure : { "gap_ring", "gap_channels" }) {
		CAPTURE(figure);
		CHECK(record.median("Q9", figure) >= ms * 1e6);
		CHECK(record.median("Q9", figure) - record.error("Q9", figure) < ms * 1e6 + 5e7);
	}
	CHECK(record.words("Q18", "after_flap") == "yes");
	CHECK(record.words("Q18", "after_reset") == "yes");
	CHECK(record.words("Q18", "stats_kept") == "yes");
	CHECK(record.median("Q18", "gap_reset") >= ms * 1e6);
	CHECK(record.median("Q18", "gap_reset") - record.error("Q18", "gap_reset") <
	      ms * 1e6 + 5e7);
	/* Before that the link was down for 50 ms. */
	CHECK(record.median("Q18", "gap_flap") >= ms * 1e6 + 4e7);
	lab.set("reset_ms", 0);
}

TEST_CASE("beside a busy program on each CPU there is no verdict, but its name", "[qualify][busy]")
{
	Lab lab;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	std::vector<std::unique_ptr<Child>> busy;

	for (long i = 0; i < cpus; i++)
		busy.push_back(std::make_unique<Child>(Args{ "taskset", "-c", std::to_string(i),
							     "sh", "-c", "while :; do :; done" }));
	const Record record = lab.measure("Q3,Q8,Q9,Q15");
	for (const char *row : { "Q8", "Q9", "Q15" }) {
		CAPTURE(row, record.why(row));
		CHECK(record.verdict(row) == "unknown");
		CHECK(record.why(row).find("another program (sh) had CPU ") != std::string::npos);
	}
	/* The stamps are unchanged. */
	CHECK(record.verdict("Q3") == PASS);
}

TEST_CASE("moderation, and the floor without it", "[qualify]")
{
	Lab lab;

	lab.shell("ethtool -C " + lab.name() + " rx-usecs 9000");
	const Record record = lab.measure("Q8");
	CHECK(record.median("Q8", "moderation") == 9e6);
	CHECK(record.median("Q8", "latency_idle") >= 8.9e6);
	CHECK(record.median("Q8", "floor") < 8.9e6);
	lab.shell("ethtool -C " + lab.name() + " rx-usecs 0");
}
