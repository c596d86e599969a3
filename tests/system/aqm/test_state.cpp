// SPDX-License-Identifier: GPL-2.0-only
/* The pinned state: garbage in it, other versions of it, and commands that were interrupted. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "iface.h"
#include "meta.h"
}

#include "host.hpp"
#include "traffic.hpp"

namespace
{

/* The first word of meta_map: the ABI version. */
uint32_t abi_version(const Host &host, uint32_t set_to)
{
	int fd = bpf_obj_get((host.state_dir() + "/meta_map").c_str());
	uint32_t key = 0, value[sizeof(rxaqm_meta_info) / 4] = {}, was;

	REQUIRE(fd >= 0);
	REQUIRE(bpf_map_lookup_elem(fd, &key, value) == 0);
	was = value[0];
	value[0] = set_to;
	REQUIRE(bpf_map_update_elem(fd, &key, value, 0) == 0);
	close(fd);
	return was;
}

} // namespace

TEST_CASE("state: detach --all removes strange things from our directory", "[state]")
{
	Host host;

	REQUIRE(mkdir(host.state_dir().c_str(), 0700) == 0);
	pin_map(host.state_dir() + "/stray_map");
	pin_map(host.state_dir() + "/queue_map");
	host.note_maps();
	Result result = host.rxaqm({ "detach", "--all" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("state: attach clears away what an interrupted one left", "[state]")
{
	Host host;
	Wire wire;

	REQUIRE(mkdir(host.state_dir().c_str(), 0700) == 0);
	pin_map(host.state_dir() + "/queue_map");
	pin_map(host.state_dir() + "/link_tp_gro");
	CHECK(host.rxaqm(wire.rx, { "status", "--all" }).exit_code == 4);
	Result result = host.rxaqm(wire.rx, { "attach", wire.rx_if });
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	host.note_maps();
	CHECK(all_traffic(wire) == "");
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("state: detach --all works when pins are missing or strange", "[state]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	host.note_maps();

	SECTION("a stranger among them")
	{
		pin_map(host.state_dir() + "/stray_map");
	}
	SECTION("a link is missing")
	{
		REQUIRE(unlink((host.state_dir() + "/link_napi_poll").c_str()) == 0);
	}
	Result result = host.rxaqm({ "detach", "--all" });
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(host.gone());
	CHECK(all_traffic(wire) == "");
}

TEST_CASE("state: a map that was unpinned is told, and detach --all still helps", "[state]")
{
	const char *map = GENERATE("iface_map", "policy_map", "queue_map", "clock_est_map",
				   "clock_phc_map", "xsk_map", "wait_map");
	Host host;
	Wire wire;

	CAPTURE(map);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	host.note_maps();
	REQUIRE(unlink((host.state_dir() + "/" + map).c_str()) == 0);

	for (const Args &args : { Args{ "status" }, Args{ "attach", wire.rx_if },
				  Args{ "policy", "set", wire.rx_if, "target=3ms" } }) {
		Result result = host.rxaqm(wire.rx, args);

		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err.find("detach --all") != std::string::npos);
	}
	Result all = host.rxaqm({ "detach", "--all" });
	CAPTURE(all.text());
	CHECK(all.exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(host.gone());
}

TEST_CASE("state: another ABI version is refused with the remedy, and not touched", "[state]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	host.note_maps();
	uint32_t program = xdp_on(wire.rx, wire.rx_if), ours = abi_version(host, 12345);

	for (const Args &args :
	     { Args{ "status" }, Args{ "top", "-n", "1" }, Args{ "attach", wire.rx_if },
	       Args{ "policy", "set", wire.rx_if, "target=3ms" }, Args{ "detach", wire.rx_if },
	       Args{ "detach", "--all" } }) {
		Result result = host.rxaqm(wire.rx, args);

		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.out == "");
		CHECK(result.err.find("ABI version 12345") != std::string::npos);
		CHECK(result.err.find("with the rxaqm that attached") != std::string::npos);
	}
	CHECK(xdp_on(wire.rx, wire.rx_if) == program);
	CHECK(all_traffic(wire) == "");
	abi_version(host, ours);
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("state: a command at work is told from one that died", "[state]")
{
	Host host;
	Wire wire;

	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if }).exit_code == 0);
	host.note_maps();
	int map = bpf_obj_get((host.state_dir() + "/iface_map").c_str());
	int lock = open(host.state_dir().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto *iface = static_cast<rxaqm_iface *>(mmap(nullptr,
						      RXAQM_MAX_IFACES * sizeof(rxaqm_iface),
						      PROT_READ | PROT_WRITE, MAP_SHARED, map, 0));
	REQUIRE(lock >= 0);
	REQUIRE(iface != MAP_FAILED);
	auto trouble = [&] {
		Json status = host.json(wire.rx, { "status", wire.rx_if });

		return status.has("/interfaces/0/trouble") ? status.text("/interfaces/0/trouble") :
							     "";
	};
	auto check = [&] {
		return host.rxaqm(wire.rx, { "check", "-i", "100ms", wire.rx_if }).exit_code;
	};

	CHECK(trouble() == "");
	for (auto state : { RXAQM_IFACE_ATTACHING, RXAQM_IFACE_DETACHING }) {
		iface[0].state = state;
		REQUIRE(flock(lock, LOCK_EX) == 0);
		CHECK(trouble() == (state == RXAQM_IFACE_ATTACHING ?
					    "a command is attaching it now" :
					    "a command is detaching it now"));
		CHECK(check() == 0);
		REQUIRE(flock(lock, LOCK_UN) == 0);
		CHECK(eventually([&] { return trouble().find("interrupted") == 0; }));
		CHECK(eventually([&] { return check() == 2; }));
	}
	iface[0].state = RXAQM_IFACE_ATTACHED;
	CHECK(trouble() == "");
	munmap(iface, RXAQM_MAX_IFACES * sizeof(rxaqm_iface));
	close(lock);
	close(map);
	CHECK(host.rxaqm(wire.rx, { "detach", wire.rx_if }).exit_code == 0);
	CHECK(host.gone());
}

TEST_CASE("state: a bad word in an entry is told, and detach --all works whatever there is",
	  "[state]")
{
	const size_t word = GENERATE(Catch::Generators::range(size_t(0), sizeof(rxaqm_iface) / 4));
	Host host;
	Wire wire;
	uint32_t key = 0, value[sizeof(rxaqm_iface) / 4];

	CAPTURE(word);
	REQUIRE(host.rxaqm(wire.rx, { "attach", wire.rx_if, "mode=enforce" }).exit_code == 0);
	host.note_maps();
	int map = bpf_obj_get((host.state_dir() + "/iface_map").c_str());
	REQUIRE(bpf_map_lookup_elem(map, &key, value) == 0);
	value[word] = ~0U;
	REQUIRE(bpf_map_update_elem(map, &key, value, 0) == 0);
	close(map);
	for (const Args &args :
	     { Args{ "status" }, Args{ "top", "-n", "1" }, Args{ "hist" },
	       Args{ "policy", "show", wire.rx_if }, Args{ "check", "-i", "100ms" },
	       Args{ "policy", "set", "--all", "mode=observe" } }) {
		Result result = host.rxaqm(wire.rx, args);

		CAPTURE(result.text());
		CHECK(result.exit_code <= 4);
		if (word == offsetof(rxaqm_iface, nr_queues) / 4)
			CHECK(result.text().find("detach --all") != std::string::npos);
	}
	Result one = host.rxaqm(wire.rx, { "detach", wire.rx_if });
	CAPTURE(one.text());
	CHECK((one.exit_code == 0) == !xdp_on(wire.rx, wire.rx_if));
	Result all = host.rxaqm({ "detach", "--all" });
	CAPTURE(all.text());
	CHECK(all.exit_code == 0);
	CHECK(xdp_on(wire.rx, wire.rx_if) == 0);
	CHECK(host.gone());
}
