// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The XDP program: passes, marks or drops a packet at the moment it leaves the queue.
 *
 * A queue can only stand if NAPI polls stop draining it. While they do drain it, the
 * first packet of a poll is looked at and the others cost one array lookup and one
 * branch. Once a poll has left packets behind, every packet is judged, until a poll
 * drains the queue again.
 *
 * Two facts shape the rest. First, the sojourn behind a verdict was measured on packets ahead of
 * this one (in native mode a stamp is seen only once the packet has an skb), and a dropped packet
 * is never measured. So samples age, and an old sample means pass, which also lets measuring
 * resume. (rxaqm_hint, for drivers that give the stamp of the packet at hand, keeps the same rules
 * without that need.) Second, whatever is not known for certain (no sample, no clock, a stamp that
 * cannot be true, a header that cannot be read) means pass, counted by reason.
 *
 * State is per queue and touched by one NAPI context at a time: nothing is atomic.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <xdp/xdp_helpers.h>

#include "rx_time.bpf.h"
#include "shared/measure.bpf.h"
#include "shared/xdp_config.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Run before other programs of a dispatcher (their default is 50), and let them run on
 * what passes.
 */
#define RUN_FIRST(program)           \
	struct {                     \
		__uint(priority, 5); \
		__uint(XDP_PASS, 1); \
	} XDP_RUN_CONFIG(program)
RUN_FIRST(rxaqm_xdp);
RUN_FIRST(rxaqm_bare);
RUN_FIRST(rxaqm_generic);
RUN_FIRST(rxaqm_generic_bare);

const volatile struct rxaqm_xdp_config config = {};

#include "judge.bpf.h"
#include "socket.bpf.h"

/* Which of the programs this is: a compile-time constant, so that none pays for the others. */
#define BARE (1U << 0) /* puts nothing in front of packets */
#define HINT (1U << 1) /* the driver gives the stamp of the packet at hand */
#define GENERIC (1U << 2) /* runs when there is an skb, whose stamp was seen before */

/* Copy @from to @to. True if they were equal. A loop, since the compiler's memcmp() goes byte by
 * byte.
 */
static __always_inline bool update_policy(struct rxaqm_policy *to, const __u64 *from)
{
	__u64 *word = (__u64 *)to, differ = 0;
	__u32 i;

	RXAQM_ROLLED
	for (i = 0; i < RXAQM_POLICY_READ_BYTES / sizeof(*word); i++) {
		differ |= word[i] ^ from[i];
		word[i] = from[i];
	}
	return !differ;
}

/* Copy the operator's policy of another generation. A copy that a change overlapped is thrown away;
 * the next poll tries again. Global, so that the copy is not on the stack below later calls, which
 * need it all. Returns 0.
 */
rxaqm_seldom int rxaqm_xdp_take_policy(struct rxaqm_queue *q, const struct rxaqm_iface *iface,
				       __u32 index)
{
	__u64 words[RXAQM_POLICY_READ_BYTES / sizeof(__u64)];
	const struct rxaqm_policy *policy, *copy = (const void *)words;
	__u32 gen, key;
	bool same;

	if (!q || !iface)
		return 0;
	gen = RXAQM_READ_ONCE(iface->policy_gen);
	key = (gen & 1) * RXAQM_MAX_QUEUES + index;
	policy = bpf_map_lookup_elem(&policy_map, &key);
	if (!policy)
		return 0;
	__builtin_memcpy(words, policy, sizeof(words));
	if (RXAQM_READ_ONCE(iface->policy_gen) != gen)
		return 0;
	/* A renewed lease, or a change for other queues, does not restart the law. */
	q->policy.lease_until_ns = copy->lease_until_ns;
	same = update_policy(&q->policy, words) && (q->flags & RXAQM_QUEUE_POLICY_VALID);
	q->policy_gen = gen;
	q->flags |= RXAQM_QUEUE_POLICY_VALID;
	q->target_quarters = iface->target_quarters;
	q->moderation_ns = iface->moderation_ns;
	rxaqm_sample_update_age(q);
	q->flags &= ~RXAQM_QUEUE_MERGES;
	/* In generic mode there is no GRO behind XDP. */
	if (copy->merge && !(iface->flags & (RXAQM_IFACE_GENERIC | RXAQM_IFACE_LEAVES)))
		q->flags |= RXAQM_QUEUE_MERGES;
	if (same)
		return 0;
	rxaqm_target_update(q, config.ring_entries);
	rxaqm_decide_reset(q);
	/* A lease that is over is noticed at the end of a window. */
	q->flags &= ~RXAQM_QUEUE_ENFORCED;
	if (copy->mode == RXAQM_MODE_ENFORCE)
		q->flags |= RXAQM_QUEUE_ENFORCED;
	return 0;
}

