// SPDX-License-Identifier: GPL-2.0-only
/* Several interfaces by one command: patterns, --all, and what is said where one of them fails. */
#include "cli.hpp"

namespace
{

/* many0 and many1 in one namespace, far0 in another, all attached. */
struct Three {
	Host host;
	Netns near, far;

	Three()
	{
		for (const char *name : { "many0", "many1" })
			add(near, name);
		add(far, "far0");
	}
	void add(const Netns &netns, const std::string &name) const
	{
		netns.ip("link add " + name + " type veth peer name p" + name);
		REQUIRE(host.rxaqm(netns, { "attach", name }).exit_code == 0);
	}
	std::string mode(const Netns &netns, const std::string &name) const
	{
		return host.json(netns, { "policy", "show", name }).text("/policies/0/mode");
	}
	std::string modes() const
	{
		return mode(near, "many0") + " " + mode(near, "many1") + " " + mode(far, "far0");
	}
};

} // namespace

TEST_CASE("several: a pattern is for what matches in this namespace", "[cli]")
{
	Three t;

	check_row({ {}, 0, "", "" },
		  t.host.rxaqm(t.near, { "policy", "set", "*[0-1]", "mode=off" }));
	CHECK(t.modes() == "off off observe");
	check_row({ {}, 0, "", "" },
		  t.host.rxaqm(t.near, { "policy", "set", "many?", "mode=enforce" }));
	CHECK(t.modes() == "enforce enforce observe");
	for (const Args &args :
	     { Args{ "policy", "set", "far*", "mode=off" }, Args{ "detach", "far*" } })
		check_row({ {},
			    4,
			    "",
			    "no interface that rxaqm is attached to here matches \"far*\"" },
			  t.host.rxaqm(t.near, args));
	CHECK(t.modes() == "enforce enforce observe");

	check_row({ {}, 0, "2 interfaces detached", "" },
		  t.host.rxaqm(t.near, { "detach", "many*" }));
	CHECK(xdp_on(t.near, "many0") == 0);
	CHECK(xdp_on(t.near, "many1") == 0);
	CHECK(xdp_on(t.far, "far0") != 0);
	check_row({ {}, 0, "1 interface detached", "" }, t.host.rxaqm(t.far, { "detach", "*" }));
	CHECK(t.host.gone());
}

TEST_CASE("several: a name with the characters of a pattern is that interface", "[cli]")
{
	Three t;

	t.add(t.near, "many*");
	check_row({ {}, 0, "", "" },
		  t.host.rxaqm(t.near, { "policy", "set", "many*", "mode=off" }));
	CHECK(t.mode(t.near, "many*") == "off");
	CHECK(t.modes() == "observe observe observe");
	check_row({ {}, 0, "many*: detached", "" }, t.host.rxaqm(t.near, { "detach", "many*" }));
	CHECK(xdp_on(t.near, "many0") != 0);
}

TEST_CASE("several: policy set --all reaches every namespace", "[cli]")
{
	Three t;

	check_row({ {}, 0, "", "" }, t.host.rxaqm({ "policy", "set", "--all", "mode=off" }));
	CHECK(t.modes() == "off off off");
	/* Stamps are turned on where the interface is. */
	REQUIRE(t.host.rxaqm({ "policy", "set", "--all", "signal=busy" }).exit_code == 0);
	check_row({ {}, 4, "", "far0: not attached to \"far0\" in this network namespace" },
		  t.host.rxaqm(t.near, { "policy", "set", "-a", "signal=auto", "mode=observe" }));
	CHECK(t.modes() == "observe observe off");
}

TEST_CASE("several: those that fail are named, and the others done", "[cli]")
{
	Three t;

	REQUIRE(t.host.rxaqm(t.near, { "policy", "set", "many0", "interval=4ms" }).exit_code == 0);
	for (const Args &which : { Args{ "--all" }, Args{ "many*" } }) {
		Args args{ "policy", "set", "target=5ms", "mode=off" };
		args.insert(args.begin() + 2, which.begin(), which.end());
		REQUIRE(t.host.rxaqm({ "policy", "set", "--all", "mode=observe" }).exit_code == 0);
		Result result = t.host.rxaqm(t.near, args);
		CAPTURE(result.text());
		CHECK(result.exit_code == 2);
		CHECK(result.err == "rxaqm: many0: target=5ms exceeds interval=4ms; an interval of "
				    "20 targets is usual\n");
		CHECK(t.modes() ==
		      std::string("observe off ") + (which[0] == "--all" ? "off" : "observe"));
	}
}
