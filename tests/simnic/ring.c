// SPDX-License-Identifier: GPL-2.0-only
/* A queue pair's rings, and the NAPI poll that serves them. */
#include <linux/filter.h>
#include <linux/slab.h>

#include "simnic.h"
#include "trace.h"

static int cq_alloc(struct simnic_cq *cq, u32 size)
{
	size = roundup_pow_of_two(size);
	cq->e = kvcalloc(size, sizeof(*cq->e), GFP_KERNEL);
	if (!cq->e)
		return -ENOMEM;
	cq->mask = size - 1;
	cq->prod = 0;
	cq->cons = 0;
	return 0;
}

static int pool_create(struct simnic_queue *q)
{
	struct page_pool_params params = {
		.order = q->sn->cfg.page_order,
		.pool_size = q->rx_size,
		.nid = NUMA_NO_NODE,
	};
	struct page_pool *pool;
	int err;

	simnic_pool_set_napi(&params, &q->vector->napi);
	pool = page_pool_create(&params);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	q->pool = pool;
	err = xdp_rxq_info_reg(&q->xdp_rxq, q->sn->dev, q->id, q->vector->napi.napi_id);
	if (err)
		return err;
	return xdp_rxq_info_reg_mem_model(&q->xdp_rxq, MEM_TYPE_PAGE_POOL, pool);
}

/* Fails when it was told to, but not while rings are made: that would be another failure. */
static struct page *page_alloc(struct simnic_queue *q)
{
	struct simnic *sn = q->sn;
	u32 after = READ_ONCE(sn->alloc_fail_after), count = READ_ONCE(sn->alloc_fail_count);

	if (!READ_ONCE(q->rx_open))
		return page_pool_dev_alloc_pages(q->pool);
	if (count && after) {
		WRITE_ONCE(sn->alloc_fail_after, after - 1);
	} else if (count) {
		WRITE_ONCE(sn->alloc_fail_count, count - 1);
		return NULL;
	}
	return page_pool_dev_alloc_pages(q->pool);
}

/* Give the hardware as many buffers as it has room for. False: there was no memory. */
static bool rx_refill(struct simnic_queue *q)
{
	/* rx_done is where the next entry will be: everything before it was consumed. */
	u32 room = q->rx_size - (q->rx_posted - q->rx_done);
	u32 posted = q->rx_posted;
	bool ok = true;

	for (; room && !q->rx_starved; room--, posted++) {
		struct page *page = page_alloc(q);

		if (!page) {
			simnic_count(q, SIMNIC_RX_ALLOC_FAILED, 1);
			q->rx_starved = !READ_ONCE(q->sn->alloc_retry);
			ok = q->rx_starved; /* who does not try again has nothing to wait for */
			break;
		}
		q->rx[posted & q->rx_mask].page = page;
	}
	smp_store_release(&q->rx_posted, posted); /* the pages before the index */
	return ok;
}

/* The NAPI is there, but disabled. On failure simnic_queue_free() undoes what was done. */
int simnic_queue_alloc(struct simnic_queue *q)
{
	int err;

	q->rx_size = q->sn->cfg.rx_ring;
	q->tx_size = q->sn->cfg.tx_ring;
	q->rx_mask = roundup_pow_of_two(q->rx_size) - 1;
	q->tx_mask = roundup_pow_of_two(q->tx_size) - 1;
	q->rx_filled = q->rx_posted = q->rx_done = 0;
	q->rx_starved = false;
	q->drained = true;
	q->tx_head = q->tx_rung = q->tx_tail = 0;
	q->rx = kvcalloc(q->rx_mask + 1, sizeof(*q->rx), GFP_KERNEL);
	q->tx = kvcalloc(q->tx_mask + 1, sizeof(*q->tx), GFP_KERNEL);
	if (!q->rx || !q->tx)
		return -ENOMEM;
	/* Every buffer and every descriptor has at most one entry: completions cannot overflow. */
	err = cq_alloc(&q->cq[0], q->rx_size + q->tx_size);
	if (!err)
		err = cq_alloc(&q->cq[1], q->tx_size);
	if (!err)
		err = pool_create(q);
	if (err)
		return err;
	q->tx_cq = &q->cq[q->sn->cfg.shared_cq ? 0 : 1];
	return rx_refill(q) ? 0 : -ENOMEM;
}

void simnic_queue_free(struct simnic_queue *q)
{
	if (q->rx && q->pool) {
		for (; q->rx_done != q->rx_posted; q->rx_done++)
			page_pool_put_full_page(q->pool, q->rx[q->rx_done & q->rx_mask].page,
						false);
	}
	if (xdp_rxq_info_is_reg(&q->xdp_rxq))
		xdp_rxq_info_unreg(&q->xdp_rxq); /* drops the memory model's hold on the pool */
	if (q->pool)
		page_pool_destroy(q->pool);
	q->pool = NULL;
	kvfree(q->cq[0].e);
	kvfree(q->cq[1].e);
	memset(q->cq, 0, sizeof(q->cq));
	kvfree(q->rx);
	kvfree(q->tx);
	q->rx = NULL;
	q->tx = NULL;
}

