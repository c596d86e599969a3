// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor --deep: which probes it runs, and what it concludes from them. */
#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "doctor.hpp"
#include "traffic.hpp"

using namespace std::chrono_literals;

/* This thread, from now on. */
static void run_on(unsigned cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

namespace
{

/* UDP from tx to rx until the test ends, more than the receiving CPU's backlog holds, whatever else
 * wants the sending one.
 */
class Flood
{
    public:
	explicit Flood(const Wire &wire)
		: socket_(flooding_socket(wire.tx))
	{
		thread_ = std::thread([this] { send_all(); });
	}
	~Flood()
	{
		stop_ = true;
		thread_.join();
		close(socket_);
	}

    private:
	void send_all()
	{
		sockaddr_in to = {};
		char payload[200] = {};

		Ahead ahead;

		run_on(0);
		to.sin_family = AF_INET;
		to.sin_port = htons(9);
		inet_pton(AF_INET, Wire::RX_IP4, &to.sin_addr);
		while (!stop_) {
			for (int i = 0; i < 100; i++)
				sendto(socket_, payload, sizeof(payload), MSG_DONTWAIT,
				       (sockaddr *)&to, sizeof(to));
			std::this_thread::sleep_for(1ms);
		}
	}
	std::atomic<bool> stop_{ false };
	int socket_;
	std::thread thread_;
};

/* Has @cpu for four fifths of the time, whatever else wants it, until the test ends. */
class Hog
{
    public:
	explicit Hog(unsigned cpu)
		: thread_([this, cpu] {
			Ahead ahead;

			run_on(cpu);
			while (!stop_) {
				const auto until = std::chrono::steady_clock::now() + 20ms;

				while (std::chrono::steady_clock::now() < until)
					;
				std::this_thread::sleep_for(5ms);
			}
		})
	{
	}
	~Hog()
	{
		stop_ = true;
		thread_.join();
	}

    private:
	std::atomic<bool> stop_{ false };
	std::thread thread_;
};

} // namespace

static std::set<std::string> ids(const Json &json, bool causes)
{
	std::set<std::string> all;

	for (int i = 0; json.has("/findings/" + std::to_string(i)); i++) {
		const std::string at = "/findings/" + std::to_string(i);

		if (!causes || json.is_null(at + "/consequence_of"))
			all.insert(json.text(at + "/id"));
	}
	return all;
}

TEST_CASE("doctor: a BPF program that makes each packet dear is named", "[doctor][deep]")
{
	Host host;
	Wire wire;
	char path[] = "/tmp/rxaqm-t-deep-XXXXXX";

	if (std::thread::hardware_concurrency() < 2)
		SKIP("needs two CPUs: one to send, one to receive");
	close(mkstemp(path));
	wire.rx.shell("echo 2 >/sys/class/net/" + wire.rx_if + "/queues/rx-0/rps_cpus");
	must({ build_path("rig/rigctl"), "--netns", wire.rx.name(), "burn", "attach", wire.rx_if,
	       "cost=100us" });
	{
		Flood flood(wire);
		Result live = host.rxaqm(wire.rx, { "doctor", "-j", "--deep", "--time=2s",
						    "--record", path });

		INFO(live.text());
		CHECK(live.exit_code == 5);
		CHECK(live.err.find("probe \"polls\", 3 s: ") != std::string::npos);
		CHECK(live.err.find("probe \"progs\", 3 s: ") != std::string::npos);
		/* Nothing was sent in segments, and no buffer collapsed. */
		CHECK(live.err.find("probe \"frames\"") == std::string::npos);
		CHECK(live.err.find("probe \"collapse\"") == std::string::npos);

		Json json(live.out);

		CHECK(ids(json, true).count("bpf-dear"));
		CHECK(ids(json, false).count("backlog-drops"));
		CHECK(!ids(json, true).count("backlog-drops"));
		CHECK(live.out.find("The BPF program rig_burn takes ") != std::string::npos);

		Result offline = host.rxaqm({ "doctor", "-j", "--from", path });

		CHECK(offline.out == live.out);
	}
	unlink(path);
}

TEST_CASE("doctor: a queue whose CPU others have is starved, not slow", "[doctor][deep]")
{
	Host host;
	Wire wire;

	if (std::thread::hardware_concurrency() < 2)
		SKIP("needs two CPUs: one to send, one to receive");
	put_foreign_xdp(wire.rx, wire.rx_if);
	must({ build_path("rig/rigctl"), "--netns", wire.rx.name(), "burn", "attach", wire.rx_if,
	       "cost=100us" });
	/* What the hog leaves is its own, before anything else that the machine does. */
	wire.pin_napi(1);

	Hog hog(1);
	Flood flood(wire);
	Result result = host.rxaqm(wire.rx, { "doctor", "-j", "--deep", "--time=2s" });

	INFO(result.text());

	Json json(result.out);

	CHECK(ids(json, false).count("rx-starved"));
	CHECK(ids(json, false).count("napi-starved"));
	CHECK(!ids(json, true).count("napi-starved"));
	CHECK(!ids(json, false).count("packet-dear"));
	CHECK(result.out.find(" of " + wire.rx_if + " is starved, not slow") != std::string::npos);
}

TEST_CASE("doctor: nothing is probed where nothing is suspected", "[doctor][deep]")
{
	Host host;
	Netns netns;

	netns.ip("link add idle0 type veth peer name idle1");
	netns.ip("link set idle0 up");

	Result result = host.rxaqm(netns, { "doctor", "--deep", "--time=1s", "idle0" });

	INFO(result.text());
	/* What this machine's other work does to its CPUs is not the test's. */
	if (result.err.find("probe \"") == std::string::npos)
		CHECK(result.err == "rxaqm: no probe: none could settle what is suspected\n");
}

/* The lock is that of a file, so it ends with who holds it. */
TEST_CASE("doctor: --deep is for one at a time", "[doctor][deep]")
{
	Host host;
	Netns netns;
	const Args args = { "doctor", "--deep", "--time=1s" };

	set_up(netns);
	CHECK(host.rxaqm(netns, args).exit_code != 1);

	const int fd = open("/run/rxaqm/doctor-deep", O_RDWR | O_CLOEXEC);

	REQUIRE(fd >= 0);
	REQUIRE(!flock(fd, LOCK_EX));

	Result second = host.rxaqm(netns, args);

	INFO(second.text());
	CHECK(second.exit_code == 1);
	CHECK(second.out == "");
	CHECK(second.err.find("another \"rxaqm doctor --deep\" is at work") != std::string::npos);
	CHECK(host.rxaqm(netns, { "doctor", "--time=1s" }).exit_code != 1);
	close(fd);
	CHECK(host.rxaqm(netns, args).exit_code != 1);
}

TEST_CASE("doctor: --deep stands with neither --from nor --watch", "[doctor][deep][cli]")
{
	Host host;

	for (const char *other : { "--from=/dev/null", "--watch" }) {
		Result result = host.rxaqm({ "doctor", "--deep", other });

		INFO(result.text());
		CHECK(result.exit_code == 2);
		CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
	}
}

/* For an address that is nobody's, as a wrong route makes them: no check explains that counter. */
TEST_CASE("doctor: what is not explained is told by reason and function", "[doctor][deep]")
{
	Host host;
	Wire wire;
	sockaddr_in nobody = address_of("10.78.0.9", 9);

	wire.tx.ip(std::string("route add 10.78.0.0/24 via ") + Wire::RX_IP4);
	wire.rx.shell("sysctl -qw net.ipv4.ip_forward=0 net.ipv4.conf.all.rp_filter=0 "
		      "net.ipv4.conf." +
		      wire.rx_if + ".rp_filter=0");

	int socket = wire.tx.socket(AF_INET, SOCK_DGRAM);
	Result result;
	{
		Meanwhile wrong(
			[&] {
				for (int i = 0; i < 20; i++)
					sendto(socket, "x", 1, 0, (sockaddr *)&nobody,
					       sizeof(nobody));
			},
			10ms);

		result = host.rxaqm(wire.rx, { "doctor", "--deep", "--time=2s" });
	}
	close(socket);
	INFO(result.text());
	CHECK(result.err.find("probe \"drops\", 3 s: ") != std::string::npos);

	const size_t at = result.out.find("DROPPED BY THE KERNEL  in 3.0 s of --deep\n");

	REQUIRE(at != std::string::npos);
	CHECK(result.out.find("s of Ip.InAddrErrors (") < at);
	CHECK(result.out.find(" in ip_error\n", at) != std::string::npos);
}
