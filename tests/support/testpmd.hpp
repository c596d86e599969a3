/* SPDX-License-Identifier: GPL-2.0-only */
/* DPDK's testpmd on the receiving end of a wire, by AF_XDP; what it takes it forgets. */
#ifndef RXAQM_TESTS_TESTPMD_HPP
#define RXAQM_TESTS_TESTPMD_HPP

#include <memory>
#include <string>

#include "host.hpp"
#include "netns.hpp"
#include "process.hpp"

/* Skips the test where it is not installed. */
void need_testpmd();

class Testpmd
{
    public:
	/* Receives on CPU @cpu, 0 or 1, all the time: but nice, so that who sends there gets its
	 * half. What it prints goes to a file.
	 */
	explicit Testpmd(const Wire &wire, unsigned cpu = 1);
	~Testpmd();
	pid_t pid() const
	{
		return child_->pid();
	}
	std::string log() const;
	/* Packets received, by its last statistics. */
	long received() const;
	/* Wait until it receives, by a program of its own, and take that off the interface. */
	void make_room() const;
	void end();

    private:
	const Wire &wire_;
	std::string log_;
	std::unique_ptr<Child> child_;
};

/* rxaqm-xsk --adopt: the sockets of testpmd come under rxaqm, which is attached to @wire. */
Args adopt(const Wire &wire, const Testpmd &testpmd);

#endif /* RXAQM_TESTS_TESTPMD_HPP */