static struct sk_buff *build_skb_from(struct simnic_queue *q, const struct simnic_xdp_buff *sxdp,
				      struct page *page)
{
	const struct simnic_rx_desc *desc = sxdp->desc;
	const struct xdp_buff *xdp = &sxdp->xdp;
	struct net_device *dev = q->sn->dev;
	struct sk_buff *skb = napi_build_skb(xdp->data_hard_start, simnic_buf_size(q->sn));
	u32 meta_len = xdp->data - xdp->data_meta;

	if (!skb) {
		simnic_count(q, SIMNIC_RX_DROPPED, 1);
		page_pool_put_full_page(q->pool, page, true);
		return NULL;
	}
	skb_reserve(skb, xdp->data - xdp->data_hard_start);
	__skb_put(skb, xdp->data_end - xdp->data);
	if (meta_len)
		skb_metadata_set(skb, meta_len);
	skb_mark_for_recycle(skb);
	skb_record_rx_queue(skb, q->id);
	if (desc->hw_ns)
		skb_hwtstamps(skb)->hwtstamp = ns_to_ktime(desc->hw_ns);
	if ((dev->features & NETIF_F_RXHASH) && desc->hash)
		skb_set_hash(skb, desc->hash, PKT_HASH_TYPE_L4);
	if ((dev->features & NETIF_F_RXCSUM) && desc->csum_ok)
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	skb->protocol = eth_type_trans(skb, dev);
	return skb;
}

struct poll_state {
	struct list_head list;
	bool flush_tx;
	bool flush_redirect;
};

static void rx_to_stack(struct simnic_queue *q, const struct simnic_xdp_buff *sxdp,
			struct page *page, struct poll_state *st)
{
	bool bulk, merged = false;
	struct sk_buff *skb;
	gro_result_t how;

	simnic_spend(q, READ_ONCE(q->sn->rx_cost_ns));
	skb = build_skb_from(q, sxdp, page);
	if (!skb)
		return;
	bulk = simnic_is_bulk(skb);
	if (READ_ONCE(q->sn->rx_path) == SIMNIC_PATH_LIST) {
		list_add_tail(&skb->list, &st->list);
	} else {
		how = napi_gro_receive(&q->vector->napi, skb);
		merged = how == GRO_MERGED || how == GRO_MERGED_FREE;
	}
	simnic_count(q, SIMNIC_RX_BULK_PACKETS, bulk);
	simnic_count(q, SIMNIC_RX_BULK_SKBS, bulk && !merged);
	if (!merged)
		simnic_spend(q, READ_ONCE(q->sn->rx_skb_ns));
}

/* A drop has no price of its own: the model's CPU takes as long for it as the emulated one did. */
static void spend_drop(struct simnic_queue *q, u32 ns)
{
	simnic_count(q, SIMNIC_XDP_DROP_NS, ns);
	if (READ_ONCE(q->sn->pace))
		simnic_spend(q, ns);
}

static void rx_one(struct simnic_queue *q, struct poll_state *st)
{
	struct simnic_rx_desc *desc = &q->rx[q->rx_done & q->rx_mask];
	struct bpf_prog *prog = READ_ONCE(q->sn->xdp_prog);
	enum simnic_xdp_result result = SIMNIC_XDP_STACK;
	struct page *page = desc->page;
	struct simnic_xdp_buff sxdp;
	u64 now_ns;

	sxdp.desc = desc;
	xdp_init_buff(&sxdp.xdp, simnic_buf_size(q->sn), &q->xdp_rxq);
	xdp_prepare_buff(&sxdp.xdp, page_address(page), XDP_PACKET_HEADROOM, desc->len, true);
	simnic_spend(q, READ_ONCE(q->sn->xdp_cost_ns));

	now_ns = ktime_get_ns();
	if (desc->hw_ns && READ_ONCE(q->sn->stamp_at_poll))
		desc->hw_ns = simnic_phc_at(&q->sn->phc, now_ns);
	simnic_hist_add(&q->rx_delay, now_ns - desc->arrival_ns);
	trace_simnic_rx(q->sn->dev, q->id, desc->arrival_ns, now_ns, desc->hw_ns);
	simnic_count(q, SIMNIC_RX_PACKETS, 1);
	simnic_count(q, SIMNIC_RX_BYTES, desc->len);
	if (desc->hw_ns)
		simnic_count(q, SIMNIC_RX_STAMPED, 1);

	if (prog)
		result = simnic_xdp_run(q, prog, &sxdp, page);
	if (result == SIMNIC_XDP_STACK)
		rx_to_stack(q, &sxdp, page, st);
	else if (result == SIMNIC_XDP_CONSUMED)
		spend_drop(q, ktime_get_ns() - now_ns);
	else if (result == SIMNIC_XDP_FLUSH_TX)
		st->flush_tx = true;
	else if (result == SIMNIC_XDP_FLUSH_REDIRECT)
		st->flush_redirect = true;
	q->rx_done++;
}

