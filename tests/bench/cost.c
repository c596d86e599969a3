// SPDX-License-Identifier: GPL-2.0-only
/*
 * cost: CPU time of the XDP program for a packet, by BPF_PROG_RUN, beside that of an empty
 * one. All variants take turns; of the differences and ratios within a turn the median
 * counts, so that a busy machine disturbs both sides alike.
 *
 * One line a figure on stdout: name, value, unit, target, ratio to the baseline, met.
 */
#include <errno.h>
#include <linux/if_xdp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "median.h"
#include "cost.h"
#include "preset.h"

#define NR_INSTANCES 16
#define NR_QUEUES 256
#define BURST_BITS 6 /* a NAPI budget */
#define REPEAT (1 << 20)
#define NR_TURNS 9

#define WARM_UP (1 << 18) /* packets: more than an interval, as the law judges by its clock */
#define JITED_MAX 12288 /* bytes */
#define QUEUE_MAX 1536 /* bytes */
#define VERIFIED_MAX 120000 /* instructions */
/* What a packet takes a CPU that is overloaded, at the very least. */
#define BUSY_NS 5000

enum program {
	EMPTY,
	LOOKUP,
	CLOCK,
	RXAQM,
	REDIRECT,
	SOCKET,
	CYCLE_EMPTY,
	CYCLE_CLOCK,
	CYCLE_RXAQM,
	NR_PROGRAMS
};

struct variant {
	const char *name;
	enum program program;
	int nr_instances;
	enum bench_state state; /* of the queues */
	enum rxaqm_mode mode;
	__u8 ecn; /* of the packet, which is marked if it is ECT and over target */
	int baseline; /* index of the variant it is held against; -1: none */
	double limit; /* ratio to the baseline that is to be reached; 0: none */
	bool share; /* the limit is for what it adds to the baseline, as a share of BUSY_NS */
};

static const struct variant variants[] = {
	{ "empty program", EMPTY, 1, STATE_NORMAL, 0, 0, -1, 0, false },
	{ "array lookup", LOOKUP, 1, STATE_NORMAL, 0, 0, 0, 0, false },
	{ "lookup and clock read", CLOCK, 1, STATE_NORMAL, 0, 0, 0, 0, false },
	{ "empty, 256 queues", CYCLE_EMPTY, 1, STATE_NORMAL, 0, 0, -1, 0, false },
	{ "lookup and clock, 256 queues", CYCLE_CLOCK, 1, STATE_NORMAL, 0, 0, 3, 0, false },
	{ "empty, 16 x 256 queues", CYCLE_EMPTY, 16, STATE_NORMAL, 0, 0, -1, 0, false },
	{ "lookup and clock, 16 x 256 queues", CYCLE_CLOCK, 16, STATE_NORMAL, 0, 0, 5, 0, false },
	{ "normal", RXAQM, 1, STATE_NORMAL, RXAQM_MODE_ENFORCE, 0, 0, 1.15, false },
	{ "normal, 256 queues", CYCLE_RXAQM, 1, STATE_NORMAL, RXAQM_MODE_ENFORCE, 0, 3, 1.15,
	  false },
	{ "normal, 16 x 256 queues", CYCLE_RXAQM, 16, STATE_NORMAL, RXAQM_MODE_ENFORCE, 0, 5, 1.15,
	  false },
	{ "under target", RXAQM, 1, STATE_LOW, RXAQM_MODE_ENFORCE, 0, 2, 1.25, false },
	{ "under target, 256 queues", CYCLE_RXAQM, 1, STATE_LOW, RXAQM_MODE_ENFORCE, 0, 4, 1.25,
	  false },
	{ "under target, 16 x 256 queues", CYCLE_RXAQM, 16, STATE_LOW, RXAQM_MODE_ENFORCE, 0, 6,
	  1.25, false },
	{ "under target, over 1 Mpps", RXAQM, 1, STATE_FAST, RXAQM_MODE_ENFORCE, 0, 2, 1.25,
	  false },
	{ "over target, observe", RXAQM, 1, STATE_OVER, RXAQM_MODE_OBSERVE, 0, 0, 0.02, true },
	{ "over target, observe, 256 queues", CYCLE_RXAQM, 1, STATE_OVER, RXAQM_MODE_OBSERVE, 0, 3,
	  0.02, true },
	{ "over target, enforce", RXAQM, 1, STATE_OVER, RXAQM_MODE_ENFORCE, 0, 0, 0.02, true },
	{ "over target, ECT, observe", RXAQM, 1, STATE_OVER, RXAQM_MODE_OBSERVE, 2, 0, 0.02, true },
	{ "over target, busy signal, observe", RXAQM, 1, STATE_BUSY, RXAQM_MODE_OBSERVE, 0, 0, 0.02,
	  true },
	{ "redirect to a socket", REDIRECT, 1, STATE_NORMAL, 0, 0, -1, 0, false },
	{ "to a socket, normal", SOCKET, 1, STATE_NORMAL, RXAQM_MODE_ENFORCE, 0, 19, 0, false },
	{ "to a socket, under target", SOCKET, 1, STATE_LOW, RXAQM_MODE_ENFORCE, 0, 19, 0, false },
	{ "to a socket, over target, observe", SOCKET, 1, STATE_BUSY, RXAQM_MODE_OBSERVE, 0, 19, 0,
	  false },
};
#define NR_VARIANTS (sizeof(variants) / sizeof(variants[0]))

