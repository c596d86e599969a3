// SPDX-License-Identifier: GPL-2.0-only
/* The daemon: interfaces come, go, change names, queues and rings; it is killed. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/mount.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "daemon.hpp"
#include "interrupt.hpp"
#include "traffic.hpp"

using std::chrono::microseconds;

namespace
{

struct Events {
	Host host;
	Netns netns;
	Service service{ host, netns };

	void add(const std::string &name, unsigned queues = 1)
	{
		std::string n = " numrxqueues " + std::to_string(queues) + " numtxqueues " +
				std::to_string(queues);

		netns.ip("link add " + name + n + " type veth peer name p" + name + n);
		netns.ip("link set dev " + name + " up");
		netns.ip("link set dev p" + name + " up");
	}
	bool attached(const std::string &name)
	{
		return eventually([&] { return xdp_on(netns, name) != 0; });
	}
	int64_t queues(const std::string &name)
	{
		return host.status_number(netns, name, "/nr_queues");
	}
	size_t nr_attached()
	{
		Result status = host.rxaqm(netns, { "status", "-j" });

		return status.exit_code == 4 ? 0 : Json(status.out).size("/interfaces");
	}
};

} // namespace

TEST_CASE("run: interfaces that appear are attached, those that vanish forgotten", "[run]")
{
	Events e;

	e.service.configure("[Interface ev*]\ntarget=3ms\n");
	e.service.start();
	CHECK(e.service.notifications().find("STATUS=0 interfaces") != std::string::npos);
	for (int round = 0; round < 2; round++) {
		e.add("ev0");
		e.add("ev1");
		e.add("other0");
		CAPTURE(e.service.log());
		CHECK(e.attached("ev0"));
		CHECK(e.attached("ev1"));
		CHECK(e.service.notified("STATUS=2 interfaces"));
		CHECK(xdp_on(e.netns, "other0") == 0);
		CHECK(e.host.status_number(e.netns, "ev1", "/queues/0/target_ns") == 3000000);
		for (const char *name : { "ev0", "ev1", "other0" })
			e.netns.ip("link del " + std::string(name));
		CHECK(e.service.notified("STATUS=0 interfaces"));
		e.service.forget();
		/* The registry is left clean, too. */
		CHECK(eventually([&] { return e.nr_attached() == 0; }, std::chrono::seconds(60)));
	}
	CHECK(e.service.log().find("detached by a command") == std::string::npos);
	CHECK(e.service.log().find("error") == std::string::npos);
	CHECK(e.service.stop().exit_code == 0);
}

TEST_CASE("run: a new name means a new section", "[run]")
{
	Events e;

	e.add("ev0");
	e.service.configure("[Interface ev*]\ntarget=3ms\n[Interface ren*]\ntarget=4ms\n");
	e.service.start();
	uint32_t prog = xdp_on(e.netns, "ev0");
	REQUIRE(prog);
	/* The same section: nothing changes. */
	e.netns.ip("link set dev ev0 name ev9");
	CHECK(e.service.logged("ev0: is called ev9 now"));
	CHECK(xdp_on(e.netns, "ev9") == prog);
	/* Another: its policy, but no new attachment. */
	e.netns.ip("link set dev ev9 name ren0");
	CHECK(eventually([&] {
		return e.host.status_number(e.netns, "ren0", "/queues/0/target_ns") == 4000000;
	}));
	CHECK(xdp_on(e.netns, "ren0") == prog);
	/* None: detached. */
	e.netns.ip("link set dev ren0 name free0");
	CHECK(eventually([&] { return xdp_on(e.netns, "free0") == 0; }));
	/* And back. */
	e.netns.ip("link set dev free0 name ren1");
	CHECK(e.attached("ren1"));
	CAPTURE(e.service.log());
	CHECK(e.service.stop().exit_code == 0);
}

