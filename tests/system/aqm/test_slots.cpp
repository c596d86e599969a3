// SPDX-License-Identifier: GPL-2.0-only
/* There are 64 slots, and 4096 queues: who gets room there, and how it comes free again that an
 * interface takes which a container has.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <list>

#include "daemon.hpp"
#include "nameless.hpp"

extern "C" {
#include "types.h"
}

namespace
{

/* How a namespace is held by others than a process that is in it. */
class Held
{
    public:
	Held(const Nameless &of, const std::string &mount_point)
		: point_(mount_point)
		, fd_(open(of.path().c_str(), O_RDONLY | O_CLOEXEC))
	{
		REQUIRE(fd_ >= 0);
		if (point_.empty())
			return;
		std::ofstream{ point_ };
		REQUIRE(mount(of.path().c_str(), point_.c_str(), nullptr, MS_BIND, nullptr) == 0);
		close(fd_);
	}
	~Held()
	{
		if (point_.empty()) {
			close(fd_);
		} else {
			umount2(point_.c_str(), MNT_DETACH);
			unlink(point_.c_str());
		}
	}
	Held(const Held &) = delete;
	Held &operator=(const Held &) = delete;

	/* Has it no interface with an XDP program? */
	bool is_clean() const
	{
		return run({ "nsenter", "--net=" + (point_.empty() ? fd_path() : point_), "ip",
			     "-d", "link" })
			       .out.find("prog/xdp") == std::string::npos;
	}

    private:
	std::string fd_path() const
	{
		return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_);
	}

	std::string point_;
	int fd_;
};

/* A daemon in a namespace with veth pairs, a0 to a(N-1) and b0 to b(N-1). */
struct Crowd {
	Host host;
	Netns netns;
	Service service{ host, netns };

	explicit Crowd(unsigned pairs, unsigned nr_queues = 1)
		: with_(" numrxqueues " + std::to_string(nr_queues) + " type veth peer name ")
	{
		std::ofstream batch(service.dir() + "/batch");

		for (unsigned i = 0; i < pairs; i++)
			batch << "link add a" << i << with_ << "b" << i << " numrxqueues 1\n";
		batch.close();
		netns.ip("-b " + service.dir() + "/batch");
	}
	void add(const std::string &ifname) const
	{
		netns.ip("link add " + ifname + with_ + "x" + ifname + " numrxqueues 1");
	}
	bool attached(const std::string &ifname) const
	{
		return xdp_on(netns, ifname) != 0;
	}
	unsigned nr_attached(char letter, unsigned pairs) const
	{
		unsigned nr = 0;

		for (unsigned i = 0; i < pairs; i++)
			nr += attached(letter + std::to_string(i));
		return nr;
	}
	bool told(unsigned nr_attached, const std::string &more = "")
	{
		return service.notified("STATUS=" + std::to_string(nr_attached) +
					(nr_attached == 1 ? " interface" : " interfaces") +
					" attached" + more + "\n");
	}
	unsigned count(const std::string &what) const
	{
		const std::string log = service.log();
		unsigned nr = 0;

		for (size_t at = 0; (at = log.find(what, at)) != std::string::npos; at++)
			nr++;
		return nr;
	}
	bool enforced(const std::string &ifname) const
	{
		return host.rxaqm(netns, { "policy", "save", ifname })
			       .out.find("\nmode=enforce\n") != std::string::npos;
	}
	/* The daemon has written its status @times times more: as many turns, at least. */
	void wait_turns(unsigned times) const
	{
		const std::string path = service.dir() + "/status.json";

		REQUIRE(eventually([&] { return std::filesystem::exists(path); }));
		for (unsigned i = 0; i < times; i++) {
			auto written = std::filesystem::last_write_time(path);

			REQUIRE(eventually(
				[&] { return std::filesystem::last_write_time(path) != written; }));
		}
	}

    private:
	std::string with_;
};

constexpr unsigned SLOTS = 64;
/* Of interfaces with so many queues, four take all there are. */
constexpr unsigned MANY = 1000, ROOM = RXAQM_MAX_QUEUES / MANY;

} // namespace

TEST_CASE("slots: --all reaches a namespace without a name, however it is held",
	  "[lifecycle][slots]")
{
	const std::string way = GENERATE("process", "file", "mount");
	const std::string mode = GENERATE("native", "generic");
	Host host;
	Wire wire;
	Nameless container;

	CAPTURE(way, mode);
	container.netns.remove();
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "-m", mode }).exit_code == 0);
	host.note_maps();
	container.take(wire.rx, wire.rx_if);
	{
		Held held(container, way == "mount" ? host.bpffs() + "-ns" : "");

		if (way != "process")
			container.end();
		CHECK_FALSE(held.is_clean());
		Result all = host.rxaqm({ "detach", "--all" });
		CAPTURE(all.text());
		CHECK(all.exit_code == 0);
		CHECK(all.out == "1 interface detached\n");
		CHECK(held.is_clean());
	}
	CHECK(host.gone());
}

