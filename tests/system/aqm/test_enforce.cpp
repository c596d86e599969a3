// SPDX-License-Identifier: GPL-2.0-only
/* A queue that really stands, and what rxaqm does to it: who is dropped, who is marked, who is not
 * touched, and that it gets shorter.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <thread>

#include "standing.hpp"

using namespace std::chrono_literals;

TEST_CASE("enforce: Not-ECT is dropped, ECT marked, all else untouched, and counted so",
	  "[enforce]")
{
	const std::string signal = GENERATE("busy", "stamp");
	const bool ipv6 = GENERATE(false, true);
	Standing s(signal, { "mode=enforce", "law=codel" });

	CAPTURE(signal, ipv6);
	s.frames.ipv6 = ipv6;
	s.run_until(30000, [&] { return s.lost(NOT_ECT) && s.marked(ECT0) && s.marked(ECT1); });
	CAPTURE(s.host.rxaqm(s.wire.rx, { "status", "--all" }).out);
	/* Else frames may have been lost without rxaqm, and nothing below holds. */
	REQUIRE(s.overflowed() == 0);

	CHECK(s.lost(NOT_ECT) > 0);
	CHECK(s.marked(NOT_ECT) == 0);
	for (FrameKind kind : { ECT0, ECT1 }) {
		CHECK(s.marked(kind) > 0);
		CHECK(s.lost(kind) == 0);
	}
	for (FrameKind kind : { PURE_ACK, ICMP_ECHO, ARP_REQUEST }) {
		CAPTURE(kind);
		CHECK(s.frames.counts[kind].sent > 1000);
		CHECK(s.lost(kind) == 0);
		CHECK(s.marked(kind) == 0);
	}
	for (const FrameCounts &count : s.frames.counts)
		CHECK(count.spoilt == 0);

	CHECK(s.stat("drop") == s.lost(NOT_ECT));
	CHECK(s.stat("ecn_mark") == s.marked(ECT0) + s.marked(ECT1));
	CHECK(s.stat("would_drop") == 0);
	CHECK(s.stat("would_ecn_mark") == 0);
	CHECK(s.stat("ack_drop") == 0);
	CHECK(s.stat("over_ack") > 0);
	CHECK(s.stat("over_exempt") > 0);
	Json status = s.host.json(s.wire.rx, { "status", s.wire.rx_if });
	CHECK(status.text("/interfaces/0/queues/0/signal") == signal);
}

TEST_CASE("enforce: observe counts the same and touches nothing", "[enforce]")
{
	const std::string signal = GENERATE("busy", "stamp");
	Standing s(signal);

	CAPTURE(signal);
	s.run_until(20000, [&] { return s.stat("would_drop") && s.stat("would_ecn_mark"); });
	CAPTURE(s.host.rxaqm(s.wire.rx, { "status", "--all" }).out);
	REQUIRE(s.overflowed() == 0);
	for (const FrameCounts &count : s.frames.counts) {
		CHECK(count.received == count.sent);
		CHECK(count.marked == 0);
		CHECK(count.spoilt == 0);
	}
	CHECK(s.stat("would_drop") > 0);
	CHECK(s.stat("would_ecn_mark") > 0);
	CHECK(s.stat("drop") == 0);
	CHECK(s.stat("ecn_mark") == 0);
}

TEST_CASE("enforce: every ECT packet over ce_threshold is marked", "[enforce]")
{
	Standing s("stamp", { "mode=enforce", "law=codel", "ce_threshold=1ms" });

	s.frames.mix = { NOT_ECT, ECT0 };
	s.run_until(20000, [&] {
		return s.lost(NOT_ECT) && s.marked(ECT0) > s.frames.counts[ECT0].sent * 8 / 10;
	});
	CAPTURE(s.host.rxaqm(s.wire.rx, { "status", "--all" }).out);
	REQUIRE(s.overflowed() == 0);
	CHECK(s.marked(ECT0) > s.frames.counts[ECT0].sent * 8 / 10);
	/* A CPU that was wanted elsewhere may have had a queue before the load, of all kinds. */
	CHECK(s.marked(ECT0) + s.marked(ECT1) == s.stat("ce_mark") + s.stat("ecn_mark"));
	CHECK(s.lost(ECT0) == 0);
	CHECK(s.lost(NOT_ECT) > 0);
}

TEST_CASE("enforce: max_drop=0% drops nothing, exempt ports are not touched by law=codel",
	  "[enforce]")
{
	const auto [setting, law] = GENERATE(
		table<std::string, std::string>({ { "exempt_ports=80", "law=codel" },
						  { "max_drop=0%", "law=codel" },
						  { "max_drop=0%", "law=auto" } }));
	Standing s("busy", { "mode=enforce", "ecn=off", setting, law });

	CAPTURE(setting, law);
	s.frames.run(14000);
	REQUIRE(s.overflowed() == 0);
	for (const FrameCounts &count : s.frames.counts) {
		CHECK(count.received == count.sent);
		CHECK(count.marked == 0);
	}
	CHECK(s.stat("judged") > 1000);
}

