/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rxaqm as an administrator has it, but with its state in a BPF file system of the test's
 * own, so that tests and whatever else runs on the machine do not meet.
 */
#ifndef RXAQM_TESTS_HOST_HPP
#define RXAQM_TESTS_HOST_HPP

#include <linux/bpf.h>

#include <cstdint>
#include <set>
#include <string>

#include "json.hpp"
#include "netns.hpp"
#include "process.hpp"

class Host
{
    public:
	/* Skips the test, with the reason, where it cannot run. */
	Host();
	/* Detaches everything. */
	~Host();
	Host(const Host &) = delete;
	Host &operator=(const Host &) = delete;

	/* rxaqm @args; by namespace if one is given. */
	Result rxaqm(Args args, RunOptions options = {}) const;
	Result rxaqm(const Netns &netns, Args args, RunOptions options = {}) const;
	/* Its arguments, for Child: rxaqm --netns NAME @args, and the environment. */
	Args command(const Netns &netns, const Args &args) const;
	RunOptions with_environment(RunOptions options = {}) const;

	/* Its JSON; throws unless it exits with 0 and stderr is empty. */
	Json json(const Netns &netns, Args args) const;
	/* "/interfaces/0" + @at of "status". */
	int64_t status_number(const Netns &netns, const std::string &ifname,
			      const std::string &at) const;
	/* Counter @name, summed over the queues. */
	int64_t stat(const Netns &netns, const std::string &ifname, const std::string &name) const;

	const std::string &bpffs() const
	{
		return bpffs_;
	}
	/* Forget what commands have detached and daemons are to leave off. */
	void release_held() const;
	std::string state_dir() const
	{
		return bpffs_ + "/rxaqm";
	}
	/* Kernel ids of the maps pinned now; noted for gone(). */
	std::set<uint32_t> note_maps();
	/* What libxdp has pinned of dispatchers: the names of its directories. */
	std::set<std::string> dispatchers() const;
	/* Is nothing left: no pin, neither of libxdp's, and none of the maps noted, so no program
	 * or link that uses them? Waits a little: the kernel frees them behind the command's back.
	 */
	bool gone() const;

    private:
	std::string bpffs_;
	std::set<uint32_t> maps_;
};

/* Path of the program under test, absolute. */
std::string rxaqm_path();
/* Path below the source tree: "nic-profiles". */
std::string source_path(const std::string &path);
/* Path below the build directory: "rig/rigctl". */
std::string build_path(const std::string &path);

/* Pin a map that is none of rxaqm's. */
void pin_map(const std::string &path);

/* Id of the XDP program on an interface; 0 if there is none. */
uint32_t xdp_on(const Netns &netns, const std::string &ifname);
/* Load a program that is not rxaqm's, and does @verdict with everything: its descriptor. */
int load_foreign_xdp(int verdict = XDP_PASS);
/* Put such a program there, natively or in generic mode. Returns its id. */
uint32_t put_foreign_xdp(const Netns &netns, const std::string &ifname, int verdict = XDP_PASS,
			 bool generic = false);
/* Take away whatever is there, as "ip link set xdp off" does. */
void xdp_off(const Netns &netns, const std::string &ifname);

#endif /* RXAQM_TESTS_HOST_HPP */