static bool wants_stamps(const struct rxaqm_queue *q, const struct rxaqm_iface *iface)
{
	return iface->stamp != RXAQM_STAMP_NONE && q->policy.signal != RXAQM_SIGNAL_BUSY;
}

/* The first packet of a poll: leave a note for the tracing programs. Global for the verifier's
 * sake. Returns 0 if the note has no room, as where many interfaces share a CPU's backlog.
 */
rxaqm_global int rxaqm_xdp_begin_poll(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
				      __u32 program)
{
	__u32 zero = 0, iface_index = config.iface, nr_queues;
	struct rxaqm_iface *iface;
	struct rxaqm_cpu *cpu;

	iface = bpf_map_lookup_elem(&iface_map, &iface_index);
	cpu = bpf_map_lookup_elem(&cpu_map, &zero);
	if (!q || !iface || !cpu)
		return 0;
	q->iface = iface_index;
	/* The queue comes to this CPU: what the CPU knows of its ACKs is from before. */
	if (q->cpu != bpf_get_smp_processor_id())
		q->law.unasked_ns = q->poll_end_ns;
	if (program & GENERIC && config.by_cpu)
		q->flags |= RXAQM_QUEUE_MIXED;
	/* A NIC stamps packets before they come to a CPU's backlog, and how long they stood in its
	 * ring is not known.
	 */
	if (program & GENERIC && config.by_cpu && iface->stamp == RXAQM_STAMP_HWTSTAMP)
		q->flags |= RXAQM_QUEUE_UPSTREAM;
	if (!(q->flags & RXAQM_QUEUE_POLICY_VALID) ||
	    q->policy_gen != RXAQM_READ_ONCE(iface->policy_gen))
		rxaqm_xdp_take_policy(q, iface, index);
	/* A socket is bound to an Rx queue, and a CPU's backlog is none. */
	rxaqm_wait_bound(q, !config.no_sockets && !config.by_cpu && socket_there(index));

	nr_queues = cpu->nr_queues;
	/* A poll that was closed before its end is noted already. */
	if (!nr_queues || cpu->queue[(nr_queues - 1) & (RXAQM_CPU_QUEUES - 1)] != index) {
		if (nr_queues == RXAQM_CPU_QUEUES)
			return 0;
		cpu->queue[nr_queues & (RXAQM_CPU_QUEUES - 1)] = index;
		cpu->nr_queues = nr_queues + 1;
	}
	if (q->policy.mode == RXAQM_MODE_OFF) {
		cpu->want_ifindex = 0;
		return 1;
	}
	if (program & (HINT | GENERIC)) {
		cpu->want_ifindex = 0;
		if (wants_stamps(q, iface))
			return 1;
	} else if (q->flags & RXAQM_QUEUE_SOCKET) {
		cpu->want_ifindex = 0; /* no skb is made of what goes to a socket */
	} else if (wants_stamps(q, iface)) {
		cpu->want_ifindex = ctx->ingress_ifindex;
		return 1;
	}
	/* Without stamps, a queue that does not stand counts as one without delay. */
	q->signal = RXAQM_SIGNAL_BUSY;
	q->poll_bucket = 1;
	return 1;
}

/* Generic mode: return the stamp of this packet, which the tracing program saw a moment ago, or 0.
 * Measure by it if @due.
 */
