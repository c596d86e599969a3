/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rxaqm as an administrator runs it, but with its state in the test's own BPF file system, apart
 * from tests and other programs that run on the machine.
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
	/* Skip the test, with the reason, if it cannot run here. */
	Host();
	/* Detaches everything. */
	~Host();
	Host(const Host &) = delete;
	Host &operator=(const Host &) = delete;

	/* Run rxaqm @args; in a namespace if one is given. */
	Result rxaqm(Args args, RunOptions options = {}) const;
	Result rxaqm(const Netns &netns, Args args, RunOptions options = {}) const;
	/* For Child: the arguments "rxaqm --netns NAME @args", and the environment. */
	Args command(const Netns &netns, const Args &args) const;
	RunOptions with_environment(RunOptions options = {}) const;

	/* Its JSON output; throws unless it exits with 0 and prints nothing to stderr. */
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
	/* Forget which interfaces commands have detached; daemons leave those alone. */
	void release_held() const;
	std::string state_dir() const
	{
		return bpffs_ + "/rxaqm";
	}
	/* Kernel ids of the maps that are pinned now; gone() checks them. */
	std::set<uint32_t> note_maps();
	/* The names of the directories that libxdp has pinned dispatchers in. */
	std::set<std::string> dispatchers() const;
	/* Is nothing left: no pin, not even libxdp's, and none of the maps noted, so no program or
	 * link that uses one? Waits a little, as the kernel frees them after the command ends.
	 */
	bool gone() const;

    private:
	std::string bpffs_;
	std::set<uint32_t> maps_;
};

/* Absolute path of the program under test. */
std::string rxaqm_path();
/* A path in the source tree: "nic-profiles". */
std::string source_path(const std::string &path);
/* A path in the build directory: "rig/rigctl". */
std::string build_path(const std::string &path);

/* Pin a map that does not belong to rxaqm. */
void pin_map(const std::string &path);

/* The id of the XDP program on an interface; 0: there is none. */
uint32_t xdp_on(const Netns &netns, const std::string &ifname);
/* Load a foreign program that returns @verdict for every packet. Returns its descriptor. */
int load_foreign_xdp(int verdict = XDP_PASS);
/* Attach such a program, in native or generic mode. Returns its id. */
uint32_t put_foreign_xdp(const Netns &netns, const std::string &ifname, int verdict = XDP_PASS,
			 bool generic = false);
/* Remove whatever is attached, as "ip link set xdp off" does. */
void xdp_off(const Netns &netns, const std::string &ifname);

#endif /* RXAQM_TESTS_HOST_HPP */
