/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Network namespaces and veth pairs for a test. Their names, rxaqm-t-PID-N, tell which ones a
 * killed run left behind; these are removed before the first is created.
 */
#ifndef RXAQM_TESTS_NETNS_HPP
#define RXAQM_TESTS_NETNS_HPP

#include <functional>
#include <string>

class Netns
{
    public:
	Netns();
	~Netns();
	Netns(const Netns &) = delete;
	Netns &operator=(const Netns &) = delete;

	const std::string &name() const
	{
		return name_;
	}
	/* Delete its name; the namespace goes with its last user. */
	void remove();

	/* Run "ip -n NAME @words", with blanks between words. Throws if it fails. */
	std::string ip(const std::string &words) const;
	/* Run a shell command in it, with its own /sys. Throws if it fails. */
	std::string shell(const std::string &command) const;
	/* Run @what in it, on a thread; exceptions are passed on. */
	void enter(const std::function<void()> &what) const;
	/* A socket of this namespace, usable from any other. */
	int socket(int family, int type, int protocol = 0) const;
	/* 0: there is none. */
	unsigned ifindex(const std::string &ifname) const;

    private:
	std::string name_;
	bool removed_ = false;
};

/* A veth pair from namespace tx to namespace rx, up, with addresses. */
class Wire
{
    public:
	explicit Wire(unsigned queues = 1);
	/* The same with two devices of this namespace that are wired together. */
	Wire(const std::string &tx_device, const std::string &rx_device);
	~Wire();
	Wire(const Wire &) = delete;
	Wire &operator=(const Wire &) = delete;

	Netns tx, rx;
	std::string tx_if, rx_if;

	static constexpr const char *RX_IP4 = "10.77.0.2";
	static constexpr const char *RX_IP6 = "fd77::2";
	static constexpr const char *TX_IP4 = "10.77.0.1";
	static constexpr const char *TX_IP6 = "fd77::1";
	static constexpr const char *RX_MAC = "02:00:00:00:77:02";
	static constexpr const char *TX_MAC = "02:00:00:00:77:01";

	/* A counter of the sending end from "ip -s link". */
	unsigned long long tx_dropped() const;
	/* Let kernel threads poll the receiving end on @cpu; this needs native XDP. They have
	 * priority over other tasks, like a softirq, unless @nice says otherwise.
	 */
	void pin_napi(unsigned cpu, int nice = -20) const;

    private:
	void set_up() const;

	bool borrowed_ = false; /* the devices belong to this namespace */
};

/* Remove what killed runs have left. The first Netns does it, too. */
void sweep_leftovers();

/* Is @pid a running test program? */
bool is_test_program(long pid);

#endif /* RXAQM_TESTS_NETNS_HPP */
