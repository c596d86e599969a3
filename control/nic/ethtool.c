/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define RSS_MAX 65536 /* entries, bytes */

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

static int device_ioctl(const char *ifname, unsigned long request, void *data)
{
	struct ifreq ifr = { .ifr_data = data };

	return rxaqm_nic_ioctl(ifname, request, &ifr);
}

int rxaqm_ethtool(const char *ifname, void *command)
{
	return device_ioctl(ifname, SIOCETHTOOL, command);
}

#define MAX_NAMES 65536

static __u32 count_names(const char *ifname, unsigned int set)
{
	union {
		struct ethtool_sset_info info;
		char room[sizeof(struct ethtool_sset_info) + sizeof(__u32)];
	} sets = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << set } };
	__u32 nr;

	if (rxaqm_ethtool(ifname, &sets) || !sets.info.sset_mask)
		return 0;
	memcpy(&nr, sets.room + sizeof(sets.info), sizeof(nr));
	return nr > MAX_NAMES ? 0 : nr;
}

struct ethtool_gstrings *rxaqm_ethtool_names(const char *ifname, unsigned int set)
{
	__u32 nr = count_names(ifname, set);
	struct ethtool_gstrings *names;

	/* The kernel fills in as many as there are, whatever is asked for. */
	names = nr ? calloc(1, sizeof(*names) + (size_t)nr * ETH_GSTRING_LEN) : NULL;
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

int rxaqm_ethtool_rss(const char *ifname, struct ethtool_rxfh **ret_rss)
{
	struct ethtool_rxfh sizes = { .cmd = ETHTOOL_GRSSH }, *rss;
	int err = rxaqm_ethtool(ifname, &sizes);

	*ret_rss = NULL;
	if (err)
		return err;
	if (sizes.indir_size > RSS_MAX || sizes.key_size > RSS_MAX)
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

int rxaqm_nic_driver(const char *ifname, char *buf, size_t size)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = rxaqm_ethtool(ifname, &info);

	if (err)
		return err;
	snprintf(buf, size, "%s", info.driver);
	return 0;
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
		return err == -ENODEV ? err : -ENOENT;
	return info.phc_index < 0 ? -ENOENT : info.phc_index;
}

int rxaqm_hwtstamp_get(const char *ifname, struct rxaqm_hwtstamp *config)
{
	struct hwtstamp_config hw = {};
	int err = device_ioctl(ifname, SIOCGHWTSTAMP, &hw);

	memset(config, 0, sizeof(*config));
	if (err == -EOPNOTSUPP || err == -ENOTTY || err == -EINVAL)
		return 0;
	if (err)
		return err;
	config->known = true;
	config->flags = hw.flags;
	config->tx_type = hw.tx_type;
	config->rx_filter = hw.rx_filter;
	return 0;
}

int rxaqm_hwtstamp_set(const char *ifname, const struct rxaqm_hwtstamp *config)
{
	struct hwtstamp_config hw = {
		.flags = config->flags,
		.tx_type = config->tx_type,
		.rx_filter = config->rx_filter,
	};

	return device_ioctl(ifname, SIOCSHWTSTAMP, &hw);
}
