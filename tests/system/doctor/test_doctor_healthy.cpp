// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on hosts that nothing is wrong with, at work, and of many kinds: it finds no cause,
 * and exits with 0. With RXAQM_RUNS=5, and in a guest, it looks at each so often; there, in virtual
 * time, at its CPUs, too.
 */
#include <linux/if_ether.h>
#include <sched.h>
#include <sys/resource.h>

#include "process.hpp"
#include "site.hpp"

TEST_CASE("doctor: a web server at work is healthy", "[doctor][causes][healthy]")
{
	Site site;

	site.servers.push_back(std::make_unique<Server>(site.wire.rx, std::vector{ HTTP }, 20000));
	site.fetch(site.wire.tx, Wire::RX_IP4, HTTP, 16);
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
}

/* A balancer that looks at its servers all the time: a connection for each byte. */
TEST_CASE("doctor: connections that come and go are healthy", "[doctor][.healthy]")
{
	Site site;

	site.servers.push_back(std::make_unique<Server>(site.wire.rx, std::vector{ HTTP }, 1));
	for (int i = 0; i < 2; i++)
		site.fetch(site.wire.tx, Wire::RX_IP4, HTTP, 1);
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
}

TEST_CASE("doctor: storage that is copied both ways is healthy", "[doctor][causes][healthy]")
{
	Site site;

	site.copy(site.wire.tx, site.wire.rx, Wire::RX_IP4, 2);
	site.copy(site.wire.rx, site.wire.tx, Wire::TX_IP4, 2);
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
}

TEST_CASE("doctor: UDP that is read as it comes is healthy", "[doctor][.healthy]")
{
	Site site;

	site.stream(32, 1200);
	site.stream(16, 100, true);
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
}

namespace
{

/* A namespace behind a bridge br0 of @host, of address 10.88.0.@n. */
std::unique_ptr<Netns> container(const Netns &host, unsigned n)
{
	auto netns = std::make_unique<Netns>();
	const std::string port = "c" + std::to_string(n);

	host.ip("link add " + port + " type veth peer name eth0 netns " + netns->name());
	host.ip("link set " + port + " up master br0");
	netns->ip("address add 10.88.0." + std::to_string(n) + "/24 dev eth0");
	netns->ip("link set eth0 up");
	netns->ip("route add default via 10.88.0.1");
	return netns;
}

} // namespace

/* What they serve is at ports of the host's, their own connections bear its address. */
TEST_CASE("doctor: a host of containers is healthy", "[doctor][causes][healthy]")
{
	Site site;
	const Netns &host = site.wire.rx;
	std::vector<std::unique_ptr<Netns>> containers;

	host.ip("link add br0 type bridge");
	host.ip("address add 10.88.0.1/24 dev br0");
	host.ip("link set br0 up");
	host.shell("echo 1 >/proc/sys/net/ipv4/ip_forward");
	site.wire.tx.ip("route add 10.88.0.0/24 via 10.77.0.2");
	/* Else they are known by their own addresses. */
	const bool has_nft = !run({ "sh", "-c", "command -v nft" }).exit_code;

	if (has_nft)
		host.shell("nft 'table ip nat { "
			   "chain in { type nat hook prerouting priority -100; "
			   "tcp dport 8002 dnat to 10.88.0.2:80; }; "
			   "chain out { type nat hook postrouting priority 100; "
			   "ip saddr 10.88.0.0/24 oifname \"" +
			   site.wire.rx_if + "\" masquerade; }; }'");
	for (unsigned n = 2; n < 10; n++) {
		containers.push_back(container(host, n));
		site.servers.push_back(
			std::make_unique<Server>(*containers.back(), std::vector{ HTTP }, 5000));
	}
	site.servers.push_back(std::make_unique<Server>(site.wire.tx, std::vector{ HTTP }, 5000));
	site.fetch(site.wire.tx, has_nft ? Wire::RX_IP4 : "10.88.0.2", has_nft ? 8002 : HTTP);
	site.fetch(*containers[2], "10.88.0.5", HTTP);
	site.fetch(*containers[4], Wire::TX_IP4, HTTP);
	site.check_healthy({ &host, containers[3].get() });
}

