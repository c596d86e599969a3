/* SPDX-License-Identifier: GPL-2.0-only */
/* Send a bounded amount of TCP and UDP between two namespaces, and check that it arrives. */
#ifndef RXAQM_TESTS_TRAFFIC_HPP
#define RXAQM_TESTS_TRAFFIC_HPP

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "netns.hpp"

/* Send @bytes by TCP to @address in @to. Returns how many arrived in order and intact. */
size_t tcp_transfer(const Netns &from, const Netns &to, const std::string &address, size_t bytes);

/* Send @n datagrams of @bytes, unfragmented, from each of @flows sockets to @address in @to, one
 * after the other, with @tos or traffic class. Returns how many arrived.
 */
unsigned udp_transfer(const Netns &from, const Netns &to, const std::string &address, unsigned n,
		      unsigned flows = 1, unsigned tos = 0, size_t bytes = 512);

/* Send TCP and UDP, IPv4 and IPv6, from tx to rx. "": all of it arrived; else what did not. */
std::string all_traffic(const Wire &wire);

/* A UDP socket in @from that can overflow any backlog: packets waiting at a receiver do not block
 * it.
 */
int flooding_socket(const Netns &from);

/* UDP from tx to rx in the background, about a packet a millisecond, IPv4 and IPv6 in turn. */
class Background
{
    public:
	explicit Background(const Wire &wire);
	~Background();

	struct Outcome {
		unsigned sent = 0, received = 0;
		unsigned interruptions = 0; /* runs of lost packets, for each address family */
	};
	Outcome stop();

    private:
	void send_all();
	void receive_all();

	int tx_[2], rx_[2];
	std::atomic<bool> stop_{ false }, sent_all_{ false };
	Outcome outcome_;
	std::thread sender_, receiver_;
};

#endif /* RXAQM_TESTS_TRAFFIC_HPP */
