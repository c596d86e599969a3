// SPDX-License-Identifier: GPL-2.0-only
/* Queues that go to AF_XDP sockets, on a veth in native mode and otherwise: every packet goes
 * somewhere, with the truth in front of it, whatever becomes of the socket.
 */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <csignal>
#include <random>
#include <set>
#include <thread>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "hints.hpp"
#include "served.hpp"
#include "text.hpp"

using namespace std::chrono_literals;

namespace
{

constexpr uint64_t MS = RXAQM_NSEC_PER_MSEC;

} // namespace

TEST_CASE("xsk: every packet goes to the socket, and what is in front of it is true", "[xsk]")
{
	const std::string way = GENERATE("native", "generic", "hint");
	if (way == "hint")
		need_hints();
	Attached a(way == "native"  ? Args{} :
		   way == "generic" ? Args{ "-m", "generic", "--key=queue" } :
				      Args{ "signal=hint" });
	auto socket = a.serve();
	Datagrams datagrams(a.wire);
	uint64_t last_ns = 0;

	CAPTURE(way);
	for (uint32_t i = 1; i <= 500; i++) {
		uint64_t before_ns = monotonic_ns();
		datagrams.send();
		std::vector<SocketPacket> packets;
		/* Something else may be on its way, such as neighbour discovery. */
		for (int tries = 0; tries < 10 && packets.empty(); tries++) {
			packets = socket->receive(64, 1000);
			std::erase_if(packets, [](auto &packet) { return !packet.number(); });
		}
		CAPTURE(i);
		REQUIRE(packets.size() == 1);
		const SocketPacket &packet = packets[0];
		CHECK(packet.number() == i);
		REQUIRE(packet.meta);
		CHECK(packet.meta->version == RXAQM_META_VERSION);
		CHECK(packet.meta->size == sizeof(rxaqm_meta));
		CHECK(packet.meta->host_ns >= before_ns);
		CHECK(packet.meta->host_ns <= packet.taken_ns);
		CHECK(packet.meta->host_ns > last_ns);
		CHECK(packet.meta->hw_ns == 0); /* a veth has no stamps */
		CHECK((packet.meta->flags & ~RXAQM_META_STANDING) == 0);
		last_ns = packet.meta->host_ns;
	}
	CHECK(datagrams.received_by_stack().empty());
	CHECK(a.stat("redirect") >= 500);
	CHECK(a.stat("drop") == 0);
	CHECK(socket->statistics().rx_dropped == 0);
}

TEST_CASE("xsk: queues with a socket go there, the others to the stack", "[xsk]")
{
	Attached a({}, 4);
	auto one = a.serve(1), three = a.serve(3);
	Datagrams datagrams(a.wire, 64);
	std::set<uint32_t> seen;
	size_t by_stack = 0, by_one = 0, by_three = 0;
	auto all = [&] {
		for (const SocketPacket &packet : one->receive(1024))
			by_one += packet.number() && seen.insert(packet.number()).second;
		for (const SocketPacket &packet : three->receive(1024))
			by_three += packet.number() && seen.insert(packet.number()).second;
		for (uint32_t number : datagrams.received_by_stack(1))
			by_stack += seen.insert(number).second;
		return seen.size();
	};

	datagrams.send(64); /* polls after which all know of the sockets */
	REQUIRE(eventually([&] { return all() == 64; }));
	seen.clear();
	by_stack = by_one = by_three = 0;
	for (size_t i = 1; i <= 40; i++) {
		datagrams.send(64);
		REQUIRE(eventually([&] { return all() == i * 64; }));
	}
	CAPTURE(by_one, by_three, by_stack);
	CHECK(by_one > 0);
	CHECK(by_three > 0);
	CHECK(by_stack > 0);
	CHECK(seen.size() == 40 * 64);

	Json status = a.host.json(a.wire.rx, { "status", a.wire.rx_if });
	for (unsigned i = 0; i < 4; i++) {
		const std::string at = "/interfaces/0/queues/" + std::to_string(i);

		CAPTURE(i);
		CHECK(status.has(at + "/socket") == (i % 2 == 1));
		CHECK((status.number(at + "/stats/redirect") > 0) == (i % 2 == 1));
	}
	Json policy = a.host.json(a.wire.rx, { "policy", "show", a.wire.rx_if });
	REQUIRE(policy.size("/policies/0/socket_queues") == 2);
	CHECK(policy.number("/policies/0/socket_queues/0") == 1);
	CHECK(policy.number("/policies/0/socket_queues/1") == 3);
	CHECK(has(a.host.rxaqm(a.wire.rx, { "policy", "show", a.wire.rx_if }).out,
		  "to sockets: queue 1 3\n"));
}

