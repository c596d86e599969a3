// SPDX-License-Identifier: GPL-2.0-only
/* "rxaqm profile" on interfaces: which one applies, and what the machine says to it. */
#include "profiles.hpp"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace
{

const std::string IFACE = "/profiles/0/interface";

std::string state_of(const Json &json, const std::string &fact)
{
	return json.text(find(json, IFACE + "/facts", "fact", fact) + "/state");
}

} // namespace

TEST_CASE("cli: profile show holds facts against the machine", "[cli]")
{
	Host host;
	Netns netns;

	netns.ip("link add cli0 type veth peer name cli1");
	netns.ip("link set cli0 up");
	netns.shell("ethtool -K cli0 gro on");
	Result shown = host.rxaqm(netns, { "profile", "show", "cli0" });
	CAPTURE(shown.text());
	CHECK(shown.exit_code == 0);
	CHECK(shown.err == "");
	CHECK(shown.out.find("cli0: profile veth\n") == 0);
	CHECK(shown.out.find("Driver=veth (ethtool -i: veth)") != std::string::npos);
	CHECK(shown.out.find("passed over generic: fits as well, but is less specific") !=
	      std::string::npos);

	Json json = host.json(netns, { "profile", "show", "cli0" });
	CHECK(json.text("/profiles/0/name") == "veth");
	CHECK(json.text(IFACE + "/interface") == "cli0");
	CHECK(json.text(IFACE + "/because/0/key") == "Driver");
	CHECK(json.text(IFACE + "/because/0/machine") == "ethtool -i: veth");
	CHECK(json.number(IFACE + "/conflicts") == 0);
	CHECK(state_of(json, "napi_poll") == "confirmed");
	CHECK(state_of(json, "completion_design") == "profile");
	CHECK(state_of(json, "rx_ring") == "profile");
	CHECK(state_of(json, "channels") == "machine");

	/* Without NAPIs the poll function is only the file's word. */
	netns.shell("ethtool -K cli0 gro off");
	CHECK(state_of(host.json(netns, { "profile", "show", "cli0" }), "napi_poll") == "profile");
	/* A device without driver or ethtool. */
	CHECK(host.json(netns, { "profile", "show", "lo" }).text("/profiles/0/name") == "generic");
}

TEST_CASE("cli: conditions on NAPIs and channels are evaluated", "[cli]")
{
	const std::string match = "[Match]\nDriver=veth\n";
	Host host;
	Netns netns;
	Profiles profiles;
	auto name = [&] {
		return Json(host.rxaqm(netns, { "-j", "profile", "show", "cli0" },
				       profiles.options())
				    .out)
			.text("/profiles/0/name");
	};

	netns.ip("link add cli0 numrxqueues 2 numtxqueues 2 type veth peer name cli1");
	netns.ip("link set cli0 up");
	profiles.add("veth.conf", match);
	profiles.add("veth-combined.conf", match + "Channels=combined\n");
	CHECK(name() == "veth");
	profiles.add("veth-separate.conf", match + "Channels=separate\n");
	CHECK(name() == "veth-separate");
	profiles.add("veth-poll.conf", match + "Channels=separate\nNapiPoll=veth_poll\n");
	netns.shell("ethtool -K cli0 gro off");
	CHECK(name() == "veth-separate");
	Result shown = host.rxaqm(netns, { "profile", "show", "cli0" }, profiles.options());
	CAPTURE(shown.text());
	CHECK(shown.out.find("because of line 3, Channels=separate (ethtool -l: rx 2, tx 2, "
			     "combined 0)") != std::string::npos);
	CHECK(shown.out.find(
		      "passed over veth-combined: line 3, Channels=combined does not hold") !=
	      std::string::npos);
	CHECK(shown.out.find("passed over veth-poll: line 4, NapiPoll=veth_poll does not hold "
			     "(unknown: it has no NAPI now") != std::string::npos);
	netns.shell("ethtool -K cli0 gro on");
	CHECK(name() == "veth-poll");
}

TEST_CASE("cli: tun with and without NAPI", "[cli]")
{
	Host host;
	Netns netns;

	for (bool napi : { false, true }) {
		struct ifreq ifr = {};
		int fd = -1;

		netns.enter([&] {
			fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
			if (fd < 0)
				return;
			snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "clitun");
			ifr.ifr_flags = short(IFF_TAP | IFF_NO_PI | (napi ? IFF_NAPI : 0));
			if (ioctl(fd, TUNSETIFF, &ifr))
				throw std::runtime_error("TUNSETIFF: " +
							 std::string(strerror(errno)));
		});
		if (fd < 0)
			SKIP("no /dev/net/tun");
		netns.ip("link set clitun up");
		Json json = host.json(netns, { "profile", "show", "clitun" });
		CHECK(json.text("/profiles/0/name") == (napi ? "tun-napi" : "tun"));
		CHECK(json.number(IFACE + "/conflicts") == 0);
		close(fd);
	}
}

