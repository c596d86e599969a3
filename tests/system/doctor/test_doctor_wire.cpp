// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on conditions that take another host, at the other end of a wire; what readers make
 * of it there is in test_doctor_cpu.cpp.
 */
#include "doctor.hpp"

#include <net/ethernet.h>
#include <netpacket/packet.h>

#include <cstring>

#include "traffic.hpp"

namespace
{

/* As much TCP as goes from tx to rx. */
struct Stream {
	explicit Stream(const Wire &wire, int reads = 1 << 20,
			std::chrono::microseconds pause = 50us)
		: connection(wire.tx, wire.rx, address_of(Wire::RX_IP4))
		, buf(reads, 0)
		, sender([this] { (void)!write(connection.tx, text.data(), text.size()); }, 50us)
		, reader([this] { (void)!recv(connection.rx, buf.data(), buf.size(), MSG_DONTWAIT); },
			 pause)
	{
	}
	Connection connection;
	const std::string text = std::string(65536, 'x');
	std::string buf;
	Meanwhile sender, reader;
};

void slow_link(const Wire &wire)
{
	wire.tx.shell("tc qdisc add dev " + wire.tx_if +
		      " root tbf rate 20mbit burst 16k latency 500ms");
}

} // namespace

/* What each end can know of it. */
TEST_CASE("doctor: a peer that takes less than is written", "[doctor][causes][tcp]")
{
	Host host;
	Wire wire;
	Stream stream(wire, 1000, 1000us);

	std::this_thread::sleep_for(1s);
	check_names(diagnose(host, wire.tx), "tcp-rwnd-limited", { "tcp-not-sent" });

	Diagnosis there = diagnose(host, wire.rx);
	const bool long_wait = there.found.count("tcp-reader-slow");

	check_names(there, long_wait ? "tcp-reader-slow" : "tcp-zero-window",
		    { "tcp-zero-window", "tcp-window-stuck" });
}

TEST_CASE("doctor: a link that is slower than what is sent", "[doctor][causes][tcp]")
{
	Host host;
	Wire wire;

	slow_link(wire);
	Stream stream(wire);

	std::this_thread::sleep_for(1s);
	check_names(diagnose(host, wire.tx), "tx-qdisc-standing",
		    { "tcp-not-sent", "tx-qdisc-drops", "tcp-loss", "reordering" });
	check_nothing(diagnose(host, wire.rx));
}

TEST_CASE("doctor: datagrams that are written faster than a link takes them",
	  "[doctor][causes][udp]")
{
	Host host;
	Wire wire;

	slow_link(wire);
	UdpFlow flow(wire.tx, wire.rx, address_of(Wire::RX_IP4));
	Meanwhile sender([&] { flow.send(40, 1000); }, 1000us);
	Meanwhile reader([&] { flow.drain(); }, 500us);

	std::this_thread::sleep_for(1s);

	Diagnosis diagnosis = diagnose(host, wire.tx);

	check_names(diagnosis, "tx-qdisc-standing", { "udp-send-buffer", "tx-qdisc-drops" });
	CHECK(diagnosis.found.count("udp-send-buffer"));
	check_nothing(diagnose(host, wire.rx));
}

TEST_CASE("doctor: a path with a smaller MTU", "[doctor][causes][tcp]")
{
	Host host;
	Wire wire;

	wire.tx.ip("route replace 10.77.0.0/24 dev " + wire.tx_if + " mtu lock 600");
	Stream stream(wire);

	std::this_thread::sleep_for(1s);
	check_names(diagnose(host, wire.rx), "small-mss");
}

TEST_CASE("doctor: packets of a protocol that nobody takes", "[doctor][causes]")
{
	Host host;
	Wire wire;
	const int fd = wire.tx.socket(AF_PACKET, SOCK_DGRAM);
	const char payload[64] = {};
	sockaddr_ll to = {};

	to.sll_family = AF_PACKET;
	to.sll_protocol = htons(0x88b5); /* IEEE 802: local experimental */
	to.sll_ifindex = int(wire.tx.ifindex(wire.tx_if));
	to.sll_halen = ETH_ALEN;
	memset(to.sll_addr, 0xff, ETH_ALEN);
	{
		Meanwhile sender(
			[&] {
				(void)!sendto(fd, payload, sizeof(payload), 0, (sockaddr *)&to,
					      sizeof(to));
			},
			1000us);

		/* Of a veth's rx_dropped nobody knows what it is: it also counts XDP's drops. */
		const Diagnosis diagnosis = diagnose(host, wire.rx);

		INFO(diagnosis.text);
		CHECK(diagnosis.primary == "");
		CHECK(diagnosis.exit_code == 3);
		CHECK(diagnosis.json.find("\"counter\": \"rx_dropped\"") != std::string::npos);
	}
	close(fd);
}

/* The peer has a route back by another interface, and a strict rp_filter. */
TEST_CASE("doctor: packets that came by another way than answers go", "[doctor][causes][ip]")
{
	Host host;
	Wire wire;

	wire.rx.shell(
		"echo 1 >/proc/sys/net/ipv4/conf/all/rp_filter; echo 1 >/proc/sys/net/ipv4/conf/" +
		wire.rx_if + "/rp_filter");
	wire.rx.ip("link add other0 up type veth peer name other1");
	wire.rx.ip("link set other1 up");
	wire.rx.ip("route add 10.99.0.0/24 dev other0");
	wire.tx.ip("addr add 10.99.0.1/32 dev lo");
	wire.tx.ip("route replace 10.77.0.0/24 dev " + wire.tx_if + " src 10.99.0.1");

	UdpFlow flow(wire.tx, wire.rx, address_of(Wire::RX_IP4));
	Meanwhile sender([&] { flow.send(5, 100); }, 10000us);

	Meanwhile reader([&] { flow.drain(); }, 1000us);
	const Diagnosis diagnosis = diagnose(host, wire.rx);

	check_names(diagnosis, "rp-filter", { "ip-undelivered" });
	remedy_helps(host, wire.rx, diagnosis, "rp-filter");
}

/* A rule lets a tenth of the datagrams in: no counter of IP or UDP has the others. */
TEST_CASE("doctor: packets that a rule of netfilter drops", "[doctor][causes][ip]")
{
	Host host;
	Wire wire;

	wire.rx.shell("nft 'table ip t { chain i { type filter hook input priority 0; "
		      "limit rate over 50/second burst 5 packets drop; }; }'");

	UdpFlow flow(wire.tx, wire.rx, address_of(Wire::RX_IP4));
	Meanwhile sender([&] { flow.send(5, 100); }, 10000us);
	Meanwhile reader([&] { flow.drain(); }, 1000us);

	check_names(diagnose(host, wire.rx), "ip-undelivered");
}
