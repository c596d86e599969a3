// SPDX-License-Identifier: GPL-2.0-only
/* Kernels before 5.13; 5.10 is the oldest supported one. Native mode by polls works; all else is
 * refused, with the name of what the kernel lacks.
 */
#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "frames.hpp"
#include "guest.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

namespace
{

void on_older_kernel()
{
	in_guest();
	if (kernel_version() >= 513)
		SKIP("is about kernels before 5.13");
}

/* On an emulated CPU the verifier takes a minute instead of a second. */
Result attach(const Host &host, const Wire &wire, const Args &settings)
{
	Args command = host.command(wire.rx, { "attach", wire.rx_if });
	RunOptions options;

	options.timeout = 5min;
	command.insert(command.end(), settings.begin(), settings.end());
	return run(command, host.with_environment(options));
}

} /* namespace */

TEST_CASE("older: native mode enforces, says what is missing, and is detached as it was", "[older]")
{
	on_older_kernel();
	Host host;
	std::unique_ptr<Wire> wire = wire_of("virtio_net");
	Frames frames(*wire);

	wire->rx.ip("link set " + wire->rx_if + " promisc on");
	Result result = attach(host, *wire,
			       { "mode=enforce", "law=codel", "target=1ms", "interval=20ms" });
	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
	Json status = host.json(wire->rx, { "status" });
	CHECK(status.text("/interfaces/0/xdp_mode") == "native");
	CHECK(status.text("/interfaces/0/stamp") == "none");
	CHECK(status.text("/interfaces/0/notes/0").find("older than 5.13") != std::string::npos);
	CHECK(all_traffic(*wire).empty());

	/* Not make_slow(): NAPI has no threads to pin before 5.12. */
	must({ build_path("rig/rigctl"), "--netns", wire->rx.name(), "burn", "attach", wire->rx_if,
	       "cost=100us" });
	frames.trickle(20);
	auto stat = [&](const char *name) { return host.stat(wire->rx, wire->rx_if, name); };
	{
		Load load(frames);

		CHECK(eventually([&] { return stat("drop") > 0 && stat("ecn_mark") > 0; }, 60s));
	}
	CAPTURE(host.rxaqm(wire->rx, { "status", "--all" }).out);
	/* ICMP, ARP and pure ACKs are not touched, as on other kernels. */
	for (FrameKind kind : { ICMP_ECHO, ARP_REQUEST })
		CHECK(frames.counts[kind].marked == 0);
	CHECK(host.rxaqm(wire->rx, { "detach", wire->rx_if }).exit_code == 0);
	CHECK(xdp_on(wire->rx, wire->rx_if) == 0);
	CHECK(host.gone());
}

TEST_CASE("older: what is missing is refused by name, and leaves nothing", "[older]")
{
	on_older_kernel();
	Host host;
	Wire wire;

	for (const Args &wanted :
	     { Args{ "--mode=generic" }, Args{ "signal=stamp" }, Args{ "--hook=tp" } }) {
		Result result = attach(host, wire, wanted);

		CAPTURE(wanted[0], result.text());
		CHECK(result.exit_code == 3);
		CHECK(result.err.find("atomic instructions") != std::string::npos);
		CHECK(result.err.find("Linux 5.12") != std::string::npos);
		CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
		CHECK(host.gone());
	}
}

TEST_CASE("older: the daemon attaches, and its end leaves that", "[older]")
{
	on_older_kernel();
	Host host;
	Wire wire;
	const std::string dir = host.bpffs() + "-run";
	RunOptions options;

	std::filesystem::create_directory(dir);
	std::ofstream(dir + "/rxaqm.conf")
		<< "[Daemon]\nsettle=100ms\n\n[Interface " << wire.rx_if << "]\n";
	options.timeout = 5min;
	options.environment = { "RUNTIME_DIRECTORY=" + dir };
	Child daemon(host.command(wire.rx, { "run", "--config", dir + "/rxaqm.conf" }),
		     host.with_environment(options));
	CHECK(eventually([&] { return xdp_on(wire.rx, wire.rx_if) != 0; }, 4min));
	CHECK(all_traffic(wire).empty());
	daemon.kill(SIGTERM);
	Result result = daemon.wait();
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) != 0);
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(host.gone());
	std::filesystem::remove_all(dir);
}
