// SPDX-License-Identifier: GPL-2.0-only
/* Kernel lockdown: programs may not read kernel memory, and so no stamps of packets. Lockdown
 * cannot be undone, so this test is the last in its guest.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "guest.hpp"
#include "traffic.hpp"

namespace
{

const char *const LOCKDOWN = "/sys/kernel/security/lockdown";

bool is_locked(const std::string &level)
{
	return slurp(LOCKDOWN).find("[" + level + "]") != std::string::npos;
}

void lock_down(const std::string &level)
{
	std::ofstream(LOCKDOWN) << level << std::flush;
	REQUIRE(is_locked(level));
}

void need_lockdown()
{
	in_guest();
	if (access(LOCKDOWN, F_OK))
		mount("securityfs", "/sys/kernel/security", "securityfs", 0, nullptr);
	if (access(LOCKDOWN, F_OK))
		SKIP("this kernel has no lockdown");
}

struct Stamped {
	Host host;
	Wire wire;
	std::string mode;

	Result attach(const std::string &signal)
	{
		return host.rxaqm(wire.rx, { "attach", wire.rx_if, "-m", mode, "-p",
					     source_path("tests/rig/veth-simclock.conf"),
					     "signal=" + signal });
	}
};

/* Exit code 3, the obstacle, and the remedy. */
void check_refused(const Result &result)
{
	CAPTURE(result.text());
	CHECK(result.exit_code == 3);
	CHECK(result.err.find("lockdown") != std::string::npos);
	CHECK(result.err.find("signal=busy") != std::string::npos);
}

} // namespace

TEST_CASE("lockdown: integrity takes nothing away", "[lockdown]")
{
	Stamped s;

	need_lockdown();
	if (is_locked("confidentiality"))
		SKIP("locked down further already");
	if (!is_locked("integrity"))
		lock_down("integrity");
	s.mode = GENERATE("native", "generic");
	CAPTURE(s.mode);
	Result attached = s.attach("auto");
	CAPTURE(attached.text());
	REQUIRE(attached.exit_code == 0);
	REQUIRE(all_traffic(s.wire) == "");
	CHECK(s.host.rxaqm(s.wire.rx, { "detach", s.wire.rx_if }).exit_code == 0);
}

TEST_CASE("lockdown: confidentiality refuses stamps, by name, and signal=busy attaches",
	  "[lockdown]")
{
	Stamped s;

	need_lockdown();
	if (!is_locked("confidentiality"))
		lock_down("confidentiality");
	s.mode = GENERATE("native", "generic");
	CAPTURE(s.mode);
	check_refused(s.attach("auto"));
	CHECK(xdp_on(s.wire.rx, s.wire.rx_if) == 0);
	CHECK(s.host.gone());

	Result attached = s.attach("busy");
	CAPTURE(attached.text());
	REQUIRE(attached.exit_code == 0);
	REQUIRE(all_traffic(s.wire) == "");
	CHECK(s.host.stat(s.wire.rx, s.wire.rx_if, "packets") > 0);
	CHECK(s.host.rxaqm(s.wire.rx, { "policy", "set", s.wire.rx_if, "mode=enforce" }).exit_code ==
	      0);
	check_refused(s.host.rxaqm(s.wire.rx, { "policy", "set", s.wire.rx_if, "signal=auto" }));
	CHECK(s.host.json(s.wire.rx, { "policy", "show", s.wire.rx_if })
		      .text("/policies/0/signal") == "busy");
	REQUIRE(all_traffic(s.wire) == "");
	CHECK(s.host.rxaqm(s.wire.rx, { "detach", s.wire.rx_if }).exit_code == 0);
	CHECK(s.host.gone());
}
