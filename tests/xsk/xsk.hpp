/* SPDX-License-Identifier: GPL-2.0-only */
/* A wire whose receiving end rxaqm is attached to, and sockets on its queues. */
#ifndef RXAQM_TESTS_XSK_HPP
#define RXAQM_TESTS_XSK_HPP

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "../support/host.hpp"
#include "rxaqm-xsk.h"

/* A socket of the library's, closed with this object. */
class Socket
{
    public:
	Socket() = default;
	~Socket()
	{
		close();
	}
	Socket(const Socket &) = delete;
	Socket &operator=(const Socket &) = delete;

	/* As rxaqm_xsk_open(), in the namespace. */
	int open(const Netns &netns, const std::string &ifname, unsigned queue = 0,
		 const rxaqm_xsk_options *options = nullptr);
	void close();
	rxaqm_xsk *get() const
	{
		return xsk_;
	}
	/* Take all that comes within @timeout, give it back, and return how many packets. */
	unsigned drain(std::chrono::milliseconds timeout, unsigned batch = 64);

	unsigned with_meta = 0, marked = 0, standing = 0; /* of what was drained */
	uint64_t longest_wait_ns = 0, longest_sojourn_ns = 0;

    private:
	void count(const rxaqm_xsk_packet &packet);

	rxaqm_xsk *xsk_ = nullptr;
};

/* What the consumer of @queue, of the only interface attached, has published. */
rxaqm_wait published(const Host &host, unsigned queue = 0);

/* Attached, with @settings. */
struct Attached {
	Host host;
	Wire wire;

	explicit Attached(const Args &settings = {}, unsigned queues = 1);

	int64_t stat(const std::string &name) const
	{
		return host.stat(wire.rx, wire.rx_if, name);
	}
	rxaqm_wait published(unsigned queue = 0) const
	{
		return ::published(host, queue);
	}
	/* rxaqm-xsk @args, and its environment. */
	Args consumer(const Args &args) const;
};

/* @n datagrams from tx to rx, one by one. */
void send_some(const Wire &wire, unsigned n);

/* UDP from tx to rx, as fast as it goes on CPU 0 or with pauses, until stopped. */
class Flood
{
    public:
	/* @tos: the ECN bits. @pause_us: after each packet. @flows: source ports. */
	Flood(const Wire &wire, unsigned tos, unsigned pause_us = 0, unsigned flows = 1);
	~Flood();
	uint64_t stop();

    private:
	void run();

	std::vector<int> fds_;
	unsigned pause_us_;
	std::atomic<bool> stop_{ false };
	uint64_t sent_ = 0;
	std::thread thread_;
};

#endif /* RXAQM_TESTS_XSK_HPP */
