// SPDX-License-Identifier: GPL-2.0-only
/*
 * flood: how many packets of a flood one CPU judges and drops, beside a program that drops them at
 * once. Frames are live: the kernel takes a page for each from a page pool and gives it back when
 * it is dropped, as drivers do, and the stack has those that pass. One flow; and spoofed, each
 * packet of another flow, which both programs make so.
 *
 * The queue stands at five targets until the law drops four of five or more; how many depends on
 * how fast packets come, and so on what else the machine does. What the stack takes for those that
 * pass is measured in the same turn and taken off: it is not the program's. The programs take
 * turns, and of the ratios within a turn the median counts. By CPU time of this thread.
 *
 * One line a figure on stdout: name, value, unit, target, ratio, met.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "median.h"
#include "napi.h"
#include "preset.h"

#define NR_TURNS 9
#define CHUNK (1 << 17) /* packets */
#define LEAST_DROPPED 0.8 /* of a chunk that counts */
#define MOST_CHUNKS 100 /* until one counts */

static const struct flood {
	const char *name;
	bool spoofed;
	double limit;
} floods[] = {
	{ "flood, one flow", false, 0.5 },
	{ "flood, spoofed", true, 0.4 },
};

struct bench {
	struct cost *skel;
	struct rxaqm_queue *queue;
};

/* Ethernet for another host, IPv4, UDP with 18 bytes. */
static unsigned char packet[60] = {
	2,    0,    0, 0,  0, 1,  2,	0, 0,  0,  0,	 2,    8,  0, /* */
	0x45, 0,    0, 46, 0, 0,  0x40, 0, 64, 17, 0x66, 0xbd, 10, 0, 0, 1, 10, 0, 0, 2, /* */
	0x9c, 0x40, 0, 9,  0, 26,
};

static int load(struct bench *bench)
{
	struct bpf_map *map;
	int err;

	bench->skel = cost__open();
	if (!bench->skel)
		return -errno;
	bpf_object__for_each_map(map, bench->skel->obj)
		bpf_map__set_pin_path(map, NULL);
	bench->skel->rodata->config.nr_queues = 1;
	bench->skel->rodata->config.ring_entries = 4096;
	err = cost__load(bench->skel);
	if (err)
		return err;
	bench->queue = bench_map_memory(bench->skel->maps.queue_map,
					RXAQM_MAX_QUEUES * sizeof(*bench->queue));
	return bench->queue ? 0 : -errno;
}

/* Queue 0 stands at five targets. Its law knows nothing yet. */
static int preset(struct bench *bench)
{
	struct rxaqm_iface iface = {
		.state = RXAQM_IFACE_ATTACHED,
		.policy_gen = 2,
		.nr_queues = 1,
		.stamp = RXAQM_STAMP_TSTAMP,
	};
	__u32 zero = 0;

	*bench->queue = bench_queue(STATE_FLOOD, RXAQM_MODE_ENFORCE);
	bench_clear_notes(bench->skel);
	return bpf_map_update_elem(bpf_map__fd(bench->skel->maps.policy_map), &zero,
				   &bench->queue->policy, 0) ||
	       bpf_map_update_elem(bpf_map__fd(bench->skel->maps.iface_map), &zero, &iface, 0);
}

/* A chunk through @prog. Returns the ns that a packet took; negative: it failed. */
static double send(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = CHUNK, .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = 64);
	__u64 begin_ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);

	if (err)
		return bench_fail("flood: BPF_PROG_RUN", err);
	return (double)(bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) / CHUNK;
}

/* As send(), of a chunk of which the law dropped most; sets the share. */
static double send_judged(struct bench *bench, const struct bpf_program *prog, double *ret_share)
{
	int i;

	for (i = 0; i < MOST_CHUNKS; i++) {
		__u64 before = bench->queue->stat[RXAQM_STAT_DROP];
		double ns;

		/* A busy machine may take minutes. */
		bench->queue->sample_ns = bench_clock_ns(CLOCK_MONOTONIC) + RXAQM_NSEC_PER_SEC * 60;
		bench->queue->poll_end_ns = bench->queue->sample_ns;
		/* What is dropped here makes no room, whose lack ends a flood's drops for a while
		 * (rxaqm_law_futile()): nothing is known of the pace before.
		 */
		bench->queue->law.pace = 0;
		ns = send(prog);
		if (ns < 0)
			return -1;
		*ret_share = (double)(bench->queue->stat[RXAQM_STAT_DROP] - before) / CHUNK;
		if (*ret_share >= LEAST_DROPPED)
			return ns;
	}
	fprintf(stderr, "flood: the law drops %.0f %% of a queue at five targets, not %.0f\n",
		100 * *ret_share, 100 * LEAST_DROPPED);
	return -1;
}

static int run(struct bench *bench, const struct flood *flood)
{
	const struct bpf_program *drop = bench->skel->progs.flood_drop,
				 *rxaqm = bench->skel->progs.rxaqm_xdp;
	double at_once[NR_TURNS], judged[NR_TURNS], ratio[NR_TURNS], share[NR_TURNS], median;
	int turn;

	if (flood->spoofed) {
		drop = bench->skel->progs.spoofed_drop;
		rxaqm = bench->skel->progs.spoofed_rxaqm;
	}
	if (preset(bench))
		return bench_fail("flood: maps", errno);
	for (turn = 0; turn < NR_TURNS; turn++) {
		double ns = send_judged(bench, rxaqm, &share[turn]);
		double drop_ns = ns < 0 ? -1 : send(drop);
		double pass_ns = drop_ns < 0 ? -1 : send(bench->skel->progs.empty);

		if (pass_ns < 0)
			return -1;
		ns -= (1 - share[turn]) * (pass_ns - drop_ns);
		judged[turn] = 1e3 / ns;
		at_once[turn] = 1e3 / drop_ns;
		ratio[turn] = drop_ns / ns;
	}
	median = median_of(NR_TURNS, ratio);
	printf("%s, dropped at once\t%.3f\tMpps\t\t1.000\t\n", flood->name,
	       median_of(NR_TURNS, at_once));
	printf("%s, judged and dropped\t%.3f\tMpps\t>= %.2f x\t%.3f\t%s\n", flood->name,
	       median_of(NR_TURNS, judged), flood->limit, median,
	       median >= flood->limit ? "yes" : "no");
	printf("%s, share dropped\t%.3f\t\t\t\t\n", flood->name, median_of(NR_TURNS, share));
	return 0;
}

int main(void)
{
	struct bench bench = {};
	size_t i;
	int err;

	libbpf_set_print(NULL);
	bench_pin(0, sched_getcpu()); /* what the law knows of flows is by CPU */
	err = load(&bench);
	if (err)
		bench_fail("flood: cannot load", err);
	for (i = 0; i < sizeof(floods) / sizeof(floods[0]) && !err; i++)
		err = run(&bench, &floods[i]);
	cost__destroy(bench.skel);
	return err ? 1 : 0;
}
