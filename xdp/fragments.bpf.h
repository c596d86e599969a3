/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Linux 5.18 brought packets in fragments, and the calls that copy their bytes. Before, a packet is
 * in one piece. CO-RE says which of the two holds when the program is loaded, and the verifier then
 * removes the other branch.
 */
#ifndef RXAQM_FRAGMENTS_BPF_H
#define RXAQM_FRAGMENTS_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "shared/types.h"

#define RXAQM_COPY_MAX 64 /* bytes; more than is ever read at once */
#define RXAQM_COPY_OFF_MAX 4096 /* bytes; such a packet lies in one page */

/* The kernel's name as CO-RE sees it; the linux/bpf.h of the build may lack it. */
enum bpf_func_id___rxaqm {
	BPF_FUNC_xdp_load_bytes___rxaqm = 1
};

static __always_inline bool rxaqm_has_fragments(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___rxaqm,
					  BPF_FUNC_xdp_load_bytes___rxaqm);
}

enum bpf_func_id___rxaqm_old {
	BPF_FUNC_for_each_map_elem___rxaqm = 1
};

/* Do functions with pointer arguments stay global (control/core/state/kernel.c)? From 5.13 on. */
static __always_inline bool rxaqm_has_globals(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___rxaqm_old,
					  BPF_FUNC_for_each_map_elem___rxaqm);
}

/* Where they do not, the verifier goes on with each value that such a function may return. Hiding
 * @x makes it forget what it knows of @x, so that it does not walk a million paths.
 */
static __always_inline __u64 rxaqm_hide_range(__u64 x)
{
	__u64 unknown;

	if (rxaqm_has_globals())
		return x;
	unknown = bpf_ktime_get_ns();
	x ^= unknown;
	RXAQM_HIDE(x);
	return x ^ unknown;
}

/* Length of the packet in bytes, all fragments included. */
static __always_inline __u64 rxaqm_packet_size(struct xdp_md *ctx)
{
	return rxaqm_has_fragments() ? bpf_xdp_get_buff_len(ctx) :
				       (__u64)(ctx->data_end - ctx->data);
}

/* bpf_xdp_load_bytes() for kernels without it. True if the bytes were copied. A verifier that would
 * walk it again for each call has too many paths: there only plain frames are parsed.
 */
static __attribute__((noinline)) bool rxaqm_copy_bytes(struct xdp_md *ctx, __u32 off, void *to,
						       __u32 n)
{
	const __u8 *end = (void *)(long)ctx->data_end, *from = (void *)(long)ctx->data;
	__u32 i;

	if (!rxaqm_has_globals() || n > RXAQM_COPY_MAX || off > RXAQM_COPY_OFF_MAX ||
	    off + n > ctx->data_end - ctx->data)
		return false;
	from += off;
	RXAQM_ROLLED
	for (i = 0; i < RXAQM_COPY_MAX && i < n; i++) {
		if (from + i + 1 > end)
			return false;
		((__u8 *)to)[i] = from[i];
	}
	return true;
}

#endif /* RXAQM_FRAGMENTS_BPF_H */
