// SPDX-License-Identifier: GPL-2.0-only
/* Counters of single queues, as the netdev netlink family asks for them. */
#include "simnic.h"

#if SIMNIC_HAS_QSTATS

static u64 read_stat(const struct simnic_queue *q, enum simnic_stat stat)
{
	return READ_ONCE(q->stat[stat]);
}

static void rx_stats(struct net_device *dev, int idx, struct netdev_queue_stats_rx *to)
{
	const struct simnic *sn = netdev_priv(dev);
	const struct simnic_queue *q = &sn->q[idx];

	to->packets = read_stat(q, SIMNIC_RX_PACKETS);
	to->bytes = read_stat(q, SIMNIC_RX_BYTES);
	to->alloc_fail = read_stat(q, SIMNIC_RX_ALLOC_FAILED);
	/* All that the hardware drops, overruns among it. */
	to->hw_drops = read_stat(q, SIMNIC_RX_MISSED) + read_stat(q, SIMNIC_RX_LENGTH_ERRORS);
	to->hw_drop_overruns = read_stat(q, SIMNIC_RX_MISSED);
}

static void tx_stats(struct net_device *dev, int idx, struct netdev_queue_stats_tx *to)
{
	const struct simnic *sn = netdev_priv(dev);
	const struct simnic_queue *q = &sn->q[idx];

	to->packets = read_stat(q, SIMNIC_TX_PACKETS) + read_stat(q, SIMNIC_TX_XDP_FRAMES);
	to->bytes = read_stat(q, SIMNIC_TX_BYTES);
	to->stop = read_stat(q, SIMNIC_TX_STOPPED);
}

/* Of queues that are not there any more: the sum with the others never goes back. */
static void base_stats(struct net_device *dev, struct netdev_queue_stats_rx *rx,
		       struct netdev_queue_stats_tx *tx)
{
	const struct simnic *sn = netdev_priv(dev);
	struct netdev_queue_stats_rx one_rx;
	struct netdev_queue_stats_tx one_tx;
	u32 i;

	rx->packets = rx->bytes = rx->alloc_fail = rx->hw_drops = rx->hw_drop_overruns = 0;
	tx->packets = tx->bytes = tx->stop = 0;
	for (i = dev->real_num_rx_queues; i < sn->max_queues; i++) {
		rx_stats(dev, i, &one_rx);
		tx_stats(dev, i, &one_tx);
		rx->packets += one_rx.packets;
		rx->bytes += one_rx.bytes;
		rx->alloc_fail += one_rx.alloc_fail;
		rx->hw_drops += one_rx.hw_drops;
		rx->hw_drop_overruns += one_rx.hw_drop_overruns;
		tx->packets += one_tx.packets;
		tx->bytes += one_tx.bytes;
		tx->stop += one_tx.stop;
	}
}

const struct netdev_stat_ops simnic_stat_ops = {
	.get_queue_stats_rx = rx_stats,
	.get_queue_stats_tx = tx_stats,
	.get_base_stats = base_stats,
};

#endif
