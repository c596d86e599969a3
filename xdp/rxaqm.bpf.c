// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The XDP program: passes, marks or drops a packet at the moment it leaves the queue.
 *
 * A queue can only stand if NAPI polls stop draining it. While they do drain it, the
 * first packet of a poll is looked at and the others cost one array lookup and one
 * branch. Once a poll has left packets behind, every packet is judged, until a poll
 * drains the queue again.
 *
 * Two facts shape the rest. The sojourn behind a verdict was measured on packets ahead
 * of this one (in native mode a stamp is seen only once the packet has an skb), and a
 * dropped packet is never measured: so samples age, and an old sample means pass, which
 * is also what lets measuring resume. (Where the driver can be asked for the stamp of the
 * packet at hand, rxaqm_hint is the program, and this does not hold; but the rules stay.)
 * And everything that is not known for certain
 * (no sample, no clock, a stamp that cannot be true, a header that cannot be read)
 * means pass, counted by reason.
 *
 * State is per queue and touched by one NAPI context at a time: nothing is atomic.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <xdp/xdp_helpers.h>

#include "ecn.h"
#include "rx_time.bpf.h"
#include "shared/measure.bpf.h"
#include "shared/xdp_config.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Run before other programs of a dispatcher (their default is 50), and let them run on
 * what passes.
 */
struct {
	__uint(priority, 5);
	__uint(XDP_PASS, 1);
} XDP_RUN_CONFIG(rxaqm_xdp);

const volatile struct rxaqm_xdp_config config = {};

/* Which of the two programs this is: known when compiled, so that neither pays for the other. */
enum program {
	PLAIN,
	HINT, /* the stamp of the packet at hand can be read */
};

/* Take the operator's policy over, if it has changed. A copy that a change overlapped is
 * thrown away; the next poll tries again.
 */
static void refresh_policy(struct rxaqm_queue *q, const struct rxaqm_iface *iface, __u32 index)
{
	__u32 gen = RXAQM_READ_ONCE(iface->policy_gen);
	struct rxaqm_policy *policy, copy;
	__u32 key;
	bool same;

	if ((q->flags & RXAQM_QUEUE_POLICY_VALID) && q->policy_gen == gen)
		return;
	key = (gen & 1) * RXAQM_MAX_QUEUES + index;
	policy = bpf_map_lookup_elem(&policy_map, &key);
	if (!policy)
		return;
	copy = *policy;
	if (RXAQM_READ_ONCE(iface->policy_gen) != gen)
		return;
	/* A renewed lease, or a change that was for other queues, is no reason to begin anew. */
	q->policy.lease_until_ns = copy.lease_until_ns;
	same = (q->flags & RXAQM_QUEUE_POLICY_VALID) &&
	       !__builtin_memcmp(&q->policy, &copy, sizeof(copy));
	q->policy_gen = gen;
	q->flags |= RXAQM_QUEUE_POLICY_VALID;
	if (same)
		return;
	q->policy = copy;
	/* What the law came to under another policy, or while only observing, where senders do
	 * not react and count runs away, is no place to begin.
	 */
	q->codel = (struct rxaqm_codel_vars){};
	q->smooth_ns = 0;
}

/* True if stamps of this queue's packets are wanted. */
static bool wants_stamps(const struct rxaqm_queue *q, const struct rxaqm_iface *iface)
{
	return iface->stamp != RXAQM_STAMP_NONE && q->policy.signal != RXAQM_SIGNAL_BUSY;
}

/* The first packet of a poll: leave a note for the tracing programs. */
static __always_inline void begin_poll(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
				       enum program program)
{
	__u32 zero = 0, iface_index = config.iface, nr_queues;
	struct rxaqm_iface *iface;
	struct rxaqm_cpu *cpu;

