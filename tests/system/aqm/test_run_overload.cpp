// SPDX-License-Identifier: GPL-2.0-only
/* The daemon looks at a queue that really stands. */
#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "daemon.hpp"
#include "frames.hpp"
#include "traffic.hpp"

TEST_CASE("run: overload is told, and when it is over", "[run]")
{
	Run r;
	Frames frames(r.wire);

	r.service.configure("[Overload]\nraise=1s\nclear=2s\ndiagnose=off\n" +
			    r.section("signal=busy\ntarget=1ms\ninterval=20ms\n"));
	r.service.start();
	if (!make_slow(r.wire, 20))
		SKIP("needs two CPUs: one to send, one to receive");
	frames.trickle(20);
	{
		Load load(frames);

		CHECK(r.service.logged("warning: " + r.wire.rx_if +
				       ": queue 0: stood over target"));
	}
	CAPTURE(r.service.log());
	CHECK(eventually(
		[&] {
			frames.trickle(20);
			return r.service.log().find("queue 0: no longer over target") !=
			       std::string::npos;
		},
		std::chrono::minutes(1)));
}

TEST_CASE("run: the cause of an overload is logged, and is in the metrics", "[run][doctor]")
{
	Run r;
	Frames frames(r.wire);
	const std::string path = r.service.dir() + "/rxaqm.prom";
	auto page = [&] {
		std::ifstream file(path);

		return std::string(std::istreambuf_iterator<char>(file), {});
	};

	r.service.configure("[Overload]\nraise=1s\nclear=2s\n"
			    "[Metrics]\ntextfile=" +
			    path + "\ntextfile_interval=1s\n" +
			    r.section("signal=busy\ntarget=1ms\ninterval=20ms\n"));
	r.service.start();
	if (!make_slow(r.wire, 20))
		SKIP("needs two CPUs: one to send, one to receive");
	CHECK(eventually([&] { return page() != ""; }));
	CHECK(page().find("rxaqm_doctor_") == std::string::npos);
	{
		Load load(frames);

		CHECK(eventually(
			[&] { return page().find("rxaqm_doctor_cause{") != std::string::npos; },
			std::chrono::minutes(1)));
	}
	CAPTURE(r.service.log(), page());
	CHECK(page().find("\nrxaqm_doctor_runs_total{result=\"ok\"} 1\n") != std::string::npos);
	CHECK(page().find("\nrxaqm_doctor_age_seconds ") != std::string::npos);
	CHECK(r.service.log().find(": doctor: ") != std::string::npos);

	/* Which cause is the machine's matter; it is one of those that there are. */
	std::string checks = r.host.rxaqm({ "doctor", "--checks" }).out, text = page(), id;
	size_t at = text.find("rxaqm_doctor_cause{id=\"") + strlen("rxaqm_doctor_cause{id=\"");

	id = text.substr(at, text.find('"', at) - at);
	CAPTURE(id);
	CHECK((id == "none" || checks.find("| `" + id + "` |") != std::string::npos));
}

TEST_CASE("run: diagnose=off starts no doctor", "[run][doctor]")
{
	Run r;
	Frames frames(r.wire);

	r.service.configure("[Overload]\nraise=1s\ndiagnose=off\n" +
			    r.section("signal=busy\ntarget=1ms\ninterval=20ms\n"));
	r.service.start();
	if (!make_slow(r.wire, 20))
		SKIP("needs two CPUs: one to send, one to receive");
	{
		Load load(frames);

		CHECK(r.service.logged("looks for the cause", std::chrono::minutes(1)));
		/* It would have said what it found by then. */
		std::this_thread::sleep_for(std::chrono::seconds(9));
	}
	CHECK(r.service.log().find(": doctor: ") == std::string::npos);
}
