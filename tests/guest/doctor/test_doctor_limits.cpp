// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on limits that the whole host shares: the tests change them and restore them. */
#include <catch2/catch_test_macros.hpp>

#include <linux/if_ether.h>
#include <sys/socket.h>
#include <unistd.h>

#include "patient.hpp"

using namespace std::chrono_literals;

namespace
{

/* Change a sysctl of the host for the duration of the test. */
class Sysctl
{
    public:
	Sysctl(const std::string &name, const std::string &value)
		: path_("/proc/sys/net/" + name)
		, before_(slurp(path_))
	{
		write(value);
	}
	~Sysctl()
	{
		write(before_);
	}

    private:
	void write(const std::string &value) const
	{
		FILE *file = fopen(path_.c_str(), "w");

		REQUIRE(file);
		fputs(value.c_str(), file);
		REQUIRE(!fclose(file));
	}
	const std::string path_, before_;
};

} // namespace

TEST_CASE("doctor: TCP that has not memory enough for all", "[doctor][limits]")
{
	in_guest();
	Sysctl memory("ipv4/tcp_mem", "100 150 4000");
	Patient nic(2);
	const std::string netem = " dev " + nic.wire->tx_if + " root";

	nic.wire->tx.shell("modprobe sch_netem; tc qdisc add" + netem +
			   " netem delay 50ms limit 10000");
	{
		Transfer transfer(nic.wire->tx, nic.rx(), Wire::RX_IP4, 8);

		std::this_thread::sleep_for(3s);

		/* Only the first network namespace shows the limit. */
		Result result = nic.host.rxaqm({ "doctor", "-j", "--time=3s" });

		INFO(result.text());
		CHECK(result.exit_code == 5);
		CHECK(Json(result.out).text("/primary") == "tcp-memory");
	}
	nic.wire->tx.shell("tc qdisc del" + netem);
}

TEST_CASE("doctor: UDP that has not memory enough for all", "[doctor][limits]")
{
	in_guest();
	Sysctl memory("ipv4/udp_mem", "10 20 30");
	Patient nic(2);
	sockaddr_in address = address_of(Wire::RX_IP4, CLOSED_PORT);
	const int fd = nic.rx().socket(AF_INET, SOCK_DGRAM);

	REQUIRE(!bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)));
	{
		Meanwhile reader([&] {
			static char data[2000];

			while (recv(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
				;
			std::this_thread::sleep_for(20ms);
		});
		Bursts bursts(nic.wire->tx, Wire::RX_IP4, 200, 20ms, 1);

		std::this_thread::sleep_for(1s);
		check_names(diagnose(nic), "udp-memory", { "udp-burst" });
	}
	close(fd);
}

TEST_CASE("doctor: a flow that has most of a backlog", "[doctor][limits]")
{
	in_guest();
	Sysctl limit("core/flow_limit_cpu_bitmap", "3"), backlog("core/netdev_max_backlog", "64");
	Patient nic(1);
	const std::string rps = " >/sys/class/net/" + nic.name() + "/queues/rx-0/rps_cpus";

	nic.rx().shell("echo 1" + rps);
	{
		Bursts bursts(nic.wire->tx, Wire::RX_IP4, 500, 20ms, 1);

		std::this_thread::sleep_for(1s);
		check_names(diagnose(nic), "backlog-drops");
	}
	nic.rx().shell("echo 0" + rps);
}

/* Meta's case: flows behind a standing queue are paced slowly, and send small frames. It is without
 * the bonus for short paths of Linux 5.18 (tcp_tso_rtt_log).
 */
TEST_CASE("doctor: a host that throttles itself by small frames", "[doctor]")
{
	in_guest();
	Patient nic(2);

	nic.rx().shell("ethtool -G " + nic.name() + " rx 512; ethtool --set-priv-flags " +
		       nic.name() + " shared-cq on; echo 0 >/proc/sys/net/ipv4/tcp_tso_rtt_log");
	nic.set("rx_cost_ns", 50000);
	{
		Transfer transfer(nic.rx(), nic.wire->tx, Wire::TX_IP4, 64);
		Bursts bursts(nic.wire->tx, Wire::RX_IP4, 8, 700us);

		await_rise(nic, "rx_missed", 100);
		std::this_thread::sleep_for(2s);
		check_names(diagnose(nic), "rx-cpu-busy",
			    { "tso-self-throttled", "nic-ring-overflow" });
	}
}
