// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on real conditions, each made in a network namespace of its own. */
#include "doctor.hpp"

static const std::set<std::string> FULL_WINDOW = { "tcp-zero-window", "tcp-queue-drop",
						   "tcp-window-stuck", "tcp-pruned",
						   "tcp-collapse" };

TEST_CASE("doctor: a program that never reads", "[doctor][tcp]")
{
	for (int rcvbuf : { 0, 32768 }) {
		Host host;
		Netns netns;

		set_up(netns);

		Connection connection(netns, rcvbuf);
		const std::string text(1448, 'x');
		Meanwhile sender([&] { (void)!write(connection.tx, text.data(), text.size()); },
				 1000us);

		std::this_thread::sleep_for(1s);
		check_names(diagnose(host, netns), "tcp-reader-stopped", FULL_WINDOW);
	}
}

TEST_CASE("doctor: a program that reads a byte a millisecond", "[doctor][tcp]")
{
	Host host;
	Netns netns;

	set_up(netns);

	Connection connection(netns);
	const std::string text(1448, 'x');
	Meanwhile sender([&] { (void)!write(connection.tx, text.data(), text.size()); }, 1000us);
	Meanwhile reader(
		[&] {
			char byte;

			(void)!recv(connection.rx, &byte, 1, MSG_DONTWAIT);
		},
		1000us);

	std::this_thread::sleep_for(1s);
	check_names(diagnose(host, netns), "tcp-reader-slow", FULL_WINDOW);
}

TEST_CASE("doctor: a full transfer is no trouble", "[doctor][tcp]")
{
	Host host;
	Netns netns;

	set_up(netns);

	Connection connection(netns);
	const std::string text(65536, 'x');
	Meanwhile sender([&] { (void)!write(connection.tx, text.data(), text.size()); }, 50us);
	Meanwhile reader(
		[&] {
			static char buf[1 << 20];

			(void)!recv(connection.rx, buf, sizeof(buf), MSG_DONTWAIT);
		},
		50us);
	Diagnosis diagnosis = diagnose(host, netns);

	INFO(diagnosis.text);
	CHECK(diagnosis.found.empty());
}

namespace
{
/* UDP within @netns. */
struct Datagrams {
	explicit Datagrams(const Netns &netns)
	{
		socklen_t len = sizeof(address);

		rx = netns.socket(AF_INET, SOCK_DGRAM);
		tx = netns.socket(AF_INET, SOCK_DGRAM);
		REQUIRE(!bind(rx, (sockaddr *)&address, sizeof(address)));
		REQUIRE(!getsockname(rx, (sockaddr *)&address, &len));
	}
	~Datagrams()
	{
		close(tx);
		close(rx);
	}
	void send(unsigned n, size_t size)
	{
		const std::string text(size, 'x');

		while (n--)
			sendto(tx, text.data(), text.size(), MSG_DONTWAIT, (sockaddr *)&address,
			       sizeof(address));
	}
	void drain()
	{
		static char buf[65536];

		while (recv(rx, buf, sizeof(buf), MSG_DONTWAIT) > 0)
			;
	}
	sockaddr_in address = loopback(0);
	int rx, tx;
};

} // namespace

TEST_CASE("doctor: UDP that nobody reads", "[doctor][udp]")
{
	Host host;
	Netns netns;

	set_up(netns);

	Datagrams datagrams(netns);
	Meanwhile sender([&] { datagrams.send(20, 1000); }, 1000us);

	std::this_thread::sleep_for(1s);
	check_names(diagnose(host, netns), "udp-reader-stopped",
		    { "udp-overflow", "udp-small-datagrams" });
}

TEST_CASE("doctor: UDP that comes in bursts larger than the buffer", "[doctor][udp]")
{
	Host host;
	Netns netns;

	set_up(netns);

	Datagrams datagrams(netns);
	Meanwhile both(
		[&] {
			datagrams.send(600, 1000);
			datagrams.drain();
		},
		100000us);

	check_names(diagnose(host, netns), "udp-burst", { "udp-overflow", "udp-small-datagrams" });
}

TEST_CASE("doctor: datagrams in pieces", "[doctor][ip]")
{
	Host host;
	Netns netns;

	set_up(netns);
	netns.ip("link set lo mtu 1500");

	Datagrams datagrams(netns);
	Meanwhile both(
		[&] {
			datagrams.send(5, 8000);
			datagrams.drain();
		},
		10000us);

	check_names(diagnose(host, netns), "ip-fragments");
}

TEST_CASE("doctor: a program that does not accept", "[doctor][tcp]")
{
	Host host;
	Netns netns;

	set_up(netns);

	int listener = netns.socket(AF_INET, SOCK_STREAM);
	sockaddr_in address = loopback(7000);
	std::vector<int> clients;

	REQUIRE(!bind(listener, (sockaddr *)&address, sizeof(address)));
	REQUIRE(!listen(listener, 1));
	/* Their SYNs come again, so the rest of the window sees some as well. */
	Meanwhile sender(
		[&] {
			clients.push_back(netns.socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK));
			connect(clients.back(), (sockaddr *)&address, sizeof(address));
		},
		100000us);

	std::this_thread::sleep_for(1s);
	check_names(diagnose(host, netns), "listen-overflow");
	for (int client : clients)
		close(client);
	close(listener);
}

TEST_CASE("doctor: local ports that run out", "[doctor][tcp]")
{
	Host host;
	Netns netns;
	std::vector<std::unique_ptr<Connection>> connections;
	std::vector<int> clients;

	set_up(netns);
	netns.shell("echo '20000 20099' >/proc/sys/net/ipv4/ip_local_port_range");

	int listener = netns.socket(AF_INET, SOCK_STREAM);
	sockaddr_in address = loopback(7000);

	REQUIRE(!bind(listener, (sockaddr *)&address, sizeof(address)));
	REQUIRE(!listen(listener, 200));
	for (int i = 0; i < 90; i++) {
		clients.push_back(netns.socket(AF_INET, SOCK_STREAM));
		REQUIRE(!connect(clients.back(), (sockaddr *)&address, sizeof(address)));
	}
	check_names(diagnose(host, netns), "ports-exhausted");
	for (int client : clients)
		close(client);
	close(listener);
}

TEST_CASE("doctor: settings that do nothing, or less than they should", "[doctor][settings]")
{
	const std::vector<std::array<const char *, 3>> rows = {
		{ "tcp_adv_win_scale", "2", "sysctl-dead" },
		{ "tcp_window_scaling", "0", "tcp-features-off" },
		{ "tcp_rmem", "4096 131072 5000000", "sysctl-older-than-kernel" },
	};

	for (const auto &row : rows) {
		Host host;
		Netns netns;

		set_up(netns);
		/* Sockets tell whether they measure what tcp_adv_win_scale said once. */
		Connection connection(netns);

		netns.shell(std::string("echo '") + row[1] + "' >/proc/sys/net/ipv4/" + row[0]);
		check_names(diagnose(host, netns), row[2]);
	}
}
