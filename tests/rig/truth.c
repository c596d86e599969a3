// SPDX-License-Identifier: GPL-2.0-only
/*
 * truth: true sojourns in the rig, while nothing but the traffic kept the receiving CPU busy.
 *
 * It looks every SLICE_MS until it has NEED_MS of undisturbed slices, or for LIMIT_MS. A slice is
 * disturbed if the CPU paused in it or up to POISON_MS before: no packet left the queue for a
 * while, though there were some. Pauses of rxaqm's making are no excuse: where BPF programs ran
 * for longer than is usual, by half of the pause or more, it disturbs nothing.
 *
 * Needs the parameters of the simulated NIC clock only once: do not set the clock while it runs.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "nicclock.h"
#include "truth.h"
#include "truth.skel.h"

#define SLICE_MS 20
#define POISON_MS 100
#define NS_PER_MS 1000000ULL
#define OTHER_PROGRAMS 1024

struct slice {
	__u64 begin_ns;
	__u64 end_ns;
	__u64 packets;
	__u64 overflow;
	__u64 prog_ns; /* run by BPF programs that are not the rig's */
	__u32 bucket[RIG_TRUTH_BUCKETS];
};

/* All since the beginning, and what is known of the pauses. */
static struct {
	struct slice *slice;
	unsigned int slices, judged, slices_max;
	struct rig_pause excuse[RIG_PAUSES]; /* the latest, as in rig_truth */
	__u64 pauses, excuses, paused_ns, longest_ns;
	__u64 packets, prog_ns, overflow;
} run;

/* Of the undisturbed slices. */
static struct {
	__u64 ns, packets, overflow;
	__u64 bucket[RIG_TRUTH_BUCKETS];
} clean;

static int prog_fd[OTHER_PROGRAMS];
static unsigned int progs;

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Parameters of the clock whose map has @id. */
static int read_clock(__u32 id, struct rig_nicclock *clock)
{
	int fd = bpf_map_get_fd_by_id(id);
	__u32 zero = 0;
	int err;

	if (fd < 0)
		return -1;
	err = bpf_map_lookup_elem_flags(fd, &zero, clock, BPF_F_LOCK);
	close(fd);
	return err;
}

/* All programs but the rig's, which rxaqm's are among. */
static void find_programs(void)
{
	struct bpf_prog_info info;
	__u32 id = 0, len;
	int fd;

	while (progs < OTHER_PROGRAMS && !bpf_prog_get_next_id(id, &id)) {
		fd = bpf_prog_get_fd_by_id(id);
		memset(&info, 0, sizeof(info));
		len = sizeof(info);
		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &len) || !strncmp(info.name, "rig_", 4))
			close(fd);
		else
			prog_fd[progs++] = fd;
	}
}

static __u64 programs_ns(void)
{
	struct bpf_prog_info info;
	__u64 sum_ns = 0;
	unsigned int i;
	__u32 len;

	for (i = 0; i < progs; i++) {
		memset(&info, 0, sizeof(info));
		len = sizeof(info);
		if (!bpf_obj_get_info_by_fd(prog_fd[i], &info, &len))
			sum_ns += info.run_time_ns;
	}
	return sum_ns;
}

static int read_number(const char *path, __u64 *number)
{
	FILE *file = fopen(path, "re");
	unsigned long long value;
	int read;

	if (!file)
		return -1;
	read = fscanf(file, "%llu", &value);
	fclose(file);
	*number = value;
	return read == 1 ? 0 : -1;
}

static __u64 bucket_ns(unsigned int bucket)
{
	unsigned int log = bucket >> RIG_TRUTH_SUB_BITS;
	__u64 sub = bucket & ((1U << RIG_TRUTH_SUB_BITS) - 1);

	if (!log)
		return bucket;
	return ((1ULL << RIG_TRUTH_SUB_BITS) + sub) << (log - 1);
}

