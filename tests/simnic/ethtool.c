// SPDX-License-Identifier: GPL-2.0-only
/* ethtool: rings, channels, moderation, the completion design, and counters. */
#include "simnic.h"

static const char *const stat_names[SIMNIC_NR_STATS] = {
	[SIMNIC_RX_PACKETS] = "rx_packets",
	[SIMNIC_RX_BYTES] = "rx_bytes",
	[SIMNIC_RX_DROPPED] = "rx_dropped",
	[SIMNIC_RX_ALLOC_FAILED] = "rx_alloc_failed",
	[SIMNIC_RX_POLLS] = "rx_polls",
	[SIMNIC_RX_POLLS_BUSY] = "rx_polls_busy",
	[SIMNIC_RX_POLL_NS] = "rx_poll_ns",
	[SIMNIC_RX_STAMPED] = "rx_stamped",
	[SIMNIC_XDP_PASS] = "xdp_pass",
	[SIMNIC_XDP_DROP] = "xdp_drop",
	[SIMNIC_XDP_DROP_NS] = "xdp_drop_ns",
	[SIMNIC_XDP_TX] = "xdp_tx",
	[SIMNIC_XDP_REDIRECT] = "xdp_redirect",
	[SIMNIC_XDP_ERRORS] = "xdp_errors",
	[SIMNIC_TX_COMPLETIONS] = "tx_completions",
	[SIMNIC_TX_ACKS] = "tx_acks",
	[SIMNIC_RX_BULK_PACKETS] = "rx_bulk_packets",
	[SIMNIC_RX_BULK_SKBS] = "rx_bulk_skbs",
	[SIMNIC_MODEL_NS] = "model_ns",
	[SIMNIC_MODEL_WAIT_NS] = "model_wait_ns",
	[SIMNIC_MODEL_LOST_NS] = "model_lost_ns",
	[SIMNIC_MODEL_STALLED_NS] = "model_stalled_ns",
	[SIMNIC_RX_MISSED] = "rx_missed",
	[SIMNIC_RX_CLOSED] = "rx_closed",
	[SIMNIC_RX_LENGTH_ERRORS] = "rx_length_errors",
	[SIMNIC_TX_PACKETS] = "tx_packets",
	[SIMNIC_TX_BYTES] = "tx_bytes",
	[SIMNIC_TX_FRAMES] = "tx_frames",
	[SIMNIC_TX_DROPPED] = "tx_dropped",
	[SIMNIC_TX_STOPPED] = "tx_stopped",
	[SIMNIC_TX_XDP_FRAMES] = "tx_xdp_frames",
	[SIMNIC_TX_XDP_FULL] = "tx_xdp_full",
};

static const char *const delay_names[] = {
	"tx_delay_p50_ns",
	"tx_delay_p99_ns",
	"tx_delay_max_ns",
};

#define STATS_PER_SET (SIMNIC_NR_STATS + ARRAY_SIZE(delay_names))

u64 simnic_stat_sum(const struct simnic *sn, enum simnic_stat stat)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < sn->max_queues; i++)
		sum += READ_ONCE(sn->q[i].stat[stat]);
	return sum;
}

static const char priv_flag_names[][ETH_GSTRING_LEN] = { "shared-cq" };

static int get_sset_count(struct net_device *dev, int sset)
{
	const struct simnic *sn = netdev_priv(dev);

	switch (sset) {
	case ETH_SS_STATS:
		return STATS_PER_SET * (1 + sn->max_queues);
	case ETH_SS_PRIV_FLAGS:
		return ARRAY_SIZE(priv_flag_names);
	default:
		return -EOPNOTSUPP;
	}
}

static void put_names(u8 **data, const char *prefix)
{
	u32 i;

	for (i = 0; i < SIMNIC_NR_STATS; i++)
		ethtool_sprintf(data, "%s%s", prefix, stat_names[i]);
	for (i = 0; i < ARRAY_SIZE(delay_names); i++)
		ethtool_sprintf(data, "%s%s", prefix, delay_names[i]);
}

