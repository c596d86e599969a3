// SPDX-License-Identifier: GPL-2.0-only
/* Generators for BPF_PROG_RUN, several Mpps from one CPU, and the program to be held against. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 tx_ifindex;

SEC("xdp.frags")
int live_empty(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_PASS;
}

/* Live frames: no skb before the receiver makes one. */
SEC("xdp")
int send_frames(struct xdp_md *ctx)
{
	(void)ctx;
	return bpf_redirect(tx_ifindex, 0);
}

/* skbs, slower, but they carry a time, as a NIC's do. */
SEC("tc")
int send_skbs(struct __sk_buff *skb)
{
	bpf_skb_set_tstamp(skb, bpf_ktime_get_ns(), BPF_SKB_TSTAMP_DELIVERY_MONO);
	bpf_clone_redirect(skb, tx_ifindex, 0);
	return 0;
}