/* All of the load is exempt, which is more than a quarter of what the CPU can take. */
TEST_CASE("enforce: by law=auto exempt packets over capacity pay", "[enforce]")
{
	Standing s("busy", { "mode=enforce", "ecn=off", "exempt_ports=80" });
	int64_t lost = 0;

	s.frames.run(14000);
	REQUIRE(s.overflowed() == 0);
	for (const FrameCounts &count : s.frames.counts)
		lost += count.sent - count.received;
	CHECK(lost > 1000);
	/* Of the kernel's own packets some may be dropped, too. */
	CHECK(lost <= s.stat("drop") + s.stat("ack_drop"));
}

TEST_CASE("enforce: a lease that ran out stops all drops", "[enforce]")
{
	Standing s("busy", { "mode=enforce", "ecn=off" });

	s.frames.mix = { NOT_ECT };
	s.set("lease=1ms");
	std::this_thread::sleep_for(20ms);
	s.run_until(10000, [&] { return s.stat("would_drop"); });
	REQUIRE(s.overflowed() == 0);
	CHECK(s.lost(NOT_ECT) == 0);
	CHECK(s.stat("would_drop") > 0);
	s.set("lease=10s");
	s.run_until(10000, [&] { return s.lost(NOT_ECT); });
	CHECK(s.lost(NOT_ECT) > 0);
}

TEST_CASE("enforce: the queue of a responsive sender gets shorter", "[enforce]")
{
	/* Each two of signal, kind and law once. */
	const auto [signal, kind, law] = GENERATE(
		table<std::string, FrameKind, std::string>({ { "busy", NOT_ECT, "law=auto" },
							     { "busy", ECT0, "law=codel" },
							     { "stamp", NOT_ECT, "law=codel" },
							     { "stamp", ECT0, "law=auto" } }));
	Standing s(signal, { law });

	CAPTURE(signal, kind, law);
	s.frames.mix = { kind };
	s.frames.responsive = true;
	/* A sender that shares its CPU makes bursts, and these pass. */
	uint64_t before_ns = s.median_after(20000, [](uint64_t ns) { return ns > 3000000; });
	if (before_ns <= 3000000)
		SKIP("the machine is too busy: no queue stands");
	s.set("mode=enforce");
	s.frames.run(6000);
	uint64_t after_ns = s.median_after(24000,
					   [&](uint64_t ns) { return ns < before_ns * 2 / 3; });

	CAPTURE(s.host.rxaqm(s.wire.rx, { "status", "--all" }).out);
	CHECK(s.overflowed() == 0);
	CHECK(after_ns < before_ns * 2 / 3);
	/* It is kept short, not idle. */
	CHECK(s.frames.counts[kind].received > s.frames.counts[kind].sent / 2);
	/* A target below the floor may not be reached by marks alone (law=auto). */
	if (kind == ECT0 && law == "law=codel")
		CHECK(s.lost(ECT0) == 0);
}

TEST_CASE("enforce: who ignores marks and drops is shed, what is exempt, too", "[enforce]")
{
	Standing s("busy", { "mode=enforce" });
	const std::string law = "/interfaces/0/queues/0/law";
	auto status = [&] { return s.host.json(s.wire.rx, { "status", s.wire.rx_if }); };

	std::string told;

	/* While it goes on, status has the state of the law. */
	bool held = s.while_loaded([&] {
		Json now = status();

		told = s.host.rxaqm(s.wire.rx, { "status", "--all" }).out;
		/* Each frame is of another flow: nobody is known who could be over the limit. */
		return !now.is_null(law + "/limit_pps") && now.number(law + "/limit_pps") > 0 &&
		       now.number(law + "/limit_pps") < now.number(law + "/capacity_pps") &&
		       now.number(law + "/thin_ack_permille") > 200;
	});
	CAPTURE(told);
	CHECK(held);
	CAPTURE(s.host.rxaqm(s.wire.rx, { "status", "--all" }).out);
	REQUIRE(s.overflowed() == 0);
	for (FrameKind kind : { NOT_ECT, ECT0, ECT1 })
		CHECK(s.lost(kind) > 0);
	/* It takes more than a quarter of the CPU; of the kernel's own some may be lost, too. */
	const int64_t exempt = s.lost(ICMP_ECHO) + s.lost(ARP_REQUEST);

	CHECK(exempt > 0);
	CHECK(s.stat("drop") >= s.lost(NOT_ECT) + s.lost(ECT0) + s.lost(ECT1) + exempt);
	CHECK(s.stat("drop") < s.lost(NOT_ECT) + s.lost(ECT0) + s.lost(ECT1) + exempt + 100);
	CHECK(s.stat("drop_ect") == s.lost(ECT0) + s.lost(ECT1));
	CHECK(s.stat("ack_drop") == s.lost(PURE_ACK));
	CHECK(s.stat("drop_syn") == 0);
	/* It is all forgotten an interval or so after the load. */
	s.frames.trickle(20);
	CHECK(status().is_null(law + "/limit_pps"));
	s.set("law=codel");
	s.frames.trickle(20);
	CHECK_FALSE(status().has(law));
	CHECK(status().has("/interfaces/0/queues/0/codel"));
}