static void get_strings(struct net_device *dev, u32 sset, u8 *data)
{
	const struct simnic *sn = netdev_priv(dev);
	char prefix[16];
	u32 i;

	if (sset == ETH_SS_PRIV_FLAGS)
		memcpy(data, priv_flag_names, sizeof(priv_flag_names));
	if (sset != ETH_SS_STATS)
		return;
	put_names(&data, "");
	for (i = 0; i < sn->max_queues; i++) {
		snprintf(prefix, sizeof(prefix), "q%u_", i);
		put_names(&data, prefix);
	}
}

static u64 *put_delays(u64 *data, const struct simnic *sn, u32 first, u32 nr)
{
	const struct simnic_hist *h[SIMNIC_MAX_QUEUES];
	struct simnic_quantiles quantiles;
	u32 i;

	for (i = 0; i < nr; i++)
		h[i] = &sn->q[first + i].tx_delay;
	simnic_hist_quantiles(h, nr, &quantiles);
	*data++ = quantiles.p50_ns;
	*data++ = quantiles.p99_ns;
	*data++ = quantiles.max_ns;
	return data;
}

static void get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *data)
{
	const struct simnic *sn = netdev_priv(dev);
	u32 i, stat;

	for (stat = 0; stat < SIMNIC_NR_STATS; stat++)
		*data++ = simnic_stat_sum(sn, stat);
	data = put_delays(data, sn, 0, sn->max_queues);
	for (i = 0; i < sn->max_queues; i++) {
		for (stat = 0; stat < SIMNIC_NR_STATS; stat++)
			*data++ = READ_ONCE(sn->q[i].stat[stat]);
		data = put_delays(data, sn, i, 1);
	}
}

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	const struct simnic *sn = netdev_priv(dev);

	strscpy(info->driver, "simnic", sizeof(info->driver));
	strscpy(info->bus_info, dev_name(&sn->pdev->dev), sizeof(info->bus_info));
}

static void get_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
			  struct kernel_ethtool_ringparam *kernel_ring,
			  struct netlink_ext_ack *extack)
{
	const struct simnic *sn = netdev_priv(dev);

	ring->rx_max_pending = SIMNIC_RING_MAX;
	ring->tx_max_pending = SIMNIC_RING_MAX;
	ring->rx_pending = sn->cfg.rx_ring;
	ring->tx_pending = sn->cfg.tx_ring;
}

static int set_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
			 struct kernel_ethtool_ringparam *kernel_ring,
			 struct netlink_ext_ack *extack)
{
	struct simnic *sn = netdev_priv(dev);
	struct simnic_cfg cfg = sn->cfg;

	if (ring->rx_mini_pending || ring->rx_jumbo_pending) {
		NL_SET_ERR_MSG(extack, "simnic has no mini or jumbo rings");
		return -EINVAL;
	}
	if (min(ring->rx_pending, ring->tx_pending) < SIMNIC_RING_MIN) {
		NL_SET_ERR_MSG(extack, "rings need at least 64 entries");
		return -EINVAL;
	}
	cfg.rx_ring = ring->rx_pending; /* the core checked the maximum */
	cfg.tx_ring = ring->tx_pending;
	return simnic_reconfigure(sn, &cfg);
}

static void get_channels(struct net_device *dev, struct ethtool_channels *ch)
{
	const struct simnic *sn = netdev_priv(dev);

	ch->max_combined = sn->max_queues;
	ch->combined_count = sn->cfg.queues;
}

/* Also with XDP on: the program belongs to the device, not to a queue. */
static int set_channels(struct net_device *dev, struct ethtool_channels *ch)
{
	struct simnic *sn = netdev_priv(dev);
	struct simnic_cfg cfg = sn->cfg;

	if (!ch->combined_count) /* the core checked all others */
		return -EINVAL;
	cfg.queues = ch->combined_count;
	return simnic_reconfigure(sn, &cfg);
}