static __u64 quantile_ns(double q)
{
	__u64 total = 0, sum = 0;
	unsigned int i;

	for (i = 0; i < RIG_TRUTH_BUCKETS; i++)
		total += clean.bucket[i];
	for (i = 0; i < RIG_TRUTH_BUCKETS; i++) {
		sum += clean.bucket[i];
		if (sum && (double)sum >= q * (double)total)
			return bucket_ns(i);
	}
	return 0;
}

/* Did something else than BPF programs take the time? */
static bool excused(const struct rig_pause *pause)
{
	double usual_ns = 0, ran_ns = 0;
	unsigned int i;

	for (i = run.slices; i-- && run.slice[i].end_ns > pause->begin_ns;) {
		usual_ns += (double)run.slice[i].packets * run.prog_ns / (run.packets + 1);
		ran_ns += run.slice[i].prog_ns;
	}
	return ran_ns - usual_ns < (pause->end_ns - pause->begin_ns) / 2.0;
}

static void take_pauses(const struct rig_truth *now)
{
	const struct rig_pause *pause;
	__u64 pause_ns;

	for (; run.pauses < now->pauses; run.pauses++) {
		pause = &now->pause[run.pauses % RIG_PAUSES];
		pause_ns = pause->end_ns - pause->begin_ns;
		if (!excused(pause))
			continue;
		run.excuse[run.excuses++ % RIG_PAUSES] = *pause;
		run.paused_ns += pause_ns;
		if (pause_ns > run.longest_ns)
			run.longest_ns = pause_ns;
	}
}

static bool disturbed(const struct slice *slice)
{
	__u64 i, first = run.excuses > RIG_PAUSES ? run.excuses - RIG_PAUSES : 0;
	const struct rig_pause *pause;

	for (i = run.excuses; i-- > first;) {
		pause = &run.excuse[i % RIG_PAUSES];
		if (pause->end_ns + POISON_MS * NS_PER_MS < slice->begin_ns)
			return false;
		if (pause->begin_ns < slice->end_ns)
			return true;
	}
	return false;
}

/* Slices before @last_ns, when a packet was seen: no pause in them is still to be told of. */
static void judge(__u64 last_ns)
{
	const struct slice *slice;
	unsigned int i;

	for (; run.judged < run.slices; run.judged++) {
		slice = &run.slice[run.judged];
		if (slice->end_ns > last_ns)
			break;
		if (disturbed(slice))
			continue;
		clean.ns += slice->end_ns - slice->begin_ns;
		clean.overflow += slice->overflow;
		clean.packets += slice->packets;
		for (i = 0; i < RIG_TRUTH_BUCKETS; i++)
			clean.bucket[i] += slice->bucket[i];
	}
}

/* The slice from the end of the last one until now. */
static int take_slice(int map_fd, const char *overflow_path)
{
	static struct rig_truth now, last;
	static __u64 last_end_ns, last_overflow, last_prog_ns;
	struct slice *slice = &run.slice[run.slices];
	__u64 end_ns, overflow, prog_ns;
	__u32 zero = 0;
	unsigned int i;

	if (bpf_map_lookup_elem(map_fd, &zero, &now) || read_number(overflow_path, &overflow))
		return -1;
	end_ns = now_ns();
	prog_ns = programs_ns();
	if (last_end_ns) {
		slice->begin_ns = last_end_ns;
		slice->end_ns = end_ns;
		slice->overflow = overflow - last_overflow;
		slice->prog_ns = prog_ns - last_prog_ns;
		slice->packets = now.packets - last.packets;
		for (i = 0; i < RIG_TRUTH_BUCKETS; i++)
			slice->bucket[i] = now.bucket[i] - last.bucket[i];
		run.packets += slice->packets;
		run.prog_ns += slice->prog_ns;
		run.overflow += slice->overflow;
		run.slices++;
		take_pauses(&now);
		judge(now.last_ns);
	} else {
		run.pauses = now.pauses;
	}
	last = now;
	last_end_ns = end_ns;
	last_overflow = overflow;
	last_prog_ns = prog_ns;
	return 0;
}