struct bench {
	struct cost *skel[NR_INSTANCES];
	int prog_fd[NR_INSTANCES][NR_PROGRAMS];
	struct rxaqm_iface *iface;
	struct rxaqm_policy *policy;
	struct rxaqm_queue *queue;
	int socket; /* bound to nothing: packets are not delivered */
	double ns[NR_VARIANTS][NR_TURNS]; /* per packet */
};

/* Ethernet, IPv4, TCP with 6 bytes of data. */
static unsigned char packet[60] = {
	2,    0,    0, 0,  0, 1, 2,    0, 0,  0, 0,    2,    8,	   0, /* */
	0x45, 0,    0, 46, 0, 0, 0x40, 0, 64, 6, 0x66, 0xc8, 10,   0,	 0, 1, 10, 0, 0, 2, /* */
	0x9c, 0x40, 0, 80, 0, 0, 0,    1, 0,  0, 0,    1,    0x50, 0x18, 2, 0,
};

static int load(struct bench *bench, int i)
{
	struct cost *skel = cost__open();
	struct bpf_map *map;
	int err = 0;

	if (!skel)
		return -errno;
	bench->skel[i] = skel;
	bpf_object__for_each_map(map, skel->obj) {
		bpf_map__set_pin_path(map, NULL);
		if (i && !bpf_map__is_internal(map) && !err)
			err = bpf_map__reuse_fd(map,
						bpf_object__find_map_fd_by_name(bench->skel[0]->obj,
										bpf_map__name(map)));
	}
	if (err)
		return err;
	skel->rodata->config.iface = (__u32)i;
	skel->rodata->config.queue_base = (__u32)i * NR_QUEUES;
	skel->rodata->config.nr_queues = NR_QUEUES;
	skel->rodata->config.ring_entries = 4096;
	skel->rodata->cycle.mask = NR_QUEUES - 1;
	skel->rodata->cycle.burst_bits = BURST_BITS;
	err = cost__load(skel);
	if (err)
		return err;
	bench->prog_fd[i][EMPTY] = bpf_program__fd(skel->progs.empty);
	bench->prog_fd[i][LOOKUP] = bpf_program__fd(skel->progs.lookup);
	bench->prog_fd[i][CLOCK] = bpf_program__fd(skel->progs.lookup_clock);
	bench->prog_fd[i][RXAQM] = bpf_program__fd(skel->progs.rxaqm_xdp);
	bench->prog_fd[i][REDIRECT] = bpf_program__fd(skel->progs.redirect);
	bench->prog_fd[i][SOCKET] = bpf_program__fd(skel->progs.to_a_socket);
	bench->prog_fd[i][CYCLE_EMPTY] = bpf_program__fd(skel->progs.cycle_empty);
	bench->prog_fd[i][CYCLE_CLOCK] = bpf_program__fd(skel->progs.cycle_lookup_clock);
	bench->prog_fd[i][CYCLE_RXAQM] = bpf_program__fd(skel->progs.cycle_rxaqm);
	return 0;
}