TEST_CASE("slots: what cannot be reached is switched off, and its slot comes free later",
	  "[lifecycle][slots]")
{
	Host host;
	Wire wire;
	Nameless container;
	int socket = container.netns.socket(AF_INET, SOCK_DGRAM);

	container.netns.remove();
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "mode=enforce" }).exit_code == 0);
	REQUIRE(host.rxaqm(wire.tx, { "attach", wire.tx_if }).exit_code == 0);
	host.note_maps();
	container.take(wire.rx, wire.rx_if);
	container.end();

	Result all = host.rxaqm({ "detach", "--all" });
	CAPTURE(all.text());
	CHECK(all.exit_code == 1);
	CHECK(all.err.find("\"" + wire.rx_if +
			   "\" is in a network namespace that no process is in "
			   "or has open") != std::string::npos);
	CHECK(all.err.find("mode=off") != std::string::npos);
	CHECK(xdp_on(wire.tx, wire.tx_if) == 0);
	Json status = host.json(wire.tx, { "status" });
	CHECK(status.size("/interfaces") == 1);
	CHECK(status.text("/interfaces/0/queues/0/mode") == "off");

	/* The namespace ends, and the interface with it; the kernel takes a moment. */
	close(socket);
	CHECK(eventually([&] { return host.rxaqm({ "detach", "--all" }).exit_code == 0; }));
	CHECK(host.gone());
}

TEST_CASE("slots: of an interface whose namespace ended the slot is free when one is needed",
	  "[lifecycle][slots]")
{
	Host host;
	Netns here;
	std::list<Netns> there(3);
	int i = 0;

	/* They take up all queues. */
	for (const Netns &netns : there) {
		const std::string name = "old" + std::to_string(i++);

		netns.ip("link add " + name +
			 " numrxqueues 1300 type veth peer name peer numrxqueues 1");
		REQUIRE(host.rxaqm(netns, { "attach", name }).exit_code == 0);
	}
	host.note_maps();
	here.ip("link add new numrxqueues 1300 type veth peer name peer numrxqueues 1");
	Result full = host.rxaqm(here, { "attach", "new" });
	CAPTURE(full.text());
	CHECK(full.exit_code == 1);
	CHECK(full.err.find("no room for 1300 more queues") != std::string::npos);
	there.clear();
	CHECK(eventually([&] { return host.rxaqm(here, { "attach", "new" }).exit_code == 0; }));
	CHECK(host.rxaqm(here, { "detach", "--all" }).exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("slots: 64 containers do not hold them against detach --all", "[run][slots]")
{
	Crowd c(SLOTS);
	const auto home = std::filesystem::read_symlink("/proc/self/ns/net");
	std::ofstream batch(c.service.dir() + "/moves");
	std::list<Child> containers;
	RunOptions options;

	c.service.configure("[Interface a*]\n");
	c.service.start();
	CHECK(c.told(SLOTS));
	c.host.note_maps();
	options.prepare = [] { return unshare(CLONE_NEWNET); };
	options.timeout = std::chrono::hours(1);
	for (unsigned i = 0; i < SLOTS; i++) {
		containers.emplace_back(Args{ "sleep", "3600" }, options);
		const std::string pid = std::to_string(containers.back().pid());
		CHECK(eventually([&] {
			return std::filesystem::read_symlink("/proc/" + pid + "/ns/net") != home;
		}));
		batch << "link set a" << i << " netns " << pid << "\n";
	}
	batch.close();
	c.netns.ip("-b " + c.service.dir() + "/moves");
	CHECK(c.told(0));
	CHECK(c.service.stop().exit_code == 0);
	Result all = c.host.rxaqm({ "detach", "--all" });
	CAPTURE(all.text());
	CHECK(all.exit_code == 0);
	CHECK(all.out == "64 interfaces detached\n");
	CHECK(c.host.gone());
}

TEST_CASE("slots: who comes late gets none, and is told so once", "[run][slots]")
{
	Crowd c(ROOM + 2, MANY);

	c.add("own");
	c.service.configure("[Interface a*]\n[Interface own]\n");
	c.service.start();
	/* One that is named comes before those that a pattern fits. */
	CHECK(c.told(ROOM, ", 3 failed"));
	CHECK(c.attached("own"));
	CHECK(c.nr_attached('a', ROOM + 2) == ROOM - 1);
	CHECK(c.count("no room for 1000 more queues: rxaqm serves 256 interfaces and 4096 queues in "
		      "all; detach one that needs it less") == 3);

	/* No command's slot is taken by who waits, and an emergency stop stays one. */
	REQUIRE(c.host.rxaqm({ "detach", "--all" }).exit_code == 0);
	CHECK(c.told(0, ", 3 failed, 4 left off"));
	c.wait_turns(8);
	CHECK(c.nr_attached('a', ROOM + 2) == 0);
	c.service.reload();
	CHECK(c.told(ROOM, ", 3 failed"));
}
