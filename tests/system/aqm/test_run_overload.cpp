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

	{
		Load load(frames);

		CHECK(eventually([&] { return r.mode() == "enforce"; }, std::chrono::minutes(1)));
	}
	CAPTURE(r.service.log());
	CHECK(r.service.log().find(r.wire.rx_if + ": queue 0: ") != std::string::npos);
	/* Told before it was acted upon. */
	CHECK(r.service.log().find("warning: " + r.wire.rx_if + ": queue 0: ") !=
	      std::string::npos);

	/* A daemon that is restarted, or reads its configuration again, goes on from there. */
	r.service.kill();
	r.service.start();
	CHECK(r.mode() == "enforce");
	r.service.reload();
	CHECK(r.mode() == "enforce");
	CHECK(r.service.logged("1 queue enforced already"));
	frames.run(40000);
	CHECK(r.mode() == "enforce");
	CHECK(eventually(
		[&] {
			frames.trickle(20);
			return r.mode() == "observe";
		},
		std::chrono::minutes(1)));

	/* An operator's mode is not touched from then on. */
	REQUIRE(r.host.rxaqm(r.wire.rx, { "policy", "set", r.wire.rx_if, "mode=off" }).exit_code ==
		0);
	frames.run(100000); /* for two seconds and more, which is twice what it takes otherwise */
	CHECK(r.mode() == "off");
}

TEST_CASE("run: who enforced a queue before the start, and whether it is given up", "[run]")
{
	Run r;
	bool automatic = true;
	std::string lease = "off", after = "enforce";

	SECTION("with auto_enforce it is, but not by the start")
	{
	}
	SECTION("a lease that is over ends it")
	{
		lease = "1ms";
		after = "observe";
	}
	SECTION("without auto_enforce the section says")
	{
		automatic = false;
		after = "observe";
	}
	REQUIRE(r.host.rxaqm(r.wire.rx,
			     { "attach", r.wire.rx_if, "mode=enforce", "lease=" + lease })
			.exit_code == 0);
	r.service.configure("[Overload]\nobserve_after=3s\ndwell_enforce=0ns\n" +
			    r.section(automatic ? "auto_enforce=yes\n" : "mode=observe\n"));
	r.service.start();
	CHECK(r.mode() == after);
	CAPTURE(r.service.log());
	if (after == "enforce") {
		/* Its polls drain it from now on. */
		CHECK(udp_transfer(r.wire.tx, r.wire.rx, Wire::RX_IP4, 3) == 3);
		CHECK(eventually([&] { return r.mode() == "observe"; }, std::chrono::seconds(60)));
		CHECK(r.service.log().find("queue 0: drained for") != std::string::npos);
	}
}

TEST_CASE("run: what is enforced for overload is so after attaching anew, and given up after",
	  "[run]")
{
	Host host;
	unsigned most = 2 * unsigned(sysconf(_SC_NPROCESSORS_CONF)) + 2;
	Wire wire(most);
	Service service{ host, wire.rx };
	bool again = false;
	auto mode = [&] {
		return host.json(wire.rx, { "policy", "show", "-q", "0", wire.rx_if })
			.text("/policies/0/mode");
	};

	wire.tx.shell("ethtool -L " + wire.tx_if + " tx 1");
	wire.rx.shell("ethtool -L " + wire.rx_if + " rx 1");
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "mode=enforce" }).exit_code == 0);
	service.configure("[Overload]\nobserve_after=5s\ndwell_enforce=0ns\n[Interface " +
			  wire.rx_if + "]\nauto_enforce=yes\n");
	service.start();
	REQUIRE(service.logged("1 queue enforced already"));
	uint32_t prog = xdp_on(wire.rx, wire.rx_if);
	SECTION("while the daemon runs")
	{
	}
	SECTION("by the next daemon")
	{
		service.kill();
		again = true;
	}
	wire.rx.shell("ethtool -L " + wire.rx_if + " rx " + std::to_string(most));
	if (again)
		service.start();
	CHECK(service.logged("attached anew (it has more queues now)"));
	CAPTURE(service.log());
	CHECK(xdp_on(wire.rx, wire.rx_if) != prog);
	CHECK(mode() == "enforce");
	CHECK(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 30) == 30);
	CHECK(eventually(
		[&] {
			udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 30);
			return mode() == "observe";
		},
		std::chrono::seconds(25)));
}

TEST_CASE("run: what is enforced under another name is given up where the new section says so",
	  "[run]")
{
	Run r;
	const std::string name = "auto0";

	r.service.configure("[Overload]\nobserve_after=3s\ndwell_enforce=0ns\n" +
			    r.section("mode=enforce\n") + "[Interface " + name +
			    "]\nauto_enforce=yes\n");
	r.service.start();
	REQUIRE(r.mode() == "enforce");
	/* Until its queues have been looked at under the old name. */
	CHECK(udp_transfer(r.wire.tx, r.wire.rx, Wire::RX_IP4, 3) == 3);
	std::this_thread::sleep_for(std::chrono::seconds(2));

	r.wire.rx.ip("link set dev " + r.wire.rx_if + " name " + name);
	r.wire.rx_if = name;
	CHECK(r.service.logged("auto0: 1 queue enforced already"));
	CAPTURE(r.service.log());
	CHECK(r.mode() == "enforce");
	CHECK(udp_transfer(r.wire.tx, r.wire.rx, Wire::RX_IP4, 3) == 3);
	CHECK(eventually([&] { return r.mode() == "observe"; }, std::chrono::seconds(30)));
	CHECK(r.service.log().find("queue 0: drained for") != std::string::npos);
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
