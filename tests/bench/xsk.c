// SPDX-License-Identifier: GPL-2.0-only
/*
 * xsk: packets a second through a veth into an AF_XDP socket, by rxaqm's program and library,
 * to those by libxdp's default program and a consumer of the same shape. In a namespace of its own:
 *
 *   xsk TX_IFACE RX_IFACE RXAQM    compare; a line a figure: name, value, unit, target, ratio, met
 *   xsk TX_IFACE SECONDS           only send
 *
 * The NAPI is a thread on the sender's CPU and always has more to do than it can; the consumer has
 * another CPU, and is faster. The rate is by CPU time of that thread, as others may want its CPU.
 */
#include <errno.h>
#include <net/if.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <xdp/libxdp.h>
#include <xdp/xsk.h>

#include "live.skel.h"
#include "median.h"
#include "napi.h"
#include "sender.h"
#include "rxaqm-xsk.h"

#define NR_TURNS 9
#define WARM_UP_MS 150
#define MEASURE_MS 500
#define RECEIVE_CPU 1
#define LIMIT 0.95
#define BATCH 64
#define FRAMES 4096
#define FRAME_SIZE 4096

enum way {
	PLAIN, /* libxdp's default program and API */
	RXAQM,
	NR_WAYS
};

struct plain {
	struct xsk_ring_prod fill;
	struct xsk_ring_cons rx, completion;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	void *frames;
};

struct bench {
	struct live *skel;
	const char *rx, *rxaqm;
	struct plain plain;
	struct rxaqm_xsk *xsk;
	volatile bool stop;
	volatile unsigned long long received;
	struct bench_sender sender;
};

static void sleep_ms(int ms)
{
	const struct timespec ts = { .tv_nsec = ms * 1000000L };

	nanosleep(&ts, NULL);
}

