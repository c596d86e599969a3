// SPDX-License-Identifier: GPL-2.0-only
/* The daemon: what it attaches, adopts and leaves; reload; the end of it. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <csignal>
#include <fstream>
#include <thread>

#include "daemon.hpp"
#include "traffic.hpp"

TEST_CASE("run: attaches what is configured, says so when ready, leaves it at the end", "[run]")
{
	Run r;

	r.service.configure(r.section("mode=enforce\ntarget=3ms\n"));
	r.service.start();
	CAPTURE(r.service.log());
	/* What READY promises holds at once. */
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if));
	CHECK(r.target() == 3000000);
	CHECK(r.mode() == "enforce");
	CHECK(r.service.notified("STATUS=1 interface attached"));
	CHECK(all_traffic(r.wire) == "");
	r.service.forget();
	Result end = r.service.stop(SIGTERM);
	CAPTURE(end.text());
	CHECK(end.exit_code == 0);
	CHECK(end.out == "");
	CHECK(r.service.notified("STOPPING=1"));
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if));
	CHECK(r.mode() == "enforce");
	CHECK(all_traffic(r.wire) == "");
}

TEST_CASE("run: on_stop=detach leaves nothing, but what is not its own", "[run]")
{
	Run r;
	int signal = SIGTERM;

	SECTION("SIGTERM")
	{
	}
	SECTION("SIGINT")
	{
		signal = SIGINT;
	}
	SECTION("another interface stays")
	{
		r.wire.rx.ip("link add own0 type veth peer name own1");
		REQUIRE(r.host.rxaqm(r.wire.rx, { "attach", "own0" }).exit_code == 0);
	}
	bool other = r.wire.rx.ifindex("own0") != 0;

	r.service.configure("[Daemon]\non_stop=detach\n" + r.section());
	r.service.start();
	REQUIRE(xdp_on(r.wire.rx, r.wire.rx_if));
	r.host.note_maps();
	Result end = r.service.stop(signal);
	CAPTURE(end.text());
	CHECK(end.exit_code == 0);
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == 0);
	if (other)
		CHECK(xdp_on(r.wire.rx, "own0"));
	else
		CHECK(r.host.gone());
}

TEST_CASE("run: what was attached is adopted without a new attachment", "[run]")
{
	Run r;

	REQUIRE(r.host.rxaqm(r.wire.rx, { "attach", r.wire.rx_if, "target=9ms" }).exit_code == 0);
	uint32_t prog = xdp_on(r.wire.rx, r.wire.rx_if);
	r.service.configure(r.section("target=4ms\n"));
	r.service.start();
	CAPTURE(r.service.log());
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == prog);
	CHECK(r.target() == 4000000);

	/* An operator's change stays until the configuration is read again. */
	REQUIRE(r.host.rxaqm(r.wire.rx, { "policy", "set", r.wire.rx_if, "target=6ms" }).exit_code ==
		0);
	r.wire.rx.ip("link set dev " + r.wire.rx_if + " mtu 1400");
	std::this_thread::sleep_for(std::chrono::milliseconds(1500));
	CHECK(r.target() == 6000000);
	r.service.reload();
	CHECK(r.target() == 4000000);
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == prog);
}

TEST_CASE("run: another XDP mode needs a new attachment, but only if it is asked for", "[run]")
{
	Run r;

	REQUIRE(r.host.rxaqm(r.wire.rx, { "attach", r.wire.rx_if, "-m", "generic" }).exit_code ==
		0);
	r.service.configure(r.section());
	r.service.start();
	CAPTURE(r.service.log());
	CHECK(r.host.json(r.wire.rx, { "status" }).text("/interfaces/0/xdp_mode") == "generic");
	r.service.configure(r.section("xdp_mode=native\n"));
	r.service.reload();
	CHECK(r.host.json(r.wire.rx, { "status" }).text("/interfaces/0/xdp_mode") == "native");
	CHECK(r.service.logged("attached anew (it is in generic mode)"));
	CHECK(all_traffic(r.wire) == "");
}

TEST_CASE("run: RPS that comes later makes the CPUs' backlogs the queues, if nobody chose", "[run]")
{
	Run r;
	const std::string rps = "/sys/class/net/" + r.wire.rx_if + "/queues/rx-0/rps_cpus";
	auto by_cpu = [&] {
		return r.host.json(r.wire.rx, { "status" }).text("/interfaces/0/key") == "cpu";
	};
	auto told = [&] {
		return r.host.rxaqm(r.wire.rx, { "status", "--all" }).out.find("RPS spreads") !=
		       std::string::npos;
	};
	Args attach = { "attach", "-m", "generic", "--profile", "igb", r.wire.rx_if };
	const bool chosen = GENERATE(false, true);

	if (chosen)
		attach.insert(attach.end(), { "--key", "queue" });
	REQUIRE(r.host.rxaqm(r.wire.rx, attach).exit_code == 0);
	CHECK_FALSE(by_cpu());
	CHECK_FALSE(told());
	r.service.configure("[Interface " + r.wire.rx_if + "]\n");
	r.service.start();
	CAPTURE(r.service.log());
	uint32_t prog = xdp_on(r.wire.rx, r.wire.rx_if);
	r.wire.rx.shell("echo 1 >" + rps);
	CHECK(told() == !chosen);
	if (!chosen) {
		CHECK(r.service.logged("attached anew (RPS spreads its packets over CPUs now)"));
		CHECK(by_cpu());
		CHECK_FALSE(told());
		return;
	}
	/* Not with the next look either. */
	std::this_thread::sleep_for(std::chrono::seconds(11));
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == prog);
	CHECK_FALSE(by_cpu());
}

