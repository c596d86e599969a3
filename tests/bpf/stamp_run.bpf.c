// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A packet on its way to the stack, for BPF_PROG_RUN: an skb is put together in a map, in
 * the layout of the running kernel, and given to the tracing program.
 */
#include "../../kprobes/rx_stamp.bpf.c"

#define DEV_AT 1024 /* fields that are read lie well below */
#define HEAD_AT 2048

static char memory[4096] __attribute__((aligned(8)));

static __always_inline void put(__u32 at, __u64 value, __u32 size)
{
	bpf_probe_read_kernel(&memory[at], size, &value);
}

#define AT(type, field) bpf_core_field_offset(type, field)

/* ifindex, skb->tstamp, hardware timestamp, tx_flags */
static __always_inline struct sk_buff *make_skb(const __u64 *args)
{
	put(AT(struct sk_buff, dev), (__u64)&memory[DEV_AT], 8);
	put(AT(struct sk_buff, tstamp), args[1], 8);
	put(AT(struct sk_buff, head), (__u64)&memory[HEAD_AT], 8);
	put(AT(struct sk_buff, end), 64, 4);
	put(DEV_AT + AT(struct net_device, ifindex), args[0], 4);
	put(HEAD_AT + 64 + AT(struct skb_shared_info, hwtstamps.hwtstamp), args[2], 8);
	put(HEAD_AT + 64 + AT(struct skb_shared_info, tx_flags), args[3], 1);
	return (struct sk_buff *)&memory[0];
}

SEC("raw_tp/napi_gro_receive_entry")
int run_stamp(__u64 *args)
{
	return rx_stamp(make_skb(args), false);
}

SEC("raw_tp/netif_receive_skb")
int run_generic(__u64 *args)
{
	return note_generic(make_skb(args), false);
}
