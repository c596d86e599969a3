// SPDX-License-Identifier: GPL-2.0-only
/* What libxdp has pinned of an interface that went away, freed by whoever may not look into
 * processes, as the service may not. A foreign program stands in for the dispatcher, so that any
 * kernel will do.
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

TEST_CASE("pins: those of an interface that is gone are freed without a look at processes",
	  "[pins]")
{
	const std::string way = GENERATE("deleted", "deleted, others near", "moved", "moved on");
	const bool deleted = way.starts_with("deleted");
	Nameless next, last;
	Dispatched d;
	RunOptions options;

	CAPTURE(way);
	/* A neighbour, as containers are. */
	d.wire.rx.ip("link add near0 type veth peer name near1");
	next.take(d.wire.rx, "near1");
	if (way == "deleted, others near") {
		d.wire.rx.ip("link add far0 type veth peer name far1");
		next.take(d.wire.rx, "far0");
		next.take(d.wire.rx, "far1");
		last.take_from(next, "far1");
	}
	if (deleted)
		d.wire.rx.ip("link del " + d.wire.rx_if);
	else
		next.take(d.wire.rx, d.wire.rx_if);
	if (way == "moved on")
		last.take_from(next, d.wire.rx_if);
	next.netns.remove();
	last.netns.remove();

	options.prepare = [] { return prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE); };
	options.environment = { "LIBXDP_SKIP_DISPATCHER=1" }; /* what is counted are the others */
	Result attach = d.host.rxaqm(d.wire.rx, { "attach", "-m", "generic", "near0" }, options);
	CAPTURE(attach.text());
	REQUIRE(attach.exit_code == 0);
	size_t left = deleted ? 0 : 1;
	CHECK(d.host.dispatchers().size() == left);
	CHECK(d.host.json(d.wire.rx, { "status" }).size("/interfaces") == 1 + left);
	Result detach = d.host.rxaqm({ "detach", "--all" });
	CAPTURE(detach.text());
	CHECK(detach.exit_code == 0);
	CHECK(d.host.dispatchers().empty());
}

TEST_CASE("pins: an interface that is gone is told from one that is elsewhere", "[gone]")
{
	const std::string way = GENERATE("deleted", "deleted, others near", "moved", "moved on",
					 "moved, and gone with the namespace",
					 "moved, and deleted there", "moved to one with a name");
	const bool gone = way.find("delete") != std::string::npos ||
			  way.find("gone") != std::string::npos;
	const bool pinned_by_libxdp = GENERATE(true, false);
	Netns named;
	Nameless next, last;
	Dispatched d(pinned_by_libxdp);
	const std::string rx_if = d.wire.rx_if;

	CAPTURE(way, pinned_by_libxdp);
	/* A neighbour, as containers are. */
	d.wire.rx.ip("link add near0 type veth peer name near1");
	next.take(d.wire.rx, "near1");
	if (way.starts_with("deleted"))
		d.wire.rx.ip("link del " + rx_if);
	else if (way == "moved to one with a name")
		d.wire.rx.ip("link set " + rx_if + " netns " + named.name());
	else
		next.take(d.wire.rx, rx_if);
	if (way == "moved on")
		last.take_from(next, rx_if);
	if (way == "moved, and deleted there")
		next.netns.ip("link del " + rx_if);
	next.netns.remove();
	last.netns.remove();
	if (way.ends_with("with the namespace"))
		next.end();

	/* A namespace goes a moment after its last process. */
	const std::string said = gone ? "is gone" : "in another network namespace";
	auto trouble = [&](const Netns &from) {
		return d.host.json(from, { "status" }).text("/interfaces/0/trouble");
	};
	CHECK(eventually([&] { return trouble(d.wire.rx).find(said) != std::string::npos; },
			 std::chrono::seconds(10)));
	CAPTURE(trouble(d.wire.rx));
	Result check = d.host.rxaqm(d.wire.rx, { "check", "-i", "100ms" });
	CAPTURE(check.text());
	CHECK(check.exit_code == (gone ? 2 : 0));
	CHECK((check.out.find(rx_if + " is not guarded: the interface is gone") !=
	       std::string::npos) == gone);
	/* As monitoring has it, which is in none of these. */
	CHECK(trouble(d.wire.tx).find(said) != std::string::npos);
	/* What is said of it works. */
	if (gone) {
		Result detach = d.host.rxaqm(d.wire.rx, { "detach", "--all" });
		CAPTURE(detach.text());
		CHECK(detach.exit_code == 0);
		CHECK(d.host.rxaqm({ "status" }).exit_code == 4);
	}
}
