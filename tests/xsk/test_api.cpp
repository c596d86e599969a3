// SPDX-License-Identifier: GPL-2.0-only
/* The library: what it refuses, what it delivers, what it publishes. */
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>

#include "traffic.hpp"
#include "xsk.hpp"

using namespace std::chrono_literals;

/* As the kernel stamps packets: CLOCK_MONOTONIC. */
static int64_t now_ns()
{
	return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST_CASE("xsk: what cannot be opened is refused, each with its own error", "[xsk]")
{
	Attached a;
	Socket socket;

	CHECK(socket.open(a.wire.rx, "nosuch0") == -ENODEV);
	CHECK(socket.open(a.wire.tx, a.wire.tx_if) == -ENOENT); /* there, not attached */
	CHECK(socket.open(a.wire.rx, a.wire.rx_if, 1) == -ERANGE);
	CHECK(socket.open(a.wire.rx, a.wire.rx_if, 4096) == -ERANGE);
	CHECK(socket.open(a.wire.rx, a.wire.rx_if, ~0U) == -ERANGE);
	CHECK(a.host.rxaqm(a.wire.rx, { "detach", a.wire.rx_if }).exit_code == 0);
	CHECK(socket.open(a.wire.rx, a.wire.rx_if) == -ENOENT);
	CHECK(a.host.rxaqm({ "detach", "--all" }).exit_code == 0);
	CHECK(socket.open(a.wire.rx, a.wire.rx_if) == -ENOENT); /* no state at all */
}

TEST_CASE("xsk: options that make no sense are refused", "[xsk]")
{
	Attached a;
	Socket socket;
	const rxaqm_xsk_options wrong[] = {
		{ 0, 0, 0, RXAQM_XSK_COPY_AUTO },
		{ sizeof(rxaqm_xsk_options) + 8, 0, 0, RXAQM_XSK_COPY_AUTO },
		{ sizeof(rxaqm_xsk_options), 1000, 0, RXAQM_XSK_COPY_AUTO },
		{ sizeof(rxaqm_xsk_options), 1U << 20, 0, RXAQM_XSK_COPY_AUTO },
		{ sizeof(rxaqm_xsk_options), 0, 1500, RXAQM_XSK_COPY_AUTO },
		{ sizeof(rxaqm_xsk_options), 0, 0, rxaqm_xsk_copy(3) },
	};

	for (const rxaqm_xsk_options &options : wrong)
		CHECK(socket.open(a.wire.rx, a.wire.rx_if, 0, &options) == -EINVAL);
	/* A veth has no zero-copy. */
	rxaqm_xsk_options never = RXAQM_XSK_OPTIONS;

	never.copy = RXAQM_XSK_COPY_NEVER;
	CHECK(socket.open(a.wire.rx, a.wire.rx_if, 0, &never) == -EOPNOTSUPP);
}

TEST_CASE("xsk: a queue that is a CPU's backlog has no socket", "[xsk]")
{
	Attached a({ "--mode=generic", "--key=cpu" });
	Socket socket;

	CHECK(socket.open(a.wire.rx, a.wire.rx_if) == -EADDRNOTAVAIL);
}

TEST_CASE("xsk: the maps of another version are refused", "[xsk]")
{
	Attached a;
	Socket socket;
	std::string pin = a.host.state_dir() + "/meta_map";

	must({ "bpftool", "map",   "update", "pinned", pin, "key", "0", "0", "0",
	       "0",	  "value", "99",     "0",      "0", "0",   "0", "0", "0",
	       "0",	  "0",	   "0",	     "0",      "0", "0",   "0", "0", "0" });
	CHECK(socket.open(a.wire.rx, a.wire.rx_if) == -EPROTO);
	run({ "rm", "-rf", a.host.state_dir() });
}

TEST_CASE("xsk: every error has words, and remedies name a command", "[xsk]")
{
	std::set<std::string> all;
	const int errors[] = { -ENODEV, -ENOENT, -EPROTO,     -ERANGE, -EADDRNOTAVAIL,
			       -EBUSY,	-EPERM,	 -EOPNOTSUPP, -ESTALE, -ENOMEM };

	for (int err : errors)
		all.insert(rxaqm_xsk_strerror(err));
	CHECK(all.size() == std::size(errors));
	CHECK(all.count("") == 0);
	CHECK(std::string(rxaqm_xsk_strerror(-ENOENT)).find("rxaqm attach") != std::string::npos);
}

TEST_CASE("xsk: one consumer a queue; when it leaves the next may come", "[xsk]")
{
	Attached a;
	Socket first, second;

	REQUIRE(first.open(a.wire.rx, a.wire.rx_if) == 0);
	CHECK(second.open(a.wire.rx, a.wire.rx_if) == -EBUSY);
	Result result = run(a.consumer({ "-s", "1", a.wire.rx_if }));
	CHECK(result.exit_code == 1);
	CHECK(result.out.empty());
	CHECK(result.err ==
	      "rxaqm-xsk: cannot open queue 0 of \"" + a.wire.rx_if +
		      "\": the queue has another consumer; \"rxaqm status IFACE\" tells its pid\n");
	/* The one that is there has not noticed. */
	send_some(a.wire, 10);
	CHECK(first.drain(100ms) >= 10);
	first.close();
	CHECK(second.open(a.wire.rx, a.wire.rx_if) == 0);
}

TEST_CASE("xsk: packets arrive whole, with metadata, for longer than there are frames", "[xsk]")
{
	const bool generic = GENERATE(false, true);
	Attached a(generic ? Args{ "--mode=generic", "--key=queue" } : Args{});
	rxaqm_xsk_options options = RXAQM_XSK_OPTIONS;
	rxaqm_xsk_stats stats = {};
	Socket socket;

	CAPTURE(generic);
	options.ring_entries = 64;
	options.frame_size = 2048;
	REQUIRE(socket.open(a.wire.rx, a.wire.rx_if, 0, &options) == 0);
	unsigned received = 0;
	Flood flood(a.wire, 0, 200);

	for (int i = 0; i < 20 && received <= 1000; i++)
		received += socket.drain(1500ms, 16);
	uint64_t sent = flood.stop();

	received += socket.drain(100ms, 16);
	stats.size = sizeof(stats);
	REQUIRE(rxaqm_xsk_get_stats(socket.get(), &stats) == 0);
	CHECK(sent > 1000);
	/* Some of the kernel's own come along. */
	CHECK(received >= sent - stats.ring_full);
	CHECK(stats.received == received);
	CHECK(stats.ring_entries == 64);
	CHECK(stats.zero_copy == 0);
	CHECK(stats.dropped == 0);
	CHECK(socket.with_meta == received);
	CHECK(a.stat("redirect") >= int64_t(received));
}

TEST_CASE("xsk: what a packet holds is what was sent", "[xsk]")
{
	Attached a;
	rxaqm_xsk_packet packet;
	Socket socket;
	int nr = 0;

	REQUIRE(socket.open(a.wire.rx, a.wire.rx_if) == 0);
	socket.drain(50ms);
	send_some(a.wire, 1);
	REQUIRE(eventually([&] {
		nr = rxaqm_xsk_receive(socket.get(), &packet, 1);
		if (nr == 1 && memcmp(static_cast<char *>(packet.data) + 12, "\x08\0", 2)) {
			rxaqm_xsk_release(socket.get(), &packet, 1);
			nr = 0;
		}
		return nr == 1;
	}));
	const auto *frame = static_cast<const uint8_t *>(packet.data);

	REQUIRE(packet.len > 42);
	CHECK(!memcmp(frame, "\x02\0\0\0\x77\x02", 6)); /* to RX_MAC */
	CHECK(!memcmp(frame + 30, "\x0a\x4d\0\x02", 4)); /* to RX_IP4 */
	REQUIRE(packet.meta);
	CHECK(reinterpret_cast<const uint8_t *>(packet.meta + 1) == frame);
	/* One cache line holds it and the Ethernet header. */
	CHECK(reinterpret_cast<uintptr_t>(packet.meta) / 64 ==
	      reinterpret_cast<uintptr_t>(frame + 13) / 64);
	CHECK(packet.meta->host_ns > 0);
	CHECK(packet.meta->hw_ns == 0); /* nothing stamps here */
	rxaqm_xsk_release(socket.get(), &packet, 1);
	/* Given back, a frame says nothing any more. */
	CHECK(reinterpret_cast<const rxaqm_meta *>(frame)[-1].magic == 0);
}

TEST_CASE("xsk: several queues, each with its socket", "[xsk]")
{
	Attached a({}, 2);
	Socket sockets[2];

	for (unsigned queue : { 0U, 1U })
		REQUIRE(sockets[queue].open(a.wire.rx, a.wire.rx_if, queue) == 0);
	Flood flood(a.wire, 0, 100, 32);
	unsigned received[2] = {};

	for (int i = 0; i < 40; i++)
		for (unsigned queue : { 0U, 1U })
			received[queue] += sockets[queue].drain(10ms);
	uint64_t sent = flood.stop();

	for (unsigned queue : { 0U, 1U })
		received[queue] += sockets[queue].drain(50ms);
	CHECK(received[0] > 100);
	CHECK(received[1] > 100);
	CHECK(received[0] + received[1] >= sent);
	CHECK(a.published(0).pid == a.published(1).pid);
	/* Closing one leaves the other. */
	sockets[0].close();
	CHECK(a.published(0).pid == 0);
	CHECK(a.published(1).pid == unsigned(getpid()));
}

TEST_CASE("xsk: the wait is published: of the newest taken, 0 when empty, nothing when closed",
	  "[xsk]")
{
	Attached a;
	Socket socket;
	rxaqm_xsk_packet packets[64];

	CHECK(a.published().updated_ns == 0);
	REQUIRE(socket.open(a.wire.rx, a.wire.rx_if) == 0);
	socket.drain(50ms);
	const int64_t before = a.stat("redirect");
	send_some(a.wire, 20);
	REQUIRE(eventually([&] { return a.stat("redirect") >= before + 20; }));
	std::this_thread::sleep_for(30ms);
	const int64_t before_ns = now_ns();
	int nr = rxaqm_xsk_receive(socket.get(), packets, 64);
	const int64_t after_ns = now_ns();
	rxaqm_wait wait = a.published();

	REQUIRE(nr >= 20);
	/* The kernel may have sent something meanwhile; the newest is what counts. */
	const int64_t came_ns = int64_t(packets[nr - 1].meta->host_ns);

	CHECK(before_ns - int64_t(packets[19].meta->host_ns) >= 30'000'000);
	rxaqm_xsk_release(socket.get(), packets, unsigned(nr));
	CHECK(int64_t(wait.wait_ns) >= before_ns - came_ns);
	CHECK(int64_t(wait.wait_ns) <= after_ns - came_ns);
	CHECK(wait.updated_ns > 0);
	CHECK(wait.pid == unsigned(getpid()));
	CHECK(wait.ring_entries == 2048);
	CHECK(wait.ring_full == 0);
	CHECK(eventually([&] { return rxaqm_xsk_receive(socket.get(), packets, 0) == 0; }));
	CHECK(a.published().wait_ns == 0);
	CHECK(a.published().updated_ns > wait.updated_ns);
	socket.close();
	wait = a.published();
	CHECK(wait.updated_ns == 0);
	CHECK(wait.pid == 0);
	CHECK(wait.ring_entries == 0);
}

TEST_CASE("xsk: what the full ring cost is published", "[xsk]")
{
	Attached a;
	Socket socket;
	rxaqm_xsk_options options = RXAQM_XSK_OPTIONS;

	options.ring_entries = 64;
	REQUIRE(socket.open(a.wire.rx, a.wire.rx_if, 0, &options) == 0);
	send_some(a.wire, 200);
	size_t taken = 0;
	CHECK(eventually([&] {
		taken += size_t(socket.drain(100ms));
		return a.published().ring_full >= 130;
	}));
	CHECK(taken >= 64);
}

TEST_CASE("xsk: a consumer that is killed leaves the packets to the stack", "[xsk]")
{
	Attached a;

	for (int i = 0; i < 3; i++) {
		Child consumer(a.consumer({ a.wire.rx_if }), a.host.with_environment());

		REQUIRE(eventually([&] { return a.published().pid == unsigned(consumer.pid()); }));
		CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 1) == 0);
		consumer.kill(SIGKILL);
		consumer.wait();
		CHECK(eventually([&] {
			return udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10;
		}));
	}
	CHECK(a.stat("drop") == 0);
}

