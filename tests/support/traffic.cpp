// SPDX-License-Identifier: GPL-2.0-only
#include "traffic.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/poll.h> /* <poll.h> is xdp/shared/poll.h here */
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

using std::chrono::milliseconds;

namespace
{

constexpr int LONGEST_WAIT_S = 30;

class Socket
{
    public:
	Socket(const Netns &netns, int family, int type)
		: fd_(netns.socket(family, type))
	{
		struct timeval timeout = { LONGEST_WAIT_S, 0 };

		setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
		setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	}
	~Socket()
	{
		close(fd_);
	}
	Socket(const Socket &) = delete;
	Socket &operator=(const Socket &) = delete;
	operator int() const
	{
		return fd_;
	}

    private:
	int fd_;
};

struct Address {
	struct sockaddr_storage storage = {};
	socklen_t len;
	int family;

	Address(const std::string &text, uint16_t port)
	{
		auto *v4 = reinterpret_cast<struct sockaddr_in *>(&storage);
		auto *v6 = reinterpret_cast<struct sockaddr_in6 *>(&storage);

		family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
		storage.ss_family = sa_family_t(family);
		len = family == AF_INET ? sizeof(*v4) : sizeof(*v6);
		(family == AF_INET ? v4->sin_port : v6->sin6_port) = htons(port);
		if (inet_pton(family, text.c_str(),
			      family == AF_INET ? static_cast<void *>(&v4->sin_addr) :
						  static_cast<void *>(&v6->sin6_addr)) != 1)
			throw std::invalid_argument(text);
	}
	const struct sockaddr *get() const
	{
		return reinterpret_cast<const struct sockaddr *>(&storage);
	}
};

void check(int result, const char *what)
{
	if (result < 0)
		throw std::system_error(errno, std::generic_category(), what);
}

/* Bind @fd to @address and any port, and write the port to @address. */
void bind_any(int fd, Address &address)
{
	check(bind(fd, address.get(), address.len), "bind");
	check(getsockname(fd, reinterpret_cast<struct sockaddr *>(&address.storage), &address.len),
	      "getsockname");
}

/* Byte @at of a TCP stream: no two packets look the same. */
char stream_byte(size_t at)
{
	return char((at * 2654435761u) >> 13);
}

size_t receive_stream(int listener, size_t bytes)
{
	int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
	struct timeval timeout = { LONGEST_WAIT_S, 0 };
	char buf[16384];
	size_t got = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	while (got < bytes && (n = recv(fd, buf, sizeof(buf), 0)) > 0) {
		for (ssize_t i = 0; i < n; i++, got++) {
			if (buf[i] != stream_byte(got)) {
				close(fd);
				return got;
			}
		}
	}
	close(fd);
	return got;
}

void set_tos(int fd, int family, unsigned tos)
{
	int value = int(tos);

	check(setsockopt(fd, family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6,
			 family == AF_INET ? IP_TOS : IPV6_TCLASS, &value, sizeof(value)),
	      "setsockopt TOS");
}

void forbid_fragments(int fd, int family)
{
	int value = family == AF_INET ? IP_PMTUDISC_DO : IPV6_PMTUDISC_DO;

	check(setsockopt(fd, family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6,
			 family == AF_INET ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER, &value,
			 sizeof(value)),
	      "setsockopt MTU_DISCOVER");
}

} // namespace

size_t tcp_transfer(const Netns &from, const Netns &to, const std::string &address, size_t bytes)
{
	Address server(address, 0);
	Socket listener(to, server.family, SOCK_STREAM), client(from, server.family, SOCK_STREAM);
	std::vector<char> data(bytes);
	size_t got = 0;

	bind_any(listener, server);
	check(listen(listener, 1), "listen");
	for (size_t i = 0; i < bytes; i++)
		data[i] = stream_byte(i);
	if (connect(client, server.get(), server.len))
		return 0;
	std::thread receiver([&] { got = receive_stream(listener, bytes); });
	for (size_t sent = 0; sent < bytes;) {
		ssize_t n = send(client, &data[sent], bytes - sent, MSG_NOSIGNAL);

		if (n <= 0)
			break;
		sent += size_t(n);
	}
	shutdown(client, SHUT_WR);
	receiver.join();
	return got;
}

