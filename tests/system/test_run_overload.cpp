// SPDX-License-Identifier: GPL-2.0-only
/* The daemon looks at a queue that really stands. */
#include <catch2/catch_test_macros.hpp>

#include <thread>

#include "daemon.hpp"
#include "frames.hpp"

TEST_CASE("run: overload is told, enforced, and given up when it is over", "[run]")
{
	Run r;
	Frames frames(r.wire);

	r.service.configure(
		"[Overload]\nraise=1s\nclear=2s\nenforce_after=2s\nobserve_after=2s\n"
		"dwell_enforce=0ns\ndwell_observe=0ns\n" +
		r.section("signal=busy\ntarget=1ms\ninterval=20ms\nauto_enforce=yes\n"));
	r.service.start();
	if (!make_slow(r.wire, 20))
		SKIP("needs two CPUs: one to send, one to receive");
	frames.trickle(20);
	CHECK(r.mode() == "observe");

	/* Others want the CPUs, too: as long as it takes, but not for ever. */
	for (int i = 0; i < 20 && r.mode() != "enforce"; i++)
		frames.run(std::chrono::seconds(1));
	CAPTURE(r.service.log());
	CHECK(r.mode() == "enforce");
	CHECK(r.service.log().find(r.wire.rx_if + ": queue 0: ") != std::string::npos);
	/* Told before it was acted upon. */
	CHECK(r.service.log().find("warning: " + r.wire.rx_if + ": queue 0: ") !=
	      std::string::npos);

	for (int i = 0; i < 20 && r.mode() != "observe"; i++) {
		frames.trickle(20);
		std::this_thread::sleep_for(std::chrono::milliseconds(500));
	}
	CHECK(r.mode() == "observe");

	/* An operator's mode is not touched from then on. */
	REQUIRE(r.host.rxaqm(r.wire.rx, { "policy", "set", r.wire.rx_if, "mode=off" }).exit_code ==
		0);
	for (int i = 0; i < 4; i++)
		frames.run(std::chrono::seconds(1));
	CHECK(r.mode() == "off");
}