static __u64 measure_generic(struct xdp_md *ctx, struct rxaqm_queue *q, __u64 now_ns, bool due)
{
	__u32 zero = 0, iface_index = config.iface;
	struct rxaqm_iface *iface;
	struct rxaqm_cpu *cpu;
	__u64 hw_ns;

	iface = bpf_map_lookup_elem(&iface_map, &iface_index);
	cpu = bpf_map_lookup_elem(&cpu_map, &zero);
	if (!iface || !cpu || cpu->generic_ifindex != ctx->ingress_ifindex ||
	    !wants_stamps(q, iface))
		return 0;
	cpu->generic_ifindex = 0;
	hw_ns = iface->stamp == RXAQM_STAMP_TSTAMP ? cpu->generic_tstamp_ns :
						     cpu->generic_hwtstamp_ns;
	if (due)
		rxaqm_measure(q, hw_ns, now_ns);
	return hw_ns;
}

/* The same by the stamp that the driver gives for this packet. */
static __always_inline __u64 measure_hint(struct xdp_md *ctx, struct rxaqm_queue *q, __u64 now_ns,
					  bool due)
{
	__u64 hw_ns = rxaqm_hint_ns(ctx);

	if (!due)
		return hw_ns;
	rxaqm_measure(q, hw_ns, now_ns);
	if (q->signal == RXAQM_SIGNAL_STAMP)
		q->signal = RXAQM_SIGNAL_HINT;
	return hw_ns;
}

/* Does this program see the stamp of the very packet at hand? */
static __always_inline bool sees_stamps(const struct rxaqm_queue *q, __u32 program)
{
	return program & GENERIC || (program & HINT && q->policy.signal != RXAQM_SIGNAL_BUSY);
}

/* Measure by the packet's own stamp if @due. @known: metadata for its socket; NULL: none. */
static __always_inline void measure_own(struct xdp_md *ctx, struct rxaqm_queue *q,
					struct rxaqm_meta *known, bool due, __u32 program)
{
	__u64 hw_ns = program & GENERIC ? measure_generic(ctx, q, q->clock_ns, due) :
					  measure_hint(ctx, q, q->clock_ns, due);

	if (!known)
		return;
	/* Each packet has a stamp of its own, so none speaks for the poll. */
	if (q->sample_ns == q->clock_ns && q->poll_bucket) {
		rxaqm_sample_count(q, q->poll_bucket - 1, 1);
		q->poll_bucket = 0;
	}
	if (hw_ns) {
		known->hw_ns = hw_ns;
		known->flags |= RXAQM_META_HW_TIME;
	}
}

/* Let the law judge the packet at hand at q->clock_ns by its wait, if that is known. */
static __always_inline int look_judge(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
				      struct rxaqm_redirect *redirect, bool socket, bool standing,
				      bool sees)
{
	__u64 sojourn_ns = 0;
	enum signal_by by = pick_sojourn(q, standing, q->clock_ns, &sojourn_ns);
	int verdict;

	if (socket) {
		redirect->sojourn_ns = sojourn_ns;
		switch (rxaqm_xdp_follow(q, redirect, by)) {
		case RXAQM_FOLLOW_IDLE:
			rxaqm_wait_sampled(q, !sees);
			return XDP_REDIRECT;
		case RXAQM_FOLLOW_PASS:
			return XDP_REDIRECT;
		}
		sojourn_ns = redirect->sojourn_ns;
	} else if (by == BY_NOTHING) {
		count_unknown(q, q->clock_ns);
		return XDP_PASS;
	}
	verdict = judge(ctx, q, index, sojourn_ns);
	if (verdict == RXAQM_DROP)
		return XDP_DROP;
	if (!socket)
		return XDP_PASS;
	if (verdict == RXAQM_MARK)
		redirect->known.flags |= RXAQM_META_MARKED;
	return XDP_REDIRECT;
}

/* Look at a packet: the first of a poll, or any of a queue that stands. XDP_REDIRECT means that it
 * is for the queue's socket, with the metadata in @redirect.
 */
static __always_inline int look(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
				struct rxaqm_redirect *redirect, __u32 program)
{
	bool noted, socket, off, standing, sees, due;