/* What it passes on is not its own: conntrack and NAT are all that it has. */
TEST_CASE("doctor: a gateway with NAT is healthy", "[doctor][.healthy]")
{
	Site site;
	Netns inside;
	const Netns &gateway = site.wire.rx;

	if (run({ "sh", "-c", "command -v nft" }).exit_code)
		SKIP("no nft");
	gateway.ip("link add lan0 type veth peer name eth0 netns " + inside.name());
	gateway.ip("address add 10.88.0.1/24 dev lan0");
	gateway.ip("link set lan0 up");
	inside.ip("address add 10.88.0.2/24 dev eth0");
	inside.ip("link set eth0 up");
	inside.ip("route add default via 10.88.0.1");
	gateway.shell("echo 1 >/proc/sys/net/ipv4/ip_forward; "
		      "nft 'table ip nat { chain out { type nat hook postrouting priority 100; "
		      "oifname \"" +
		      site.wire.rx_if +
		      "\" masquerade; }; }; table ip filter { chain forward { "
		      "type filter hook forward priority 0; policy drop; "
		      "ct state established,related accept; iifname \"lan0\" accept; }; }'");
	site.servers.push_back(std::make_unique<Server>(site.wire.tx, std::vector{ HTTP }, 20000));
	site.fetch(inside, Wire::TX_IP4, HTTP, 16);
	site.copy(inside, site.wire.tx, Wire::TX_IP4, 2);
	site.check_healthy({ &gateway, &inside });
}

TEST_CASE("doctor: a host with 200 interfaces is healthy", "[doctor][.healthy]")
{
	Site site;
	std::string batch;

	for (int i = 0; i < 100; i++) {
		const std::string n = std::to_string(i);

		batch += "link add a" + n + " up type veth peer name b" + n + "\nlink set b" + n +
			 " up\n";
	}
	site.wire.rx.shell("ip -batch - <<END\n" + batch + "END");
	site.servers.push_back(std::make_unique<Server>(site.wire.rx, std::vector{ HTTP }, 20000));
	site.fetch(site.wire.tx, Wire::RX_IP4, HTTP);
	site.check_healthy({ &site.wire.rx });
}

namespace
{

/* Sockets that nothing comes by: both ends of connections of the loopback device. As many files as
 * a process may have open, several threads have, with a table of files each.
 */
class Idle
{
    public:
	Idle(const Netns &netns, size_t sockets)
	{
		getrlimit(RLIMIT_NOFILE, &before_);
		const struct rlimit all = { before_.rlim_max, before_.rlim_max };
		const size_t each = std::min<size_t>(before_.rlim_max - 1024, 40000) / 2 * 2;

		REQUIRE(!setrlimit(RLIMIT_NOFILE, &all));
		netns.shell("ip link set lo up; "
			    "echo 1024 65535 >/proc/sys/net/ipv4/ip_local_port_range");
		for (uint16_t port = 700; sockets; port++) {
			const size_t some = std::min(sockets, each);

			threads_.emplace_back([this, &netns, port, some] {
				netns.enter([&] { hold(port, some); });
			});
			sockets -= some;
		}
		REQUIRE(eventually([&] { return opened_ == threads_.size() || failed_; },
				   std::chrono::minutes(2)));
		REQUIRE(!failed_);
	}
	~Idle()
	{
		stop_ = true;
		for (std::thread &thread : threads_)
			thread.join();
		setrlimit(RLIMIT_NOFILE, &before_);
	}