static int open_socket(void)
{
	int entries = 64, fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);

	/* Some kernels take none without an Rx ring into a map. */
	if (fd < 0 || setsockopt(fd, SOL_XDP, XDP_RX_RING, &entries, sizeof(entries)))
		return -errno;
	return fd;
}

/* While @there, queue 0 of the first instance is one that a socket serves. */
static int put_socket(const struct bench *bench, bool there)
{
	int map = bpf_map__fd(bench->skel[0]->maps.xsk_map);
	__u32 index = 0;

	return there ? bpf_map_update_elem(map, &index, &bench->socket, BPF_ANY) :
		       bpf_map_delete_elem(map, &index);
}

static int open_bench(struct bench *bench)
{
	int err, i;

	bench->socket = open_socket();
	if (bench->socket < 0)
		return bench->socket;

	for (i = 0; i < NR_INSTANCES; i++) {
		err = load(bench, i);
		if (err)
			return err;
	}
	bench->iface = bench_map_memory(bench->skel[0]->maps.iface_map,
					RXAQM_MAX_IFACES * sizeof(*bench->iface));
	bench->policy = bench_map_memory(bench->skel[0]->maps.policy_map,
					 2 * RXAQM_MAX_QUEUES * sizeof(*bench->policy));
	bench->queue = bench_map_memory(bench->skel[0]->maps.queue_map,
					RXAQM_MAX_QUEUES * sizeof(*bench->queue));
	return bench->iface && bench->policy && bench->queue ? 0 : -errno;
}

static void close_bench(struct bench *bench)
{
	int i;

	for (i = 0; i < NR_INSTANCES; i++)
		cost__destroy(bench->skel[i]);
	close(bench->socket);
}

static void preset(struct bench *bench, const struct variant *v)
{
	struct rxaqm_queue queue = bench_queue(v->state, v->mode);
	unsigned int i;

	/* The first packet to a socket finds out that there is one. */
	queue.taken = v->program != SOCKET;
	if (v->state == STATE_NORMAL && queue.taken)
		queue.skip = queue.skipped_from = WARM_UP + REPEAT;
	for (i = 0; i < RXAQM_MAX_QUEUES; i++) {
		bench->queue[i] = queue;
		bench->policy[i] = queue.policy;
	}
	for (i = 0; i < NR_INSTANCES; i++) {
		bench->iface[i] = (struct rxaqm_iface){
			.state = RXAQM_IFACE_ATTACHED,
			.policy_gen = 2,
			.queue_base = i * NR_QUEUES,
			.nr_queues = NR_QUEUES,
			.stamp = RXAQM_STAMP_TSTAMP,
		};
	}
	bench_clear_notes(bench->skel[0]);
	packet[15] = v->ecn;
	packet[25] = 0xc8 - v->ecn;
}

/* @packets through all instances of the variant. Returns the CPU time that this thread took for
 * one, in ns; negative: it failed.
 */
static double send_packets(struct bench *bench, const struct variant *v, int packets)
{
	unsigned char out[sizeof(packet)];
	__u64 begin_ns, total_ns = 0;
	int i, err;

	for (i = 0; i < v->nr_instances; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet,
			    .data_size_in = sizeof(packet), .data_out = out,
			    .data_size_out = sizeof(out), .repeat = packets / v->nr_instances);

		begin_ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		err = bpf_prog_test_run_opts(bench->prog_fd[i][v->program], &opts);
		total_ns += bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
		if (err) {
			fprintf(stderr, "cost: BPF_PROG_RUN of \"%s\": %s\n", v->name,
				strerror(-err));
			return -1;
		}
	}
	return (double)total_ns / packets;
}

