// SPDX-License-Identifier: GPL-2.0-only
/* The probes of rxaqm doctor --deep: what each measures, and what it leaves as it was. */
#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <thread>

#include "doctor.hpp"
#include "traffic.hpp"

extern "C" {
#include "doctor/collect/collect.h"
#include "doctor/deep/deep.h"
#include "doctor/snapshot/get.h"
}

namespace
{

/* A probe that runs within @netns while @work is done, and a snapshot that knows its interfaces. */
class Probed
{
    public:
	Probed(const Netns &netns, void (*run)(doctor_deep *deep), std::function<void()> work)
	{
		volatile int stop = 0;
		doctor_deep deep = { &snap, &stop, 60000000000 };
		std::thread probe([&] {
			netns.enter([&] {
				if (!doctor_collect_links(&snap, &snap.after, nullptr))
					run(&deep);
			});
		});

		/* It may not have begun: more than once. */
		for (int i = 0; i < 20; i++) {
			work();
			std::this_thread::sleep_for(100ms);
		}
		stop = 1;
		probe.join();
		for (size_t i = 0; i < snap.cannot_see.nr; i++)
			blind += std::string(snap.cannot_see.at[i].what) + ": " +
				 snap.cannot_see.at[i].why + "\n";
	}
	~Probed()
	{
		doctor_snapshot_free(&snap);
	}
	uint64_t number(const char *name) const
	{
		__u64 value;

		return doctor_map_get(snap.deep, name, &value) ? value : 0;
	}
	doctor_snapshot snap = {};
	std::string blind;
};

} // namespace

TEST_CASE("doctor: the probe of polls counts what NAPIs do", "[doctor][deep][probes]")
{
	Host host;
	Wire wire;
	Probed probed(wire.rx, doctor_probe_polls,
		      [&] { udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 200); });
	uint64_t packets = 0;

	INFO(probed.blind);
	CHECK(probed.number("polls_ns"));
	for (size_t i = 0; i < probed.snap.deep_napis.nr; i++) {
		const doctor_deep_napi &napi = probed.snap.deep_napis.at[i];

		packets += napi.packets;
		CHECK(napi.polls);
		CHECK(napi.busy <= napi.polls);
		CHECK(napi.longest_poll_ns <= napi.poll_ns);
		CHECK(napi.longest_wait_ns <= napi.wait_ns);
		/* Of a CPU there is not more than all. */
		CHECK(napi.poll_ns + napi.wait_ns <= probed.number("polls_ns") + 100000000);
	}
	/* The work of the backlog, where veth has no NAPI of its own. */
	CHECK(packets >= 200);
}

TEST_CASE("doctor: BPF programs are counted only while the probe runs", "[doctor][deep][probes]")
{
	Host host;
	Wire wire;

	must({ build_path("rig/rigctl"), "--netns", wire.rx.name(), "burn", "attach", wire.rx_if,
	       "cost=50us" });

	Probed probed(wire.rx, doctor_probe_progs,
		      [&] { udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 100); });
	bool found = false;

	INFO(probed.blind);
	CHECK(probed.number("progs_ns"));
	for (size_t i = 0; i < probed.snap.deep_progs.nr; i++) {
		const doctor_deep_prog &prog = probed.snap.deep_progs.at[i];

		if (std::string(prog.name) != "rig_burn" || prog.run_ns < prog.runs * 50000)
			continue;
		found = true;
		CHECK(std::string(prog.type) == "sched_cls");
	}
	CHECK(found);

	std::ifstream file("/proc/sys/kernel/bpf_stats_enabled");
	int enabled = -1;

	file >> enabled;
	CHECK(enabled == 0);
}

TEST_CASE("doctor: the probe of late softirqs tells waits by CPU", "[doctor][deep][probes][oldest]")
{
	Host host;
	Wire wire;
	Probed probed(wire.rx, doctor_probe_late,
		      [&] { udp_transfer(wire.tx, wire.rx, Wire::RX_IP4, 200); });
	uint64_t waits = 0;

	INFO(probed.blind);
	CHECK(probed.number("late_ns"));
	for (size_t i = 0; i < probed.snap.deep_late.nr; i++) {
		const doctor_deep_late &cpu = probed.snap.deep_late.at[i];

		waits += cpu.waits;
		CHECK(cpu.p99_ns <= cpu.longest_ns);
		CHECK(cpu.longest_ns < probed.number("late_ns"));
		CHECK(*cpu.held_by);
	}
	CHECK(waits >= 20);
}

/* A filter that takes nothing, and a port that nobody has. */
TEST_CASE("doctor: the probe of drops tells the reason and the function",
	  "[doctor][deep][probes][oldest]")
{
	Host host;
	Netns netns, other;

	set_up(netns);
	set_up(other);

	UdpFlow refused(netns), elsewhere(other);
	sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
	const sock_fprog filter = { 1, &nothing };
	sockaddr_in nobody = loopback(9);

	for (int socket : { refused.rx, elsewhere.rx })
		REQUIRE(!setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)));
	Probed probed(netns, doctor_probe_drops, [&] {
		refused.send(100, 10);
		elsewhere.send(10000, 10);
		for (int i = 0; i < 50; i++)
			sendto(elsewhere.tx, "x", 1, 0, (sockaddr *)&nobody, sizeof(nobody));
		for (int i = 0; i < 50; i++)
			sendto(refused.tx, "x", 1, 0, (sockaddr *)&nobody, sizeof(nobody));
	});
	std::map<std::string, uint64_t> drops;

	INFO(probed.blind);
	CHECK(probed.number("drops_ns"));
	for (size_t i = 0; i < probed.snap.deep_drops.nr; i++) {
		const doctor_deep_drop &drop = probed.snap.deep_drops.at[i];

		if (std::string(drop.place).find("udp") != std::string::npos)
			drops[drop.reason] += drop.drops;
		CHECK(std::string(drop.reason).find("SKB_") != 0);
	}
	for (const auto &[reason, nr] : drops)
		UNSCOPED_INFO(reason << " " << nr);
	CHECK(drops["SOCKET_FILTER"] >= 100);
	/* Of the other namespace none. */
	CHECK(drops["SOCKET_FILTER"] <= 20 * 100);
	CHECK(drops["NO_SOCKET"] >= 50);
	CHECK(drops["NO_SOCKET"] <= 20 * 50);
}
