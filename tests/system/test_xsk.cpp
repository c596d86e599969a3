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

#include "afxdp.hpp"
#include "hints.hpp"
#include "host.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

namespace
{

constexpr uint64_t US = RXAQM_NSEC_PER_USEC, MS = RXAQM_NSEC_PER_MSEC;

bool has(const std::string &text, const std::string &what)
{
	return text.find(what) != std::string::npos;
}

/* An interface of @queues queues that rxaqm is attached to. */
struct Attached {
	Host host;
	Wire wire;

	explicit Attached(Args settings = {}, unsigned queues = 1)
		: wire(queues)
	{
		Args args = { "attach", wire.rx_if };

		args.insert(args.end(), settings.begin(), settings.end());
		Result result = host.rxaqm(wire.rx, args);
		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
	}
	int64_t stat(const std::string &name)
	{
		return host.stat(wire.rx, wire.rx_if, name);
	}
	/* The interface's only socket, served from the next poll on. */
	std::unique_ptr<AfXdp> serve(unsigned queue = 0)
	{
		auto socket = std::make_unique<AfXdp>(wire.rx, wire.rx_if, queue);

		socket->join(host, queue);
		return socket;
	}
};

/* Datagrams one by one until the socket has @n of them. */
std::vector<SocketPacket> ping(Datagrams &datagrams, AfXdp &socket, unsigned n)
{
	std::vector<SocketPacket> packets;

	for (unsigned tries = 0; packets.size() < n && tries < 2 * n + 100; tries++) {
		datagrams.send();
		for (SocketPacket &packet : socket.receive(64, 100))
			if (packet.number())
				packets.push_back(std::move(packet));
	}
	return packets;
}

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
	size_t by_stack, by_one = 0, by_three = 0;

