// SPDX-License-Identifier: GPL-2.0-only
/*
 * The link, and the part of both NICs that is hardware: takes frames from a Tx ring, carries them,
 * and writes them into the peer's Rx ring. With a rate, an hrtimer lets a frame go when its last
 * bit is sent; the Tx queues share one FIFO. Without one it is gone at once, in the sender's
 * context.
 *
 * Lock order: netdev Tx queue lock, wire lock, hw_lock. No two hw_locks are held together.
 */
#include "simnic.h"

/* Frames carried in one timer interrupt before others get their turn. */
#define WIRE_BATCH 32

static u32 frame_len(const struct simnic_tx_desc *desc)
{
	return desc->next_seg ? desc->next_seg->len : desc->xdpf->len;
}

static u64 frame_time_ns(const struct simnic_wire *wire, const struct simnic_tx_desc *desc)
{
	u64 bits = 8ULL * (max_t(u32, frame_len(desc), ETH_ZLEN) + SIMNIC_WIRE_OVERHEAD);

	return wire->rate_mbps ? div_u64(bits * 1000, wire->rate_mbps) : 0;
}

/* Append a completion entry; under hw_lock. */
static void cq_push(struct simnic_cq *cq, u32 idx, bool tx)
{
	struct simnic_cqe *e = &cq->e[cq->prod & cq->mask];

	e->idx = idx;
	e->tx = tx;
	smp_store_release(&cq->prod, cq->prod + 1); /* the entry before the index */
}

/* Checksum offload: sum what lies in the receive buffer, as the sending hardware would have. */
static bool finish_csum(const struct sk_buff *skb, void *frame)
{
	int start = skb_checksum_start_offset(skb);
	__sum16 sum = csum_fold(csum_partial(frame + start, skb->len - start, 0));

	*(__sum16 *)(frame + start + skb->csum_offset) = sum ? sum : CSUM_MANGLED_0;
	/* An inner checksum says nothing about the outer one. */
	return !skb->encapsulation;
}

/* DMA: the frame goes into the posted buffer. */
static void write_frame(struct simnic_rx_desc *rx, const struct simnic_tx_desc *desc)
{
	void *frame = page_address(rx->page) + XDP_PACKET_HEADROOM;
	u32 len = frame_len(desc);

	rx->csum_ok = false;
	if (desc->next_seg) {
		skb_copy_bits(desc->next_seg, 0, frame, len);
		if (desc->next_seg->ip_summed == CHECKSUM_PARTIAL)
			rx->csum_ok = finish_csum(desc->next_seg, frame);
	} else {
		memcpy(frame, desc->xdpf->data, len);
	}
	if (len < ETH_ZLEN) /* as every Ethernet frame is padded */
		memset(frame + len, 0, ETH_ZLEN - len);
	rx->len = max_t(u32, len, ETH_ZLEN);
}

/* Is this the Nth since it last was? Never if @one_in is 0. */
static bool nth(u32 *phase, u32 one_in)
{
	if (!one_in || ++*phase < one_in)
		return false;
	*phase = 0;
	return true;
}

static bool is_stamped(struct simnic_queue *q, const struct simnic_frame_info *info)
{
	const struct simnic *sn = q->sn;
	int filter = READ_ONCE(sn->rx_filter);

	if (filter == HWTSTAMP_FILTER_NONE || (filter != HWTSTAMP_FILTER_ALL && !info->ptp_event))
		return false;
	return nth(&q->stamp_phase, READ_ONCE(sn->stamp_one_in));
}

/* What the NIC says of @arrival_ns, right or wrong. */
static u64 stamp(struct simnic_queue *q, u64 arrival_ns)
{
	const struct simnic *sn = q->sn;

	if (q->last_hw_ns && nth(&q->repeat_phase, READ_ONCE(sn->stamp_repeat_one_in)))
		return q->last_hw_ns;
	q->last_hw_ns = simnic_phc_at(&sn->phc, arrival_ns + READ_ONCE(sn->stamp_late_ns));
	return q->last_hw_ns;
}

/* The frame has come to the end of the wire; under hw_lock of the queue it is for. */
static void receive(struct simnic_queue *q, const struct simnic_tx_desc *desc,
		    const struct simnic_frame_info *info)
{
	struct simnic_rx_desc *rx;

	if (!q->rx_open) {
		simnic_count(q, SIMNIC_RX_CLOSED, 1);
		return;
	}
	if (frame_len(desc) > simnic_buf_room(q->sn)) {
		simnic_count(q, SIMNIC_RX_LENGTH_ERRORS, 1);
		return;
	}
	if (q->rx_filled == smp_load_acquire(&q->rx_posted)) { /* pairs with rx_refill() */
		simnic_count(q, SIMNIC_RX_MISSED,
			     nth(&q->missed_phase, READ_ONCE(q->sn->missed_one_in)));
		return;
	}
	rx = &q->rx[q->rx_filled & q->rx_mask];
	write_frame(rx, desc);
	rx->hash = info->hash;
	rx->arrival_ns = ktime_get_ns();
	rx->hw_ns = is_stamped(q, info) ? stamp(q, rx->arrival_ns) : 0;
	cq_push(&q->cq[0], q->rx_filled & q->rx_mask, false);
	q->rx_filled++;
	simnic_irq_raise(q);
}

