/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * States of a queue for BPF_PROG_RUN. Nothing but the XDP program runs there, so what the tracing
 * programs would find is laid down: a sample dated far ahead stays fresh for a minute. The law's
 * own state is never laid down; packets bring it about.
 */
#ifndef RXAQM_BENCH_PRESET_H
#define RXAQM_BENCH_PRESET_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "cost.h"
#include "poll.h"
#include "iface.h"
#include "queue.h"
#include "xdp_config.h"

#include "cost.skel.h"

enum bench_state {
	STATE_NORMAL, /* not standing */
	STATE_LOW, /* standing, under target */
	STATE_FAST, /* the same, and packets share readings of the clock */
	STATE_OVER, /* standing, over target */
	STATE_FLOOD, /* the same at millions of packets a second, which share readings, too */
	STATE_BUSY, /* standing, over target, without stamps */
};

static inline __u64 bench_clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (__u64)ts.tv_sec * RXAQM_NSEC_PER_SEC + (__u64)ts.tv_nsec;
}

static inline void *bench_map_memory(struct bpf_map *map, size_t bytes)
{
	void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return data == MAP_FAILED ? NULL : data;
}

static inline struct rxaqm_policy bench_policy(enum bench_state state, enum rxaqm_mode mode)
{
	struct rxaqm_policy policy = {
		.target_ns = RXAQM_NSEC_PER_MSEC,
		.interval_ns = 10 * RXAQM_NSEC_PER_MSEC,
		.max_drop_permille = 1000,
		.mode = mode,
		.signal = state == STATE_BUSY ? RXAQM_SIGNAL_BUSY : RXAQM_SIGNAL_AUTO,
		.ecn = RXAQM_ECN_ON,
	};

	return policy;
}

static inline struct rxaqm_queue bench_queue(enum bench_state state, enum rxaqm_mode mode)
{
	struct rxaqm_queue queue = { .policy = bench_policy(state, mode), .policy_gen = 2 };
	const bool over = state == STATE_OVER || state == STATE_FLOOD;
	__u64 now_ns = bench_clock_ns(CLOCK_MONOTONIC);

	queue.flags = RXAQM_QUEUE_POLICY_VALID | RXAQM_QUEUE_POLLED | RXAQM_QUEUE_DRAIN_KNOWN;
	if (mode == RXAQM_MODE_ENFORCE)
		queue.flags |= RXAQM_QUEUE_ENFORCED;
	queue.poll_end_ns = now_ns + 60 * RXAQM_NSEC_PER_SEC; /* no end will be seen */
	queue.drained_ns = now_ns;
	/* The first packet of the poll is through: no end of one would make room for notes. */
	queue.taken = 1;
	if (state != STATE_NORMAL) {
		queue.flags |= RXAQM_QUEUE_STANDING;
		queue.drained_ns = now_ns - 50 * RXAQM_NSEC_PER_MSEC;
		queue.packet_ns = 1000; /* busy: a full ring is 4 ms */
	}
	queue.target_ns = queue.policy.target_ns;
	queue.interval_ns = queue.policy.interval_ns;
	if (state == STATE_FAST || state == STATE_FLOOD)
		queue.clock_mask = rxaqm_poll_clock_mask(100, queue.target_ns);
	if (state == STATE_LOW || state == STATE_FAST || over) {
		queue.flags |= RXAQM_QUEUE_SAMPLED;
		queue.sample_ns = now_ns + 60 * RXAQM_NSEC_PER_SEC;
		/* At the packet rate of BPF_PROG_RUN a full ring is 0.4 ms, and the goal is less;
		 * from half the goal on the law looks at packets.
		 */
		queue.sample_sojourn_ns = (over ? 5000 : 10) * RXAQM_NSEC_PER_USEC;
	}
	return queue;
}

/* As if a poll had ended on each CPU. */
static inline void bench_clear_notes(const struct cost *skel)
{
	size_t nr_cpus = (size_t)libbpf_num_possible_cpus();
	struct rxaqm_cpu *none = calloc(nr_cpus, sizeof(*none));
	__u32 zero = 0;

	if (none)
		bpf_map_update_elem(bpf_map__fd(skel->maps.cpu_map), &zero, none, 0);
	free(none);
}

#endif /* RXAQM_BENCH_PRESET_H */