TEST_CASE("enforce: who pays is told by address, while somebody asks", "[enforce]")
{
	Standing s("busy", { "mode=enforce" });
	const std::string flows = "/interfaces/0/queues/0/flows";
	std::string lines;

	CHECK_FALSE(s.host.json(s.wire.rx, { "status", s.wire.rx_if }).has(flows));
	std::string said;

	auto over = [&] {
		unsigned long permille = 0;

		for (size_t i = 0; Json(said).has(flows + "/" + std::to_string(i)); i++)
			permille += Json(said).number(flows + "/" + std::to_string(i) +
						      "/drop_share_permille");
		return permille;
	};

	/* They are told as long as the load goes on, and forgotten soon after. */
	CHECK(s.while_loaded([&] {
		lines = s.host.rxaqm(s.wire.rx,
				     { "top", "--flows", "--count=2", "--interval=300ms" })
				.out;
		said = s.host.rxaqm(s.wire.rx, { "status", "-j", s.wire.rx_if }).out;
		/* Both are asked at different times, and need not have the same five; not each of
		 * them has to be over the limit. In the worst of the flood that is less than one a
		 * second, which is told as 0.
		 */
		return over() && Json(said).number(flows + "/0/limit_pps") &&
		       lines.find("% of what is over the limit") != std::string::npos &&
		       Json(said).has(flows + "/0/source") &&
		       lines.find("      " + Json(said).text(flows + "/0/source")) !=
			       std::string::npos;
	}));
	CAPTURE(lines, said);
	Json now(said);
	CHECK(now.number(flows + "/0/pps") > 0);
	CHECK(now.number(flows + "/0/limit_pps") > 0);
	CHECK(over() > 0);
	CHECK(over() <= 1000);
	CHECK(now.size(flows) <= 5);
}

TEST_CASE("enforce: top tells what enforce would do from what is done", "[enforce]")
{
	Standing s("busy", { "mode=observe" });
	std::string said;

	CHECK(s.while_loaded([&] {
		said = s.host.rxaqm(s.wire.rx, { "top", "-j", "-n", "1", "-i", "300ms" }).out;
		return Json(said).real("/queues/0/would") > 0;
	}));
	CAPTURE(said);
	CHECK(Json(said).real("/queues/0/drop") == 0);
	CHECK(Json(said).real("/queues/0/mark") == 0);
}

TEST_CASE("enforce: exempt traffic that holds the queue by law=codel is told", "[enforce]")
{
	Standing s("busy", { "mode=enforce", "law=codel" });

	s.frames.mix = { ICMP_ECHO };
	CHECK(s.while_loaded([&] {
		return s.host.rxaqm(s.wire.rx, { "status", "--all" })
			       .out
			       .find("note: queue 0: exempt traffic holds it over target (100 % of its packets), and "
				     "law=codel cannot help; exempt are ICMP, IGMP, OSPF, VRRP, PTP, all but IP, "
				     "exempt_dscp=cs6,cs7") != std::string::npos;
	}));
	CHECK(s.while_loaded([&] {
		return s.host.rxaqm(s.wire.rx, { "check", "--warn=1ms" })
			       .out.find(
				       "exempt traffic holds it (100 %), law=codel cannot help") !=
		       std::string::npos;
	}));
	CHECK(s.lost(ICMP_ECHO) <= s.overflowed());
	/* What may be dropped is no such case. */
	s.frames.mix = { NOT_ECT };
	s.frames.run(6000);
	CHECK(s.host.rxaqm(s.wire.rx, { "status", "--all" }).out.find("exempt traffic") ==
	      std::string::npos);
}

TEST_CASE("enforce: when the load is gone nothing is dropped any more", "[enforce]")
{
	Standing s("busy", { "mode=enforce" });

	s.frames.run(10000);
	int64_t drops = s.stat("drop"), marks = s.stat("ecn_mark");
	s.frames.trickle(300);
	CHECK(s.stat("drop") == drops);
	CHECK(s.stat("ecn_mark") == marks);
	Json status = s.host.json(s.wire.rx, { "status", s.wire.rx_if });
	CHECK_FALSE(status.flag("/interfaces/0/queues/0/standing"));
}

TEST_CASE("enforce: status tells the simulated NIC's drift", "[enforce]")
{
	Standing s("stamp");

	s.frames.trickle(800);
	Json clock = s.host.json(s.wire.rx, { "status", s.wire.rx_if });
	Result text = s.host.rxaqm(s.wire.rx, { "status" });
	CAPTURE(text.text());
	CHECK(text.out.find("\n  clock: kernel, error at most ") != std::string::npos);
	CHECK(clock.flag("/interfaces/0/clock/valid"));
	CHECK(clock.text("/interfaces/0/clock/source") == "kernel");
	CHECK(clock.real("/interfaces/0/clock/drift_ppm") < -40);
	CHECK(clock.real("/interfaces/0/clock/drift_ppm") > -120);
	CHECK(eventually([&] {
		s.frames.trickle(100);
		return s.host.json(s.wire.rx, { "status", s.wire.rx_if })
			       .number("/interfaces/0/clock/err_ns") < 1000000;
	}));
}
