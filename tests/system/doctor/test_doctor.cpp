// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on real conditions, each made in a network namespace of its own. */
#include "doctor.hpp"

static const std::set<std::string> FULL_WINDOW = { "tcp-zero-window",  "tcp-queue-drop",
						   "tcp-window-stuck", "tcp-pruned",
						   "tcp-collapse",     "tcp-rwnd-limited" };

TEST_CASE("doctor: a program that never reads", "[doctor][causes][tcp]")
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

TEST_CASE("doctor: a program that reads a byte a millisecond", "[doctor][causes][tcp]")
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

TEST_CASE("doctor: a full transfer is no trouble", "[doctor][causes][tcp]")
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

	check_nothing(diagnosis);
}

TEST_CASE("doctor: UDP that nobody reads", "[doctor][causes][udp]")
{
	Host host;
	Netns netns;

	set_up(netns);

	UdpFlow datagrams(netns);
	Meanwhile sender([&] { datagrams.send(20, 1000); }, 1000us);

	std::this_thread::sleep_for(1s);
	check_names(diagnose(host, netns), "udp-reader-stopped", { "udp-overflow" });
}

TEST_CASE("doctor: UDP that comes in bursts larger than the buffer", "[doctor][causes][udp]")
{
	Host host;
	Netns netns;

	set_up(netns);

	UdpFlow datagrams(netns);
	Meanwhile both(
		[&] {
			datagrams.send(600, 1000);
			datagrams.drain();
		},
		100000us);

	check_names(diagnose(host, netns), "udp-burst", { "udp-overflow" });
}

TEST_CASE("doctor: datagrams in pieces", "[doctor][causes][ip]")
{
	Host host;
	Netns netns;

	set_up(netns);
	netns.ip("link set lo mtu 1500");

	UdpFlow datagrams(netns);
	Meanwhile both(
		[&] {
			datagrams.send(5, 8000);
			datagrams.drain();
		},
		10000us);

	check_names(diagnose(host, netns), "ip-fragments");
}

TEST_CASE("doctor: datagrams in pieces, and no memory for them", "[doctor][causes][ip]")
{
	Host host;
	Netns netns;

	set_up(netns);
	netns.ip("link set lo mtu 1500");
	netns.shell("cd /proc/sys/net/ipv4; echo 4000 >ipfrag_low_thresh;"
		    "echo 4000 >ipfrag_high_thresh");

	UdpFlow flow(netns);
	Meanwhile both(
		[&] {
			flow.send(5, 8000);
			flow.drain();
		},
		10000us);
	Diagnosis diagnosis = diagnose(host, netns);

	CHECK(diagnosis.found.count("ip-reassembly-fails"));
	check_names(diagnosis, "ip-fragments", { "ip-reassembly-fails" });
}

TEST_CASE("doctor: a program that does not accept", "[doctor][causes][tcp]")
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
	/* Their SYNs are sent again. */
	check_names(diagnose(host, netns), "listen-overflow", { "tcp-loss" });
	for (int client : clients)
		close(client);
	close(listener);
}

TEST_CASE("doctor: settings that do less than they should", "[doctor][causes][settings]")
{
	Host host;
	Netns netns;

	set_up(netns);
	netns.shell("echo 0 >/proc/sys/net/ipv4/tcp_window_scaling");

	const Diagnosis diagnosis = diagnose(host, netns);

	check_names(diagnosis, "tcp-features-off");
	remedy_helps(host, netns, diagnosis, "tcp-features-off");
}