	datagrams.send(64); /* polls after which all know of the sockets */
	std::this_thread::sleep_for(50ms);
	one->receive(1024);
	three->receive(1024);
	datagrams.received_by_stack();
	for (int i = 0; i < 40; i++) {
		datagrams.send(64);
		std::this_thread::sleep_for(2ms);
		for (const SocketPacket &packet : one->receive(1024))
			by_one += packet.number() && seen.insert(packet.number()).second;
		for (const SocketPacket &packet : three->receive(1024))
			by_three += packet.number() && seen.insert(packet.number()).second;
	}
	std::this_thread::sleep_for(50ms);
	for (const SocketPacket &packet : one->receive(1024))
		by_one += packet.number() && seen.insert(packet.number()).second;
	for (const SocketPacket &packet : three->receive(1024))
		by_three += packet.number() && seen.insert(packet.number()).second;
	by_stack = 0;
	for (uint32_t number : datagrams.received_by_stack())
		by_stack += seen.insert(number).second;
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

TEST_CASE("xsk: attach and detach clear what consumers have said, of their own queues", "[xsk]")
{
	Attached a({}, 2);
	Wire other;

	REQUIRE(a.host.rxaqm(other.rx, { "attach", other.rx_if }).exit_code == 0);
	WaitMap waits(a.host);
	for (unsigned i = 0; i < 4; i++)
		waits.publish(i, MS);
	auto kept = a.serve(1);
	Datagrams datagrams(a.wire, 16);
	REQUIRE(ping(datagrams, *kept, 20).size() == 20);
	REQUIRE(a.host.rxaqm(other.rx, { "detach", other.rx_if }).exit_code == 0);
	CHECK(waits[0].updated_ns > 0);
	CHECK(waits[1].updated_ns > 0);
	CHECK(waits[2].updated_ns == 0);
	CHECK(waits[2].wait_ns == 0);
	CHECK(waits[3].updated_ns > 0); /* nobody's */
	/* The socket of the other interface is where it was. */
	CHECK(ping(datagrams, *kept, 20).size() == 20);
	waits.publish(2, MS);
	REQUIRE(a.host.rxaqm(other.rx, { "attach", other.rx_if }).exit_code == 0);
	CHECK(waits[2].updated_ns == 0);
}

TEST_CASE("xsk: status and top tell the consumer's wait from the NIC's", "[xsk]")
{
	Attached a({ "signal=stamp", "target=5ms", "interval=4s" });
	auto socket = a.serve();
	Datagrams datagrams(a.wire);
	WaitMap waits(a.host);

	REQUIRE(ping(datagrams, *socket, 20).size() == 20);
	Result status = a.host.rxaqm(a.wire.rx, { "status" });
	CAPTURE(status.text());
	CHECK(has(status.out, "goes to a socket"));
	CHECK(has(status.out, "says nothing of its wait"));
	CHECK(has(status.out, "signal=stamp sees none of them"));
	CHECK_FALSE(has(status.out, "stamps missing"));

	waits[0].pid = 4711;
	waits[0].ring_entries = 1024;
	waits[0].ring_full = 3;
	waits.publish(0, 1500 * US);
	Json json = a.host.json(a.wire.rx, { "status" });
	const std::string at = "/interfaces/0/queues/0/socket";
	CHECK(json.text(at + "/wait_state") == "valid");
	CHECK(json.number(at + "/wait_ns") == 1500000);
	CHECK(json.number(at + "/wait_age_ns") > 0);
	CHECK(json.number(at + "/nic_sojourn_ns") == 0);
	CHECK(json.number(at + "/pid") == 4711);
	CHECK(json.number(at + "/ring_entries") == 1024);
	/* The kernel's own figure goes before the consumer's, where it tells one. */
	CHECK(json.number(at + "/ring_full") == (json.has(at + "/bound") ? 0 : 3));
	waits.publish(0, 1500 * US);
	Result top = a.host.rxaqm(a.wire.rx, { "top", "-n", "1", "-i", "10ms" });
	CAPTURE(top.text());
	CHECK(has(top.out, "observe, xsk 1.50 ms"));
	waits.publish(0, 1500 * US);
	Result plain = a.host.rxaqm(a.wire.rx, { "top", "-j", "-n", "1", "-i", "10ms" });
	Json row(plain.out);
	CHECK(row.flag("/queues/0/socket"));
	CHECK(row.number("/queues/0/socket_wait_ns") == 1500000);

	waits.publish(0, 11 * RXAQM_NSEC_PER_SEC);
	CHECK(has(a.host.rxaqm(a.wire.rx, { "status" }).out, "is not believed"));
	REQUIRE(ping(datagrams, *socket, 5).size() == 5);
	CHECK(a.stat("wait_bad") >= 5);
}

TEST_CASE("xsk: a consumer that is too slow has its senders slow down, if enforced", "[xsk]")
{
	/* It takes 20 packets a millisecond at most, of up to 900 in flight: 45 ms. */
	constexpr unsigned BATCH = 20, IN_FLIGHT = 900;
	const bool ect = GENERATE(false, true);
	Attached a({ "target=5ms", "interval=50ms" });
	auto socket = a.serve();
	Datagrams datagrams(a.wire, 1, ect ? 2 : 0);
	WaitMap waits(a.host);
	uint32_t seen = 0, adapted_at = 0;
	unsigned window = IN_FLIGHT;
	bool congested = false;

	/* A sender as TCP is, and its receiver. The mean wait of the last half of @duration. */
	auto run = [&](std::chrono::milliseconds duration) {
		const auto begin = std::chrono::steady_clock::now();
		uint64_t sum_ns = 0, packets = 0;

		for (auto next = begin; next < begin + duration; next += 1ms) {
			while (datagrams.sent() - seen < window)
				datagrams.send();
			for (const SocketPacket &packet : socket->receive(BATCH)) {
				if (!packet.number() || !packet.meta)
					continue;
				uint64_t wait_ns = packet.taken_ns - packet.meta->host_ns;

				congested |= packet.number() > seen + 1 || packet.ecn() == 3;
				seen = packet.number();
				waits.publish(0, wait_ns);
				if (next >= begin + duration / 2) {
					sum_ns += wait_ns;
					packets++;
				}
			}
			if (seen - adapted_at >= window) {
				window = congested ? std::max(window / 2, 2U) :
						     std::min(window + 1, IN_FLIGHT);
				congested = false;
				adapted_at = datagrams.sent();
			}
			std::this_thread::sleep_until(next + 1ms);
		}
		REQUIRE(packets > 100);
		return sum_ns / packets;
	};
	CAPTURE(ect);
	const uint64_t observed_ns = run(700ms);
	CHECK(a.stat(ect ? "would_ecn_mark" : "would_drop") > 0);
	CHECK(a.stat("drop") + a.stat("ecn_mark") == 0);
	REQUIRE(a.host.rxaqm(a.wire.rx, { "policy", "set", a.wire.rx_if, "mode=enforce" })
			.exit_code == 0);
	const uint64_t enforced_ns = run(3000ms);
	CAPTURE(observed_ns, enforced_ns, a.host.rxaqm(a.wire.rx, { "status" }).out);
	CHECK(a.stat(ect ? "ecn_mark" : "drop") > 0);
	CHECK(a.stat(ect ? "drop" : "ecn_mark") == 0);
	CHECK(observed_ns > 20 * MS);
	CHECK(enforced_ns < observed_ns / 2);
	CHECK(enforced_ns < 15 * MS);
	CHECK(socket->statistics().rx_ring_full == 0);
}