static int open_plain(struct plain *p, const char *ifname)
{
	const struct xsk_umem_config umem = { .fill_size = FRAMES,
					      .comp_size = 64,
					      .frame_size = FRAME_SIZE };
	const struct xsk_socket_config config = { .rx_size = 2048,
						  .bind_flags = XDP_USE_NEED_WAKEUP };
	__u32 first = 0, i;
	int err;

	memset(p, 0, sizeof(*p));
	p->frames = mmap(NULL, FRAMES * FRAME_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	err = xsk_umem__create(&p->umem, p->frames, FRAMES * FRAME_SIZE, &p->fill, &p->completion,
			       &umem);
	if (err)
		return err;
	xsk_ring_prod__reserve(&p->fill, FRAMES, &first);
	for (i = 0; i < FRAMES; i++)
		*xsk_ring_prod__fill_addr(&p->fill, first + i) = (__u64)i * FRAME_SIZE;
	xsk_ring_prod__submit(&p->fill, FRAMES);
	/* The kernel frees the queue some time after its last socket was closed. */
	for (i = 0; i < 50; i++) {
		err = xsk_socket__create(&p->socket, ifname, 0, p->umem, &p->rx, NULL, &config);
		if (err != -EBUSY)
			break;
		sleep_ms(10);
	}
	return err;
}

static void close_plain(struct plain *p)
{
	xsk_socket__delete(p->socket);
	xsk_umem__delete(p->umem);
	munmap(p->frames, FRAMES * FRAME_SIZE);
}

/* As whoever takes packets does. */
static void look_at(const void *data)
{
	*(const volatile unsigned char *)data;
}

static unsigned int take_plain(struct plain *p)
{
	__u32 from = 0, to = 0, nr, i;
	__u64 frames[BATCH];

	nr = xsk_ring_cons__peek(&p->rx, BATCH, &from);
	for (i = 0; i < nr; i++) {
		frames[i] = xsk_ring_cons__rx_desc(&p->rx, from + i)->addr;
		look_at(xsk_umem__get_data(p->frames, frames[i]));
	}
	if (!nr)
		return 0;
	xsk_ring_cons__release(&p->rx, nr);
	xsk_ring_prod__reserve(&p->fill, nr, &to);
	for (i = 0; i < nr; i++)
		*xsk_ring_prod__fill_addr(&p->fill, to + i) = frames[i];
	xsk_ring_prod__submit(&p->fill, nr);
	return nr;
}

static unsigned int take_rxaqm(struct rxaqm_xsk *xsk)
{
	struct rxaqm_xsk_packet packets[BATCH];
	int i, nr = rxaqm_xsk_receive(xsk, packets, BATCH);

	for (i = 0; i < nr; i++)
		look_at(packets[i].data);
	if (nr <= 0)
		return 0;
	rxaqm_xsk_release(xsk, packets, (unsigned int)nr);
	return (unsigned int)nr;
}

static void *receive_all(void *arg)
{
	struct bench *bench = arg;

	bench_pin(0, RECEIVE_CPU);
	while (!bench->stop)
		bench->received += bench->xsk ? take_rxaqm(bench->xsk) : take_plain(&bench->plain);
	return NULL;
}

static int run_rxaqm(const struct bench *bench, const char *command)
{
	return bench_run_shell("%s %s %s >/dev/null", bench->rxaqm, command, bench->rx);
}

static int open_way(struct bench *bench, enum way way)
{
	int err;

	bench->xsk = NULL;
	if (way == PLAIN) {
		err = open_plain(&bench->plain, bench->rx);
		return err ? bench_fail("cannot open a socket of libxdp's", err) : 0;
	}
	if (run_rxaqm(bench, "attach"))
		return -1;
	err = rxaqm_xsk_open(&bench->xsk, bench->rx, 0, NULL);
	return err ? bench_fail(rxaqm_xsk_strerror(err), err) : 0;
}

static int close_way(struct bench *bench, enum way way)
{
	if (way == PLAIN) {
		close_plain(&bench->plain);
		return 0;
	}
	rxaqm_xsk_close(bench->xsk);
	return run_rxaqm(bench, "detach");
}

/* Mpps; negative: something broke. */
static double measure(struct bench *bench)
{
	unsigned long long packets, time_ns;
	pthread_t receiver;
	pid_t napi;

	napi = bench_make_thread(bench->rx);
	if (!napi)
		return bench_fail("no NAPI thread", ESRCH);
	bench_pin(napi, BENCH_SEND_CPU);
	bench->stop = false;
	bench->received = 0;
	if (pthread_create(&receiver, NULL, receive_all, bench))
		return bench_fail("thread", EAGAIN);
	if (bench_send_begin(&bench->sender))
		return -1;
	sleep_ms(WARM_UP_MS);
	packets = bench->received;
	time_ns = bench_cpu_ns(napi);
	sleep_ms(MEASURE_MS);
	packets = bench->received - packets;
	time_ns = bench_cpu_ns(napi) - time_ns;
	if (bench_send_end(&bench->sender))
		return -1;
	bench->stop = true;
	pthread_join(receiver, NULL);
	if (!packets || !time_ns)
		return bench_fail("no packet arrived", EIO);
	return (double)packets * 1e3 / (double)time_ns;
}

static int compare(struct bench *bench)
{
	double rate[NR_WAYS][NR_TURNS], ratio[NR_TURNS], r;
	int turn, way;

	for (turn = 0; turn < NR_TURNS; turn++) {
		for (way = 0; way < NR_WAYS; way++) {
			if (open_way(bench, way))
				return -1;
			rate[way][turn] = measure(bench);
			if (close_way(bench, way) || rate[way][turn] < 0)
				return -1;
		}
		ratio[turn] = rate[RXAQM][turn] / rate[PLAIN][turn];
	}
	r = median_of(NR_TURNS, ratio);
	printf("AF_XDP, libxdp's program and API\t%.3f\tMpps\t\t1.000\t\n",
	       median_of(NR_TURNS, rate[PLAIN]));
	printf("AF_XDP, rxaqm and librxaqm-xsk\t%.3f\tMpps\t>= %.2f x libxdp\t%.3f\t%s\n",
	       median_of(NR_TURNS, rate[RXAQM]), LIMIT, r, r >= LIMIT ? "yes" : "no");
	return 0;
}

static int only_send(struct bench *bench, unsigned int seconds)
{
	if (bench_send_begin(&bench->sender))
		return -1;
	sleep(seconds);
	return bench_send_end(&bench->sender);
}

int main(int argc, char **argv)
{
	struct bench bench = {};
	int err;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "Usage: xsk TX_IFACE RX_IFACE RXAQM | xsk TX_IFACE SECONDS\n");
		return 2;
	}
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		fprintf(stderr, "xsk: needs two CPUs: one sends, one receives\n");
		return 77;
	}
	libbpf_set_print(NULL);
	libxdp_set_print(NULL);
	bench.skel = live__open();
	if (!bench.skel)
		return 1;
	bench.skel->rodata->tx_ifindex = if_nametoindex(argv[1]);
	err = live__load(bench.skel);
	if (err) {
		bench_fail("cannot load the generators", err);
		goto out;
	}
	bench.sender = (struct bench_sender){
		.prog_fd = bpf_program__fd(bench.skel->progs.send_frames), .batch = 64
	};
	if (argc == 3) {
		err = only_send(&bench, (unsigned int)strtoul(argv[2], NULL, 10));
	} else {
		bench.rx = argv[2];
		bench.rxaqm = argv[3];
		err = compare(&bench);
	}
out:
	live__destroy(bench.skel);
	return err ? 1 : 0;
}
