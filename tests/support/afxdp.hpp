/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An AF_XDP socket and its consumer, as small as can be: for tests of what XDP does. Numbered
 * datagrams to go with it.
 */
#ifndef RXAQM_TESTS_AFXDP_HPP
#define RXAQM_TESTS_AFXDP_HPP

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <linux/if_xdp.h>

#include "host.hpp"
#include "netns.hpp"
#include "xsk.h"

struct SocketPacket {
	std::optional<rxaqm_meta> meta;
	std::vector<uint8_t> frame;
	uint64_t taken_ns = 0; /* CLOCK_MONOTONIC, when taken out of the ring */

	/* Of a datagram of Datagrams; 0 for anything else. */
	uint32_t number() const;
	unsigned ecn() const;
};

class AfXdp
{
    public:
	/* Bound to @queue of an interface, copying. */
	AfXdp(const Netns &netns, const std::string &ifname, unsigned queue,
	      unsigned entries = 1024);
	~AfXdp();
	AfXdp(const AfXdp &) = delete;

	/* Put it into rxaqm's xsk_map at @index, which is to be that of its queue. */
	void join(const Host &host, unsigned index) const;
	/* Take out at most @max packets, waiting for the first of them at most @timeout_ms. */
	std::vector<SocketPacket> receive(size_t max = 64, int timeout_ms = 0);
	xdp_statistics statistics() const;

    private:
	struct Rings;
	std::unique_ptr<Rings> rings_;
};

/* The consumer's words, in wait_map. */
class WaitMap
{
    public:
	explicit WaitMap(const Host &host);
	~WaitMap();
	WaitMap(const WaitMap &) = delete;

	rxaqm_wait &operator[](unsigned index)
	{
		return waits_[index];
	}
	void publish(unsigned index, uint64_t wait_ns);

    private:
	rxaqm_wait *waits_;
};

/* Datagrams from tx to rx by @flows sockets in turn, numbered from 1 on. */
class Datagrams
{
    public:
	explicit Datagrams(const Wire &wire, unsigned flows = 1, unsigned tos = 0);
	~Datagrams();
	Datagrams(const Datagrams &) = delete;

	void send(unsigned n = 1);
	uint32_t sent() const
	{
		return next_ - 1;
	}
	/* Numbers of those that the stack has received since it was asked last. */
	std::vector<uint32_t> received_by_stack(int timeout_ms = 100);

    private:
	std::vector<int> tx_;
	int rx_;
	std::atomic<uint32_t> next_{ 1 };
};

uint64_t monotonic_ns();

#endif /* RXAQM_TESTS_AFXDP_HPP */
