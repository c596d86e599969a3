// SPDX-License-Identifier: GPL-2.0-only
/* What ECT(0) means where the policy does not say: as the interface's namespace does TCP. */
#include <catch2/catch_test_macros.hpp>

#include "daemon.hpp"

namespace
{

/* The congestion control of new connections in @netns. */
void do_tcp_by(const Netns &netns, const std::string &name)
{
	netns.shell("sysctl -qw net.ipv4.tcp_congestion_control=" + name);
}

/* Namespaces of their own may do what the machine's first one allows them. */
class DctcpAllowed
{
    public:
	DctcpAllowed()
		: before_(run({ "sysctl", "-n", NAME }).out)
	{
		set(before_.substr(0, before_.find('\n')) + " dctcp");
	}
	~DctcpAllowed()
	{
		set(before_.substr(0, before_.find('\n')));
	}
	DctcpAllowed(const DctcpAllowed &) = delete;
	DctcpAllowed &operator=(const DctcpAllowed &) = delete;

    private:
	static constexpr const char *NAME = "net.ipv4.tcp_allowed_congestion_control";

	static void set(const std::string &list)
	{
		run({ "sysctl", "-qw", std::string(NAME) + "=" + list });
	}
	std::string before_;
};

std::string status_of(const Host &host, const Wire &wire)
{
	return host.rxaqm(wire.rx, { "status" }).out;
}

bool says(const std::string &text, const std::string &words)
{
	return text.find(words) != std::string::npos;
}

} // namespace

TEST_CASE("ect0: auto goes by the namespace of the interface, and says so", "[ect0]")
{
	Host host;
	Wire wire;

	do_tcp_by(wire.rx, "reno");
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	CAPTURE(status_of(host, wire));
	CHECK(says(status_of(host, wire),
		   "ect0 auto: classic, since tcp_congestion_control is reno\n"));
	Json status = host.json(wire.rx, { "status" });
	CHECK(status.text("/interfaces/0/ect0_auto") == "classic");
	CHECK(status.text("/interfaces/0/tcp_congestion_control") == "reno");
	/* Where the policy says, or the law does not ask, there is nothing to be told. */
	for (const char *setting : { "ect0=dctcp", "ect0=classic", "law=codel", "ecn=off" }) {
		CAPTURE(setting);
		REQUIRE(host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, setting }).exit_code ==
			0);
		CHECK_FALSE(says(status_of(host, wire), "ect0 auto"));
		REQUIRE(host.rxaqm(wire.rx, { "policy", "set", wire.rx_if, "ect0=auto", "law=auto",
					      "ecn=on" })
				.exit_code == 0);
	}
	CHECK(says(status_of(host, wire), "ect0 auto: classic"));
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
}

TEST_CASE("ect0: auto follows the namespace by command and by the daemon", "[ect0]")
{
	Run r;

	r.wire.rx.shell("modprobe tcp_dctcp 2>/dev/null || :");
	if (!says(run({ "cat", "/proc/sys/net/ipv4/tcp_available_congestion_control" }).out,
		  "dctcp"))
		SKIP("this kernel has no DCTCP");
	DctcpAllowed allowed;
	do_tcp_by(r.wire.rx, "dctcp");
	REQUIRE(r.host.rxaqm(r.wire.rx, { "attach", r.wire.rx_if }).exit_code == 0);
	CHECK(says(status_of(r.host, r.wire),
		   "ect0 auto: dctcp, since tcp_congestion_control is dctcp\n"));
	/* Nobody has looked since. */
	do_tcp_by(r.wire.rx, "reno");
	CHECK(says(status_of(r.host, r.wire),
		   "ect0 auto: dctcp, as it was; tcp_congestion_control is reno now: \"rxaqm policy "
		   "set " + r.wire.rx_if +
			   " ect0=auto\" goes by that\n"));
	REQUIRE(r.host.rxaqm(r.wire.rx, { "policy", "set", r.wire.rx_if, "ect0=auto" }).exit_code ==
		0);
	CHECK(says(status_of(r.host, r.wire),
		   "ect0 auto: classic, since tcp_congestion_control is reno\n"));

	r.service.configure(r.section("mode=observe\n"));
	r.service.start();
	do_tcp_by(r.wire.rx, "dctcp");
	CHECK(r.service.logged(r.wire.rx_if + ": ect0=auto is dctcp from now on: "
					      "tcp_congestion_control is dctcp"));
	CHECK(says(status_of(r.host, r.wire),
		   "ect0 auto: dctcp, since tcp_congestion_control is dctcp\n"));
}