	iface = bpf_map_lookup_elem(&iface_map, &iface_index);
	cpu = bpf_map_lookup_elem(&cpu_map, &zero);
	if (!iface || !cpu)
		return;
	q->iface = iface_index;
	if (config.by_cpu)
		q->flags |= RXAQM_QUEUE_MIXED;
	refresh_policy(q, iface, index);

	nr_queues = cpu->nr_queues;
	if (nr_queues >= RXAQM_CPU_QUEUES)
		nr_queues = 0; /* ends of polls do not arrive here; poll_lost() will tell */
	cpu->queue[nr_queues & (RXAQM_CPU_QUEUES - 1)] = index;
	cpu->nr_queues = nr_queues + 1;
	if (q->policy.mode == RXAQM_MODE_OFF) {
		cpu->want_ifindex = 0;
		return;
	}
	if (wants_stamps(q, iface)) {
		cpu->want_ifindex = program == HINT || config.generic ? 0 : ctx->ingress_ifindex;
		return;
	}
	/* Without stamps a queue that does not stand is one with no delay to speak of. */
	q->signal = RXAQM_SIGNAL_BUSY;
	q->poll_bucket = 1;
}

/* Generic mode: the tracing program saw this very packet's stamp a moment ago. */
static void measure_ahead(struct xdp_md *ctx, struct rxaqm_queue *q, __u64 now_ns)
{
	__u32 zero = 0, iface_index = config.iface;
	struct rxaqm_iface *iface;
	struct rxaqm_cpu *cpu;

	iface = bpf_map_lookup_elem(&iface_map, &iface_index);
	cpu = bpf_map_lookup_elem(&cpu_map, &zero);
	if (!iface || !cpu || cpu->ahead_ifindex != ctx->ingress_ifindex || !wants_stamps(q, iface))
		return;
	cpu->ahead_ifindex = 0;
	rxaqm_measure(q,
		      iface->stamp == RXAQM_STAMP_TSTAMP ? cpu->ahead_tstamp_ns :
							   cpu->ahead_hwtstamp_ns,
		      now_ns);
}

/* The driver knows this very packet's stamp. */
static __always_inline void measure_hint(struct xdp_md *ctx, struct rxaqm_queue *q, __u64 now_ns)
{
	rxaqm_measure(q, rxaqm_hint_ns(ctx), now_ns);
	if (q->signal == RXAQM_SIGNAL_STAMP)
		q->signal = RXAQM_SIGNAL_HINT;
}

/* Count why a packet of a standing queue cannot be judged. */
static void count_unknown(struct rxaqm_queue *q, __u64 now_ns)
{
	if (rxaqm_sample_distrusted(q, now_ns))
		q->stat[RXAQM_STAT_PASS_IMPLAUSIBLE]++;
	else if (q->flags & RXAQM_QUEUE_NO_CLOCK)
		q->stat[RXAQM_STAT_PASS_NO_CLOCK]++;
	else if (q->flags & RXAQM_QUEUE_SAMPLED)
		q->stat[RXAQM_STAT_PASS_STALE]++;
	else
		q->stat[RXAQM_STAT_PASS_NO_SIGNAL]++;
}

/* The sojourn to act on, less its error, by the best signal that is valid now. False if
 * there is none.
 */
rxaqm_always_inline bool pick_sojourn(struct rxaqm_queue *q, __u64 now_ns, __u64 *ret_sojourn_ns)
{
	__u64 sojourn_ns, bound_ns;

	if (q->policy.signal != RXAQM_SIGNAL_BUSY && (q->flags & RXAQM_QUEUE_SAMPLED) &&
	    rxaqm_ns_since(now_ns, q->sample_ns) <=
		    rxaqm_sample_max_age_ns(q->policy.interval_ns) &&
	    !rxaqm_sample_distrusted(q, now_ns)) {
		sojourn_ns = q->sample_sojourn_ns;
		*ret_sojourn_ns = sojourn_ns > q->sample_err_ns ? sojourn_ns - q->sample_err_ns : 0;
		return true;
	}
	if (!rxaqm_policy_by_polls(&q->policy) || !(q->flags & RXAQM_QUEUE_POLLED))
		return false;
	/* No stamp can be trusted: the queue has stood since a poll last drained it, or for
	 * as long as a full ring takes to be served, if that is less.
	 */
	sojourn_ns = rxaqm_ns_since(now_ns, q->drained_ns);
	bound_ns = (__u64)config.ring_entries * q->packet_ns;
	if (bound_ns && sojourn_ns > bound_ns)
		sojourn_ns = bound_ns;
	q->signal = RXAQM_SIGNAL_BUSY;
	rxaqm_sample_count(q, rxaqm_hist_bucket(sojourn_ns), 1);
	*ret_sojourn_ns = sojourn_ns;
	return true;
}

