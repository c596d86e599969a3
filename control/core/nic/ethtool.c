/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ENTRIES_MAX 65536 /* the most in a table of a driver */

int rxaqm_nic_ioctl(const char *ifname, unsigned long request, struct ifreq *ifr)
{
	int fd, err = 0;

	if (strlen(ifname) >= sizeof(ifr->ifr_name))
		return -ENODEV;
	strcpy(ifr->ifr_name, ifname);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, request, ifr))
		err = -errno;
	close(fd);
	return err;
}

int rxaqm_ethtool(const char *ifname, void *command)
{
	struct ifreq ifr = { .ifr_data = command };

	return rxaqm_nic_ioctl(ifname, SIOCETHTOOL, &ifr);
}

int rxaqm_hwtstamp(const char *ifname, unsigned long request, struct hwtstamp_config *config)
{
	struct ifreq ifr = { .ifr_data = (void *)config };

	return rxaqm_nic_ioctl(ifname, request, &ifr);
}

struct ethtool_gstrings *rxaqm_ethtool_names(const char *ifname, unsigned int set)
{
	union {
		struct ethtool_sset_info info;
		char room[sizeof(struct ethtool_sset_info) + sizeof(__u32)];
	} count = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << set } };
	struct ethtool_gstrings *names = NULL;
	__u32 nr;

	if (rxaqm_ethtool(ifname, &count) || !count.info.sset_mask)
		return NULL;
	nr = count.info.data[0];
	/* The kernel fills in all of them, however many are asked for. */
	if (nr && nr <= ENTRIES_MAX)
		names = calloc(1, sizeof(*names) + (size_t)nr * ETH_GSTRING_LEN);
	if (!names)
		return NULL;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = set;
	names->len = nr;
	if (!rxaqm_ethtool(ifname, names))
		return names;
	free(names);
	return NULL;
}

void rxaqm_ethtool_stats(const char *ifname, rxaqm_ethtool_stat_fn *each, void *arg)
{
	struct ethtool_gstrings *names = rxaqm_ethtool_names(ifname, ETH_SS_STATS);
	struct ethtool_stats *stats = NULL;
	char name[ETH_GSTRING_LEN + 1];
	__u32 i;

	if (names)
		stats = calloc(1, sizeof(*stats) + names->len * sizeof(__u64));
	if (stats) {
		*stats = (struct ethtool_stats){ ETHTOOL_GSTATS, names->len };
		if (rxaqm_ethtool(ifname, stats))
			names->len = 0;
		for (i = 0; i < names->len; i++) {
			snprintf(name, sizeof(name), "%.*s", ETH_GSTRING_LEN,
				 (const char *)names->data + (size_t)i * ETH_GSTRING_LEN);
			each(name + strspn(name, " "), stats->data[i], arg);
		}
	}
	free(names);
	free(stats);
}

int rxaqm_ethtool_rss(const char *ifname, struct ethtool_rxfh **ret_rss)
{
	struct ethtool_rxfh sizes = { .cmd = ETHTOOL_GRSSH }, *rss;
	int err = rxaqm_ethtool(ifname, &sizes);

	*ret_rss = NULL;
	if (err)
		return err;
	if (sizes.indir_size > ENTRIES_MAX || sizes.key_size > ENTRIES_MAX)
		return -EOPNOTSUPP;
	rss = calloc(1, sizeof(*rss) + sizes.indir_size * sizeof(__u32) + sizes.key_size);
	if (!rss)
		return -ENOMEM;
	*rss = sizes;
	err = rxaqm_ethtool(ifname, rss);
	if (err) {
		free(rss);
		return err;
	}
	*ret_rss = rss;
	return 0;
}

void rxaqm_nic_driver(const char *ifname, char *buf, size_t size)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	if (!rxaqm_ethtool(ifname, &info))
		snprintf(buf, size, "%s", info.driver);
}

enum rxaqm_coverage rxaqm_nic_coverage(const char *ifname)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };

	if (rxaqm_ethtool(ifname, &info))
		return RXAQM_COVERAGE_UNKNOWN;
	if (!(info.so_timestamping & SOF_TIMESTAMPING_RX_HARDWARE))
		return RXAQM_COVERAGE_NONE;
	if (info.rx_filters & (1U << HWTSTAMP_FILTER_ALL))
		return RXAQM_COVERAGE_ALL;
	return info.rx_filters & ~(1U << HWTSTAMP_FILTER_NONE) ? RXAQM_COVERAGE_PTP :
								 RXAQM_COVERAGE_NONE;
}

int rxaqm_nic_phc(const char *ifname)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	int err = rxaqm_ethtool(ifname, &info);

	if (err)
		return err == -ENODEV || err == -EMFILE ? err : -ENOENT;
	return info.phc_index < 0 ? -ENOENT : info.phc_index;
}
