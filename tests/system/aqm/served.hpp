/* SPDX-License-Identifier: GPL-2.0-only */
/* An interface with rxaqm whose queues go to AF_XDP sockets. */
#ifndef RXAQM_SERVED_HPP
#define RXAQM_SERVED_HPP

#include <catch2/catch_test_macros.hpp>

#include "afxdp.hpp"
#include "host.hpp"
#include "traffic.hpp"

/* An interface of @queues queues that rxaqm is attached to. */
struct Attached {
	Host host;
	Wire wire;

	explicit Attached(Args settings = {}, unsigned queues = 1)
		: wire(queues)
	{
		Args args = { "attach", wire.rx_if };

		args.insert(args.end(), settings.begin(), settings.end());
		Result result = host.rxaqm(wire.rx, args);
		CAPTURE(result.text());
		REQUIRE(result.exit_code == 0);
	}
	int64_t stat(const std::string &name)
	{
		return host.stat(wire.rx, wire.rx_if, name);
	}
	/* The interface's only socket, served from the next poll on. */
	std::unique_ptr<AfXdp> serve(unsigned queue = 0)
	{
		auto socket = std::make_unique<AfXdp>(wire.rx, wire.rx_if, queue);

		socket->join(host, queue);
		return socket;
	}
};

/* Datagrams one by one until the socket has @n of them. */
inline std::vector<SocketPacket> ping(Datagrams &datagrams, AfXdp &socket, unsigned n)
{
	std::vector<SocketPacket> packets;

	for (unsigned tries = 0; packets.size() < n && tries < 2 * n + 100; tries++) {
		datagrams.send();
		for (SocketPacket &packet : socket.receive(64, 100))
			if (packet.number())
				packets.push_back(std::move(packet));
	}
	return packets;
}

#endif /* RXAQM_SERVED_HPP */