/* As send_packets(), of a queue whose law has seen over an interval of its state. */
static double run(struct bench *bench, const struct variant *v)
{
	bool socket = v->program == REDIRECT || v->program == SOCKET;
	double ns;

	preset(bench, v);
	if (socket && put_socket(bench, true)) {
		fprintf(stderr, "cost: cannot put a socket into xsk_map: %s\n", strerror(errno));
		return -1;
	}
	ns = send_packets(bench, v, WARM_UP);
	if (ns >= 0)
		ns = send_packets(bench, v, REPEAT);
	if (socket)
		put_socket(bench, false);
	return ns;
}

/* Did the packets take the path that the variant is named for? */
static int check(const struct bench *bench, const struct variant *v)
{
	const __u64 *stat = bench->queue[0].stat;
	bool low = stat[RXAQM_STAT_LOW],
	     over = stat[RXAQM_STAT_OVER_NOT_ECT] + stat[RXAQM_STAT_OVER_ECT0];

	if (v->program == SOCKET && !stat[RXAQM_STAT_REDIRECT]) {
		fprintf(stderr, "cost: \"%s\" redirected nothing\n", v->name);
		return -1;
	}
	if (v->program != RXAQM && v->program != CYCLE_RXAQM && v->program != SOCKET)
		return 0;
	if (low == (v->state == STATE_LOW || v->state == STATE_FAST) &&
	    over == (v->state >= STATE_OVER) &&
	    stat[RXAQM_STAT_PACKETS] + rxaqm_poll_packets(&bench->queue[0]) > 1)
		return 0;
	fprintf(stderr, "cost: \"%s\" did not take its path: low %d, over %d\n", v->name, low,
		over);
	return -1;
}

static void report_variant(const struct bench *bench, const struct variant *v)
{
	const double *ns = bench->ns[v - variants];
	double value[NR_TURNS], reached[NR_TURNS], median;
	int t;

	for (t = 0; t < NR_TURNS; t++) {
		double base = v->baseline < 0 ? ns[t] : bench->ns[v->baseline][t];

		value[t] = v->share ? ns[t] - base : ns[t];
		reached[t] = v->share ? value[t] / BUSY_NS : ns[t] / base;
	}
	median = median_of(NR_TURNS, reached);
	printf("%s\t%.2f\t%s\t", v->name, median_of(NR_TURNS, value),
	       v->share ? "ns added" : "ns/packet");
	if (v->share)
		printf("<= %.0f %% of %d us", 100 * v->limit, BUSY_NS / 1000);
	else if (v->limit > 0)
		printf("<= %.2f x", v->limit);
	printf("\t%.3f\t%s\n", median, v->limit <= 0 ? "" : median <= v->limit ? "yes" : "no");
}

static void report_bound(const char *name, double value, const char *unit, double bound)
{
	printf("%s\t%.0f\t%s\t<= %.0f\t%.3f\t%s\n", name, value, unit, bound, value / bound,
	       value <= bound ? "yes" : "no");
}

/* What is not time. */
static void report_sizes(struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (!bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len)) {
		report_bound("JITed size", info.jited_prog_len, "bytes", JITED_MAX);
		report_bound("looked at by this kernel's verifier", info.verified_insns, "insns",
			     VERIFIED_MAX);
	}
	report_bound("state of a queue", sizeof(struct rxaqm_queue), "bytes", QUEUE_MAX);
}

int main(void)
{
	static struct bench bench;
	int err, turn;
	size_t i;

	libbpf_set_print(NULL);
	err = open_bench(&bench);
	if (err) {
		fprintf(stderr, "cost: cannot load: %s\n", strerror(-err));
		goto out;
	}
	for (turn = 0; turn < NR_TURNS && !err; turn++) {
		for (i = 0; i < NR_VARIANTS && !err; i++) {
			bench.ns[i][turn] = run(&bench, &variants[i]);
			err = bench.ns[i][turn] < 0 ? -1 : check(&bench, &variants[i]);
		}
	}
	if (!err) {
		for (i = 0; i < NR_VARIANTS; i++)
			report_variant(&bench, &variants[i]);
		report_sizes(bench.skel[0]->progs.rxaqm_xdp);
	}
out:
	close_bench(&bench);
	return err ? 1 : 0;
}
