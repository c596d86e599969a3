// SPDX-License-Identifier: GPL-2.0-only
/* Native XDP. */
#include <linux/bpf_trace.h>
#include <linux/filter.h>

#include "simnic.h"

static enum simnic_xdp_result drop(struct simnic_queue *q, struct page *page, enum simnic_stat stat)
{
	simnic_count(q, stat, 1);
	page_pool_put_full_page(q->pool, page, true);
	return SIMNIC_XDP_CONSUMED;
}

static enum simnic_xdp_result send_back(struct simnic_queue *q, struct xdp_buff *xdp,
					struct page *page)
{
	struct netdev_queue *txq = netdev_get_tx_queue(q->sn->dev, q->id);
	struct xdp_frame *xdpf = xdp_convert_buff_to_frame(xdp);
	bool sent = false;

	if (xdpf) {
		__netif_tx_lock(txq, smp_processor_id());
		sent = simnic_tx_post_xdp(q, xdpf);
		__netif_tx_unlock(txq);
	}
	if (!sent)
		return drop(q, page, SIMNIC_XDP_ERRORS);
	simnic_count(q, SIMNIC_XDP_TX, 1);
	return SIMNIC_XDP_FLUSH_TX; /* the doorbell rings at the end of the poll */
}

/* In NAPI. Anything but SIMNIC_XDP_STACK means that @page is no longer ours. */
enum simnic_xdp_result simnic_xdp_run(struct simnic_queue *q, struct bpf_prog *prog,
				      struct simnic_xdp_buff *sxdp, struct page *page)
{
	struct net_device *dev = q->sn->dev;
	u32 act = bpf_prog_run_xdp(prog, &sxdp->xdp);

	switch (act) {
	case XDP_PASS:
		simnic_count(q, SIMNIC_XDP_PASS, 1);
		return SIMNIC_XDP_STACK;
	case XDP_TX:
		return send_back(q, &sxdp->xdp, page);
	case XDP_REDIRECT:
		if (xdp_do_redirect(dev, &sxdp->xdp, prog)) {
			trace_xdp_exception(dev, prog, act);
			return drop(q, page, SIMNIC_XDP_ERRORS);
		}
		simnic_count(q, SIMNIC_XDP_REDIRECT, 1);
		simnic_spend(q, READ_ONCE(q->sn->rx_cost_ns));
		return SIMNIC_XDP_FLUSH_REDIRECT;
	case XDP_DROP:
		return drop(q, page, SIMNIC_XDP_DROP);
	default:
		bpf_warn_invalid_xdp_action(dev, prog, act);
		fallthrough;
	case XDP_ABORTED:
		trace_xdp_exception(dev, prog, act);
		return drop(q, page, SIMNIC_XDP_ERRORS);
	}
}

/* Frames that others redirect to us. */
int simnic_xdp_xmit(struct net_device *dev, int n, struct xdp_frame **frames, u32 flags)
{
	struct simnic *sn = netdev_priv(dev);
	u32 nr = READ_ONCE(sn->nr_queues);
	struct netdev_queue *txq;
	struct simnic_queue *q;
	int sent;

	if (flags & ~XDP_XMIT_FLAGS_MASK)
		return -EINVAL;
	if (!nr || !netif_carrier_ok(dev))
		return -ENETDOWN;
	q = &sn->q[smp_processor_id() % nr];
	txq = netdev_get_tx_queue(dev, q->id);
	__netif_tx_lock(txq, smp_processor_id());
	for (sent = 0; sent < n; sent++) {
		if (!simnic_tx_post_xdp(q, frames[sent]))
			break;
	}
	simnic_tx_ring_doorbell(q);
	__netif_tx_unlock(txq);
	return sent; /* the caller frees the others */
}

/*
 * Buffers always have headroom for XDP, so that a program can come, go and change between two
 * packets without touching the rings.
 */
static int xdp_setup(struct net_device *dev, struct netdev_bpf *bpf)
{
	struct simnic *sn = netdev_priv(dev);
	struct bpf_prog *old;

	if (bpf->prog && dev->mtu > SIMNIC_XDP_MTU_MAX) {
		NL_SET_ERR_MSG(bpf->extack,
			       "XDP needs each packet in one page: set the MTU to 3502 or less");
		return -EOPNOTSUPP;
	}
	old = xchg(&sn->xdp_prog, bpf->prog);
	if (!old != !bpf->prog && sn->xdp_resets_phc)
		simnic_phc_set(&sn->phc, ktime_get_real_ns(), ktime_get_ns());
	if (old)
		bpf_prog_put(old); /* freed after the polls that run it now */
	/* The core refuses a larger MTU, with a message, while a program is on. */
	WRITE_ONCE(dev->max_mtu, bpf->prog ? SIMNIC_XDP_MTU_MAX : SIMNIC_MTU_MAX);
	return 0;
}

int simnic_bpf(struct net_device *dev, struct netdev_bpf *bpf)
{
	if (bpf->command != XDP_SETUP_PROG)
		return -EINVAL;
	return xdp_setup(dev, bpf);
}

#if SIMNIC_HAS_XDP_METADATA
static int xmo_rx_timestamp(const struct xdp_md *ctx, u64 *timestamp)
{
	const struct simnic_xdp_buff *sxdp = (const void *)ctx;

	if (!sxdp->desc->hw_ns)
		return -ENODATA;
	*timestamp = sxdp->desc->hw_ns;
	return 0;
}

static int xmo_rx_hash(const struct xdp_md *ctx, u32 *hash, enum xdp_rss_hash_type *rss_type)
{
	const struct simnic_xdp_buff *sxdp = (const void *)ctx;

	if (!sxdp->desc->hash)
		return -ENODATA;
	*hash = sxdp->desc->hash;
	*rss_type = XDP_RSS_TYPE_L4_ANY;
	return 0;
}

const struct xdp_metadata_ops simnic_xdp_metadata_ops = {
	.xmo_rx_timestamp = xmo_rx_timestamp,
	.xmo_rx_hash = xmo_rx_hash,
};
#endif