static u32 get_priv_flags(struct net_device *dev)
{
	const struct simnic *sn = netdev_priv(dev);

	return sn->cfg.shared_cq;
}

static int set_priv_flags(struct net_device *dev, u32 flags)
{
	struct simnic *sn = netdev_priv(dev);
	struct simnic_cfg cfg = sn->cfg;

	cfg.shared_cq = flags & 1;
	return cfg.shared_cq == sn->cfg.shared_cq ? 0 : simnic_reconfigure(sn, &cfg);
}

/* All of it, whatever was asked for. */
static int reset(struct net_device *dev, u32 *flags)
{
	struct simnic *sn = netdev_priv(dev);
	const struct simnic_cfg cfg = sn->cfg;

	*flags = 0;
	return simnic_reconfigure(sn, &cfg);
}

static int get_coalesce(struct net_device *dev, struct ethtool_coalesce *ec,
			struct kernel_ethtool_coalesce *kernel_ec, struct netlink_ext_ack *extack)
{
	const struct simnic *sn = netdev_priv(dev);

	ec->rx_coalesce_usecs = sn->rx_usecs;
	return 0;
}

static int set_coalesce(struct net_device *dev, struct ethtool_coalesce *ec,
			struct kernel_ethtool_coalesce *kernel_ec, struct netlink_ext_ack *extack)
{
	struct simnic *sn = netdev_priv(dev);

	if (ec->rx_coalesce_usecs > SIMNIC_USECS_MAX) {
		NL_SET_ERR_MSG(extack, "rx-usecs is at most 10000");
		return -EINVAL;
	}
	WRITE_ONCE(sn->rx_usecs, ec->rx_coalesce_usecs);
	return 0;
}

static int get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *cmd)
{
	const struct simnic *sn = netdev_priv(dev);
	u32 rate_mbps = READ_ONCE(sn->wire.rate_mbps);

	cmd->base.speed = rate_mbps ? rate_mbps : SPEED_100000;
	cmd->base.duplex = DUPLEX_FULL;
	cmd->base.autoneg = AUTONEG_DISABLE;
	cmd->base.port = PORT_OTHER;
	return 0;
}

#if SIMNIC_HAS_RXFH_PARAM
static int simnic_get_rxfh(struct net_device *dev, struct ethtool_rxfh_param *rxfh)
{
	return simnic_rss_get(dev, rxfh->indir, rxfh->key, &rxfh->hfunc);
}

static int simnic_set_rxfh(struct net_device *dev, struct ethtool_rxfh_param *rxfh,
			   struct netlink_ext_ack *extack)
{
	return simnic_rss_set(dev, rxfh->indir, rxfh->key, rxfh->hfunc);
}
#else
#define simnic_get_rxfh simnic_rss_get
#define simnic_set_rxfh simnic_rss_set
#endif

const struct ethtool_ops simnic_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_RX_USECS,
	.get_drvinfo = get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = get_link_ksettings,
	.get_sset_count = get_sset_count,
	.get_strings = get_strings,
	.get_ethtool_stats = get_ethtool_stats,
	.get_ringparam = get_ringparam,
	.set_ringparam = set_ringparam,
	.get_channels = get_channels,
	.set_channels = set_channels,
	.get_priv_flags = get_priv_flags,
	.set_priv_flags = set_priv_flags,
	.reset = reset,
	.get_coalesce = get_coalesce,
	.set_coalesce = set_coalesce,
#if SIMNIC_HAS_RX_RING_COUNT
	.get_rx_ring_count = simnic_rss_rings,
#else
	.get_rxnfc = simnic_get_rxnfc,
#endif
	.get_rxfh_key_size = simnic_rss_key_size,
	.get_rxfh_indir_size = simnic_rss_table_size,
	.get_rxfh = simnic_get_rxfh,
	.set_rxfh = simnic_set_rxfh,
	.get_ts_info = simnic_get_ts_info,
};
