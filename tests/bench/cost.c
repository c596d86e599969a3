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
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "median.h"
#include "cost.h"
#include "poll.h"
#include "iface.h"
#include "queue.h"
#include "xdp_config.h"

#include "cost.skel.h"

#define NR_INSTANCES 16
#define NR_QUEUES 256
#define BURST_BITS 6 /* a NAPI budget */
#define REPEAT (1 << 20)
#define NR_TURNS 9

/* What the queues are in when a variant runs. */
enum state {
	STATE_NORMAL, /* not standing */
	STATE_LOW, /* standing, under target */
	STATE_FAST, /* the same, and packets share readings of the clock */
	STATE_OVER, /* standing, over target */
	STATE_BUSY, /* the same without stamps */
	NR_STATES,
};

#define JITED_MAX 12288 /* bytes */

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
	enum state state;
	enum rxaqm_mode mode;
	__u8 ecn; /* of the packet, which is marked if it is ECT and over target */
	int baseline; /* index of the variant it is held against; -1: none */
	double limit; /* ratio to the baseline that is to be reached; 0: none */
};

static const struct variant variants[] = {
	{ "empty program", EMPTY, 1, STATE_NORMAL, 0, 0, -1, 0 },
	{ "array lookup", LOOKUP, 1, STATE_NORMAL, 0, 0, 0, 0 },
	{ "lookup and clock read", CLOCK, 1, STATE_NORMAL, 0, 0, 0, 0 },
	{ "empty, 256 queues", CYCLE_EMPTY, 1, STATE_NORMAL, 0, 0, -1, 0 },
	{ "lookup and clock, 256 queues", CYCLE_CLOCK, 1, STATE_NORMAL, 0, 0, 3, 0 },
	{ "empty, 16 x 256 queues", CYCLE_EMPTY, 16, STATE_NORMAL, 0, 0, -1, 0 },
	{ "lookup and clock, 16 x 256 queues", CYCLE_CLOCK, 16, STATE_NORMAL, 0, 0, 5, 0 },
	{ "normal", RXAQM, 1, STATE_NORMAL, RXAQM_MODE_ENFORCE, 0, 0, 1.15 },
	{ "normal, 256 queues", CYCLE_RXAQM, 1, STATE_NORMAL, RXAQM_MODE_ENFORCE, 0, 3, 1.15 },
	{ "normal, 16 x 256 queues", CYCLE_RXAQM, 16, STATE_NORMAL, RXAQM_MODE_ENFORCE, 0, 5,
	  1.15 },
	{ "under target", RXAQM, 1, STATE_LOW, RXAQM_MODE_ENFORCE, 0, 2, 1.25 },
	{ "under target, 256 queues", CYCLE_RXAQM, 1, STATE_LOW, RXAQM_MODE_ENFORCE, 0, 4, 1.25 },
	{ "under target, 16 x 256 queues", CYCLE_RXAQM, 16, STATE_LOW, RXAQM_MODE_ENFORCE, 0, 6,
	  1.25 },
	{ "under target, over 1 Mpps", RXAQM, 1, STATE_FAST, RXAQM_MODE_ENFORCE, 0, 2, 1.25 },
	{ "over target, observe", RXAQM, 1, STATE_OVER, RXAQM_MODE_OBSERVE, 0, 2, 1.35 },
	{ "over target, observe, 256 queues", CYCLE_RXAQM, 1, STATE_OVER, RXAQM_MODE_OBSERVE, 0, 4,
	  1.35 },
	{ "over target, enforce", RXAQM, 1, STATE_OVER, RXAQM_MODE_ENFORCE, 0, 2, 1.35 },
	{ "over target, ECT, observe", RXAQM, 1, STATE_OVER, RXAQM_MODE_OBSERVE, 2, 2, 1.35 },
	{ "over target, busy signal, observe", RXAQM, 1, STATE_BUSY, RXAQM_MODE_OBSERVE, 0, 2,
	  1.35 },
	{ "redirect to a socket", REDIRECT, 1, STATE_NORMAL, 0, 0, -1, 0 },
	{ "to a socket, normal", SOCKET, 1, STATE_NORMAL, RXAQM_MODE_ENFORCE, 0, 19, 0 },
	{ "to a socket, under target", SOCKET, 1, STATE_LOW, RXAQM_MODE_ENFORCE, 0, 19, 0 },
	{ "to a socket, over target, observe", SOCKET, 1, STATE_BUSY, RXAQM_MODE_OBSERVE, 0, 19,
	  0 },
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

static __u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (__u64)ts.tv_sec * RXAQM_NSEC_PER_SEC + (__u64)ts.tv_nsec;
}

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

