// SPDX-License-Identifier: GPL-2.0-only
#include "xsk.hpp"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/poll.h> /* <poll.h> is xdp/shared/poll.h here */
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>

#include "iface.h"

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

int Socket::open(const Netns &netns, const std::string &ifname, unsigned queue,
		 const rxaqm_xsk_options *options)
{
	int err = 0;

	close();
	netns.enter([&] { err = rxaqm_xsk_open(&xsk_, ifname.c_str(), queue, options); });
	return err;
}

void Socket::close()
{
	rxaqm_xsk_close(xsk_);
	xsk_ = nullptr;
}

void Socket::count(const rxaqm_xsk_packet &packet)
{
	const rxaqm_meta *meta = packet.meta;
	struct timespec now;

	if (!meta)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	with_meta++;
	marked += !!(meta->flags & RXAQM_META_MARKED);
	standing += !!(meta->flags & RXAQM_META_STANDING);
	longest_wait_ns = std::max<uint64_t>(longest_wait_ns, uint64_t(now.tv_sec) * 1000000000 +
								      uint64_t(now.tv_nsec) -
								      meta->host_ns);
	longest_sojourn_ns = std::max<uint64_t>(longest_sojourn_ns, meta->sojourn_ns);
}

unsigned Socket::drain(milliseconds timeout, unsigned batch)
{
	std::vector<rxaqm_xsk_packet> packets(batch);
	auto end = Clock::now() + timeout;
	unsigned sum = 0;

	while (Clock::now() < end) {
		int nr = rxaqm_xsk_receive(xsk_, packets.data(), batch);

		REQUIRE(nr >= 0);
		for (int i = 0; i < nr; i++)
			count(packets[size_t(i)]);
		rxaqm_xsk_release(xsk_, packets.data(), unsigned(nr));
		sum += unsigned(nr);
		if (!nr) {
			struct pollfd fd = { rxaqm_xsk_fd(xsk_), POLLIN, 0 };

			poll(&fd, 1, 5);
		}
	}
	return sum;
}

Attached::Attached(const Args &settings, unsigned queues)
	: wire(queues)
{
	Args args = { "attach", wire.rx_if };
	RunOptions options;

	/* For the library, in this process. */
	setenv("RXAQM_BPFFS", host.bpffs().c_str(), 1);
	args.insert(args.end(), settings.begin(), settings.end());
	/* Older dispatchers allow no metadata: as docs/af_xdp.md advises. */
	options.environment = { "LIBXDP_SKIP_DISPATCHER=1" };
	Result result = host.rxaqm(wire.rx, args, options);
	CAPTURE(result.text());
	REQUIRE(result.exit_code == 0);
}

rxaqm_wait published(const Host &host, unsigned queue)
{
	int fd = bpf_obj_get((host.state_dir() + "/wait_map").c_str());
	rxaqm_wait wait = {};

	REQUIRE(fd >= 0);
	REQUIRE(bpf_map_lookup_elem(fd, &queue, &wait) == 0);
	close(fd);
	return wait;
}

Args Attached::consumer(const Args &args) const
{
	Args all = { build_path("rxaqm-xsk"), "--netns", wire.rx.name() };

	all.insert(all.end(), args.begin(), args.end());
	return all;
}

namespace
{

/* A socket of tx that sends to rx. */
int udp_socket(const Wire &wire, unsigned tos)
{
	int fd = wire.tx.socket(AF_INET, SOCK_DGRAM);
	struct sockaddr_in to = {};

	to.sin_family = AF_INET;
	to.sin_port = htons(9);
	inet_pton(AF_INET, Wire::RX_IP4, &to.sin_addr);
	REQUIRE(!setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)));
	REQUIRE(!connect(fd, reinterpret_cast<struct sockaddr *>(&to), sizeof(to)));
	return fd;
}

} // namespace

void send_some(const Wire &wire, unsigned n)
{
	int fd = udp_socket(wire, 0);

	for (unsigned i = 0; i < n; i++)
		CHECK(send(fd, &i, sizeof(i), 0) == sizeof(i));
	::close(fd);
}

Flood::Flood(const Wire &wire, unsigned tos, unsigned pause_us, unsigned flows)
	: pause_us_(pause_us)
{
	for (unsigned i = 0; i < flows; i++)
		fds_.push_back(udp_socket(wire, tos));
	thread_ = std::thread([this] { run(); });
}

Flood::~Flood()
{
	stop();
	for (int fd : fds_)
		close(fd);
}

uint64_t Flood::stop()
{
	stop_ = true;
	if (thread_.joinable())
		thread_.join();
	return sent_;
}

void Flood::run()
{
	const char payload[100] = {};
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	while (!stop_) {
		sent_ += send(fds_[sent_ % fds_.size()], payload, sizeof(payload), 0) > 0;
		if (pause_us_)
			usleep(pause_us_);
	}
}
