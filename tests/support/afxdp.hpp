/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A minimal AF_XDP socket and its consumer, for tests of what XDP does; and numbered datagrams for
 * it.
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
	uint64_t taken_ns = 0; /* CLOCK_MONOTONIC when it was taken from the ring */

	/* The number of a datagram of Datagrams; 0 for any other packet. */
	uint32_t number() const;
	unsigned ecn() const;
};

class AfXdp
{
    public:
	/* Bind to @queue of an interface, in copy mode. */
	AfXdp(const Netns &netns, const std::string &ifname, unsigned queue,
	      unsigned entries = 1024);
	~AfXdp();
	AfXdp(const AfXdp &) = delete;

	/* Put the socket into rxaqm's xsk_map at @index, which must be that of its queue. */
	void join(const Host &host, unsigned index) const;
	/* Take at most @max packets; wait at most @timeout_ms for the first one. */
	std::vector<SocketPacket> receive(size_t max = 64, int timeout_ms = 0);
	xdp_statistics statistics() const;

    private:
	struct Rings;
	std::unique_ptr<Rings> rings_;
};

/* What the consumer publishes, in wait_map. */
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

/* Datagrams from tx to rx by @flows sockets in turn, numbered from 1. */
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
	/* The numbers of those that the stack has received since the last call. */
	std::vector<uint32_t> received_by_stack(int timeout_ms = 100);

    private:
	std::vector<int> tx_;
	int rx_;
	std::atomic<uint32_t> next_{ 1 };
};

uint64_t monotonic_ns();

#endif /* RXAQM_TESTS_AFXDP_HPP */
