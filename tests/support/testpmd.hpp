/* SPDX-License-Identifier: GPL-2.0-only */
/* DPDK's testpmd on either end of a wire, by AF_XDP or packet sockets. */
#ifndef RXAQM_TESTS_TESTPMD_HPP
#define RXAQM_TESTS_TESTPMD_HPP

#include <memory>
#include <string>

#include "host.hpp"
#include "netns.hpp"
#include "process.hpp"

/* Skips the test where it is not installed, or older than @version, as in "24.07". */
void need_testpmd(const std::string &version = "");

class Testpmd
{
    public:
	enum Role {
		RECEIVES, /* at the receiving end, and forgets */
		SENDS /* at the sending end, UDP without ECN as fast as it can */
	};

	/* Forwards on CPU @cpu, 0 or 1, all the time: but nice, so that who works there gets its
	 * half. What it prints goes to a file. @device_options, of @driver: ",KEY=VALUE".
	 */
	explicit Testpmd(const Wire &wire, unsigned cpu = 1, Role role = RECEIVES,
			 const std::string &device_options = "",
			 const std::string &driver = "net_af_xdp");
	~Testpmd();
	pid_t pid() const
	{
		return child_->pid();
	}
	std::string log() const;
	/* Packets received, by its last statistics. */
	long received() const;
	long sent() const;
	/* Wait until it forwards. */
	void wait_ready() const;
	/* Wait until it receives, by a program of its own, and take that off the interface. */
	void make_room() const;
	void end();
	/* Wait until it gives up. */
	void wait_end();

    private:
	long last_figure(const std::string &name) const;

	const Netns &netns_;
	const std::string ifname_, log_;
	std::unique_ptr<Child> child_;
};

/* rxaqm-xsk --adopt: the sockets of testpmd come under rxaqm, which is attached to @wire. */
Args adopt(const Wire &wire, const Testpmd &testpmd);

#endif /* RXAQM_TESTS_TESTPMD_HPP */
