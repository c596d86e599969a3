/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RXAQM_TESTS_RECEIVER_HPP
#define RXAQM_TESTS_RECEIVER_HPP

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "plane.hpp"

namespace packets
{

/* The kernel's TCP behind a TAP, which says nothing of checksums: so the kernel checks them. */
class Receiver
{
    public:
	explicit Receiver(int version)
		: version_(version)
	{
		netns_.enter([&] {
			ifreq ifr = {};

			strcpy(ifr.ifr_name, "tap0");
			ifr.ifr_flags = IFF_TAP | IFF_NO_PI;
			tap_ = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
			if (tap_ < 0 || ioctl(tap_, TUNSETIFF, &ifr))
				throw std::runtime_error("no TAP");
		});
		netns_.ip("link set tap0 address 02:00:00:00:00:01 up");
		netns_.ip("address add 10.0.0.2/24 dev tap0");
		netns_.ip("address add fd00::2/64 dev tap0 nodad");
		netns_.ip("neighbour add 10.0.0.1 lladdr 02:00:00:00:00:02 dev tap0");
		netns_.ip("neighbour add fd00::1 lladdr 02:00:00:00:00:02 dev tap0");
		listen_ = netns_.socket(AF_INET6, SOCK_STREAM);
		timeval patience = { 10, 0 };
		setsockopt(listen_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		sockaddr_in6 any = {};
		any.sin6_family = AF_INET6;
		any.sin6_port = htons(80);
		REQUIRE(!bind(listen_, reinterpret_cast<sockaddr *>(&any), sizeof(any)));
		REQUIRE(!listen(listen_, 1));
		connect();
	}
	~Receiver()
	{
		for (int fd : { tap_, listen_, socket_ })
			if (fd >= 0)
				close(fd);
	}
	/* The next segment of the connection. */
	Packet next(uint8_t flags, size_t payload)
	{
		Packet p;

		p.version = version_;
		p.flags = flags;
		p.payload = payload;
		/* Not agreed upon, so the kernel does not look at what they say. */
		if (payload)
			p.tcp_options = timestamps();
		p.seq = seq_;
		p.ack = ack_;
		return p;
	}
	/* @frame, of as many bytes of payload, arrives. */
	void arrive(const Bytes &frame)
	{
		REQUIRE(write(tap_, frame.data(), frame.size()) == ssize_t(frame.size()));
	}
	/* The application gets all bytes of the segment @p. */
	bool takes(const Packet &p)
	{
		Bytes got(p.payload);
		pollfd wait = { socket_, POLLIN, 0 };

		if (poll(&wait, 1, 10000) != 1 ||
		    recv(socket_, got.data(), got.size(), MSG_WAITALL) != ssize_t(got.size()))
			return false;
		for (size_t i = 0; i < got.size(); i++)
			if (got[i] != uint8_t(i * 7 + 1))
				return false;
		seq_ += uint32_t(p.payload);
		return true;
	}
	/* Segments whose checksum the kernel has found wrong. */
	unsigned wrong()
	{
		const std::string words = netns_.shell(
			"awk '$1 == \"Tcp:\" { n = $16 } END { print n }' /proc/net/snmp");

		return unsigned(std::stoul(words));
	}

    private:
	void connect()
	{
		const size_t tcp = version_ == 4 ? 34 : 54;
		Bytes frame(2048);

		/* Again, as a client does: the first may come before the address can be used. */
		for (int i = 0; i < 100; i++) {
			pollfd wait = { tap_, POLLIN, 0 };

			if (!i || !poll(&wait, 1, 1000)) {
				arrive(build(next(SYN, 0)));
				continue;
			}
			ssize_t bytes = read(tap_, frame.data(), frame.size());
			if (bytes < ssize_t(tcp + 20) ||
			    frame[version_ == 4 ? 23 : 20] != packets::TCP ||
			    frame[tcp + 13] != (SYN | ACK))
				continue;
			ack_ = uint32_t(get16(&frame[tcp + 4])) << 16 | get16(&frame[tcp + 6]);
			ack_++;
			seq_++;
			arrive(build(next(ACK, 0)));
			socket_ = accept4(listen_, nullptr, nullptr, SOCK_CLOEXEC);
			REQUIRE(socket_ >= 0);
			return;
		}
		FAIL("no SYN-ACK");
	}

	Netns netns_;
	int version_, tap_ = -1, listen_ = -1, socket_ = -1;
	uint32_t seq_ = 1000, ack_ = 0;
};

} /* namespace packets */

#endif /* RXAQM_TESTS_RECEIVER_HPP */