TEST_CASE("xsk: a socket that is closed under traffic hands over to the stack", "[xsk]")
{
	Attached a;
	Datagrams datagrams(a.wire);

	for (int round = 0; round < 5; round++) {
		auto socket = a.serve();
		std::atomic<bool> stop{ false };

		REQUIRE(ping(datagrams, *socket, 20).size() == 20);
		datagrams.received_by_stack(1);
		std::thread sender([&] {
			while (!stop) {
				datagrams.send();
				std::this_thread::sleep_for(200us);
			}
		});
		std::this_thread::sleep_for(20ms);
		socket.reset();
		const uint32_t closed_at = datagrams.sent();
		eventually([&] { return datagrams.sent() > closed_at + 50; });
		stop = true;
		sender.join();

		std::vector<uint32_t> numbers = datagrams.received_by_stack();
		std::set<uint32_t> later(numbers.begin(), numbers.end());
		CAPTURE(round, closed_at, datagrams.sent(), later.size());
		REQUIRE(datagrams.sent() > closed_at + 10);
		/* One may have been on its way when the socket went. */
		for (uint32_t i = closed_at + 2; i <= datagrams.sent(); i++)
			CHECK(later.count(i) == 1);
	}
	REQUIRE(all_traffic(a.wire) == "");
	CHECK_FALSE(a.host.json(a.wire.rx, { "status" }).has("/interfaces/0/queues/0/socket"));
}

TEST_CASE("xsk: a consumer killed at any moment leaves a stack that receives", "[xsk]")
{
	Attached a({ "mode=enforce", "target=1ms", "interval=20ms" });
	std::mt19937 random(12345);
	Datagrams datagrams(a.wire);
	unsigned served = 0;

	for (int round = 0; round < 15; round++) {
		const auto lifetime = std::chrono::microseconds(random() % 60000);
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			try {
				AfXdp socket(a.wire.rx, a.wire.rx_if, 0);
				WaitMap waits(a.host);
				socket.join(a.host, 0);
				for (;;) {
					socket.receive(8, 1);
					/* Far over target: it must not outlive the consumer. */
					waits.publish(0, 50 * MS);
				}
			} catch (...) {
			}
			_exit(1);
		}
		const auto end = std::chrono::steady_clock::now() + lifetime;
		while (std::chrono::steady_clock::now() < end) {
			datagrams.send();
			std::this_thread::sleep_for(100us);
		}
		kill(pid, SIGKILL);
		int status = 0;
		REQUIRE(waitpid(pid, &status, 0) == pid);
		REQUIRE(WIFSIGNALED(status));
		/* The kernel closes what it had open before it is gone. */
		datagrams.received_by_stack(1);
		datagrams.send(20);
		std::vector<uint32_t> numbers = datagrams.received_by_stack();
		CAPTURE(round, lifetime.count());
		CHECK(numbers.size() == 20);
		served = a.stat("redirect") > 0;
	}
	CHECK(served);
	CHECK(all_traffic(a.wire) == "");
	CHECK(a.host.rxaqm(a.wire.rx, { "detach", a.wire.rx_if }).exit_code == 0);
}

TEST_CASE("xsk: detach under a socket leaves nothing behind", "[xsk]")
{
	const bool all = GENERATE(false, true);
	Attached a;
	auto socket = a.serve();
	Datagrams datagrams(a.wire);

	REQUIRE(ping(datagrams, *socket, 20).size() == 20);
	a.host.note_maps();
	Result detached = all ? a.host.rxaqm({ "detach", "--all" }) :
				a.host.rxaqm(a.wire.rx, { "detach", a.wire.rx_if });
	CAPTURE(detached.text());
	CHECK(detached.exit_code == 0);
	CHECK(xdp_on(a.wire.rx, a.wire.rx_if) == 0);
	CHECK(a.host.gone());
	socket->receive(1024);
	datagrams.send(20);
	CHECK(datagrams.received_by_stack().size() == 20);
	CHECK(socket->receive(1024).empty());

	/* The same queue anew: the old socket is not there by itself, but may join again. */
	REQUIRE(a.host.rxaqm(a.wire.rx, { "attach", a.wire.rx_if }).exit_code == 0);
	datagrams.send(20);
	CHECK(datagrams.received_by_stack().size() == 20);
	socket->join(a.host, 0);
	CHECK(ping(datagrams, *socket, 20).size() == 20);
}
