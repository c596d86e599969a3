// SPDX-License-Identifier: GPL-2.0-only
/* What simtool attaches to simnic devices. Times are CLOCK_MONOTONIC ns. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <stdbool.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "simtool_counters.h"

extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *ctx, __u64 *timestamp) __ksym __weak;

struct net_device {
	int ifindex;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} dev_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, __u32);
} xsk_map SEC(".maps");

struct simtool_counters counters;

static void count(__u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

SEC("xdp")
int pass(struct xdp_md *ctx)
{
	count(&counters.packets);
	return XDP_PASS;
}

SEC("xdp.frags")
int frags(struct xdp_md *ctx)
{
	count(&counters.packets);
	return XDP_PASS;
}

SEC("xdp")
int drop(struct xdp_md *ctx)
{
	count(&counters.packets);
	return XDP_DROP;
}

SEC("xdp")
int tx(struct xdp_md *ctx)
{
	count(&counters.packets);
	return XDP_TX;
}

SEC("xdp")
int redirect(struct xdp_md *ctx)
{
	count(&counters.packets);
	return bpf_redirect_map(&dev_map, 0, 0);
}

SEC("xdp")
int xsk(struct xdp_md *ctx)
{
	count(&counters.packets);
	return bpf_redirect_map(&xsk_map, ctx->rx_queue_index, XDP_PASS);
}

/* A stamp that is right was made before now and not long ago. */
static void check_stamp(__u64 hw_ns)
{
	__s64 age_ns = bpf_ktime_get_ns() + counters.phc_offset_ns - hw_ns;

	count(&counters.stamped);
	if (age_ns < 0 || age_ns > 2000000000LL)
		count(&counters.bad);
}

SEC("xdp")
int hint(struct xdp_md *ctx)
{
	__u64 hw_ns = 0;

	count(&counters.packets);
	if (!bpf_xdp_metadata_rx_timestamp(ctx, &hw_ns))
		check_stamp(hw_ns);
	return XDP_PASS;
}

static bool is_ours(struct bpf_raw_tracepoint_args *ctx)
{
	const struct net_device *dev = (const void *)ctx->args[0];

	return BPF_CORE_READ(dev, ifindex) == counters.ifindex;
}

/* dev, queue, arrival, now, hw */
SEC("raw_tp/simnic_rx")
int rx_trace(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 arrival_ns = ctx->args[2], now_ns = ctx->args[3], hw_ns = ctx->args[4];

	if (!is_ours(ctx))
		return 0;
	count(&counters.packets);
	count(&counters.cpu_packets[bpf_get_smp_processor_id() & 7]);
	if (arrival_ns > now_ns || now_ns > bpf_ktime_get_ns())
		count(&counters.bad);
	if (hw_ns) {
		count(&counters.stamped);
		if (hw_ns != arrival_ns + counters.phc_offset_ns)
			count(&counters.bad);
	}
	return 0;
}

/* dev, queue, posted, now */
SEC("raw_tp/simnic_tx_done")
int tx_trace(struct bpf_raw_tracepoint_args *ctx)
{
	if (!is_ours(ctx))
		return 0;
	count(&counters.packets);
	if (ctx->args[2] > ctx->args[3] || ctx->args[3] > bpf_ktime_get_ns())
		count(&counters.bad);
	return 0;
}

char _license[] SEC("license") = "GPL";
