// SPDX-License-Identifier: GPL-2.0-only
/* Which profiles there are, by what name, and which of them goes first. */
#include "profiles.hpp"

#include <algorithm>
#include <cstring>

TEST_CASE("cli: a profile whose name is too long is refused, not passed over", "[cli]")
{
	const std::string longest = "our-25g-nic-of-rack-17-firmware"; /* of 31 characters */
	const char *says = "-22.31.conf: name longer than 31 characters";
	Host host;
	Netns netns;
	Profiles profiles;
	std::string match = "[Match]\nDriver=veth\n";

	netns.ip("link add cli0 type veth peer name cli1");
	profiles.add("veth.conf", match);
	std::string path = profiles.add(longest + "-22.31.conf", match + "Channels=separate\n");
	check_row({ {}, 2, "", says }, host.rxaqm({ "profile", "check", path }));
	for (const Args &args : { Args{ "profile", "check" }, Args{ "profile", "show" } })
		check_row({ {}, 2, "veth", says }, host.rxaqm(args, profiles.options()));
	for (const Args &args : { Args{ "attach", "cli0" }, Args{ "attach", "cli0", "-p", path },
				  Args{ "profile", "show", "cli0" } })
		check_row({ {}, 2, "", says }, host.rxaqm(netns, args, profiles.options()));
	CHECK(xdp_on(netns, "cli0") == 0);
	/* One of another driver's is no matter here. */
	profiles.add(longest + "-22.31.conf", "[Match]\nDriver=other\n");
	path = profiles.add(longest + ".conf", match + "Channels=separate\n");
	check_row({ {}, 0, "cli0: profile our-25g-nic-of-rack-17-firmware\n", "" },
		  host.rxaqm(netns, { "profile", "show", "cli0" }, profiles.options()));
}

TEST_CASE("cli: profile show says truly why another that fits was passed over", "[cli]")
{
	Host host;
	Netns netns;
	Profiles profiles, later;
	RunOptions options = profiles.options();

	netns.ip("link add cli0 type veth peer name cli1");
	options.environment[0] += later.options().environment[0].substr(
		strlen("RXAQM_PROFILE_PATH"));
	std::replace(options.environment[0].begin() + 20, options.environment[0].end(), '=', ':');
	for (const char *name : { "a", "b" })
		profiles.add(name + std::string(".conf"), "[Match]\nDriver=veth\n");
	profiles.add("all.conf", "[Match]\nDriver=*\n");
	later.add("best.conf", "[Match]\nDriver=veth\nChannels=separate\n");
	Result shown = host.rxaqm(netns, { "profile", "show", "cli0" }, options);
	CAPTURE(options.environment[0], shown.text());
	CHECK(shown.out.find("cli0: profile a\n") == 0);
	for (const char *line :
	     { "passed over b: fits as well and is as specific, but its name comes later\n",
	       "passed over all: fits as well, but is less specific\n",
	       "passed over best: fits as well, but its directory is searched later\n" })
		CHECK(shown.out.find(line) != std::string::npos);
}
