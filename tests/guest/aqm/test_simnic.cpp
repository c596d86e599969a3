// SPDX-License-Identifier: GPL-2.0-only
/* What rxaqm measures on the simulated NIC, compared with what the NIC knows for certain: sojourn
 * times by each signal, and the clock.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cmath>
#include <cstdlib>
#include <thread>

#include "hints.hpp"
#include "simnic.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

namespace
{

constexpr int64_t TAI_NS = 37000000000, DECADES_NS = 1700000000000000000;

/* Learn the clock, then overload the NIC; the signal must be @signal. Nobody steps the clock: a
 * reset of the estimate is a failure.
 */
Window overloaded(const SimNic &nic, const std::string &signal)
{
	nic.trickle(4000ms);
	nic.overload();
	Window window = loaded(nic, 0, 1s);
	CHECK(nic.stat("clock_resets") == 0);
	CHECK(eventually([&] { return nic.signal() == signal; }));
	return window;
}

/* Without a standing queue nothing is proved. */
void require_stood(const Window &window)
{
	REQUIRE(window.truth.packets > 1000);
	REQUIRE(window.truth.quantile_ns(0.5) > 10e6);
}

void check_overloaded(const SimNic &nic, const std::string &signal)
{
	const int64_t seen = nic.stat("packets"), taken = nic.nic_stat("rx_packets");
	Window window = overloaded(nic, signal);

	/* No packet is missed; some may arrive between the two reads. */
	CHECK(eventually([&] {
		return std::abs((nic.stat("packets") - seen) -
				(nic.nic_stat("rx_packets") - taken)) <= 20;
	}));
	CAPTURE(window.text(), nic.rxaqm({ "status", "--all" }).out);
	require_stood(window);
	CHECK(double(window.packets) > 0.8 * double(window.truth.packets));
	CHECK(window.agrees(500, 0));
	CHECK(window.agrees(990, 1));
	CHECK(nic.stat("judged") > 0);
	CHECK(nic.stat("drop") + nic.stat("ecn_mark") + nic.stat("ce_mark") == 0);
}

/* Clocks that are far apart; once the NIC's is the slower one, once the faster one. */
void set_clock(const SimNic &nic, bool decades)
{
	nic.set("phc_offset_ns", decades ? DECADES_NS : TAI_NS);
	nic.set("phc_drift_ppb", decades ? -100000 : 100000);
}

} // namespace

TEST_CASE("simnic: sojourns by stamps of skbs agree with the truth", "[simnic][skbs]")
{
	in_guest();
	const std::string hook = GENERATE("tp", "kprobe");
	SimNic nic;

	CAPTURE(hook);
	set_clock(nic, hook == "kprobe");
	nic.attach({ "--hook=" + hook, "signal=stamp" });
	check_overloaded(nic, "stamp");
	CHECK(nic.stat("stamp_missing") == 0);
	CHECK(nic.json("status").text("/interfaces/0/profile") == "simnic");
}

TEST_CASE("simnic: sojourns by stamps read in XDP agree with the truth", "[simnic][truth]")
{
	in_guest();
	need_hints();
	SimNic nic;

	set_clock(nic, true);
	nic.attach({ "signal=hint" });
	check_overloaded(nic, "hint");
	CHECK(nic.stat("stamp_missing") == 0);
}

/* busy knows when the ring was last drained and how long a full ring takes; this ring is full. */
TEST_CASE("simnic: stamps of PTP packets only are of no use, but polls tell within a factor of two",
	  "[simnic][busy]")
{
	in_guest();
	SimNic nic;

	nic.set("stamp_coverage", "ptp");
	Result result = nic.rxaqm({ "attach", nic.name() });
	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
	CHECK(result.out.find("stamps: none") != std::string::npos);
	CHECK(result.out.find("can stamp some packets (PTP") != std::string::npos);
	CHECK(result.out.find("acting on busy") != std::string::npos);
	CHECK(hwtstamp_of(nic.rx(), nic.name()).rx_filter == HWTSTAMP_FILTER_NONE);

	nic.trickle(2000ms);
	CHECK(nic.stat("packets") > 100);
	CHECK(nic.stat("judged") == 0);
	CHECK(nic.signal() == "busy");
	Window window = overloaded(nic, "busy");
	CAPTURE(window.text(), nic.rxaqm({ "status", "--all" }).out);
	require_stood(window);
	CHECK(double(window.packets) > 0.8 * double(window.truth.packets));
	CHECK(nic.stat("judged") > 1000);

	const auto [floor_ns, end_ns] = window.bucket_ns(500, 0);
	CHECK((floor_ns + end_ns) / 2 > window.truth.quantile_ns(0.5) / 2);
	CHECK((floor_ns + end_ns) / 2 < window.truth.quantile_ns(0.5) * 2);
}

TEST_CASE("simnic: the estimate of the clock errs by no more than it says", "[simnic][clock]")
{
	in_guest();
	constexpr double DRIFT_PPM = 80;
	/* The estimate is late by the shortest time of an interrupt, which no packet tells on an
	 * idle host; on an emulated CPU it is long.
	 */
	constexpr int64_t LEAST_WAIT_NS = 100000;
	SimNic nic;

	nic.set("phc_offset_ns", DECADES_NS);
	nic.set("phc_drift_ppb", int64_t(DRIFT_PPM * 1000));
	nic.attach({ "--hook=tp", "signal=stamp" });
	Flow flow(nic, 300);
	Window window(nic);
	std::this_thread::sleep_for(10s);
	const SimNic::ClockError error = nic.kernel_clock_error();
	const Json clock = nic.json("status");
	window.end();
	CAPTURE(window.text(), error.error_ns, error.bound_ns, nic.rxaqm({ "status" }).out);
	CHECK(clock.text("/interfaces/0/clock/source") == "kernel");
	CHECK(clock.flag("/interfaces/0/clock/valid"));
	CHECK(std::fabs(clock.real("/interfaces/0/clock/drift_ppm") + DRIFT_PPM) <
	      5 + clock.real("/interfaces/0/clock/drift_err_ppm"));
	CHECK(error.bound_ns < 1000000);
	CHECK(error.error_ns >= -error.bound_ns);
	CHECK(error.error_ns <= error.bound_ns + LEAST_WAIT_NS);
	/* The queue is empty, and rxaqm must measure that. */
	CHECK(window.truth.packets > 300);
	CHECK(window.bucket_ns(500, 0).first < window.truth.quantile_ns(0.5) + 300e3);
}