TEST_CASE("cli: a fact that the machine contradicts is loud", "[cli]")
{
	Host host;
	Netns netns;
	Profiles profiles;

	netns.ip("link add cli0 type veth peer name cli1");
	netns.ip("link set cli0 up");
	netns.shell("ethtool -K cli0 gro on");
	profiles.add("wrong.conf", "[Match]\nDriver=veth\n[Nic]\nNapiPoll=other_poll\n"
				   "RxRing=256\n");
	Result shown = host.rxaqm(netns, { "profile", "show", "cli0" }, profiles.options());
	CAPTURE(shown.text());
	CHECK(shown.exit_code == 1);
	CHECK(shown.out.find("CONFLICT, here: veth_poll") != std::string::npos);
	CHECK(shown.err.find("profile \"wrong\" conflicts with \"cli0\" in 1 fact") !=
	      std::string::npos);
	shown = host.rxaqm(netns, { "-j", "profile", "show", "cli0" }, profiles.options());
	Json json(shown.out);
	CHECK(json.number(IFACE + "/conflicts") == 1);
	CHECK(state_of(json, "napi_poll") == "conflict");
	CHECK(state_of(json, "rx_ring") == "profile");
}

TEST_CASE("cli: a profile's policy and warnings are shown, used and told", "[cli]")
{
	Host host;
	Netns netns;
	Profiles profiles;

	netns.ip("link add cli0 type veth peer name cli1");
	netns.ip("link set cli0 up");
	profiles.add("mine.conf", "[Match]\nDriver=veth\n[Nic]\n"
				  "Warning=mind the gap\n"
				  "[Policy]\npreset=wan\nmax_drop=10%\n");
	Result shown = host.rxaqm(netns, { "profile", "show", "cli0" }, profiles.options());
	check_row({ {}, 0, "  WARNING             mind the gap\n", "" }, shown);
	check_row({ {}, 0, "  policy              max_drop=10%\n", "" }, shown);
	Result attached = host.rxaqm(netns, { "attach", "cli0", "--mode", "generic", "target=7ms" },
				     profiles.options());
	CAPTURE(attached.text());
	REQUIRE(attached.exit_code == 0);
	CHECK(attached.err.find("profile mine: mind the gap") != std::string::npos);
	Json policy = host.json(netns, { "policy", "show", "cli0" });
	const std::string sources = "/policies/0/sources/";
	CHECK(policy.text(sources + "target") == "operator");
	CHECK(policy.text(sources + "interval") == "profile");
	CHECK(policy.text(sources + "mode") == "default");
	host.rxaqm(netns, { "detach", "cli0" });
}

TEST_CASE("cli: profile check finds what cannot be or cannot be told apart", "[cli]")
{
	Host host;
	Profiles profiles;
	std::string one = profiles.add("one.conf", "[Match]\nDriver=a b\nNapi=apart\n");
	std::string two = profiles.add("two.conf", "# comment\n[Match]\nNapi=apart\nDriver=a b\n");
	std::string bad = profiles.add("bad.conf", "[Match]\nDriver=c\nPrivateFlag=x\n"
						   "PrivateFlag=!x\n");

	check_row({ {}, 0, "ok", "" }, host.rxaqm({ "profile", "check", one }));
	Result both = host.rxaqm({ "profile", "check", one, two });
	CAPTURE(both.text());
	CHECK(both.exit_code == 2);
	CHECK(both.out == one + ": ok\n");
	CHECK(both.err.find(two + ":3: same [Match] as \"" + one + "\"") != std::string::npos);
	check_row({ {}, 2, "", "contradicts PrivateFlag=x on line 3", ":4: " },
		  host.rxaqm({ "profile", "check", bad }));
	Result all = host.rxaqm({ "-j", "profile", "check" }, profiles.options());
	Json json(all.out);
	CHECK(all.exit_code == 2);
	CHECK(json.size("/profiles") == 3);
	CHECK_FALSE(json.flag("/profiles/0/ok"));
	CHECK(json.text("/profiles/0/error").find("bad.conf:4: ") != std::string::npos);
	CHECK(json.flag("/profiles/1/ok"));
	CHECK_FALSE(json.flag("/profiles/2/ok"));
}
