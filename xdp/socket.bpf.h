/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Packets of a queue that an AF_XDP socket serves go there instead of to the stack, with metadata
 * in front (shared/xsk.h). Include it after judge.bpf.h.
 */
#ifndef RXAQM_SOCKET_BPF_H
#define RXAQM_SOCKET_BPF_H

#include <bpf/bpf_core_read.h>

#include "judge.bpf.h"

/* Kernels whose sockets take packets in fragments (6.6) have this field, for XDP_USE_SG. */
struct xdp_sock___rxaqm {
	bool sg;
} __attribute__((preserve_access_index));

static __always_inline bool socket_there(__u32 index)
{
	return bpf_map_lookup_elem(&xsk_map, &index);
}

/* Kernels before 6.6 drop a packet in fragments that is sent to a socket; the stack can take it.
 * Later ones get it even for a socket that did not ask for fragments (XDP_USE_SG): if it does not
 * fit a frame, the kernel drops it and counts it with the socket, as it would without rxaqm.
 */
static __always_inline bool socket_takes(struct xdp_md *ctx)
{
	return bpf_core_field_exists(struct xdp_sock___rxaqm, sg) ||
	       rxaqm_packet_size(ctx) == (__u64)(ctx->data_end - ctx->data);
}

/* Send the packet to the socket at @index, or to the stack if that socket is gone. */
static __always_inline int to_socket(struct rxaqm_queue *q, __u32 index)
{
	int action = (int)bpf_redirect_map(&xsk_map, index, XDP_PASS);

	if (action == XDP_REDIRECT)
		q->stat[RXAQM_STAT_REDIRECT]++;
	return action;
}

/* Make room for metadata in front of the packet. NULL if there is none, or if another program put
 * metadata there.
 */
static __always_inline struct rxaqm_meta *make_room(struct xdp_md *ctx)
{
	struct rxaqm_meta *meta;

	if (ctx->data_meta != ctx->data || bpf_xdp_adjust_meta(ctx, -(int)sizeof(*meta)))
		return NULL;
	meta = (void *)(long)ctx->data_meta;
	return (void *)(meta + 1) <= (void *)(long)ctx->data ? meta : NULL;
}

/* A packet of a queue that a socket serves. */
struct rxaqm_redirect {
	struct rxaqm_meta known; /* metadata to put in front of it; zero where nothing is known */
	__u64 wait_ns, updated_ns; /* published by the consumer */
	__u64 sojourn_ns; /* the packet is judged by this */
};

/* The same, with the metadata @known in front of the packet. */
static __always_inline int to_socket_with_meta(struct xdp_md *ctx, struct rxaqm_queue *q,
					       __u32 index, const struct rxaqm_meta *known)
{
	struct rxaqm_meta *meta;
	bool placed = false;
	int action;

	if (!socket_takes(ctx))
		return XDP_PASS;
	meta = make_room(ctx);
	if (meta) {
		*meta = *known;
		meta->magic = RXAQM_META_MAGIC;
		meta->version = RXAQM_META_VERSION;
		meta->size = sizeof(*meta);
		placed = true;
	}
	action = to_socket(q, index);
	if (placed && action != XDP_REDIRECT)
		bpf_xdp_adjust_meta(ctx, (int)sizeof(*meta));
	return action;
}

/* to_socket() for programs that must not move the packet's bounds. */
static __always_inline int to_socket_bare(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index)
{
	return socket_takes(ctx) ? to_socket(q, index) : XDP_PASS;
}

/* Begin @redirect. The clock is read after the consumer's values, so that these are not later. */
static __always_inline void redirect_begin(struct rxaqm_redirect *redirect, __u32 index)
{
	struct rxaqm_wait *wait = bpf_map_lookup_elem(&wait_map, &index);

	*redirect = (struct rxaqm_redirect){};
	if (wait) {
		redirect->wait_ns = RXAQM_READ_ONCE(wait->wait_ns);
		redirect->updated_ns = RXAQM_READ_ONCE(wait->updated_ns);
	}
	redirect->known.host_ns = bpf_ktime_get_ns();
}

/* Note what is known of the packet's time in the NIC. @by: its source. */
static __always_inline void note_sojourn(const struct rxaqm_queue *q,
					 struct rxaqm_redirect *redirect, enum signal_by by)
{
	struct rxaqm_meta *meta = &redirect->known;

	if (q->flags & RXAQM_QUEUE_STANDING)
		meta->flags |= RXAQM_META_STANDING;
	if (by == BY_NOTHING)
		return;
	/* A sojourn by polls is of the queue, not of this packet. */
	meta->flags |= by == BY_STAMP && q->sample_ns == q->clock_ns ? RXAQM_META_SOJOURN :
								       RXAQM_META_SAMPLED;
	meta->sojourn_ns = by == BY_STAMP ? q->sample_sojourn_ns : redirect->sojourn_ns;
}

enum rxaqm_follow {
	RXAQM_FOLLOW_JUDGE,
	RXAQM_FOLLOW_PASS,
	RXAQM_FOLLOW_IDLE, /* neither NIC nor consumer is behind; nothing to tell or count */
};

/* Add the time that the packet will wait in the socket's ring to its time in the NIC, whose source
 * is @by. A time that is not known counts as 0. Global for the verifier's sake. Returns an enum
 * rxaqm_follow: what becomes of the packet.
 */
rxaqm_global int rxaqm_xdp_follow(struct rxaqm_queue *q, struct rxaqm_redirect *redirect, __u32 by)
{
	__u64 wait_ns = 0;
	bool wait_known;

	if (!q || !redirect)
		return RXAQM_FOLLOW_PASS;
	note_sojourn(q, redirect, by);
	wait_known = rxaqm_wait_read(q, redirect->wait_ns, redirect->updated_ns, q->clock_ns,
				     &wait_ns);
	redirect->sojourn_ns += wait_ns;
	if (!rxaqm_wait_follow(q, wait_ns, redirect->sojourn_ns)) {
		q->law.unasked_ns = q->clock_ns;
		return by == BY_NOTHING && (wait_known || !redirect->updated_ns) ?
			       RXAQM_FOLLOW_IDLE :
			       RXAQM_FOLLOW_PASS;
	}
	if (by != BY_NOTHING || wait_known)
		return RXAQM_FOLLOW_JUDGE;
	count_unknown(q, q->clock_ns);
	return RXAQM_FOLLOW_PASS;
}

#endif /* RXAQM_SOCKET_BPF_H */
