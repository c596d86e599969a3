/* SPDX-License-Identifier: GPL-2.0-only */
/* How the cycle_ programs of cost.bpf.c go through the queues. */
#ifndef BENCH_COST_H
#define BENCH_COST_H

#include <linux/types.h>

struct bench_cycle {
	__u32 mask; /* queues - 1, a power of two less one */
	__u32 burst_bits; /* log2 of the packets of one queue in a row */
};

#endif /* BENCH_COST_H */
