/* SPDX-License-Identifier: GPL-2.0-only */
#include "stamps.h"

#include <linux/net_tstamp.h>
#include <net/if.h>
#include <string.h>

#include "nic.h"

enum rxaqm_stamp rxaqm_stamps_usable(enum rxaqm_stamp stamp, const char *ifname)
{
	struct rxaqm_hwtstamp config;

	if (stamp != RXAQM_STAMP_HWTSTAMP || rxaqm_nic_stamps_all(ifname))
		return stamp;
	if (!rxaqm_hwtstamp_get(ifname, &config) && config.known &&
	    config.rx_filter == HWTSTAMP_FILTER_ALL)
		return stamp;
	return RXAQM_STAMP_NONE;
}

void rxaqm_stamps_restore(const struct rxaqm_iface *iface, unsigned int ifindex)
{
	struct rxaqm_hwtstamp now, before = {
		.flags = iface->hwtstamp_flags,
		.tx_type = iface->hwtstamp_tx_type,
		.rx_filter = iface->hwtstamp_rx_filter,
	};
	char ifname[IF_NAMESIZE];

	if (!(iface->flags & RXAQM_IFACE_HWTSTAMP_SAVED) || !if_indextoname(ifindex, ifname))
		return;
	if (!rxaqm_hwtstamp_get(ifname, &now) && now.rx_filter == HWTSTAMP_FILTER_ALL)
		rxaqm_hwtstamp_set(ifname, &before);
}

int rxaqm_stamps_enable(struct rxaqm_iface *iface, const char *ifname, struct rxaqm_error *error)
{
	struct rxaqm_hwtstamp config;
	int err;

	if (iface->stamp != RXAQM_STAMP_HWTSTAMP || !rxaqm_nic_stamps_all(ifname))
		return 0;
	err = rxaqm_hwtstamp_get(ifname, &config);
	if (err || !config.known || config.rx_filter == HWTSTAMP_FILTER_ALL)
		return 0;
	iface->hwtstamp_flags = config.flags;
	iface->hwtstamp_tx_type = config.tx_type;
	iface->hwtstamp_rx_filter = config.rx_filter;
	__atomic_or_fetch(&iface->flags, RXAQM_IFACE_HWTSTAMP_SAVED, __ATOMIC_RELEASE);
	config.rx_filter = HWTSTAMP_FILTER_ALL;
	err = rxaqm_hwtstamp_set(ifname, &config);
	if (err)
		return rxaqm_error_set(error, RXAQM_EXIT_UNSUPPORTED, -err,
				       "cannot turn on Rx timestamps of \"%s\": %s; attach with "
				       "signal=busy to do without",
				       ifname, strerror(-err));
	return 0;
}
