/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Take packets, return their memory, and tell rxaqm how long they waited. */
#include <errno.h>
#include <linux/if_xdp.h>
#include <sys/socket.h>

#include "internal.h"

/* XDP reads the published value for each packet. Writing it as often would take that cache line
 * from XDP each time; the control loop works in milliseconds.
 */
#define PUBLISH_NS (100 * RXAQM_NSEC_PER_USEC)
/* How often to check that rxaqm is attached, and what the kernel dropped. */
#define CHECK_NS (100 * RXAQM_NSEC_PER_MSEC)

static struct rxaqm_meta *meta_of(void *data)
{
	return (struct rxaqm_meta *)data - 1;
}

static const struct rxaqm_meta *read_meta(void *data)
{
	const struct rxaqm_meta *meta = meta_of(data);

	if (meta->magic != RXAQM_META_MAGIC || meta->version < RXAQM_META_VERSION ||
	    meta->size < sizeof(*meta))
		return NULL;
	return meta;
}

/* How long the newest of the packets just taken was in the ring. */
static __u64 wait_ns(struct rxaqm_xsk *xsk, const struct rxaqm_xsk_packet *newest, __u64 now_ns)
{
	if (newest->meta && newest->meta->host_ns <= now_ns)
		return now_ns - newest->meta->host_ns;
	return rxaqm_progress_wait_ns(&xsk->progress, now_ns, *xsk->rx.consumer);
}

static int read_kernel_stats(const struct rxaqm_xsk *xsk, struct xdp_statistics *stats)
{
	socklen_t size = sizeof(*stats);

	*stats = (struct xdp_statistics){};
	return getsockopt(rxaqm_xsk_fd(xsk), SOL_XDP, XDP_STATISTICS, stats, &size) ? -errno : 0;
}

/* net/xdp/xsk.c:xsk_notifier: the socket is told once that its interface is gone. */
static bool lost_iface(const struct rxaqm_xsk *xsk)
{
	socklen_t size = sizeof(int);
	int err = 0;

	return !getsockopt(rxaqm_xsk_fd(xsk), SOL_SOCKET, SO_ERROR, &err, &size) && err == ENETDOWN;
}

/* Check what changes rarely. -ESTALE: rxaqm was detached, or the interface is gone. */
static int check(struct rxaqm_xsk *xsk, __u64 now_ns)
{
	struct xdp_statistics stats;

	if (now_ns - xsk->checked_ns < CHECK_NS)
		return 0;
	if (!rxaqm_attached_still(&xsk->at) || lost_iface(xsk))
		return -ESTALE;
	xsk->checked_ns = now_ns;
	if (!read_kernel_stats(xsk, &stats))
		rxaqm_attached_ring_full(&xsk->at, stats.rx_ring_full);
	return 0;
}

/* Publish @wait_ns from time to time; an empty ring at once, as the caller may be about to sleep.
 */
static void publish(struct rxaqm_xsk *xsk, __u64 now_ns, __u64 wait_ns)
{
	bool emptied = !wait_ns && xsk->wait_ns;

	if (!emptied && now_ns - xsk->published_ns < PUBLISH_NS)
		return;
	xsk->wait_ns = wait_ns;
	xsk->published_ns = now_ns;
	rxaqm_attached_publish(&xsk->at, now_ns, wait_ns);
}

/* A driver without a free frame sleeps until it is told of new ones. */
static void wake_driver(const struct rxaqm_xsk *xsk)
{
	if (xsk_ring_prod__needs_wakeup(&xsk->fill))
		recvfrom(rxaqm_xsk_fd(xsk), NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

RXAQM_XSK_EXPORT int rxaqm_xsk_receive(struct rxaqm_xsk *xsk, struct rxaqm_xsk_packet *packets,
				       unsigned int max)
{
	__u64 now_ns = rxaqm_now_ns();
	__u32 first = 0, nr, i;
	int err;

	err = check(xsk, now_ns);
	if (err)
		return err;
	rxaqm_progress_look(&xsk->progress, now_ns,
			    __atomic_load_n(xsk->rx.producer, __ATOMIC_ACQUIRE));
	nr = xsk_ring_cons__peek(&xsk->rx, max, &first);
	for (i = 0; i < nr; i++) {
		const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&xsk->rx, first + i);
		void *data = xsk_umem__get_data(xsk->frames, desc->addr);

		packets[i] = (struct rxaqm_xsk_packet){
			.data = data,
			.len = desc->len,
			.meta = read_meta(data),
			.frame = desc->addr,
		};
	}
	if (nr)
		xsk_ring_cons__release(&xsk->rx, nr);
	else
		wake_driver(xsk);
	xsk->received += nr;
	publish(xsk, now_ns, nr ? wait_ns(xsk, &packets[nr - 1], now_ns) : 0);
	return (int)nr;
}

RXAQM_XSK_EXPORT void rxaqm_xsk_release(struct rxaqm_xsk *xsk,
					const struct rxaqm_xsk_packet *packets, unsigned int nr)
{
	__u32 first = 0, i;

	/* The fill ring has room for all frames. */
	if (!nr || xsk_ring_prod__reserve(&xsk->fill, nr, &first) != nr)
		return;
	for (i = 0; i < nr; i++) {
		/* The next packet in this frame may have no metadata. */
		if (packets[i].meta)
			meta_of(packets[i].data)->magic = 0;
		*xsk_ring_prod__fill_addr(&xsk->fill, first + i) = packets[i].frame;
	}
	xsk_ring_prod__submit(&xsk->fill, nr);
	wake_driver(xsk);
}

RXAQM_XSK_EXPORT int rxaqm_xsk_get_stats(struct rxaqm_xsk *xsk, struct rxaqm_xsk_stats *ret_stats)
{
	struct xdp_options options = {};
	socklen_t size = sizeof(options);
	struct xdp_statistics stats;
	int err;

	if (ret_stats->size != sizeof(*ret_stats))
		return -EINVAL;
	err = read_kernel_stats(xsk, &stats);
	if (err)
		return err;
	if (getsockopt(rxaqm_xsk_fd(xsk), SOL_XDP, XDP_OPTIONS, &options, &size))
		return -errno;
	*ret_stats = (struct rxaqm_xsk_stats){
		.size = sizeof(*ret_stats),
		.received = xsk->received,
		.ring_full = stats.rx_ring_full,
		.dropped = stats.rx_dropped,
		.wait_ns = xsk->wait_ns,
		.ring_entries = xsk->rx.size,
		.zero_copy = !!(options.flags & XDP_OPTIONS_ZEROCOPY),
	};
	return 0;
}
