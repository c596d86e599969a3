/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The driver's receive time of the packet at hand (kernel 6.3). Only a program that was loaded for
 * one device may ask for it, so rxaqm.bpf.c has a program of its own for that.
 *
 * BPF_PROG_RUN does not run such a program: tests/bpf has a rxaqm_hint_ns() of its own.
 */
#ifndef RXAQM_RX_TIME_BPF_H
#define RXAQM_RX_TIME_BPF_H

#include "shared/types.h"

extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *ctx, __u64 *timestamp) __weak __ksym;

/* In ns of the NIC's clock; 0: not stamped, which drivers report as -ENODATA or as 0. */
static __always_inline __u64 rxaqm_hint_ns(struct xdp_md *ctx)
{
	__u64 hw_ns = 0;

	return bpf_xdp_metadata_rx_timestamp(ctx, &hw_ns) ? 0 : hw_ns;
}

#endif /* RXAQM_RX_TIME_BPF_H */
