// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Tx ring. One descriptor holds one skb, GSO or not, or one XDP frame. The stack and XDP share
 * it under the netdev Tx queue lock.
 */
#include <linux/ip.h>
#include <linux/netdevice.h>

#include "simnic.h"
#include "trace.h"

/* Stop the stack here, so that XDP_TX finds some room as well. */
#define TX_STOP_ROOM 4

static u32 tx_room(const struct simnic_queue *q)
{
	return q->tx_size - (q->tx_head - READ_ONCE(q->tx_tail));
}

static struct netdev_queue *txq_of(const struct simnic_queue *q)
{
	return netdev_get_tx_queue(q->sn->dev, q->id);
}

static struct simnic_tx_desc *tx_post(struct simnic_queue *q)
{
	struct simnic_tx_desc *desc = &q->tx[q->tx_head & q->tx_mask];

	memset(desc, 0, sizeof(*desc));
	desc->idx = q->tx_head & q->tx_mask;
	desc->queue = q->id;
	desc->posted_ns = ktime_get_ns();
	q->tx_head++;
	return desc;
}

/*
 * Tell the wire about all descriptors posted since the last time. Under the Tx queue lock. Once the
 * queue is closed the wire must not hear of it again: what was posted is freed.
 */
void simnic_tx_ring_doorbell(struct simnic_queue *q)
{
	if (!q->tx_open)
		return;
	for (; q->tx_rung != q->tx_head; q->tx_rung++)
		simnic_wire_send(q->sn, &q->tx[q->tx_rung & q->tx_mask]);
}

/*
 * What the hardware will send for a GSO skb. Of a clone: the segments must not take over the
 * socket's accounting, for it is the skb itself that is owned until its completion.
 */
static int tx_segment(struct sk_buff *skb, struct sk_buff **segs)
{
	struct sk_buff *clone;

	*segs = NULL;
	if (!skb_is_gso(skb))
		return 0;
	clone = skb_clone(skb, GFP_ATOMIC);
	if (!clone)
		return -ENOMEM;
	/* The segments' payload stays where it is; their checksums are summed on the wire. */
	*segs = skb_gso_segment(clone, NETIF_F_SG | NETIF_F_HW_CSUM);
	consume_skb(clone);
	if (!IS_ERR_OR_NULL(*segs))
		return 0;
	*segs = NULL;
	return -EINVAL;
}

static void segs_free(struct sk_buff *segs, int budget)
{
	struct sk_buff *next;

	for (; segs; segs = next) {
		next = segs->next;
		skb_mark_not_on_list(segs);
		napi_consume_skb(segs, budget);
	}
}

static u32 count_frames(const struct sk_buff *segs)
{
	u32 n = 0;

	for (; segs; segs = segs->next)
		n++;
	return n ? n : 1;
}

static void tx_maybe_stop(struct simnic_queue *q, struct netdev_queue *txq)
{
	if (likely(tx_room(q) >= TX_STOP_ROOM))
		return;
	netif_tx_stop_queue(txq);
	simnic_count(q, SIMNIC_TX_STOPPED, 1);
	smp_mb(); /* stopped before room; pairs with simnic_tx_wake() */
	if (tx_room(q) >= TX_STOP_ROOM)
		netif_tx_start_queue(txq);
}

