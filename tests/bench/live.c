// SPDX-License-Identifier: GPL-2.0-only
/*
 * live: packets a second through a veth and the XDP program on it into the stack, which
 * discards them at once, being for another host. Run in a namespace of its own:
 *
 *   live TX_IFACE RX_IFACE RXAQM
 *
 * The receiving NAPI is a thread on a CPU of its own and always has more to do than it
 * can, so the queue stands and every packet is judged; the rate is by CPU time of that
 * thread, as others may want its CPU. "drained" is the other case: the NAPI runs
 * between two sends on the sender's CPU, in polls of half a budget, and the rate
 * includes the work of sending.
 *
 * One line a figure: name, value, unit, target, ratio, met.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "median.h"
#include "napi.h"
#include "sender.h"
#include "live.skel.h"

#define NR_TURNS 7
#define WARM_UP_MS 150
#define MEASURE_MS 350
#define RECEIVE_CPU 1

enum signal {
	EMPTY,
	BUSY,
	STAMP,
	NR_SIGNALS
};

struct load {
	const char *name;
	bool skbs;
	bool threaded;
	unsigned int batch;
};

static const struct load loads[] = {
	{ "frames, standing", false, true, 64 },
	{ "skbs, standing", true, true, 0 },
	{ "frames, drained", false, false, 32 },
};
#define NR_LOADS (sizeof(loads) / sizeof(loads[0]))

static const struct {
	const char *name, *attach;
	double limit;
} signals[NR_SIGNALS] = {
	{ "empty program", NULL, 0 },
	{ "busy", "signal=busy", 0.97 },
	{ "stamp", "--profile tests/rig/veth-simclock.conf", 0.93 },
};

struct bench {
	struct live *skel;
	const char *tx, *rx, *rxaqm;
	int rx_ifindex;
	const struct load *load;
	struct bench_sender sender;
};

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned long long)ts.tv_sec * 1000000000ULL + (unsigned long long)ts.tv_nsec;
}

static void sleep_ms(int ms)
{
	const struct timespec ts = { .tv_nsec = ms * 1000000L };

	nanosleep(&ts, NULL);
}

static unsigned long long received(const struct bench *bench)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/rx_packets", bench->rx);
	return bench_read_number(path);
}

static int attach(struct bench *bench, enum signal signal)
{
	int err;

	if (signal != EMPTY)
		return bench_run_shell("%s attach %s %s >/dev/null", bench->rxaqm, bench->rx,
				       signals[signal].attach);
	err = bpf_xdp_attach(bench->rx_ifindex, bpf_program__fd(bench->skel->progs.live_empty),
			     XDP_FLAGS_DRV_MODE, NULL);
	return err ? bench_fail("attaching the empty program", err) : 0;
}

static void detach(struct bench *bench, enum signal signal)
{
	if (signal != EMPTY)
		bench_run_shell("%s detach %s >/dev/null", bench->rxaqm, bench->rx, NULL);
	else
		bpf_xdp_detach(bench->rx_ifindex, XDP_FLAGS_DRV_MODE, NULL);
}

/* Mpps; negative: something broke. */
static double measure(struct bench *bench)
{
	unsigned long long packets, time_ns;
	pid_t pid = 0;
	double rate;

	if (bench->load->threaded) {
		pid = bench_make_thread(bench->rx);
		if (!pid)
			return bench_fail("no NAPI thread", ESRCH);
		bench_pin(pid, RECEIVE_CPU);
	} else if (bench_run_shell(BENCH_SET_THREADED, "0", bench->rx, NULL)) {
		return -1;
	}
	bench->sender.batch = bench->load->batch;
	bench->sender.prog_fd = bpf_program__fd(bench->load->skbs ? bench->skel->progs.send_skbs :
								    bench->skel->progs.send_frames);
	if (bench_send_begin(&bench->sender))
		return -1;
	sleep_ms(WARM_UP_MS);
	packets = received(bench);
	time_ns = pid ? bench_cpu_ns(pid) : now_ns();
	sleep_ms(MEASURE_MS);
	packets = received(bench) - packets;
	time_ns = (pid ? bench_cpu_ns(pid) : now_ns()) - time_ns;
	if (bench_send_end(&bench->sender))
		return -1;
	if (!packets || !time_ns)
		return bench_fail("no packet arrived", EIO);
	rate = (double)packets * 1e3 / (double)time_ns;
	return rate;
}

static void report(const struct load *load, double rate[NR_SIGNALS][NR_TURNS])
{
	double ratio[NR_SIGNALS][NR_TURNS];
	int s, t;

	for (s = 0; s < NR_SIGNALS; s++)
		for (t = 0; t < NR_TURNS; t++)
			ratio[s][t] = rate[s][t] / rate[EMPTY][t];
	for (s = 0; s < NR_SIGNALS; s++) {
		double r = median_of(NR_TURNS, ratio[s]);

		printf("live, %s, %s\t%.3f\tMpps\t", load->name, signals[s].name,
		       median_of(NR_TURNS, rate[s]));
		if (s == EMPTY)
			printf("\t1.000\t\n");
		else
			printf(">= %.2f x empty\t%.3f\t%s\n", signals[s].limit, r,
			       r >= signals[s].limit ? "yes" : "no");
	}
}

static int run_load(struct bench *bench, const struct load *load)
{
	double rate[NR_SIGNALS][NR_TURNS];
	int turn, s;

	bench->load = load;
	for (turn = 0; turn < NR_TURNS; turn++) {
		for (s = 0; s < NR_SIGNALS; s++) {
			if (attach(bench, s))
				return -1;
			rate[s][turn] = measure(bench);
			detach(bench, s);
			if (rate[s][turn] < 0)
				return -1;
		}
	}
	report(load, rate);
	return 0;
}

int main(int argc, char **argv)
{
	struct bench bench = {};
	int err = -1;
	size_t i;

	if (argc != 4) {
		fprintf(stderr, "Usage: live TX_IFACE RX_IFACE RXAQM\n");
		return 2;
	}
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		fprintf(stderr, "live: needs two CPUs: one sends, one receives\n");
		return 77;
	}
	bench.tx = argv[1];
	bench.rx = argv[2];
	bench.rxaqm = argv[3];
	bench.rx_ifindex = (int)if_nametoindex(bench.rx);
	libbpf_set_print(NULL);
	bench.skel = live__open();
	if (!bench.skel)
		return 1;
	bench.skel->rodata->tx_ifindex = if_nametoindex(bench.tx);
	err = live__load(bench.skel);
	if (err)
		bench_fail("cannot load the generators", err);
	for (i = 0; i < NR_LOADS && !err; i++) {
		err = run_load(&bench, &loads[i]);
		fflush(stdout);
	}
	live__destroy(bench.skel);
	return err ? 1 : 0;
}
