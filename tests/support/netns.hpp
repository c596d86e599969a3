/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Network namespaces and veth pairs of a test's own. They are called
 * rxaqm-t-PID-N, so those of a run that was killed are known, and removed before the
 * first is made.
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
	/* Delete its name; the namespace goes with the last that uses it. */
	void remove();

	/* "ip -n NAME @words", words parted by spaces. Throws if it fails. */
	std::string ip(const std::string &words) const;
	/* A shell command in it, with a /sys of its own. Throws if it fails. */
	std::string shell(const std::string &command) const;
	/* Run @what in it, on a thread; exceptions come through. */
	void enter(const std::function<void()> &what) const;
	/* A socket of it, to be used from anywhere. */
	int socket(int family, int type, int protocol = 0) const;
	/* 0 if there is none. */
	unsigned ifindex(const std::string &ifname) const;

    private:
	std::string name_;
	bool removed_ = false;
};

/* A veth pair from namespace tx to namespace rx, up and with addresses. */
class Wire
{
    public:
	explicit Wire(unsigned queues = 1);
	/* The same of two devices of this namespace that are wired together. */
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

	/* A counter of "ip -s link" of the sending end. */
	unsigned long long tx_dropped() const;
	/* Poll the receiving end by kernel threads on @cpu. XDP must be attached natively. They go
	 * before other tasks, as in a softirq, unless @nice says otherwise.
	 */
	void pin_napi(unsigned cpu, int nice = -20) const;

    private:
	void set_up() const;

	bool borrowed_ = false; /* the devices are those of this namespace */
};

/* Remove what runs that were killed have left behind. Done once by the first Netns, too. */
void sweep_leftovers();

/* Is @pid a test program that runs? */
bool is_test_program(long pid);

#endif /* RXAQM_TESTS_NETNS_HPP */