TEST_CASE("run: a name given for a moment only is not attached", "[run]")
{
	Events e;

	e.service.configure("[Daemon]\nsettle=700ms\n[Interface ev*]\n");
	e.service.start();
	e.add("ev0");
	e.netns.ip("link set dev ev0 name final0");
	std::this_thread::sleep_for(std::chrono::milliseconds(1500));
	CAPTURE(e.service.log());
	CHECK(xdp_on(e.netns, "final0") == 0);
	CHECK(e.service.log().find("attached") == std::string::npos);
}

TEST_CASE("run: more queues than there was room for are attached to", "[run]")
{
	Events e;
	unsigned cpus = unsigned(sysconf(_SC_NPROCESSORS_CONF)), most = 2 * cpus + 2;

	e.add("ev0", most);
	/* With XDP, veth takes no fewer Rx queues than the peer has Tx queues. */
	e.netns.shell("ethtool -L pev0 tx 1");
	e.netns.shell("ethtool -L ev0 rx 1");
	e.service.configure("[Interface ev0]\ntarget=3ms\n");
	e.service.start();
	/* There is room for one a CPU from the beginning: no new attachment for these. */
	uint32_t prog = xdp_on(e.netns, "ev0");
	CAPTURE(e.service.log());
	REQUIRE(prog);
	CHECK(e.queues("ev0") == cpus);
	/* Room is no queue, and nothing to complain of. */
	Result room = e.host.rxaqm(e.netns, { "status", "ev0" });
	std::string says = cpus > 1 ? ", 1 queue (room for " + std::to_string(cpus) + ")" :
				      ", 1 queue";
	CAPTURE(room.text());
	CHECK(room.out.starts_with("1 interface, 1 queue: none stands\n"));
	CHECK(room.out.find(says) != std::string::npos);
	CHECK(room.out.find("queue 1") == std::string::npos);
	CHECK(room.out.find("idle") == std::string::npos);
	CHECK(e.host.json(e.netns, { "status", "ev0" }).size("/interfaces/0/queues") == 1);
	e.netns.shell("ethtool -L ev0 rx " + std::to_string(cpus));
	std::this_thread::sleep_for(std::chrono::milliseconds(1500));
	CHECK(xdp_on(e.netns, "ev0") == prog);
	/* For more there is one, and what the operator has set meanwhile is kept. */
	REQUIRE(e.host.rxaqm(e.netns, { "policy", "set", "-q", "0", "ev0", "target=6ms" })
			.exit_code == 0);
	e.netns.shell("ethtool -L ev0 rx " + std::to_string(most));
	CHECK(e.service.logged("ev0: attached anew (it has more queues now)"));
	CAPTURE(e.service.log());
	CHECK(e.queues("ev0") == most);
	Json status = e.host.json(e.netns, { "policy", "show", "ev0" });
	CHECK(status.number("/policies/0/target_ns") == 6000000);
	CHECK(status.number("/policies/0/last_queue") == 0);
	CHECK(status.number("/policies/1/target_ns") == 3000000);
	CHECK(e.service.stop().exit_code == 0);
}

TEST_CASE("run: kill -9 at any moment leaves what the next start puts right", "[run]")
{
	Host host;
	Wire wire;
	Service service{ host, wire.rx };
	Args command = host.command(wire.rx, { "run", "--config", service.config_path() });
	RunOptions options = host.with_environment();

	options.environment.push_back("RUNTIME_DIRECTORY=" + service.dir());
	options.prepare = [] { return 0; };
	service.configure("[Interface " + wire.rx_if + "]\nmode=enforce\n");
	/* Random, but the same each time; most of it falls into the attaching. */
	unsigned seed = 1;
	for (int i = 0; i < 12; i++) {
		run_for(command, options, microseconds(20000 + rand_r(&seed) % 400000));
		CAPTURE(i);
		CHECK(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 3) == 3);
		Result status = host.rxaqm(wire.rx, { "status", "-j" });
		CAPTURE(status.text());
		CHECK((status.exit_code == 0 || status.exit_code == 4));
		if (i % 3 == 2) {
			service.start();
			CHECK(host.json(wire.rx, { "status" }).size("/interfaces") == 1);
			CHECK_FALSE(host.json(wire.rx, { "status" }).has("/interfaces/0/trouble"));
			CHECK(xdp_on(wire.rx, wire.rx_if));
			CHECK(service.stop(SIGKILL).signal == SIGKILL);
		}
		if (i % 4 == 3) {
			CHECK(host.rxaqm({ "detach", "--all" }).exit_code == 0);
			host.release_held();
			CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
			CHECK(host.gone());
		}
	}
}

