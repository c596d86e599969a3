// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on real conditions, each made in a network namespace of its own. */
#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "host.hpp"

using namespace std::chrono_literals;

static sockaddr_in loopback(uint16_t port)
{
	sockaddr_in address = {};

	address.sin_family = AF_INET;
	address.sin_port = htons(port);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

namespace
{
/* A connection within @netns: what is written to tx arrives at rx. */
struct Connection {
	explicit Connection(const Netns &netns, int rcvbuf = 0)
	{
		sockaddr_in address = loopback(0);
		socklen_t len = sizeof(address);

		listener = netns.socket(AF_INET, SOCK_STREAM);
		if (rcvbuf)
			REQUIRE(!setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &rcvbuf,
					    sizeof(rcvbuf)));
		REQUIRE(!bind(listener, (sockaddr *)&address, sizeof(address)));
		REQUIRE(!listen(listener, 8));
		REQUIRE(!getsockname(listener, (sockaddr *)&address, &len));
		tx = netns.socket(AF_INET, SOCK_STREAM);
		REQUIRE(!connect(tx, (sockaddr *)&address, sizeof(address)));
		rx = accept(listener, nullptr, nullptr);
		REQUIRE(rx >= 0);
		fcntl(tx, F_SETFL, O_NONBLOCK);
	}
	~Connection()
	{
		close(tx);
		close(rx);
		close(listener);
	}
	int listener, tx, rx;
};

/* Goes on, again and again, until the test ends. */
class Meanwhile
{
    public:
	Meanwhile(std::function<void()> once, std::chrono::microseconds pause)
		: thread_([this, once, pause] {
			while (!stop_) {
				once();
				std::this_thread::sleep_for(pause);
			}
		})
	{
	}
	~Meanwhile()
	{
		stop_ = true;
		thread_.join();
	}

    private:
	std::atomic<bool> stop_{ false };
	std::thread thread_;
};

struct Diagnosis {
	/* What this machine's other work does to its CPUs is not the test's. */
	std::string primary;
	std::set<std::string> found;
	int exit_code;
	std::string text;
};

} // namespace

static Diagnosis diagnose(const Host &host, const Netns &netns, Args more = {})
{
	Args args = { "doctor", "-j", "--time=3s" };
	Diagnosis diagnosis = {};

	args.insert(args.end(), more.begin(), more.end());

	Result result = host.rxaqm(netns, args);

	diagnosis.text = result.text();
	diagnosis.exit_code = result.exit_code;
	INFO(result.text());
	REQUIRE(result.err == "");

	Json json(result.out);
	std::set<std::string> machine;

	for (int i = 0; json.has("/findings/" + std::to_string(i)); i++) {
		const std::string at = "/findings/" + std::to_string(i);
		std::string layer = json.text(at + "/layer");

		if (layer == "CPU" || layer == "backlog")
			machine.insert(json.text(at + "/id"));
	}
	for (int i = 0; json.has("/findings/" + std::to_string(i)); i++) {
		const std::string at = "/findings/" + std::to_string(i);
		std::string id = json.text(at + "/id");

		if (machine.count(id))
			continue;
		diagnosis.found.insert(id);
		/* A cause also if it is put down to those. */
		if (json.is_null(at + "/consequence_of") ||
		    machine.count(json.text(at + "/consequence_of")))
			diagnosis.primary += id + " ";
	}
	return diagnosis;
}

/* The only cause is @id; what @consequences may follow, nothing else is found. */
static void check_names(const Diagnosis &diagnosis, const std::string &id,
			const std::set<std::string> &consequences = {})
{
	INFO(diagnosis.text);
	CHECK(diagnosis.primary == id + " ");
	CHECK(diagnosis.exit_code == 5);
	for (const std::string &found : diagnosis.found) {
		INFO(found);
		CHECK((found == id || consequences.count(found)));
	}
}

static void set_up(const Netns &netns)
{
	netns.ip("link set lo up");
}

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