static struct simnic_queue *steer(struct simnic *sn, const struct simnic_frame_info *info)
{
	u32 nr = READ_ONCE(sn->nr_queues);
	int fixed = READ_ONCE(sn->steer);

	if (fixed != SIMNIC_STEER_HASH && fixed < nr)
		return &sn->q[fixed];
	/* No queues: the rings are down, and any queue will say so. */
	return &sn->q[simnic_rss_queue(&sn->rss, info->hash, nr)];
}

/* Let one frame of @desc go. True: it was the last. */
static bool carry(struct simnic *sn, struct simnic_tx_desc *desc)
{
	struct simnic_frame_info info;
	struct simnic_queue *q;
	unsigned long flags;

	if (desc->next_seg)
		simnic_frame_parse(&sn->peer->rss, desc->next_seg, NULL, 0, &info);
	else
		simnic_frame_parse(&sn->peer->rss, NULL, desc->xdpf->data, desc->xdpf->len, &info);
	q = steer(sn->peer, &info);
	raw_spin_lock_irqsave(&q->hw_lock, flags);
	receive(q, desc, &info);
	raw_spin_unlock_irqrestore(&q->hw_lock, flags);

	if (desc->segs)
		desc->next_seg = desc->next_seg->next;
	return !desc->segs || !desc->next_seg;
}

static void complete_tx(struct simnic *sn, const struct simnic_tx_desc *desc)
{
	struct simnic_queue *q = &sn->q[desc->queue];
	unsigned long flags;

	raw_spin_lock_irqsave(&q->hw_lock, flags);
	cq_push(q->tx_cq, desc->idx, true);
	simnic_irq_raise(q);
	raw_spin_unlock_irqrestore(&q->hw_lock, flags);
}

static void wire_arm(struct simnic_wire *wire)
{
	hrtimer_start(&wire->timer, ns_to_ktime(wire->end_ns), HRTIMER_MODE_ABS_HARD);
}

/* Under the Tx queue lock: the doorbell rang for @desc. */
void simnic_wire_send(struct simnic *sn, struct simnic_tx_desc *desc)
{
	struct simnic_wire *wire = &sn->wire;
	unsigned long flags;
	bool at_once;

	raw_spin_lock_irqsave(&wire->lock, flags);
	at_once = !wire->rate_mbps && !wire->first;
	if (at_once) {
		/* nothing to wait for */
	} else if (wire->first) {
		wire->last->next = desc;
		wire->last = desc;
	} else {
		wire->first = desc;
		wire->last = desc;
		wire->end_ns = max(wire->end_ns, ktime_get_ns()) + frame_time_ns(wire, desc);
		wire_arm(wire);
	}
	raw_spin_unlock_irqrestore(&wire->lock, flags);
	if (!at_once)
		return;
	while (!carry(sn, desc))
		;
	complete_tx(sn, desc);
}

/* Take the first descriptor, whose last frame has left, off the FIFO. */
static void wire_pop(struct simnic *sn)
{
	struct simnic_wire *wire = &sn->wire;
	struct simnic_tx_desc *desc = wire->first;

	/* Once it is completed the descriptor may be reused. */
	wire->first = desc->next;
	complete_tx(sn, desc);
}

static enum hrtimer_restart wire_timer(struct hrtimer *timer)
{
	struct simnic *sn = container_of(timer, struct simnic, wire.timer);
	struct simnic_wire *wire = &sn->wire;
	unsigned long flags;
	u64 now_ns;
	int n;

	raw_spin_lock_irqsave(&wire->lock, flags);
	now_ns = ktime_get_ns();
	for (n = 0; n < WIRE_BATCH && wire->first && wire->end_ns <= now_ns; n++) {
		if (carry(sn, wire->first))
			wire_pop(sn);
		if (wire->first)
			wire->end_ns += frame_time_ns(wire, wire->first);
	}
	if (wire->first)
		wire_arm(wire);
	raw_spin_unlock_irqrestore(&wire->lock, flags);
	return HRTIMER_NORESTART;
}

/* The frame on the wire keeps its time, those after it get the new rate. */
void simnic_wire_set_rate(struct simnic *sn, u32 rate_mbps)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&sn->wire.lock, flags);
	sn->wire.rate_mbps = rate_mbps;
	raw_spin_unlock_irqrestore(&sn->wire.lock, flags);
}

/* The rings go down: forget what was not sent. Nobody sends any more. */
void simnic_wire_purge(struct simnic *sn)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&sn->wire.lock, flags);
	sn->wire.first = NULL;
	sn->wire.last = NULL;
	raw_spin_unlock_irqrestore(&sn->wire.lock, flags);
	hrtimer_cancel(&sn->wire.timer);
}

void simnic_wire_init(struct simnic *sn)
{
	raw_spin_lock_init(&sn->wire.lock);
	simnic_hrtimer_setup(&sn->wire.timer, wire_timer, HRTIMER_MODE_ABS_HARD);
}
