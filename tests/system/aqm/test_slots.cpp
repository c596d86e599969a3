// SPDX-License-Identifier: GPL-2.0-only
/* There are 64 slots, and 4096 queues: who gets room there, and how it comes free again that an
 * interface takes which a container has.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

TEST_CASE("slots: --all reaches a namespace without a name by the process in it",
	  "[lifecycle][slots]")
{
	const std::string mode = GENERATE("native", "generic");
	Host host;
	Wire wire;
	Nameless container;
	auto is_clean = [&] {
		return run({ "nsenter", "--net=" + container.path(), "ip", "-d", "link" })
			       .out.find("prog/xdp") == std::string::npos;
	};

	CAPTURE(mode);
	container.netns.remove();
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "-m", mode }).exit_code == 0);
	host.note_maps();
	container.take(wire.rx, wire.rx_if);
	CHECK_FALSE(is_clean());
	Result all = host.rxaqm({ "detach", "--all" });
	CAPTURE(all.text());
	CHECK(all.exit_code == 0);
	CHECK(all.out == "1 interface detached\n");
	CHECK(is_clean());
	CHECK(host.gone());
}

/* A FIFO: whoever opens it waits. A user who may do nothing mounts a namespace, hides the mount,
 * and leaves a link in its place.
 */
TEST_CASE("slots: a search for namespaces opens nothing that a user has put in its way",
	  "[lifecycle][slots]")
{
	Host host;
	Wire wire;
	RunOptions options;
	const std::string dir = must({ "mktemp", "-d", "/tmp/rxaqm-way-XXXXXX" });
	const std::string base = dir.substr(0, dir.size() - 1), fifo = base + "/fifo";

	REQUIRE(chmod(base.c_str(), 0777) == 0);
	REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
	options.timeout = std::chrono::hours(1);
	Child user({ "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "unshare",
		     "-Urmn", "sh", "-c",
		     "cd " + base +
			     " && mkdir d && touch d/x && mount --bind /proc/self/ns/net "
			     "d/x && mount -t tmpfs t d && ln -s " +
			     fifo + " d/x && touch done && exec sleep 3600" },
		   options);
	if (!eventually([&] { return access((base + "/done").c_str(), F_OK) == 0; })) {
		must({ "rm", "-rf", base });
		SKIP("a user may not make namespaces here");
	}
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	Result all = host.rxaqm({ "detach", "--all" });
	CAPTURE(all.text());
	CHECK(all.exit_code == 0);
	CHECK(all.out == "1 interface detached\n");

	/* A name leads to a namespace, and to nothing else. */
	const std::string name = "way" + std::to_string(getpid());
	const bool linked = GENERATE(false, true);
	const std::string path = "/run/netns/" + name;
	REQUIRE((linked ? symlink(("/run/netns/" + wire.rx.name()).c_str(), path.c_str()) :
			  mkfifo(path.c_str(), 0600)) == 0);
	Result status = host.rxaqm({ "--netns", name, "status" });
	unlink(path.c_str());
	must({ "rm", "-rf", base });
	CAPTURE(linked, status.text());
	CHECK(status.exit_code == 1);
	CHECK(status.err.find("no network namespace \"" + name +
			      "\" in /run/netns: it is something else, such as a link") !=
	      std::string::npos);
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
			   "\" is in a network namespace that has no name in /run/netns and no "
			   "process in it") != std::string::npos);
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