    private:
	/* The table of files goes with the thread. */
	void hold(uint16_t port, size_t sockets)
	{
		if (unshare(CLONE_FILES) || !connect_all(port, sockets))
			failed_ = true;
		opened_++;
		while (!stop_)
			std::this_thread::sleep_for(50ms);
	}
	static bool connect_all(uint16_t port, size_t sockets)
	{
		const sockaddr_in address = loopback(port);
		const int listener = socket(AF_INET, SOCK_STREAM, 0);

		if (bind(listener, (const sockaddr *)&address, sizeof(address)) ||
		    listen(listener, 16))
			return false;
		for (size_t i = 0; i < sockets; i += 2) {
			const int fd = socket(AF_INET, SOCK_STREAM, 0);

			if (fd < 0 || connect(fd, (const sockaddr *)&address, sizeof(address)) ||
			    accept(listener, nullptr, nullptr) < 0)
				return false;
		}
		return true;
	}
	std::atomic<bool> stop_{ false }, failed_{ false };
	std::atomic<size_t> opened_{ 0 };
	std::vector<std::thread> threads_;
	struct rlimit before_;
};

} // namespace

TEST_CASE("doctor: a host with many idle sockets is healthy", "[doctor][.healthy]")
{
	Site site;
	Idle idle(site.wire.rx, Site::runs() > 1 ? 100000 : 10000);

	site.servers.push_back(std::make_unique<Server>(site.wire.rx, std::vector{ HTTP }, 20000));
	site.fetch(site.wire.tx, Wire::RX_IP4, HTTP);
	site.check_healthy({ &site.wire.rx });
}

TEST_CASE("doctor: a host with a thousand listeners is healthy", "[doctor][.healthy]")
{
	Site site;
	std::vector<uint16_t> ports{ HTTP };

	for (uint16_t port = 2000; port < 3000; port++)
		ports.push_back(port);
	site.servers.push_back(std::make_unique<Server>(site.wire.rx, ports, 20000));
	site.fetch(site.wire.tx, Wire::RX_IP4, HTTP);
	site.fetch(site.wire.tx, Wire::RX_IP4, 2500);
	site.check_healthy({ &site.wire.rx });
}

TEST_CASE("doctor: a server with one slow client is healthy", "[doctor][causes][healthy]")
{
	Site site;
	Connection slow(site.wire.rx, site.wire.tx, address_of(Wire::TX_IP4), 8192);
	const std::string text(65536, 'x');

	site.copy(site.wire.rx, site.wire.tx, Wire::TX_IP4, 30);
	site.busy.push_back(std::make_unique<Busy>(site.wire.rx, [&] {
		(void)!write(slow.tx, text.data(), text.size());
	}));
	site.readers.push_back(std::make_unique<Meanwhile>(
		[&] {
			char buf[10000];

			(void)!recv(slow.rx, buf, sizeof(buf), MSG_DONTWAIT);
		},
		50ms));
	site.check_healthy({ &site.wire.rx });
	site.busy.clear();
	site.readers.clear();
}

TEST_CASE("doctor: a download that is paused among others is healthy", "[doctor][.healthy]")
{
	Site site;
	Connection paused(site.wire.tx, site.wire.rx, address_of(Wire::RX_IP4));
	const std::string text(65536, 'x');

	site.copy(site.wire.tx, site.wire.rx, Wire::RX_IP4, 30);
	site.busy.push_back(std::make_unique<Busy>(site.wire.tx, [&] {
		(void)!write(paused.tx, text.data(), text.size());
	}));
	site.check_healthy({ &site.wire.rx });
	site.busy.clear();
}

TEST_CASE("doctor: a host without timestamps is healthy", "[doctor][.healthy]")
{
	Site site;

	for (const Netns *netns : { &site.wire.rx, &site.wire.tx })
		netns->shell("echo 0 >/proc/sys/net/ipv4/tcp_timestamps");
	site.copy(site.wire.tx, site.wire.rx, Wire::RX_IP4, 4);
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
}

