// SPDX-License-Identifier: GPL-2.0-only
/* Open, close, and what changes in between. All of it under RTNL. */
#include <linux/delay.h>
#include <linux/rtnetlink.h>

#include "simnic.h"

static void queue_open(struct simnic_queue *q, bool open)
{
	struct netdev_queue *txq = netdev_get_tx_queue(q->sn->dev, q->id);
	unsigned long flags;

	raw_spin_lock_irqsave(&q->hw_lock, flags);
	q->rx_open = open;
	raw_spin_unlock_irqrestore(&q->hw_lock, flags);
	__netif_tx_lock_bh(txq);
	WRITE_ONCE(q->tx_open, open);
	__netif_tx_unlock_bh(txq);
}

static void queues_free(struct simnic *sn, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		simnic_tx_purge(&sn->q[i]);
		simnic_queue_free(&sn->q[i]); /* while the NAPI is there, but disabled */
	}
	for (i = 0; i < nr; i++) {
		if (simnic_rings(&sn->q[i]))
			netif_napi_del(&sn->q[i].napi);
	}
}

static int simnic_up(struct simnic *sn)
{
	u32 i, nr = sn->cfg.queues;
	int err;

	if (READ_ONCE(sn->reset_ms))
		msleep(READ_ONCE(sn->reset_ms));
	for (i = 0; i < nr; i++) {
		struct simnic_queue *q = &sn->q[i];

		q->vector = &sn->q[i - i % sn->cfg.rings_per_napi];
		if (q->vector == q)
			netif_napi_add_weight(sn->dev, &q->napi, simnic_poll, sn->cfg.napi_weight);
		err = simnic_queue_alloc(q);
		if (err) {
			queues_free(sn, i + 1);
			return err;
		}
	}
	for (i = 0; i < nr; i++) {
		struct simnic_queue *q = &sn->q[i];

		if (q->vector == q) {
			napi_enable(&q->napi);
			simnic_irq_rearm(q);
		}
		simnic_queue_set_napi(sn->dev, i, &q->vector->napi);
		queue_open(q, true);
	}
	WRITE_ONCE(sn->nr_queues, nr);
	sn->up = true;
	netif_tx_start_all_queues(sn->dev);
	return 0;
}

static void simnic_down(struct simnic *sn)
{
	u32 i, nr = sn->nr_queues;

	if (!sn->up)
		return;
	sn->up = false;
	WRITE_ONCE(sn->nr_queues, 0);
	for (i = 0; i < nr; i++)
		queue_open(&sn->q[i], false);
	netif_tx_disable(sn->dev);
	simnic_wire_purge(sn);
	for (i = 0; i < nr; i++) {
		simnic_queue_set_napi(sn->dev, i, NULL);
		if (simnic_rings(&sn->q[i]))
			napi_disable(&sn->q[i].napi);
	}
	synchronize_net(); /* a poll that has completed has also re-armed, or moved its interrupt */
	for (i = 0; i < nr; i++)
		simnic_irq_quiesce(&sn->q[i]);
	queues_free(sn, nr);
}

static int set_queues(struct simnic *sn)
{
	simnic_rss_spread(sn);
	return netif_set_real_num_queues(sn->dev, sn->cfg.queues, sn->cfg.queues);
}

/* The link stays up, as a NIC's does; frames that come meanwhile are lost and counted. */
int simnic_reconfigure(struct simnic *sn, const struct simnic_cfg *cfg)
{
	const struct simnic_cfg old = sn->cfg;
	bool was_up = sn->up;
	int err;

	simnic_down(sn);
	sn->cfg = *cfg;
	err = set_queues(sn);
	if (!err && was_up)
		err = simnic_up(sn);
	if (!err)
		return 0;
	sn->cfg = old;
	if (set_queues(sn) || (was_up && simnic_up(sn)))
		netdev_err(sn->dev,
			   "no memory for the old rings either: set it down and up again\n");
	return err;
}

static void link_update(struct simnic *sn)
{
	struct simnic *peer = sn->peer;

	if (sn->up && peer->up) {
		netif_carrier_on(sn->dev);
		netif_carrier_on(peer->dev);
	} else {
		netif_carrier_off(sn->dev);
		netif_carrier_off(peer->dev);
	}
}

static int simnic_open(struct net_device *dev)
{
	struct simnic *sn = netdev_priv(dev);
	int err = set_queues(sn);

	if (!err)
		err = simnic_up(sn);
	link_update(sn);
	return err;
}

static int simnic_stop(struct net_device *dev)
{
	struct simnic *sn = netdev_priv(dev);

	simnic_down(sn);
	link_update(sn);
	return 0;
}

static u32 page_order(int mtu)
{
	return get_order(mtu + VLAN_ETH_HLEN + XDP_PACKET_HEADROOM +
			 SKB_DATA_ALIGN(sizeof(struct skb_shared_info)));
}

static int simnic_change_mtu(struct net_device *dev, int mtu)
{
	struct simnic *sn = netdev_priv(dev);
	struct simnic_cfg cfg = sn->cfg;
	int err = 0;

	cfg.page_order = page_order(mtu);
	if (cfg.page_order != sn->cfg.page_order)
		err = simnic_reconfigure(sn, &cfg);
	if (!err)
		WRITE_ONCE(dev->mtu, mtu);
	return err;
}

static void simnic_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *s)
{
	const struct simnic *sn = netdev_priv(dev);

	s->rx_packets = simnic_stat_sum(sn, SIMNIC_RX_PACKETS);
	s->rx_bytes = simnic_stat_sum(sn, SIMNIC_RX_BYTES);
	s->rx_dropped = simnic_stat_sum(sn, SIMNIC_RX_DROPPED);
	s->rx_missed_errors = simnic_stat_sum(sn, SIMNIC_RX_MISSED);
	s->rx_length_errors = simnic_stat_sum(sn, SIMNIC_RX_LENGTH_ERRORS);
	s->rx_errors = s->rx_length_errors;
	s->tx_packets = simnic_stat_sum(sn, SIMNIC_TX_PACKETS) +
			simnic_stat_sum(sn, SIMNIC_TX_XDP_FRAMES);
	s->tx_bytes = simnic_stat_sum(sn, SIMNIC_TX_BYTES);
	s->tx_dropped = simnic_stat_sum(sn, SIMNIC_TX_DROPPED);
}

const struct net_device_ops simnic_netdev_ops = {
	.ndo_open = simnic_open,
	.ndo_stop = simnic_stop,
	.ndo_start_xmit = simnic_xmit,
	.ndo_get_stats64 = simnic_get_stats64,
	.ndo_change_mtu = simnic_change_mtu,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_eth_ioctl = simnic_ioctl,
	.ndo_bpf = simnic_bpf,
	.ndo_xdp_xmit = simnic_xdp_xmit,
#if SIMNIC_HAS_HWTSTAMP_NDO
	.ndo_hwtstamp_get = simnic_hwtstamp_get,
	.ndo_hwtstamp_set = simnic_hwtstamp_set,
#endif
};
