// SPDX-License-Identifier: GPL-2.0-only
/* What libxdp has pinned of an interface that went away. A foreign program stands in for the
 * dispatcher, so that any kernel will do.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "iface.h"
}

#include "daemon.hpp"
#include "host.hpp"
#include "nameless.hpp"
#include "traffic.hpp"

namespace
{

/* An interface attached as if by libxdp's dispatcher. */
struct Dispatched {
	Host host;
	Wire wire;
	int dispatcher = -1;

	/* @by_libxdp: what keeps the program is pinned by libxdp, else by anybody. */
	explicit Dispatched(bool by_libxdp = true)
	{
		RunOptions options;
		const std::string dir = host.bpffs() + "/xdp";

		options.environment = { "LIBXDP_SKIP_DISPATCHER=1" };
		REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }, options).exit_code == 0);
		host.note_maps();
		int program = bpf_prog_get_fd_by_id(xdp_on(wire.rx, wire.rx_if));
		REQUIRE(program >= 0);
		if (!by_libxdp) {
			REQUIRE(bpf_obj_pin(program, (host.bpffs() + "/held").c_str()) == 0);
			close(program);
			return;
		}
		xdp_off(wire.rx, wire.rx_if);
		uint32_t id = put_foreign_xdp(wire.rx, wire.rx_if);
		/* As the links of its programs keep it. */
		dispatcher = bpf_prog_get_fd_by_id(id);
		REQUIRE(dispatcher >= 0);
		const std::string pins = dir + "/dispatch-" +
					 std::to_string(wire.rx.ifindex(wire.rx_if)) + "-" +
					 std::to_string(id);
		mkdir(dir.c_str(), 0700); /* libxdp may have made it */
		REQUIRE(mkdir(pins.c_str(), 0700) == 0);
		REQUIRE(bpf_obj_pin(program, (pins + "/prog0-prog").c_str()) == 0);
		close(program);
		note_dispatcher();
	}
	~Dispatched()
	{
		if (dispatcher >= 0)
			close(dispatcher);
	}
	void note_dispatcher()
	{
		const size_t bytes = RXAQM_MAX_IFACES * sizeof(rxaqm_iface);
		int map = bpf_obj_get((host.state_dir() + "/iface_map").c_str());
		void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);

		REQUIRE(data != MAP_FAILED);
		static_cast<rxaqm_iface *>(data)[0].flags |= RXAQM_IFACE_DISPATCHER;
		munmap(data, bytes);
		close(map);
	}
};

} // namespace

/* Whether it is gone, or hidden, nobody can tell: only what is asked for by name is done. */
TEST_CASE("pins: those of an interface that is nowhere go with detach --all", "[pins]")
{
	const std::string way = GENERATE("deleted", "moved", "moved, and gone with the namespace");
	Nameless next;
	Dispatched d;
	RunOptions options;

	CAPTURE(way);
	d.wire.rx.ip("link add near0 type veth peer name near1");
	if (way == "deleted")
		d.wire.rx.ip("link del " + d.wire.rx_if);
	else
		next.take(d.wire.rx, d.wire.rx_if);
	next.netns.remove();
	if (way.ends_with("with the namespace"))
		next.end();

	options.environment = { "LIBXDP_SKIP_DISPATCHER=1" }; /* what is counted are the others */
	Result attach = d.host.rxaqm(d.wire.rx, { "attach", "-m", "generic", "near0" }, options);
	CAPTURE(attach.text());
	REQUIRE(attach.exit_code == 0);
	CHECK(d.host.dispatchers().size() == 1);
	CHECK(d.host.json(d.wire.rx, { "status" }).size("/interfaces") == 2);
	Result detach = d.host.rxaqm({ "detach", "--all" });
	CAPTURE(detach.text());
	CHECK(detach.exit_code == 0);
	CHECK(d.host.gone());
}

