// SPDX-License-Identifier: GPL-2.0-only
/* Which packets the NIC says it stamps, and what users ask of it. */
#include <linux/uaccess.h>

#include "simnic.h"

/* What the hardware does if asked for @rx_filter under @coverage, or -ERANGE. */
static int granted_filter(enum simnic_coverage coverage, int rx_filter)
{
	if (rx_filter == HWTSTAMP_FILTER_NONE)
		return HWTSTAMP_FILTER_NONE;
	if (coverage == SIMNIC_STAMP_ALL)
		return HWTSTAMP_FILTER_ALL;
	if (coverage == SIMNIC_STAMP_PTP && rx_filter >= HWTSTAMP_FILTER_PTP_V2_L4_EVENT &&
	    rx_filter <= HWTSTAMP_FILTER_PTP_V2_DELAY_REQ)
		return HWTSTAMP_FILTER_PTP_V2_EVENT;
	return -ERANGE;
}

bool simnic_filter_allowed(const struct simnic *sn, int rx_filter)
{
	return granted_filter(sn->coverage, rx_filter) == rx_filter;
}

int simnic_hwtstamp_get(struct net_device *dev, struct kernel_hwtstamp_config *cfg)
{
	const struct simnic *sn = netdev_priv(dev);

	cfg->flags = 0;
	cfg->tx_type = HWTSTAMP_TX_OFF;
	cfg->rx_filter = sn->rx_filter;
	return 0;
}

int simnic_hwtstamp_set(struct net_device *dev, struct kernel_hwtstamp_config *cfg,
			struct netlink_ext_ack *extack)
{
	struct simnic *sn = netdev_priv(dev);
	int granted;

	if (cfg->tx_type != HWTSTAMP_TX_OFF) {
		NL_SET_ERR_MSG(extack, "simnic stamps no transmitted packets: use tx_type off");
		return -ERANGE;
	}
	granted = granted_filter(sn->coverage, cfg->rx_filter);
	if (granted < 0) {
		NL_SET_ERR_MSG(extack, "stamp_coverage in debugfs does not allow this rx_filter");
		return granted;
	}
	cfg->rx_filter = granted;
	WRITE_ONCE(sn->rx_filter, granted);
	return 0;
}

/* How kernels without ndo_hwtstamp_get/set ask; later ones do not call it for these. */
int simnic_ioctl(struct net_device *dev, struct ifreq *ifr, int cmd)
{
	struct kernel_hwtstamp_config cfg = {};
	struct hwtstamp_config user;
	int err;

	if (cmd != SIOCSHWTSTAMP && cmd != SIOCGHWTSTAMP)
		return -EOPNOTSUPP;
	if (cmd == SIOCSHWTSTAMP) {
		if (copy_from_user(&user, ifr->ifr_data, sizeof(user)))
			return -EFAULT;
		if (user.flags)
			return -EINVAL;
		cfg.tx_type = user.tx_type;
		cfg.rx_filter = user.rx_filter;
		err = simnic_hwtstamp_set(dev, &cfg, NULL);
	} else {
		err = simnic_hwtstamp_get(dev, &cfg);
	}
	if (err)
		return err;
	user.flags = cfg.flags;
	user.tx_type = cfg.tx_type;
	user.rx_filter = cfg.rx_filter;
	return copy_to_user(ifr->ifr_data, &user, sizeof(user)) ? -EFAULT : 0;
}

int simnic_get_ts_info(struct net_device *dev, struct simnic_ts_info *info)
{
	const struct simnic *sn = netdev_priv(dev);

	info->so_timestamping = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE |
				SOF_TIMESTAMPING_SOFTWARE;
	if (sn->coverage != SIMNIC_STAMP_NONE)
		info->so_timestamping |= SOF_TIMESTAMPING_RX_HARDWARE |
					 SOF_TIMESTAMPING_RAW_HARDWARE;
	info->phc_index = ptp_clock_index(sn->phc.clock);
	info->tx_types = BIT(HWTSTAMP_TX_OFF);
	info->rx_filters = BIT(HWTSTAMP_FILTER_NONE);
	if (sn->coverage == SIMNIC_STAMP_ALL)
		info->rx_filters |= BIT(HWTSTAMP_FILTER_ALL);
	else if (sn->coverage == SIMNIC_STAMP_PTP)
		info->rx_filters |= BIT(HWTSTAMP_FILTER_PTP_V2_EVENT) |
				    BIT(HWTSTAMP_FILTER_PTP_V2_L2_EVENT) |
				    BIT(HWTSTAMP_FILTER_PTP_V2_L4_EVENT);
	return 0;
}