TEST_CASE("xsk: a consumer in a time namespace publishes its wait by the host's clock",
	  "[xsk][timens]")
{
	const std::string offset = GENERATE("100000", "-5");
	const Args aside = { "unshare", "--time", "--fork", "--monotonic", offset };
	Attached a;
	Args command = a.consumer({ "-s", "5", a.wire.rx_if });

	CAPTURE(offset);
	if (run({ "unshare", "--time", "true" }).exit_code)
		SKIP("no time namespaces");
	command.insert(command.begin(), aside.begin(), aside.end());
	Child consumer(command, a.host.with_environment());
	REQUIRE(eventually([&] { return a.published().pid; }));
	uint64_t begun_ns = uint64_t(now_ns());
	CHECK(eventually([&] {
		send_some(a.wire, 5);
		return a.published().updated_ns >= begun_ns;
	}));
	const uint64_t updated_ns = a.published().updated_ns; /* read before the clock */
	CHECK(updated_ns <= uint64_t(now_ns()));
	CHECK(a.stat("wait_bad") == 0);
	Result result = consumer.wait();
	CAPTURE(result.text());
	CHECK(result.exit_code == 0);
}

TEST_CASE("xsk: rxaqm-xsk fails, and ends, when it cannot print", "[xsk]")
{
	Attached a;

	for (const char *arguments : { "--seconds=60 --json", "--help", "--version" }) {
		Args args = { "sh", "-c", std::string("exec \"$@\" ") + arguments + " >/dev/full",
			      "sh" };

		for (const std::string &word : a.consumer({ a.wire.rx_if }))
			args.push_back(word);
		RunOptions options = a.host.with_environment();
		options.timeout = 20s;
		Result result = run(args, options);
		CAPTURE(result.text());
		CHECK(result.exit_code == 1);
		CHECK(result.err == "rxaqm-xsk: cannot write to standard output\n");
	}
}

