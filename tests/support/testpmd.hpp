/* SPDX-License-Identifier: GPL-2.0-only */
/* DPDK's testpmd on either end of a wire, with AF_XDP or packet sockets. */
#ifndef RXAQM_TESTS_TESTPMD_HPP
#define RXAQM_TESTS_TESTPMD_HPP

#include <memory>
#include <string>

#include "host.hpp"
#include "netns.hpp"
#include "process.hpp"

/* Skip the test if it is not installed, or older than @version, for example "24.07". */
void need_testpmd(const std::string &version = "");

class Testpmd
{
    public:
	enum Role {
		RECEIVES, /* at the receiving end; discards */
		SENDS /* at the sending end: UDP without ECN, as fast as possible */
	};

	/* Forward on CPU @cpu (0 or 1) all the time, with a nice value that leaves others their
	 * half. The output goes to a file. @device_options, for @driver: ",KEY=VALUE".
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
	/* Packets received, from its last statistics. */
	long received() const;
	long sent() const;
	/* Wait until it forwards. */
	void wait_ready() const;
	/* Wait until it receives by its own program, then remove that from the interface. */
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

/* Arguments of rxaqm-xsk --adopt: put testpmd's sockets under rxaqm, which is attached to @wire. */
Args adopt(const Wire &wire, const Testpmd &testpmd);

#endif /* RXAQM_TESTS_TESTPMD_HPP */
