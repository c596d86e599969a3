// SPDX-License-Identifier: GPL-2.0-only
/* rxaqm doctor on healthy hosts of storage, of a poller and of a virtual machine, as in
 * test_doctor_healthy.cpp.
 */
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "process.hpp"
#include "site.hpp"

/* A storage server: blocks are written and read, and others ask it for little. */
TEST_CASE("doctor: an NBD server at work is healthy", "[doctor][.healthy]")
{
	Site site;

	for (const char *tool : { "nbdkit", "fio" })
		if (run({ "sh", "-c", std::string("command -v ") + tool }).exit_code)
			SKIP("no " << tool);
	Child server({ "ip", "netns", "exec", site.wire.rx.name(), "nbdkit", "-f", "-p", "10809",
		       "memory", "64M" });
	REQUIRE(eventually([&] { return site.wire.rx.shell("ss -Htln sport = 10809") != ""; }));
	Child client({ "ip", "netns", "exec", site.wire.tx.name(), "fio", "--ioengine=nbd", "--uri",
		       std::string("nbd://") + Wire::RX_IP4, "--thread", "--numjobs=4",
		       "--rw=randrw", "--bs=64k", "--rate_iops=200,200", "--time_based",
		       "--runtime=600", "--name=some" });
	REQUIRE(eventually([&] {
		return site.wire.rx.shell("ss -Htn state established sport = 10809") != "";
	}));
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
	for (Child *child : { &client, &server }) {
		child->kill(SIGTERM);
		child->wait();
	}
}

/* As DPDK's and other pollers do: a CPU is busy all the time, whatever comes. */
TEST_CASE("doctor: a program that polls its socket with a CPU of its own is healthy",
	  "[doctor][.healthy]")
{
	Site site;
	UdpFlow flow(site.wire.tx, site.wire.rx, address_of(Wire::RX_IP4));
	const int buffer = 4 << 20;
	std::atomic<bool> stop{ false };

	REQUIRE(!setsockopt(flow.rx, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer)));
	std::thread poller([&] {
		static char buf[65536];
		cpu_set_t last;

		CPU_ZERO(&last);
		CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
		sched_setaffinity(0, sizeof(last), &last);
		while (!stop)
			(void)!recv(flow.rx, buf, sizeof(buf), MSG_DONTWAIT);
	});

	site.busy.push_back(std::make_unique<Busy>(site.wire.tx, [&flow] { flow.send(16, 400); }));
	site.check_healthy({ &site.wire.rx });
	site.busy.clear();
	stop = true;
	poller.join();
}

/* A virtual machine whose hypervisor takes its packets from a tun device. */
TEST_CASE("doctor: a host of a virtual machine is healthy", "[doctor][.healthy]")
{
	Site site;
	struct ifreq request = {};
	int guest = -1;

	if (access("/dev/net/tun", F_OK))
		SKIP("no /dev/net/tun");
	site.wire.rx.enter([&] {
		guest = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
		strcpy(request.ifr_name, "vm0");
		request.ifr_flags = IFF_TUN | IFF_NO_PI;
		REQUIRE(!ioctl(guest, TUNSETIFF, &request));
	});
	site.wire.rx.shell(
		"echo 1 >/proc/sys/net/ipv4/ip_forward; ip address add 10.88.0.1/24 dev vm0; "
		"ip link set vm0 up");
	site.wire.tx.ip("route add 10.88.0.0/24 via 10.77.0.2");
	UdpFlow flow(site.wire.tx, site.wire.rx, address_of(Wire::RX_IP4));
	flow.address = address_of("10.88.0.9", 53);
	site.readers.push_back(std::make_unique<Meanwhile>(
		[guest] {
			static char frame[65536];

			struct pollfd packets = { guest, POLLIN, 0 };

			if (poll(&packets, 1, 100) == 1)
				while (read(guest, frame, sizeof(frame)) > 0)
					;
		},
		0us));
	site.busy.push_back(std::make_unique<Busy>(site.wire.tx, [&flow] { flow.send(16, 1200); }));
	site.check_healthy({ &site.wire.rx, &site.wire.tx });
	site.busy.clear();
	site.readers.clear();
	close(guest);
}