TEST_CASE("doctor: a bundle gives the same diagnosis, byte for byte", "[doctor][bundle]")
{
	Host host;
	Netns netns;
	char path[] = "/tmp/rxaqm-t-doctor-XXXXXX";

	set_up(netns);
	close(mkstemp(path));

	Connection connection(netns);
	const std::string text(1448, 'x');
	Meanwhile sender([&] { (void)!write(connection.tx, text.data(), text.size()); }, 1000us);

	std::this_thread::sleep_for(1s);
	for (bool mask : { false, true }) {
		for (bool json : { false, true }) {
			Args args = { "doctor", "--time=1s", "--all", "--record", path };
			Args again = { "doctor", "--all", "--from", path };

			if (mask)
				args.push_back("--mask");
			if (json) {
				args.push_back("-j");
				again.push_back("-j");
			}

			Result live = host.rxaqm(netns, args);
			Result offline = host.rxaqm(again);

			INFO(live.text());
			CHECK(live.exit_code == 5);
			CHECK(offline.exit_code == 5);
			CHECK(live.out == offline.out);
			CHECK((live.out.find("127.0.0.1") == std::string::npos) == mask);
		}
	}
	unlink(path);
}

TEST_CASE("doctor: --verify says whether a finding is gone", "[doctor][bundle]")
{
	Host host;
	Netns netns;

	set_up(netns);

	Args args = { "doctor", "--time=1s", "--verify=tcp-features-off" };
	Result before = host.rxaqm(netns, args);

	INFO(before.text());
	CHECK(before.exit_code == 0);
	CHECK(before.out.find("GONE") == 0);
	netns.shell("echo 0 >/proc/sys/net/ipv4/tcp_sack");

	Result after = host.rxaqm(netns, args);

	INFO(after.text());
	CHECK(after.exit_code == 5);
	CHECK(after.out.find("STILL") == 0);
	CHECK(after.out.find("tcp_sack=0") != std::string::npos);
}

TEST_CASE("doctor: an interface is looked at by its name, in its namespace", "[doctor]")
{
	Host host;
	Netns netns;

	set_up(netns);
	netns.ip("link add doc0 type veth peer name doc1");
	netns.ip("link set doc0 up");

	Result result = host.rxaqm(netns, { "doctor", "-j", "--time=1s", "--record=-", "doc0" });

	INFO(result.text());

	Json json(result.out);

	CHECK(json.text("/interface") == "doc0");
	CHECK(json.text("/after/ifaces/0/name") == "doc0");
	CHECK(json.text("/after/ifaces/0/driver") == "veth");
	CHECK(!json.has("/after/ifaces/1"));
}

TEST_CASE("doctor: bad words", "[doctor][cli]")
{
	Host host;
	Netns netns;

	for (const auto &[args, exit_code, err] : std::vector<std::tuple<Args, int, std::string>>{
		     { { "doctor", "--time=5" }, 2, "--time=5: must be 1s to 10m, with a unit" },
		     { { "doctor", "--time=11m" }, 2, "must be 1s to 10m" },
		     { { "doctor", "--verify=nonsense" }, 2, "no such check" },
		     { { "doctor", "a", "b" }, 2, "too many interfaces" },
		     { { "doctor", "--from=x", "eth0" }, 2, "--from stands alone" },
		     { { "doctor", "--watch", "--record=x" }, 2, "exclude each other" },
		     { { "doctor", "--from=/nonexistent" }, 1, "cannot read \"/nonexistent\"" },
		     { { "doctor", "--from=/dev/null" }, 2, "/dev/null: not JSON, at byte 0" },
		     { { "doctor", "--time=1s", "nosuch0" }, 1, "no interface \"nosuch0\"" },
		     { { "doctor", "--time=1s", "--record=/nonexistent/x", "lo" },
		       1,
		       "cannot write \"/nonexistent/x\"" },
	     }) {
		Result result = host.rxaqm(netns, args);

		INFO(result.text());
		CHECK(result.exit_code == exit_code);
		CHECK(result.out == "");
		CHECK(result.err.find(err) != std::string::npos);
		CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
	}
}
