/* SPDX-License-Identifier: GPL-2.0-only */
#include "attach/sockets.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define REPLY_MAX 32768
#define REPLIES_MAX 4096

/* Copy attribute @attr's value, or as much of it as there is, to @value. */
static void take_value(const struct nlattr *attr, void *value, size_t len)
{
	size_t has = attr->nla_len - NLA_HDRLEN;

	memcpy(value, (const char *)attr + NLA_HDRLEN, has < len ? has : len);
}

static void take_attr(struct rxaqm_socket_diag *socket, const struct nlattr *attr)
{
	struct xdp_diag_stats stats = {};
	struct xdp_diag_info info = {};
	struct xdp_diag_ring ring = {};

	switch (attr->nla_type & NLA_TYPE_MASK) {
	case XDP_DIAG_INFO:
		take_value(attr, &info, sizeof(info));
		socket->ifindex = info.ifindex;
		socket->queue = info.queue_id;
		break;
	case XDP_DIAG_UID:
		take_value(attr, &socket->uid, sizeof(socket->uid));
		break;
	case XDP_DIAG_RX_RING:
		take_value(attr, &ring, sizeof(ring));
		socket->ring_entries = ring.entries;
		break;
	case XDP_DIAG_STATS:
		take_value(attr, &stats, sizeof(stats));
		socket->ring_full = stats.n_rx_full;
		socket->no_frame = stats.n_fill_ring_empty;
		break;
	}
}

static int take_message(struct rxaqm_sockets *sockets, const struct nlmsghdr *nl)
{
	size_t at = NLMSG_LENGTH(sizeof(struct xdp_diag_msg));
	struct rxaqm_socket_diag *socket;

	at = NLMSG_ALIGN(at);
	if (nl->nlmsg_len < at)
		return -EBADMSG;
	if (sockets->nr == RXAQM_SOCKETS_MAX)
		return 0;
	socket = &sockets->socket[sockets->nr];
	memset(socket, 0, sizeof(*socket));
	while (at + NLA_HDRLEN <= nl->nlmsg_len) {
		const struct nlattr *attr = (const void *)((const char *)nl + at);

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > nl->nlmsg_len - at)
			return -EBADMSG;
		take_attr(socket, attr);
		at += NLA_ALIGN(attr->nla_len);
	}
	sockets->nr++;
	return 0;
}

int rxaqm_sockets_parse(struct rxaqm_sockets *sockets, const void *data, size_t bytes)
{
	const char *at = data;
	int err;

	while (bytes >= NLMSG_HDRLEN) {
		const struct nlmsghdr *nl = (const void *)at;
		size_t len = NLMSG_ALIGN(nl->nlmsg_len);

		if (nl->nlmsg_len < NLMSG_HDRLEN || nl->nlmsg_len > bytes)
			return -EBADMSG;
		if (nl->nlmsg_type == NLMSG_DONE)
			return 1;
		if (nl->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *error = NLMSG_DATA(nl);

			if (nl->nlmsg_len < NLMSG_LENGTH(sizeof(*error)) || error->error >= 0)
				return -EBADMSG;
			return error->error;
		}
		err = nl->nlmsg_type == SOCK_DIAG_BY_FAMILY ? take_message(sockets, nl) : 0;
		if (err)
			return err;
		at += len < bytes ? len : bytes;
		bytes -= len < bytes ? len : bytes;
	}
	return bytes ? -EBADMSG : 0;
}

static int ask(int fd)
{
	struct {
		struct nlmsghdr nl;
		struct xdp_diag_req req;
	} request = {
		.nl = { .nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.req = { .sdiag_family = AF_XDP,
			 .xdiag_show = XDP_SHOW_INFO | XDP_SHOW_RING_CFG | XDP_SHOW_STATS },
	};

	return send(fd, &request, sizeof(request), 0) < 0 ? -errno : 0;
}

void rxaqm_sockets_read(struct rxaqm_sockets *sockets)
{
	const struct timeval patience = { .tv_sec = 1 };
	static char reply[REPLY_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	int fd, i, result = 0;
	ssize_t got;

	sockets->known = false;
	sockets->nr = 0;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return;
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) && !ask(fd)) {
		for (i = 0; !result && i < REPLIES_MAX; i++) {
			got = recv(fd, reply, sizeof(reply), 0);
			result = got < 0 ? -errno :
					   rxaqm_sockets_parse(sockets, reply, (size_t)got);
		}
		sockets->known = result == 1;
	}
	close(fd);
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

/* Time in the NIC's queue, by the signals that XDP goes by. */
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

const char *rxaqm_wait_state_name(enum rxaqm_wait_state state)
{
	static const char *const names[] = {
		[RXAQM_WAIT_NONE] = "none",
		[RXAQM_WAIT_VALID] = "valid",
		[RXAQM_WAIT_STALE] = "stale",
		[RXAQM_WAIT_BAD] = "bad",
	};

	return names[state];
}
