// SPDX-License-Identifier: GPL-2.0-only
/* check has exit codes of its own, whatever goes wrong. */
#include "cli.hpp"

#include <unistd.h>

TEST_CASE("cli: check: what is wrong with the command is UNKNOWN, too", "[cli][check]")
{
	Host host;
	Netns netns;

	for (const Row &row : std::vector<Row>{
		     { { "check", "--frobnicate" }, 3, "", "frobnicate" },
		     { { "check", "--check" }, 3, "", "--check" },
		     { { "check", "a", "b" }, 3, "", "too many", "rxaqm check --help" },
		     { { "check", "--warn=5" }, 3, "", "--warn=5: not a DURATION", "2s" },
		     { { "check", "--crit=never" }, 3, "", "--crit=never", "2s" },
		     { { "check", "--crit=1441m" }, 3, "", "--crit=1441m", "1440m" },
		     { { "check", "-i", "99ms" }, 3, "", "--interval=99ms", "100ms" },
		     { { "check", "-i", "61s" }, 3, "", "--interval=61s", "1m" },
		     { { "check", "--warn=2m" }, 3, "", "--warn exceeds --crit" },
		     { { "status", "--check" }, 3, "\"rxaqm check\" now", "" },
		     { { "check" }, 3, "RXAQM UNKNOWN - not attached to any", "" },
		     { { "check", "eth9" }, 2, "RXAQM CRITICAL - not attached to \"eth9\"", "" },
		     { { "check", "--help" }, 0, "Usage: rxaqm check [OPTION...] [IFACE]", "" },
	     }) {
		Result result = host.rxaqm(netns, row.args);

		CAPTURE(result.text());
		check_row(row, result);
		if (row.exit_code && *row.out)
			CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
	}
	check_row({ {}, 3, "RXAQM UNKNOWN - no network namespace \"nosuch\"", "" },
		  host.rxaqm({ "--netns", "nosuch", "check" }));
	/* status has the exit codes of all commands. */
	check_row({ {}, 1, "", "\"nosuch\"" }, host.rxaqm({ "--netns", "nosuch", "status" }));
	CHECK(host.gone());
}

TEST_CASE("cli: check: not root: UNKNOWN", "[cli][check]")
{
	Host host;
	Netns netns;
	RunOptions options;

	netns.ip("link add cli0 type veth peer name cli1");
	REQUIRE(host.rxaqm(netns, { "attach", "cli0" }).exit_code == 0);
	options.prepare = [] { return setgid(65534) || setuid(65534); };
	if (host.rxaqm({ "--version" }, options).exit_code)
		SKIP("nobody cannot run " << rxaqm_path());
	check_row({ {}, 3, "RXAQM UNKNOWN - no permission to read", "" },
		  host.rxaqm({ "check" }, options));
	CHECK(host.rxaqm(netns, { "detach", "cli0" }).exit_code == 0);
}

TEST_CASE("cli: check: a line that nobody can read is UNKNOWN", "[cli][check]")
{
	Host host;
	Result result = run({ "sh", "-c", "\"$0\" check eth9 >/dev/full", rxaqm_path() },
			    host.with_environment());

	CAPTURE(result.text());
	CHECK(result.exit_code == 3);
}
