// SPDX-License-Identifier: GPL-2.0-only
/*
 * A driver that is slow with what goes to sockets: each packet that XDP sends on by one map keeps
 * the CPU busy for a while, in its NAPI poll. What burns at tc ingress never sees those packets.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

#define TURNS_MAX 1000000 /* a turn reads the clock, which takes over 10 ns */

const volatile __u32 burn_map_id;
const volatile __u64 burn_ns;

static long burn_turn(__u32 turn, void *ctx)
{
	__u64 *until_ns = ctx;

	(void)turn;
	return (__s64)(bpf_ktime_get_ns() - *until_ns) >= 0;
}

/* include/trace/events/xdp.h: dev, prog, target, err, map type, map id, index. */
SEC("tp_btf/xdp_redirect")
int redirect_burn(unsigned long long *ctx)
{
	__u64 until_ns;

	if ((__u32)ctx[5] != burn_map_id)
		return 0;
	until_ns = bpf_ktime_get_ns() + burn_ns;
	bpf_loop(TURNS_MAX, burn_turn, &until_ns, 0);
	return 0;
}
