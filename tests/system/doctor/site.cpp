// SPDX-License-Identifier: GPL-2.0-only
#include "site.hpp"

#include <sys/epoll.h>
#include <sys/poll.h> /* <poll.h> is xdp/shared/poll.h here */

#include <algorithm>
#include <cstdlib>

namespace
{

/* As long as it took, this many times: the share of one in four, or less. */
constexpr int REST = 3;
/* Of what takes hardly any time. */
constexpr auto SHORT_REST = 500us;
constexpr auto LONG_REST = 100ms;
constexpr int PATIENCE_MS = 1000;

bool is_ready(int fd, short events, int ms = PATIENCE_MS)
{
	struct pollfd wanted = { fd, events, 0 };

	return poll(&wanted, 1, ms) == 1;
}

/* One request each of @n connections, and all that is answered to it. */
void fetch_once(const sockaddr_in &from, unsigned n)
{
	std::vector<int> clients;
	char buf[65536];

	for (unsigned i = 0; i < n; i++) {
		const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		connect(fd, (const sockaddr *)&from, sizeof(from));
		clients.push_back(fd);
	}
	for (int fd : clients)
		if (is_ready(fd, POLLOUT))
			(void)!send(fd, "GET", 3, MSG_NOSIGNAL);
	for (int fd : clients) {
		while (is_ready(fd, POLLIN) && recv(fd, buf, sizeof(buf), 0) > 0)
			;
		close(fd);
	}
}

/* @epoll tells of @fd by @name. */
void await(int epoll, int fd, int name)
{
	struct epoll_event event = {};

	event.events = EPOLLIN;
	event.data.fd = name;
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

} // namespace

Busy::Busy(const Netns &netns, std::function<void()> once)
	: thread_([this, &netns, once] {
		netns.enter([&] {
			Ahead ahead;

			while (!stop_) {
				const auto begin = std::chrono::steady_clock::now();

				once();
				std::this_thread::sleep_for(std::clamp<std::chrono::nanoseconds>(
					REST * (std::chrono::steady_clock::now() - begin),
					SHORT_REST, LONG_REST));
			}
		});
	})
{
}

Busy::~Busy()
{
	stop_ = true;
	thread_.join();
}

Server::Server(const Netns &netns, const std::vector<uint16_t> &ports, size_t reply)
	: reply_(reply, 'x')
{
	const int epoll = epoll_create1(EPOLL_CLOEXEC), yes = 1;

	netns.enter([&] {
		for (uint16_t port : ports) {
			const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
					      0);
			const sockaddr_in any = address_of("0.0.0.0", port);

			setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
			REQUIRE(!bind(fd, (const sockaddr *)&any, sizeof(any)));
			REQUIRE(!listen(fd, 1024));
			await(epoll, fd, -fd);
			listeners_.push_back(fd);
		}
	});
	thread_ = std::thread([this, epoll] { serve(epoll); });
}

Server::~Server()
{
	stop_ = true;
	thread_.join();
	for (int fd : listeners_)
		close(fd);
}

void Server::serve(int epoll)
{
	struct epoll_event events[64];
	std::set<int> open;
	Ahead ahead;

	while (!stop_) {
		const int n = epoll_wait(epoll, events, 64, 100);

		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;

			if (fd >= 0) {
				if (!answer(fd))
					continue;
				open.erase(fd);
				close(fd);
				continue;
			}
			while ((fd = accept4(-events[i].data.fd, nullptr, nullptr, SOCK_CLOEXEC)) >=
			       0) {
				open.insert(fd);
				await(epoll, fd, fd);
			}
		}
	}
	for (int fd : open)
		close(fd);
	close(epoll);
}

bool Server::answer(int fd)
{
	static thread_local char buf[1 << 18];
	const ssize_t got = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (got <= 0)
		return got == 0 || errno != EAGAIN;
	if (!reply_.empty())
		(void)!send(fd, reply_.data(), reply_.size(), MSG_NOSIGNAL);
	return !reply_.empty();
}

