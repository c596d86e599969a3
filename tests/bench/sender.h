/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that sends as fast as it can, from within the kernel. */
#ifndef RXAQM_BENCH_SENDER_H
#define RXAQM_BENCH_SENDER_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include <bpf/bpf.h>

#include "napi.h"

#define BENCH_SEND_CPU 0

struct bench_sender {
	int prog_fd;
	unsigned int batch; /* frames that go at once; 0: the program sends skbs */
	volatile bool stop;
	int err;
	pthread_t thread;
};

static inline void bench_interrupt(int signal)
{
	(void)signal;
}

static inline void *bench_send(void *arg)
{
	/* Ethernet for another host, IPv4, UDP. */
	static unsigned char packet[60] = {
		2,    0,    0,	0,  9, 9,  2,	 0, 0,	0,  9,	  8,	8,  0, /* */
		0x45, 0,    0,	46, 0, 0,  0x40, 0, 64, 17, 0x66, 0xbd, 10, 0,
		0,    1,    10, 0,  0, 2, /* */
		0x9c, 0x40, 0,	9,  0, 26,
	};
	struct bench_sender *sender = arg;
	/* The kernel idles for ms at the end of each call: one lasts until it is interrupted. */
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = 1 << 30);
	int err = 0;

	bench_pin(0, BENCH_SEND_CPU);
	if (sender->batch) {
		opts.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
		opts.batch_size = sender->batch;
	}
	while (!sender->stop && (!err || err == -EINTR))
		err = bpf_prog_test_run_opts(sender->prog_fd, &opts);
	sender->err = err == -EINTR ? 0 : err;
	return NULL;
}

static inline int bench_send_begin(struct bench_sender *sender)
{
	const struct sigaction action = { .sa_handler = bench_interrupt };
	int err;

	sender->stop = false;
	sigaction(SIGUSR1, &action, NULL);
	err = pthread_create(&sender->thread, NULL, bench_send, sender);
	return err ? bench_fail("thread", err) : 0;
}

/* A signal that comes between two calls is lost, so it is sent until it was heard. */
static inline int bench_send_end(struct bench_sender *sender)
{
	struct timespec until;

	sender->stop = true;
	do {
		pthread_kill(sender->thread, SIGUSR1);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += (until.tv_nsec + 10000000) / 1000000000;
		until.tv_nsec = (until.tv_nsec + 10000000) % 1000000000;
	} while (pthread_timedjoin_np(sender->thread, NULL, &until));
	return sender->err ? bench_fail("BPF_PROG_RUN", sender->err) : 0;
}

#endif /* RXAQM_BENCH_SENDER_H */
