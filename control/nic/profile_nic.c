/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/profile_nic.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nic/netdev.h"
#include "nic/nic.h"

/* An interface, to be asked by SIOCETHTOOL. */
struct device {
	int fd;
	const char *ifname;
};

static int ask(const struct device *device, void *command)
{
	struct ifreq ifr = {};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", device->ifname);
	ifr.ifr_data = command;
	return ioctl(device->fd, SIOCETHTOOL, &ifr) ? -errno : 0;
}

static enum rxaqm_coverage read_coverage(const struct device *device)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };

	if (ask(device, &info))
		return RXAQM_COVERAGE_UNKNOWN;
	if (!(info.so_timestamping & SOF_TIMESTAMPING_RX_HARDWARE))
		return RXAQM_COVERAGE_NONE;
	if (info.rx_filters & (1U << HWTSTAMP_FILTER_ALL))
		return RXAQM_COVERAGE_ALL;
	return info.rx_filters & ~(1U << HWTSTAMP_FILTER_NONE) ? RXAQM_COVERAGE_PTP :
								 RXAQM_COVERAGE_NONE;
}

/* How many private flags there are. */
static unsigned int count_flags(const struct device *device)
{
	union {
		struct ethtool_sset_info info;
		char room[sizeof(struct ethtool_sset_info) + sizeof(__u32)];
	} set = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1U << ETH_SS_PRIV_FLAGS } };
	__u32 nr;

	if (ask(device, &set) || !set.info.sset_mask)
		return 0;
	memcpy(&nr, set.room + sizeof(set.info), sizeof(nr));
	return nr;
}

static void read_flags(const struct device *device, struct rxaqm_nic_facts *facts)
{
	struct ethtool_value on = { .cmd = ETHTOOL_GPFLAGS };
	unsigned int i, nr = count_flags(device);
	struct ethtool_gstrings *names;

	if (!nr || ask(device, &on))
		return;
	/* The kernel fills in as many as there are, whatever is asked for. */
	names = calloc(1, sizeof(*names) + (size_t)nr * ETH_GSTRING_LEN);
	if (!names)
		return;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_PRIV_FLAGS;
	names->len = nr;
	if (!ask(device, names)) {
		/* A word of flags has 32 of them. */
		for (i = 0; i < nr && i < 32; i++) {
			memcpy(facts->flag[i].name, names->data + (size_t)i * ETH_GSTRING_LEN,
			       ETH_GSTRING_LEN);
			facts->flag[i].on = on.data & (1U << i);
		}
		facts->nr_flags = i;
	}
	free(names);
}

static void read_numbers(const struct device *device, struct rxaqm_nic_facts *facts)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	struct ethtool_coalesce coalesce = { .cmd = ETHTOOL_GCOALESCE };
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };

	if (!ask(device, &ring)) {
		facts->ring = ring.rx_pending;
		facts->ring_max = ring.rx_max_pending;
	}
	if (!ask(device, &coalesce))
		facts->moderation_us = (int)coalesce.rx_coalesce_usecs;
	if (!ask(device, &channels)) {
		facts->channels_known = true;
		facts->nr_rx = channels.rx_count;
		facts->nr_tx = channels.tx_count;
		facts->nr_combined = channels.combined_count;
	}
}

int rxaqm_nic_facts_read(const char *ifname, struct rxaqm_nic_facts *facts)
{
	struct device device = { .ifname = ifname };
	unsigned int ifindex = if_nametoindex(ifname);

	memset(facts, 0, sizeof(*facts));
	facts->moderation_us = -1;
	facts->gives_hint = -1;
	if (!ifindex || strlen(ifname) >= sizeof(facts->ifname))
		return -ENODEV;
	strcpy(facts->ifname, ifname);
	/* A driver without ethtool operations (lo) has no name to go by. */
	rxaqm_nic_driver(ifname, facts->driver, sizeof(facts->driver));
	device.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (device.fd < 0)
		return 0;
	read_numbers(&device, facts);
	read_flags(&device, facts);
	facts->coverage = read_coverage(&device);
	facts->gives_hint = rxaqm_netdev_gives_rx_time(ifindex);
	if (facts->gives_hint < 0)
		facts->gives_hint = -1;
	close(device.fd);
	return 0;
}

enum rxaqm_channels rxaqm_nic_facts_channels(const struct rxaqm_nic_facts *facts)
{
	if (!facts->channels_known)
		return RXAQM_CHANNELS_UNKNOWN;
	if (facts->nr_combined)
		return RXAQM_CHANNELS_COMBINED;
	return facts->nr_rx ? RXAQM_CHANNELS_SEPARATE : RXAQM_CHANNELS_UNKNOWN;
}