void Site::fetch(const Netns &from, const char *ip4, uint16_t port, unsigned at_once)
{
	const sockaddr_in address = address_of(ip4, port);

	busy.push_back(
		std::make_unique<Busy>(from, [address, at_once] { fetch_once(address, at_once); }));
}

void Site::copy(const Netns &from, const Netns &to, const char *ip4, unsigned nr)
{
	static const std::string block(65536, 'x');
	std::vector<int> sending;
	struct pollfd coming = {};

	while (nr--) {
		flows.push_back(std::make_unique<Connection>(from, to, address_of(ip4)));
		sending.push_back(flows.back()->tx);
		coming = { flows.back()->rx, POLLIN, 0 };
		readers.push_back(std::make_unique<Meanwhile>(
			[coming]() mutable {
				static thread_local char buf[1 << 18];

				if (poll(&coming, 1, 100) == 1)
					(void)!recv(coming.fd, buf, sizeof(buf), MSG_DONTWAIT);
			},
			0us));
	}
	busy.push_back(std::make_unique<Busy>(from, [sending] {
		for (int fd : sending)
			for (int i = 0; i < 8; i++)
				(void)!send(fd, block.data(), block.size(),
					    MSG_DONTWAIT | MSG_NOSIGNAL);
	}));
}

void Site::stream(unsigned nr, size_t bytes, bool answered)
{
	datagrams.push_back(std::make_unique<UdpFlow>(wire.tx, wire.rx, address_of(Wire::RX_IP4)));
	UdpFlow &flow = *datagrams.back();
	/* As servers of UDP ask for: with the default a reader that waits 8 ms loses some. */
	const int buffer = 4 << 20;

	REQUIRE(!setsockopt(flow.rx, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer)));
	readers.push_back(std::make_unique<Meanwhile>(
		[&flow, answered] {
			static thread_local char buf[65536];
			sockaddr_in from = {};
			socklen_t len = sizeof(from);

			if (!is_ready(flow.rx, POLLIN, 100))
				return;
			const ssize_t got = recvfrom(flow.rx, buf, sizeof(buf), MSG_DONTWAIT,
						     (sockaddr *)&from, &len);

			if (answered && got > 0)
				sendto(flow.rx, buf, size_t(got), MSG_DONTWAIT, (sockaddr *)&from,
				       len);
		},
		0us));
	busy.push_back(std::make_unique<Busy>(wire.tx, [&flow, nr, bytes, answered] {
		char buf[65536];

		flow.send(nr, bytes);
		for (unsigned i = 0; answered && i < nr && is_ready(flow.tx, POLLIN); i++)
			(void)!recv(flow.tx, buf, sizeof(buf), MSG_DONTWAIT);
	}));
}

int Site::runs()
{
	const char *wanted = getenv("RXAQM_RUNS");

	return wanted ? atoi(wanted) : getenv("RXAQM_GUEST") ? 5 : 1;
}

void Site::check_healthy(const std::vector<const Netns *> &hosts) const
{
	const bool own_cpus = getenv("RXAQM_GUEST");

	std::this_thread::sleep_for(500ms);
	for (int i = 0; i < runs(); i++) {
		std::vector<Result> results(hosts.size());
		std::vector<std::thread> looks;

		for (size_t k = 0; k < hosts.size(); k++)
			looks.emplace_back([&, k] {
				results[k] = host.rxaqm(*hosts[k], { "doctor", "-j", "--time",
								     runs() > 1 ? "3s" : "2s" });
			});
		for (std::thread &look : looks)
			look.join();
		for (const Result &result : results) {
			const Diagnosis diagnosis = read_diagnosis(result);

			INFO("run " << i << ": " << diagnosis.text);
			CHECK(diagnosis.found == diagnosis.notes);
			/* In virtual time nobody else takes time of the CPUs. */
			if (own_cpus)
				CHECK(diagnosis.machine.empty());
			CHECK((diagnosis.exit_code == 0 || !diagnosis.machine.empty()));
		}
	}
}