static void *map_memory(struct bpf_map *map, size_t bytes)
{
	void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return data == MAP_FAILED ? NULL : data;
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
	bench->iface = map_memory(bench->skel[0]->maps.iface_map,
				  RXAQM_MAX_IFACES * sizeof(*bench->iface));
	bench->policy = map_memory(bench->skel[0]->maps.policy_map,
				   2 * RXAQM_MAX_QUEUES * sizeof(*bench->policy));
	bench->queue = map_memory(bench->skel[0]->maps.queue_map,
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

static struct rxaqm_policy policy_of(const struct variant *v)
{
	struct rxaqm_policy policy = {
		.target_ns = RXAQM_NSEC_PER_MSEC,
		.interval_ns = 10 * RXAQM_NSEC_PER_MSEC,
		.max_drop_permille = 1000,
		.mode = v->mode,
		.signal = v->state == STATE_BUSY ? RXAQM_SIGNAL_BUSY : RXAQM_SIGNAL_AUTO,
		.ecn = RXAQM_ECN_ON,
	};

	return policy;
}

/* As if a poll had ended on each CPU. */
static void clear_notes(struct bench *bench)
{
	size_t nr_cpus = (size_t)libbpf_num_possible_cpus();
	struct rxaqm_cpu *none = calloc(nr_cpus, sizeof(*none));
	__u32 zero = 0;

	if (none)
		bpf_map_update_elem(bpf_map__fd(bench->skel[0]->maps.cpu_map), &zero, none, 0);
	free(none);
}

/* Nothing but the XDP program runs, so what the tracing programs would find is laid down:
 * a sample dated far ahead stays fresh for the whole run.
 */
static void preset(struct bench *bench, const struct variant *v)
{
	struct rxaqm_queue queue = { .policy = policy_of(v), .policy_gen = 2 };
	__u64 now_ns = clock_ns(CLOCK_MONOTONIC);
	unsigned int i;

	queue.flags = RXAQM_QUEUE_POLICY_VALID | RXAQM_QUEUE_POLLED | RXAQM_QUEUE_DRAIN_KNOWN;
	if (v->mode == RXAQM_MODE_ENFORCE)
		queue.flags |= RXAQM_QUEUE_ENFORCED;
	queue.poll_end_ns = now_ns + 60 * RXAQM_NSEC_PER_SEC; /* no end will be seen */
	queue.drained_ns = now_ns;
	/* The first packet of the poll is through: no end of one would make room for notes. The
	 * first to a socket finds out that there is one.
	 */
	queue.taken = v->program != SOCKET;
	if (v->state == STATE_NORMAL && queue.taken)
		queue.skip = queue.skipped_from = REPEAT;
	if (v->state != STATE_NORMAL) {
		queue.flags |= RXAQM_QUEUE_STANDING;
		queue.drained_ns = now_ns - 50 * RXAQM_NSEC_PER_MSEC;
		queue.packet_ns = 1000; /* busy: a full ring is 4 ms */
	}
	/* No window of the law ends during the run, in which it marks all ECT packets. */
	queue.target_ns = queue.policy.target_ns;
	queue.interval_ns = queue.policy.interval_ns;
	queue.law.goal_ns = queue.target_ns;
	queue.law.turn_ns = now_ns + 60 * RXAQM_NSEC_PER_SEC;
	queue.law.mark = RXAQM_LAW_ONE;
	queue.clock_mask = v->state == STATE_FAST ? 7 : 0;
	if (v->state == STATE_LOW || v->state == STATE_FAST || v->state == STATE_OVER) {
		queue.flags |= RXAQM_QUEUE_SAMPLED;
		queue.sample_ns = now_ns + 60 * RXAQM_NSEC_PER_SEC;
		queue.sample_sojourn_ns = (v->state == STATE_OVER ? 5000 : 500) *
					  RXAQM_NSEC_PER_USEC;
	}
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
	clear_notes(bench);
	packet[15] = v->ecn;
	packet[25] = 0xc8 - v->ecn;
}

/* CPU time of this thread for a packet, in ns; negative: it failed. */
static double run(struct bench *bench, const struct variant *v)
{
	unsigned char out[sizeof(packet)];
	bool socket = v->program == REDIRECT || v->program == SOCKET;
	__u64 begin_ns, total_ns = 0;
	int i, err;

	preset(bench, v);
	if (socket && put_socket(bench, true)) {
		fprintf(stderr, "cost: cannot put a socket into xsk_map: %s\n", strerror(errno));
		return -1;
	}
	for (i = 0; i < v->nr_instances; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet,
			    .data_size_in = sizeof(packet), .data_out = out,
			    .data_size_out = sizeof(out), .repeat = REPEAT / v->nr_instances);

		begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		err = bpf_prog_test_run_opts(bench->prog_fd[i][v->program], &opts);
		total_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
		if (err) {
			fprintf(stderr, "cost: BPF_PROG_RUN of \"%s\": %s\n", v->name,
				strerror(-err));
			return -1;
		}
	}
	if (socket)
		put_socket(bench, false);
	return (double)total_ns / REPEAT;
}

/* Did the packets take the path that the variant is named for? */
static int check(const struct bench *bench, const struct variant *v)
{
	const __u64 *stat = bench->queue[0].stat;
	bool low = stat[RXAQM_STAT_LOW],
	     over = stat[RXAQM_STAT_OVER_NECT] + stat[RXAQM_STAT_OVER_ECT0];

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

static void report(struct bench *bench)
{
	double value[NR_TURNS], ratio[NR_TURNS];
	size_t i;
	int t;

	for (i = 0; i < NR_VARIANTS; i++) {
		const struct variant *v = &variants[i];
		double reached;

		for (t = 0; t < NR_TURNS; t++) {
			value[t] = bench->ns[i][t];
			ratio[t] = v->baseline < 0 ? 1 : value[t] / bench->ns[v->baseline][t];
		}
		reached = median_of(NR_TURNS, ratio);
		printf("%s\t%.2f\tns/packet\t", v->name, median_of(NR_TURNS, value));
		if (v->limit > 0)
			printf("<= %.2f x", v->limit);
		printf("\t%.3f\t%s\n", reached,
		       v->limit <= 0	   ? "" :
		       reached <= v->limit ? "yes" :
					     "no");
	}
}

static void report_size(struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (!bpf_prog_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		printf("JITed size\t%u\tbytes\t<= %u\t%.3f\t%s\n", info.jited_prog_len, JITED_MAX,
		       info.jited_prog_len / (double)JITED_MAX,
		       info.jited_prog_len <= JITED_MAX ? "yes" : "no");
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
		report(&bench);
		report_size(bench.skel[0]->progs.rxaqm_xdp);
		printf("state of a queue\t%zu\tbytes\t<= 1536\t%.3f\t%s\n",
		       sizeof(struct rxaqm_queue), sizeof(struct rxaqm_queue) / 1536.0,
		       sizeof(struct rxaqm_queue) <= 1536 ? "yes" : "no");
	}
out:
	close_bench(&bench);
	return err ? 1 : 0;
}
