// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * qualify: note when test frames reach XDP and the stack, and make receiving slow or stop it on
 * demand, so that a slow sender can fill any NIC's ring. All other packets pass untouched.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "qualify.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The most turns that bpf_loop() takes; each reads the clock. */
#define TURNS_MAX (8U << 20)
#define ROUNDS_MAX 64
#define NR_ATS 8 /* offsets at which tc looks for a mark */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, QUALIFY_SEEN);
	__type(key, __u32);
	__type(value, struct qualify_seen);
} qualify_seen_map SEC(".maps");

/* The field read of the kernel's type; CO-RE ignores what follows the three underscores. */
struct napi_struct___id {
	unsigned int napi_id;
} __attribute__((preserve_access_index));

__u32 polled_napi; /* the NAPI whose polls are counted */
__u64 polls; /* no atomic: one CPU at a time polls that NAPI */
struct qualify_orders orders;
struct qualify_progress progress;
__u8 received[QUALIFY_CPUS]; /* by CPU; 1: a frame came; user space clears it */

static __u32 be32(__u32 value)
{
	return bpf_ntohl(value);
}

static struct qualify_seen *note(const struct qualify_mark *mark)
{
	__u32 seq = be32(mark->seq), at = seq % QUALIFY_SEEN;
	struct qualify_seen *seen = bpf_map_lookup_elem(&qualify_seen_map, &at);

	if (seen) {
		seen->seq = seq;
		seen->sent_ns = bpf_be64_to_cpu(mark->sent_ns);
	}
	received[bpf_get_smp_processor_id() & (QUALIFY_CPUS - 1)] = 1;
	return seen;
}

static long turn(__u32 nr, void *ctx)
{
	const __u64 *until_ns = ctx;

	(void)nr;
	return (__s64)(bpf_ktime_get_ns() - *until_ns) >= 0;
}

static long turn_stalled(__u32 nr, void *ctx)
{
	return RXAQM_READ_ONCE(orders.release) || turn(nr, ctx);
}

static void stall(__u32 seq)
{
	__u64 until_ns;
	int i;

	if (!orders.stall_ms || seq != orders.stall_seq || progress.stalled)
		return;
	until_ns = bpf_ktime_get_ns() + orders.stall_ms * RXAQM_NSEC_PER_MSEC;
	progress.stalled = 1;
	/* One loop of the most turns lasts some 50 ms. */
	for (i = 0; i < ROUNDS_MAX && !turn_stalled(0, &until_ns); i++)
		bpf_loop(TURNS_MAX, turn_stalled, &until_ns, 0);
	progress.stalled = 2;
}

static const struct qualify_mark *mark_at(const char *data, const char *end, unsigned int at)
{
	const struct qualify_mark *mark = (const void *)(data + at);

	if ((const char *)(mark + 1) > end || be32(mark->magic) != QUALIFY_MAGIC)
		return NULL;
	return mark;
}

SEC("xdp")
int qualify_xdp(struct xdp_md *ctx)
{
	const char *data = (const char *)(long)ctx->data, *end = (const char *)(long)ctx->data_end;
	const struct qualify_mark *mark = mark_at(data, end, QUALIFY_MARK_SHORT);
	struct qualify_seen *seen;
	__u32 seq;

	if (!mark)
		mark = mark_at(data, end, QUALIFY_MARK_LONG);
	if (!mark)
		mark = mark_at(data, end, QUALIFY_MARK_TUNNEL);
	if (!mark)
		return XDP_PASS;
	seq = be32(mark->seq);
	seen = note(mark);
	if (seen) {
		seen->xdp_ns = bpf_ktime_get_ns();
		seen->queue = (__u16)ctx->rx_queue_index;
		seen->cpu = (__u16)bpf_get_smp_processor_id();
	}
	progress.xdp += seq != QUALIFY_SEQ_ASIDE;
	stall(seq);
	return orders.drop ? XDP_DROP : XDP_PASS;
}

/* Attached while polls are counted. */
SEC("tp_btf/napi_poll")
int BPF_PROG(qualify_poll, struct napi_struct___id *napi)
{
	if (napi->napi_id == polled_napi)
		polls++;
	return 0;
}

/* Runs after XDP, GRO and packet sockets. */
SEC("tc")
int qualify_tc(void *ctx)
{
	/* Not the parameter: its BTF would have two types that are only declared
	 * (tests/shell/bpf_types.sh).
	 */
	struct __sk_buff *skb = ctx;
	/* After generic XDP there may be no MAC header: an skb with too little headroom was copied,
	 * and the mac_len of the copy is 0 (net/core/dev.c:netif_skb_check_for_xdp).
	 */
	static const __u32 ats[NR_ATS] = { QUALIFY_MARK_SHORT,
					   QUALIFY_MARK_UNTAGGED,
					   QUALIFY_MARK_LONG,
					   QUALIFY_MARK_TUNNEL,
					   QUALIFY_MARK_SHORT - ETH_HLEN,
					   QUALIFY_MARK_UNTAGGED - ETH_HLEN,
					   QUALIFY_MARK_LONG - ETH_HLEN,
					   QUALIFY_MARK_TUNNEL - ETH_HLEN };
	struct qualify_mark mark = {};
	struct qualify_seen *seen;
	__u64 until_ns;
	int i;

	for (i = 0; i < NR_ATS; i++) {
		if (!bpf_skb_load_bytes(skb, ats[i], &mark, sizeof(mark)) &&
		    be32(mark.magic) == QUALIFY_MAGIC)
			break;
	}
	if (i == NR_ATS)
		return TC_ACT_UNSPEC;
	seen = note(&mark);
	if (seen) {
		seen->stack_ns = bpf_ktime_get_ns();
		progress.napi_id[seen->queue % QUALIFY_QUEUES] = skb->napi_id;
	}
	progress.stack += be32(mark.seq) != QUALIFY_SEQ_ASIDE;
	if (orders.cost_ns) {
		until_ns = bpf_ktime_get_ns() + orders.cost_ns;
		bpf_loop(TURNS_MAX, turn, &until_ns, 0);
	}
	return TC_ACT_SHOT;
}
