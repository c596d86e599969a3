/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/stamps.h"

#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>

#include "nic/ethtool.h"

enum rxaqm_stamp rxaqm_stamps_usable(enum rxaqm_stamp stamp, const char *ifname)
{
	struct hwtstamp_config config = {};

	if (stamp != RXAQM_STAMP_HWTSTAMP || rxaqm_nic_coverage(ifname) == RXAQM_COVERAGE_ALL)
		return stamp;
	rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &config);
	return config.rx_filter == HWTSTAMP_FILTER_ALL ? stamp : RXAQM_STAMP_NONE;
}

__s32 rxaqm_stamps_filter(const struct rxaqm_iface *iface)
{
	return iface->flags & RXAQM_IFACE_HWTSTAMP_SAVED ? iface->hwtstamp_granted :
							   HWTSTAMP_FILTER_ALL;
}

int rxaqm_stamps_restore(const struct rxaqm_iface *iface, unsigned int ifindex,
			 struct rxaqm_error *error)
{
	struct hwtstamp_config now = {}, before = {
		.flags = iface->hwtstamp_flags,
		.tx_type = iface->hwtstamp_tx_type,
		.rx_filter = iface->hwtstamp_rx_filter,
	};
	char ifname[IF_NAMESIZE];
	int err;

	if (!(iface->flags & RXAQM_IFACE_HWTSTAMP_SAVED) || !if_indextoname(ifindex, ifname))
		return 0;
	err = rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &now);
	if (!err && now.rx_filter == rxaqm_stamps_filter(iface))
		err = rxaqm_hwtstamp(ifname, SIOCSHWTSTAMP, &before);
	if (!err)
		return 0;
	return rxaqm_failed(
		error, -err,
		"the timestamp configuration of \"%s\" could not be put back: %s; \"hwstamp_ctl -i "
		"%s -t %d -r %d\" (linuxptp) does that",
		ifname, strerror(-err), ifname, before.tx_type, before.rx_filter);
}

int rxaqm_stamps_enable(struct rxaqm_iface *iface, const char *ifname, struct rxaqm_error *error)
{
	struct hwtstamp_config config = {};
	int err;

	if (iface->stamp != RXAQM_STAMP_HWTSTAMP ||
	    rxaqm_nic_coverage(ifname) != RXAQM_COVERAGE_ALL)
		return 0;
	err = rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &config);
	if (err || config.rx_filter == HWTSTAMP_FILTER_ALL)
		return 0;
	iface->hwtstamp_flags = config.flags;
	iface->hwtstamp_tx_type = config.tx_type;
	iface->hwtstamp_rx_filter = config.rx_filter;
	/* Until it is known better, as for a command that dies here. */
	iface->hwtstamp_granted = HWTSTAMP_FILTER_ALL;
	__atomic_or_fetch(&iface->flags, RXAQM_IFACE_HWTSTAMP_SAVED, __ATOMIC_RELEASE);
	config.rx_filter = HWTSTAMP_FILTER_ALL;
	err = rxaqm_hwtstamp(ifname, SIOCSHWTSTAMP, &config);
	if (err)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -err,
				       "cannot turn on Rx timestamps of \"%s\": %s; attach with "
				       "signal=busy to do without",
				       ifname, strerror(-err));
	/* Some drivers grant less, and say nothing. */
	if (!rxaqm_hwtstamp(ifname, SIOCGHWTSTAMP, &config))
		iface->hwtstamp_granted = config.rx_filter;
	return 0;
}