TEST_CASE("run: kill -9 before each of its changes leaves what the next start puts right", "[run]")
{
	Host host;
	Wire wire;
	Service service{ host, wire.rx };
	Args command = host.command(wire.rx, { "run", "--config", service.config_path() });
	RunOptions options = host.with_environment();
	unsigned places = 0;

	options.environment.push_back("RUNTIME_DIRECTORY=" + service.dir());
	service.configure("[Interface " + wire.rx_if + "]\nmode=enforce\n");
	for (unsigned n = 0; n < 60; n += 5, places++) {
		CAPTURE(n);
		if (!run_until_change(command, options, n))
			break;
		CHECK(udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 3) == 3);
		service.start();
		CHECK(host.json(wire.rx, { "status" }).size("/interfaces") == 1);
		CHECK_FALSE(host.json(wire.rx, { "status" }).has("/interfaces/0/trouble"));
		service.stop(SIGKILL);
		REQUIRE(host.rxaqm({ "detach", "--all" }).exit_code == 0);
		host.release_held();
		REQUIRE(host.gone());
	}
	CHECK(places >= 5);
}

TEST_CASE("run: a BPF file system that goes and comes back", "[run]")
{
	Host host;
	Wire wire;
	Service service{ host, wire.rx };

	service.configure("[Interface " + wire.rx_if + "]\nmode=enforce\n");
	service.start();
	service.notifications();
	service.forget();
	REQUIRE(umount2(host.bpffs().c_str(), MNT_DETACH) == 0);
	CHECK(service.logged("is not a BPF file system; mount it with"));
	CHECK(service.notified("STATUS=0 interfaces attached; the BPF file system is gone"));
	CHECK(all_traffic(wire) == "");
	/* Nor do commands take it for nothing attached. */
	for (const Args &args : { Args{ "status" }, Args{ "detach", wire.rx_if } }) {
		Result result = host.rxaqm(wire.rx, args);

		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("rxaqm's own program") != std::string::npos);
		CHECK(result.err.find("mount -t bpf -o mode=0700 bpf " + host.bpffs()) !=
		      std::string::npos);
	}
	REQUIRE(mount("bpf", host.bpffs().c_str(), "bpf", 0, "mode=0700") == 0);
	if (GENERATE(false, true)) {
		/* One that starts later does not know the program left, and says what to do. */
		service.kill();
		service.start();
		CHECK(service.logged("ip link set dev " + wire.rx_if + " xdp off"));
		CHECK(service.notified("STATUS=0 interfaces attached, 1 failed"));
		CHECK(all_traffic(wire) == "");
		xdp_off(wire.rx, wire.rx_if);
	} else {
		CHECK(service.logged("the BPF file system is back"));
		CHECK(service.logged("attached, native mode", std::chrono::seconds(1)));
	}
	CHECK(service.notified("STATUS=1 interface attached", std::chrono::seconds(20)));
	CAPTURE(service.log());
	CHECK(host.json(wire.rx, { "status" }).text("/interfaces/0/queues/0/mode") == "enforce");
	CHECK(xdp_on(wire.rx, wire.rx_if));
	CHECK(all_traffic(wire) == "");
	CHECK(service.stop().exit_code == 0);
}

TEST_CASE("run: no BPF file system at the start is said with the remedy", "[run]")
{
	Host host;
	Netns netns;
	Service service{ host, netns };

	REQUIRE(umount2(host.bpffs().c_str(), MNT_DETACH) == 0);
	Result start = service.start_fails();
	CAPTURE(start.text());
	CHECK(start.exit_code == 1);
	CHECK(start.err.find("mount -t bpf -o mode=0700 bpf " + host.bpffs()) != std::string::npos);
}
