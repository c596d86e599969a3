/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/sockets.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <string.h>
#include <sys/socket.h>

#include "nic/netlink.h"

const char *const rxaqm_wait_state_names[] = {
	[RXAQM_WAIT_NONE] = "none",
	[RXAQM_WAIT_VALID] = "valid",
	[RXAQM_WAIT_STALE] = "stale",
	[RXAQM_WAIT_BAD] = "bad",
};

static void take_attr(struct rxaqm_socket_diag *socket, const struct nlattr *attr)
{
	union {
		struct xdp_diag_info info;
		struct xdp_diag_ring ring;
		struct xdp_diag_stats stats;
		__u32 uid;
	} value = {};
	size_t has = rxaqm_attr_len(attr);

	memcpy(&value, rxaqm_attr_data(attr), has < sizeof(value) ? has : sizeof(value));
	switch (rxaqm_attr_type(attr)) {
	case XDP_DIAG_INFO:
		socket->ifindex = value.info.ifindex;
		socket->queue = value.info.queue_id;
		break;
	case XDP_DIAG_UID:
		socket->uid = value.uid;
		break;
	case XDP_DIAG_RX_RING:
		socket->ring_entries = value.ring.entries;
		break;
	case XDP_DIAG_STATS:
		socket->ring_full = value.stats.n_rx_full;
		socket->no_frame = value.stats.n_fill_ring_empty;
		break;
	}
}

int rxaqm_sockets_take(const struct nlmsghdr *message, void *arg)
{
	struct rxaqm_sockets *sockets = arg;
	struct rxaqm_socket_diag *socket;
	const struct nlattr *attr;

	if (NLMSG_PAYLOAD(message, 0) < sizeof(struct xdp_diag_msg))
		return -EBADMSG;
	if (sockets->nr == RXAQM_SOCKETS_MAX)
		return 0;
	socket = &sockets->socket[sockets->nr];
	memset(socket, 0, sizeof(*socket));
	rxaqm_each_attr(attr, message, sizeof(struct xdp_diag_msg)) {
		take_attr(socket, attr);
	}
	if ((const void *)attr < rxaqm_message_end(message))
		return -EBADMSG;
	sockets->nr++;
	return 0;
}

void rxaqm_sockets_read(struct rxaqm_sockets *sockets)
{
	union rxaqm_netlink_request request;
	struct xdp_diag_req *diag;

	sockets->nr = 0;
	diag = rxaqm_netlink_begin(&request, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, sizeof(*diag));
	diag->sdiag_family = AF_XDP;
	diag->xdiag_show = XDP_SHOW_INFO | XDP_SHOW_RING_CFG | XDP_SHOW_STATS;
	sockets->known = !rxaqm_netlink_ask(NETLINK_SOCK_DIAG, &request, rxaqm_sockets_take,
					    sockets);
}

const struct rxaqm_socket_diag *rxaqm_sockets_find(const struct rxaqm_sockets *sockets,
						   unsigned int ifindex, unsigned int queue)
{
	unsigned int i;

	for (i = 0; sockets->known && ifindex && i < sockets->nr; i++) {
		const struct rxaqm_socket_diag *socket = &sockets->socket[i];

		/* Several may be bound to one queue; the one that receives has an Rx ring. */
		if (socket->ifindex == ifindex && socket->queue == queue && socket->ring_entries)
			return socket;
	}
	return NULL;
}

/* Time in the NIC's queue, by the signals that XDP uses. */
static __u64 nic_ns(const struct rxaqm_iface *iface, const struct rxaqm_queue *q, __u64 now_ns)
{
	__u64 bound_ns = (__u64)iface->ring_entries * q->packet_ns;
	__u64 stood_ns = rxaqm_ns_since(now_ns, q->drained_ns);

	if (q->signal != RXAQM_SIGNAL_BUSY && (q->flags & RXAQM_QUEUE_SAMPLED))
		return q->sample_sojourn_ns;
	if (!(q->flags & RXAQM_QUEUE_STANDING))
		return 0;
	return bound_ns && stood_ns > bound_ns ? bound_ns : stood_ns;
}

void rxaqm_socket_look(const struct rxaqm_iface *iface, const struct rxaqm_queue *q,
		       const struct rxaqm_wait *wait, const struct rxaqm_socket_diag *diag,
		       __u64 now_ns, struct rxaqm_socket *socket)
{
	__u64 updated_ns = RXAQM_READ_ONCE(wait->updated_ns);
	__u64 wait_ns = RXAQM_READ_ONCE(wait->wait_ns);

	memset(socket, 0, sizeof(*socket));
	socket->ring_entries = diag ? diag->ring_entries : RXAQM_READ_ONCE(wait->ring_entries);
	socket->ring_full = diag ? diag->ring_full : RXAQM_READ_ONCE(wait->ring_full);
	socket->wait_state = rxaqm_wait_check(wait_ns, updated_ns, q->policy.interval_ns, now_ns);
	if (socket->wait_state == RXAQM_WAIT_VALID)
		socket->wait_ns = wait_ns;
	if (updated_ns)
		socket->wait_age_ns = rxaqm_ns_since(now_ns, updated_ns);
	socket->nic_ns = nic_ns(iface, q, now_ns);
}
