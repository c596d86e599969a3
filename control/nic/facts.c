/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nic/netdev.h"

static void read_flags(const char *ifname, struct rxaqm_nic_facts *facts)
{
	struct ethtool_value on = { .cmd = ETHTOOL_GPFLAGS };
	struct ethtool_gstrings *names = rxaqm_ethtool_names(ifname, ETH_SS_PRIV_FLAGS);
	unsigned int i;

	if (names && !rxaqm_ethtool(ifname, &on)) {
		/* A word of flags has 32 of them. */
		for (i = 0; i < names->len && i < 32; i++) {
			memcpy(facts->flag[i].name, names->data + (size_t)i * ETH_GSTRING_LEN,
			       ETH_GSTRING_LEN);
			facts->flag[i].on = on.data & (1U << i);
		}
		facts->nr_flags = i;
	}
	free(names);
}

static void read_numbers(const char *ifname, struct rxaqm_nic_facts *facts)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	struct ethtool_coalesce coalesce = { .cmd = ETHTOOL_GCOALESCE };
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };

	if (!rxaqm_ethtool(ifname, &ring)) {
		facts->ring = ring.rx_pending;
		facts->ring_max = ring.rx_max_pending;
	}
	if (!rxaqm_ethtool(ifname, &coalesce))
		facts->moderation_us = (int)coalesce.rx_coalesce_usecs;
	if (!rxaqm_ethtool(ifname, &channels)) {
		facts->channels_known = true;
		facts->nr_rx = channels.rx_count;
		facts->nr_tx = channels.tx_count;
		facts->nr_combined = channels.combined_count;
	}
}

int rxaqm_nic_facts_read(const char *ifname, struct rxaqm_nic_facts *facts)
{
	unsigned int ifindex = if_nametoindex(ifname);

	memset(facts, 0, sizeof(*facts));
	facts->moderation_us = -1;
	facts->gives_hint = -1;
	if (!ifindex || strlen(ifname) >= sizeof(facts->ifname))
		return -ENODEV;
	strcpy(facts->ifname, ifname);
	/* A driver without ethtool operations (lo) has no name to go by. */
	rxaqm_nic_driver(ifname, facts->driver, sizeof(facts->driver));
	read_numbers(ifname, facts);
	read_flags(ifname, facts);
	facts->coverage = rxaqm_nic_coverage(ifname);
	facts->gives_hint = rxaqm_netdev_gives_rx_time(ifindex);
	if (facts->gives_hint < 0)
		facts->gives_hint = -1;
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
