// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm in a time namespace, whose CLOCK_MONOTONIC is another than the kernel's. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "daemon.hpp"
#include "host.hpp"
#include "traffic.hpp"

namespace
{

constexpr int64_t SEC = 1000000000;

/* What a clock there is off by, in s: far ahead, or behind by half of what the host is up. */
std::string offset_of(const std::string &way)
{
	double up_s = 0;

	std::ifstream("/proc/uptime") >> up_s;
	return way == "ahead" ? "100000" : std::to_string(-(long)(up_s / 2));
}

void need_time_namespaces()
{
	Result result = run({ "unshare", "--time", "--fork", "--monotonic", "1", "true" });

	if (result.exit_code)
		SKIP("no time namespaces: " << result.err);
}

struct Displaced {
	std::string offset;
	Host host;
	Wire wire;

	explicit Displaced(const std::string &way)
		: offset(offset_of(way))
	{
		need_time_namespaces();
		REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	}
	/* rxaqm @args there. */
	Result there(const Args &args) const
	{
		Args command = host.command(wire.rx, args);

		command.insert(command.begin(),
			       { "unshare", "--time", "--fork", "--monotonic", offset });
		RunOptions options = host.with_environment();
		options.timeout = std::chrono::seconds(20);
		return run(command, options);
	}
	int64_t lease_ns(const Json &policy) const
	{
		return policy.number("/policies/0/lease_ns");
	}
};

} // namespace

TEST_CASE("timens: a lease lasts as long as it says, and ages are those of the host", "[timens]")
{
	const std::string way = GENERATE("ahead", "behind");
	Displaced d(way);
	Result set = d.there({ "policy", "set", d.wire.rx_if, "mode=enforce", "lease=30s" });

	CAPTURE(way, d.offset, set.text());
	REQUIRE(set.exit_code == 0);
	int64_t left_ns = d.lease_ns(d.host.json(d.wire.rx, { "policy", "show", d.wire.rx_if }));
	CHECK(left_ns > 0);
	CHECK(left_ns <= 30 * SEC);

	REQUIRE(all_traffic(d.wire) == "");
	Result status = d.there({ "status", "-j", d.wire.rx_if });
	CAPTURE(status.text());
	REQUIRE(status.exit_code == 0);
	Json seen(status.out);
	CHECK(seen.number("/interfaces/0/attached_for_ns") < 30 * SEC);
	CHECK(seen.text("/interfaces/0/queues/0/mode") == "enforce");
	/* Sleeps that are told when to end end then. */
	Result top = d.there({ "top", "-j", "-n", "2", "-i", "100ms" });
	CAPTURE(top.text());
	CHECK(top.exit_code == 0);
	CHECK_FALSE(top.timed_out);
}

TEST_CASE("timens: a daemon there renews its leases", "[timens][run]")
{
	const std::string way = GENERATE("ahead", "behind");
	const std::string offset = offset_of(way);
	Run r;
	auto until_ns = [&] {
		return r.host.json(r.wire.rx, { "policy", "show", r.wire.rx_if })
			.number("/policies/0/lease_ns");
	};

	CAPTURE(way, offset);
	need_time_namespaces();
	r.service.configure(r.section("mode=enforce\nlease=20s\n"));
	r.service.prepare([offset] {
		/* For what is executed next; before 6.2 only for what is forked, as rxaqm sees. */
		int file = unshare(CLONE_NEWTIME) ? -1 :
						    open("/proc/self/timens_offsets", O_WRONLY);
		const std::string line = "monotonic " + offset + " 0\n";

		return file < 0 || write(file, line.c_str(), line.size()) != (ssize_t)line.size();
	});
	r.service.start();
	CAPTURE(r.service.log());
	CHECK(until_ns() > 0);
	CHECK(until_ns() <= 20 * SEC);
	/* What is left of it grows again: the timers of the daemon go by the same clock. */
	CHECK(eventually([&] {
		int64_t before_ns = until_ns();

		std::this_thread::sleep_for(std::chrono::milliseconds(100));
		return until_ns() > before_ns;
	}));
	CHECK(r.service.stop().exit_code == 0);
}