netdev_tx_t simnic_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct simnic *sn = netdev_priv(dev);
	struct simnic_queue *q = &sn->q[skb_get_queue_mapping(skb)];
	struct netdev_queue *txq = txq_of(q);
	struct simnic_tx_desc *desc;
	struct sk_buff *segs;
	u32 len = skb->len;

	if (unlikely(!q->tx_open || tx_segment(skb, &segs))) {
		simnic_count(q, SIMNIC_TX_DROPPED, 1);
		dev_kfree_skb_any(skb);
		goto out_ring;
	}
	if (unlikely(!tx_room(q))) {
		/* XDP took the last ones. */
		segs_free(segs, 0);
		netif_tx_stop_queue(txq);
		simnic_tx_ring_doorbell(q);
		return NETDEV_TX_BUSY;
	}
	desc = tx_post(q);
	desc->skb = skb;
	desc->segs = segs;
	desc->next_seg = segs ? segs : skb;
	skb_tx_timestamp(skb);
	simnic_count(q, SIMNIC_TX_PACKETS, 1);
	simnic_count(q, SIMNIC_TX_BYTES, len);
	simnic_count(q, SIMNIC_TX_FRAMES, count_frames(segs));
	tx_maybe_stop(q, txq);
	if (!__netdev_tx_sent_queue(txq, len, netdev_xmit_more()))
		return NETDEV_TX_OK;
out_ring:
	simnic_tx_ring_doorbell(q);
	return NETDEV_TX_OK;
}

/* Under the Tx queue lock; the caller rings the doorbell. False: the frame was not taken. */
bool simnic_tx_post_xdp(struct simnic_queue *q, struct xdp_frame *xdpf)
{
	struct simnic_tx_desc *desc;

	if (!q->tx_open || !tx_room(q) || xdp_frame_has_frags(xdpf)) {
		simnic_count(q, SIMNIC_TX_XDP_FULL, 1);
		return false;
	}
	desc = tx_post(q);
	desc->xdpf = xdpf;
	simnic_count(q, SIMNIC_TX_XDP_FRAMES, 1);
	simnic_count(q, SIMNIC_TX_FRAMES, 1);
	return true;
}

static void desc_free(struct simnic_tx_desc *desc, int budget)
{
	segs_free(desc->segs, budget);
	if (desc->skb)
		napi_consume_skb(desc->skb, budget);
	else if (desc->xdpf)
		xdp_return_frame(desc->xdpf);
}

/* A Tx completion, in NAPI. */
void simnic_tx_clean_one(struct simnic_queue *q, u32 idx, int budget)
{
	struct simnic_tx_desc *desc = &q->tx[idx];
	u64 now_ns;

	simnic_spend(q, READ_ONCE(q->sn->tx_cost_ns));
	if (desc->skb && simnic_is_ack(desc->skb)) {
		simnic_count(q, SIMNIC_TX_ACKS, 1);
		simnic_spend(q, READ_ONCE(q->sn->tx_ack_ns));
	}
	now_ns = ktime_get_ns();
	simnic_hist_add(&q->tx_delay, now_ns - desc->posted_ns);
	trace_simnic_tx_done(q->sn->dev, q->id, desc->posted_ns, now_ns);
	simnic_count(q, SIMNIC_TX_COMPLETIONS, 1);
	if (desc->skb) {
		q->bql_packets++;
		q->bql_bytes += desc->skb->len;
	}
	desc_free(desc, budget);
	smp_store_release(&q->tx_tail, q->tx_tail + 1); /* done with it before it is reused */
}

/* After some completions: BQL, and the stack may go on. */
void simnic_tx_wake(struct simnic_queue *q)
{
	struct netdev_queue *txq = txq_of(q);

	netdev_tx_completed_queue(txq, q->bql_packets, q->bql_bytes);
	q->bql_packets = 0;
	q->bql_bytes = 0;
	smp_mb(); /* room before stopped; pairs with tx_maybe_stop() */
	if (netif_tx_queue_stopped(txq) && tx_room(q) >= q->tx_size / 4 && READ_ONCE(q->tx_open))
		netif_tx_wake_queue(txq);
}

/* The wire has let go of the descriptors and NAPI is disabled. */
void simnic_tx_purge(struct simnic_queue *q)
{
	for (; q->tx && q->tx_tail != q->tx_head; q->tx_tail++)
		desc_free(&q->tx[q->tx_tail & q->tx_mask], 0);
	q->bql_packets = 0;
	q->bql_bytes = 0;
	netdev_tx_reset_queue(txq_of(q));
}
