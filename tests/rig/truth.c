// SPDX-License-Identifier: GPL-2.0-only
/*
 * truth: true sojourns in the rig, one line an interval, for as long as it is told or
 * until it is interrupted. Needs the parameters of the simulated NIC clock only once:
 * do not set the clock while it runs.
 */
#include <errno.h>
#include <signal.h>
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

static volatile sig_atomic_t interrupted;

static void on_signal(int signo)
{
	(void)signo;
	interrupted = 1;
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

static __u64 bucket_ns(unsigned int bucket)
{
	unsigned int log = bucket >> RIG_TRUTH_SUB_BITS;
	__u64 sub = bucket & ((1U << RIG_TRUTH_SUB_BITS) - 1);

	if (!log)
		return bucket;
	return ((1ULL << RIG_TRUTH_SUB_BITS) + sub) << (log - 1);
}

static __u64 quantile_ns(const struct rig_truth *truth, double q)
{
	__u64 total = 0, sum = 0;
	unsigned int i;

	for (i = 0; i < RIG_TRUTH_BUCKETS; i++)
		total += truth->bucket[i];
	for (i = 0; i < RIG_TRUTH_BUCKETS; i++) {
		sum += truth->bucket[i];
		if (sum && (double)sum >= q * (double)total)
			return bucket_ns(i);
	}
	return 0;
}

static int report(int map_fd, struct rig_truth *last)
{
	static struct rig_truth now, diff;
	__u32 zero = 0;
	unsigned int i;

	if (bpf_map_lookup_elem(map_fd, &zero, &now))
		return -1;
	for (i = 0; i < RIG_TRUTH_BUCKETS; i++)
		diff.bucket[i] = now.bucket[i] - last->bucket[i];
	printf("packets %llu unstamped %llu p50_us %.1f p99_us %.1f max_us %.1f\n",
	       now.packets - last->packets, now.unstamped - last->unstamped,
	       quantile_ns(&diff, 0.5) / 1e3, quantile_ns(&diff, 0.99) / 1e3,
	       quantile_ns(&diff, 1) / 1e3);
	fflush(stdout);
	*last = now;
	return 0;
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
	bpf_program__set_autoload(skel->progs.ring, !strcmp(kind, "ring"));
	bpf_program__set_autoload(skel->progs.backlog, strcmp(kind, "ring"));
	if (truth__load(skel) || truth__attach(skel)) {
		truth__destroy(skel);
		return NULL;
	}
	return skel;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	static struct rig_truth last;
	struct rig_nicclock clock;
	struct truth *skel;
	struct timespec interval;
	int count, ms;

	if (argc != 6) {
		fputs("Usage: truth ring|backlog IFACE NICCLOCK_MAP_ID COUNT INTERVAL_MS\n",
		      stderr);
		return 2;
	}
	libbpf_set_print(NULL);
	if (read_clock((__u32)strtoul(argv[3], NULL, 10), &clock)) {
		fprintf(stderr, "truth: map %s: %s\n", argv[3], strerror(errno));
		return 1;
	}
	skel = start(argv[1], argv[2], &clock);
	if (!skel) {
		fprintf(stderr, "truth: the program does not load: %s\n", strerror(errno));
		return 1;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	ms = atoi(argv[5]);
	interval.tv_sec = ms / 1000;
	interval.tv_nsec = ms % 1000 * 1000000L;
	for (count = atoi(argv[4]); count && !interrupted; count--) {
		nanosleep(&interval, NULL);
		if (report(bpf_map__fd(skel->maps.truth_map), &last))
			break;
	}
	truth__destroy(skel);
	return 0;
}
