/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounded TCP and UDP between two namespaces, and whether it arrives. */
#ifndef RXAQM_TESTS_TRAFFIC_HPP
#define RXAQM_TESTS_TRAFFIC_HPP

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "netns.hpp"

/* Send @bytes by TCP to @address in @to. How many arrived, in order and intact. */
size_t tcp_transfer(const Netns &from, const Netns &to, const std::string &address, size_t bytes);

/* Send @n datagrams of @bytes, unfragmented, from each of @flows sockets to @address in @to, one by
 * one, with @tos or traffic class. How many arrived.
 */
unsigned udp_transfer(const Netns &from, const Netns &to, const std::string &address, unsigned n,
		      unsigned flows = 1, unsigned tos = 0, size_t bytes = 512);

/* TCP and UDP, IPv4 and IPv6, from tx to rx. "" if all of it arrived; else what did not. */
std::string all_traffic(const Wire &wire);

/* A UDP socket in @from that is never held back by its packets that wait at a receiver: it can
 * overflow any backlog.
 */
int flooding_socket(const Netns &from);

/* UDP from tx to rx that goes on meanwhile, about a packet a millisecond, IPv4 and IPv6 in turn. */
class Background
{
    public:
	explicit Background(const Wire &wire);
	~Background();

	struct Outcome {
		unsigned sent = 0, received = 0;
		unsigned interruptions = 0; /* rows of packets that were lost, of each family */
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
