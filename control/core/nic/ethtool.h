/* SPDX-License-Identifier: GPL-2.0-only */
/* What a driver reports of its device (ethtool), in the network namespace entered. */
#pragma once

#include <linux/net_tstamp.h>
#include <linux/types.h>
#include <stddef.h>

enum rxaqm_coverage { /* of Rx hardware timestamps */
	RXAQM_COVERAGE_UNKNOWN,
	RXAQM_COVERAGE_NONE,
	RXAQM_COVERAGE_PTP,
	RXAQM_COVERAGE_SOME, /* all kinds of packets, but not every packet */
	RXAQM_COVERAGE_ALL,
};

/* Call ioctl @request on a socket, with @ifname written into @ifr. 0 or -errno. */
struct ifreq;
int rxaqm_nic_ioctl(const char *ifname, unsigned long request, struct ifreq *ifr);

/* Call SIOCETHTOOL with @command, a struct of linux/ethtool.h. 0 or -errno. */
int rxaqm_ethtool(const char *ifname, void *command);

/* The len names of the string set @set (ETH_SS_*), to be freed; NULL: none, or no memory. */
struct ethtool_gstrings;
struct ethtool_gstrings *rxaqm_ethtool_names(const char *ifname, unsigned int set);

/* Call @each with the driver's own counters (ethtool -S). */
typedef void rxaqm_ethtool_stat_fn(const char *name, __u64 value, void *arg);
void rxaqm_ethtool_stats(const char *ifname, rxaqm_ethtool_stat_fn *each, void *arg);

/* The RSS configuration (ethtool -x): the table of indir_size words, then the key of key_size
 * bytes; to be freed. 0 or -errno.
 */
struct ethtool_rxfh;
int rxaqm_ethtool_rss(const char *ifname, struct ethtool_rxfh **ret_rss);

/* Copy its driver's name to @buf. A device without ethtool operations (lo) has none, and @buf is
 * unchanged.
 */
void rxaqm_nic_driver(const char *ifname, char *buf, size_t size);

/* Which packets the device can be told to stamp (ethtool -T). */
enum rxaqm_coverage rxaqm_nic_coverage(const char *ifname);

/* Index of its PTP hardware clock; -ENODEV: no such interface, -ENOENT: it has none. */
int rxaqm_nic_phc(const char *ifname);

/* Call SIOCGHWTSTAMP or SIOCSHWTSTAMP to read or set how packets are stamped. 0, or -errno, also if
 * the device has no hardware timestamps.
 */
int rxaqm_hwtstamp(const char *ifname, unsigned long request, struct hwtstamp_config *config);