	if (rxaqm_poll_lost(q)) {
		rxaqm_poll_close(q);
		q->stat[RXAQM_STAT_POLLS_LOST]++;
	}
	noted = q->taken || rxaqm_xdp_begin_poll(ctx, q, index, program);
	if (noted) {
		q->taken++;
	} else {
		/* Nobody will say what this poll leaves, so the queue is not taken to stand. */
		q->flags &= ~RXAQM_QUEUE_STANDING;
		rxaqm_poll_forget(q);
	}
	socket = q->flags & RXAQM_QUEUE_SOCKET && !config.no_sockets;
	off = q->policy.mode == RXAQM_MODE_OFF || !noted;
	standing = q->flags & RXAQM_QUEUE_STANDING;
	sees = sees_stamps(q, program);
	/* Packets of a fast queue share one reading of the clock, and one stamp. */
	due = !standing || !((q->taken - 1) & q->clock_mask);
	if (socket) {
		redirect_begin(redirect, index);
		q->clock_ns = redirect->known.host_ns;
		rxaqm_wait_sampled(q, off && noted);
		if (off)
			return XDP_REDIRECT;
	} else if (off || (!standing && !sees)) {
		if (noted)
			rxaqm_poll_skip_rest(q);
		return XDP_PASS;
	} else if (due) {
		q->clock_ns = bpf_ktime_get_ns();
	}
	if (sees && (socket || due))
		measure_own(ctx, q, socket ? &redirect->known : NULL, due, program);
	/* A packet with a stamp of its own is judged without memory of polls. */
	if (standing && q->sample_ns != q->clock_ns && rxaqm_poll_resumes(q, q->clock_ns))
		standing = false;
	if (!socket && !standing) {
		rxaqm_poll_skip_rest(q);
		return XDP_PASS;
	}
	return look_judge(ctx, q, index, redirect, socket, standing, sees);
}

/* Handle a packet of the interface's @queue. */
static __always_inline int act(struct xdp_md *ctx, __u32 queue, __u32 program)
{
	__u32 index = config.queue_base + queue;
	struct rxaqm_redirect redirect;
	struct rxaqm_queue *q;
	int action;

	if (queue >= config.nr_queues)
		return XDP_PASS; /* a queue that came after attach */
	q = bpf_map_lookup_elem(&queue_map, &index);
	if (!q || rxaqm_poll_skip(q))
		return XDP_PASS;
	if (rxaqm_wait_idle(q) && !config.no_sockets) {
		q->taken++;
		redirect.known = (struct rxaqm_meta){ .host_ns = q->clock_ns };
	} else {
		action = look(ctx, q, index, &redirect, program);
		if (action != XDP_REDIRECT)
			return action;
	}
	if (program & BARE)
		return to_socket_bare(ctx, q, index);
	return to_socket_with_meta(ctx, q, index, &redirect.known);
}

SEC("xdp")
int rxaqm_xdp(struct xdp_md *ctx)
{
	return act(ctx, ctx->rx_queue_index, 0);
}

/* The same without metadata for sockets. From some 6.12 on, a program that moves a packet's bounds
 * may replace only one that does so, too. The programs of libxdp's dispatcher do since 1.5.5. This
 * program may always replace them.
 */
SEC("?xdp")
int rxaqm_bare(struct xdp_md *ctx)
{
	return act(ctx, ctx->rx_queue_index, BARE);
}

/* In generic mode packets may come through a CPU's backlog, which is then the queue. */
static __always_inline __u32 generic_queue(struct xdp_md *ctx)
{
	return config.by_cpu ? bpf_get_smp_processor_id() : ctx->rx_queue_index;
}

SEC("?xdp")
int rxaqm_generic(struct xdp_md *ctx)
{
	return act(ctx, generic_queue(ctx), GENERIC);
}

SEC("?xdp")
int rxaqm_generic_bare(struct xdp_md *ctx)
{
	return act(ctx, generic_queue(ctx), GENERIC | BARE);
}

/* For drivers that give stamps. Loaded for that device only, instead of the others, and in native
 * mode only. Control says whether it takes packets in fragments: some kernels that know such
 * programs do not let them.
 */
SEC("?xdp")
int rxaqm_hint(struct xdp_md *ctx)
{
	return act(ctx, ctx->rx_queue_index, HINT);
}
