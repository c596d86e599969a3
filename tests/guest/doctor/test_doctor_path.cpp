// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on long paths: what is between two hosts, or limits what is in flight between them.
 * In virtual time, where a round trip takes exactly as long as configured.
 */
#include <catch2/catch_test_macros.hpp>

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "patient.hpp"

using namespace std::chrono_literals;

namespace
{

/* here - between - there: packets in both directions pass a netem in between. */
struct Path {
	Host host;
	Netns here, between, there;

	static constexpr const char *HERE = "198.51.100.1", *THERE = "192.0.2.1";

	Path(const std::string &to_here, const std::string &to_there)
	{
		in_guest();
		link(here, "198.51.100.1", "here", to_here);
		link(there, "192.0.2.1", "there", to_there);
		between.shell("echo 1 >/proc/sys/net/ipv4/ip_forward");
		for (const Netns *netns : { &here, &there })
			netns->shell("echo cubic >/proc/sys/net/ipv4/tcp_congestion_control");
	}

    private:
	void link(const Netns &netns, const std::string &ip4, const std::string &name,
		  const std::string &netem)
	{
		const std::string router = ip4.substr(0, ip4.size() - 1) + "254";

		netns.ip("link add wan0 type veth peer name " + name + " netns " + between.name());
		netns.ip("addr add " + ip4 + "/24 dev wan0");
		netns.ip("link set wan0 up");
		netns.ip("route add default via " + router);
		between.ip("addr add " + router + "/24 dev " + name);
		between.ip("link set " + name + " up");
		between.shell("modprobe sch_netem; tc qdisc add dev " + name +
			      " root netem limit 100000 " + netem);
	}
};

} // namespace

TEST_CASE("doctor: loss on a long path", "[doctor][path]")
{
	Path path("delay 30ms", "delay 30ms loss 2%");
	Transfer transfer(path.here, path.there, Path::THERE, 4);

	std::this_thread::sleep_for(3s);
	check_names(diagnose(path.host, path.here), "loss-on-long-path");
	check_healthy(diagnose(path.host, path.there));
}

TEST_CASE("doctor: segments that overtake each other", "[doctor][path]")
{
	Path path("delay 5ms", "delay 5ms reorder 10%");
	Transfer transfer(path.here, path.there, Path::THERE, 4);

	std::this_thread::sleep_for(2s);
	check_names(diagnose(path.host, path.here), "reordering");
	check_healthy(diagnose(path.host, path.there));
}

TEST_CASE("doctor: a window that is shorter than the path", "[doctor][path]")
{
	Path path("delay 100ms", "delay 100ms");

	/* Otherwise the sender's buffer would be as short. */
	path.there.shell("echo 4096 16384 33554432 >/proc/sys/net/ipv4/tcp_wmem");
	Transfer transfer(path.there, path.here, Path::HERE, 1);

	std::this_thread::sleep_for(8s);
	check_names(diagnose(path.host, path.here), "tcp-window-limit");
	check_healthy(diagnose(path.host, path.there));
}

TEST_CASE("doctor: a send buffer that is shorter than the path", "[doctor][path]")
{
	Path path("delay 25ms", "delay 25ms");

	path.there.shell("echo 4096 16384 262144 >/proc/sys/net/ipv4/tcp_wmem");
	Transfer transfer(path.there, path.here, Path::HERE, 1);

	std::this_thread::sleep_for(2s);
	check_names(diagnose(path.host, path.there), "tcp-sndbuf-limited");
	check_healthy(diagnose(path.host, path.here));
}

TEST_CASE("doctor: a buffer of the program's own that is shorter than the path", "[doctor][path]")
{
	Path path("delay 25ms", "delay 25ms");
	Transfer transfer(path.there, path.here, Path::HERE, 1, 65536);

	std::this_thread::sleep_for(2s);
	check_names(diagnose(path.host, path.here), "tcp-rcvbuf-fixed");
	check_healthy(diagnose(path.host, path.there));
}

TEST_CASE("doctor: a long path, and nothing wrong with it", "[doctor][path]")
{
	Path path("delay 25ms rate 50mbit", "delay 25ms rate 50mbit");
	Transfer transfer(path.there, path.here, Path::HERE, 4);

	std::this_thread::sleep_for(4s);
	check_healthy(diagnose(path.host, path.here));
	check_healthy(diagnose(path.host, path.there));
}

/* ssh, for example, has its own window in each of its channels. */
TEST_CASE("doctor: a program that waits for answers", "[doctor][path]")
{
	Path path("delay 50ms", "delay 50ms");
	sockaddr_in address = address_of(Path::THERE, 7000);
	const int listener = path.there.socket(AF_INET, SOCK_STREAM);
	const int near = path.here.socket(AF_INET, SOCK_STREAM);
	constexpr ssize_t BLOCK = 4096, WINDOW = 128 * 1024;
	ssize_t in_flight = 0, come = 0;

	REQUIRE(!bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof(address)));
	REQUIRE(!listen(listener, 1));
	REQUIRE(!connect(near, reinterpret_cast<sockaddr *>(&address), sizeof(address)));
	const int far = accept(listener, nullptr, nullptr), yes = 1;

	REQUIRE(far >= 0);
	for (int fd : { near, far })
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	{
		Meanwhile sender([&] {
			static const char block[BLOCK] = {};
			char answers[64];
			ssize_t n = recv(near, answers, sizeof(answers), MSG_DONTWAIT);

			in_flight -= n > 0 ? n * BLOCK : 0;
			while (in_flight < WINDOW &&
			       send(near, block, BLOCK, MSG_DONTWAIT) == BLOCK)
				in_flight += BLOCK;
			std::this_thread::sleep_for(1ms);
		});
		Meanwhile answerer([&] {
			static char data[1 << 20];
			ssize_t n = recv(far, data, sizeof(data), MSG_DONTWAIT);

			come += n > 0 ? n : 0;
			for (; come >= BLOCK; come -= BLOCK)
				(void)!send(far, "", 1, MSG_DONTWAIT);
			std::this_thread::sleep_for(1ms);
		});

		std::this_thread::sleep_for(3s);
		check_names(diagnose(path.host, path.here), "app-window");
	}
	for (int fd : { near, far, listener })
		close(fd);
}