/* A few datagrams in pieces, as of a DNS that is signed, or RADIUS. */
TEST_CASE("doctor: fragments that all arrive are healthy", "[doctor][.healthy]")
{
	Site site;

	site.stream(1, 4000, true);
	for (int i = 0; i < 4; i++)
		site.stream(32, 100, true);
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
}

TEST_CASE("doctor: jumbo frames are healthy", "[doctor][.healthy]")
{
	Site site;

	site.wire.rx.ip("link set " + site.wire.rx_if + " mtu 9001");
	site.wire.tx.ip("link set " + site.wire.tx_if + " mtu 9001");
	site.copy(site.wire.tx, site.wire.rx, Wire::RX_IP4, 2);
	site.servers.push_back(std::make_unique<Server>(site.wire.rx, std::vector{ HTTP }, 300));
	site.fetch(site.wire.tx, Wire::RX_IP4, HTTP);
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
}

TEST_CASE("doctor: VLANs are healthy", "[doctor][.healthy]")
{
	Site site;

	for (const char *id : { "5", "6" }) {
		const auto add = [&](const Netns &netns, const std::string &on, const char *ip4) {
			const std::string dev = std::string("v") + id;

			if (run({ "ip", "-n", netns.name(), "link", "add", "link", on, "name", dev,
				  "type", "vlan", "id", id })
				    .exit_code)
				SKIP("this kernel has no VLANs");
			netns.ip(std::string("address add 10.9") + id + ".0." + ip4 + "/24 dev " +
				 dev);
			netns.ip("link set " + dev + " up");
		};

		add(site.wire.tx, site.wire.tx_if, "1");
		add(site.wire.rx, site.wire.rx_if, "2");
	}
	site.servers.push_back(std::make_unique<Server>(site.wire.rx, std::vector{ HTTP }, 20000));
	site.fetch(site.wire.tx, "10.95.0.2", HTTP);
	site.copy(site.wire.tx, site.wire.rx, "10.96.0.2", 2);
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
}

/* It is full of what windows of 64 kB allow: 10 ms. */
TEST_CASE("doctor: a link that is shaped by intent is healthy", "[doctor][causes][healthy]")
{
	Site site;
	const std::string dev = " dev " + site.wire.rx_if;

	site.wire.tx.ip("route replace 10.77.0.0/24 dev " + site.wire.tx_if + " window 65535");
	site.wire.rx.shell("tc qdisc add" + dev + " root handle 1: htb default 1; tc class add" +
			   dev + " parent 1: classid 1:1 htb rate 100mbit; tc qdisc add" + dev +
			   " parent 1:1 pfifo limit 1000");
	site.copy(site.wire.rx, site.wire.tx, Wire::TX_IP4, 2);
	site.check_healthy({ &site.wire.rx });
}

TEST_CASE("doctor: a capture of packets is healthy where there is time", "[doctor][.healthy]")
{
	Site site;
	const int fd = site.wire.rx.socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	site.readers.push_back(std::make_unique<Meanwhile>(
		[fd] {
			static char buf[65536];

			while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
				;
		},
		1000us));
	site.servers.push_back(std::make_unique<Server>(site.wire.rx, std::vector{ HTTP }, 20000));
	site.fetch(site.wire.tx, Wire::RX_IP4, HTTP);
	site.check_healthy({ &site.wire.rx });
	site.readers.clear();
	close(fd);
}

/* RPS spreads what comes by one queue. */
TEST_CASE("doctor: a host of many queues is healthy", "[doctor][.healthy]")
{
	Site site(4);

	site.wire.rx.shell("for f in /sys/class/net/" + site.wire.rx_if +
			   "/queues/rx-*/rps_cpus; do echo 3 >$f; done");
	site.copy(site.wire.tx, site.wire.rx, Wire::RX_IP4, 4);
	site.stream(16, 100, true);
	site.servers.push_back(std::make_unique<Server>(site.wire.rx, std::vector{ HTTP }, 20000));
	site.fetch(site.wire.tx, Wire::RX_IP4, HTTP);
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
}