/* As the service, which may not look into processes: it hears the kernel say so. */
TEST_CASE("pins: the daemon frees those of an interface that is deleted, not of one that moves",
	  "[pins][run]")
{
	const bool deleted = GENERATE(true, false);
	Nameless next;
	Dispatched d;
	Service service(d.host, d.wire.rx);

	CAPTURE(deleted);
	service.configure("[Interface other*]\n");
	service.prepare([] { return prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE); });
	service.start();
	if (deleted) {
		d.wire.rx.ip("link del " + d.wire.rx_if);
		CHECK(eventually([&] { return d.host.dispatchers().empty(); }));
		CHECK(eventually(
			[&] { return d.host.rxaqm({ "status", "--all" }).exit_code == 4; }));
	} else {
		const std::string kept = *d.host.dispatchers().begin();

		next.take(d.wire.rx, d.wire.rx_if);
		/* By then the daemon has handled the message before. */
		d.wire.rx.ip("link add other0 type veth peer name peer0");
		CHECK(service.logged("other0: attached"));
		CHECK(d.host.dispatchers().count(kept) == 1);
		CHECK(d.host.json(d.wire.rx, { "status" }).size("/interfaces") == 2);
	}
	CHECK(service.stop().exit_code == 0);
	CHECK(d.host.rxaqm({ "detach", "--all" }).exit_code == 0);
}

TEST_CASE("pins: an interface that is gone, or hidden, is told from one that is elsewhere",
	  "[gone]")
{
	/* The stand-in for a dispatcher does not show what it has: it is for what is lost. */
	const std::string kind = GENERATE("deleted", "moved", "moved, and gone with the namespace",
					  "moved, and hidden", "moved to one with a name",
					  "deleted; pinned by libxdp",
					  "moved, and gone with the namespace; pinned by libxdp",
					  "moved, and hidden; pinned by libxdp");
	const std::string way = kind.substr(0, kind.find(';'));
	const bool lost = way == "deleted" || way.starts_with("moved, and");
	const bool pinned_by_libxdp = way != kind;
	Netns named;
	Nameless next;
	Dispatched d(pinned_by_libxdp);
	const std::string rx_if = d.wire.rx_if;
	int held = -1;

	CAPTURE(way, pinned_by_libxdp);
	if (way == "deleted")
		d.wire.rx.ip("link del " + rx_if);
	else if (way == "moved to one with a name")
		d.wire.rx.ip("link set " + rx_if + " netns " + named.name());
	else
		next.take(d.wire.rx, rx_if);
	if (way.ends_with("hidden"))
		held = open(next.path().c_str(), O_RDONLY | O_CLOEXEC);
	next.netns.remove();
	if (way.starts_with("moved, and"))
		next.end();

	/* A namespace goes a moment after its last process. */
	const std::string said = lost ? "the interface is gone, or in a network namespace that has "
					"no name in /run/netns and no process in it" :
					"in another network namespace";
	auto trouble = [&](const Netns &from) {
		return d.host.json(from, { "status" }).text("/interfaces/0/trouble");
	};
	CHECK(eventually([&] { return trouble(d.wire.rx).starts_with(said); },
			 std::chrono::seconds(10)));
	CAPTURE(trouble(d.wire.rx));
	Result check = d.host.rxaqm(d.wire.rx, { "check", "-i", "100ms" });
	CAPTURE(check.text());
	CHECK(check.exit_code == (lost ? 2 : 0));
	CHECK((check.out.find(rx_if + " is not guarded: the interface is gone, or") !=
	       std::string::npos) == lost);
	/* As monitoring has it, which is in none of these. */
	CHECK(trouble(d.wire.tx).starts_with(said));
	/* What is said of it works. */
	if (lost && pinned_by_libxdp) {
		Result detach = d.host.rxaqm(d.wire.rx, { "detach", "--all" });
		CAPTURE(detach.text());
		CHECK(detach.exit_code == 0);
		CHECK(d.host.rxaqm({ "status", "--all" }).exit_code == 4);
	}
	if (held >= 0)
		close(held);
}