/* These are global functions so that the verifier walks their many paths once, and not for
 * every state they may be called in.
 */
__attribute__((noinline)) int rxaqm_xdp_exempt_port(const struct rxaqm_policy *policy, __u16 sport,
						    __u16 dport)
{
	return policy && rxaqm_packet_exempt_port(policy, sport, dport);
}

__attribute__((noinline)) int rxaqm_xdp_parse(struct xdp_md *ctx, struct rxaqm_packet *pkt,
					      const struct rxaqm_policy *policy)
{
	if (!pkt || !policy)
		return 0;
	rxaqm_packet_parse(pkt, (void *)(long)ctx->data, (void *)(long)ctx->data_end, policy,
			   false);
	return 0;
}

/* Classify the packet; of @pkt only what a verdict needs is filled in. A call costs as much as
 * parsing a plain packet does (return thunks), so those are parsed right here.
 */
static __always_inline void classify(struct xdp_md *ctx, struct rxaqm_packet *pkt,
				     const struct rxaqm_policy *policy)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct rxaqm_packet full = {};

	if (rxaqm_packet_plain(data, data_end) && !policy->nr_exempt_ports) {
		rxaqm_packet_parse(pkt, data, data_end, policy, true);
		return;
	}
	rxaqm_xdp_parse(ctx, &full, policy);
	pkt->kind = full.kind;
	pkt->ecn = full.ecn;
	pkt->ip_version = full.ip_version;
	pkt->ip_off = full.ip_off;
	if (policy->nr_exempt_ports && rxaqm_xdp_exempt_port(policy, full.sport, full.dport))
		pkt->kind = RXAQM_KIND_EXEMPT;
}

/* A pure ACK over target, under a policy that thins them: 1 if others say the same and it
 * may go.
 */
__attribute__((noinline)) int rxaqm_xdp_thin(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
					     __u64 now_ns)
{
	struct rxaqm_packet pkt = {};
	struct rxaqm_ack_flow *flow;
	void *data, *data_end;
	__u64 id;
	__u32 key;

	if (!q)
		return 0;
	rxaqm_xdp_parse(ctx, &pkt, &q->policy);
	data_end = (void *)(long)ctx->data_end;
	data = (void *)(long)ctx->data;
	id = rxaqm_ack_flow_id(&pkt, index, data, data_end);
	key = (__u32)id & (RXAQM_ACK_FLOWS - 1);
	flow = bpf_map_lookup_elem(&ack_map, &key);
	if (!id || !flow)
		return 0;
	/* ACKs of a queue under target pass without being noted. */
	rxaqm_ack_forget(flow, q->codel.first_above_time_ns - q->policy.interval_ns);
	if (rxaqm_ack_redundant(flow, id, &pkt, data, data_end, rxaqm_ack_gap_ns(q->smooth_ns),
				now_ns) &&
	    rxaqm_decide_may_drop(q))
		return 1;
	rxaqm_ack_kept(flow, now_ns);
	return 0;
}