static void report(void)
{
	printf("{\"undisturbed_s\": %.3f, \"seconds\": %.3f, \"pauses\": %llu, "
	       "\"not_excused\": %llu, \"paused_s\": %.4f, \"longest_s\": %.4f, "
	       "\"packets\": %llu, \"overflow\": %llu, \"overflow_all\": %llu, "
	       "\"p50_ns\": %llu, \"p99_ns\": %llu, \"max_ns\": %llu}\n",
	       clean.ns / 1e9, (run.slice[run.slices - 1].end_ns - run.slice[0].begin_ns) / 1e9,
	       run.excuses, run.pauses - run.excuses, run.paused_ns / 1e9, run.longest_ns / 1e9,
	       clean.packets, clean.overflow, run.overflow, quantile_ns(0.5), quantile_ns(0.99),
	       quantile_ns(1));
}

/* Open and attach for @iface, whose queue is @kind. */
static struct truth *start(const char *kind, const char *iface, const struct rig_nicclock *clock)
{
	struct truth *skel = truth__open();

	if (!skel)
		return NULL;
	strncpy((char *)skel->rodata->iface, iface, sizeof(skel->rodata->iface) - 1);
	skel->rodata->host_ref_ns = clock->host_ref_ns;
	skel->rodata->hw_ref_ns = clock->hw_ref_ns;
	skel->rodata->drift_q32 = clock->drift_q32;
	bpf_program__set_autoload(skel->progs.rig_ring, !strcmp(kind, "ring"));
	bpf_program__set_autoload(skel->progs.rig_backlog, strcmp(kind, "ring"));
	if (truth__load(skel) || truth__attach(skel)) {
		truth__destroy(skel);
		return NULL;
	}
	return skel;
}

static int measure(struct truth *skel, const char *overflow_path, __u64 need_ns, __u64 limit_ns)
{
	const struct timespec interval = { .tv_nsec = SLICE_MS * NS_PER_MS };
	int map_fd = bpf_map__fd(skel->maps.truth_map);
	__u64 until_ns = now_ns() + limit_ns;

	run.slices_max = limit_ns / (SLICE_MS * NS_PER_MS) + 1;
	run.slice = calloc(run.slices_max, sizeof(*run.slice));
	if (!run.slice)
		return -1;
	while (run.slices < run.slices_max && clean.ns < need_ns && now_ns() < until_ns) {
		if (take_slice(map_fd, overflow_path))
			return -1;
		nanosleep(&interval, NULL);
	}
	if (!run.slices)
		return -1;
	report();
	return 0;
}

int main(int argc, char **argv)
{
	struct rig_nicclock clock;
	struct truth *skel;
	int err;

	if (argc != 7) {
		fputs("Usage: truth ring|backlog IFACE NICCLOCK_MAP_ID OVERFLOW_FILE NEED_MS LIMIT_MS\n",
		      stderr);
		return 2;
	}
	libbpf_set_print(NULL);
	if (read_clock((__u32)strtoul(argv[3], NULL, 10), &clock)) {
		fprintf(stderr, "truth: map %s: %s\n", argv[3], strerror(errno));
		return 1;
	}
	find_programs();
	skel = start(argv[1], argv[2], &clock);
	if (!skel || bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) {
		fprintf(stderr, "truth: the program does not load: %s\n", strerror(errno));
		return 1;
	}
	err = measure(skel, argv[4], strtoull(argv[5], NULL, 10) * NS_PER_MS,
		      strtoull(argv[6], NULL, 10) * NS_PER_MS);
	if (err)
		fprintf(stderr, "truth: cannot measure: %s\n", strerror(errno));
	truth__destroy(skel);
	return err ? 1 : 0;
}