TEST_CASE("xsk: a consumer is told when rxaqm is detached, and writes to no other's entry", "[xsk]")
{
	Attached a;
	Wire other;
	Socket socket;
	rxaqm_xsk_packet packet;

	REQUIRE(socket.open(a.wire.rx, a.wire.rx_if) == 0);
	REQUIRE(a.host.rxaqm(a.wire.rx, { "detach", a.wire.rx_if }).exit_code == 0);
	REQUIRE(a.host.rxaqm(other.rx, { "attach", other.rx_if }).exit_code == 0);
	CHECK(eventually([&] { return rxaqm_xsk_receive(socket.get(), &packet, 1) == -ESTALE; }));
	/* Traffic of both is the stack's. */
	CHECK(udp_transfer(a.wire.tx, a.wire.rx, Wire::RX_IP4, 10) == 10);
	CHECK(udp_transfer(other.tx, other.rx, Wire::RX_IP4, 10) == 10);
	socket.close();
	CHECK(a.published().updated_ns == 0);
}

TEST_CASE("xsk: a consumer is told when the interface is gone", "[xsk]")
{
	Attached a;
	Socket socket;
	rxaqm_xsk_packet packet;

	REQUIRE(socket.open(a.wire.rx, a.wire.rx_if) == 0);
	CHECK(rxaqm_xsk_receive(socket.get(), &packet, 1) >= 0);
	a.wire.rx.ip("link del " + a.wire.rx_if);
	CHECK(eventually([&] { return rxaqm_xsk_receive(socket.get(), &packet, 1) == -ESTALE; }));
}

TEST_CASE("xsk: the example that people copy takes packets, and says what is wrong", "[xsk]")
{
	Attached a;
	auto example = [&](const std::string &ifname) {
		return Args{ "ip",   "netns", "exec", a.wire.rx.name(), build_path("consumer"),
			     ifname, "0",     "20" };
	};
	Child consumer(example(a.wire.rx_if), a.host.with_environment());

	REQUIRE(eventually([&] { return a.published().pid != 0; }));
	send_some(a.wire, 20);
	Result taken = consumer.wait();
	CAPTURE(taken.text());
	CHECK(taken.exit_code == 0);
	CHECK(std::count(taken.out.begin(), taken.out.end(), '\n') == 20);
	CHECK(taken.out.find(" bytes") != std::string::npos);
	Result wrong = run(example("nosuch0"), a.host.with_environment());
	CHECK(wrong.exit_code == 1);
	CHECK(wrong.err.find("nosuch0: there is no such interface") != std::string::npos);
}