/* The queue stands: judge this packet. */
static __always_inline int judge(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
				 __u64 now_ns)
{
	struct rxaqm_judgement j = {};
	enum rxaqm_verdict verdict;
	struct rxaqm_packet pkt;
	__u64 sojourn_ns = 0;
	bool enforced;

	if (!pick_sojourn(q, now_ns, &sojourn_ns)) {
		count_unknown(q, now_ns);
		return XDP_PASS;
	}
	if (!rxaqm_decide_sojourn(q, &j, sojourn_ns, false, now_ns))
		return XDP_PASS;

	classify(ctx, &pkt, &q->policy);
	enforced = rxaqm_decide_enforced(&q->policy, now_ns);
	verdict = rxaqm_decide_packet(q, &j, pkt.kind, pkt.ecn, enforced, now_ns);
	if (pkt.kind == RXAQM_KIND_ACK && j.over && q->policy.ack == RXAQM_ACK_THIN &&
	    rxaqm_xdp_thin(ctx, q, index, now_ns)) {
		rxaqm_decide_count(q, enforced, ACK_DROP);
		verdict = RXAQM_DROP;
	}
	if (verdict == RXAQM_PASS || !enforced)
		return XDP_PASS;
	if (verdict == RXAQM_MARK) {
		rxaqm_ecn_mark(&pkt, (void *)(long)ctx->data, (void *)(long)ctx->data_end);
		return XDP_PASS;
	}
	q->poll_drops++;
	return XDP_DROP;
}

/* A packet that needs a look: the first of a poll, or any of a queue that stands. */
static __always_inline int look(struct xdp_md *ctx, struct rxaqm_queue *q, __u32 index,
				enum program program)
{
	bool standing, hint;

	if (!q)
		return XDP_PASS;
	if (rxaqm_poll_lost(q)) {
		rxaqm_poll_close(q);
		q->stat[RXAQM_STAT_POLLS_LOST]++;
	}
	if (!q->taken)
		begin_poll(ctx, q, index, program);
	q->taken++;
	if (q->policy.mode == RXAQM_MODE_OFF) {
		rxaqm_poll_skip_rest(q);
		return XDP_PASS;
	}
	standing = q->flags & RXAQM_QUEUE_STANDING;
	hint = program == HINT && q->policy.signal != RXAQM_SIGNAL_BUSY;
	if (!standing && !config.generic && !hint) {
		rxaqm_poll_skip_rest(q);
		return XDP_PASS;
	}
	/* Packets of a fast queue share one reading of the clock, and one stamp. */
	if (!standing || !((q->taken - 1) & q->clock_mask)) {
		q->clock_ns = bpf_ktime_get_ns();
		if (config.generic)
			measure_ahead(ctx, q, q->clock_ns);
		if (hint)
			measure_hint(ctx, q, q->clock_ns);
	}
	if (standing && !rxaqm_poll_resumes(q, q->clock_ns))
		return judge(ctx, q, index, q->clock_ns);
	rxaqm_poll_skip_rest(q);
	return XDP_PASS;
}

/* A packet of the interface's @queue. */
static __always_inline int act(struct xdp_md *ctx, __u32 queue, enum program program)
{
	__u32 index = config.queue_base + queue;
	struct rxaqm_queue *q;

	if (queue >= config.nr_queues)
		return XDP_PASS; /* a queue that came after attach */
	q = bpf_map_lookup_elem(&queue_map, &index);
	if (!q || rxaqm_poll_skip(q))
		return XDP_PASS;
	return look(ctx, q, index, program);
}

SEC("xdp.frags")
int rxaqm_xdp(struct xdp_md *ctx)
{
	return act(ctx, config.by_cpu ? bpf_get_smp_processor_id() : ctx->rx_queue_index, PLAIN);
}

/* The same for a driver that can be asked for stamps. Loaded for that device only, and then
 * instead of the other; native mode only. Control says whether it takes packets in fragments:
 * some kernels that know such programs do not let them.
 */
SEC("?xdp")
int rxaqm_hint(struct xdp_md *ctx)
{
	return act(ctx, ctx->rx_queue_index, HINT);
}
