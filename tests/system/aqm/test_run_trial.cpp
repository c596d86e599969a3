// SPDX-License-Identifier: GPL-2.0-only
/* The daemon beside a trial: it does not fight it, and puts back what a killed one has left. */
#include <catch2/catch_test_macros.hpp>

#include <csignal>

#include "daemon.hpp"

using namespace std::chrono_literals;

namespace
{
/* Enforcing, with a lease that the daemon renews. */
struct Kept : Run {
	Kept()
	{
		service.configure(section("mode=enforce\nlease=4s\n"));
		service.start();
		REQUIRE(eventually([&] { return mode() == "enforce"; }));
	}
	/* It has the daemon's directory, as on a host. */
	std::unique_ptr<Child> trial(const std::string &time) const
	{
		RunOptions options;

		options.environment = { "RUNTIME_DIRECTORY=" + service.dir() };
		return std::make_unique<Child>(host.command(wire.rx,
							    { "trial", wire.rx_if, "--block=1s",
							      time,
							      "--arms=observe / target=2ms" }),
					       host.with_environment(options));
	}
	std::string lease_by() const
	{
		return host.json(wire.rx, { "status", wire.rx_if })
			.text("/interfaces/0/queues/0/sources/lease");
	}
	/* It is renewed: longer than the lease later it still enforces. */
	bool renewed() const
	{
		const auto until = std::chrono::steady_clock::now() + 6s;

		while (std::chrono::steady_clock::now() < until) {
			if (mode() != "enforce")
				return false;
			std::this_thread::sleep_for(100ms);
		}
		return true;
	}
};
} // namespace

TEST_CASE("run: a trial is left alone, and leases are renewed again after it", "[run]")
{
	Kept r;
	const auto trial = r.trial("--for=8s");

	/* For longer than a lease. */
	REQUIRE(eventually([&] { return r.mode() == "observe"; }));
	CHECK(r.lease_by() == "operator");
	const Result result = trial->wait();

	CAPTURE(result.text(), r.service.log());
	CHECK(result.exit_code == 0);
	CHECK(result.out.find("ended early") == std::string::npos);
	CHECK(r.lease_by() == "configuration");
	CHECK(r.renewed());
}

TEST_CASE("run: what a killed trial has left is put back by the daemon", "[run]")
{
	Kept r;
	const auto trial = r.trial("--for=10m");

	REQUIRE(eventually([&] { return r.mode() == "observe"; }));
	trial->kill(SIGKILL);
	trial->wait();
	CHECK(eventually([&] { return r.lease_by() == "configuration"; }));
	CHECK(r.mode() == "enforce");
	CHECK(r.renewed());
}
