/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for tests in the guests of tests/vm: the kernel's version, the devices. */
#ifndef RXAQM_TESTS_GUEST_HPP
#define RXAQM_TESTS_GUEST_HPP

#include <linux/net_tstamp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host.hpp"
#include "netns.hpp"

/* Skip the test outside of a guest: it changes the machine it runs on. */
void in_guest();

/* 6.12 is 612; 7.2 is 702. */
unsigned kernel_version();

std::string slurp(const std::string &path);
/* The number of lines of @text with @word; with kprobes also with @word+0xOFFSET. */
unsigned lines_with(const std::string &text, const std::string &word);

/* Packets by sojourn, summed over all queues of an interface: "hist". */
class Sojourns
{
    public:
	Sojourns(const Host &host, const Netns &netns, const std::string &ifname);

	/* Packets since @before. The median is accurate to the width of a bucket, 25 %. */
	int64_t packets_since(const Sojourns &before) const;
	double median_ns_since(const Sojourns &before) const;

    private:
	std::map<int64_t, int64_t> since(const Sojourns &before) const;

	std::map<int64_t, int64_t> packets_; /* by the floor of their bucket */
};

/* The interfaces of this namespace with @driver, sorted by name; waits for at least two. */
std::vector<std::string> devices(const std::string &driver);

/* A wire of the first two interfaces with @driver. */
std::unique_ptr<Wire> wire_of(const std::string &driver);
/* A wire of the simulated NIC, which is loaded if needed. Skips the test if it could not be built.
 */
std::unique_ptr<Wire> simnic_wire();

/* Get or set the hardware timestamp configuration, by SIOCGHWTSTAMP or SIOCSHWTSTAMP. */
struct hwtstamp_config hwtstamp_of(const Netns &netns, const std::string &ifname);
void set_hwtstamp(const Netns &netns, const std::string &ifname, int tx_type, int rx_filter);

/* At host_ns CLOCK_MONOTONIC less PHC was ns, to within err_ns. */
struct PhcOffset {
	int64_t ns, err_ns, host_ns;
};

/* What linuxptp's phc_ctl reads. Nobody sets CLOCK_REALTIME, which it uses, in a guest. */
PhcOffset phc_offset(const Netns &netns, const std::string &ifname);

#endif /* RXAQM_TESTS_GUEST_HPP */
