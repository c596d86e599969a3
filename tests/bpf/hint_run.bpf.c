// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The program that asks the driver for stamps, for BPF_PROG_RUN, which refuses the real one:
 * the test is the driver.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define RXAQM_RX_TIME_BPF_H /* in place of xdp/rx_time.bpf.h */

volatile __u64 run_hint_ns; /* what the driver says; 0: the packet has no stamp */
volatile __u64 run_hint_asked; /* times */

static __always_inline __u64 rxaqm_hint_ns(struct xdp_md *ctx)
{
	(void)ctx;
	run_hint_asked++;
	return run_hint_ns;
}

#include "../../xdp/rxaqm.bpf.c"
