/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Packets in fragments came with Linux 5.18, and with them the calls that copy their bytes. Before,
 * all of a packet is in one piece. Which of the two it is, CO-RE says when the program is loaded,
 * and the verifier then removes the other way.
 */
#ifndef RXAQM_FRAGMENTS_BPF_H
#define RXAQM_FRAGMENTS_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "shared/types.h"

#define RXAQM_COPY_MAX 64 /* bytes; more than is ever read at once */
#define RXAQM_COPY_OFF_MAX 4096 /* they lie in a page */

/* The kernel's name, as CO-RE sees it: linux/bpf.h need not have it. */
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

/* Do functions with pointers stay global (control/core/state/kernel.c), as from 5.13 on? */
static __always_inline bool rxaqm_has_globals(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___rxaqm_old,
					  BPF_FUNC_for_each_map_elem___rxaqm);
}

/* If they do not, the verifier goes on with each value that one may return. That it forgets here
 * what it knows of @x keeps it from walking a million ways.
 */
static __always_inline __u64 rxaqm_forget(__u64 x)
{
	__u64 unknown;

	if (rxaqm_has_globals())
		return x;
	unknown = bpf_ktime_get_ns();
	x ^= unknown;
	RXAQM_HIDE(x);
	return x ^ unknown;
}

/* How long the packet is, whatever pieces it lies in. */
static __always_inline __u64 rxaqm_packet_size(struct xdp_md *ctx)
{
	return rxaqm_has_fragments() ? bpf_xdp_get_buff_len(ctx) :
				       (__u64)(ctx->data_end - ctx->data);
}

/* What bpf_xdp_load_bytes() does, where that is not known. True if it could. A verifier that would
 * walk it again for each call has too many ways to go: there only plain frames are looked at.
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