TEST_CASE("run: a second daemon refuses, and says which is the first", "[run]")
{
	Run r;

	r.service.configure(r.section());
	r.service.start();
	Result second = r.service.start_fails();
	CAPTURE(second.text());
	CHECK(second.exit_code == 1);
	CHECK(second.err.find("another daemon runs, with pid " + std::to_string(r.service.pid())) !=
	      std::string::npos);
	/* And has not harmed it. */
	r.service.reload();
	CHECK(r.service.stop().exit_code == 0);
}

TEST_CASE("run: a configuration with an error is refused whole, at start and at reload", "[run]")
{
	Run r;
	std::string bad = "[Daemon]\nsettle=100ms\n" + r.section("target=5ms\nmode=onn\n");

	r.service.configure(bad);
	Result start = r.service.start_fails();
	CAPTURE(start.text());
	CHECK(start.exit_code == 2);
	CHECK(start.err.find("rxaqm.conf:5: mode=onn: must be one of off|observe|enforce") !=
	      std::string::npos);
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == 0);

	r.service.configure(r.section("target=3ms\n"));
	r.service.start();
	r.service.configure(bad);
	r.service.reload();
	CAPTURE(r.service.log(), r.service.notifications());
	CHECK(r.service.notifications().find("RELOADING=1\nMONOTONIC_USEC=") != std::string::npos);
	CHECK(r.service.notifications().find("configuration not reloaded: ") != std::string::npos);
	CHECK(r.service.notifications().find("rxaqm.conf:5: mode=onn") != std::string::npos);
	CHECK(r.service.log().find("rxaqm.conf:5: mode=onn") != std::string::npos);
	CHECK(r.target() == 3000000);

	/* A policy that goes with the defaults may not go with the interface's profile. */
	std::ofstream(r.service.dir() + "/p.conf")
		<< "[Match]\nDriver=veth\n[Policy]\ntarget=20ms\ninterval=100ms\n";
	r.service.configure(r.section("profile=" + r.service.dir() + "/p.conf\ninterval=15ms\n"));
	r.service.reload();
	CHECK(r.service.notifications().find("target=20ms exceeds interval=15ms") !=
	      std::string::npos);
	CHECK(r.target() == 3000000);

	/* A profile that cannot be read is no better. */
	r.service.configure(r.section("profile=/nope\ntarget=4ms\n"));
	r.service.reload();
	CHECK(r.service.notifications().find("cannot open \"/nope\"") != std::string::npos);
	CHECK(r.target() == 3000000);

	r.service.configure(r.section("target=7ms\n"));
	r.service.reload();
	CHECK(r.target() == 7000000);
	CHECK(r.service.notifications().find("not reloaded") == std::string::npos);
}

TEST_CASE("run: a section that is gone, or has enable=no, detaches", "[run]")
{
	Run r;

	r.service.configure(r.section());
	r.service.start();
	REQUIRE(xdp_on(r.wire.rx, r.wire.rx_if));
	SECTION("gone")
	{
		r.service.configure("[Interface other]\n");
	}
	SECTION("enable=no")
	{
		r.service.configure(r.section("enable=no\n"));
	}
	r.service.reload();
	CAPTURE(r.service.log());
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if) == 0);
	CHECK(r.service.notifications().find("STATUS=0 interfaces attached") != std::string::npos);
	CHECK(all_traffic(r.wire) == "");
	r.service.configure(r.section());
	r.service.reload();
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if));
}

TEST_CASE("run: an interface that cannot be attached holds nothing else up", "[run]")
{
	Run r;

	r.wire.rx.ip("link add busy0 type veth peer name busy1");
	uint32_t foreign = put_foreign_xdp(r.wire.rx, "busy0");
	r.service.configure(r.section() + "[Interface busy0]\n");
	r.service.start();
	CAPTURE(r.service.log());
	CHECK(xdp_on(r.wire.rx, r.wire.rx_if));
	CHECK(xdp_on(r.wire.rx, "busy0") == foreign);
	CHECK(r.service.log().find("error: busy0: ") != std::string::npos);
	CHECK(r.service.notified("STATUS=1 interface attached, 1 failed"));
	/* It is tried again, and told once. */
	xdp_off(r.wire.rx, "busy0");
	CHECK(r.service.notified("STATUS=2 interfaces attached"));
	std::string log = r.service.log();
	CHECK(log.find("error: busy0") == log.rfind("error: busy0"));
}
