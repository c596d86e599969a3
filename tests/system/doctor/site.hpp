/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Healthy hosts at work, for rxaqm doctor to find nothing. What comes of its own accord takes a
 * share of the time, however fast or slow the machine is, and what answers it waits for it: a host
 * has much to do, and time left.
 */
#ifndef RXAQM_TESTS_SITE_HPP
#define RXAQM_TESTS_SITE_HPP

#include <memory>
#include <vector>

#include "doctor.hpp"

constexpr uint16_t HTTP = 80;

/* Again and again in @netns, a quarter of the time at most, until the test ends. */
class Busy
{
    public:
	Busy(const Netns &netns, std::function<void()> once);
	~Busy();

    private:
	std::atomic<bool> stop_{ false };
	std::thread thread_;
};

/* Takes what comes by TCP to @ports, answers with @reply bytes and closes; 0: takes it only. */
class Server
{
    public:
	Server(const Netns &netns, const std::vector<uint16_t> &ports, size_t reply);
	~Server();

    private:
	void serve(int epoll);
	/* True if that is all. */
	bool answer(int fd);

	const std::string reply_;
	std::vector<int> listeners_;
	std::atomic<bool> stop_{ false };
	std::thread thread_;
};

/* Two hosts and what goes on between them. */
struct Site {
	explicit Site(unsigned queues = 1)
		: wire(queues)
	{
	}
	/* Clients in @from fetch from @ip4:@port, @at_once at a time. */
	void fetch(const Netns &from, const char *ip4, uint16_t port, unsigned at_once = 8);
	/* A bulk transfer between them, by @flows; what comes is read at once. */
	void copy(const Netns &from, const Netns &to, const char *ip4, unsigned flows);
	/* @datagrams of @bytes at a time; each is read as it comes, and answered, if that is
	 * wanted. */
	void stream(unsigned datagrams, size_t bytes, bool answered = false);
	/* How often each is looked at: RXAQM_RUNS, in a guest five times, else once. */
	static int runs();
	/* Nothing but notes is found at these, which are looked at side by side. */
	void check_healthy(const std::vector<const Netns *> &hosts) const;

	Host host;
	Wire wire;
	std::vector<std::unique_ptr<Connection>> flows;
	std::vector<std::unique_ptr<UdpFlow>> datagrams;
	std::vector<std::unique_ptr<Server>> servers;
	std::vector<std::unique_ptr<Busy>> busy;
	std::vector<std::unique_ptr<Meanwhile>> readers;
};

#endif /* RXAQM_TESTS_SITE_HPP */