static const struct simnic_cqe *cq_peek(const struct simnic_cq *cq)
{
	if (smp_load_acquire(&cq->prod) == cq->cons) /* pairs with the wire's release */
		return NULL;
	return &cq->e[cq->cons & cq->mask];
}

/* Split: all Tx completions there are at this instant, whatever the budget. */
static void tx_clean_all(struct simnic_queue *q, int budget)
{
	struct simnic_cq *cq = &q->cq[1];
	u32 end = smp_load_acquire(&cq->prod); /* pairs with the wire's release */

	if (cq->cons == end)
		return;
	for (; cq->cons != end; cq->cons++)
		simnic_tx_clean_one(q, cq->e[cq->cons & cq->mask].idx, budget);
	simnic_tx_wake(q);
}

/* Up to @budget entries in order of occurrence; if shared these are of both kinds. */
static int cq_process(struct simnic_queue *q, int budget, struct poll_state *st)
{
	struct simnic_cq *cq = &q->cq[0];
	const struct simnic_cqe *e;
	bool cleaned = false;
	int work;

	for (work = 0; work < budget; work++) {
		e = cq_peek(cq);
		if (!e)
			break;
		if (e->tx) {
			simnic_tx_clean_one(q, e->idx, budget);
			cleaned = true;
		} else {
			rx_one(q, st);
		}
		cq->cons++;
	}
	if (cleaned)
		simnic_tx_wake(q);
	return work;
}

static void poll_flush(struct simnic_queue *q, struct poll_state *st)
{
	if (st->flush_redirect)
		xdp_do_flush();
	if (st->flush_tx) {
		struct netdev_queue *txq = netdev_get_tx_queue(q->sn->dev, q->id);

		__netif_tx_lock(txq, smp_processor_id());
		simnic_tx_ring_doorbell(q);
		__netif_tx_unlock(txq);
	}
	if (!list_empty(&st->list))
		netif_receive_skb_list(&st->list);
}

/* What one ring of @vector has, at most @budget. *refilled: it got all its pages. */
static int ring_poll(struct simnic_queue *q, int budget, bool *refilled)
{
	struct poll_state st = { .list = LIST_HEAD_INIT(st.list) };
	int work;

	work = cq_process(q, budget, &st);
	poll_flush(q, &st);
	*refilled &= rx_refill(q);
	return work;
}

static bool on_wrong_cpu(const struct simnic_queue *q)
{
	int cpu = READ_ONCE(q->irq_cpu);

	return cpu != smp_processor_id() && cpu_online(cpu) &&
	       !test_bit(NAPI_STATE_THREADED, &q->napi.state);
}

/* The rings of a vector share the budget, as ixgbe's and i40e's do. */
int simnic_poll(struct napi_struct *napi, int budget)
{
	struct simnic_queue *q = container_of(napi, struct simnic_queue, napi);
	u32 i, rings = simnic_rings(q);
	int work = 0, taken, share = max_t(int, budget / rings, 1);
	u64 begin_ns = ktime_get_ns();
	bool busy = false, refilled = true;

	simnic_pace_begin(q, begin_ns);
	for (i = 0; i < rings; i++)
		tx_clean_all(&q[i], budget);
	if (!budget)
		return 0; /* netpoll wants Tx only */
	for (i = 0; i < rings; i++) {
		taken = ring_poll(&q[i], share, &refilled);
		busy |= taken == share;
		work += taken;
	}

	simnic_count(q, SIMNIC_RX_POLLS, 1);
	simnic_count(q, SIMNIC_RX_POLL_NS, ktime_get_ns() - begin_ns);
	if (busy)
		simnic_count(q, SIMNIC_RX_POLLS_BUSY, 1);
	q->drained = !busy && refilled;
	if (q->drained && napi_complete_done(napi, work))
		simnic_irq_rearm(q);
	if (!busy)
		return refilled ? work : budget; /* without memory try again, no entry wakes us */
	if (!on_wrong_cpu(q))
		return budget;
	/* If it was scheduled meanwhile, this puts it on the list again, and returns false. After
	 * "budget" busy_poll_stop() would put it there a second time. As i40e_napi_poll() does.
	 */
	if (napi_complete_done(napi, budget - 1))
		simnic_irq_move(q);
	return budget - 1;
}
