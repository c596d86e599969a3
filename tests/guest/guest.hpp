/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests need that run in the guests of tests/vm: which kernel, which devices. */
#ifndef RXAQM_TESTS_GUEST_HPP
#define RXAQM_TESTS_GUEST_HPP

#include <linux/net_tstamp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host.hpp"
#include "netns.hpp"

/* Skips the test, with the reason, anywhere else: these change the machine they run on. */
void in_guest();

/* 6.12 is 612; 7.2 is 702. */
unsigned kernel_version();

std::string slurp(const std::string &path);
/* Lines of @text with @word, or, as kprobes are listed, @word+0xOFFSET. */
unsigned lines_with(const std::string &text, const std::string &word);

/* Packets by what they stood, all queues of an interface together: "hist". */
class Sojourns
{
    public:
	Sojourns(const Host &host, const Netns &netns, const std::string &ifname);

	/* Of what came since @before. The median is right to the width of a bucket, 25 %. */
	int64_t packets_since(const Sojourns &before) const;
	double median_ns_since(const Sojourns &before) const;

    private:
	std::map<int64_t, int64_t> since(const Sojourns &before) const;

	std::map<int64_t, int64_t> packets_; /* by the floor of their bucket */
};

/* Interfaces of this namespace by @driver, by name: two at least, which are waited for. */
std::vector<std::string> devices(const std::string &driver);

/* A wire of the first two interfaces by @driver. */
std::unique_ptr<Wire> wire_of(const std::string &driver);
/* Of the simulated NIC, which is loaded if need be. Skips where it could not be built. */
std::unique_ptr<Wire> simnic_wire();

/* Hardware timestamp configuration of an interface, by SIOCGHWTSTAMP and SIOCSHWTSTAMP. */
struct hwtstamp_config hwtstamp_of(const Netns &netns, const std::string &ifname);
void set_hwtstamp(const Netns &netns, const std::string &ifname, int tx_type, int rx_filter);

/* "rxaqm clock --sample" of a PHC that does not drift much, against linuxptp's phc_ctl. */
void check_phc_ctl(const Host &host, const Netns &netns, const std::string &ifname);

#endif /* RXAQM_TESTS_GUEST_HPP */
