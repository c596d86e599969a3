/* SPDX-License-Identifier: GPL-2.0-only */
/* A host and a wire for qualify. */
#ifndef RXAQM_TESTS_QUALIFY_PLACE_HPP
#define RXAQM_TESTS_QUALIFY_PLACE_HPP

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include "netns.hpp"
#include "qualify.hpp"

/* Directories of the test's own: "run" is the one that outlives the service. */
struct Place {
	Host host;
	Wire wire;
	std::string dir = "/tmp/rxaqm-qualify-test-" + std::to_string(getpid());
	std::string before;

	Place()
	{
		REQUIRE(std::system(("rm -rf " + dir + "; mkdir -p " + dir + "/run").c_str()) == 0);
		before = settings_of(wire.rx, wire.rx_if);
	}
	~Place()
	{
		(void)!std::system(("rm -rf " + dir).c_str());
	}
	RunOptions options(Args environment = {}) const
	{
		RunOptions options;

		environment.push_back("RUNTIME_DIRECTORY=" + dir + "/gone");
		environment.push_back("STATE_DIRECTORY=" + dir + "/run");
		options.environment = environment;
		options.timeout = std::chrono::seconds(120);
		return options;
	}
	Result run(const Args &args, Args environment = {}) const
	{
		return host.rxaqm(wire.rx, args, options(std::move(environment)));
	}
	Result rows(const std::string &rows, const Args &more = {}) const
	{
		return run(qualify_args(wire, rows, more));
	}
	std::string now() const
	{
		return settings_of(wire.rx, wire.rx_if);
	}
	bool has_journal() const
	{
		return std::system(("ls " + dir + "/run/*.journal >/dev/null 2>&1").c_str()) == 0;
	}
};

#endif