unsigned udp_transfer(const Netns &from, const Netns &to, const std::string &address, unsigned n,
		      unsigned flows, unsigned tos, size_t bytes)
{
	Address server(address, 0);
	Socket receiver(to, server.family, SOCK_DGRAM);
	std::vector<char> buf(bytes);
	unsigned got = 0;

	bind_any(receiver, server);
	for (unsigned flow = 0; flow < flows; flow++) {
		Socket sender(from, server.family, SOCK_DGRAM);

		set_tos(sender, server.family, tos);
		forbid_fragments(sender, server.family);
		check(connect(sender, server.get(), server.len), "connect");
		for (unsigned i = 0; i < n; i++) {
			struct pollfd fd = { receiver, POLLIN, 0 };

			if (send(sender, buf.data(), bytes, 0) < 0)
				continue;
			got += poll(&fd, 1, 1000) == 1 &&
			       recv(receiver, buf.data(), bytes, 0) == ssize_t(bytes);
		}
	}
	return got;
}

std::string all_traffic(const Wire &wire)
{
	std::string missing;

	for (const char *address : { Wire::RX_IP4, Wire::RX_IP6 }) {
		size_t bytes = tcp_transfer(wire.tx, wire.rx, address, 200000);
		unsigned packets = udp_transfer(wire.tx, wire.rx, address, 50);

		if (bytes != 200000)
			missing += "TCP to " + std::string(address) + ": " + std::to_string(bytes) +
				   " of 200000 bytes; ";
		if (packets != 50)
			missing += "UDP to " + std::string(address) + ": " +
				   std::to_string(packets) + " of 50 packets; ";
	}
	return missing;
}

int flooding_socket(const Netns &from)
{
	int fd = from.socket(AF_INET, SOCK_DGRAM), bytes = 64 << 20;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		throw std::system_error(errno, std::generic_category(), "SO_SNDBUFFORCE");
	return fd;
}

Background::Background(const Wire &wire)
{
	const char *addresses[] = { Wire::RX_IP4, Wire::RX_IP6 };

	for (int i = 0; i < 2; i++) {
		Address server(addresses[i], 0);

		rx_[i] = wire.rx.socket(server.family, SOCK_DGRAM);
		tx_[i] = wire.tx.socket(server.family, SOCK_DGRAM);
		bind_any(rx_[i], server);
		check(connect(tx_[i], server.get(), server.len), "connect");
	}
	receiver_ = std::thread([this] { receive_all(); });
	sender_ = std::thread([this] { send_all(); });
}

Background::~Background()
{
	stop();
	for (int fd : { tx_[0], tx_[1], rx_[0], rx_[1] })
		close(fd);
}

void Background::send_all()
{
	unsigned packet[50] = {};

	while (!stop_) {
		packet[0] = outcome_.sent / 2;
		outcome_.sent += send(tx_[outcome_.sent % 2], packet, sizeof(packet), 0) > 0;
		std::this_thread::sleep_for(milliseconds(1));
	}
	sent_all_ = true;
}

void Background::receive_all()
{
	struct pollfd fds[] = { { rx_[0], POLLIN, 0 }, { rx_[1], POLLIN, 0 } };
	unsigned packet[64], next[2] = {}, silent = 0;

	/* On a busy CPU the last packets may arrive late. */
	while (!sent_all_ || (outcome_.received < outcome_.sent && silent < 10)) {
		silent = poll(fds, 2, 100) ? 0 : silent + 1;
		for (int i = 0; i < 2; i++) {
			if (!(fds[i].revents & POLLIN) ||
			    recv(fds[i].fd, packet, sizeof(packet), 0) <= 0)
				continue;
			outcome_.received++;
			outcome_.interruptions += packet[0] != next[i];
			next[i] = packet[0] + 1;
		}
	}
}

Background::Outcome Background::stop()
{
	stop_ = true;
	if (sender_.joinable())
		sender_.join();
	if (receiver_.joinable())
		receiver_.join();
	return outcome_;
}
